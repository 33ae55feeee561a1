//! A crash in the middle of writes, and what is left after it.
//!
//! The power goes at a moment drawn from the seed: the worker kills itself, without any export, and
//! every disk keeps what was stable on it and nothing more. A drive without power-loss protection
//! loses all that it held in its buffer since its last flush, the hard case, since a missing flush
//! shows only then. A second worker imports the same disks, replays the intent log and reads back
//! what had been written, which says itself which write it is.
//!
//! ```text
//!   build ──> write, write, … killed ──> import, replay ──> read back ──> report
//!                 │ acknowledged, and when                      │
//!                 └───────────────── compared ──────────────────┘
//! ```
//!
//! The law: a write that was acknowledged as stable is found, or a later one at its place. With
//! sync=disabled nothing is promised, and what was written in the last transaction groups is lost.

use std::path::Path;

use arcwright_scenario::{EngineError, Scenario};
use arcwright_units::Nanos;
use arcwright_workload::{Action, Client, Stream};

use super::prepared::Prepared;
use super::program::WorkerProgram;
use super::workers;
use super::{Lab, failed, image, support};
use crate::LabError;
use crate::protocol::places::Places;
use crate::protocol::{CrashTask, Evidence, Job, Message, RecoverTask, ScaledSetting, Task};

/// What was left of an arm after its crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrashReport {
    /// The arm.
    pub arm: String,
    /// The library's version.
    pub openzfs: String,
    /// When the power went, from the first write on.
    pub after: Nanos,
    /// Writes that were acknowledged.
    pub acknowledged: u64,
    /// Of these, the ones that were found, or a later one at the same place.
    pub kept: u64,
    /// How long before the crash the first write was acknowledged that is lost; none when all are kept.
    pub lost_since: Option<Nanos>,
    /// Places that hold parts of several writes.
    pub torn: u64,
}

impl CrashReport {
    /// Returns how many acknowledged writes are gone.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.acknowledged - self.kept
    }
}

/// The earliest and the latest crash after the first write: several transaction groups in.
const EARLIEST: Nanos = Nanos::secs(11);
const LATEST: Nanos = Nanos::secs(19);

impl Lab {
    /// Lets the first writing client of `scenario` write until the power goes, for every arm, and
    /// reports what is left.
    ///
    /// # Errors
    /// [`EngineError`] when the scenario cannot be run, or has no such client.
    pub fn crash(&self, scenario: &Scenario) -> Result<Vec<CrashReport>, EngineError> {
        support::check(scenario)?;
        let clients = scenario.phases.iter().flat_map(|phase| &phase.clients);
        let client = clients.into_iter().find(|client| client.action == Action::Write);
        let client = client.ok_or_else(|| EngineError::Unsupported {
            engine: "lab",
            what: "no client writes, so a crash would lose nothing".to_owned(),
            hint: Some("write a client with sync-write = …".to_owned()),
        })?;
        let folder = self.scratch_folder()?;
        let prepared = self.prepare(scenario, folder.path())?;
        let arms = 0..prepared.scaled.arms.len();
        arms.filter_map(|arm| crash_arm(&prepared, client, arm).transpose())
            .collect::<Result<_, _>>()
            .map_err(|error| failed(&error))
    }
}

fn crash_arm(
    prepared: &Prepared<'_>,
    client: &Client,
    index: usize,
) -> Result<Option<CrashReport>, LabError> {
    let Some(arm) = prepared.scaled.arms.get(index) else { return Ok(None) };
    let system = prepared.scaled.system_of(arm);
    let folder = prepared.scratch.join(format!("crash-{index}"));
    let Some(_image) = image::build(prepared, &system, &folder, &mut |_, _| {}, &|| false)? else {
        return Ok(None);
    };
    let span = (LATEST - EARLIEST).0;
    let after = EARLIEST + Nanos(Stream::new(prepared.full_scale.seed, "crash").below(span));
    let library = prepared.libraries.of(&system);
    let mut tunables = support::arc_limits(&system, library, 1);
    let limits = ["zfs_arc_min", "zfs_arc_max"];
    let others = system.tunables.iter().filter(|it| !limits.contains(&it.name.as_str()));
    tunables.extend(others.map(ScaledSetting::unscaled));
    let task = CrashTask { client: client.clone(), tunables, after };
    let job = |task| Job { image: folder.clone(), ..prepared.job(&system, task) };
    let evidence = crash(prepared.program, &job(Task::Crash(task.clone())))?;
    let found = recover(prepared.program, &job(Task::Recover(RecoverTask { crash: task })))?;
    let report = CrashReport {
        arm: arm.name.clone(),
        openzfs: library.version.clone(),
        after,
        acknowledged: 0,
        kept: 0,
        lost_since: None,
        torn: found.iter().filter(|found| **found == u64::MAX).count() as u64,
    };
    tidy(&folder);
    Ok(Some(compare(report, &evidence, &found, prepared.full_scale.seed)))
}

/// Lets a worker crash and returns what it said before.
fn crash(program: &WorkerProgram, job: &Job) -> Result<Evidence, LabError> {
    let mut evidence = None;
    let end = workers::run(program, job, &|| false, &mut |message| {
        if let Message::Crashed(last_words) = message {
            evidence = Some(*last_words);
        }
    });
    // The worker dies, so that its end is always an error.
    match (evidence, end) {
        (Some(evidence), _) => Ok(evidence),
        (None, Err(error)) => Err(error),
        (None, Ok(_)) => Err(LabError::Worker { what: "did not crash".to_owned() }),
    }
}

/// Imports the pool of a crash; returns per place which write was found: 0 for none, the largest
/// number for a torn one.
fn recover(program: &WorkerProgram, job: &Job) -> Result<Vec<u64>, LabError> {
    let mut found = Vec::new();
    workers::run(program, job, &|| false, &mut |message| {
        if let Message::Recovered(places) = message {
            found = places;
        }
    })?;
    Ok(found)
}

fn compare(mut report: CrashReport, evidence: &Evidence, found: &[u64], seed: u64) -> CrashReport {
    let slots = evidence.acknowledged.len() as u64;
    for (slot, times) in (0..).zip(&evidence.acknowledged) {
        let places = Places::new(seed, slot, slots, found.len() as u64);
        for ((sequence, at), place) in (1..).zip(times).zip(places) {
            let there = usize::try_from(place).ok().and_then(|place| found.get(place));
            report.acknowledged += 1;
            if there.is_some_and(|there| *there >= sequence && *there != u64::MAX) {
                report.kept += 1;
            } else {
                let ago = evidence.at.max(*at) - *at;
                report.lost_since = report.lost_since.max(Some(ago));
            }
        }
    }
    report
}

fn tidy(folder: &Path) {
    // The scratch folder goes anyway; this keeps many arms from filling it.
    let _gone = std::fs::remove_dir_all(folder);
}
