//! Watching this machine: one thread reads counters, another one judges what they say.
//!
//! ```text
//!   reader ── Moment every interval ──────────────> dashboard
//!      └───── a window now and then ──> judge ── Notices ──┘
//! ```
//!
//! The judge first looks at what does not change, pools and settings, which takes longer than a reading
//! and must not hold up the first picture.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};

use arcwright_advice::{Estimate, advise};
use arcwright_host::observe::{self, Options, Sampler, Tools};
use arcwright_kstat::Snapshot;
use arcwright_machine::{DiskCounts, Machine, Reason, Sample};
use arcwright_tui::{DashboardSample, DeviceCount, Pace, Update};

use super::{Watched, notices, read_bytes, roles};
use crate::problem::Problem;

/// Readings that the dashboard may be behind.
const BEHIND_MAX: usize = 16;
/// How often the rules are asked, and over which time.
const JUDGE_EVERY: Duration = Duration::from_secs(30);
/// The first time earlier, so that there is something to read.
const JUDGE_FIRST: Duration = Duration::from_secs(10);

/// The kernel's name of a disk, and what pools use it for.
type Roles = BTreeMap<String, String>;

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
             --scenario FILE watches an experiment, --from CAPTURE another machine"
        ),
    }
}

fn title(root: &Path) -> String {
    let line = |path: &str| {
        let text = std::fs::read_to_string(root.join(path)).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let host = line("proc/sys/kernel/hostname").unwrap_or_else(|| "this machine".to_owned());
    match arcwright_host::module_version(root) {
        Some(version) => format!("{host}, OpenZFS {version}"),
        None => host,
    }
}

/// Reads until nobody takes the readings any more.
fn read(mut sampler: Sampler, interval: Duration, sender: &SyncSender<Update>) {
    let (ask, asked) = mpsc::channel();
    let (tell_roles, new_roles) = mpsc::channel();
    let notices = sender.clone();
    // It ends by itself when its channel does; it is not waited for, since a command may hang.
    let _judge = std::thread::spawn(move || judge(&asked, &tell_roles, &notices));
    let mut roles = Roles::new();
    let mut window: Option<(Instant, Snapshot)> = None;
    let mut every = JUDGE_FIRST;
    let mut next = Instant::now();
    loop {
        let kstats = sampler.sample();
        roles = new_roles.try_iter().last().unwrap_or(roles);
        match &window {
            Some((since, first)) if since.elapsed() >= every => {
                let _asked = ask.send((first.clone(), kstats.clone()));
                window = Some((Instant::now(), kstats.clone()));
                every = JUDGE_EVERY;
            }
            Some(_) => {}
            None => window = Some((Instant::now(), kstats.clone())),
        }
        let moment = DashboardSample {
            read_bytes: read_bytes(&kstats),
            devices: devices(&roles),
            kstats,
            ..DashboardSample::default()
        };
        if sender.send(Update::Sample(Box::new(moment))).is_err() {
            return;
        }
        // A machine that slept or a reading that took long is not made up for by a burst.
        next = (next + interval).max(Instant::now());
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}

fn devices(roles: &Roles) -> Vec<DeviceCount> {
    if roles.is_empty() {
        return Vec::new();
    }
    let text = std::fs::read_to_string("/proc/diskstats").unwrap_or_default();
    let counts = DiskCounts::parse_all(&text).into_iter();
    let of_pools = counts.filter_map(|disk| Some((roles.get(&disk.name)?.clone(), disk)));
    let mut found: Vec<DeviceCount> = of_pools.map(|(role, disk)| device(role, disk)).collect();
    found.sort_by(|one, other| (&other.role, &one.name).cmp(&(&one.role, &other.name)));
    found
}

fn device(role: String, disk: DiskCounts) -> DeviceCount {
    const NS_PER_MS: u64 = 1_000_000;
    DeviceCount {
        name: disk.name,
        detail: String::new(),
        role,
        reads: disk.reads,
        writes: disk.writes,
        read_bytes: disk.read_bytes,
        write_bytes: disk.write_bytes,
        request_ns: Some(disk.request_ms.saturating_mul(NS_PER_MS)),
        busy_ns: Some(disk.busy_ms.saturating_mul(NS_PER_MS)),
    }
}

/// Finds out which disks belong to pools, then judges every window that comes.
fn judge(
    asked: &Receiver<(Snapshot, Snapshot)>,
    tell_roles: &Sender<Roles>,
    sender: &SyncSender<Update>,
) {
    let options = Options { window: Duration::ZERO, smart: false, ..Options::default() };
    let Ok(sources) = observe::observe(&options, &mut Unwatched) else { return };
    let mut machine = Machine::read(&sources);
    let mut found = Roles::new();
    for (leaf, role) in roles(&machine) {
        if let Some(name) = kernel_name(&leaf) {
            found.insert(name, role);
        }
    }
    let _told = tell_roles.send(found);
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

/// Returns the kernel's name of a disk that a pool names by a path, a link or a name in `/dev`.
fn kernel_name(leaf: &str) -> Option<String> {
    let folders = ["", "/dev/", "/dev/disk/by-id/", "/dev/disk/by-path/", "/dev/mapper/"];
    let found =
        folders.iter().find_map(|folder| std::fs::canonicalize(format!("{folder}{leaf}")).ok());
    Some(found?.file_name()?.to_string_lossy().into_owned())
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
