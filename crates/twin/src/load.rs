//! What the counters say of the load, per second of the time that they cover.

use std::collections::BTreeMap;

use arcwright_kstat::{ArcDelta, Delta, Snapshot};
use arcwright_machine::{Class, Dataset, Machine, Pool, Sample, Vdev};
use arcwright_units::Bytes;

use crate::TwinError;
use crate::counted::{Counted, Share};
use crate::readers::Readers;
use crate::window::in_window;

/// Record size where no property was read: OpenZFS's default.
pub(crate) const RECORD: Bytes = Bytes::kib(128);
/// What moves fewer bytes a second is no part of the load.
const BYTES_PER_S_MIN: f64 = 4096.0;
/// More than any machine moves.
const BYTES_PER_S_MAX: f64 = 1e12;
const REQUESTS_PER_S_MAX: f64 = 1e8;
/// Counters of all intent logs of the machine; those of each dataset came with 2.2.
const MACHINE_LOG: &str = "zfs/zil";
/// Counters of the prefetcher of files.
const PREFETCHER: &str = "zfs/zfetchstats";
/// Most datasets that are said one by one; the rest is left out and named.
const DATASETS_MAX: usize = 8;

/// What was counted, per second.
#[derive(Debug, Clone, Default)]
pub(crate) struct Measured {
    /// How long.
    pub(crate) seconds: f64,
    /// Between two readings, or since the module was loaded.
    pub(crate) is_window: bool,
    /// Demand accesses to data in the ARC, and how many of them it did not have.
    pub(crate) accesses: f64,
    pub(crate) misses: f64,
    /// Blocks of data that were read ahead from disks.
    pub(crate) ahead: f64,
    /// Demand accesses to metadata, and misses.
    pub(crate) metadata: Option<(f64, f64)>,
    /// Of all misses, the share that had been in the ARC lately.
    pub(crate) ghosts: Option<Share>,
    /// Of the hits of data, the share that had been asked for once before.
    pub(crate) recent: Option<Share>,
    /// Bytes that data and special disks read and wrote, parity included.
    pub(crate) disks: Option<(f64, f64)>,
    /// Bytes of records that were written for each byte that clients wrote, parity, copies and the log apart.
    pub(crate) rewritten: Option<f64>,
    /// Of the misses, the share that cache devices had, and what they hold.
    pub(crate) cached: Option<(f64, Bytes)>,
    /// What clients asked of datasets, most bytes first.
    pub(crate) traffic: Vec<Traffic>,
    /// Whether it was counted which writes wait for the intent log.
    pub(crate) log_is_counted: bool,
    /// Bytes per second of what disks write that may lie on the other side of an end of the window: those of a transaction group.
    pub(crate) of_a_group: f64,
    /// How many reads wait at once; none where nothing tells.
    pub(crate) readers: Option<Readers>,
}

/// What clients asked of a dataset, per second.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traffic {
    pub(crate) name: String,
    pub(crate) properties: BTreeMap<String, String>,
    /// Requests and bytes.
    pub(crate) read: Flow,
    pub(crate) written: Flow,
    /// What its intent log was asked for; none where that was not counted.
    pub(crate) log: Option<Log>,
    /// Threads that wait for one commit, in the mean.
    pub(crate) committers: Option<f64>,
}

/// What an intent log was asked for, per second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Log {
    /// Commits, and bytes that wait for them.
    pub(crate) committed: Flow,
    /// Of these the bytes that lie in the log itself; large ones go to their place at once, and the log says where.
    pub(crate) stored: f64,
}

/// Requests and bytes per second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flow {
    pub(crate) requests: f64,
    pub(crate) bytes: f64,
}

impl Flow {
    /// Returns the mean size of a request as a power of two that a client can have; none without requests.
    pub(crate) fn size(self) -> Option<Bytes> {
        if self.requests <= 0.0 || self.bytes <= 0.0 {
            return None;
        }
        let exponent = (self.bytes / self.requests).log2().round().clamp(9.0, 20.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "2^9 to 2^20")]
        let size = exponent.exp2() as u64;
        Some(Bytes(size))
    }

    pub(crate) fn is_load(self) -> bool {
        self.bytes >= BYTES_PER_S_MIN
    }
}

impl Traffic {
    /// Returns the size of its records or blocks.
    pub(crate) fn record(&self) -> Bytes {
        let of = |name: &str| self.properties.get(name).and_then(|text| size(text));
        of("volblocksize").or_else(|| of("recordsize")).unwrap_or(RECORD)
    }

    pub(crate) fn is_volume(&self) -> bool {
        self.properties.get("volblocksize").is_some_and(|text| size(text).is_some())
    }

    /// Returns what of the log is simulated: nothing where it was not counted.
    pub(crate) fn log(&self) -> Flow {
        self.log.unwrap_or_default().committed
    }

    fn bytes(&self) -> f64 {
        self.read.bytes + self.written.bytes
    }
}

/// Reads a size as properties show it: `131072`, `128K`.
pub(crate) fn size(text: &str) -> Option<Bytes> {
    let text = text.trim();
    text.parse()
        .ok()
        .map(Bytes)
        .or_else(|| Bytes::parse(&format!("{text}iB")).ok())
        .filter(|size| size.0.is_power_of_two() && (512..=16 << 20).contains(&size.0))
}

impl Measured {
    /// Returns what was counted on a machine of one of its pools, whose disks write `copies` bytes for each of a record.
    ///
    /// # Errors
    /// [`TwinError`] where there are no counters.
    pub(crate) fn of(
        machine: &Machine,
        pool: &Pool,
        copies: f64,
        left_out: &mut Vec<String>,
    ) -> Result<Self, TwinError> {
        let missing =
            TwinError::Missing { what: "counters of the ARC", how: "arcwright capture FILE" };
        let now = machine.now().ok_or_else(|| missing.clone())?;
        let window =
            machine.window().filter(|window| window.span.0 > 0 && window.resets.is_empty());
        let is_window = window.is_some();
        let delta = window.unwrap_or_else(|| Delta::since_load(now));
        let seconds = delta.span.as_secs_f64();
        let arc = ArcDelta::of(&delta).filter(|_| seconds > 0.0).ok_or_else(|| missing.clone())?;
        let per_s = |count: u64| count as f64 / seconds;
        let counted = Counted::of(&arc, per_s).ok_or(missing)?;
        let Counted { accesses, misses, metadata, ghosts, recent } = counted;
        // Reads before a part of a record is written count as prefetches too, but nobody foretold them.
        let foretold = delta.counted(PREFETCHER, "io_issued").unwrap_or(u64::MAX);
        let ahead = arc.prefetch_data.misses.map(|misses| per_s(misses.min(foretold)));
        if ahead.is_none() {
            left_out.push("what is read in a row: prefetches were not read".to_owned());
        }
        let cached = cached(now, &arc);
        let from_disks = 1.0 - cached.map_or_else(|| 0.0, |(share, _)| share);
        let (waited, foreseen) = (misses * from_disks, ahead.map(|ahead| ahead * from_disks));
        let mut measured = Self {
            seconds,
            is_window,
            accesses,
            misses,
            ahead: ahead.unwrap_or(0.0),
            metadata,
            ghosts,
            recent,
            disks: disks(machine, pool),
            rewritten: None,
            cached,
            traffic: Vec::new(),
            log_is_counted: true,
            of_a_group: 0.0,
            readers: Readers::of(machine, pool, waited, foreseen),
        };
        measured.add_traffic(machine, pool, (&delta, seconds), left_out);
        if measured.traffic.is_empty() {
            measured.traffic.extend(measured.whole(machine, pool));
        }
        measured.rewritten = measured.rewritten(copies);
        if is_window {
            measured.of_a_group = copies * measured.written() * group_seconds(machine) / seconds;
        }
        left_out.extend(filling(machine));
        measured.keep_most(left_out);
        Ok(measured)
    }

    /// Adds what was asked of the datasets of a pool; where the log is counted for the machine alone, its requests are
    /// shared out by what was written.
    fn add_traffic(
        &mut self,
        machine: &Machine,
        pool: &Pool,
        (delta, seconds): (&Delta, f64),
        left_out: &mut Vec<String>,
    ) {
        let mut all = traffic(machine, pool, delta, seconds);
        let without = |one: &Traffic| one.log.is_none() && one.written.is_load();
        if all.iter().any(without) {
            let own = &|row: &str| Some(delta.counted(MACHINE_LOG, row)? as f64 / seconds);
            let written: f64 = all.iter().map(|one| one.written.bytes).sum();
            match log(own) {
                Some((whole, committers)) => {
                    for one in all.iter_mut().filter(|one| without(one)) {
                        let share = one.written.bytes / written;
                        let Flow { requests, bytes } = whole.committed;
                        let committed = Flow { requests: requests * share, bytes: bytes * share };
                        one.log = Some(Log { committed, stored: whole.stored * share });
                        one.committers = committers;
                    }
                    left_out.push(
                        "which dataset waits for the intent log: it was counted for the machine as a whole, and is shared \
                         out by the bytes written"
                            .to_owned(),
                    );
                }
                None => {
                    self.log_is_counted = false;
                    left_out.push(
                        "which writes wait for stable storage: the intent log was not counted, none is taken to wait"
                            .to_owned(),
                    );
                }
            }
        }
        self.traffic = all;
    }

    /// Returns the load as the ARC saw it, where requests to datasets are not counted.
    fn whole(&self, machine: &Machine, pool: &Pool) -> Option<Traffic> {
        let properties = properties(machine.datasets.iter().find(|it| it.name == pool.name));
        let mut one = Traffic { name: pool.name.clone(), properties, ..Traffic::default() };
        let record = one.record().0 as f64;
        one.read = Flow { requests: self.accesses, bytes: self.accesses * record };
        one.read.is_load().then_some(one)
    }

    /// Returns bytes per second that clients wrote.
    fn written(&self) -> f64 {
        self.traffic.iter().map(|traffic| traffic.written.bytes).sum()
    }

    /// Returns how many bytes of records were written for each that clients wrote.
    fn rewritten(&self, copies: f64) -> Option<f64> {
        let (_, disks) = self.disks?;
        let sum = |of: &dyn Fn(&Traffic) -> f64| self.traffic.iter().map(of).sum::<f64>();
        let (written, log) =
            (sum(&|it| it.written.bytes), sum(&|it| it.log.unwrap_or_default().stored));
        (written > 0.0).then(|| (disks / copies.max(1.0) - log).max(0.0) / written)
    }

    /// Refuses counters that no machine has.
    ///
    /// # Errors
    /// [`TwinError::Absurd`].
    pub(crate) fn check(&self) -> Result<(), TwinError> {
        let flows = self.traffic.iter().flat_map(|it| [it.read, it.written, it.log()]);
        let (requests, bytes) = flows.fold((self.accesses, 0.0), |(requests, bytes), flow| {
            (f64::max(requests, flow.requests), f64::max(bytes, flow.bytes))
        });
        let metadata = self.metadata.map_or(0.0, |(accesses, _)| accesses);
        let requests = requests.max(metadata).max(self.ahead);
        let what = match (requests > REQUESTS_PER_S_MAX, bytes > BYTES_PER_S_MAX) {
            (true, _) => format!("{requests:.0} requests a second"),
            (_, true) => format!("{bytes:.0} bytes a second"),
            _ => return Ok(()),
        };
        Err(TwinError::Absurd { what })
    }

    /// Keeps the datasets with most of the load, and says which are left out.
    fn keep_most(&mut self, left_out: &mut Vec<String>) {
        self.traffic.sort_by(|a, b| b.bytes().total_cmp(&a.bytes()).then(a.name.cmp(&b.name)));
        let rest = self.traffic.len().saturating_sub(DATASETS_MAX);
        if rest > 0 {
            self.traffic.truncate(DATASETS_MAX);
            left_out.push(format!("the load of {rest} datasets that move less than those below"));
        }
    }
}

/// Returns how long a transaction group takes at most.
fn group_seconds(machine: &Machine) -> f64 {
    const DEFAULT: f64 = 5.0;
    const MAX: f64 = 60.0;
    let set = machine.parameters.get("zfs_txg_timeout");
    let set = set.and_then(|parameter| parameter.value.parse::<f64>().ok());
    set.map_or_else(|| DEFAULT, |seconds| seconds.clamp(1.0, MAX))
}

/// Says that cache devices held more at the end of the window than in its beginning: later they have more of the misses.
fn filling(machine: &Machine) -> Option<String> {
    const GROWN_MIN: f64 = 0.02;
    let held = |sample: &Sample| sample.kstats.get("zfs/arcstats", "l2_size");
    let (first, last) = (machine.samples.first()?, machine.samples.last()?);
    let (before, after) = (held(first)?, held(last)?);
    let more = after.saturating_sub(before);
    (more as f64 > GROWN_MIN * after as f64).then(|| {
        let more = Bytes(more);
        format!("that its cache devices were still being filled, with {more} in the window: later they have more of the misses")
    })
}

/// Returns what was asked of the datasets of a pool.
fn traffic(machine: &Machine, pool: &Pool, delta: &Delta, seconds: f64) -> Vec<Traffic> {
    let Some(now) = machine.now() else { return Vec::new() };
    let stem = format!("zfs/{}/objset-", pool.name);
    let paths = delta.kstats.keys().filter(|path| path.starts_with(&stem));
    let by_name: BTreeMap<&str, &Dataset> =
        machine.datasets.iter().map(|dataset| (dataset.name.as_str(), dataset)).collect();
    let of = |path: &String| {
        let name = now.kstats.get(path)?.text("dataset_name")?.to_owned();
        let row = |row: &str| delta.counted(path, row).map(|count| count as f64 / seconds);
        let flow = |requests: &str, bytes: &str| {
            row(requests).zip(row(bytes)).map(|(requests, bytes)| Flow { requests, bytes })
        };
        let log = log(&row);
        let one = Traffic {
            properties: properties(by_name.get(name.as_str()).copied()),
            name,
            read: flow("reads", "nread")?,
            written: flow("writes", "nwritten")?,
            log: log.map(|(log, _)| log),
            committers: log.and_then(|(_, committers)| committers),
        };
        (one.read.is_load() || one.written.is_load()).then_some(one)
    };
    paths.filter_map(of).collect()
}

/// Returns what an intent log was asked for, and the threads that wait for one commit.
fn log(row: &dyn Fn(&str) -> Option<f64>) -> Option<(Log, Option<f64>)> {
    let stored = row("zil_itx_copied_bytes")? + row("zil_itx_needcopy_bytes")?;
    let bytes = row("zil_itx_indirect_bytes")? + stored;
    let requests = row("zil_commit_count")?;
    let writers = row("zil_commit_writer_count").filter(|writers| *writers > 0.0);
    let log = Log { committed: Flow { requests, bytes }, stored };
    Some((log, writers.map(|writers| requests / writers)))
}

fn properties(dataset: Option<&Dataset>) -> BTreeMap<String, String> {
    let all = dataset.into_iter().flat_map(|dataset| &dataset.properties);
    all.map(|(name, (value, _))| (name.clone(), value.clone())).collect()
}

/// Returns which part of the misses cache devices had, and what they hold; none without one.
fn cached(now: &Snapshot, arc: &ArcDelta) -> Option<(f64, Bytes)> {
    let (hits, misses) = (arc.l2_hits? as f64, arc.l2_misses? as f64);
    let held = now.get("zfs/arcstats", "l2_size").map(Bytes)?;
    (hits + misses > 0.0).then(|| (hits / (hits + misses), held))
}

/// Returns what the data and special disks of a pool read and wrote in the window, bytes a second; none unless it
/// was read of all of them.
fn disks(machine: &Machine, pool: &Pool) -> Option<(f64, f64)> {
    let vdevs = in_window(machine, pool)?;
    let classes = [Class::Data, Class::Special];
    let leaves = classes.into_iter().flat_map(|class| pool.of_class(class)).flat_map(Vdev::leaves);
    let mut sum = (0.0, 0.0);
    for leaf in leaves {
        let io = vdevs.get(&leaf.name)?;
        sum.0 += io.read_bytes_per_s?;
        sum.1 += io.write_bytes_per_s?;
    }
    Some(sum)
}
