//! A closed-loop client: one request outstanding, then think time, then the next request.

use arcwright_units::{Bytes, Nanos, Rate};
use serde::{Deserialize, Serialize};

/// What a client does with its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Reads.
    Read,
    /// Overwrites, without waiting for stable storage.
    Write,
    /// Overwrites, and waits for stable storage after every request (O_SYNC).
    SyncWrite,
    /// Reads and writes mixed at random.
    Mixed {
        /// The share of reads in percent, 0 to 100.
        read_pct: u8,
    },
    /// Copies a tree of small files: stat, open, read, create, write for each.
    TreeCopy,
    /// Plays a fio job file.
    Fio {
        /// The job file's path as written in the scenario.
        job: String,
    },
    /// Plays a recorded trace.
    Trace {
        /// The trace file's path as written in the scenario.
        path: String,
    },
}

impl Action {
    /// Returns the name used in scenario files and messages.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::SyncWrite => "sync-write",
            Self::Mixed { .. } => "mixed",
            Self::TreeCopy => "tree-copy",
            Self::Fio { .. } => "fio",
            Self::Trace { .. } => "trace",
        }
    }
}

/// The order in which a client visits its file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// From the start to the end, again from the start when more is wanted.
    Sequential,
    /// Every request-sized place with the same probability.
    Random,
    /// Places with a Zipf popularity, shuffled over the file.
    Zipf {
        /// The exponent, larger than 0; 1.0 is the classic case.
        exponent: f64,
    },
}

/// One closed-loop client of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Client {
    /// What it does.
    pub action: Action,
    /// The name of the scenario file (`[[file]]`) or tree that it works on.
    pub file: String,
    /// Bytes per request.
    pub io: Bytes,
    /// The order of the requests.
    pub pattern: Pattern,
    /// How much it moves in all; one pass over the file when absent.
    pub amount: Option<Bytes>,
    /// How long after the start of the phase it begins.
    pub start: Nanos,
    /// How long it pauses between a reply and the next request.
    pub think: Nanos,
    /// The most it moves per second; unlimited when absent.
    pub rate: Option<Rate>,
    /// A network link in front of it; local when absent.
    pub link: Option<Link>,
}

/// A network link between a client and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Bandwidth.
    pub rate: Rate,
    /// Round trip time per request.
    pub round_trip: Nanos,
}

impl Link {
    /// Returns how long a request that carries `size` is on the link, there and back.
    #[must_use]
    pub fn time(&self, size: Bytes) -> Nanos {
        self.round_trip + self.rate.time_for(size)
    }
}
