//! From the text of a scenario file to a checked [`Scenario`].
//!
//! Every bound is checked here once; what comes out can be run as far as the file can tell. The
//! grammar is in docs/guide/scenario-file.md. Checks that depend on an engine are the engine's.

mod answer;
mod arms;
mod beside;
mod client;
mod dataset;
mod device;
mod draid;
mod files;
mod fio;
mod lab;
mod link;
mod notes;
mod phases;
mod pool;
mod processor;
mod read;
mod reported;
mod section;
mod settings;
mod system;
mod trace;
mod tree;

pub use beside::{PROFILE_BYTES_MAX, is_path};
pub use read::NAME_CHARS_MAX;
pub use trace::WantedTrace;

use crate::error::{Checked, Fault, ScenarioError};
use crate::experiment::{Arm, Phase, Scenario};
use crate::system::PoolSpec;
use arcwright_tunables::Version;
use arcwright_workload::Replay;
use dataset::Datasets;
use device::Devices;
use tree::{Kind, Node};

const KEYS: [&str; 15] = [
    "title", "question", "seed", "links", "devices", "system", "arm", "dataset", "zvol", "file",
    "tree", "phase", "reported", "answer", "lab",
];

impl Scenario {
    /// Parses and checks the text of a scenario file; `name` is the file's name for messages.
    ///
    /// # Errors
    /// [`ScenarioError`] with the place of the first problem found.
    pub fn parse(text: &str, name: &str) -> Result<Self, ScenarioError> {
        Self::parse_with(text, name, &|_| {
            Err("this scenario cannot refer to other files".to_owned())
        })
    }

    /// Parses and checks the text of a scenario file whose clients and devices may be in files of their own.
    ///
    /// `fetch` returns the text of such a file by its path as the scenario gives it, or why there is
    /// none.
    ///
    /// # Errors
    /// [`ScenarioError`] with the place of the first problem found, in whichever file it is.
    pub fn parse_with(text: &str, name: &str, fetch: Fetch<'_>) -> Result<Self, ScenarioError> {
        Self::parse_beside(text, name, &TextsBeside(fetch))
    }

    /// Parses and checks the text of a scenario file that may name files of any kind: jobs, devices, traces.
    ///
    /// # Errors
    /// [`ScenarioError`] with the place of the first problem found, in whichever file it is.
    pub fn parse_beside(
        text: &str,
        name: &str,
        beside: &dyn Beside,
    ) -> Result<Self, ScenarioError> {
        read_text(text, beside).map_err(|fault| ScenarioError::new(*fault, text, name))
    }
}

/// The files that a scenario may name.
pub trait Beside {
    /// Returns the text of a file by its path as the scenario gives it.
    ///
    /// # Errors
    /// Why there is none, in words.
    fn text(&self, path: &str) -> Result<String, String>;

    /// Returns a trace, ready to be played.
    ///
    /// # Errors
    /// Why it cannot be played, in words.
    fn replay(&self, wanted: &WantedTrace<'_>) -> Result<Replay, String>;
}

/// Files that are texts: no traces are among them.
pub struct TextsBeside<'a>(pub Fetch<'a>);

impl Beside for TextsBeside<'_> {
    fn text(&self, path: &str) -> Result<String, String> {
        (self.0)(path)
    }

    fn replay(&self, _: &WantedTrace<'_>) -> Result<Replay, String> {
        Err("a scenario that comes without its folder cannot play traces".to_owned())
    }
}

/// Returns the text of a file that a scenario names, or why there is none.
pub type Fetch<'a> = &'a dyn Fn(&str) -> Result<String, String>;

fn read_text(text: &str, beside: &dyn Beside) -> Checked<Scenario> {
    let fetch: Fetch<'_> = &|path| beside.text(path);
    let root = Node::parse(text)?;
    let section = root.section("the file", &KEYS)?;
    let title = section.need("title", "title = \"Steam library\"")?.name_text()?.to_owned();
    let question = section.maybe("question", Node::text)?.unwrap_or_default().to_owned();
    let seed = section.maybe("seed", Node::whole)?.unwrap_or(1);
    let place = section.need("system", "[system]")?;
    let links = link::read(section.get("links"))?;
    let devices = Devices::read(section.get("devices"), links, fetch)?;
    let mut base = system::read(place, &devices, fetch)?;
    let zfs = Version::parse(&base.system.zfs);
    let Datasets { all, volumes } =
        dataset::read(section.list("dataset")?, section.list("zvol")?, zfs)?;
    base.system.pool.datasets = all;
    let disks = disks_of(place, &base.system.pool)?;
    let [arms, phases, answers] = ["arm", "phase", "answer"].map(|key| section.list(key));
    let (arms, phases, answers) = (arms?, phases?, answers?);
    at_most(arms, ARMS_MAX, "arms")?;
    at_most(phases, PHASES_MAX, "phases")?;
    at_most(answers, PHASES_MAX, "answers")?;
    let mut notes = notes::of_system(place, &base);
    let arm_nodes = arms;
    let arms = arms::read(arm_nodes, (&base, &devices), &mut notes)?;
    let (files, trees) = (section.list("file")?, section.list("tree")?);
    let mut contents = files::read(files, trees, &base.system.pool)?;
    for (volume, node) in &volumes {
        unique(node, &volume.name, contents.names(), "file or tree")?;
        contents.add_file(volume.clone(), node)?;
    }
    let mut played = phases::Played::new(fetch, beside);
    let phases = phases::read(phases, (&mut contents, &base.system.pool), &mut played)?;
    if phases.is_empty() {
        let fault = section.fault("the file has no [[phase]]");
        return Err(fault.help("a phase says which clients read or write what"));
    }
    let rows = rows_of_result(&arms, &phases, disks);
    if rows > ROWS_MAX {
        let fault = section.fault(format!(
            "the result would have {rows} rows, and at most {ROWS_MAX} are supported: for each arm \
             and phase {ROWS_OF_PHASE} counters, the clients and the disks"
        ));
        return Err(fault.help("write several scenarios, each with fewer arms or phases"));
    }
    let reported = section.maybe("reported", |node| reported::read(node, &arms, &phases))?;
    let answers = answer::read(answers, &arms, &phases)?;
    let lab = lab::read(section.get("lab"))?;
    let scenario = Scenario {
        title,
        question,
        seed,
        system: base.system,
        arms,
        files: contents.files,
        trees: contents.trees,
        phases,
        reported,
        answers,
        lab,
        notes: notes.into_iter().chain(played.notes()).collect(),
    };
    // Without any [[arm]] there is one that changes nothing.
    let arm_nodes = arm_nodes.iter().chain(std::iter::repeat(place));
    dataset::check_volumes(&scenario, &volumes, arm_nodes.clone())?;
    dataset::check_encryption(&scenario, arm_nodes.clone())?;
    draid::check_version(&scenario, arm_nodes.clone())?;
    if devices.any_is_shared() {
        for (arm, node) in scenario.arms.iter().zip(arm_nodes) {
            device::check_parts(node, &scenario.system_of(arm).pool)?;
        }
    }
    Ok(scenario)
}

/// Returns how many data disks a pool has.
fn disks_of(place: &Node, pool: &PoolSpec) -> Checked<usize> {
    let disks = pool.data.iter().map(|vdev| vdev.disks.len()).sum::<usize>();
    match disks > DISKS_MAX {
        true => Err(place.fault(format!("a pool has at most {DISKS_MAX} disks, this one {disks}"))),
        false => Ok(disks),
    }
}

/// Most arms: a table of more says nothing to anybody.
pub(crate) const ARMS_MAX: usize = 1000;
/// Most files and trees together, job files' included.
pub(crate) const FILES_MAX: usize = 4096;
/// Most phases, and most answers.
const PHASES_MAX: usize = 1000;
/// Most disks of a pool.
const DISKS_MAX: usize = 4096;

/// Most rows of a result: it is printed, saved and compared as a whole, also when a run is stopped.
const ROWS_MAX: usize = 200_000;
/// Rows that a phase has in each arm beside one for each client and each disk: its counters.
const ROWS_OF_PHASE: usize = 80;

fn rows_of_result(arms: &[Arm], phases: &[Phase], disks: usize) -> usize {
    let rows = |phase: &Phase| ROWS_OF_PHASE + phase.clients.len() + disks;
    arms.len().saturating_mul(phases.iter().map(rows).sum())
}

/// Refuses a list that is longer than anybody's, at the first element that is too many.
fn at_most(nodes: &[Node], count_max: usize, what: &str) -> Checked<()> {
    match nodes.get(count_max) {
        None => Ok(()),
        Some(node) => Err(node
            .fault(format!("a scenario has at most {count_max} {what}, this one {}", nodes.len()))
            .help("write several scenarios")),
    }
}

/// Refuses a name that is taken already.
fn unique<'a>(
    node: &Node,
    name: &str,
    mut taken: impl Iterator<Item = &'a str>,
    what: &str,
) -> Checked<()> {
    if !taken.any(|other| other == name) {
        return Ok(());
    }
    let place = match &node.kind {
        Kind::Table(entries) => entries.iter().find(|entry| entry.name == "name"),
        _ => None,
    };
    let message = format!("another {what} is already called “{name}”");
    Err(Fault::at(&place.unwrap_or(node).span, message).help("names must be unique"))
}
