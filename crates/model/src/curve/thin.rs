//! A trace with one in `k` of its blocks, which are chosen by a hash of their numbers: all accesses to a block stay, or
//! none (SHARDS: Waldspurger and others, FAST 2015).
#![expect(clippy::indexing_slicing, reason = "blocks are below the number that the trace says")]

use arcwright_workload::traces::{Bits, Trace};

const GONE: u32 = u32::MAX;

/// A thinned trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinned {
    /// What is left of it.
    pub trace: Trace,
    /// One in so many blocks was kept.
    pub one_in: u32,
    /// Accesses of the whole trace that are no writes.
    pub counted: u64,
}

/// Returns one in `one_in` blocks of a trace with their accesses; `seed` says which.
#[must_use]
pub fn thin(trace: &Trace, one_in: u32, seed: u64) -> Thinned {
    let counted = trace.accesses.len() as u64 - trace.writes.count();
    let mut names = vec![GONE; trace.pages as usize];
    let mut kept = Trace { block_bytes: trace.block_bytes, ..Trace::default() };
    for (block, name) in names.iter_mut().enumerate() {
        if is_kept(block as u64, one_in, seed) {
            *name = kept.pages;
            kept.pages += 1;
            kept.bytes.push(trace.bytes[block]);
        }
    }
    let mut writes = Bits::default();
    let has_writes = counted < trace.accesses.len() as u64;
    for (index, block) in trace.accesses.iter().enumerate() {
        let name = names[*block as usize];
        if name == GONE {
            continue;
        }
        if has_writes && trace.writes.contains(index) {
            writes.insert(kept.accesses.len());
        }
        kept.accesses.push(name);
        if let Some(millis) = trace.millis.get(index) {
            kept.millis.push(*millis);
        }
    }
    kept.writes = writes;
    Thinned { trace: kept, one_in: one_in.max(1), counted }
}

fn is_kept(block: u64, one_in: u32, seed: u64) -> bool {
    let mixed =
        (block ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x632b_e59b_d9b4_e019);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let part = (mixed ^ (mixed >> 31)) >> 32;
    part * u64::from(one_in.max(1)) < 1 << 32
}
