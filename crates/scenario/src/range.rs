//! How far the figures of a prediction may be off, by what checks of comparable experiments found.

use serde::{Deserialize, Serialize};

/// The ranges of all figures of a prediction.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Ranges {
    /// Share of comparable checks whose truth was within the range, 0 to 1.
    pub share: f64,
    /// Experiments that were checked in all.
    pub checked: u32,
    /// One entry per arm and phase that finished.
    pub places: Vec<RangesOfPlace>,
    /// One entry per answer of the scenario, in its order; absent where the answer finds no figure.
    pub answers: Vec<Option<RangeOfAnswer>>,
}

/// The ranges of one arm and phase; a figure that was never checked has none.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct RangesOfPlace {
    /// Name of the arm.
    pub arm: String,
    /// Name of the phase.
    pub phase: String,
    /// In what it is outside of all that was checked, in words; there are no ranges then.
    pub outside: Vec<String>,
    /// Bytes per second.
    pub throughput_bytes_per_sec: Option<Span>,
    /// Throughput as a multiple of the first arm's; absent in the first arm.
    pub times_first_arm: Option<Span>,
    /// Hits of ARC accesses, 0 to 1.
    pub arc_hit_ratio: Option<Span>,
    /// Half of the synchronous writes took no longer, nanoseconds.
    pub sync_p50_ns: Option<Span>,
    /// 99 % of the synchronous writes took no longer, nanoseconds.
    pub sync_p99_ns: Option<Span>,
    /// What all requests took, added up, nanoseconds; of recorded traces alone.
    #[serde(default)]
    pub wait_ns: Option<Span>,
    /// The same as a multiple of the first arm's; absent in the first arm.
    #[serde(default)]
    pub wait_times_first_arm: Option<Span>,
}

/// The range of the figure that an answer rests on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RangeOfAnswer {
    /// How many times the one figure is the other.
    Times(Span),
    /// The figure itself, in the measure's own unit.
    Figure(Span),
    /// Nothing like it was ever checked.
    NeverChecked,
}

/// From where to where a figure may lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Span {
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

impl Span {
    /// Returns whether a figure lies within.
    #[must_use]
    pub fn holds(&self, figure: f64) -> bool {
        (self.low..=self.high).contains(&figure)
    }
}

impl Ranges {
    /// Returns the ranges of an arm and phase.
    #[must_use]
    pub fn of(&self, arm: &str, phase: &str) -> Option<&RangesOfPlace> {
        self.places.iter().find(|place| place.arm == arm && place.phase == phase)
    }
}
