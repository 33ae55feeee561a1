//! Takes readings at their interval, so that scrapes do not: a scrape gets the last text.
//!
//! ```text
//!   collector ── counters every interval ──> text ──> Board <── scrapes
//!       └── machine, findings <── judge, once a minute
//! ```

use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arcwright_host::observe::{Sampler, Tools};
use arcwright_machine::Machine;
use arcwright_metrics::{Collection, DatasetSeries, Families, PoolLogs, TextFormat};

use crate::commands::doctor::policy::Policy;
use crate::commands::server::{Judgement, Judging, judge, nanos, now, refresh, spawned, wait};
use crate::interrupt::Interrupt;
use crate::observing::no_counters;

/// What is collected, and how often.
#[derive(Debug, Clone)]
pub(super) struct Collecting {
    pub(super) judging: Judging,
    pub(super) interval: Duration,
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

/// Starts to collect; the thread ends when the program is to end.
pub(super) fn begin(
    collecting: Collecting,
    policy: Policy,
    interrupt: &Interrupt,
    board: &Board,
) -> anyhow::Result<JoinHandle<()>> {
    let tools = Tools::default().until(interrupt.flag());
    let sampler =
        Sampler::new(&collecting.judging.root, &tools).map_err(|reason| no_counters(&reason))?;
    let (tell, judgements) = mpsc::channel();
    let (of_judge, end) = (collecting.judging.clone(), interrupt.clone());
    // Not waited for at the end: a command may hang.
    let _judge = spawned("judge", move || judge(&of_judge, &policy, &end, &tell))?;
    let (board, end) = (board.clone(), interrupt.clone());
    spawned("collector", move || collect(sampler, &collecting, &end, (&judgements, &board)))
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
