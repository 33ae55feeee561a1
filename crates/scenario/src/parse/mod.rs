//! From the text of a scenario file to a checked [`Scenario`].
//!
//! Every bound is checked here once; what comes out can be run as far as the file can tell. The
//! grammar is in design.md §3. Checks that depend on an engine are the engine's.

mod answer;
mod arms;
mod client;
mod files;
mod fio;
mod lab;
mod phases;
mod pool;
mod read;
mod reported;
mod section;
mod settings;
mod system;
mod tree;

use crate::error::{Checked, Fault, ScenarioError};
use crate::experiment::Scenario;
use tree::{Kind, Node};

const KEYS: [&str; 11] = [
    "title", "question", "seed", "system", "arm", "file", "tree", "phase", "reported", "answer",
    "lab",
];

impl Scenario {
    /// Parses and checks the text of a scenario file; `name` is the file's name for messages.
    ///
    /// # Errors
    /// [`ScenarioError`] with the place of the first problem found.
    pub fn parse(text: &str, name: &str) -> Result<Self, ScenarioError> {
        Self::parse_with(text, name, &|_| {
            Err("this scenario is read without other files".to_owned())
        })
    }

    /// Parses and checks the text of a scenario file whose clients may be in files of their own.
    ///
    /// `fetch` returns the text of such a file by its path as the scenario gives it, or why there is
    /// none.
    ///
    /// # Errors
    /// [`ScenarioError`] with the place of the first problem found, in whichever file it is.
    pub fn parse_with(text: &str, name: &str, fetch: Fetch<'_>) -> Result<Self, ScenarioError> {
        read_text(text, fetch).map_err(|fault| ScenarioError::new(*fault, text, name))
    }
}

/// Returns the text of a file that a scenario names, or why there is none.
type Fetch<'a> = &'a dyn Fn(&str) -> Result<String, String>;

fn read_text(text: &str, fetch: Fetch<'_>) -> Checked<Scenario> {
    let root = Node::parse(text)?;
    let section = root.section("the file", &KEYS)?;
    let title = section.need("title", "title = \"Steam library\"")?.name_text()?.to_owned();
    let question = section.maybe("question", Node::text)?.unwrap_or_default().to_owned();
    let seed = section.maybe("seed", Node::whole)?.unwrap_or(1);
    let base = system::read(section.need("system", "[system]")?)?;
    let arms = arms::read(section.list("arm")?, &base)?;
    let mut contents =
        files::read(section.list("file")?, section.list("tree")?, &base.system.pool)?;
    let mut jobs = fio::Jobs::new(fetch);
    let phases = phases::read(section.list("phase")?, &mut contents, &mut jobs)?;
    if phases.is_empty() {
        let fault = section.fault("the file has no [[phase]]");
        return Err(fault.help("a phase says who reads or writes what"));
    }
    let reported = section.maybe("reported", |node| reported::read(node, &arms, &phases))?;
    let answers = answer::read(section.list("answer")?, &arms, &phases)?;
    let lab = lab::read(section.get("lab"))?;
    Ok(Scenario {
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
        notes: jobs.notes,
    })
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
    let message = format!("another {what} is called “{name}” already");
    Err(Fault::at(&place.unwrap_or(node).span, message).help("every name may be there once"))
}
