//! A trace with one in `k` of its blocks, which are chosen by a hash of their numbers: all accesses to a block stay, or
//! none (SHARDS: Waldspurger and others, FAST 2015).
#![expect(clippy::indexing_slicing, reason = "blocks are below the number that the trace says")]

use arcwright_workload::traces::{Bits, Trace};

const GONE: u32 = u32::MAX;
/// Blocks that a thinned trace has at least: with fewer, chance moves the curve by more than a point.
const BLOCKS_MIN: u32 = 1 << 15;
/// Thinnings of a trace that is thinned at all.
const SEEDS: u64 = 3;

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

/// Returns a long trace thinned several times, each with other blocks, to no more than twice as many as a curve needs,
/// however long it is; a short one as it is.
#[must_use]
pub fn thinnings(trace: &Trace) -> Vec<Thinned> {
    // A power of two, so that two curves of one trace can be compared.
    let one_in = 1 << (trace.pages / BLOCKS_MIN).max(1).ilog2();
    let seeds = if one_in == 1 { 1 } else { SEEDS };
    (1..=seeds).map(|seed| thin(trace, one_in, seed)).collect()
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
