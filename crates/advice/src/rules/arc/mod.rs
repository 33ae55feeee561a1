//! The ARC: its size and limits, metadata, the dbuf cache, prefetch.

pub(super) mod busy_threads;
pub(super) mod collapsed;
pub(super) mod dbuf_cache;
pub(super) mod dnode_limit;
pub(super) mod eviction;
pub(super) mod larger;
pub(super) mod limits;
pub(super) mod memory;
pub(super) mod memory_signs;
pub(super) mod meta_limit;
pub(super) mod metadata;
mod metadata_open;
mod metadata_remedy;
pub(super) mod metadata_uncached;
pub(super) mod minimum;
pub(super) mod misses;
pub(super) mod over;
pub(super) mod prefetch;
pub(super) mod prefetch_off;
pub(super) mod room;
pub(super) mod slabs;
pub(super) mod small;
pub(super) mod squeezed;
pub(super) mod swap_full;
pub(super) mod swapped;
pub(super) mod throttled;
pub(super) mod wired;
