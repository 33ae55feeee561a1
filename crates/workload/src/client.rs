//! A closed-loop client: one request outstanding, then think time, then the next request.

use arcwright_units::{Bytes, Nanos, Rate};
use serde::{Deserialize, Serialize};

use crate::Replay;

/// What a client does with its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Reads.
    Read,
    /// Overwrites; [`Client::durability`] says whether it waits for stable storage.
    Write,
    /// Reads and writes mixed at random.
    Mixed {
        /// The share of reads in percent, 0 to 100.
        read_pct: u8,
    },
    /// Asks for the attributes of every file of a tree, as `ls -l`, `find` and rsync's scan do.
    TreeStat,
    /// Opens and reads every file of a tree.
    TreeRead,
    /// Copies a tree of small files: stat, open, read, create, write for each.
    TreeCopy {
        /// Asks for the attributes of all files before the first is copied, as rsync does.
        scan_first: bool,
    },
    /// Plays a fio job file.
    Fio {
        /// The job file's path as written in the scenario.
        job: String,
    },
    /// Plays a recorded trace.
    Trace {
        /// The trace file's path as written in the scenario.
        path: String,
        /// Whether it writes anything.
        #[serde(default = "yes")]
        writes: bool,
        /// Its requests; none of a scenario that comes from a saved result.
        #[serde(skip)]
        replay: Replay,
    },
}

impl Action {
    /// Returns the name used in scenario files and messages.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Mixed { .. } => "mixed",
            Self::TreeStat => "tree-stat",
            Self::TreeRead => "tree-read",
            Self::TreeCopy { .. } => "tree-copy",
            Self::Fio { .. } => "fio",
            Self::Trace { .. } => "trace",
        }
    }

    /// Returns whether it works on a tree rather than on a file.
    #[must_use]
    pub const fn is_on_tree(&self) -> bool {
        matches!(self, Self::TreeStat | Self::TreeRead | Self::TreeCopy { .. })
    }

    /// Returns whether it writes at all.
    #[must_use]
    pub const fn writes(&self) -> bool {
        match self {
            Self::Write | Self::Mixed { .. } | Self::TreeCopy { .. } => true,
            Self::Read | Self::TreeStat | Self::TreeRead => false,
            // What a job does is known once it has been read.
            Self::Fio { .. } => true,
            Self::Trace { writes, .. } => *writes,
        }
    }
}

/// When a client waits for stable storage.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// Never by itself.
    #[default]
    Later,
    /// With every write (`O_SYNC`).
    EachWrite,
    /// It calls `fsync` after every so many writes.
    Every(u32),
    /// It calls `fsync` once, after its last write.
    AtEnd,
}

/// The order in which a client visits its file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// From the start to the end, again from the start when more is wanted.
    Sequential,
    /// As sequential, but reads and writes of a mixed client have a position each, as fio's `rw=rw`.
    SequentialApart,
    /// Every request-sized place with the same probability.
    Random,
    /// Every request-sized place once, in random order; in another order when more is wanted.
    Shuffled,
    /// Places with a Zipf popularity, shuffled over the file.
    Zipf {
        /// The exponent, larger than 0; 1.0 is the classic case.
        exponent: f64,
    },
}

/// One closed-loop client of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Client {
    /// What it does.
    pub action: Action,
    /// The name of the scenario file (`[[file]]`) or tree that it works on.
    pub file: String,
    /// Further files, taken in turns with the first: a request each.
    #[serde(default)]
    pub more_files: Vec<String>,
    /// What it is called in results, instead of what it does and to which file.
    #[serde(default)]
    pub label: Option<String>,
    /// Bytes per request; the least of them when sizes are drawn.
    pub io: Bytes,
    /// The most per request, when sizes are drawn between `io` and this in steps of `io`.
    #[serde(default)]
    pub io_max: Option<Bytes>,
    /// The order of the requests.
    pub pattern: Pattern,
    /// How much it moves in all; one pass over the file when absent.
    pub amount: Option<Bytes>,
    /// When it waits for what it wrote.
    #[serde(default)]
    pub durability: Durability,
    /// How many requests it keeps under way at once, at least 1.
    #[serde(default = "one")]
    pub depth: u32,
    /// How long after the start of the phase it begins.
    pub start: Nanos,
    /// How long it pauses between a reply and the next request.
    pub think: Nanos,
    /// The most it moves per second; unlimited when absent.
    pub rate: Option<Rate>,
    /// A network link in front of it; local when absent.
    pub link: Option<Link>,
}

impl Client {
    /// Returns a client that reads `file` from start to end, `io` at a time.
    #[must_use]
    pub fn reader(file: &str, io: Bytes) -> Self {
        Self {
            action: Action::Read,
            file: file.to_owned(),
            more_files: Vec::new(),
            label: None,
            io,
            io_max: None,
            pattern: Pattern::Sequential,
            amount: None,
            durability: Durability::Later,
            depth: 1,
            start: Nanos::ZERO,
            think: Nanos::ZERO,
            rate: None,
            link: None,
        }
    }

    /// Returns what it is called in results.
    #[must_use]
    pub fn name(&self) -> String {
        if let Some(label) = &self.label {
            return label.clone();
        }
        if let Action::Trace { path, .. } = &self.action {
            return format!("trace {path}");
        }
        let waits = self.action == Action::Write && self.durability == Durability::EachWrite;
        let action = if waits { "sync-write" } else { self.action.name() };
        format!("{action} {}", self.file)
    }
}

const fn one() -> u32 {
    1
}

const fn yes() -> bool {
    true
}

/// A network link between a client and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Link {
    /// Bandwidth.
    pub rate: Rate,
    /// Round trip time per request.
    pub round_trip: Nanos,
}

impl Link {
    /// Returns how long a request that carries `size` is on the link, there and back, when it has the link to
    /// itself.
    #[must_use]
    pub fn time(&self, size: Bytes) -> Nanos {
        self.round_trip + self.rate.time_for(size)
    }
}

/// What requests of one client are on their way through: its link, which carries one after the other, or nothing.
///
/// ```
/// use arcwright_units::{Bytes, Nanos, Rate};
/// use arcwright_workload::{Link, Wire};
///
/// let link = Link { rate: Rate(1_000_000), round_trip: Nanos::millis(1) };
/// let mut wire = Wire::new(Some(link));
/// // A megabyte takes a second; two at once share it, and each has its round trip.
/// let done = |wire: &mut Wire| wire.carry(Bytes(1_000_000), Nanos::ZERO).0 / 1_000_000;
/// assert_eq!((done(&mut wire), done(&mut wire)), (1_001, 2_001));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Wire {
    link: Option<Link>,
    free: Nanos,
}

impl Wire {
    /// Returns one that carries nothing yet.
    #[must_use]
    pub const fn new(link: Option<Link>) -> Self {
        Self { link, free: Nanos::ZERO }
    }

    /// Returns when a request of `size` that the server is done with at `now` is through.
    pub fn carry(&mut self, size: Bytes, now: Nanos) -> Nanos {
        let Some(link) = self.link else { return now };
        self.free = self.free.max(now) + link.rate.time_for(size);
        self.free + link.round_trip
    }
}
