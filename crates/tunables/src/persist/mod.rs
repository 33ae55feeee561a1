//! Where settings are kept so that they outlive a boot, and how the texts there are read and edited.
//!
//! Only texts go in and out; an edge reads and writes the files. Arcwright writes a marked block and
//! nothing outside it, so that no line of anybody else is ever touched.

mod block;
mod command;
mod edit;
mod middleware;
mod place;
mod platform;
mod scan;

pub use command::Command;
pub use edit::{Setting, adopt, set, settings_of, unset};
pub use middleware::{Change, Record};
pub use place::{Conflict, FileEdit, Persistence, Places, persist, unpersist};
pub use platform::{ConfigLocation, HOMES, PROBES, Platform, PlatformProbe};
pub use scan::{CONFIG_BYTES_MAX, ConfigFile, Syntax, modprobe_order, of_zfs, scan};

#[cfg(test)]
mod tests;
