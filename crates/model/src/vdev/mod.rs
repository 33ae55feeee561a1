//! Vdevs: geometry, the queue in front of each disk, and the disk itself.

mod class;
pub(crate) mod device;
mod draid;
pub(crate) mod geometry;
pub(crate) mod leaf;
pub(crate) mod queue;
mod sorted;
