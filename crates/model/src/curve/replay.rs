//! OpenZFS's ARC and L2ARC on a thinned trace.

use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};

use super::caches::{Caches, CachesOf, Found, feed_defaults};
use super::{Thinned, corrected, share};

/// Blocks that one pass of the feed must have room for in a thinned trace; passes are made rarer and larger until they
/// have.
const BLOCKS_OF_A_PASS: u64 = 4;
/// Times that passes are rarer at most: a minute at one pass a second.
const RARER_MAX: u64 = 60;

/// Caches at full size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CachesSpec {
    /// OpenZFS; none: the newest.
    pub version: Option<Version>,
    /// Whether its structures are those of the library in user space, which are larger, as in the lab.
    pub in_user_space: bool,
    /// The ARC.
    pub arc: Bytes,
    /// The L2ARC; zero: none.
    pub l2arc: Bytes,
    /// Bytes of a feed pass; none: the version's default.
    pub write_max: Option<Bytes>,
    /// Time between two accesses of the whole trace, where it has no times.
    pub step: Nanos,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replayed {
    /// Hits of the ARC as a share of the accesses that count.
    pub hits: f64,
    /// Bytes of them.
    pub byte_hits: f64,
    /// Hits of the L2ARC.
    pub l2_hits: f64,
    /// Bytes that the feed wrote, at full size.
    pub l2_written: Bytes,
    /// Time that the trace spans.
    pub span: Nanos,
}

/// Replays a thinned trace on caches that are as much smaller.
#[must_use]
#[expect(clippy::indexing_slicing, reason = "blocks are below the number that the trace says")]
pub fn replay_caches(thinned: &Thinned, spec: &CachesSpec) -> Replayed {
    let Thinned { trace, one_in, counted } = thinned;
    let one_in = u64::from(*one_in);
    let mut caches = Caches::new(&smaller(thinned, spec));
    let has_writes = trace.writes.count() > 0;
    let (mut seen, mut hits, mut l2_hits) = (0u64, 0u64, 0u64);
    let (mut seen_bytes, mut hit_bytes) = (0u64, 0u64);
    // Kept accesses stand for as many as the whole trace has between them.
    let step = Nanos(spec.step.0.saturating_mul(one_in));
    let mut now = Nanos::SECOND;
    for (index, block) in trace.accesses.iter().enumerate() {
        now = match trace.millis.get(index) {
            Some(millis) => Nanos::SECOND + Nanos::millis(u64::from(*millis)),
            None => now + step,
        };
        let writes = has_writes && trace.writes.contains(index);
        let found = caches.access(*block, now, writes);
        if writes {
            continue;
        }
        let size = u64::from(trace.bytes[*block as usize]);
        seen += 1;
        seen_bytes += size;
        match found {
            Found::Arc => {
                hits += 1;
                hit_bytes += size;
            }
            Found::L2arc => l2_hits += 1,
            Found::Disk => {}
        }
    }
    let expected = *counted as f64 / one_in as f64;
    let missing = expected - seen as f64;
    let byte_missing = missing * seen_bytes as f64 / seen.max(1) as f64;
    Replayed {
        hits: corrected(hits as f64, seen as f64, expected),
        byte_hits: share(hit_bytes as f64 + byte_missing, seen_bytes as f64 + byte_missing),
        l2_hits: share(l2_hits as f64, expected),
        l2_written: Bytes(caches.l2_written().saturating_mul(one_in)),
        span: Nanos(now.0.saturating_sub(Nanos::SECOND.0)),
    }
}

/// Caches that are as much smaller as the trace is thinner.
fn smaller<'a>(thinned: &'a Thinned, spec: &CachesSpec) -> CachesOf<'a> {
    let Thinned { trace, one_in, .. } = thinned;
    let one_in = u64::from(*one_in);
    let mean = trace.bytes.iter().map(|bytes| u64::from(*bytes)).sum::<u64>()
        / u64::from(trace.pages.max(1));
    let [write_max, boost] = feed_defaults(spec.version, spec.write_max).map(|it| it / one_in);
    let rarer = (mean * BLOCKS_OF_A_PASS).div_ceil(write_max.max(1)).clamp(1, RARER_MAX);
    CachesOf {
        version: spec.version,
        in_user_space: spec.in_user_space,
        arc: Bytes(spec.arc.0 / one_in),
        sizes: &trace.bytes,
        l2arc: Bytes(spec.l2arc.0 / one_in),
        feed: [write_max * rarer, boost * rarer],
        rarer,
        one_in,
    }
}
