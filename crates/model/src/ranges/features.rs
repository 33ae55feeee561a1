//! By what experiments are alike: what they run on, and what is done.

use arcwright_device::DeviceClass;
use arcwright_scenario::{Phase, Scenario, System, VdevLayout};
use arcwright_tunables::Version;
use arcwright_units::Bytes;
use arcwright_workload::{Action, Client, Pattern};

use super::extras::Extras;

/// Releases that begin a series, with rules of their own, oldest first.
const SERIES: [&str; 5] = ["2.0", "2.1", "2.2", "2.3", "2.4"];

/// What an arm and phase is, as far as it decides how well it is predicted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Features {
    /// Place of the version among the series that are checked.
    pub(super) series: f64,
    /// Disks, SSDs or NVMe; the slowest of the data vdevs.
    pub(super) device: &'static str,
    pub(super) layout: &'static str,
    pub(super) load: &'static str,
    pub(super) order: &'static str,
    /// Data disks.
    pub(super) disks: f64,
    /// Record size, smallest request and requests under way, as powers of two.
    pub(super) record: f64,
    pub(super) request: f64,
    pub(super) in_flight: f64,
    pub(super) has_cache: bool,
    pub(super) has_log: bool,
    pub(super) extras: Extras,
}

/// Returns the features of a phase on a system, or what of it no case could have.
pub(super) fn of(
    scenario: &Scenario,
    system: &System,
    phase: &Phase,
) -> Result<Features, Vec<String>> {
    let mut outside = Vec::new();
    let version = Version::parse(&system.zfs);
    let series = SERIES.into_iter().filter(|first| version >= Version::parse(first)).count();
    if series == 0 {
        outside.push(format!("ZFS {}, older than OpenZFS 2.0", system.zfs));
    }
    let device = device_of(system);
    if device == "instant" {
        outside.push("devices that take no time".to_owned());
    }
    if phase.clients.iter().any(|client| matches!(client.action, Action::Fio { .. })) {
        outside.push("jobs of fio that were not read".to_owned());
    }
    if phase.clients.iter().any(is_trace) && !is_of_traces(phase) {
        outside.push("recorded traces beside other clients".to_owned());
    }
    let request = phase.clients.iter().map(|client| client.io).min();
    let (Some(request), []) = (request, outside.as_slice()) else {
        return Err(outside);
    };
    let pool = &system.pool;
    let clients = &phase.clients;
    let in_flight: u64 = clients.iter().map(|client| u64::from(client.depth)).sum();
    Ok(Features {
        series: series as f64,
        device,
        layout: layout_of(system),
        load: load_of(scenario, phase, system),
        order: match clients.iter().all(|client| client.pattern == Pattern::Sequential) {
            true => "sequential",
            false => "scattered",
        },
        disks: pool.data.iter().map(|vdev| vdev.disks.len()).sum::<usize>() as f64,
        record: log2(record_of(scenario, system, phase).0),
        request: log2(request.0),
        in_flight: log2(in_flight),
        has_cache: !pool.cache.is_empty(),
        has_log: !pool.log.is_empty(),
        extras: Extras::of(scenario, system),
    })
}

/// Returns whether all that a phase does is recorded.
pub(super) fn is_of_traces(phase: &Phase) -> bool {
    !phase.clients.is_empty() && phase.clients.iter().all(is_trace)
}

fn is_trace(client: &Client) -> bool {
    matches!(client.action, Action::Trace { .. })
}

/// Returns the kind of the slowest data disk.
fn device_of(system: &System) -> &'static str {
    let disks = system.pool.data.iter().flat_map(|vdev| &vdev.disks);
    let classes = disks.filter_map(|disk| Some(disk.device()?.class()));
    let rank = |class: &DeviceClass| match class {
        DeviceClass::Hdd => 0,
        DeviceClass::SataSsd => 1,
        DeviceClass::Nvme => 2,
        DeviceClass::Instant => 3,
    };
    match classes.min_by_key(rank) {
        Some(DeviceClass::SataSsd) => "ssd",
        Some(DeviceClass::Nvme) => "nvme",
        Some(DeviceClass::Instant) => "instant",
        Some(DeviceClass::Hdd) | None => "hdd",
    }
}

fn layout_of(system: &System) -> &'static str {
    match system.pool.data.first().map(|vdev| vdev.layout) {
        Some(VdevLayout::Mirror) => "mirror",
        // dRAID is an extra of its own.
        Some(
            VdevLayout::Raidz1 | VdevLayout::Raidz2 | VdevLayout::Raidz3 | VdevLayout::Draid { .. },
        ) => "raidz",
        Some(VdevLayout::Single) | None => "disk",
    }
}

fn load_of(scenario: &Scenario, phase: &Phase, system: &System) -> &'static str {
    let clients = &phase.clients;
    if clients.iter().any(|client| client.action.is_on_tree()) {
        return "tree";
    }
    let waits = |client: &Client| scenario.waits_for_log(client, system);
    let writers = clients.iter().filter(|client| client.action.writes()).count();
    let is_mixed = |client: &Client| match &client.action {
        Action::Mixed { .. } => true,
        Action::Trace { replay, .. } => replay.reads(),
        _ => false,
    };
    match writers {
        0 => "read",
        _ if clients.iter().any(waits) => "sync",
        _ if writers < clients.len() || clients.iter().any(is_mixed) => "mixed",
        _ => "write",
    }
}

/// Returns the smallest record of what the clients work on.
fn record_of(scenario: &Scenario, system: &System, phase: &Phase) -> Bytes {
    let is_used = |name: &str| phase.clients.iter().any(|client| client.file == name);
    let files = scenario.files.iter().filter(|file| is_used(&file.name));
    let sizes = files.map(|file| system.pool.properties_of(file).recordsize);
    sizes.min().unwrap_or(system.pool.recordsize)
}

fn log2(number: u64) -> f64 {
    libm::log2(number.max(1) as f64)
}

impl Features {
    /// Returns how unlike two are; 0 is alike in all that is looked at.
    ///
    /// The weights are a judgement of what moves errors, not a fit: the kind of device and of load most, then
    /// the size of records and how much is under way at once; each of the rest more or less counts as another order does.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        /// From 4 KiB to 1 MiB there are eight powers of two, from one request to 64 six.
        const SIZES: f64 = 8.0;
        const FLIGHTS: f64 = 6.0;
        let differs = |is_other: bool, weight: f64| if is_other { weight } else { 0.0 };
        let apart = |one: f64, another: f64, range: f64, weight: f64| {
            (one - another).abs() / range * weight
        };
        differs(self.device != other.device, 2.0)
            + differs(self.load != other.load, 2.0)
            + differs(self.order != other.order, 1.0)
            + differs(self.layout != other.layout, 0.5)
            + differs(self.has_cache != other.has_cache, 0.5)
            + differs(self.has_log != other.has_log, 0.5)
            + self.extras.apart(other.extras) as f64
            + apart(self.record, other.record, SIZES, 1.5)
            + apart(self.request, other.request, SIZES, 1.0)
            + apart(self.in_flight, other.in_flight, FLIGHTS, 1.5)
            + apart(self.series, other.series, SERIES.len() as f64 - 1.0, 0.5)
    }

    /// Says in what it is further out than any of `others`: more than twice the most, less than half of the least.
    pub(super) fn outside<'a>(
        &self,
        others: impl Iterator<Item = &'a Self> + Clone,
    ) -> Vec<String> {
        let mut outside = Vec::new();
        let mut look = |what: &str, of: &dyn Fn(&Self) -> f64, unit: &dyn Fn(f64) -> String| {
            let min = others.clone().map(of).fold(f64::MAX, f64::min);
            let max = others.clone().map(of).fold(f64::MIN, f64::max);
            let own = of(self);
            if own > max + 1.0 || own < min - 1.0 {
                let (own, min, max) = (unit(own), unit(min), unit(max));
                outside.push(format!("{what} {own} (checked: {min} to {max})"));
            }
        };
        let whole = |power: f64| format!("{:.0}", power.exp2());
        let size = |power: f64| match power {
            power if power >= 20.0 => format!("{:.0} MiB", (power - 20.0).exp2()),
            power if power >= 10.0 => format!("{:.0} KiB", (power - 10.0).exp2()),
            power => format!("{:.0} B", power.exp2()),
        };
        look("number of data disks", &|of| libm::log2(of.disks), &whole);
        look("record size", &|of| of.record, &size);
        look("request size", &|of| of.request, &size);
        look("requests under way at once", &|of| of.in_flight, &whole);
        outside.extend(self.extras.outside(others.map(|other| other.extras)));
        outside
    }
}
