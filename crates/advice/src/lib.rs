//! What the counters and settings of a machine say, in findings.
//!
//! ```text
//!   Machine ──View──> rules, one per file ──> findings, what is fine, what could not be judged
//!                        └── the model is asked what a remedy would bring
//! ```
//!
//! A rule looks at one thing and says what it found, that it is fine, or why it cannot tell; it
//! never guesses. Nothing here reads a machine or prints.

mod accesses;
mod advise;
mod catalogue;
mod changes;
mod config;
mod drives;
mod finding;
mod format;
mod headline;
mod model;
mod predict;
mod reconcile;
mod rows;
mod rule;
mod rules;
mod verdict;
mod versions;
mod view;

pub use advise::{Advice, Estimate, Reading, Unjudged, Unread, advise};
pub use catalogue::{KNOWN, Known, known};
pub use finding::{Area, Confidence, Evidence, Finding, Gain, Level, Over, Remedy, Severity};
pub use predict::{Prediction, predict};
pub use verdict::Fine;
pub use view::Basis;
