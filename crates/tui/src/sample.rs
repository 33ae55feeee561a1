//! What a dashboard shows.

use std::collections::BTreeMap;
use std::sync::Arc;

use arcwright_kstat::{Snapshot, Txg};
use arcwright_machine::{DeviceCount, ProcessMoment};

/// Something new to show.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// A reading of all counters.
    Sample(Box<DashboardSample>),
    /// What is found now; takes the place of what was found before.
    Notices(Vec<Notice>),
    /// Nothing more will come, and why.
    End(String),
    /// Nothing more will come because something failed.
    Failed(String),
}

/// A reading of all counters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DashboardSample {
    /// The kernel statistics and when they were read.
    pub kstats: Snapshot,
    /// What it belongs to, counters of other places are not comparable: `arm “as installed”`; empty
    /// for a machine.
    pub place: String,
    /// What goes on there: the phase of a run.
    pub activity: String,
    /// The disks' own counters.
    pub devices: Vec<DeviceCount>,
    /// Bytes that programs have read so far, when that is known.
    pub read_bytes: Option<u64>,
    /// Bytes that programs have written so far, when that is known.
    pub written_bytes: Option<u64>,
    /// The last transaction groups of each pool, oldest first.
    pub txgs: BTreeMap<String, Vec<Txg>>,
    /// Dirty bytes at which writers wait (`zfs_dirty_data_max`).
    pub dirty_bytes_max: Option<u64>,
    /// The pools, as far as they are known.
    pub pools: Vec<PoolSample>,
    /// Requests by queue over all pools.
    pub queues: Vec<QueueSample>,
    /// The processes, and who was seen waiting; none where the system does not list them.
    pub processes: Option<Arc<ProcessMoment>>,
}

/// A pool at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PoolSample {
    /// Its name.
    pub name: String,
    /// `ONLINE`, `SUSPENDED`; none where it was not read.
    pub state: Option<String>,
    /// Those of the disks that belong to it, by name.
    pub devices: Vec<String>,
}

/// Requests of one queue at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueSample {
    /// The queue as `zpool iostat -q` names it: `syncq_read`.
    pub name: String,
    /// Requests that wait.
    pub waiting: u64,
    /// Requests that the disks have.
    pub active: u64,
}

/// Something found, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// How much it matters.
    pub severity: NoticeSeverity,
    /// One sentence.
    pub text: String,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoticeSeverity {
    /// It hurts now.
    Hurts,
    /// Worth a look.
    Look,
    /// All is well there.
    Fine,
}
