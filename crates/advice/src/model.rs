//! What the model predicts a remedy would bring: a small experiment put together from the machine.
//!
//! ```text
//!   machine ──> Scenario: its version, memory, limits of the ARC, vdevs, kinds of disks
//!                 two arms, as it is and with the remedy; a workload named in the words
//!             ──> model, scaled so that it answers in part of a second ──> how many times as fast
//! ```
//!
//! The workload is not the owner's: it is the case that the remedy is for. The words say so, and what
//! was assumed of disks that are not known. What cannot be put together honestly is refused with the
//! reason. Same machine, same answer: nothing here is drawn but from a fixed seed.

use arcwright_machine::{Class, DriveKind, Machine, Pool, Vdev};
use arcwright_model::Model;
use arcwright_scenario::{
    Arm, CacheContent, Compression, Disk, Encryption, FileSpec, Kernel, LabSettings, Logbias,
    Measure, Outcome, Phase, PhaseRun, PoolSpec, RangesOfPlace, Scenario, Setting, SyncMode,
    System, VdevLayout, VdevSpec,
};
use arcwright_twin::layout_of;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Action, Client, Durability};

use crate::changes::setting;
use crate::drives::{kind_of, leaves_of};
use crate::estimate::Estimate;
use crate::finding::Gain;
use crate::gains;
use crate::own_load;
use crate::runs;
use crate::view::View;

/// The ARC of the scaled experiment: a few times the least that OpenZFS takes, which the model runs in
/// part of a second.
const ARC_SCALED: u64 = 96 << 20;
/// The least ARC that a re-read is modelled for: a file larger than a smaller one is read within a few
/// seconds, and the feed thread that passes once a second decides by chance what it sees of it.
const ARC_OF_REREAD: Bytes = Bytes::gib(1);
/// A file of so many halves of the ARC does not stay in it, and fits the usual cache device.
const HALVES_OF_ARC: u64 = 3;
/// The SSD that a log device is tried on.
const LOG_SSD: &str = "nvme-plp";
/// The seed of all draws.
const SEED: u64 = 1;
/// Name of the arm with the remedy.
const CHANGED: &str = "changed";
/// A change below this is within what the model is off by (fidelity/BOARD.md).
const NOISE: f64 = 0.05;

/// Asks what clients gain when `settings` let the L2ARC serve large files that are read again.
pub(crate) fn reread(view: &View<'_>, settings: &[Setting]) -> Gain {
    gains::gain(view, own_load::settings(settings), || case_of_reread(view, settings))
}

/// Asks what prefetch gains for readers of large files.
pub(crate) fn stream(view: &View<'_>) -> Gain {
    let on = setting("zfs_prefetch_disable", 0);
    gains::gain(view, own_load::settings(&[on]), || case_of_stream(view))
}

/// Asks what readers of large files gain when `settings` change how far is read ahead.
pub(crate) fn streamed(view: &View<'_>, settings: &[Setting]) -> Gain {
    gains::gain(view, own_load::settings(settings), || case_of_streamed(view, settings))
}

/// Asks how much sooner synchronous writes are answered with a log device.
pub(crate) fn slog(view: &View<'_>, pool: &Pool, rate: f64) -> Gain {
    let case = || case_of_slog(view, pool, rate);
    match own_load::log_on(LOG_SSD) {
        Ok(log) => gains::gain(view, log, case),
        Err(why) => Gain::NotEstimated(why),
    }
}

/// The third read of a large file, with the L2ARC as it is and with `settings`.
pub(crate) fn case_of_reread(view: &View<'_>, settings: &[Setting]) -> Result<Gain, String> {
    let pool = pool_with(view, Class::Cache)?;
    let mut plan = Plan::of(view, pool)?;
    if plan.arc < ARC_OF_REREAD {
        return Err(format!(
            "with an ARC of {} the result depends on exactly when the L2ARC feed runs",
            plan.arc
        ));
    }
    let size = Bytes(plan.arc.0 / 2 * HALVES_OF_ARC);
    plan.scenario.files = vec![file(size)];
    plan.scenario.arms.push(arm(settings));
    let reader = || Client::reader("file", Bytes::kib(128));
    plan.scenario.phases = ["first", "second", "third"].map(|name| phase(name, reader())).to_vec();
    let outcome = plan.run(view)?;
    let speed = |arm: usize, phase: usize| {
        run_of(&outcome, arm, phase).map(|run| run.throughput_bytes_per_sec.as_mib_per_sec())
    };
    let (Some(before), Some(after)) = (speed(0, 2), speed(1, 2)) else {
        return Err("the model gave no result".to_owned());
    };
    let what = format!("a file of {size}, larger than the ARC, read for the third time");
    Ok(plan.gain(&outcome, &Found { before, after, phase: "third", what: &what, unit: "MiB/s" }))
}

/// One reader of a large file, without prefetch and with it.
fn case_of_stream(view: &View<'_>) -> Result<Gain, String> {
    let mut plan = Plan::of_a_large_file(view)?;
    plan.scenario.system.tunables.push(setting("zfs_prefetch_disable", 1));
    plan.one_reader(view, &[setting("zfs_prefetch_disable", 0)])
}

/// One reader of a large file, as it is and with `settings`.
fn case_of_streamed(view: &View<'_>, settings: &[Setting]) -> Result<Gain, String> {
    Plan::of_a_large_file(view)?.one_reader(view, settings)
}

/// One synchronous writer, without a log device and with one.
fn case_of_slog(view: &View<'_>, pool: &Pool, rate: f64) -> Result<Gain, String> {
    let mut plan = Plan::of(view, pool)?;
    let disk = Disk::of(LOG_SSD, Some(Bytes::gib(16)));
    let log = VdevSpec { layout: VdevLayout::Single, disks: vec![disk] };
    plan.scenario.arms.push(Arm {
        name: CHANGED.to_owned(),
        log: Some(vec![log]),
        ..Arm::default()
    });
    plan.scenario.files = vec![file(Bytes(plan.arc.0 / 8))];
    let mut writer = Client::reader("file", Bytes::kib(16));
    writer.action = Action::Write;
    writer.durability = Durability::EachWrite;
    // Some seconds of writes at most, a few thousand of them.
    writer.amount = Some(Bytes::mib(32));
    plan.scenario.phases = vec![phase("write", writer)];
    // A scaled run would have fewer writes, each as long: full scale is as quick here.
    plan.scale = 1;
    let outcome = plan.run(view)?;
    // Of one writer at a time, as its range is: of all its writes, and not of the one in the middle.
    let per_s = |arm: usize| Measure::Operations.of(run_of(&outcome, arm, 0)?);
    let (Some(before), Some(after)) = (per_s(0), per_s(1)) else {
        return Err("the model gave no result".to_owned());
    };
    let what = format!(
        "one synchronous writer of 16 KiB at a time ({rate:.0} commits per second were counted)"
    );
    let unit = "writes per second";
    Ok(plan.gain(&outcome, &Found { before, after, phase: "write", what: &what, unit }))
}

/// An experiment under construction.
struct Plan {
    scenario: Scenario,
    scale: u64,
    arc: Bytes,
    /// What had to be assumed.
    assumed: Vec<String>,
}

impl Plan {
    fn of(view: &View<'_>, pool: &Pool) -> Result<Self, String> {
        if view.estimate == Estimate::CountersOnly {
            return Err("the model was not run".to_owned());
        }
        let machine = view.machine;
        let version =
            machine.zfs.ok_or("the version of ZFS is not known, so it cannot be modelled")?;
        let memory =
            machine.memory.ok_or("the memory was not read, so it cannot be modelled")?.total;
        let arc = view.arc_now("c_max").map(Bytes).map_err(|why| why.to_string())?;
        if arc.0 < ARC_SCALED || arc.0 >= memory.0 {
            return Err(format!(
                "an ARC of {arc} is outside the range in which the model is validated"
            ));
        }
        let mut assumed = Vec::new();
        let mut disks = |vdevs: &[&Vdev]| -> Result<Vec<VdevSpec>, String> {
            vdevs.iter().map(|vdev| vdev_of(machine, vdev, &mut assumed)).collect()
        };
        let data: Vec<&Vdev> = pool.of_class(Class::Data).collect();
        if data.is_empty() {
            return Err("the pool's layout was not read, so it cannot be modelled".to_owned());
        }
        let data = disks(&data)?;
        let log = disks(&pool.of_class(Class::Log).collect::<Vec<_>>())?;
        let cache = leaves_of(pool, Class::Cache);
        let cache = cache.iter().map(|leaf| cache_of(machine, leaf, arc)).collect();
        let tunables = tunables(view, arc);
        let system = System {
            zfs: version.to_string(),
            os: if view.is_freebsd() { Kernel::Freebsd } else { Kernel::Linux },
            memory,
            cpu: "nas-quad".to_owned(),
            cpu_figures: None,
            pool: pool_of(data, cache, log),
            tunables,
        };
        Ok(Self { scenario: blank(system), scale: (arc.0 / ARC_SCALED).max(1), arc, assumed })
    }

    /// Returns an experiment with a file that is read once, on the first pool.
    fn of_a_large_file(view: &View<'_>) -> Result<Self, String> {
        let pool = view.machine.pools.first();
        let pool = pool.ok_or("the pools were not read, so there is nothing to model")?;
        let mut plan = Self::of(view, pool)?;
        plan.scenario.files = vec![file(Bytes(plan.arc.0 / 4))];
        Ok(plan)
    }

    /// Lets one client read the file, as the machine is and with `settings`.
    fn one_reader(mut self, view: &View<'_>, settings: &[Setting]) -> Result<Gain, String> {
        self.scenario.arms.push(arm(settings));
        self.scenario.phases = vec![phase("read", Client::reader("file", Bytes::kib(128)))];
        let outcome = self.run(view)?;
        let speed = |arm: usize| {
            run_of(&outcome, arm, 0).map(|run| run.throughput_bytes_per_sec.as_mib_per_sec())
        };
        let (Some(before), Some(after)) = (speed(0), speed(1)) else {
            return Err("the model gave no result".to_owned());
        };
        let what = "one reader of a large file";
        Ok(self.gain(&outcome, &Found { before, after, phase: "read", what, unit: "MiB/s" }))
    }

    fn run(&self, view: &View<'_>) -> Result<Outcome, String> {
        let model = Model { scale: Some(self.scale), ..Model::default() };
        let version = view.machine.zfs.map_or_else(String::new, |version| version.to_string());
        runs::run(model, self.scenario.clone(), |error| {
            format!("the model cannot run this machine ({version}): {error}")
        })
    }

    fn gain(&self, outcome: &Outcome, found: &Found<'_>) -> Gain {
        let Found { before, after, phase, what, unit } = *found;
        let factor = if before > 0.0 { after / before } else { 1.0 };
        let assumed = match self.assumed.is_empty() {
            true => String::new(),
            false => format!(" Assumed: {}.", self.assumed.join(", ")),
        };
        let verdict = match factor {
            factor if (factor - 1.0).abs() <= NOISE => "no change".to_owned(),
            factor if factor > 1.0 => format!("{factor:.1} times as fast"),
            factor => format!("{:.0} % slower", (1.0 - factor) * 100.0),
        };
        let ranges = outcome.ranges.as_ref().and_then(|ranges| ranges.of(CHANGED, phase));
        let range = range_in_words(ranges, factor);
        let words = format!(
            "{verdict}{range}, by the model, for {what}: {after:.0} instead of {before:.0} {unit}. Your \
             load differs; rely on the direction, not on the size.{assumed}"
        );
        Gain::Modelled { factor, words }
    }
}

/// What an experiment found: a figure before and after, of a phase.
#[derive(Debug, Clone, Copy)]
struct Found<'a> {
    before: f64,
    after: f64,
    phase: &'a str,
    what: &'a str,
    unit: &'a str,
}

/// Returns how far off a gain may be, behind its figure.
fn range_in_words(ranges: Option<&RangesOfPlace>, factor: f64) -> String {
    let Some(ranges) = ranges else { return String::new() };
    match (ranges.times_first_arm, ranges.outside.as_slice()) {
        (Some(span), _) => {
            let is_open = span.holds(1.0) && (factor - 1.0).abs() > NOISE;
            let open = if is_open { ", so it may be no change" } else { "" };
            format!(" (range {} to {}{open})", times(span.low), times(span.high))
        }
        (None, []) => String::new(),
        (None, outside) => format!(" (outside of what was checked: {})", outside.join("; ")),
    }
}

/// Prints how many times with as many digits as a range is worth.
fn times(times: f64) -> String {
    let decimals = if times < 9.95 { 2 } else { 0 };
    format!("{times:.decimals$}")
}

fn blank(system: System) -> Scenario {
    Scenario {
        title: "what a remedy would gain".to_owned(),
        question: String::new(),
        seed: SEED,
        system,
        arms: vec![Arm { name: "as it is".to_owned(), ..Arm::default() }],
        files: Vec::new(),
        trees: Vec::new(),
        phases: Vec::new(),
        reported: None,
        answers: Vec::new(),
        lab: LabSettings::default(),
        notes: Vec::new(),
    }
}

fn pool_of(data: Vec<VdevSpec>, cache: Vec<Disk>, log: Vec<VdevSpec>) -> PoolSpec {
    PoolSpec {
        data,
        cache,
        log,
        special: Vec::new(),
        recordsize: Bytes::kib(128),
        compression: Compression::Off,
        encryption: Encryption::Off,
        primarycache: CacheContent::All,
        secondarycache: CacheContent::All,
        sync: SyncMode::Standard,
        logbias: Logbias::Latency,
        special_small_blocks: Bytes::ZERO,
        ashift: 12,
        datasets: Vec::new(),
    }
}

/// Returns the parameters that the model knows, as the machine has them.
fn tunables(view: &View<'_>, arc: Bytes) -> Vec<Setting> {
    const KNOWN: [&str; 6] = [
        "l2arc_noprefetch",
        "l2arc_write_max",
        "l2arc_write_boost",
        "l2arc_headroom",
        "zfetch_max_distance",
        "zfs_prefetch_disable",
    ];
    let read = KNOWN.iter().filter_map(|name| Some(setting(name, view.machine.parameter(name)?)));
    let usable = read.filter(|setting| setting.value > 0 || !setting.name.contains("write"));
    std::iter::once(setting("zfs_arc_max", arc.0)).chain(usable).collect()
}

fn arm(settings: &[Setting]) -> Arm {
    Arm { name: CHANGED.to_owned(), tunables: settings.to_vec(), ..Arm::default() }
}

fn file(size: Bytes) -> FileSpec {
    FileSpec {
        name: "file".to_owned(),
        size: Bytes::mib(size.0 >> 20),
        recordsize: None,
        dataset: None,
        compressratio_percent: None,
    }
}

fn phase(name: &str, client: Client) -> Phase {
    /// No phase says more after this much virtual time.
    const LIMIT: Nanos = Nanos::secs(600);
    Phase {
        name: name.to_owned(),
        clients: vec![client],
        pause: Nanos::ZERO,
        limit: Some(LIMIT),
        until_warm: None,
    }
}

fn run_of(outcome: &Outcome, arm: usize, phase: usize) -> Option<&PhaseRun> {
    outcome.arms.get(arm)?.phases.get(phase)
}

fn pool_with<'a>(view: &View<'a>, class: Class) -> Result<&'a Pool, String> {
    let found = view.machine.pools.iter().find(|pool| !leaves_of(pool, class).is_empty());
    found.ok_or_else(|| "the pool's layout was not read, so it cannot be modelled".to_owned())
}

fn vdev_of(machine: &Machine, vdev: &Vdev, assumed: &mut Vec<String>) -> Result<VdevSpec, String> {
    let leaves = vdev.leaves();
    let layout =
        layout_of(vdev.layout, leaves.len()).map_err(|what| format!("{what} is not modelled"))?;
    let disks = leaves.iter().map(|leaf| {
        let profile = match kind_of(machine, &leaf.name) {
            Some(DriveKind::Ssd) => "ssd-sata-consumer",
            Some(DriveKind::Nvme) => "nvme-consumer",
            Some(DriveKind::Hdd) => "hdd-nas-7200",
            Some(DriveKind::Virtual) | None => {
                let what = "7200 rpm disks, since their kind was not read".to_owned();
                if !assumed.contains(&what) {
                    assumed.push(what);
                }
                "hdd-nas-7200"
            }
        };
        Disk::of(profile, None)
    });
    Ok(VdevSpec { layout, disks: disks.collect() })
}

fn cache_of(machine: &Machine, leaf: &Vdev, arc: Bytes) -> Disk {
    let profile = match kind_of(machine, &leaf.name) {
        Some(DriveKind::Ssd) => "ssd-sata-consumer",
        _ => "nvme-consumer",
    };
    // Room for the file of the experiment; a smaller device would only hold less of it.
    Disk::of(profile, Some(arc.saturating_mul(4)))
}
