//! Takes samples while a phase runs, and makes its series of them.
//!
//! A sample is a second long; whenever there would be more than [`SAMPLES_MAX`], every two become one. So a phase of a
//! minute has one for each second, and one of a day one for each of some six minutes. Counters that were
//! read between two steps are taken to have grown evenly since they were read before.
//!
//! A small case: at 1.5 s, 30 bytes have been moved, and at 2 s 50. The first second gets 20 bytes, the second 30.

use arcwright_units::{Bytes, Nanos};

use crate::outcome::{DeviceRun, Role};
use crate::series::{DemandSeries, DeviceSeries, Series};

/// Samples that a series has at most.
pub const SAMPLES_MAX: usize = 240;
/// Devices of which a series tells at most: the busiest.
const DEVICES_MAX: usize = 32;

/// Counters since some start.
#[derive(Debug, Clone)]
pub struct SeriesSample {
    /// Bytes moved by all clients.
    pub moved: Bytes,
    /// Of those, bytes that were written.
    pub written: Bytes,
    /// What requests found in the ARC: bytes hit, joined and missed.
    pub demand: Option<[Bytes; 3]>,
    /// Bytes that the L2ARC holds.
    pub l2arc_size: Option<Bytes>,
    /// Each device.
    pub devices: Vec<DeviceRun>,
}

/// Columns of a row before those of the devices.
const COLUMNS: usize = 10;
/// The only column that is no counter.
const L2ARC_SIZE: usize = 9;

impl SeriesSample {
    /// Returns its numbers in the order of the columns; each device has two.
    fn row(&self) -> Vec<u64> {
        let sum = |is: fn(Role) -> bool, of: fn(&DeviceRun) -> Bytes| -> u64 {
            self.devices.iter().filter(|device| is(device.role)).map(of).sum::<Bytes>().0
        };
        let is_cache = |role| role == Role::Cache;
        let [hit, joined, missed] = self.demand.unwrap_or_default();
        let own: [u64; COLUMNS] = [
            self.moved.0,
            self.written.0,
            sum(is_cache, |device| device.read_bytes),
            sum(is_cache, |device| device.write_bytes),
            sum(Role::holds_pool, |device| device.read_bytes),
            sum(Role::holds_pool, |device| device.write_bytes),
            hit.0,
            joined.0,
            missed.0,
            self.l2arc_size.unwrap_or_default().0,
        ];
        let devices = self.devices.iter().flat_map(|device| [device.busy_ns.0, device.seeks]);
        own.into_iter().chain(devices).collect()
    }
}

/// Takes samples while a phase runs.
#[derive(Debug, Clone)]
pub struct Sampler {
    start: Nanos,
    interval: Nanos,
    /// What was counted at the start, and at the end of each step.
    rows: Vec<Vec<u64>>,
    /// The last that was counted, and when.
    last: Option<(Nanos, Vec<u64>)>,
}

impl Sampler {
    /// Returns one for a phase whose first client begins at `start`.
    #[must_use]
    pub const fn new(start: Nanos) -> Self {
        Self { start, interval: Nanos::SECOND, rows: Vec::new(), last: None }
    }

    /// Returns when the next sample is due: the first at the start.
    #[must_use]
    pub fn due(&self) -> Nanos {
        let span = (self.rows.len() as u64).checked_mul(self.interval.0);
        Nanos(span.and_then(|span| self.start.0.checked_add(span)).unwrap_or(u64::MAX))
    }

    /// Takes what was counted until `now`; nothing is done before a sample is due.
    pub fn take(&mut self, now: Nanos, sample: &SeriesSample) {
        if now < self.due() {
            return;
        }
        let row = sample.row();
        let (then, before) = self.last.take().unwrap_or_else(|| (now, row.clone()));
        while self.due() <= now {
            let due = self.due();
            self.rows.push(between((then, &before), (now, &row), due));
            if self.rows.len() > SAMPLES_MAX {
                self.interval = Nanos(self.interval.0.saturating_mul(2));
                let mut rows = 0;
                self.rows.retain(|_| {
                    rows += 1;
                    rows % 2 == 1
                });
            }
        }
        self.last = Some((now, row));
    }

    /// Returns the series of a phase that ended at `now`; none of one that never began.
    #[must_use]
    pub fn end(mut self, now: Nanos, sample: &SeriesSample) -> Option<Series> {
        self.take(now, sample);
        let last = self.start.0 + (self.rows.len() as u64).checked_sub(1)? * self.interval.0;
        if last < now.0 {
            self.rows.push(sample.row());
        }
        Some(self.series(now, sample))
    }

    fn series(&self, now: Nanos, sample: &SeriesSample) -> Series {
        let column = |at: usize| self.column(at);
        let bytes = |at: usize| column(at).into_iter().map(Bytes).collect::<Vec<Bytes>>();
        let demand = sample.demand.map(|_| DemandSeries {
            hit_bytes: bytes(6),
            joined_bytes: bytes(7),
            missed_bytes: bytes(8),
        });
        let size = |row: &Vec<u64>| Bytes(row.get(L2ARC_SIZE).copied().unwrap_or_default());
        let devices = sample.devices.iter().enumerate().map(|(number, device)| DeviceSeries {
            name: device.name.clone(),
            busy_ns: column(COLUMNS + 2 * number).into_iter().map(Nanos).collect(),
            seeks: column(COLUMNS + 2 * number + 1),
        });
        Series {
            interval_ns: self.interval,
            duration_ns: Nanos(now.0.saturating_sub(self.start.0)),
            bytes: bytes(0),
            written_bytes: bytes(1),
            l2arc_read_bytes: bytes(2),
            l2arc_write_bytes: bytes(3),
            device_read_bytes: bytes(4),
            device_write_bytes: bytes(5),
            demand,
            l2arc_size: sample.l2arc_size.map(|_| self.rows.iter().skip(1).map(size).collect()),
            devices: busiest(devices.collect()),
        }
    }

    /// Returns by how much a counter grew in each step.
    fn column(&self, at: usize) -> Vec<u64> {
        let of = |row: &Vec<u64>| row.get(at).copied().unwrap_or_default();
        let pairs = self.rows.iter().zip(self.rows.iter().skip(1));
        pairs.map(|(from, to)| of(to).saturating_sub(of(from))).collect()
    }
}

/// Returns what was counted at an instant between two, as if it had grown evenly.
fn between((then, before): (Nanos, &[u64]), (now, row): (Nanos, &[u64]), at: Nanos) -> Vec<u64> {
    let span = i128::from(now.0 - then.0).max(1);
    let part = i128::from(now.0.saturating_sub(at.0)).min(span);
    let value = |(from, to): (&u64, &u64)| {
        let back = (i128::from(*to) - i128::from(*from)) * part / span;
        u64::try_from(i128::from(*to) - back).unwrap_or(u64::MAX)
    };
    before.iter().zip(row).map(value).collect()
}

/// Leaves the busiest devices, in the order in which they were.
fn busiest(mut devices: Vec<DeviceSeries>) -> Vec<DeviceSeries> {
    if devices.len() > DEVICES_MAX {
        let busy = |device: &DeviceSeries| device.busy_ns.iter().map(|span| span.0).sum::<u64>();
        let mut all: Vec<u64> = devices.iter().map(busy).collect();
        all.sort_unstable_by(|one, other| other.cmp(one));
        let least = all.get(DEVICES_MAX - 1).copied().unwrap_or_default();
        devices.retain(|device| busy(device) >= least);
        devices.truncate(DEVICES_MAX);
    }
    devices
}
