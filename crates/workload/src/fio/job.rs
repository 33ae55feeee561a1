//! One section as what it does.

use arcwright_units::{Nanos, Rate};

use super::error::{Checked, FioError};
use super::load::{self, Amounts, Kind, Requests};
use super::options::{Standing, standing};
use super::text::{Entry, Section};
use crate::Durability;

/// The most clones, files or requests under way of one job.
const COUNT_MAX: u32 = 1024;

/// A job: what each of its clones does.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// What it is called.
    pub name: String,
    /// Whether it reads or writes, and in which order.
    pub kind: Kind,
    /// Bytes per request.
    pub requests: Requests,
    /// How large its files are, and how much it moves.
    pub amounts: Amounts,
    /// The names of its files when the job gives them; made of the job's name otherwise.
    pub filenames: Option<Vec<String>>,
    /// How many of it run side by side.
    pub clones: u32,
    /// How many requests each keeps under way.
    pub depth: u32,
    /// When it waits for what it wrote.
    pub durability: Durability,
    /// How long after the start of the run it begins.
    pub start: Nanos,
    /// How long it runs at most, from its own start.
    pub limit: Option<Nanos>,
    /// How long it pauses after each request.
    pub think: Nanos,
    /// The most each clone moves per second.
    pub rate: Option<Rate>,
}

/// The options of a job that are translated, the last of each.
#[derive(Debug)]
pub(super) struct Options<'a> {
    section: &'a Section,
}

/// Reads the job of a section.
pub(super) fn read(section: &Section, is_first: bool, notes: &mut Vec<String>) -> Checked<Job> {
    let options = Options { section };
    let name = options.get("name").map_or(Ok(section.name.as_str()), Entry::text)?.to_owned();
    let mut said = Vec::new();
    options.check(is_first, &mut said)?;
    let kind = load::kind(&options)?;
    let requests = load::requests(&options, &kind)?;
    let filenames = filenames(&options)?;
    let amounts = load::amounts(&options, &kind, requests.io, filenames.as_deref())?;
    let rate = load::rate(&options, &kind, requests)?;
    let job = Job {
        durability: durability(&options, &kind, &mut said)?,
        kind,
        requests,
        amounts,
        filenames,
        clones: options.count("numjobs", COUNT_MAX)?,
        depth: depth(&options, &mut said)?,
        start: options.time("startdelay", Nanos::SECOND)?.unwrap_or(Nanos::ZERO),
        limit: options.limit()?,
        think: options.time("thinktime", Nanos::micros(1))?.unwrap_or(Nanos::ZERO),
        rate,
        name,
    };
    if let Some(think) = options.get("thinktime")
        && job.think > Nanos::ZERO
        && job.depth > 1
    {
        let message = "“thinktime” with several requests under way lets fio wait for all of them";
        return Err(think.fault(message).hint("write iodepth=1, or leave thinktime out"));
    }
    job.remark(&options, &mut said)?;
    for sentence in said {
        let note = format!("fio job “{}”: {sentence}", job.name);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    Ok(job)
}

impl Job {
    /// Says what is different here although nothing was asked for in vain.
    fn remark(&self, options: &Options<'_>, said: &mut Vec<String>) -> Checked<()> {
        let is_direct = options.flag("direct")? || options.off("buffered")?;
        if is_direct {
            let rest = "ZFS up to 2.2 ignores it, and the Direct I/O of 2.3 is not modelled";
            said.push(format!("direct=1 has no effect: {rest}"));
        }
        if self.kind.is_write() && !options.flag("overwrite")? {
            let rest = "as in a second run of the job; fio would create them in the first";
            said.push(format!("its files exist before it writes them, {rest}"));
        }
        Ok(())
    }
}

impl<'a> Options<'a> {
    /// Returns the option called `name`; the last one counts.
    pub(super) fn get(&self, name: &str) -> Option<&'a Entry> {
        self.section.entries.iter().rev().find(|entry| entry.name == name)
    }

    /// Returns the last of two options that take each other's place.
    pub(super) fn last_of(&self, names: [&str; 2]) -> Option<&'a Entry> {
        self.section.entries.iter().rev().find(|entry| names.contains(&entry.name))
    }

    /// Returns a problem with the job as a whole.
    pub(super) fn fault(&self, message: &str) -> FioError {
        FioError::at(&self.section.span, format!("job “{}” {message}", self.section.name))
    }

    /// Returns whether a switch is on.
    pub(super) fn flag(&self, name: &str) -> Checked<bool> {
        self.get(name).map_or(Ok(false), Entry::flag)
    }

    /// Returns whether a switch is there and off.
    fn off(&self, name: &str) -> Checked<bool> {
        self.get(name).map_or(Ok(false), |entry| entry.flag().map(|on| !on))
    }

    /// Returns a number from 1 to `most`; 1 when it is not there.
    pub(super) fn count(&self, name: &str, most: u32) -> Checked<u32> {
        self.get(name).map_or(Ok(1), |entry| entry.count(most))
    }

    /// Returns the number of files.
    pub(super) fn files(&self) -> Checked<u32> {
        self.count("nrfiles", COUNT_MAX)
    }

    /// Returns what `k` stands for.
    pub(super) fn base(&self) -> Checked<u64> {
        let Some(entry) = self.get("kb_base") else { return Ok(1024) };
        match entry.text()? {
            "1024" => Ok(1024),
            "1000" => Ok(1000),
            _ => Err(entry.must("be 1024 or 1000")),
        }
    }

    fn time(&self, name: &str, unit: Nanos) -> Checked<Option<Nanos>> {
        self.get(name).map(|entry| entry.time(unit)).transpose()
    }

    /// Returns how long the job runs at most.
    pub(super) fn limit(&self) -> Checked<Option<Nanos>> {
        let limit = self.time("runtime", Nanos::SECOND)?.filter(|limit| *limit > Nanos::ZERO);
        match (self.get("time_based"), limit) {
            (Some(entry), None) if entry.flag()? => Err(entry
                .fault("“time_based” without a runtime")
                .hint("write for example runtime=60")),
            _ => Ok(limit),
        }
    }

    /// Refuses what cannot be done and says what has no effect.
    fn check(&self, is_first: bool, said: &mut Vec<String>) -> Checked<()> {
        for entry in &self.section.entries {
            let name = entry.name;
            // An option that a later one takes the place of says nothing.
            if self.get(name) != Some(entry) {
                continue;
            }
            match standing(name) {
                Standing::Translated | Standing::Silent => {}
                Standing::Noted(why) => said.push(format!("“{name}” has no effect: {why}")),
                Standing::Plain(values, why) => plain(entry, values, why)?,
                Standing::Refused(why) => {
                    let message = format!("“{name}” is not supported");
                    return Err(FioError::at(&entry.key_span, message).hint(why));
                }
            }
        }
        match self.get("stonewall").or_else(|| self.get("wait_for")) {
            Some(entry) if !is_first && (entry.name == "wait_for" || entry.flag()?) => {
                let message = format!("“{}”: jobs of one phase run side by side", entry.name);
                let error = FioError::at(&entry.key_span, message);
                Err(error.hint("write a phase per job, with section = \"…\" beside fio = \"…\""))
            }
            _ => Ok(()),
        }
    }
}

fn plain(entry: &Entry, values: &[&str], why: &str) -> Checked<()> {
    let value = entry.value.as_deref().unwrap_or("1");
    if values.contains(&value) {
        return Ok(());
    }
    let message = format!("“{}={value}” is not supported", entry.name);
    Err(entry.fault(message).hint(format!(
        "{why}; leave it out, or write {}={}",
        entry.name,
        values.first().copied().unwrap_or_default()
    )))
}

fn filenames(options: &Options<'_>) -> Checked<Option<Vec<String>>> {
    let Some(entry) = options.get("filename") else { return Ok(None) };
    let text = entry.text()?;
    if text.starts_with("/dev/") || text.contains(":/dev/") {
        let error = entry.fault(format!("“filename={text}” is a device"));
        return Err(error.hint("clients use files of the pool; write a name and a size"));
    }
    let names: Vec<String> = text.split(':').map(str::to_owned).collect();
    if names.iter().any(String::is_empty) || names.len() > COUNT_MAX as usize {
        return Err(entry.must(&format!("be 1 to {COUNT_MAX} names with “:” between them")));
    }
    Ok(Some(names))
}

/// Returns how many requests are under way, which the way of asking decides with `iodepth`.
fn depth(options: &Options<'_>, said: &mut Vec<String>) -> Checked<u32> {
    const ONE_BY_ONE: [&str; 5] = ["sync", "psync", "vsync", "pvsync", "pvsync2"];
    const MANY: [&str; 5] = ["posixaio", "libaio", "io_uring", "windowsaio", "solarisaio"];
    let depth = options.count("iodepth", COUNT_MAX)?;
    let engine = options.get("ioengine");
    let name = engine.map_or(Ok("psync"), Entry::text)?;
    if ONE_BY_ONE.contains(&name) {
        if depth > 1 {
            said.push(format!("iodepth={depth} has no effect: {name} waits for every request"));
        }
        return Ok(1);
    }
    if MANY.contains(&name) {
        if name == "libaio" && depth > 1 {
            let rest = "Linux may process them one by one if I/O is buffered";
            said.push(format!("iodepth={depth} requests are under way with libaio; {rest}"));
        }
        return Ok(depth);
    }
    let error = engine.map_or_else(
        || options.fault("has no engine"),
        |entry| entry.fault(format!("“ioengine={name}” is unknown")),
    );
    let known = ONE_BY_ONE.into_iter().chain(MANY);
    let error = error.nearest(name, known);
    let is_alike = error.hint.is_some();
    Err(if is_alike {
        error
    } else {
        error.hint(format!(
            "known are: {}, {}",
            ONE_BY_ONE.join(", "),
            "posixaio, libaio, io_uring"
        ))
    })
}

fn durability(options: &Options<'_>, kind: &Kind, said: &mut Vec<String>) -> Checked<Durability> {
    if let Some(entry) = options.get("sync") {
        match entry.value.as_deref() {
            Some("0" | "none") => {}
            None | Some("1" | "sync" | "dsync") => return Ok(Durability::EachWrite),
            Some(_) => return Err(entry.must("be none, sync or dsync")),
        }
    }
    if let Some(entry) = options.last_of(["fsync", "fdatasync"])
        && entry.text()? != "0"
    {
        return Ok(Durability::Every(entry.count(u32::MAX)?));
    }
    let at_end = options.flag("end_fsync")? || options.flag("fsync_on_close")?;
    if at_end && kind.is_write() {
        return Ok(Durability::AtEnd);
    }
    if at_end && kind.writes() {
        said.push(
            "the sync at the end is left out, since the last request may be a read".to_owned(),
        );
    }
    Ok(Durability::Later)
}
