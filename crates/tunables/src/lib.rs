//! The catalogue of OpenZFS parameters: names, versions, units, defaults.
//!
//! Every parameter that the project mentions is one entry of the data files in `catalogue/`;
//! [`lookup`] finds it under its Linux name or one of its FreeBSD names, and [`nearest`] helps who
//! mistyped it. Not the place where a parameter is set: engines and the host do that.

mod arc;
mod catalogue;
mod entry;
mod gone;
mod hazard;
mod version;

pub use arc::default_arc_max;
pub use catalogue::{entries, lookup, nearest};
pub use entry::{DISTANCE_MIN, Default, Entry, Kernel, Module, Scales, SetWhen, Span, Unit, Width};
pub use gone::{Gone, gone};
pub use hazard::{Hazard, HazardKind, When};
pub use version::{Version, VersionError};
