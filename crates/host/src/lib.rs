//! The live machine: the edges that read it and change its settings.
//!
//! ```no_run
//! use arcwright_host::capture::open;
//! use arcwright_machine::Machine;
//!
//! // A capture, a folder, or a file of pasted text; `observe` reads the machine itself.
//! let machine = Machine::read(&open("nas.tar.gz".as_ref())?);
//! for pool in &machine.pools {
//!     println!("{}: {:?}", pool.name, machine.zfs);
//! }
//! # Ok::<(), arcwright_host::capture::CaptureError>(())
//! ```

pub mod calibrate;
pub mod capture;
mod clock;
pub mod file_trace;
mod memory;
mod module;
pub mod observe;
pub mod plain;
pub mod read_history;
pub mod record;
mod root;
mod scenario_folder;
pub mod ssd;
pub mod traces;
pub mod tune;

pub use memory::free_memory;
pub use module::{host_name, module_version};
pub use root::{Root, RootedPath};
pub use scenario_folder::ScenarioFolder;
