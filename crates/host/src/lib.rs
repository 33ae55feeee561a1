//! The live machine: the edges that read it and change its settings.

pub mod capture;
pub mod observe;
pub mod plain;
pub mod tune;
