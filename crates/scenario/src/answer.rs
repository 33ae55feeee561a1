//! The question answered in words: which sentence holds is drawn from the result.
//!
//! An answer compares one number of two places of the experiment, an arm and a phase each, and has a
//! sentence for every way in which the comparison can come out. What an engine found decides which of
//! them is said; figures are put in where the sentence asks for them.

use serde::{Deserialize, Serialize};

use crate::outcome::{Outcome, PhaseRun};

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
pub enum Verdict {
    /// The place does better.
    Better,
    /// There is no difference.
    Same,
    /// The place does worse.
    Worse,
}

/// A comparison with its figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding {
    /// The number of the place, in the measure's own unit.
    pub value: f64,
    /// The number that it is compared with.
    pub other: Option<f64>,
    /// How it came out; better where nothing is compared.
    pub verdict: Verdict,
}

impl Measure {
    /// Names in scenario files.
    pub const NAMES: [(&'static str, Self); 8] = [
        ("throughput", Self::Throughput),
        ("operations", Self::Operations),
        ("arc-hits", Self::ArcHits),
        ("metadata-hits", Self::MetadataHits),
        ("sync-latency", Self::SyncLatency),
        ("sync-latency-p99", Self::SyncLatencyP99),
        ("log-bytes", Self::LogBytes),
        ("disk-reads", Self::DiskReads),
    ];

    /// Returns whether more of it is better.
    #[must_use]
    pub const fn more_is_better(self) -> bool {
        matches!(self, Self::Throughput | Self::Operations | Self::ArcHits | Self::MetadataHits)
    }

    /// Returns the number that `run` has; none where it was not measured.
    #[must_use]
    pub fn of(self, run: &PhaseRun) -> Option<f64> {
        let sync = run.sync_latency.as_ref();
        match self {
            Self::Throughput => Some(run.throughput_bytes_per_sec.0 as f64),
            Self::Operations => {
                let seconds = run.duration_ns.0 as f64 / 1e9;
                (seconds > 0.0).then(|| run.operations as f64 / seconds)
            }
            Self::ArcHits => run.arc_hit_ratio,
            Self::MetadataHits => run.metadata_hit_ratio,
            Self::SyncLatency => sync.map(|latency| latency.p50_ns.0 as f64),
            Self::SyncLatencyP99 => sync.map(|latency| latency.p99_ns.0 as f64),
            Self::LogBytes => run.log_bytes_max.map(|bytes| bytes.0 as f64),
            Self::DiskReads => Some(run.device_read_bytes.0 as f64),
        }
    }
}

impl Answer {
    /// Returns what `outcome` says; none where an arm or phase did not run or has no such number.
    #[must_use]
    pub fn find(&self, outcome: &Outcome) -> Option<Finding> {
        let value = self.place.number(self.measure, outcome)?;
        let Some(against) = &self.against else {
            return Some(Finding { value, other: None, verdict: Verdict::Better });
        };
        let other = against.number(self.measure, outcome)?;
        let more = (value - other) / value.max(other).max(f64::MIN_POSITIVE);
        let verdict = match more {
            more if more.abs() <= self.alike => Verdict::Same,
            more if (more > 0.0) == self.measure.more_is_better() => Verdict::Better,
            _ => Verdict::Worse,
        };
        Some(Finding { value, other: Some(other), verdict })
    }

    /// Returns the sentence for a verdict.
    #[must_use]
    pub fn sentence(&self, verdict: Verdict) -> &str {
        match verdict {
            Verdict::Better => &self.better,
            Verdict::Same => &self.same,
            Verdict::Worse => &self.worse,
        }
    }
}

impl Place {
    fn number(&self, measure: Measure, outcome: &Outcome) -> Option<f64> {
        let arm = outcome.arms.iter().find(|arm| arm.name == self.arm)?;
        let run = arm.phases.iter().find(|run| run.name == self.phase)?;
        measure.of(run)
    }
}
