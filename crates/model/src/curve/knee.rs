//! The knee of a curve: up to it more size brings much, beyond it little.

use super::CurvePoint;

/// Hits that a curve must gain between its ends to have a knee.
const GAIN_MIN: f64 = 0.02;
/// How far the knee must stand above the line between the ends, as a share of the gain.
const ABOVE_MIN: f64 = 0.1;

/// Returns the index of the point that stands highest above the straight line from nothing to the last point; none
/// where the curve is about straight, or gains nothing.
#[must_use]
pub fn knee(points: &[CurvePoint]) -> Option<usize> {
    let last = points.last()?;
    let found = |point: &CurvePoint| point.hits + point.l2_hits;
    let (width, height) = (last.size.0 as f64, found(last));
    if height < GAIN_MIN || width <= 0.0 {
        return None;
    }
    let above = |point: &CurvePoint| found(point) / height - point.size.0 as f64 / width;
    let best = points.iter().enumerate().max_by(|a, b| above(a.1).total_cmp(&above(b.1)))?;
    (above(best.1) >= ABOVE_MIN).then_some(best.0)
}
