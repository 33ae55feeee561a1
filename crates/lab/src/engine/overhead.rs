//! What the emulation itself costs: the same reads on the bare library and on instant disks.
//!
//! Question: how much of what plain libzpool moves is left when its files are emulated disks that
//! take no time? Workload: cold sequential reads of one file, 128 KiB at a time, three disks in
//! raidz1. Noise: the two are measured in turns, several times, and medians are compared.

use arcwright_scenario::{EngineError, Event, Scenario, Watch};
use arcwright_units::Rate;

use super::Lab;

/// The two rates, measured in turns in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Overhead {
    /// Version of the library.
    pub openzfs: String,
    /// Bytes per second of the bare library on plain files, one per turn.
    pub bare: Vec<Rate>,
    /// Bytes per second of the library on emulated disks that take no time, one per turn.
    pub emulated: Vec<Rate>,
}

impl Overhead {
    /// Returns the median of the emulated rates over the median of the bare ones.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        median(&self.emulated).0 as f64 / (median(&self.bare).0 as f64).max(1.0)
    }
}

/// The measured experiment: one file of 1 GiB, read once, cold, by one reader.
const SCENARIO: &str = r#"
title = "Emulation overhead"
question = "What do the emulated disks cost when they take no time?"
[system]
zfs = "2.1.11"
os = "linux"
memory = "1GiB"
cpu = "nas-quad"
[system.pool]
data = [{ raidz1 = [
  { device = "instant", size = "4GiB" },
  { device = "instant", size = "4GiB" },
  { device = "instant", size = "4GiB" },
] }]
[[arm]]
name = "as it is"
[[file]]
name = "test.dat"
size = "1GiB"
[[phase]]
name = "read"
clients = [{ read = "test.dat", io = "128KiB", pattern = "sequential" }]
"#;

/// Measures the overhead with `turns` turns.
///
/// # Errors
/// [`EngineError`] when the library is missing or a worker fails.
pub fn measure(lab: &Lab, turns: u32, say: &mut dyn FnMut(&str)) -> Result<Overhead, EngineError> {
    let scenario = Scenario::parse(SCENARIO, "overhead.toml")
        .map_err(|error| EngineError::Failed { what: error.to_string(), hint: None })?;
    let mut watch = Silent { say };
    lab.compare_surroundings(&scenario, turns, &mut watch)
}

/// Returns the middle value, the lower one of two.
pub(crate) fn median(rates: &[Rate]) -> Rate {
    let mut sorted = rates.to_vec();
    sorted.sort();
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

struct Silent<'a> {
    say: &'a mut dyn FnMut(&str),
}

impl Watch for Silent<'_> {
    fn event(&mut self, event: Event) {
        if let Event::Stage(stage) | Event::Note(stage) = event {
            (self.say)(&stage);
        }
    }

    fn stop(&self) -> bool {
        false
    }
}
