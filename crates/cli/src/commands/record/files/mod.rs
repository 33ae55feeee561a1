//! Every access to files of ZFS for a while: whose they were, and a trace of them.
//!
//! The kernel is watched by `bpftrace` with a program of ours (`host::file_trace`); this starts it, takes what it says,
//! ends it, and says what was recorded and what was not.

mod labels;
mod recorder;
mod trace;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use arcwright_host::file_trace::{
    MountedDatasets, Traced, Tracer, Tracing, find_tracer, live_datasets, live_probes,
    live_volume_major, page_bytes,
};
use arcwright_report::{RecordedFiles, files_json, files_text};
use arcwright_scenario::{Event, Watch as _};
use arcwright_units::{Bytes, Nanos, visible_path};

use recorder::Recorder;
use trace::TraceFile;

use crate::arguments::{FileNames, RecordFilesArguments};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::new_file::refuse_what_is_there;
use crate::output;
use crate::problem::Problem;
use crate::progress::Progress;

/// How long the tracer may take to translate its program and attach its probes.
const START_MAX: Duration = Duration::from_secs(120);
/// How much longer the tracer runs than it is asked to, when nobody ends it.
const GRACE: Duration = Duration::from_secs(60);
/// How often it is looked whether it is time to end.
const LOOK_AFTER: Duration = Duration::from_millis(100);
/// How long it is looked for paths, and how long when somebody waits for the end.
const LOOK_FOR: Duration = Duration::from_secs(300);
const LOOK_FOR_AFTER_CTRL_C: Duration = Duration::from_secs(30);

pub(super) fn record(arguments: &RecordFilesArguments) -> Result<Exit, Problem> {
    if let Some(file) = &arguments.output {
        refuse_what_is_there(file)?;
    }
    let probes = live_probes().map_err(failed)?;
    let tracer = find_tracer().map_err(failed)?;
    let mounts = live_datasets().map_err(failed)?;
    let wanted = wanted(arguments, &mounts)?;
    let trace = arguments.output.as_deref().map(|path| TraceFile::begin(path, arguments.limit));
    let mut recorder = Recorder::new((arguments.names, mounts), wanted.clone(), trace.transpose()?);
    let volumes = live_volume_major().filter(|major| may_be_volumes(*major, wanted.as_ref()));
    let interrupt = Interrupt::listen()?;
    let traced = Traced {
        own: std::process::id(),
        devices: wanted,
        volumes,
        ends_after: arguments.length.saturating_add(START_MAX).saturating_add(GRACE),
        page: page_bytes(),
    };
    let tracer = Tracer::start(&tracer, &probes.program(&traced)).map_err(failed)?;
    let end = follow(tracer, &mut recorder, arguments, &interrupt)?;
    if let Some(remark) = end.remark(arguments) {
        output::remark(&remark);
    }
    if arguments.names == FileNames::Paths {
        look_for_paths(&mut recorder, &interrupt);
    }
    show(recorder, arguments, probes.not_covered(volumes.is_some()))?;
    Ok(if end == End::Tracer { Exit::Failed } else { Exit::Fine })
}

/// Returns the file systems that are wanted; none: all, also those that are mounted later.
fn wanted(
    arguments: &RecordFilesArguments,
    mounts: &MountedDatasets,
) -> Result<Option<BTreeSet<u32>>, Problem> {
    // Datasets of a pool are fewer than the pool, where both are named.
    let roots: Vec<&str> = match arguments.dataset.is_empty() {
        true => arguments.pool.iter().map(String::as_str).collect(),
        false => arguments.dataset.iter().map(String::as_str).collect(),
    };
    if roots.is_empty() {
        return Ok(None);
    }
    let is_in_pool = |root: &str| arguments.pool.as_ref().is_none_or(|pool| is_below(root, pool));
    let mut found = BTreeSet::new();
    for root in roots {
        let own = mounts.iter().filter(|(_, dataset)| is_below(&dataset.name, root));
        let own: Vec<u32> = own.map(|(device, _)| *device).collect();
        if own.is_empty() || !is_in_pool(root) {
            return Err(Problem::Usage(anyhow!(
                "no dataset of “{root}” is mounted, and /dev/zvol has no volume of it"
            )));
        }
        found.extend(own);
    }
    Ok(Some(found))
}

/// Whether there may be volumes among what is wanted.
fn may_be_volumes(major: u32, wanted: Option<&BTreeSet<u32>>) -> bool {
    wanted.is_none_or(|wanted| wanted.iter().any(|device| device >> 20 == major))
}

/// Whether a dataset, or a snapshot of it, is `root` or below it.
fn is_below(name: &str, root: &str) -> bool {
    let name = name.split('@').next().unwrap_or(name);
    name.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// How a recording came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// In time.
    Time,
    /// By Ctrl-C.
    Asked,
    /// The trace is as large as it may be.
    Full,
    /// The tracer ended by itself.
    Tracer,
}

impl End {
    fn remark(self, arguments: &RecordFilesArguments) -> Option<String> {
        match self {
            Self::Time => None,
            Self::Asked => {
                Some("note: ended early, as asked; what was recorded is kept".to_owned())
            }
            Self::Full => Some(format!(
                "note: ended early: the trace has {}, which --limit allows",
                arguments.limit
            )),
            Self::Tracer => {
                Some("note: bpftrace ended early; what it said until then is kept".to_owned())
            }
        }
    }
}

/// Takes what the tracer says until it is time to end, and ends it.
fn follow(
    mut tracer: Tracer,
    recorder: &mut Recorder,
    arguments: &RecordFilesArguments,
    interrupt: &Interrupt,
) -> Result<End, Problem> {
    start(&mut tracer, recorder, interrupt)?;
    let mut progress = Progress::new(interrupt.clone());
    progress.event(Event::Stage("recording".to_owned()));
    let begin = Instant::now();
    let end = loop {
        let tracing = tracer.take(LOOK_AFTER, &mut |line| recorder.take(line));
        recorder.write_due()?;
        let gone = begin.elapsed();
        match () {
            () if interrupt.asked() => break End::Asked,
            () if recorder.is_full() => break End::Full,
            () if gone >= arguments.length => break End::Time,
            () if tracing == Tracing::Ended => break End::Tracer,
            () => {}
        }
        let (done, total) = (millis(gone), millis(arguments.length));
        progress.event(Event::Progress { done, total, left: left(arguments.length, gone) });
    };
    if end == End::Tracer && !tracer.complaint().is_empty() {
        output::remark(&format!("bpftrace: {}", tracer.complaint()));
    }
    tracer.end(&mut |line| recorder.take(line));
    recorder.write_rest()?;
    Ok(end)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn left(length: Duration, gone: Duration) -> Option<Nanos> {
    u64::try_from(length.saturating_sub(gone).as_nanos()).ok().map(Nanos)
}

/// Waits until the tracer has all its probes.
fn start(
    tracer: &mut Tracer,
    recorder: &mut Recorder,
    interrupt: &Interrupt,
) -> Result<(), Problem> {
    let begin = Instant::now();
    while !recorder.has_begun() {
        let tracing = tracer.take(LOOK_AFTER, &mut |line| recorder.take(line));
        let why = match () {
            () if interrupt.asked() => "stopped before it began".to_owned(),
            () if tracing == Tracing::Ended => match tracer.complaint() {
                "" => "it ended without a word".to_owned(),
                complaint => complaint.to_owned(),
            },
            () if begin.elapsed() > START_MAX => {
                format!("it watches nothing yet after {} s", START_MAX.as_secs())
            }
            () => continue,
        };
        return Err(Problem::Failed(anyhow!("bpftrace does not record: {why}")));
    }
    Ok(())
}

fn look_for_paths(recorder: &mut Recorder, interrupt: &Interrupt) {
    let had_ended = interrupt.asked();
    let time = if had_ended { LOOK_FOR_AFTER_CTRL_C } else { LOOK_FOR };
    output::remark("note: looking for the paths of files");
    let begin = Instant::now();
    let is_over = || begin.elapsed() > time || (interrupt.asked() && !had_ended);
    let without = recorder.find_paths(&is_over);
    if without > 0 {
        output::remark(&format!(
            "note: {without} files have no path: removed since, or not found in time; they keep their numbers"
        ));
    }
}

/// Writes the trace and prints the sums.
fn show(
    recorder: Recorder,
    arguments: &RecordFilesArguments,
    not_covered: Vec<String>,
) -> Result<(), Problem> {
    let (seconds, mut table) = recorder.sums();
    table.not_covered = not_covered;
    let trace: Option<Bytes> = recorder.complete(arguments)?;
    let recorded = RecordedFiles { seconds, trace, table };
    if arguments.json {
        let json = files_json(&recorded).map_err(failed)?;
        return Ok(output::print_json(&json)?);
    }
    output::print_page(&files_text(&recorded, arguments.top, &output::text_options()))?;
    if let Some(path) = &arguments.output {
        let shown = visible_path(path);
        output::print(&format!("\nWrote {shown}. Next:\n  arcwright trace curve {shown}\n"))?;
    }
    Ok(())
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Problem {
    Problem::Failed(anyhow::Error::from(error))
}

#[cfg(test)]
mod tests {
    use arcwright_host::file_trace::{MountedDataset, MountedDatasets};
    use clap::Parser;

    use super::{may_be_volumes, wanted};
    use crate::arguments::RecordFilesArguments;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        files: RecordFilesArguments,
    }

    fn check(arguments: &[&str], expected: Option<Option<&[u32]>>) {
        let names = ["tank", "tank/a", "tank/a/b", "tank/a@x", "tank/ab", "other"];
        let mounts = (1..)
            .zip(names)
            .map(|(device, name)| (device, MountedDataset { name: name.to_owned(), place: None }));
        let line = Line::parse_from([&["files"], arguments].concat());
        let found = wanted(&line.files, &MountedDatasets::from_iter(mounts)).ok();
        let found = found.map(|found| found.map(|devices| devices.into_iter().collect::<Vec<_>>()));
        assert_eq!(found, expected.map(|some| some.map(<[u32]>::to_vec)), "{arguments:?}");
    }

    #[test]
    fn requests_to_volumes_are_watched_where_one_may_be_wanted() {
        let check = |wanted: Option<&[u32]>, expected: bool| {
            let wanted = wanted.map(|wanted| wanted.iter().copied().collect());
            assert_eq!(may_be_volumes(230, wanted.as_ref()), expected, "{wanted:?}");
        };
        check(None, true);
        check(Some(&[45]), false);
        check(Some(&[45, 230 << 20 | 16]), true);
    }

    #[test]
    fn a_dataset_is_wanted_with_those_below_it_and_its_snapshots() {
        check(&[], Some(None));
        check(&["--pool", "tank"], Some(Some(&[1, 2, 3, 4, 5])));
        check(&["--dataset", "tank/a"], Some(Some(&[2, 3, 4])));
        check(&["--dataset", "tank/ab", "--dataset", "other"], Some(Some(&[5, 6])));
        check(&["--pool", "tank", "--dataset", "tank/ab"], Some(Some(&[5])));
        check(&["--pool", "tank", "--dataset", "other"], None);
        check(&["--pool", "none"], None);
    }
}
