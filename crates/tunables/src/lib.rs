//! The catalogue of OpenZFS parameters, and the decisions of changing them.
//!
//! Every parameter that the project mentions is one entry of the data files in `catalogue/`;
//! [`lookup`] finds it under its Linux name or one of its FreeBSD names, and [`nearest`] helps who
//! mistyped it. [`RequestedSetting`] and [`Profile`] are what somebody wants, [`Plan`] is what would be done on a
//! machine that runs [`Running`], [`persist`] is how it outlives a boot. Not the place where a
//! parameter is set: engines and the host do that.
//!
//! ```
//! use arcwright_tunables::{Kernel, Version, lookup, nearest};
//!
//! let entry = lookup("l2arc_write_max").unwrap();
//! let release = |text: &str| Version::parse(text).unwrap();
//! // The default depends on the version.
//! assert_ne!(
//!     entry.default_on(Kernel::Linux, release("2.1.5")),
//!     entry.default_on(Kernel::Linux, release("2.3.2")),
//! );
//! assert!(lookup("l2arc_wirte_max").is_none());
//! assert!(nearest("l2arc_wirte_max").is_some());
//! ```

mod arc;
mod catalogue;
mod entry;
mod error;
mod gone;
mod hazard;
pub mod journal;
mod modelled;
pub mod persist;
mod persisted;
pub mod plan;
mod profile;
mod reference;
mod requested;
mod running;
mod value;
mod version;

#[cfg(test)]
mod sample;

pub use arc::default_arc_max;
pub use catalogue::{entries, lookup, nearest};
pub use entry::{
    DISTANCE_MIN, DefaultValue, Entry, Kernel, Module, Scales, SetWhen, Unit, VersionSpan, Width,
};
pub use error::{EditError, TuneError};
pub use gone::{Removed, gone};
pub use hazard::{Condition, Hazard, HazardKind};
pub use modelled::Modelled;
pub use persisted::Persisted;
pub use plan::{Plan, Purpose, Skipped, Step, StepHazard};
pub use profile::{Profile, ProfileRequest};
pub use reference::reference;
pub use requested::{RequestedSetting, named};
pub use running::{Running, Seen};
pub use value::Value;
pub use version::{Version, VersionError};
