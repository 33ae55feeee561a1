//! What the counters and settings of a machine say, in findings.
//!
//! ```text
//!   Machine ──View──> rules, one per file ──> findings, what is fine, what could not be judged
//!                        └── the model is asked what a remedy would bring
//! ```
//!
//! A rule looks at one thing and says what it found, that it is fine, or why it cannot tell; it
//! never guesses. Nothing here reads a machine or prints.
//!
//! ```
//! use arcwright_advice::{Estimate, advise};
//! use arcwright_machine::{Machine, Sources};
//!
//! let pasted = "\
//!   pool: tank
//!  state: ONLINE
//! config:
//!
//! \tNAME        STATE     READ WRITE CKSUM
//! \ttank        ONLINE       0     0     0
//! \t  mirror-0  ONLINE       0     0     0
//! \t    sda     ONLINE       0     0     0
//! \t    sdb     ONLINE       3     0     2
//!
//! errors: No known data errors
//! ";
//! let machine = Machine::read(&Sources::recognize(pasted));
//! let advice = advise(&machine, Estimate::CountersOnly);
//! let ids: Vec<&str> = advice.findings.iter().map(|finding| finding.id).collect();
//! assert!(ids.contains(&"device-errors"), "{ids:?}");
//! // Without counters the caches are not judged, and the advice says so.
//! assert!(!advice.unjudged.is_empty());
//! ```

mod accesses;
mod advise;
mod beside;
mod catalogue;
mod changes;
mod config;
mod datasets;
mod drives;
mod estimate;
mod facts;
mod finding;
mod format;
mod gains;
mod headline;
mod model;
mod one_device;
mod own_load;
mod praise;
mod predict;
mod reconcile;
mod refused;
mod rounding;
mod rows;
mod rule;
mod rules;
mod runs;
mod told;
mod verdict;
mod versions;
mod view;

pub use advise::{Advice, BusyDatasets, Reading, UNJUDGED_LINES, Unjudged, Unread, advise};
pub use catalogue::{KNOWN, Known, known};
pub use estimate::Estimate;
pub use facts::Fact;
pub use finding::{Area, Confidence, Evidence, Finding, Gain, Level, Over, Remedy, Severity};
pub use predict::{Prediction, predict};
pub use rules::larger_arc;
pub use verdict::Fine;
pub use view::Basis;
