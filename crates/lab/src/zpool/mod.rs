//! OpenZFS as a library: loading it, setting its tunables, building pools, reading and writing.
//!
//! Everything here calls functions that `libzpool` exports, by name; see [`library`].

mod attributes;
pub(crate) mod dataset;
pub(crate) mod directory;
pub(crate) mod file;
pub(crate) mod functions;
pub(crate) mod intent_log;
mod key;
pub(crate) mod library;
pub(crate) mod nvlist;
pub(crate) mod object;
pub(crate) mod pool;
pub(crate) mod tunable;
pub(crate) mod znode;
