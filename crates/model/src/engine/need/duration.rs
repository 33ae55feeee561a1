//! Virtual time of an experiment, before it runs: what clients move, at what disks and links let through.
//!
//! For each phase: what has to come from disks takes their time, shared by all clients; what a client is made to wait
//! for (its rate, its thoughts, its link) it waits for alone. A record comes from disks when it is read for the first time;
//! later as often as the part of the file that does not fit into the ARC. Cache devices are left out. Rough: within a
//! factor of three for files, and of more for trees.
//!
//! A small case: 20 GiB in a row from a disk of 200 MiB/s take 102 s; 1 GiB at random in 16 KiB, of 40 GiB in records of
//! 128 KiB with an ARC of 8 GiB, is 65,536 requests, of which 0.9 miss at 12 ms each: 708 s.

use std::collections::BTreeMap;

use arcwright_device::DeviceClass;
use arcwright_scenario::{ArcLimits, LinkSpec, Phase, Scenario, System, VdevLayout, VdevSpec};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Action, Client, Durability, Pattern};

use super::memory::visits;
use super::time::moved;

/// What the processor moves in a second for one client, and a request that finds all in memory.
const CPU_BYTES_PER_SEC: f64 = 2e9;
const REQUEST_SECS: f64 = 5e-6;
/// A file of a tree, from disks: its dnode and directory besides its data.
const TREE_ACCESSES: f64 = 1.5;

/// The disks of a pool: bytes per second in a row, seconds of an access, and how many go on at once.
struct Disks {
    read_rate: f64,
    write_rate: f64,
    access_secs: f64,
    at_once: f64,
    /// Seconds until a synchronous write is answered.
    sync_secs: f64,
}

/// Returns the virtual time that a scaled experiment takes on a machine.
pub(super) fn of(small: &Scenario, system: &System, scale: u64) -> Nanos {
    let disks = Disks::of(system, scale);
    let arc = ArcLimits::of(system, Version::parse(&system.zfs)).max;
    let mut known = Known::new();
    let mut all = 0.0;
    for phase in &small.phases {
        let seconds = of_phase(phase, small, (&disks, arc), &mut known);
        let limit = phase.limit.map_or(f64::MAX, Nanos::as_secs_f64);
        all += phase.pause.as_secs_f64() + seconds.min(limit);
    }
    Nanos::from_secs_f64(all.min(1e10))
}

/// The share of each file that was read or written, 0 to 1.
type Known = BTreeMap<String, f64>;

/// Returns the seconds of a phase, and adds to `known` what it reads.
fn of_phase(
    phase: &Phase,
    scenario: &Scenario,
    (disks, arc): (&Disks, Bytes),
    known: &mut Known,
) -> f64 {
    let (mut shared, mut longest) = (0.0, 0.0f64);
    for client in &phase.clients {
        let bytes = moved(client, scenario) as f64;
        let files = visits(client, scenario) as f64;
        let mean_io = super::time::mean_io(client) as f64;
        let requests = if client.action.is_on_tree() { files } else { bytes / mean_io };
        let misses = match client.action.is_on_tree() {
            true => 1.0,
            false => {
                let file = Seen::of(client, scenario, arc, requests);
                let seen = known.entry(client.file.clone()).or_default();
                let misses = file.missing(client.pattern, *seen);
                *seen = (*seen + (1.0 - *seen) * file.touched).min(1.0);
                misses
            }
        };
        let from_disks = disks.seconds(client, (bytes, requests), misses);
        let depth = f64::from(client.depth.max(1));
        let waits = client.rate.map_or(0.0, |rate| bytes / rate.0.max(1) as f64);
        let thinks = requests * client.think.as_secs_f64() / depth;
        let link = client.link.map_or(0.0, |link| requests * link.time(client.io).as_secs_f64());
        let cpu = bytes / CPU_BYTES_PER_SEC + requests * REQUEST_SECS / depth;
        shared += from_disks;
        let paced = super::time::recorded(client).as_secs_f64();
        let alone = waits.max(thinks + link + cpu).max(paced);
        longest = longest.max(client.start.as_secs_f64() + alone);
    }
    longest.max(shared)
}

/// What a client sees of its file, in shares: for how much the ARC has room, how much it touches, how many of its requests
/// touch a record for the first time, and how many of its bytes are not in a second round.
struct Seen {
    fits: f64,
    touched: f64,
    first: f64,
    first_round: f64,
}

impl Seen {
    fn of(client: &Client, scenario: &Scenario, arc: Bytes, requests: f64) -> Self {
        let file = scenario.files.iter().find(|file| file.name == client.file);
        let record = scenario.recordsize_of(client, &scenario.system).0.max(512) as f64;
        let size = file.map_or(Bytes::ZERO, |file| file.size).0.max(1) as f64;
        let records = (size / record).max(1.0);
        let rounds = moved(client, scenario) as f64 / size;
        let touched = match client.pattern {
            Pattern::Sequential | Pattern::SequentialApart | Pattern::Shuffled => rounds.min(1.0),
            Pattern::Random | Pattern::Zipf { .. } => 1.0 - (-requests / records).exp(),
        };
        let first = (touched * records / requests.max(1.0)).min(1.0);
        Self { fits: arc.0 as f64 / size, touched, first, first_round: 1.0 / rounds.max(1.0) }
    }

    /// Returns the share of accesses that the ARC does not answer, when so much was seen before.
    fn missing(&self, pattern: Pattern, seen: f64) -> f64 {
        let first = self.first * (1.0 - seen);
        let too_large = (1.0 - self.fits).max(0.0);
        match pattern {
            // What is read in a row pushes out what it would find when it comes back.
            Pattern::Sequential | Pattern::SequentialApart if too_large > 0.0 => 1.0,
            Pattern::Sequential | Pattern::SequentialApart => (1.0 - seen) * self.first_round,
            // What comes back often is found: half of the rest.
            Pattern::Zipf { .. } => first.max(too_large) / 2.0,
            Pattern::Random | Pattern::Shuffled => first.max(too_large),
        }
    }
}

impl Disks {
    fn of(system: &System, scale: u64) -> Self {
        let scale = scale.max(1) as f64;
        let vdevs = &system.pool.data;
        let rate = |of: fn(&VdevSpec) -> u64, write: bool| -> f64 {
            vdevs.iter().map(|vdev| of(vdev) as f64 * slowest(vdev, write)).sum::<f64>() / scale
        };
        let carried = links(system).unwrap_or(f64::INFINITY) / scale;
        let access = vdevs.iter().map(access_secs).fold(0.0, f64::max);
        let at_once = vdevs.iter().map(|vdev| match vdev.layout {
            VdevLayout::Mirror => vdev.disks.len(),
            _ => 1,
        });
        let log = system.pool.log.iter().map(access_secs).fold(0.0, f64::max);
        Self {
            read_rate: rate(readers, false).min(carried).max(1.0),
            write_rate: rate(VdevSpec::data_disks, true).min(carried).max(1.0),
            access_secs: access * scale,
            at_once: at_once.sum::<usize>().max(1) as f64,
            sync_secs: if system.pool.log.is_empty() { access } else { log.min(access) } * scale,
        }
    }

    /// Returns how long the disks work for a client that moves so many bytes in so many requests.
    fn seconds(&self, client: &Client, (bytes, requests): (f64, f64), misses: f64) -> f64 {
        let depth = f64::from(client.depth.max(1));
        let writes = match client.action {
            Action::Mixed { read_pct } => 1.0 - f64::from(read_pct) / 100.0,
            Action::Write => 1.0,
            Action::TreeCopy { .. } => 0.5,
            _ => 0.0,
        };
        let waits = if client.durability == Durability::Later { 0.0 } else { 1.0 };
        let sync = requests * writes * waits * self.sync_secs / depth;
        let stream = bytes * ((1.0 - writes) * misses / self.read_rate + writes / self.write_rate);
        let at_once = depth.min(self.at_once);
        let apart = match client.pattern {
            _ if client.action.is_on_tree() => requests * TREE_ACCESSES,
            Pattern::Sequential | Pattern::SequentialApart => 0.0,
            _ => requests * (1.0 - writes) * misses,
        };
        (stream + apart * self.access_secs / at_once).max(sync)
    }
}

/// Returns how many disks of a vdev read different data at once.
fn readers(vdev: &VdevSpec) -> u64 {
    if vdev.layout == VdevLayout::Mirror { vdev.disks.len() as u64 } else { vdev.data_disks() }
}

/// Returns what all links together carry to the data disks; none where a disk has no link to share.
fn links(system: &System) -> Option<f64> {
    let disks = || system.pool.data.iter().flat_map(|vdev| &vdev.disks);
    let carried = || LinkSpec::of(disks()).iter().map(|link| link.rate.0 as f64).sum();
    disks().all(|disk| disk.link.is_some()).then(carried)
}

/// Returns the best rate of the slowest disk of a vdev.
fn slowest(vdev: &VdevSpec, write: bool) -> f64 {
    let rates = vdev.disks.iter().filter_map(|disk| {
        let device = disk.device()?;
        let rate = if write { device.write_rate_max() } else { device.read_rate_max() };
        Some(rate.0.min(1 << 40))
    });
    rates.min().unwrap_or(1) as f64
}

/// Returns what an access somewhere takes.
fn access_secs(vdev: &VdevSpec) -> f64 {
    let of = |class| match class {
        DeviceClass::Hdd => 12e-3,
        DeviceClass::SataSsd => 150e-6,
        DeviceClass::Nvme => 90e-6,
        DeviceClass::Instant => 1e-6,
    };
    let classes = vdev.disks.iter().filter_map(|disk| Some(of(disk.device()?.class())));
    classes.fold(0.0, f64::max)
}
