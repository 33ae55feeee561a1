//! Two results of the same arms and phases: a dot for each, and how far they are apart.

use arcwright_scenario::Span;

use super::legend::{self, Mark};
use super::rows::{Labels, Rows};
use crate::html::axis::{Axis, Quantity};
use crate::html::svg::Drawing;

/// An arm in both.
#[derive(Debug, Clone)]
pub(crate) struct PairRow {
    pub(crate) labels: Labels,
    pub(crate) values: (f64, f64),
    /// The range of the one that is a prediction.
    pub(crate) range: Option<Span>,
}

/// A phase.
#[derive(Debug, Clone)]
pub(crate) struct PairGroup {
    pub(crate) title: String,
    pub(crate) rows: Vec<PairRow>,
}

/// Draws a chart of all groups on one scale, with what the two results are called.
pub(crate) fn draw(groups: &[PairGroup], [a, b]: [&str; 2], width: f64) -> Drawing {
    let all = || groups.iter().flat_map(|group| &group.rows);
    let rows = Rows::of(width, all().map(|row| &row.labels));
    let most = all().map(|row| row.values.0.max(row.values.1)).fold(0.0, f64::max);
    let axis = Axis::new(Quantity::Rate, most, rows.plot);
    let mut drawing = Drawing::new(width);
    let mut entries = vec![(Mark::Dot("dot-a"), a), (Mark::Diamond("dot-b"), b)];
    if all().any(|row| row.range.is_some()) {
        entries.push((Mark::Whisker, "range of the prediction"));
    }
    let mut y = legend::draw(&mut drawing, 2.0, &entries) + 4.0;
    for group in groups {
        drawing.label_within("strong", (0.0, y + 14.0), (&group.title, width));
        let top = y + 26.0;
        let bottom = rows.end(top, group.rows.len()) - 4.0;
        let end = rows.scale(&mut drawing, &axis, (top, bottom));
        for (number, row) in group.rows.iter().enumerate() {
            let place = rows.row(&mut drawing, (top, number), &row.labels);
            let middle = place.y + place.height / 2.0;
            let (a, b) = row.values;
            let [a, b] = [a, b].map(|value| place.x + axis.at(value));
            if let Some(range) = row.range {
                let ends = (place.x + axis.at(range.low), place.x + axis.at(range.high));
                legend::whisker(&mut drawing, ends, middle);
            }
            drawing.line("between", (a, middle), (b, middle));
            legend::dot(&mut drawing, "dot-a", (a, middle));
            drawing.diamond("dot-b", (b, middle), 6.0);
        }
        y = end + 8.0;
    }
    drawing.height = y;
    drawing
}
