//! Plots above each other over the same days: what was read in each column, with its peaks, and hatched where nothing was.

use std::borrow::Cow;

use arcwright_recording::{ColumnRange, TimelineColumns};

use super::legend::{self, Mark};
use crate::html::axis::{Axis, Quantity, moments};
use crate::html::svg::{Area, Drawing, LABEL, Path, width_of};

/// How a quantity is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// On top of the one before.
    Stacked,
    /// Its mean.
    Line,
    /// Its mean, and from its least to its most.
    LineWithRange,
}

/// A quantity in a plot.
#[derive(Debug, Clone)]
pub(crate) struct Layer<'a> {
    pub(crate) class: &'static str,
    pub(crate) shape: Shape,
    pub(crate) name: &'static str,
    pub(crate) columns: Cow<'a, TimelineColumns>,
    /// What a value is multiplied with to be shown.
    pub(crate) factor: f64,
}

/// A plot.
#[derive(Debug, Clone)]
pub(crate) struct HistoryPanel<'a> {
    pub(crate) title: String,
    /// What it comes to, beside the title.
    pub(crate) figure: String,
    pub(crate) quantity: Quantity,
    /// Where its scale ends, where that is not up to the values.
    pub(crate) most: Option<f64>,
    pub(crate) layers: Vec<Layer<'a>>,
    /// Whether it is one of many, low and without a legend of its own.
    pub(crate) is_low: bool,
}

/// All plots of a drawing.
#[derive(Debug, Clone)]
pub(crate) struct HistoryDrawing<'a> {
    pub(crate) plots: Vec<HistoryPanel<'a>>,
    /// The first and the last moment, seconds since 1970.
    pub(crate) span: (u64, u64),
    /// Where nothing was read, as shares of the span.
    pub(crate) gaps: Vec<(f64, f64)>,
}

const LEFT: f64 = 78.0;
const RIGHT: f64 = 4.0;
const HEIGHT: f64 = 104.0;
const HEIGHT_OF_LOW: f64 = 26.0;
/// Pixels of a column at least.
const COLUMN: f64 = 2.0;
/// Columns of a wide drawing; a narrow one has some of them as one.
pub(crate) const COLUMNS: usize = 339;

/// Where a plot is.
#[derive(Debug, Clone, Copy)]
struct Frame {
    left: f64,
    width: f64,
    top: f64,
    bottom: f64,
}

/// A plot with its scale.
#[derive(Debug, Clone, Copy)]
struct Scaled<'a> {
    axis: &'a Axis,
    frame: Frame,
}

impl Frame {
    fn right(&self) -> f64 {
        self.left + self.width
    }
}

/// Draws all plots of a width.
pub(crate) fn draw(history: &HistoryDrawing<'_>, width: f64) -> Drawing {
    let mut drawing = Drawing::new(width);
    let mut y = 0.0;
    for (number, plot) in history.plots.iter().enumerate() {
        // Some names are of wide letters.
        let room = (width - width_of(&plot.figure, LABEL)) * 0.8;
        drawing.label_within("strong", (0.0, y + 14.0), (&plot.title, room));
        if !plot.figure.is_empty() {
            drawing.label("figure end", (width - RIGHT, y + 14.0), &plot.figure);
        }
        y += 22.0;
        if !plot.is_low {
            y = legend::draw(&mut drawing, y, &entries(plot)) + 6.0;
        }
        let height = if plot.is_low { HEIGHT_OF_LOW } else { HEIGHT };
        let frame = Frame { left: LEFT, width: width - LEFT - RIGHT, top: y, bottom: y + height };
        let is_last = number + 1 == history.plots.len();
        draw_plot(&mut drawing, plot, (history, frame));
        if is_last || !plot.is_low {
            times(&mut drawing, history.span, frame);
            y += 20.0;
        }
        y += height + 8.0;
    }
    drawing.height = y;
    drawing
}

fn entries(plot: &HistoryPanel<'_>) -> Vec<(Mark, &'static str)> {
    let entry = |layer: &Layer<'_>| match layer.shape {
        Shape::Stacked => (Mark::Area(layer.class), layer.name),
        Shape::Line | Shape::LineWithRange => (Mark::Line(layer.class), layer.name),
    };
    let mut entries: Vec<(Mark, &'static str)> = plot.layers.iter().map(entry).collect();
    if plot.layers.iter().any(|layer| layer.shape == Shape::LineWithRange) {
        entries.push((Mark::Area("spread"), "from the least to the most of a column"));
    }
    entries
}

fn draw_plot(
    drawing: &mut Drawing,
    plot: &HistoryPanel<'_>,
    (history, frame): (&HistoryDrawing<'_>, Frame),
) {
    let fewer: Vec<TimelineColumns> =
        plot.layers.iter().map(|layer| layer.columns.at_most(columns_of(frame.width))).collect();
    let layers: Vec<(&Layer<'_>, &TimelineColumns)> = plot.layers.iter().zip(&fewer).collect();
    let height = frame.bottom - frame.top;
    let most = plot.most.unwrap_or_else(|| drawn_max(&layers));
    let axis = Axis::upright(plot.quantity, most, height);
    let on = Scaled { axis: &axis, frame };
    for (number, (value, text)) in axis.ticks.iter().enumerate() {
        let y = frame.bottom - axis.at(*value);
        // A low plot has room for its ends alone.
        if plot.is_low && number > 0 && number + 1 < axis.ticks.len() {
            continue;
        }
        drawing.line("grid", (frame.left, y), (frame.right(), y));
        drawing.label("muted end", (frame.left - 6.0, y + 4.0), text);
    }
    gaps(drawing, history, frame);
    let mut below: Vec<f64> = Vec::new();
    for (layer, columns) in &layers {
        match layer.shape {
            Shape::Stacked => stack(drawing, (layer, columns), &on, &mut below),
            Shape::Line => line(drawing, (layer, columns), &on),
            Shape::LineWithRange => {
                spread(drawing, (layer, columns), &on);
                line(drawing, (layer, columns), &on);
            }
        }
    }
    drawing.line("base", (frame.left, frame.bottom), (frame.right(), frame.bottom));
    drawing.line("edge", (frame.left, frame.top), (frame.left, frame.bottom));
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a page")]
fn columns_of(width: f64) -> usize {
    (width / COLUMN).max(1.0) as usize
}

/// Returns up to where a scale goes: a single peak does not make all else flat.
fn drawn_max(layers: &[(&Layer<'_>, &TimelineColumns)]) -> f64 {
    const PEAK: f64 = 2.5;
    let mut tops: Vec<f64> = Vec::new();
    let mut stacked: Vec<f64> = Vec::new();
    for (layer, columns) in layers {
        let top = |range: ColumnRange| match layer.shape {
            Shape::LineWithRange => range.most * layer.factor,
            Shape::Stacked | Shape::Line => range.mean * layer.factor,
        };
        let values = columns.ranges().map(|range| range.map(top).unwrap_or_default());
        match layer.shape {
            Shape::Stacked if stacked.is_empty() => stacked = values.collect(),
            Shape::Stacked => {
                stacked.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
            Shape::Line | Shape::LineWithRange => tops.extend(values),
        }
    }
    tops.extend(stacked);
    tops.retain(|top| *top > 0.0);
    tops.sort_unstable_by(f64::total_cmp);
    let most = tops.last().copied().unwrap_or_default();
    let usual = tops.get(tops.len() * 19 / 20).copied().unwrap_or(most);
    most.min(usual * PEAK)
}

/// The columns that follow each other without a gap: the number of the first, and what is in each.
fn runs<T: Copy>(values: &[Option<T>]) -> Vec<(usize, Vec<T>)> {
    let mut runs: Vec<(usize, Vec<T>)> = Vec::new();
    let mut goes_on = false;
    for (number, value) in values.iter().enumerate() {
        let Some(value) = value else {
            goes_on = false;
            continue;
        };
        match runs.last_mut().filter(|_| goes_on) {
            Some((_, run)) => run.push(*value),
            None => runs.push((number, vec![*value])),
        }
        goes_on = true;
    }
    runs
}

/// Draws steps through heights, each as wide as a column.
fn steps(path: &mut Path, first: usize, (heights, width): (&[f64], f64), frame: Frame) {
    let x = |number: usize| frame.left + width * number as f64;
    if let Some(height) = heights.first() {
        path.to((x(first), *height));
    }
    for (number, height) in heights.iter().enumerate() {
        path.step((x(first + number + 1), *height));
    }
}

/// Returns to the beginning of steps along other heights, and closes what is between.
fn back(path: &mut Path, first: usize, (heights, width): (&[f64], f64), frame: Frame) {
    for (number, height) in heights.iter().enumerate().rev() {
        path.step((frame.left + width * (first + number) as f64, *height));
    }
    path.close();
}

fn column_width(columns: &TimelineColumns, frame: Frame) -> f64 {
    frame.width / columns.len().max(1) as f64
}

fn line(drawing: &mut Drawing, (layer, columns): (&Layer<'_>, &TimelineColumns), on: &Scaled<'_>) {
    let Scaled { axis, frame } = *on;
    let width = column_width(columns, frame);
    let height = |range: ColumnRange| frame.bottom - axis.at(range.mean * layer.factor);
    let heights: Vec<Option<f64>> = columns.ranges().map(|range| range.map(height)).collect();
    let mut path = Path::new();
    for (first, run) in runs(&heights) {
        steps(&mut path, first, (&run, width), frame);
    }
    drawing.path(layer.class, path.text());
    beyond(drawing, (layer, columns), on);
}

/// Marks the first column of each run that goes beyond the scale.
fn beyond(
    drawing: &mut Drawing,
    (layer, columns): (&Layer<'_>, &TimelineColumns),
    on: &Scaled<'_>,
) {
    let Scaled { axis, frame } = *on;
    const MARKS_MAX: usize = 12;
    let width = column_width(columns, frame);
    let over = |range: ColumnRange| {
        let top = if layer.shape == Shape::LineWithRange { range.most } else { range.mean };
        axis.is_beyond(top * layer.factor).then_some(())
    };
    let over: Vec<Option<()>> = columns.ranges().map(|range| range.and_then(over)).collect();
    for (first, run) in runs(&over).into_iter().take(MARKS_MAX) {
        let x = frame.left + width * (first as f64 + run.len() as f64 / 2.0);
        drawing.label("beyond middle", (x, frame.top + 9.0), "▲");
    }
}

fn spread(
    drawing: &mut Drawing,
    (layer, columns): (&Layer<'_>, &TimelineColumns),
    on: &Scaled<'_>,
) {
    let Scaled { axis, frame } = *on;
    let width = column_width(columns, frame);
    let height = |value: f64| frame.bottom - axis.at(value * layer.factor);
    let ends = |range: ColumnRange| (height(range.least), height(range.most));
    let ends: Vec<Option<(f64, f64)>> = columns.ranges().map(|range| range.map(ends)).collect();
    let mut path = Path::new();
    for (first, run) in runs(&ends) {
        let (lower, upper): (Vec<f64>, Vec<f64>) = run.into_iter().unzip();
        steps(&mut path, first, (&upper, width), frame);
        back(&mut path, first, (&lower, width), frame);
    }
    drawing.path("spread", path.text());
}

fn stack(
    drawing: &mut Drawing,
    (layer, columns): (&Layer<'_>, &TimelineColumns),
    on: &Scaled<'_>,
    below: &mut Vec<f64>,
) {
    let Scaled { axis, frame } = *on;
    below.resize(columns.len(), 0.0);
    let width = column_width(columns, frame);
    let mut parts: Vec<Option<(f64, f64)>> = Vec::with_capacity(columns.len());
    for (range, below) in columns.ranges().zip(below.iter_mut()) {
        let part = range.map(|range| {
            let lower = *below;
            *below += range.mean * layer.factor;
            (frame.bottom - axis.at(lower), frame.bottom - axis.at(*below))
        });
        parts.push(part);
    }
    let mut path = Path::new();
    for (first, run) in runs(&parts) {
        let (lower, upper): (Vec<f64>, Vec<f64>) = run.into_iter().unzip();
        steps(&mut path, first, (&upper, width), frame);
        back(&mut path, first, (&lower, width), frame);
    }
    drawing.path(layer.class, path.text());
}

/// Hatches where nothing was read, as far as it can be seen.
fn gaps(drawing: &mut Drawing, history: &HistoryDrawing<'_>, frame: Frame) {
    const SEEN_FROM: f64 = 1.0;
    for (from, to) in &history.gaps {
        let width = (to - from) * frame.width;
        if width < SEEN_FROM {
            continue;
        }
        let x = frame.left + from * frame.width;
        let area = Area { x, y: frame.top, width, height: frame.bottom - frame.top };
        drawing.area("gap", area);
        legend::hatch(drawing, area);
        let text = "no readings";
        if width_of(text, LABEL) + 8.0 < width && area.height > 40.0 {
            drawing.label("muted middle", (x + width / 2.0, frame.top + area.height / 2.0), text);
        }
    }
}

/// Writes round moments below a plot.
fn times(drawing: &mut Drawing, (from, to): (u64, u64), frame: Frame) {
    const ROOM_OF_TICK: f64 = 62.0;
    let length = to.saturating_sub(from).max(1) as f64;
    let mut free_from = 0.0;
    for (at, text) in moments((from, to), room(frame.width / ROOM_OF_TICK)) {
        let x = frame.left + at.saturating_sub(from) as f64 / length * frame.width;
        let half = width_of(&text, LABEL) / 2.0;
        drawing.line("tick", (x, frame.bottom), (x, frame.bottom + 3.0));
        let shown = x.clamp(half, (drawing.width - half).max(half));
        if shown - half > free_from {
            drawing.label("muted middle", (shown, frame.bottom + 16.0), &text);
            free_from = shown + half + 4.0;
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few ticks")]
fn room(ticks: f64) -> u64 {
    ticks.max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, LEFT, RIGHT, columns_of, runs};
    use crate::html::chart::WIDE;

    #[test]
    fn a_wide_drawing_has_a_place_for_each_column() {
        assert_eq!(columns_of(WIDE - LEFT - RIGHT), COLUMNS);
    }

    #[test]
    fn what_is_missing_ends_a_run() {
        let found = runs(&[None, Some(1), Some(2), None, None, Some(3)]);
        assert_eq!(found, [(1, vec![1, 2]), (5, vec![3])]);
        assert!(runs::<u8>(&[None, None]).is_empty());
    }
}
