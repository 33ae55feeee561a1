//! The port through which every engine is asked.
//!
//! ```text
//!   caller                         engine
//!     | run(request, watch) ------->|
//!     |<---- watch.event(Stage) ----|   building, calibrating, an arm begins
//!     |<---- watch.event(Progress) -|   at least once a second while it works
//!     |<---- watch.event(Reading) --|   its counters, as often as the watch wants them
//!     |<---- watch.event(Finished) -|   an arm's repeat is complete and may be kept
//!     |      watch.stop() == true ->|   the engine stops soon, tidies up,
//!     |<------- Ok(Outcome) --------|   and returns what is complete
//! ```

use arcwright_kstat::Snapshot;
use arcwright_units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::experiment::Scenario;
use crate::outcome::{DeviceRun, Outcome};
use crate::processor::{Processor, processor_names};
use crate::system::System;

/// What an engine is asked to run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    /// The experiment, already checked and already reduced to the arms wanted.
    pub scenario: Scenario,
    /// How often every arm runs; repeats are interleaved (A B A B), not blocked (A A B B).
    pub repeats: u32,
}

/// Something that happened during a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A new step begins: `building the pool`, `arm “as installed”, run 1 of 3`.
    Stage(String),
    /// How far the whole run is.
    Progress {
        /// Work done so far in any unit.
        done: u64,
        /// All the work, same unit; may be corrected as the run goes on.
        total: u64,
        /// The engine's own estimate of the time left, when it has one.
        left: Option<Nanos>,
    },
    /// One repeat of one arm is complete.
    Finished {
        /// Name of the arm.
        arm: String,
        /// Counts from 0.
        repeat: u32,
    },
    /// All counters at one moment of a run.
    Reading(Box<CounterReading>),
    /// Something the user should know now, one sentence.
    Note(String),
}

/// All counters at one moment of a run, as they are: of a scaled run, scaled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterReading {
    /// Name of the arm.
    pub arm: String,
    /// Name of the phase.
    pub phase: String,
    /// The kernel statistics, with the virtual time.
    pub kstats: Snapshot,
    /// What each device has done since the run's start.
    pub devices: Vec<DeviceRun>,
    /// Bytes that clients have read since the phase began; none where clients do not all read, or all write.
    pub moved: Option<Bytes>,
    /// Bytes that clients have written since the phase began; none likewise.
    pub written: Option<Bytes>,
}

/// Receives events and may ask for an early end.
pub trait Watch {
    /// Takes note of an event; must return quickly.
    fn event(&mut self, event: Event);

    /// Returns true once the run should end early; asked at least ten times a second.
    fn stop(&self) -> bool;

    /// Returns how much virtual time lies between two [`Event::Reading`]s; none when nobody wants any.
    fn reading_every(&self) -> Option<Nanos> {
        None
    }
}

/// Nobody watches: nothing is reported and nothing is stopped.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn event(&mut self, _event: Event) {}

    fn stop(&self) -> bool {
        false
    }
}

/// Why an engine could not do what was asked.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The experiment asks for something this engine cannot do; nothing was run.
    #[error("the {engine} engine cannot run this scenario: {what}")]
    Unsupported {
        /// Name of the engine.
        engine: &'static str,
        /// What it cannot do, named as in the scenario file.
        what: String,
        /// What would help.
        hint: Option<String>,
    },
    /// It would take more than the machine has or the user allows; nothing was run.
    #[error("{what}")]
    TooLarge {
        /// What it would take, and for what, named as in the scenario file.
        what: String,
        /// How to make it smaller, or how to allow it.
        hint: String,
    },
    /// Something is missing on this machine; nothing was run.
    #[error("{what}")]
    Missing {
        /// What is missing.
        what: String,
        /// The command that brings it.
        hint: String,
    },
    /// The run began and failed.
    #[error("{what}")]
    Failed {
        /// What failed.
        what: String,
        /// What would help.
        hint: Option<String>,
    },
}

impl EngineError {
    /// Returns that `engine` does not run what a client of a phase does.
    #[must_use]
    pub fn client(engine: &'static str, phase: &str, action: &str) -> Self {
        let hint = "use clients that read or write files or trees";
        Self::Unsupported {
            engine,
            what: format!("phase “{phase}” has a client “{action}”"),
            hint: Some(hint.to_owned()),
        }
    }
}

/// Runs experiments.
pub trait Engine {
    /// Returns the engine's name: `lab`, `model`, `pool`.
    fn name(&self) -> &'static str;

    /// Says whether the engine can run `scenario`, without running it.
    ///
    /// # Errors
    /// [`EngineError::Unsupported`] or [`EngineError::Missing`] naming the first thing in the way.
    fn check(&self, scenario: &Scenario) -> Result<(), EngineError>;

    /// Runs the experiment; calls `check` itself before it starts.
    ///
    /// # Errors
    /// [`EngineError`]; a run that was stopped early is not an error but an outcome whose
    /// `interrupted` is true and which holds the arms that finished.
    fn run(&mut self, request: &RunRequest, watch: &mut dyn Watch) -> Result<Outcome, EngineError>;
}

impl System {
    /// Returns its processor, for an engine that cannot do without.
    ///
    /// # Errors
    /// [`EngineError::Unsupported`] with the names of all profiles.
    pub fn required_processor(&self, engine: &'static str) -> Result<Processor, EngineError> {
        self.processor().ok_or_else(|| EngineError::Unsupported {
            engine,
            what: format!("no processor profile is called “{}”", self.cpu),
            hint: Some(format!("profiles known: {}", processor_names().join(", "))),
        })
    }
}
