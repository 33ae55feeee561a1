//! The knee of a curve: up to it doubling the size brings much, beyond it little.

use super::CurvePoint;

/// Hits that a curve must gain between its ends to have a knee.
const GAIN_MIN: f64 = 0.02;
/// How far the knee must stand above the line between the ends, as a share of the gain.
const ABOVE_MIN: f64 = 0.05;

/// Returns the index of the point that stands highest above the line between the ends, where a step is a doubling of
/// the size; none where the curve rises as much with each doubling, or gains nothing.
#[must_use]
pub fn knee(points: &[CurvePoint]) -> Option<usize> {
    let (first, last) = (points.first()?, points.last()?);
    let found = |point: &CurvePoint| point.hits + point.l2_hits;
    let doublings = |point: &CurvePoint| (point.size.0.max(1) as f64).log2();
    let (width, height) = (doublings(last) - doublings(first), found(last) - found(first));
    if height < GAIN_MIN || width <= 0.0 {
        return None;
    }
    let above = |point: &CurvePoint| {
        let part = (doublings(point) - doublings(first)) / width;
        (found(point) - found(first)) / height - part
    };
    let best = points.iter().enumerate().max_by(|a, b| above(a.1).total_cmp(&above(b.1)))?;
    (above(best.1) >= ABOVE_MIN).then_some(best.0)
}
