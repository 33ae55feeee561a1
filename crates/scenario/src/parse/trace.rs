//! Clients that play a recorded trace, with the files that hold what it touches.

use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::{Columns, TraceFormat};
use arcwright_workload::{Action, Client, Durability, Pattern, Replay};

use super::client::{depth_of, link};
use super::files::Contents;
use super::section::Section;
use super::tree::{Kind, Node};
use super::{Beside, dataset, pool};
use crate::error::{Checked, Fault};
use crate::experiment::FileSpec;
use crate::system::PoolSpec;

const KEYS: [&str; 14] = [
    "trace",
    "format",
    "columns",
    "dataset",
    "recordsizes",
    "since",
    "until",
    "pace",
    "depth",
    "sync",
    "start",
    "think",
    "rate",
    "link",
];
/// Names of datasets that a trace may say record sizes for.
const RECORDSIZES_MAX: usize = 1000;
/// Requests under way, where nothing is said: as many as a recorded load may have had.
const DEPTH: u32 = 32;
const PACES: [(&str, bool); 2] = [("recorded", true), ("full", false)];

/// A trace that a scenario names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedTrace<'a> {
    /// Its path as the scenario gives it.
    pub path: &'a str,
    /// Its format; told by its first bytes when absent.
    pub format: Option<TraceFormat>,
    /// Its columns, where it does not name them itself.
    pub columns: Option<Columns>,
    /// The record size of the files that it is played on.
    pub recordsize: Bytes,
    /// Datasets whose files have another, by the beginning of what the trace calls them.
    pub recordsizes: Vec<(String, Bytes)>,
}

impl WantedTrace<'_> {
    /// Returns the record size that is said for a file of the trace: that of the dataset in which it is by its name (`tank/a` has
    /// `tank/a`, `tank/a/128` and `tank/a:/film`), the longest where several are.
    #[must_use]
    pub fn recordsize_of(&self, name: &str) -> Option<Bytes> {
        let is_in = |dataset: &str| {
            let rest = name.strip_prefix(dataset)?;
            (rest.is_empty() || rest.starts_with(['/', ':'])).then_some(dataset.len())
        };
        let of =
            self.recordsizes.iter().filter_map(|(dataset, size)| Some((is_in(dataset)?, *size)));
        of.max_by_key(|(length, _)| *length).map(|(_, size)| size)
    }
}

/// Reads traces, each once, and keeps what is to be said about them.
pub(crate) struct Traces<'a> {
    beside: &'a dyn Beside,
    read: Vec<Known>,
    pub(crate) notes: Vec<String>,
}

/// A trace that was read, with its files.
#[derive(Clone)]
struct Known {
    /// What it was asked for as.
    key: String,
    replay: Replay,
    files: Vec<String>,
}

impl<'a> Traces<'a> {
    pub(crate) const fn new(beside: &'a dyn Beside) -> Self {
        Self { beside, read: Vec::new(), notes: Vec::new() }
    }

    /// Reads a client, and adds the files of its trace to `contents` when no client before had it.
    pub(crate) fn client(
        &mut self,
        node: &Node,
        contents: &mut Contents,
        pool: &PoolSpec,
    ) -> Checked<Client> {
        if let Kind::Table(entries) = &node.kind
            && let Some(other) = entries.iter().find(|other| !KEYS.contains(&other.name.as_str()))
            && super::client::KEYS.contains(&other.name.as_str())
        {
            let message = format!("“{}” is not for a trace, which says it itself", other.name);
            return Err(Fault::at(&other.key_span, message));
        }
        let section = node.section("a client that plays a trace", &KEYS)?;
        let place = section.need("trace", "trace = \"nas.csv\"")?;
        let path = place.name_text()?;
        let Known { replay, files, .. } = self.known((node, &section), path, (contents, pool))?;
        let replay = part(&replay, section.get("since"), section.get("until"))?;
        if replay.requests().is_empty() {
            let at = section.get("since").or_else(|| section.get("until")).unwrap_or(place);
            return Err(at.fault(format!("{path} has no request in this time")));
        }
        let pace = section.maybe("pace", |node| node.choice(&PACES))?;
        let replay = match pace {
            Some(true) if !replay.is_timed() => {
                let fault = section.get("pace").unwrap_or(place);
                return Err(fault.fault(format!("{path} has no times to keep to")));
            }
            Some(false) => replay.unpaced(),
            _ => replay,
        };
        let sync = section.maybe("sync", Node::flag)?.unwrap_or(false);
        let mut names = files.into_iter();
        Ok(Client {
            durability: durability(&replay, sync),
            depth: section.maybe("depth", depth_of)?.unwrap_or(DEPTH),
            file: names.next().unwrap_or_default(),
            more_files: names.collect(),
            label: None,
            io: mean(&replay),
            io_max: replay.request_max(),
            pattern: Pattern::Random,
            amount: Some(replay.bytes()),
            start: section.maybe("start", Node::time)?.unwrap_or(Nanos::ZERO),
            think: section.maybe("think", Node::time)?.unwrap_or(Nanos::ZERO),
            rate: section.maybe("rate", Node::rate)?,
            link: section.maybe("link", link)?,
            action: Action::Trace { path: path.to_owned(), writes: replay.writes(), replay },
        })
    }

    /// Returns a trace as it is played, and the names of its files.
    fn known(
        &mut self,
        (node, section): (&Node, &Section<'_>),
        path: &str,
        (contents, pool): (&mut Contents, &PoolSpec),
    ) -> Checked<Known> {
        let text = |key: &str| section.maybe(key, |node| node.text().map(ToOwned::to_owned));
        let dataset = section.maybe("dataset", |node| dataset::named(node, &pool.datasets))?;
        let dataset = dataset.map(|dataset| dataset.name.clone());
        let recordsizes = section.maybe("recordsizes", recordsizes)?.unwrap_or_default();
        let key = format!(
            "{path}\n{:?}\n{:?}\n{dataset:?}\n{recordsizes:?}",
            text("format")?,
            text("columns")?
        );
        if let Some(known) = self.read.iter().find(|known| known.key == key) {
            return Ok(known.clone());
        }
        let format = section.maybe("format", |node| {
            TraceFormat::parse(node.text()?).map_err(|why| node.fault(why))
        })?;
        let columns = section
            .maybe("columns", |node| Columns::parse(node.text()?).map_err(|why| node.fault(why)))?;
        let probe = FileSpec {
            name: path.to_owned(),
            size: Bytes::ZERO,
            recordsize: None,
            dataset: dataset.clone(),
            compressratio_percent: None,
        };
        let recordsize = pool.properties_of(&probe).recordsize;
        let wanted = WantedTrace { path, format, columns, recordsize, recordsizes };
        let replay = self.beside.replay(&wanted).map_err(|why| {
            let why = why.strip_prefix(&format!("{path}: ")).unwrap_or(&why);
            let place = section.get("trace").unwrap_or(node);
            let fault = place.fault(format!("cannot play the trace “{path}”: {why}"));
            fault.help("its path is relative to the folder of the scenario")
        })?;
        let named = dataset.as_ref().map(|dataset| format!("@{dataset}")).unwrap_or_default();
        let mut files = Vec::new();
        for (number, file) in replay.files().iter().enumerate() {
            let name = format!("{path}{named}#{}", number + 1);
            if contents.names().any(|other| other == name) {
                return Err(node.fault(format!("another file is already called “{name}”")));
            }
            files.push(name.clone());
            let (size, recordsize) = (file.size, file.recordsize);
            contents.add_file(FileSpec { name, size, recordsize, ..probe.clone() }, node)?;
        }
        self.notes.push(said(path, &replay));
        if replay.named() == 0 && section.get("recordsizes").is_some() {
            self.notes.push(format!(
                "{path}: none of its files is called by a dataset of “recordsizes”; all of them have records of {recordsize}"
            ));
        }
        if replay.sharing() > 0 {
            self.notes.push(format!(
                "{path}: {} of its files share one here, so that what is read ahead at their ends counts although nothing lies there",
                replay.sharing()
            ));
        }
        let known = Known { key, replay, files };
        self.read.push(known.clone());
        Ok(known)
    }
}

/// Reads record sizes by the names of datasets.
fn recordsizes(node: &Node) -> Checked<Vec<(String, Bytes)>> {
    let Kind::Table(entries) = &node.kind else {
        return Err(node.wrong("a table, written { \"tank/db\" = \"16KiB\" }"));
    };
    if entries.len() > RECORDSIZES_MAX {
        return Err(node.fault(format!("at most {RECORDSIZES_MAX} datasets can be named here")));
    }
    entries.iter().map(|entry| Ok((entry.name.clone(), pool::recordsize(entry)?))).collect()
}

/// Says what a trace is played on.
fn said(path: &str, replay: &Replay) -> String {
    let touched: Bytes = replay.files().iter().map(|file| file.size).sum();
    let times = match replay.is_timed() {
        true => format!("in {}", replay.duration()),
        false => "without times, so each as soon as there is room for it".to_owned(),
    };
    let named = match replay.named() {
        0 => String::new(),
        1 => "; 1 of them has the record size of its dataset".to_owned(),
        named => format!("; {named} of them have the record size of their dataset"),
    };
    format!(
        "{path}: {} requests {times}, played on {touched} of files that hold what it touches and nothing else{named}",
        replay.requests().len()
    )
}

/// Returns the time of the trace that is played.
fn part(replay: &Replay, since: Option<&Node>, until: Option<&Node>) -> Checked<Replay> {
    let is_share = |node: &&Node| node.text().is_ok_and(|text| text.trim_end().ends_with('%'));
    let shares = [since, until].map(|node| node.filter(is_share).is_some());
    if shares.contains(&true) {
        let share = |node: Option<&Node>, usual: f64| node.map_or(Ok(usual), Node::share);
        let (from, to) = (share(since, 0.0)?, share(until, 1.0)?);
        return Ok(replay.share(from, to));
    }
    let time = |node: Option<&Node>| node.map(Node::time).transpose();
    let (from, to) = (time(since)?, time(until)?);
    if let Some(node) = since.or(until).filter(|_| !replay.is_timed()) {
        let fault = node.fault("the trace has no times, and no part of them either");
        return Err(fault.help("name a share of its requests: since = \"50%\""));
    }
    Ok(replay.between(from.unwrap_or_default(), to))
}

/// Returns the mean size of a request.
fn mean(replay: &Replay) -> Bytes {
    let count = replay.requests().len().max(1) as u64;
    Bytes((replay.bytes().0 / count).max(1))
}

/// Returns how its writes wait for stable storage, in the mean: that of each is the trace's to say.
fn durability(replay: &Replay, sync: bool) -> Durability {
    let requests = replay.requests();
    let writes = requests.iter().filter(|request| request.write).count();
    let flushes = requests.iter().filter(|request| request.flush).count();
    match (sync, writes.checked_div(flushes)) {
        (true, _) => Durability::EachWrite,
        (false, Some(every)) => Durability::Every(u32::try_from(every.max(1)).unwrap_or(u32::MAX)),
        (false, None) => Durability::Later,
    }
}
