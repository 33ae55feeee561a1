//! How busy each device of an arm was over time, and how often its heads moved.

use arcwright_scenario::{DeviceRun, DeviceSeries, Series};

use super::slots::Slot;
use super::timeline::line;
use crate::html::svg::{Area, Drawing};

/// One arm: what its devices did in each slot.
#[derive(Debug, Clone)]
pub(crate) struct DevicePanel<'a> {
    pub(crate) name: &'a str,
    pub(crate) rows: Vec<DeviceRow<'a>>,
    /// Devices that are only in the table.
    pub(crate) more: usize,
}

/// A device.
#[derive(Debug, Clone)]
pub(crate) struct DeviceRow<'a> {
    pub(crate) name: &'a str,
    /// What it did in each slot, where the arm had that phase.
    pub(crate) parts: Vec<Option<DevicePart<'a>>>,
}

/// A device in a phase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DevicePart<'a> {
    pub(crate) run: &'a DeviceRun,
    /// How long the phase was, in nanoseconds.
    pub(crate) duration_ns: f64,
    pub(crate) series: Option<(&'a Series, &'a DeviceSeries)>,
}

/// Where plots begin: right of the devices' names.
pub(crate) const LEFT: f64 = 84.0;
/// Where they end: left of the mean.
pub(crate) const RIGHT: f64 = 50.0;
const TOP: f64 = 40.0;
const STRIP: f64 = 20.0;
const PITCH: f64 = 28.0;

/// Draws the panel of an arm.
pub(crate) fn draw(panel: &DevicePanel<'_>, slots: &[Slot], width: f64) -> Drawing {
    let mut drawing = Drawing::new(width);
    drawing.label_within("strong", (0.0, 14.0), (panel.name, width));
    for slot in slots {
        drawing.label_within("muted", (slot.x, TOP - 7.0), (&slot.phase, slot.width));
    }
    for (number, row) in panel.rows.iter().enumerate() {
        let top = TOP + number as f64 * PITCH;
        let is_last = number + 1 == panel.rows.len();
        drawing.label_within("name", (0.0, top + STRIP - 6.0), (row.name, LEFT - 8.0));
        for (slot, part) in slots.iter().zip(&row.parts) {
            if let Some(part) = part {
                draw_part(&mut drawing, part, (slot, slot.area((top, top + STRIP))));
            }
            slot.frame(&mut drawing, (top, top + STRIP), is_last);
        }
        let text = format!("{:.0} %", mean(row) * 100.0);
        drawing.label("figure end", (width, top + STRIP - 6.0), &text);
    }
    let mut bottom = TOP + panel.rows.len() as f64 * PITCH + 12.0;
    if panel.more > 0 {
        let text = format!("and {} more, in the table", panel.more);
        drawing.label("muted", (0.0, bottom + 10.0), &text);
        bottom += 18.0;
    }
    drawing.height = bottom;
    drawing
}

/// Returns which part of all phases a device was busy.
pub(crate) fn mean(row: &DeviceRow<'_>) -> f64 {
    let parts = || row.parts.iter().flatten();
    let busy: f64 = parts().map(|part| part.run.busy_ns.0 as f64).sum();
    let time: f64 = parts().map(|part| part.duration_ns).sum();
    (busy / time.max(1.0)).clamp(0.0, 1.0)
}

fn draw_part(drawing: &mut Drawing, part: &DevicePart<'_>, (slot, area): (&Slot, Area)) {
    drawing.area("trough", Area { width: slot.at(part.duration_ns) - slot.x, ..area });
    let Some((series, device)) = part.series else {
        // Without samples the mean is all that is known.
        let share = (part.run.busy_ns.0 as f64 / part.duration_ns.max(1.0)).clamp(0.0, 1.0);
        let height = area.height * share;
        let width = slot.at(part.duration_ns) - slot.x;
        drawing.area("busy mean", Area { y: area.bottom() - height, height, width, ..area });
        return;
    };
    let steps = slot.steps_of(series, 3.0);
    let xs: Vec<f64> = steps.ends.iter().map(|end| slot.at(*end)).collect();
    let busy = steps.sums(device.busy_ns.iter().map(|span| span.0));
    let share = |(busy, span): (f64, f64)| (busy / span).clamp(0.0, 1.0);
    let height = |share: f64| area.bottom() - area.height * share;
    let ys: Vec<f64> = busy.into_iter().zip(steps.spans()).map(share).map(height).collect();
    let mut path = line(slot.x, &xs, &ys);
    if let Some(last) = xs.last() {
        path.line((*last, area.bottom()));
        path.line((slot.x, area.bottom()));
        path.close();
        drawing.path("busy", path.text());
    }
    let seeks = steps.sums(device.seeks.iter().copied());
    let rates: Vec<f64> =
        seeks.into_iter().zip(steps.spans()).map(|(seeks, span)| seeks / span * 1e9).collect();
    if rates.iter().any(|rate| *rate > 0.0) {
        let ys: Vec<f64> = rates.iter().map(|rate| height((rate / SEEKS_MAX).min(1.0))).collect();
        drawing.path("seeks", line(slot.x, &xs, &ys).text());
    }
}

/// Seeks per second at the top of a strip: a head that does nothing else moves so often.
pub(crate) const SEEKS_MAX: f64 = 200.0;
