//! `arcwright who`: which datasets, processes and files read, write and wait.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, anyhow};
use arcwright_host::host_name;
use arcwright_host::observe::{ProcessWatch, open_files, read_objects};
use arcwright_machine::{DatasetTable, Machine, ObjectTable, ProcessTable, Reason, Sample};
use arcwright_report::{Usage, who_json, who_text};
use arcwright_units::{Nanos, visible_path};

use super::scenario::machine_of;
use crate::arguments::WhoArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

pub(crate) fn who(arguments: &WhoArguments) -> Result<Exit, Problem> {
    let from = arguments.machine.from.as_deref().filter(|from| *from != Path::new("live"));
    if arguments.files && from.is_some() {
        return Err(Problem::Usage(anyhow!(
            "--files is for this machine; captures do not list blocks"
        )));
    }
    let watch = if from.is_none() { ProcessWatch::begin(Path::new("/")) } else { None };
    let begun = Instant::now();
    let before = watch.as_ref().map(ProcessWatch::moment);
    let machine = machine_of(&arguments.machine)?;
    let processes = watch.zip(before).map(|(watch, before)| {
        let now = watch.moment_after_a_look();
        let span = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        ProcessTable::between(&before, &now, Nanos(span))
    });
    let mut unknown = Vec::new();
    let datasets = datasets(&machine, arguments.machine.pool.as_deref(), &mut unknown)?;
    if processes.is_none() {
        unknown.push(match from {
            Some(_) => "Processes: a capture does not have them.".to_owned(),
            None => "Processes: this system has no /proc as Linux has it.".to_owned(),
        });
    }
    let objects = match arguments.files {
        true => objects(arguments, &machine, &mut unknown),
        false => {
            if from.is_none() {
                unknown.push("Files: not asked for (--files, as root).".to_owned());
            }
            None
        }
    };
    let usage = Usage { machine: name(from), datasets, processes, objects, unknown };
    if arguments.json {
        output::print_json(&who_json(&usage).context("failed to write JSON")?)?;
    } else {
        output::print_page(&who_text(&usage, arguments.top, &output::text_options()))?;
    }
    Ok(Exit::Fine)
}

fn name(from: Option<&Path>) -> String {
    match from {
        Some(path) => visible_path(path),
        None => host_name(Path::new("/")).unwrap_or_else(|| "this machine".to_owned()),
    }
}

/// Returns what datasets did between the first reading and the last.
fn datasets(
    machine: &Machine,
    pool: Option<&str>,
    unknown: &mut Vec<String>,
) -> Result<Option<DatasetTable>, Problem> {
    let none = Sample::default();
    let (from, to) = match machine.samples.as_slice() {
        [] => return Err(Problem::Failed(anyhow!("it has no counters of ZFS"))),
        [only] => {
            unknown.push(
                "Rates: there is one reading alone; two tell what happened in between.".to_owned(),
            );
            (&none, only)
        }
        [first, .., last] => (first, last),
    };
    let mut table = DatasetTable::between(from, to, Some(machine));
    if machine.samples.len() < 2 {
        table.seconds = 0.0;
    }
    if let Some(pool) = pool {
        table.rows.retain(|row| row.name.split('/').next() == Some(pool));
    }
    if !table.is_counted {
        unknown.push("Datasets: not counted here; OpenZFS 0.8 and later count them.".to_owned());
    }
    Ok(table.is_counted.then_some(table))
}

/// Returns files by their blocks in use, the first of them with their paths.
fn objects(
    arguments: &WhoArguments,
    machine: &Machine,
    unknown: &mut Vec<String>,
) -> Option<ObjectTable> {
    let names = machine.samples.last().map(dataset_names).unwrap_or_default();
    let name = |pool: &str, objset: u64| names.get(&(pool.to_owned(), objset)).cloned();
    let totals = match read_objects(Path::new("/")) {
        Ok(totals) => totals,
        Err(reason) => {
            unknown.push(format!("Files: {}.", why(&reason)));
            return None;
        }
    };
    let mut table = totals.table(arguments.machine.pool.as_deref(), &name);
    let mounts = machine.mounts.iter();
    let places: BTreeMap<&str, &str> =
        mounts.map(|mount| (mount.dataset.as_str(), mount.path.as_str())).collect();
    let mut open: BTreeMap<String, BTreeMap<u64, PathBuf>> = BTreeMap::new();
    for row in table.rows.iter_mut().take(arguments.top) {
        let Some(dataset) = row.dataset.clone() else { continue };
        let Some(place) = places.get(dataset.as_str()) else { continue };
        let files = open.entry(dataset).or_insert_with(|| open_files(Path::new(place)));
        row.path = files.get(&row.object).map(|path| format!("/{}", visible_path(path)));
    }
    Some(table)
}

/// Returns datasets by their pools and numbers, as their counters are named.
pub(super) fn dataset_names(sample: &Sample) -> BTreeMap<(String, u64), String> {
    let named = sample.kstats.datasets().filter_map(|kstat| {
        let number = kstat.name.strip_prefix("objset-0x")?;
        let number = u64::from_str_radix(number, 16).ok()?;
        let name = kstat.dataset()?;
        Some(((name.split('/').next()?.to_owned(), number), name.to_owned()))
    });
    named.collect()
}

fn why(reason: &Reason) -> String {
    match reason {
        Reason::Denied => "only root may read the list of blocks".to_owned(),
        Reason::Absent => "not there on this machine".to_owned(),
        Reason::Garbled(why) | Reason::Failed(why) => why.clone(),
    }
}
