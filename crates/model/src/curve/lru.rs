//! The curve of an LRU from reuse distances: exactly, or of so many blocks as tell it within a point.
//!
//! Blocks of different sizes count by the bytes of the blocks between two uses, of which the mean size is known: the
//! distance in bytes is the distance in blocks times the mean size of what was used. Where all blocks have one size, as in traces of disks, that is exact.

use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::Trace;

use super::distances::Distances;
use super::plan::point;
use super::{CacheSizes, Curve, CurvePoint, Replayed, corrected, footprint, share, thinnings};

/// Returns the curve of an LRU at some sizes.
#[must_use]
#[expect(clippy::indexing_slicing, reason = "distances and blocks are below the number of blocks")]
pub fn lru_curve(trace: &Trace, sizes: &[Bytes]) -> Curve {
    let blocks = trace.pages;
    let footprint = footprint(trace);
    let mut distances = Distances::new(blocks);
    // Hits and their bytes by the distance at which they become hits, from 1 on.
    let mut hits = vec![0u32; blocks as usize + 1];
    let mut bytes = vec![0u64; if is_even(trace) { 0 } else { blocks as usize + 1 }];
    let (mut counted, mut counted_bytes) = (0u64, 0u64);
    let writes = (trace.writes.count() > 0).then_some(&trace.writes);
    for (index, block) in trace.accesses.iter().enumerate() {
        let distance = distances.touch(*block);
        if writes.is_some_and(|writes| writes.contains(index)) {
            continue;
        }
        counted += 1;
        let size = u64::from(trace.bytes[*block as usize]);
        counted_bytes += size;
        if let Some(distance) = distance {
            let at = distance as usize + 1;
            hits[at] = hits[at].saturating_add(1);
            if let Some(bytes) = bytes.get_mut(at) {
                *bytes += size;
            }
        }
    }
    let mean = footprint.0 as f64 / f64::from(blocks.max(1));
    let mut points = Vec::with_capacity(sizes.len());
    let (mut at, mut sum, mut byte_sum) = (0usize, 0u64, 0u64);
    for size in sizes {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let fitting = ((size.0 as f64 / mean.max(1.0) + 1e-9) as usize).min(blocks as usize);
        while at < fitting {
            at += 1;
            sum += u64::from(hits[at]);
            byte_sum += bytes.get(at).copied().unwrap_or_default();
        }
        let ratio = share(sum as f64, counted as f64);
        let byte_hits =
            if bytes.is_empty() { ratio } else { share(byte_sum as f64, counted_bytes as f64) };
        points.push(CurvePoint {
            size: *size,
            l2arc: Bytes::ZERO,
            hits: ratio,
            byte_hits,
            l2_hits: 0.0,
            l2_written: Bytes::ZERO,
            span: Nanos::ZERO,
            range: [ratio; 2],
        });
    }
    Curve { points, counted, blocks, footprint, one_in: 1 }
}

/// Returns the curve of an LRU of a long trace from three samples of its blocks, whose number does not grow with the trace;
/// the ranges are how far these are apart. A short trace has all its blocks looked at.
#[must_use]
pub fn sampled_lru_curve(trace: &Trace, sizes: &[Bytes]) -> Curve {
    let thinned = thinnings(trace);
    let one_in = thinned.first().map_or(1, |one| one.one_in);
    let counted = trace.accesses.len() as u64 - trace.writes.count();
    let expected = counted as f64 / f64::from(one_in);
    let smaller: Vec<Bytes> = sizes.iter().map(|size| Bytes(size.0 / u64::from(one_in))).collect();
    let curves: Vec<Curve> = thinned.iter().map(|one| lru_curve(&one.trace, &smaller)).collect();
    let points = sizes.iter().enumerate().map(|(at, size)| {
        let found = curves.iter().filter_map(|curve| {
            let (point, seen) = (curve.points.get(at)?, curve.counted as f64);
            let whole = |share: f64| corrected(share * seen, seen, expected);
            Some(Replayed {
                hits: whole(point.hits),
                byte_hits: whole(point.byte_hits),
                l2_hits: 0.0,
                l2_written: Bytes::ZERO,
                span: Nanos::ZERO,
            })
        });
        point(CacheSizes { arc: *size, l2arc: Bytes::ZERO }, &found.collect::<Vec<_>>())
    });
    let points = points.collect();
    Curve { points, counted, blocks: trace.pages, footprint: footprint(trace), one_in }
}

fn is_even(trace: &Trace) -> bool {
    trace.bytes.windows(2).all(|pair| matches!(pair, [a, b] if a == b))
}
