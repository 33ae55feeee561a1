//! How fast each arm was: a bar, with the range of a prediction and what was reported beside it.

use arcwright_scenario::Span;

use super::legend::{self, Mark};
use super::rows::{Labels, Rows};
use crate::html::axis::{Axis, Quantity};
use crate::html::svg::{Area, Drawing, Point};

/// One arm.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    /// Its name, its figure, and the change against the first arm.
    pub(crate) labels: Labels,
    pub(crate) value: f64,
    pub(crate) range: Option<Span>,
    pub(crate) reported: Option<f64>,
    /// Whether the others are compared with it.
    pub(crate) is_reference: bool,
}

/// The arms in a phase.
#[derive(Debug, Clone)]
pub(crate) struct BarGroup {
    pub(crate) title: String,
    pub(crate) quantity: Quantity,
    pub(crate) bars: Vec<Bar>,
}

/// A range beyond so many times the largest figure is cut, so that it does not make all bars short.
const BEYOND_MAX: f64 = 1.6;

impl BarGroup {
    /// Returns up to where its scale goes.
    fn most(&self) -> f64 {
        let figures = self.bars.iter().flat_map(|bar| [Some(bar.value), bar.reported]);
        let most = figures.flatten().fold(0.0, f64::max);
        let ends = self.bars.iter().filter_map(|bar| Some(bar.range?.high)).fold(0.0, f64::max);
        most.max(ends.min(most * BEYOND_MAX))
    }
}

/// Draws a chart of all groups on one scale, unless one of them could not be seen on it.
pub(crate) fn draw(groups: &[BarGroup], width: f64) -> Drawing {
    const SEEN_FROM: f64 = 0.04;
    let all = || groups.iter().flat_map(|group| &group.bars);
    let rows = Rows::of(width, all().map(|bar| &bar.labels));
    let most = groups.iter().map(BarGroup::most).fold(0.0, f64::max);
    let is_alike = groups.windows(2).all(|pair| match pair {
        [one, other] => one.quantity == other.quantity,
        _ => true,
    });
    let is_shared = is_alike && groups.iter().all(|group| group.most() >= most * SEEN_FROM);
    let mut drawing = Drawing::new(width);
    let mut y = legend::draw(&mut drawing, 2.0, &entries(groups)) + 4.0;
    for group in groups {
        drawing.label_within("strong", (0.0, y + 14.0), (&group.title, width));
        let top = y + 26.0;
        let most = if is_shared { most } else { group.most() };
        let axis = Axis::new(group.quantity, most, rows.plot);
        let bottom = rows.end(top, group.bars.len()) - 4.0;
        let end = rows.scale(&mut drawing, &axis, (top, bottom));
        for (number, bar) in group.bars.iter().enumerate() {
            let place = rows.row(&mut drawing, (top, number), &bar.labels);
            draw_bar(&mut drawing, bar, (&axis, place));
        }
        y = end + 8.0;
    }
    drawing.height = y;
    drawing
}

fn entries(groups: &[BarGroup]) -> Vec<(Mark, &'static str)> {
    let any = |is: fn(&Bar) -> bool| groups.iter().flat_map(|group| &group.bars).any(is);
    let mut entries = Vec::new();
    if any(|bar| bar.is_reference) {
        entries.push((Mark::Area("bar reference"), "first arm"));
        entries.push((Mark::Area("bar"), "others, with the change against it"));
    }
    if any(|bar| bar.range.is_some()) {
        entries.push((Mark::Whisker, "range of the prediction"));
    }
    if any(|bar| bar.reported.is_some()) {
        entries.push((Mark::Diamond("reported"), "reported by the field"));
    }
    entries
}

fn draw_bar(drawing: &mut Drawing, bar: &Bar, (axis, place): (&Axis, Area)) {
    let class = if bar.is_reference { "bar reference" } else { "bar" };
    let width = axis.at(bar.value).max(1.0);
    drawing.area(class, Area { y: place.y + 1.0, height: place.height - 2.0, width, ..place });
    let middle = place.y + place.height / 2.0;
    if let Some(range) = bar.range {
        let ends = (place.x + axis.at(range.low), place.x + axis.at(range.high));
        legend::whisker(drawing, ends, middle);
        if axis.is_beyond(range.high) {
            arrow(drawing, (ends.1, middle));
        }
    }
    if let Some(reported) = bar.reported {
        drawing.diamond("reported", (place.x + axis.at(reported), middle), 6.0);
    }
}

/// Draws the head of an arrow to the right: it goes on there.
fn arrow(drawing: &mut Drawing, (x, y): Point) {
    let mut path = crate::html::svg::Path::new();
    path.to((x + 1.0, y - 5.0));
    path.line((x + 7.0, y));
    path.line((x + 1.0, y + 5.0));
    path.close();
    drawing.path("arrow", path.text());
}
