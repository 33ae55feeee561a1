//! How fast an arm went over time, where that came from, and how its L2ARC filled.

use arcwright_scenario::Series;

use super::slots::{Slot, Steps};
use crate::html::axis::{Axis, Quantity};
use crate::html::svg::{Drawing, LABEL, Path, width_of};

/// One arm: its series, one for each slot.
#[derive(Debug, Clone)]
pub(crate) struct Panel<'a> {
    pub(crate) name: &'a str,
    pub(crate) series: Vec<Option<&'a Series>>,
}

/// What all panels have in common.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub(crate) slots: Vec<Slot>,
    /// The fastest that is drawn.
    pub(crate) rate_max: f64,
    /// The most that an L2ARC held, or that was written to one where that is all that is known; none without any.
    pub(crate) l2arc: Option<L2arc>,
}

/// What is drawn of the L2ARC.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum L2arc {
    Held { most: f64 },
    Written { most: f64 },
}

/// Where plots begin: right of the figures of their scale.
pub(crate) const LEFT: f64 = 66.0;
const TOP: f64 = 40.0;
const PLOT: f64 = 112.0;
const STRIP: f64 = 34.0;

/// What one step is made of, bytes per second.
#[derive(Debug, Clone, Default)]
struct Rates {
    disks: Vec<f64>,
    l2arc: Vec<f64>,
    arc: Vec<f64>,
    clients: Vec<f64>,
    to_disks: Vec<f64>,
}

impl Rates {
    fn of(series: &Series, steps: &Steps) -> Self {
        let [disks, l2arc, clients, written] = [
            &series.device_read_bytes,
            &series.l2arc_read_bytes,
            &series.bytes,
            &series.written_bytes,
        ]
        .map(|column| steps.rates(column));
        let only_reads = series.written_bytes.iter().all(|bytes| bytes.0 == 0);
        let rest = |at: usize| {
            let of = |column: &[f64]| column.get(at).copied().unwrap_or_default();
            let read = of(&clients) - of(&written);
            if only_reads { (read - of(&disks) - of(&l2arc)).max(0.0) } else { 0.0 }
        };
        let arc = (0..steps.ends.len()).map(rest).collect();
        let to_disks = steps.rates(&series.device_write_bytes);
        Self { disks, l2arc, arc, clients, to_disks }
    }
}

/// Returns the fastest steps of a series, for a scale: what clients got and what devices gave.
pub(crate) fn rates(series: &Series, slot: &Slot) -> Vec<f64> {
    let Rates { disks, l2arc, clients, .. } = Rates::of(series, &slot.steps(series));
    let devices = disks.iter().zip(&l2arc).map(|(disks, l2arc)| disks + l2arc);
    clients.iter().copied().zip(devices).map(|(clients, devices)| clients.max(devices)).collect()
}

/// Draws the panel of an arm.
pub(crate) fn draw(panel: &Panel<'_>, shared: &Shared, width: f64) -> Drawing {
    let mut drawing = Drawing::new(width);
    drawing.label_within("strong", (0.0, 14.0), (panel.name, width));
    let axis = Axis::upright(Quantity::Rate, shared.rate_max, PLOT);
    let bottom = TOP + PLOT;
    upright(&mut drawing, &axis, (shared, bottom));
    for (slot, series) in shared.slots.iter().zip(&panel.series) {
        drawing.label_within("muted", (slot.x, TOP - 7.0), (&slot.phase, slot.width));
        if let Some(series) = series {
            draw_rates(&mut drawing, (slot, series), (&axis, bottom));
        } else {
            let text = ("not sampled", slot.width - 8.0);
            drawing.label_within("muted", (slot.x + 6.0, bottom - 8.0), text);
        }
        slot.frame(&mut drawing, (TOP, bottom), true);
    }
    drawing.height = bottom + 20.0;
    if let Some(l2arc) = shared.l2arc {
        draw_l2arc(&mut drawing, panel, (shared, l2arc));
    }
    drawing
}

/// Draws the lines of an upright scale, with their figures.
fn upright(drawing: &mut Drawing, axis: &Axis, (shared, bottom): (&Shared, f64)) {
    let Some(right) = shared.slots.last().map(Slot::right) else { return };
    for (value, text) in &axis.ticks {
        let y = bottom - axis.at(*value);
        drawing.line("grid", (LEFT, y), (right, y));
        drawing.label("muted end", (LEFT - 6.0, y + 4.0), text);
    }
}

fn draw_rates(
    drawing: &mut Drawing,
    (slot, series): (&Slot, &Series),
    (axis, bottom): (&Axis, f64),
) {
    let steps = slot.steps(series);
    let rates = Rates::of(series, &steps);
    let xs: Vec<f64> = steps.ends.iter().map(|end| slot.at(*end)).collect();
    let mut below = vec![0.0; xs.len()];
    for (class, column) in
        [("stack disks", &rates.disks), ("stack l2arc", &rates.l2arc), ("stack arc", &rates.arc)]
    {
        let above: Vec<f64> = below.iter().zip(column).map(|(below, more)| below + more).collect();
        if column.iter().any(|rate| *rate > 0.0) {
            let height = |value: &f64| bottom - axis.at(*value);
            let (lower, upper): (Vec<f64>, Vec<f64>) =
                (below.iter().map(height).collect(), above.iter().map(height).collect());
            drawing.path(class, band(slot.x, &xs, (&lower, &upper)).text());
        }
        below = above;
    }
    let height = |rate: &f64| bottom - axis.at(*rate);
    if rates.to_disks.iter().any(|rate| *rate > 0.0) {
        let heights: Vec<f64> = rates.to_disks.iter().map(height).collect();
        drawing.path("to-disks", line(slot.x, &xs, &heights).text());
    }
    let heights: Vec<f64> = rates.clients.iter().map(height).collect();
    drawing.path("clients", line(slot.x, &xs, &heights).text());
    if rates.clients.iter().any(|rate| axis.is_beyond(*rate)) {
        let beyond = xs.iter().zip(&rates.clients).find(|(_, rate)| axis.is_beyond(**rate));
        if let Some((x, _)) = beyond {
            drawing.label("beyond middle", (x.max(slot.x + 6.0), TOP + 9.0), "▲");
        }
    }
}

/// Returns the outline of a band of steps.
fn band(from: f64, xs: &[f64], (lower, upper): (&[f64], &[f64])) -> Path {
    let mut path = line(from, xs, upper);
    // Back along the lower edge: its steps in the opposite order.
    let starts: Vec<f64> = std::iter::once(from).chain(xs.iter().copied()).collect();
    for (start, y) in starts.iter().zip(lower).rev() {
        path.step((*start, *y));
    }
    path.close();
    path
}

/// Returns a line of steps that end at these places.
pub(crate) fn line(from: f64, xs: &[f64], ys: &[f64]) -> Path {
    let mut path = Path::new();
    if let Some(first) = ys.first() {
        path.to((from, *first));
    }
    xs.iter().zip(ys).for_each(|(x, y)| path.step((*x, *y)));
    path
}

/// Draws below the plot how much the L2ARC holds.
fn draw_l2arc(drawing: &mut Drawing, panel: &Panel<'_>, (shared, l2arc): (&Shared, L2arc)) {
    let top = drawing.height + 20.0;
    let bottom = top + STRIP;
    let (most, what) = match l2arc {
        L2arc::Held { most } => (most, "held by the L2ARC"),
        L2arc::Written { most } => (most, "written to the L2ARC"),
    };
    drawing.label("muted", (LEFT, top - 6.0), what);
    let axis = Axis::upright(Quantity::Size, most, STRIP);
    if let (Some((value, text)), Some(slot)) = (axis.ticks.last(), shared.slots.last()) {
        let y = bottom - axis.at(*value);
        drawing.line("grid", (LEFT, y), (slot.right(), y));
        debug_assert!(width_of(text, LABEL) < LEFT, "{text}");
        drawing.label("muted end", (LEFT - 6.0, y + 4.0), text);
        drawing.label("muted end", (LEFT - 6.0, bottom + 4.0), "0");
    }
    let mut before = 0.0;
    for (slot, series) in shared.slots.iter().zip(&panel.series) {
        if let Some(series) = series {
            let steps = slot.steps(series);
            let levels = match (l2arc, &series.l2arc_size) {
                (L2arc::Held { .. }, Some(sizes)) => steps.levels(sizes),
                (L2arc::Held { .. }, None) => Vec::new(),
                (L2arc::Written { .. }, _) => {
                    let of = |bytes: &arcwright_units::Bytes| bytes.0;
                    let sums = steps.sums(series.l2arc_write_bytes.iter().map(of));
                    let grown = |sum: f64| {
                        before += sum;
                        before
                    };
                    sums.into_iter().map(grown).collect()
                }
            };
            let xs: Vec<f64> = steps.ends.iter().map(|end| slot.at(*end)).collect();
            let heights: Vec<f64> = levels.iter().map(|level| bottom - axis.at(*level)).collect();
            let lower = vec![bottom; heights.len()];
            if !heights.is_empty() {
                let area = band(slot.x, &xs, (&lower, &heights));
                drawing.path("stack l2arc", area.text());
            }
        }
        slot.frame(drawing, (top, bottom), false);
    }
    drawing.height = bottom + 8.0;
}
