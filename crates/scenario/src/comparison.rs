//! The question answered: which sentence of an answer holds is drawn from the result.
//!
//! The figures come with it, for sentences that ask for them.

use crate::answer::{Answer, Difference, Measure, Place};
use crate::outcome::{Outcome, PhaseRun};

/// A comparison with its figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The number of the place, in the measure's own unit.
    pub value: f64,
    /// The number that it is compared with.
    pub other: Option<f64>,
    /// How it came out; better where nothing is compared.
    pub difference: Difference,
}

impl Answer {
    /// Returns what `outcome` says; none where an arm or phase did not run or has no such number.
    #[must_use]
    pub fn find(&self, outcome: &Outcome) -> Option<Comparison> {
        let value = self.place.number(self.measure, outcome)?;
        let Some(against) = &self.against else {
            return Some(Comparison { value, other: None, difference: Difference::Better });
        };
        let other = against.number(self.measure, outcome)?;
        let more = (value - other) / value.max(other).max(f64::MIN_POSITIVE);
        let difference = match more {
            more if more.abs() <= self.alike => Difference::Same,
            more if (more > 0.0) == self.measure.more_is_better() => Difference::Better,
            _ => Difference::Worse,
        };
        Some(Comparison { value, other: Some(other), difference })
    }
}

impl Place {
    fn number(&self, measure: Measure, outcome: &Outcome) -> Option<f64> {
        let arm = outcome.arms.iter().find(|arm| arm.name == self.arm)?;
        let run = arm.phases.iter().find(|run| run.name == self.phase)?;
        measure.of(run)
    }
}

impl Measure {
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
