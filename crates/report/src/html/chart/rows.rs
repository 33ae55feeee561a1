//! Rows with a name, a plot and a figure each: names are beside the plots where there is room, else above them.

use crate::html::axis::Axis;
use crate::html::svg::{Area, Drawing, LABEL, width_of};

/// What is written in a row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    pub(crate) name: String,
    pub(crate) figure: String,
    /// What stands behind the figure and is less.
    pub(crate) beside: String,
}

impl Labels {
    /// Returns a row of a group in words.
    pub(crate) fn said(&self, group: &str) -> String {
        let beside =
            if self.beside.is_empty() { String::new() } else { format!(" ({})", self.beside) };
        format!("{group}, {}: {}{beside}", self.name, self.figure)
    }
}

/// Where the parts of rows are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    /// Where plots begin.
    left: f64,
    /// How wide they are.
    pub(crate) plot: f64,
    /// How wide figures are.
    figure: f64,
    is_above: bool,
    /// Height of a plot.
    height: f64,
}

/// Narrower drawings have their names above the plots.
const BESIDE_FROM: f64 = 500.0;
/// No name takes more of a drawing.
const NAME_SHARE: f64 = 0.28;
const LINE: f64 = 16.0;
/// Figures are in bold.
const FIGURE: f64 = LABEL * 1.06;

impl Rows {
    /// Returns rows for a drawing with these labels.
    pub(crate) fn of<'a>(width: f64, labels: impl Iterator<Item = &'a Labels>) -> Self {
        let (mut name, mut figure, mut beside) = (0.0f64, 0.0f64, 0.0f64);
        for label in labels {
            name = name.max(width_of(&label.name, LABEL) + 12.0);
            figure = figure.max(width_of(&label.figure, FIGURE));
            beside = beside.max(width_of(&label.beside, LABEL));
        }
        let is_above = width < BESIDE_FROM;
        let left = if is_above { 0.0 } else { name.min(width * NAME_SHARE) };
        // On a telephone what is beside stands in the line of the name.
        let after = if is_above { 0.0 } else { beside + 8.0 };
        let plot = (width - left - figure - after - 10.0).max(60.0);
        Self { left, plot, figure, is_above, height: LINE }
    }

    /// Returns rows whose plots have this height.
    pub(crate) fn of_height(self, height: f64) -> Self {
        Self { height, ..self }
    }

    /// Returns how far two rows are apart.
    fn pitch(&self) -> f64 {
        self.height + if self.is_above { LINE + 8.0 } else { 8.0 }
    }

    /// Writes a row's labels; returns where its plot is.
    pub(crate) fn row(
        &self,
        drawing: &mut Drawing,
        (top, number): (f64, usize),
        labels: &Labels,
    ) -> Area {
        let Labels { name, figure, beside } = labels;
        let y = top + number as f64 * self.pitch();
        let width = drawing.width;
        let y = if self.is_above { y + LINE } else { y };
        let middle = y + self.height / 2.0 + 4.0;
        let area = Area { x: self.left, y, width: self.plot, height: self.height };
        let at_figure = area.right() + 8.0;
        if self.is_above {
            let room = width - width_of(beside, LABEL) - 8.0;
            drawing.label_within("name", (0.0, y - 4.0), (name, room));
            drawing.label("muted end", (width, y - 4.0), beside);
        } else {
            drawing.label_within("name", (0.0, middle), (name, self.left - 8.0));
            drawing.label("muted", (at_figure + self.figure + 8.0, middle), beside);
        }
        drawing.label("figure", (at_figure, middle), figure);
        area
    }

    /// Returns where so many rows end.
    pub(crate) fn end(&self, top: f64, count: usize) -> f64 {
        top + count as f64 * self.pitch()
    }

    /// Draws a scale's lines behind so many rows, and its figures below; returns where that ends.
    pub(crate) fn scale(&self, drawing: &mut Drawing, axis: &Axis, span: (f64, f64)) -> f64 {
        let (top, bottom) = span;
        // The last figure written, of which the next keeps clear.
        let mut free_from = f64::NEG_INFINITY;
        for (value, text) in &axis.ticks {
            let x = self.left + axis.at(*value);
            drawing.line("grid", (x, top - 2.0), (x, bottom));
            let half = width_of(text, LABEL) / 2.0;
            let x = x.clamp(half, drawing.width - half);
            if x - half > free_from {
                drawing.label("muted middle", (x, bottom + 13.0), text);
                free_from = x + half + 4.0;
            }
        }
        bottom + 22.0
    }
}
