//! The experiment file, its outcome, and the engines that run it.
//!
//! [`Scenario`] is what was asked, [`Outcome`] is what an engine found. Everything above reads
//! outcomes and does not know which engine made them.
//!
//! ```
//! use arcwright_scenario::{Scenario, apply_override};
//!
//! const FILE: &str = r#"
//! title = "A film, read twice"
//! system = { zfs = "2.3.2", memory = "4GiB", pool = { data = ["hdd-nas-7200"] } }
//! file = [{ name = "film.mkv", size = "2GiB" }]
//! phase = [{ name = "first read", clients = [{ read = "film.mkv", io = "1MiB" }] }]
//! "#;
//! let scenario = Scenario::parse(FILE, "film.toml").unwrap();
//! assert_eq!(scenario.phases[0].name, "first read");
//!
//! // As `arcwright run --set` does; errors name the line and the nearest valid name.
//! let text = apply_override(FILE, "system.memory", "8GiB").unwrap();
//! assert_ne!(Scenario::parse(&text, "film.toml").unwrap().system, scenario.system);
//! assert!(Scenario::parse("title = 1", "film.toml").is_err());
//! ```

mod answer;
mod busy;
mod comparison;
mod dataset;
mod disk;
mod engine;
mod error;
mod experiment;
mod full_scale;
mod gallery;
mod histogram;
mod idle;
mod inherit;
mod limits;
mod measure;
mod notes;
mod outcome;
mod overrides;
mod parse;
mod platform;
mod playing;
mod processor;
mod range;
mod reported;
mod sampler;
mod scaling;
mod selection;
mod series;
mod start;
mod statistics;
mod system;
mod unanswered;
mod unverified;
mod warm;

pub use answer::{Answer, Difference, Measure, Place};
pub use arcwright_tunables::Kernel;
pub use comparison::Comparison;
pub use dataset::{
    CacheContent, Compression, DatasetKind, DatasetProperties, DatasetSpec, Encryption, Logbias,
    Properties, SyncMode,
};
pub use disk::{DeviceText, Disk, LinkSpec};
pub use engine::{CounterReading, Engine, EngineError, Event, RunRequest, Unwatched, Watch};
pub use error::ScenarioError;
pub use experiment::{
    Arm, FileSpec, LabClock, LabSettings, Phase, SCENARIO_BYTES_MAX, Scenario, Transfers, TreeSpec,
};
pub use full_scale::to_full_scale;
pub use gallery::{GALLERY, GalleryScenario, gallery_job};
pub use histogram::Histogram;
pub use limits::{ARC_MAX_SMALLEST, ArcLimits};
pub use measure::{DeviceFacts, Measured, Observation, Tally};
pub use outcome::{
    AppliedSetting, ArmOutcome, ArmRun, Bucket, ClientLatency, ClientRun, DeviceRun, EngineFacts,
    Latency, LinkRun, Outcome, OutputVersion, PhaseRun, Role, WarmUp,
};
pub use overrides::{OverrideError, apply_override};
pub use parse::{
    Beside, Fetch, NAME_CHARS_MAX, PROFILE_BYTES_MAX, TextsBeside, WantedTrace, is_path,
};
pub use platform::{PLATFORMS, Platform};
pub use playing::{TRACE_LOAD, trace_phases, with_trace};
pub use processor::{Costs, Processor, ProcessorFigures, processor, processor_names};
pub use range::{RangeOfAnswer, Ranges, RangesOfPlace, Span};
pub use reported::{Figure, Reported};
pub use sampler::{SAMPLES_MAX, Sampler, SeriesSample};
pub use selection::UnknownArm;
pub use series::{DemandSeries, DeviceSeries, ReadClasses, ReadsByClass, Series};
pub use start::{feed_rng, until_first_feed};
pub use system::{PlaceInGroup, PoolSpec, Setting, System, VdevLayout, VdevSpec};
pub use warm::{ROUNDS_MAX_DEFAULT, Rounds};
