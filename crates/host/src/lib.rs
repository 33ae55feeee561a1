//! The live machine: the edges that read it and change its settings.

pub mod tune;
