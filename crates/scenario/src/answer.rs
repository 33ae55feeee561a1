//! What a result would mean, in words: a comparison, and a sentence for every way it can come out.
//!
//! An answer compares one number of two places of the experiment, an arm and a phase each. Which of its
//! sentences holds is decided by what an engine found (`comparison.rs`).

use serde::{Deserialize, Serialize};

/// One comparison and what it would mean.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Answer {
    /// What is looked at.
    pub measure: Measure,
    /// Where.
    pub place: Place,
    /// What it is compared with; a single figure is stated when absent.
    pub against: Option<Place>,
    /// Differences up to this share are no difference.
    pub alike: f64,
    /// Said when the place does better.
    pub better: String,
    /// Said when there is no difference.
    pub same: String,
    /// Said when the place does worse.
    pub worse: String,
}

/// A phase of an arm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Place {
    /// Name of the arm.
    pub arm: String,
    /// Name of the phase.
    pub phase: String,
}

/// A number of a phase.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Bytes per second; more is better.
    #[default]
    Throughput,
    /// Requests or files per second; more is better.
    Operations,
    /// Hits of ARC accesses; more is better.
    ArcHits,
    /// Hits of accesses to metadata; more is better.
    MetadataHits,
    /// Time that half of the synchronous writes take at most; less is better.
    SyncLatency,
    /// Time that 99 % of the synchronous writes take at most; less is better.
    SyncLatencyP99,
    /// The most that the log devices held; less is better.
    LogBytes,
    /// Bytes read from the data disks; less is better.
    DiskReads,
}

/// How a comparison came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// The place does better.
    Better,
    /// There is no difference.
    Same,
    /// The place does worse.
    Worse,
}

impl Measure {
    /// All, with their names in scenario files.
    pub const NAMES: [(&'static str, Self); 8] = {
        const fn named(measure: Measure) -> (&'static str, Measure) {
            (measure.name(), measure)
        }
        [
            named(Self::Throughput),
            named(Self::Operations),
            named(Self::ArcHits),
            named(Self::MetadataHits),
            named(Self::SyncLatency),
            named(Self::SyncLatencyP99),
            named(Self::LogBytes),
            named(Self::DiskReads),
        ]
    };

    /// Returns its name in scenario files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Operations => "operations",
            Self::ArcHits => "arc-hits",
            Self::MetadataHits => "metadata-hits",
            Self::SyncLatency => "sync-latency",
            Self::SyncLatencyP99 => "sync-latency-p99",
            Self::LogBytes => "log-bytes",
            Self::DiskReads => "disk-reads",
        }
    }

    /// Returns whether more of it is better.
    #[must_use]
    pub const fn more_is_better(self) -> bool {
        matches!(self, Self::Throughput | Self::Operations | Self::ArcHits | Self::MetadataHits)
    }
}

impl Answer {
    /// Returns the sentence for a difference.
    #[must_use]
    pub fn sentence(&self, difference: Difference) -> &str {
        match difference {
            Difference::Better => &self.better,
            Difference::Same => &self.same,
            Difference::Worse => &self.worse,
        }
    }
}
