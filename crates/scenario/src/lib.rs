//! The experiment file, its outcome, and the engines that run it.
//!
//! [`Scenario`] is what was asked, [`Outcome`] is what an engine found. Everything above reads
//! outcomes and does not know which engine made them.

mod answer;
mod engine;
mod error;
mod experiment;
mod finding;
mod histogram;
mod life_size;
mod limits;
mod measure;
mod outcome;
mod overrides;
mod parse;
mod processor;
mod reported;
mod scaling;
mod selection;
mod start;
mod statistics;
mod system;

pub use answer::{Answer, Measure, Place, Verdict};
pub use engine::{Engine, EngineError, Event, Reading, RunRequest, Unwatched, Watch};
pub use error::ScenarioError;
pub use experiment::{Arm, FileSpec, LabClock, LabSettings, Phase, Properties, Scenario, TreeSpec};
pub use finding::Finding;
pub use histogram::Histogram;
pub use life_size::to_life_size;
pub use limits::{ARC_MAX_SMALLEST, ArcLimits};
pub use measure::{Measured, Observation, Tally};
pub use outcome::{
    AppliedSetting, ArmOutcome, ArmRun, Bucket, ClientRun, DeviceRun, EngineFacts, Latency,
    Outcome, OutputVersion, PhaseRun, Role,
};
pub use overrides::{OverrideError, apply_override};
pub use processor::{Costs, Processor, processor, required_processor};
pub use reported::{Figure, Reported};
pub use selection::UnknownArm;
pub use start::{feed_rng, until_first_feed};
pub use system::{
    CacheContent, Compression, Disk, Layout, Logbias, Os, Pool, Setting, SyncMode, System, Vdev,
};
