//! What an engine found: the same record from the model, the lab and the pool.
//!
//! Sizes, operations and rates are given for the full-scale experiment: an engine that ran a scaled
//! one multiplies them by the scale before it hands them over. The kernel counters in
//! [`PhaseRun::kstats`] are as the engine saw them.

use std::collections::BTreeMap;

use arcwright_units::{Bytes, Nanos, Rate};
use serde::{Deserialize, Serialize};

use crate::series::{ReadsByClass, Series};

/// Version of the stored shape; the major number changes when a reader must change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct OutputVersion {
    /// The command that wrote it.
    pub command: String,
    /// Readers of another major version must refuse it.
    pub vers_major: u32,
    /// Grows when fields are added.
    pub vers_minor: u32,
}

impl OutputVersion {
    /// The version this program writes.
    #[must_use]
    pub fn current() -> Self {
        Self { command: "arcwright run".to_owned(), vers_major: 1, vers_minor: 4 }
    }
}

/// The result of one `arcwright run`.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Outcome {
    /// Version of this record.
    pub output_version: OutputVersion,
    /// The experiment as it was run, after overrides from the command line.
    pub scenario: crate::experiment::Scenario,
    /// What ran it.
    pub engine: EngineFacts,
    /// One entry per arm that finished, in scenario order.
    pub arms: Vec<ArmOutcome>,
    /// Whether it was stopped before all arms were done.
    pub interrupted: bool,
    /// What a reader must know to trust the numbers, one sentence each.
    pub notes: Vec<String>,
    /// How far the figures may be off; absent where they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranges: Option<crate::range::Ranges>,
}

/// What ran an experiment, and how.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct EngineFacts {
    /// `lab`, `model` or `pool`.
    pub name: String,
    /// Version of the OpenZFS code that ran (lab, pool) or whose behaviour was modelled.
    pub openzfs: String,
    /// Uniform scaling of the run; 1 is full scale.
    pub scale: u64,
    /// Virtual seconds per real second (lab by the real clock); none when time goes by events.
    pub motion: Option<f64>,
    /// Seed of every random stream.
    pub seed: u64,
    /// Real time that the whole run took.
    pub wall_ns: Nanos,
}

/// What one arm did, summed up over its repeats.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct ArmOutcome {
    /// Name of the arm.
    pub name: String,
    /// Tunables that were set, with the value read back.
    pub tunables: Vec<AppliedSetting>,
    /// Per phase, the median over the repeats of every number.
    pub phases: Vec<PhaseRun>,
    /// Every repeat as it was measured.
    pub runs: Vec<ArmRun>,
}

/// One repeat of one arm.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct ArmRun {
    /// Counts from 0.
    pub repeat: u32,
    /// Its phases in order.
    pub phases: Vec<PhaseRun>,
}

/// A tunable as it was asked for and as the engine then held it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct AppliedSetting {
    /// Linux parameter name.
    pub name: String,
    /// The value asked for, before scaling.
    pub asked: u64,
    /// The value read back from the engine, after scaling.
    pub read_back: u64,
}

/// What happened in one phase.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct PhaseRun {
    /// Name of the phase.
    pub name: String,
    /// Bytes moved by all clients.
    pub bytes: Bytes,
    /// Requests of all clients.
    pub operations: u64,
    /// From the start of the first client to the end of the last, in virtual time.
    pub duration_ns: Nanos,
    /// `bytes` per `duration_ns`.
    pub throughput_bytes_per_sec: Rate,
    /// Hits (and joined reads in flight) of ARC accesses, 0 to 1; absent when there were none.
    pub arc_hit_ratio: Option<f64>,
    /// Hits of accesses to metadata that somebody waited for, 0 to 1; absent when there were none.
    #[serde(default)]
    pub metadata_hit_ratio: Option<f64>,
    /// L2ARC hits of ARC misses, 0 to 1; absent without cache device or without misses.
    pub l2arc_hit_ratio: Option<f64>,
    /// Bytes that clients got from the ARC: moved, less what was read from devices for them. Absent
    /// in phases that write, where what was moved came from no cache, and in those that ask for
    /// attributes only, where nothing is moved.
    pub arc_bytes: Option<Bytes>,
    /// Bytes read from cache devices.
    pub l2arc_read_bytes: Bytes,
    /// Bytes written to cache devices by the feed thread.
    pub l2arc_write_bytes: Bytes,
    /// Bytes read from the data and special disks, parity and gaps included.
    pub device_read_bytes: Bytes,
    /// Bytes written to the data and special disks.
    pub device_write_bytes: Bytes,
    /// Every device's own counters.
    pub devices: Vec<DeviceRun>,
    /// Every client's own result, in scenario order.
    pub clients: Vec<ClientRun>,
    /// Time from request to reply over all clients.
    pub latency: Latency,
    /// The same of those requests alone that waited for stable storage; absent when none did.
    #[serde(default)]
    pub sync_latency: Option<Latency>,
    /// The most that the log devices held at once; absent without log devices.
    #[serde(default)]
    pub log_bytes_max: Option<Bytes>,
    /// How often the phase was done until the caches were warm; absent where it was done once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// What was read from devices, by why and what; absent where the engine cannot see it, and in records of before
    /// format 1.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_by_class: Option<ReadsByClass>,
    /// How it went over time; only in [`ArmRun`]s, and absent in records of before format 1.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Box<Series>>,
    /// Differences of the kernel's counters over the phase, by path and row: `arcstats` → `hits` → 12.
    pub kstats: BTreeMap<String, BTreeMap<String, i64>>,
}

/// How a phase went that was repeated until the caches were warm; its other figures are those of the last round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct WarmUp {
    /// How often it was done.
    pub rounds: u32,
    /// Whether the last two rounds were alike.
    pub is_warm: bool,
    /// From the start of the first round to the start of the last.
    pub before_ns: Nanos,
}

/// What one client did in a phase.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct ClientRun {
    /// What it did and to which file: `read test.dat`.
    pub name: String,
    /// Bytes it moved.
    pub bytes: Bytes,
    /// Its requests.
    pub operations: u64,
    /// From its own start to its own end.
    pub duration_ns: Nanos,
    /// `bytes` per `duration_ns`.
    pub throughput_bytes_per_sec: Rate,
    /// When it was done, from the start of the phase; absent in records of before format 1.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ns: Option<Nanos>,
    /// Time from request to reply; absent without requests, and in records of before format 1.3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<ClientLatency>,
}

/// How long the requests of one client took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct ClientLatency {
    /// Arithmetic mean.
    pub mean_ns: Nanos,
    /// Half of the requests took no longer.
    pub p50_ns: Nanos,
    /// 95 % took no longer.
    pub p95_ns: Nanos,
    /// 99 % took no longer.
    pub p99_ns: Nanos,
    /// Longest.
    pub max_ns: Nanos,
}

/// What role a device has in the pool.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Holds data.
    Data,
    /// Holds metadata, beside the data disks.
    Special,
    /// Holds the L2ARC.
    Cache,
    /// Holds the separate intent log.
    Log,
}

impl Role {
    /// Returns its name as people write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Special => "special",
            Self::Cache => "cache",
            Self::Log => "log",
        }
    }

    /// Returns whether it holds the pool itself: data or metadata.
    #[must_use]
    pub const fn holds_pool(self) -> bool {
        matches!(self, Self::Data | Self::Special)
    }
}

/// What one device did in a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct DeviceRun {
    /// Its name in the lab: `data-0-1`, `special-0-0`, `cache-0`.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Name of its profile.
    pub profile: String,
    /// The device of which it is a part, where several disks share one; movements of the head and busy time are
    /// then those of the whole device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// The link that it is behind, where several disks share one, and how busy that was with all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkRun>,
    /// Read requests.
    pub reads: u64,
    /// Write requests.
    pub writes: u64,
    /// Flush requests.
    pub flushes: u64,
    /// Bytes read.
    pub read_bytes: Bytes,
    /// Bytes written.
    pub write_bytes: Bytes,
    /// Requests that made the head move or wait for the platter (disks only).
    pub seeks: u64,
    /// Time in which at least one request was being served.
    pub busy_ns: Nanos,
}

/// How busy a link was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct LinkRun {
    /// Its name in `[links]`.
    pub name: String,
    /// Time in which it carried bytes from its disks.
    pub read_busy_ns: Nanos,
    /// Time in which it carried bytes to them.
    pub write_busy_ns: Nanos,
    /// Whether it carries one direction at a time.
    pub one_way: bool,
}

/// A distribution of latencies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Latency {
    /// Requests counted.
    pub count: u64,
    /// Shortest.
    pub min_ns: Nanos,
    /// Arithmetic mean.
    pub mean_ns: Nanos,
    /// Half of the requests took no longer.
    pub p50_ns: Nanos,
    /// 95 % took no longer.
    pub p95_ns: Nanos,
    /// 99 % took no longer.
    pub p99_ns: Nanos,
    /// Longest.
    pub max_ns: Nanos,
    /// The histogram: requests per bucket, 32 buckets per power of two.
    pub buckets: Vec<Bucket>,
}

/// One bucket of a latency histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Bucket {
    /// The bucket holds latencies below this, and at or above the bucket before it.
    pub below_ns: Nanos,
    /// Requests in it.
    pub count: u64,
}
