//! Watching this machine: one thread reads counters, another one judges what they say.
//!
//! ```text
//!   reader ── Moment every interval ──────────────> dashboard
//!      └───── a window now and then ──> judge ── Notices ──┘
//! ```
//!
//! The judge first looks at what does not change, pools and settings, which takes longer than a reading
//! and must not hold up the first picture.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};

use arcwright_advice::{Estimate, advise};
use arcwright_host::host_name;
use arcwright_host::observe::{self, Options, ProcessWatch, Sampler, Tools};
use arcwright_host::record::memory_table;
use arcwright_kstat::Snapshot;
use arcwright_machine::{Machine, Reason, Sample};
use arcwright_tui::{DashboardSample, Pace, Update};

use super::{MachineFacts, Watched, notices};
use crate::pool_disks::{self, Roles, kernel_name, roles_of};
use crate::problem::Problem;

/// Readings that the dashboard may be behind.
const BEHIND_MAX: usize = 16;
/// How often the rules are asked, and over which time.
const JUDGE_EVERY: Duration = Duration::from_secs(30);
/// The first time earlier, so that there is something to read.
const JUDGE_FIRST: Duration = Duration::from_secs(10);

pub(super) fn begin(interval: Duration) -> Result<Watched, Problem> {
    let root = Path::new("/");
    let sampler = Sampler::new(root, &Tools::default())
        .map_err(|reason| Problem::Failed(no_counters(&reason)))?;
    let (sender, feed) = mpsc::sync_channel(BEHIND_MAX);
    // It sleeps between readings and leaves nothing behind, so it ends with the program.
    let _reader = std::thread::spawn(move || read(sampler, interval, &sender));
    Ok(Watched { title: title(root), feed, pace: Pace::Live, source: None })
}

fn no_counters(reason: &Reason) -> anyhow::Error {
    match reason {
        Reason::Denied => anyhow::anyhow!(
            "cannot read the counters in /proc/spl/kstat/zfs; use sudo arcwright watch"
        ),
        _ => anyhow::anyhow!(
            "no ZFS on this machine: neither /proc/spl/kstat/zfs nor sysctl kstat.zfs can be read; \
             --demo shows a recorded run, --scenario FILE an experiment, --from CAPTURE another machine"
        ),
    }
}

fn title(root: &Path) -> String {
    let host = host_name(root).unwrap_or_else(|| "this machine".to_owned());
    match arcwright_host::module_version(root) {
        Some(version) => format!("{host}, OpenZFS {version}"),
        None => host,
    }
}

/// Reads until nobody takes the readings any more.
fn read(mut sampler: Sampler, interval: Duration, sender: &SyncSender<Update>) {
    let (ask, asked) = mpsc::channel();
    let (tell_facts, new_facts) = mpsc::channel();
    let notices = sender.clone();
    // It ends by itself when its channel does; it is not waited for, since a command may hang.
    let _judge = std::thread::spawn(move || judge(&asked, &tell_facts, &notices));
    let watch = ProcessWatch::begin(Path::new("/"));
    let mut facts = (Roles::new(), MachineFacts::default());
    let mut window: Option<(Instant, Snapshot)> = None;
    let mut every = JUDGE_FIRST;
    let mut next = Instant::now();
    loop {
        let sample = with_memory(sampler.sample_with_pools());
        let kstats = &sample.kstats;
        facts = new_facts.try_iter().last().unwrap_or(facts);
        match &window {
            Some((since, first)) if since.elapsed() >= every => {
                let _asked = ask.send((first.clone(), kstats.clone()));
                window = Some((Instant::now(), kstats.clone()));
                every = JUDGE_EVERY;
            }
            Some(_) => {}
            None => window = Some((Instant::now(), kstats.clone())),
        }
        let (roles, of_machine) = &facts;
        let devices = pool_disks::counts(Path::new("/"), roles);
        let processes = watch.as_ref().map(|watch| Arc::new(watch.moment()));
        let moment = DashboardSample { devices, processes, ..of_machine.reading(sample) };
        if sender.send(Update::Sample(Box::new(moment))).is_err() {
            return;
        }
        // A machine that slept or a reading that took long is not made up for by a burst.
        next = (next + interval).max(Instant::now());
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}

/// Adds what the kernel says of the memory, where it does.
fn with_memory(mut sample: Sample) -> Sample {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let table = memory_table(&text);
    sample.kstats.kstats.extend(table.map(|table| (table.path(), table)));
    sample
}

/// Finds out which disks belong to pools, then judges every window that comes.
fn judge(
    asked: &Receiver<(Snapshot, Snapshot)>,
    tell_facts: &Sender<(Roles, MachineFacts)>,
    sender: &SyncSender<Update>,
) {
    let options = Options { window: Duration::ZERO, smart: false, ..Options::default() };
    let Ok(sources) = observe::observe(&options, &mut Unwatched) else { return };
    let mut machine = Machine::read(&sources);
    let mut of_machine = MachineFacts::of(&machine, &kernel_name);
    // What the state was at the beginning says nothing later; the kstat does, where there is one.
    of_machine.pools.iter_mut().for_each(|pool| pool.state = None);
    let _told = tell_facts.send((roles_of(&machine), of_machine));
    loop {
        match asked.recv_timeout(JUDGE_EVERY) {
            Ok((first, last)) => {
                let sample = |kstats| Sample { kstats, ..Sample::default() };
                machine.samples = vec![sample(first), sample(last)];
                let advice = advise(&machine, Estimate::CountersOnly);
                if sender.send(Update::Notices(notices(&advice))).is_err() {
                    return;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Nobody follows how the machine is looked at.
struct Unwatched;

impl observe::ObserveProgress for Unwatched {
    fn step(&mut self, _what: &str) {}

    fn waited(&mut self, _done: Duration, _window: Duration) {}

    fn stop(&self) -> bool {
        false
    }
}
