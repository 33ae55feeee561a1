//! Where a block lies, as it is and in eight bytes.

use crate::ids::{VdevId, number_of};

/// Where a block lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The top-level vdev, or the cache device.
    pub(crate) vdev: VdevId,
    /// The offset in it.
    pub(crate) offset: u64,
}

/// A place in eight bytes: the vdev in the highest one, offsets up to 64 PiB below.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Packed(u64);

const OFFSET_BITS: u32 = 56;

impl Packed {
    pub(crate) fn new(place: Place) -> Self {
        Self(u64::from(place.vdev.0) << OFFSET_BITS | place.offset)
    }

    /// The place of what has none yet.
    pub(crate) const NOWHERE: Self = Self(u64::MAX);

    pub(crate) fn is_nowhere(self) -> bool {
        self.0 == u64::MAX
    }

    pub(crate) fn place(self) -> Place {
        let vdev = VdevId(number_of(self.0 >> OFFSET_BITS));
        Place { vdev, offset: self.0 & ((1 << OFFSET_BITS) - 1) }
    }
}
