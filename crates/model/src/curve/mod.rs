//! Miss-ratio curves: what a trace would find in caches of any size.
//!
//! - *LRU*, exactly, for all sizes in one pass: the reuse distance of each access ([`lru_curve`]; Mattson and others, IBM
//!   Systems Journal 9/2, 1970; Olken, 1981), on a bit for each position in time and sums over chunks of them. Or of a
//!   fixed number of blocks, with the correction below ([`sampled_lru_curve`]).
//! - *OpenZFS's ARC and L2ARC*, which are no stack, by simulation of each size ([`replay_caches`]). A long trace is thinned
//!   first: one in `k` of its blocks is kept, by a hash of its number, and the caches are as much smaller ([`thin`];
//!   Waldspurger and others, FAST 2015 and ATC 2017). Two thinnings with other hashes tell how far chance goes.
//!
//! Worked case: accesses a b c a. The second a has a reuse distance of three blocks (b, c and itself), so an LRU of
//! three blocks has one hit in four, one of two has none.

mod caches;
mod distances;
mod knee;
mod lru;
mod plan;
mod question;
mod replay;
mod thin;

pub use knee::knee;
pub use lru::{lru_curve, sampled_lru_curve};
pub use plan::{CacheSizes, CurveJob, CurvePlan, PlannedCurve};
pub use question::{CurveCache, CurveQuestion, CurveQuestionError, CurveWork};
pub use replay::{CachesSpec, Replayed, replay_caches};
pub use thin::{Thinned, thin, thinnings};

use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::Trace;

/// What a cache of one size finds, as shares of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The ARC's size.
    pub size: Bytes,
    /// The L2ARC's size; zero: none.
    pub l2arc: Bytes,
    /// Hits of all accesses that count.
    pub hits: f64,
    /// Bytes of hits of all bytes.
    pub byte_hits: f64,
    /// Hits of the L2ARC of all accesses that count; zero without one.
    pub l2_hits: f64,
    /// Bytes that were written to the L2ARC.
    pub l2_written: Bytes,
    /// Time that the trace spans, of which that is known where there is an L2ARC.
    pub span: Nanos,
    /// The least and the most that other thinnings found for `hits` and `l2_hits` together.
    pub range: [f64; 2],
}

/// A curve over sizes that grow.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its points.
    pub points: Vec<CurvePoint>,
    /// Accesses that count: all but writes.
    pub counted: u64,
    /// Blocks, and the bytes of all of them.
    pub blocks: u32,
    /// Bytes of all blocks: an ARC of this size has everything.
    pub footprint: Bytes,
    /// One in so many blocks was looked at; 1: all.
    pub one_in: u32,
}

/// Returns `count` sizes up to `largest` in equal steps, the last of them `largest`.
#[must_use]
pub fn even_sizes(largest: Bytes, count: u32) -> Vec<Bytes> {
    let count = u64::from(count.max(1));
    (1..=count).map(|step| Bytes(mul_div(largest.0, step, count).max(1))).collect()
}

/// Returns sizes that people have: powers of two and those between (1, 1.5, 2, 3, 4, 6, … GiB), up to one that holds
/// everything, at most 18 of them.
#[must_use]
pub fn handy_sizes(everything: Bytes) -> Vec<Bytes> {
    const MOST: usize = 18;
    let mut sizes = Vec::new();
    let mut power = 1u64 << 20;
    while power < 1 << 62 {
        sizes.push(Bytes(power));
        if power >= everything.0 {
            break;
        }
        let between = power / 2 * 3;
        sizes.push(Bytes(between));
        if between >= everything.0 {
            break;
        }
        power *= 2;
    }
    let first = sizes.len().saturating_sub(MOST);
    sizes.split_off(first)
}

fn mul_div(value: u64, by: u64, of: u64) -> u64 {
    u64::try_from(u128::from(value) * u128::from(by) / u128::from(of)).unwrap_or(u64::MAX)
}

/// Returns the bytes of all blocks of a trace.
#[must_use]
pub fn footprint(trace: &Trace) -> Bytes {
    Bytes(trace.bytes.iter().map(|bytes| u64::from(*bytes)).sum())
}

/// Returns the share of hits of a thinned trace, of which `expected` accesses should have been seen. Chance keeps some too
/// many or too few, nearly all of them to the few blocks that are used most, which are in any cache (SHARDS-adj).
fn corrected(hits: f64, seen: f64, expected: f64) -> f64 {
    share(hits + expected - seen, expected)
}

/// A share that knows what to do when there is nothing.
fn share(part: f64, of: f64) -> f64 {
    if of > 0.0 { (part / of).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests;
