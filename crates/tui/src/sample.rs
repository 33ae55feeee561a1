//! What a dashboard shows.

use arcwright_kstat::Snapshot;

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
}

/// What a disk has done since some beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceCount {
    /// `sda`, `data-0-1`.
    pub name: String,
    /// What it is, shown where there is room: a model, a profile; empty when unknown.
    pub detail: String,
    /// What the pool uses it for: `data`, `log`, `cache`; empty when unknown.
    pub role: String,
    /// Requests.
    pub reads: u64,
    /// Requests.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Nanoseconds that requests took, one after the other; none when not measured.
    pub request_ns: Option<u64>,
    /// Nanoseconds in which it had something to do.
    pub busy_ns: Option<u64>,
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
