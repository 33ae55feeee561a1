//! Takes readings at their interval, so that scrapes do not: a scrape gets the last text.
//!
//! ```text
//!   collector ── counters every interval ──> text ──> Board <── scrapes
//!       └── machine, findings <── judge, once a minute: zpool, settings, a window
//! ```
//!
//! Tools that ask a pool may hang as the pool does. The judge alone waits for them; the counters go on, and the time of
//! the findings says how old they are.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use arcwright_advice::{Estimate, advise};
use arcwright_host::observe::{ObserveProgress, Options, Sampler, Tools, observe};
use arcwright_machine::{Machine, Reason, Sample};
use arcwright_metrics::{Collection, DatasetSeries, Families, PoolLogs, TextFormat};
use arcwright_units::Nanos;

use super::{nanos, now};
use crate::commands::doctor::policy::{Judged, Policy};
use crate::interrupt::Interrupt;

/// How often findings are judged at most.
const JUDGE_EVERY: Duration = Duration::from_secs(60);
/// How often a thread that waits looks whether the program ends.
const TICK: Duration = Duration::from_millis(50);

/// What is collected, and how often.
#[derive(Debug, Clone)]
pub(super) struct Collecting {
    pub(super) root: PathBuf,
    pub(super) interval: Duration,
    pub(super) window: Duration,
    pub(super) smart: bool,
    pub(super) datasets: DatasetSeries,
}

/// The last reading as text, in both forms without their ends.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) open_metrics: String,
    pub(super) plain: String,
    pub(super) read_at: Instant,
}

/// Where the last reading hangs; none before the first.
#[derive(Debug, Clone, Default)]
pub(super) struct Board(Arc<Mutex<Option<Arc<Page>>>>);

impl Board {
    pub(super) fn last(&self) -> Option<Arc<Page>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put(&self, page: Page) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(page));
    }
}

/// What was judged, and when.
struct Judgement {
    machine: Machine,
    judged: Judged,
    at: Option<Nanos>,
    took: Duration,
}

/// Starts to collect; the thread ends when the program is to end.
pub(super) fn begin(
    collecting: Collecting,
    policy: Policy,
    interrupt: &Interrupt,
    board: &Board,
) -> anyhow::Result<JoinHandle<()>> {
    let tools = Tools::default().until(interrupt.flag());
    let sampler = Sampler::new(&collecting.root, &tools).map_err(|reason| no_counters(&reason))?;
    let (tell, judgements) = mpsc::channel();
    let (of_judge, end) = (collecting.clone(), interrupt.clone());
    // Not waited for at the end: a command may hang.
    let _judge = spawned("judge", move || judge(&of_judge, &policy, &end, &tell))?;
    let (board, end) = (board.clone(), interrupt.clone());
    spawned("collector", move || collect(sampler, &collecting, &end, (&judgements, &board)))
}

fn spawned(name: &str, work: impl FnOnce() + Send + 'static) -> anyhow::Result<JoinHandle<()>> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    started.context("failed to start a thread")
}

fn no_counters(reason: &Reason) -> anyhow::Error {
    match reason {
        Reason::Denied => anyhow!("cannot read the counters in /proc/spl/kstat/zfs; run as root"),
        _ => anyhow!(
            "no ZFS on this machine: neither /proc/spl/kstat/zfs nor sysctl kstat.zfs can be read\n\
             hint: in a container the host's kstats must be visible, see --root"
        ),
    }
}

/// Takes readings and puts each as text on the board.
fn collect(
    mut sampler: Sampler,
    collecting: &Collecting,
    end: &Interrupt,
    (judgements, board): (&Receiver<Judgement>, &Board),
) {
    let mut logs = PoolLogs::default();
    let mut machine = Machine::default();
    let mut last: Option<Judgement> = None;
    let mut next = Instant::now();
    while !end.asked() {
        let begin = Instant::now();
        let sample = sampler.sample_with_pools();
        let (read_at, read_in) = (now(), nanos(begin.elapsed()));
        logs.take(&sample.kstats);
        if let Some(mut judgement) = judgements.try_iter().last() {
            machine = std::mem::take(&mut judgement.machine);
            last = Some(judgement);
        }
        refresh(&mut machine, sample);
        let mut families = Families::default();
        families.add_machine(&machine, collecting.datasets);
        logs.add(&mut families);
        let mut collection =
            Collection { read_at, read_in: Some(read_in), ..Collection::default() };
        if let Some(judgement) = &last {
            families.add_findings(&judgement.judged.advice, judgement.judged.is_verdict);
            collection.judged_at = judgement.at;
            collection.judged_in = Some(nanos(judgement.took));
        }
        families.add_collection(&collection, env!("CARGO_PKG_VERSION"));
        board.put(Page {
            open_metrics: families.body(TextFormat::OpenMetrics),
            plain: families.body(TextFormat::Plain),
            read_at: begin,
        });
        // A machine that slept is not made up for by a burst; findings do not wait for the next interval.
        next = (next + collecting.interval).max(Instant::now());
        wait(next, end);
    }
}

/// Gives the machine a newer reading of its counters; rates of vdevs are those of the last window.
fn refresh(machine: &mut Machine, mut sample: Sample) {
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

/// Looks at the machine and judges it, once a minute.
fn judge(collecting: &Collecting, policy: &Policy, end: &Interrupt, tell: &Sender<Judgement>) {
    let options = Options {
        root: collecting.root.clone(),
        tools: Tools::default().until(end.flag()),
        window: collecting.window,
        smart: collecting.smart,
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
        wait(begin + JUDGE_EVERY, end);
    }
}

fn wait(until: Instant, end: &Interrupt) {
    while Instant::now() < until && !end.asked() {
        thread::sleep(TICK.min(until.saturating_duration_since(Instant::now())));
    }
}

/// Ends a look early when the program ends.
struct UntilTheEnd<'a>(&'a Interrupt);

impl ObserveProgress for UntilTheEnd<'_> {
    fn step(&mut self, _what: &str) {}

    fn waited(&mut self, _done: Duration, _window: Duration) {}

    fn stop(&self) -> bool {
        self.0.asked()
    }
}
