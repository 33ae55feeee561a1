//! Judges the machine beside whoever reads its counters.
//!
//! ```text
//!   collector ── counters every interval
//!       └── machine, findings <── judge, now and then: zpool, settings, a window
//! ```
//!
//! Tools that ask a pool may hang as the pool does. The judge alone waits for them; the counters go on, and the time of
//! the findings says how old they are.

use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use arcwright_advice::{Estimate, advise};
use arcwright_host::observe::{Options, Tools, observe};
use arcwright_machine::{Machine, Sample};
use arcwright_units::Nanos;

use super::now;
use crate::commands::doctor::policy::{Judged, Policy};
use crate::interrupt::Interrupt;
use crate::observing::UntilTheEnd;

/// How often a thread that waits looks whether the program ends.
const TICK: Duration = Duration::from_millis(50);

/// What is looked at, and how often.
#[derive(Debug, Clone)]
pub(crate) struct Judging {
    pub(crate) root: PathBuf,
    pub(crate) window: Duration,
    pub(crate) smart: bool,
    /// How often at most.
    pub(crate) every: Duration,
}

/// What was judged, and when.
pub(crate) struct Judgement {
    pub(crate) machine: Machine,
    pub(crate) judged: Judged,
    pub(crate) at: Option<Nanos>,
    pub(crate) took: Duration,
}

/// Looks at the machine and judges it, now and then.
pub(crate) fn judge(judging: &Judging, policy: &Policy, end: &Interrupt, tell: &Sender<Judgement>) {
    let options = Options {
        root: judging.root.clone(),
        tools: Tools::default().until(end.flag()),
        window: judging.window,
        smart: judging.smart,
        ..Options::default()
    };
    while !end.asked() {
        let begin = Instant::now();
        if let Ok(sources) = observe(&options, &mut UntilTheEnd(end)) {
            let machine = Machine::read(&sources);
            drop(sources);
            let judged = policy.applied(advise(&machine, Estimate::CountersOnly));
            let judgement = Judgement { machine, judged, at: now(), took: begin.elapsed() };
            if end.asked() || tell.send(judgement).is_err() {
                return;
            }
        }
        wait(begin + judging.every, end);
    }
}

/// Gives the machine a newer reading of its counters; rates of vdevs are those of the last window.
pub(crate) fn refresh(machine: &mut Machine, mut sample: Sample) {
    if let Some(before) = machine.samples.pop() {
        sample.vdevs = before.vdevs;
        sample.vdevs_since_import = before.vdevs_since_import;
    }
    // Pools that were imported since, and that nothing but their counters tells of yet.
    for name in sample.pool_states.keys() {
        if !machine.pools.iter().any(|pool| pool.name == *name) {
            let pool = arcwright_machine::Pool { name: name.clone(), ..Default::default() };
            machine.pools.push(pool);
        }
    }
    machine.samples = vec![sample];
}

pub(crate) fn wait(until: Instant, end: &Interrupt) {
    while Instant::now() < until && !end.asked() {
        thread::sleep(TICK.min(until.saturating_duration_since(Instant::now())));
    }
}

pub(crate) fn spawned(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> anyhow::Result<JoinHandle<()>> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    started.context("failed to start a thread")
}
