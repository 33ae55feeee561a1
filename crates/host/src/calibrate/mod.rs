//! Measuring the owner's machine: what its processor takes for the work of OpenZFS, and how a disk answers reads.
//!
//! Nothing is written and nothing is installed. What is measured of a disk, and what follows from it, is planned and
//! computed in [`arcwright_device::probe`]; here are its clock, its threads and the open file.
//!
//! ```text
//!   processor: rounds of each kind of work ──> medians ──> processor file
//!   device:    look at the path ─> open for reading ─> ProbeTarget ─> arcwright_device::probe ──> device file
//! ```

mod cipher;
mod fletcher;
mod look;
mod processor;
mod reads;
mod rounds;

pub use look::{DeviceLook, LookError, ProbedKind};
pub use processor::{ProcessorCosts, Spread, measure_processor};
pub use reads::{ProbedDevice, ReadLimits, ReadProgress};
