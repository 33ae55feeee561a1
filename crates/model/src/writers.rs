//! In which order the threads that write a file place its blocks: nearly that of the file.
//!
//! Several threads compress, checksum and then place blocks (`z_wr_iss`, zio.c): one that is held up comes
//! after its followers. What holds it up is measured in time, so blocks of 16 KiB change places with their
//! neighbours now and then, those of 128 KiB hardly ever.

use arcwright_units::{Bytes, Rate};
use arcwright_workload::Stream;

/// How fast the threads that write place blocks, all together.
const WRITE_RATE: Rate = Rate(2 << 30);
/// How often, in thousands, a thread that writes to a raidz is held up for a moment, and for how long
/// at most in nanoseconds. From the order of blocks of 16 KiB in the lab's images: 3 to 11 of 100 have
/// changed places with a neighbour, none in pools without parity.
const MOMENT: (u64, u64) = (60, 16_000);
/// Seed of what holds threads up.
const WRITERS_SEED: u64 = 1;

/// Returns the blocks of a file in a pool with parity in the order in which they are placed, and when
/// each is.
pub(crate) fn order_of(count: u32, bytes: u64) -> Vec<(u64, u32)> {
    let mut chance = Stream::new(WRITERS_SEED, "write threads");
    let step = WRITE_RATE.time_for(Bytes(bytes)).0;
    let placed = |index: u32| (u64::from(index) * step + held_up(&mut chance), index);
    let mut order: Vec<(u64, u32)> = (0..count).map(placed).collect();
    order.sort_unstable();
    order
}

/// Returns for how many nanoseconds the thread of a block is held up.
fn held_up(chance: &mut Stream) -> u64 {
    if chance.below(1000) < MOMENT.0 { chance.below(MOMENT.1) } else { 0 }
}
