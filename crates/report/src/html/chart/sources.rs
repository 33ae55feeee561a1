//! Where each byte came from: ARC, cache devices, disks; what was asked for and what was read ahead; data and
//! metadata.

use super::legend::{self, Mark};
use super::rows::{Labels, Rows};
use crate::html::axis::{Axis, Quantity};
use crate::html::svg::{Area, Drawing, LABEL, width_of};

/// A part of what was read.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) what: What,
    pub(crate) bytes: f64,
}

/// Where bytes came from, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    Arc,
    L2arc(Class),
    Disks(Class),
}

/// Why bytes were read from a device, and what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// The engine does not tell.
    Unknown,
    DemandData,
    PrefetchData,
    DemandMetadata,
    PrefetchMetadata,
    /// Parity and what was between blocks.
    Beside,
}

/// What one arm read in a phase.
#[derive(Debug, Clone)]
pub(crate) struct SourceRow {
    pub(crate) labels: Labels,
    pub(crate) parts: Vec<Part>,
}

/// A phase.
#[derive(Debug, Clone)]
pub(crate) struct SourceGroup {
    pub(crate) title: String,
    pub(crate) rows: Vec<SourceRow>,
}

impl What {
    /// Returns its name in a legend.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Arc => "ARC",
            Self::L2arc(Class::Unknown | Class::Beside) => "L2ARC",
            Self::L2arc(Class::DemandData) => "L2ARC, data on demand",
            Self::L2arc(Class::PrefetchData) => "L2ARC, data read ahead",
            Self::L2arc(Class::DemandMetadata) => "L2ARC, metadata on demand",
            Self::L2arc(Class::PrefetchMetadata) => "L2ARC, metadata read ahead",
            Self::Disks(Class::Unknown) => "disks",
            Self::Disks(Class::DemandData) => "disks, data on demand",
            Self::Disks(Class::PrefetchData) => "disks, data read ahead",
            Self::Disks(Class::DemandMetadata) => "disks, metadata on demand",
            Self::Disks(Class::PrefetchMetadata) => "disks, metadata read ahead",
            Self::Disks(Class::Beside) => "disks, parity and gaps",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Arc => "part arc",
            Self::L2arc(Class::PrefetchData | Class::PrefetchMetadata) => "part l2arc ahead",
            Self::L2arc(_) => "part l2arc",
            Self::Disks(Class::PrefetchData | Class::PrefetchMetadata) => "part disks ahead",
            Self::Disks(Class::Beside) => "part disks beside",
            Self::Disks(_) => "part disks",
        }
    }

    /// Returns the class of text on it.
    fn label(self) -> &'static str {
        let class = match self {
            Self::Arc => Class::Unknown,
            Self::L2arc(class) | Self::Disks(class) => class,
        };
        match class {
            Class::Unknown | Class::DemandData | Class::DemandMetadata => "on-part middle",
            Class::PrefetchData | Class::PrefetchMetadata | Class::Beside => "on-tint middle",
        }
    }

    fn is_metadata(self) -> bool {
        let metadata = [Class::DemandMetadata, Class::PrefetchMetadata];
        matches!(self, Self::L2arc(class) | Self::Disks(class) if metadata.contains(&class))
    }
}

impl SourceRow {
    /// Returns the parts that can be seen; the others are only in the table.
    fn seen(&self) -> impl Iterator<Item = &Part> {
        const SEEN_FROM: f64 = 0.004;
        let sum: f64 = self.parts.iter().map(|part| part.bytes).sum();
        self.parts.iter().filter(move |part| part.bytes > sum * SEEN_FROM)
    }
}

/// Draws a chart of all groups, each on a scale of its own.
pub(crate) fn draw(groups: &[SourceGroup], width: f64) -> Drawing {
    let all = || groups.iter().flat_map(|group| &group.rows);
    let rows = Rows::of(width, all().map(|row| &row.labels)).of_height(20.0);
    let mut drawing = Drawing::new(width);
    let mut y = legend::draw(&mut drawing, 2.0, &entries(groups)) + 4.0;
    for group in groups {
        drawing.label_within("strong", (0.0, y + 14.0), (&group.title, width));
        let top = y + 26.0;
        let sum = |row: &SourceRow| row.parts.iter().map(|part| part.bytes).sum::<f64>();
        let most = group.rows.iter().map(sum).fold(0.0, f64::max);
        let axis = Axis::new(Quantity::Size, most, rows.plot);
        let bottom = rows.end(top, group.rows.len()) - 4.0;
        let end = rows.scale(&mut drawing, &axis, (top, bottom));
        for (number, row) in group.rows.iter().enumerate() {
            let place = rows.row(&mut drawing, (top, number), &row.labels);
            draw_parts(&mut drawing, row, (&axis, place));
        }
        y = end + 8.0;
    }
    drawing.height = y;
    drawing
}

fn entries(groups: &[SourceGroup]) -> Vec<(Mark, &'static str)> {
    let parts = groups.iter().flat_map(|group| &group.rows).flat_map(SourceRow::seen);
    let mut all: Vec<What> = parts.map(|part| part.what).collect();
    all.sort_unstable();
    all.dedup();
    let mark = |what: What| match what.is_metadata() {
        true => Mark::Hatched(what.class()),
        false => Mark::Area(what.class()),
    };
    all.into_iter().map(|what| (mark(what), what.name())).collect()
}

fn draw_parts(drawing: &mut Drawing, row: &SourceRow, (axis, place): (&Axis, Area)) {
    let mut sum = 0.0;
    for part in row.seen() {
        let x = place.x + axis.at(sum);
        sum += part.bytes;
        let width = (place.x + axis.at(sum) - x).max(0.5);
        // A line of paper between two parts.
        let inner = Area { x: x + 0.5, width: (width - 1.0).max(0.5), ..place };
        drawing.area(part.what.class(), inner);
        if part.what.is_metadata() {
            legend::hatch(drawing, inner);
            continue;
        }
        let text = Quantity::Size.text(part.bytes);
        if width_of(&text, LABEL) + 8.0 < width {
            let middle = (inner.x + inner.width / 2.0, place.y + place.height / 2.0 + 4.0);
            drawing.label(part.what.label(), middle, &text);
        }
    }
}
