//! The live machine: the edges that read it and change its settings.

pub mod capture;
mod memory;
mod module;
pub mod observe;
pub mod plain;
pub mod tune;

pub use memory::free_memory;
pub use module::module_version;
