//! How long requests took: where most of them are, the one in the middle, and the slowest hundredth.

use arcwright_scenario::Latency;
use arcwright_units::Nanos;

use super::legend::{self, Mark};
use super::rows::{Labels, Rows};
use crate::html::axis::Axis;
use crate::html::svg::{Area, Drawing, Path};

/// One arm.
#[derive(Debug, Clone)]
pub(crate) struct LatencyRow<'a> {
    pub(crate) labels: Labels,
    pub(crate) latency: &'a Latency,
}

/// A phase, or its synchronous writes alone.
#[derive(Debug, Clone)]
pub(crate) struct LatencyGroup<'a> {
    pub(crate) title: String,
    pub(crate) rows: Vec<LatencyRow<'a>>,
}

/// Parts of a hill for each power of ten.
const PARTS_PER_POWER: f64 = 12.0;
const HILL: f64 = 26.0;

/// Draws a chart of all groups on one scale.
pub(crate) fn draw(groups: &[LatencyGroup<'_>], width: f64) -> Drawing {
    let all = || groups.iter().flat_map(|group| &group.rows);
    let rows = Rows::of(width, all().map(|row| &row.labels)).of_height(HILL);
    let least = all().map(|row| least(row.latency)).fold(f64::INFINITY, f64::min);
    let most = all().map(|row| row.latency.max_ns.0 as f64).fold(0.0, f64::max);
    let axis = Axis::of_powers(if least.is_finite() { least } else { 1.0 }, most, rows.plot);
    let mut drawing = Drawing::new(width);
    let entries = [
        (Mark::Area("hill"), "how many requests took so long"),
        (Mark::Line("p50"), "half took no longer"),
        (Mark::Line("p99"), "99 % took no longer"),
    ];
    let mut y = legend::draw(&mut drawing, 2.0, &entries) + 4.0;
    for group in groups {
        drawing.label_within("strong", (0.0, y + 14.0), (&group.title, width));
        let top = y + 26.0;
        let bottom = rows.end(top, group.rows.len()) - 4.0;
        let end = rows.scale(&mut drawing, &axis, (top, bottom));
        for (number, row) in group.rows.iter().enumerate() {
            let place = rows.row(&mut drawing, (top, number), &row.labels);
            draw_row(&mut drawing, row.latency, (&axis, place));
        }
        y = end + 8.0;
    }
    drawing.height = y;
    drawing
}

/// Returns the shortest that is drawn: a thousandth of all may be shorter.
fn least(latency: &Latency) -> f64 {
    latency.min_ns.0.max(latency.p50_ns.0 / 1000).max(1) as f64
}

fn draw_row(drawing: &mut Drawing, latency: &Latency, (axis, place): (&Axis, Area)) {
    let steps = hill(latency);
    let most = steps.iter().map(|(_, count)| *count).fold(0.0, f64::max);
    let mut path = Path::new();
    drawing.line("base", (place.x, place.bottom()), (place.right(), place.bottom()));
    for (index, (ns, count)) in steps.iter().enumerate() {
        let x = place.x + axis.at(*ns);
        // So that rare requests are seen beside the many that hit.
        let y = place.bottom() - (count / most.max(1.0)).cbrt() * place.height;
        if index == 0 {
            path.to((x, place.bottom()));
        }
        path.line((x, y));
        if index + 1 == steps.len() {
            path.line((x, place.bottom()));
            path.close();
        }
    }
    if !steps.is_empty() {
        drawing.path("hill", path.text());
    }
    for (class, ns) in [("p50", latency.p50_ns), ("p99", latency.p99_ns)] {
        let x = place.x + axis.at(ns.0 as f64);
        drawing.line(class, (x, place.y), (x, place.bottom() + 2.0));
    }
}

/// Returns how many requests took so long, in steps that are even on a scale of powers.
fn hill(latency: &Latency) -> Vec<(f64, f64)> {
    let step_of = |ns: Nanos| (ns.0.max(1) as f64).log10() * PARTS_PER_POWER;
    let Some((first, last)) = latency.buckets.first().zip(latency.buckets.last()) else {
        return Vec::new();
    };
    let from = step_of(first.below_ns).floor() - 1.0;
    let count = (step_of(last.below_ns).floor() - from + 2.0).clamp(1.0, 400.0);
    let mut at = from;
    let mut steps = Vec::new();
    let mut buckets = latency.buckets.iter().peekable();
    while at < from + count {
        let mut sum = 0.0;
        while let Some(bucket) = buckets.next_if(|bucket| step_of(bucket.below_ns) < at + 1.0) {
            sum += bucket.count as f64;
        }
        steps.push((10f64.powf((at + 0.5) / PARTS_PER_POWER), sum));
        at += 1.0;
    }
    steps
}
