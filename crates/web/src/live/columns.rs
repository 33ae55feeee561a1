//! Many points as columns, no more of them than a chart can show.

use std::collections::BTreeMap;

use serde::Serialize;

use super::point::LivePoint;
use super::series::{RATIOS, SERIES};

/// A hole in a recording is one that is so many times as long as the points around it.
const HOLE: f64 = 3.0;

#[derive(Serialize)]
struct Columns {
    at_ms: Vec<u64>,
    columns: BTreeMap<&'static str, Vec<Option<f64>>>,
}

/// Returns points, oldest first, as JSON with at most `at_most` of them and some for holes: neighbours are put together
/// as their mean. Where nothing was recorded for a while, a point without values stands.
///
/// # Errors
/// None that is known: all of it is numbers.
pub fn columns(points: &[LivePoint], at_most: usize) -> Result<String, serde_json::Error> {
    let together = points.len().div_ceil(at_most.max(1)).max(1);
    let means: Vec<LivePoint> = points.chunks(together).filter_map(LivePoint::mean).collect();
    let mut with_holes: Vec<LivePoint> = Vec::with_capacity(means.len());
    for point in means {
        if let Some(before) = with_holes.last() {
            let begin = millis(&point).saturating_sub(thousandths(point.seconds));
            let gap = begin.saturating_sub(millis(before));
            if gap > thousandths(HOLE * point.seconds.max(before.seconds)) {
                let at = arcwright_units::Nanos((millis(before) + gap / 2) * 1_000_000);
                with_holes.push(LivePoint { at, ..LivePoint::default() });
            }
        }
        with_holes.push(point);
    }
    let value = |point: &LivePoint, index: usize| point.values.get(index).copied().flatten();
    let mut columns = BTreeMap::new();
    for (index, series) in SERIES.iter().enumerate() {
        columns.insert(series.id, with_holes.iter().map(|point| value(point, index)).collect());
    }
    for (id, part, rest) in RATIOS {
        columns.insert(id, with_holes.iter().map(|point| point.ratio(part, rest)).collect());
    }
    let at_ms = with_holes.iter().map(millis).collect();
    serde_json::to_string(&Columns { at_ms, columns })
}

const fn millis(point: &LivePoint) -> u64 {
    point.at.0 / 1_000_000
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds of a span, not negative; milliseconds of a million years fit"
)]
const fn thousandths(seconds: f64) -> u64 {
    (seconds * 1000.0) as u64
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::columns;
    use crate::live::{LivePoint, SERIES};

    fn points(seconds: &[u64]) -> Vec<LivePoint> {
        let point = |second: &u64| LivePoint {
            at: Nanos::secs(*second),
            seconds: 1.0,
            values: vec![Some(2.0); SERIES.len()],
            ..LivePoint::default()
        };
        seconds.iter().map(point).collect()
    }

    #[test]
    fn there_are_no_more_points_than_asked_for_and_holes_are_seen() {
        let check = |seconds: &[u64], at_most: usize, expected: &str| {
            let json = columns(&points(seconds), at_most).unwrap();
            assert!(json.contains(expected), "{json}");
        };
        check(&[1, 2, 3, 4], 10, r#""at_ms":[1000,2000,3000,4000]"#);
        check(&[1, 2, 3, 4], 2, r#""at_ms":[2000,4000]"#);
        check(&[1, 2, 3, 4], 2, r#""arc_share":[0.5,0.5]"#);
        check(&[1, 2, 60], 10, r#""at_ms":[1000,2000,30500,60000]"#);
        check(&[1, 2, 60], 10, r#""arc_share":[0.5,0.5,null,0.5]"#);
        check(&[], 10, r#""at_ms":[]"#);
        check(&[1], 0, r#""at_ms":[1000]"#);
    }
}
