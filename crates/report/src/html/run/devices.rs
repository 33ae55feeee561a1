//! How busy the devices of each arm were over time.

use arcwright_scenario::{ArmOutcome, DeviceRun};
use arcwright_units::Ratio;

use super::places::{Places, device_of, series_of};
use super::{Chart, Drawn, TableOfChart};
use crate::compare::phase_of;
use crate::html::chart::NARROW;
use crate::html::chart::devices::{
    self, DevicePanel, DevicePart, DeviceRow, LEFT, RIGHT, SEEKS_MAX,
};
use crate::html::chart::legend::{self, Mark};
use crate::html::chart::slots::{Slot, slots};
use crate::html::figure::{Caption, DataTable, PanelGroup};
use crate::html::svg::Drawing;

/// Devices that are drawn, of all arms and of one.
const DEVICES_OF_ALL: usize = 120;
const DEVICES_MAX: usize = 10;

pub(super) fn chart<'a>(places: &Places<'a>) -> Option<Chart<'a>> {
    let all = || places.phases.iter().flat_map(|phase| places.in_phase(phase));
    if all().all(|(_, run)| run.devices.is_empty()) {
        return None;
    }
    let is_sampled = all().any(|(arm, run)| series_of(arm, &run.name).is_some());
    let seeks = all().flat_map(|(_, run)| &run.devices).any(|device| device.seeks > 0);
    let mut entries = match is_sampled {
        true => vec![(Mark::Area("busy"), "share of the time in which it was busy")],
        false => vec![(Mark::Area("busy mean"), "mean share of the time in which it was busy")],
    };
    let text = format!("seeks, up to {SEEKS_MAX:.0} per s");
    if seeks && is_sampled {
        entries.push((Mark::Line("seeks"), text.as_str()));
    }
    let entries: Vec<(Mark, String)> =
        entries.into_iter().map(|(mark, text)| (mark, text.to_owned())).collect();
    let legend = move |width| {
        let mut drawing = Drawing::new(width);
        let entries: Vec<(Mark, &str)> =
            entries.iter().map(|(mark, text)| (*mark, text.as_str())).collect();
        drawing.height = legend::draw(&mut drawing, 2.0, &entries);
        drawing
    };
    let lead = match is_sampled {
        true => "The figure on the right is the mean of all phases.",
        false => "Not sampled over time: the mean of each phase is shown.",
    };
    let caption = Caption {
        id: "devices",
        title: "Devices",
        lead: lead.to_owned(),
        description: "Strips, one for each device: which part of the time it was busy, and how \
                      often its heads moved. The figures are in the table."
            .to_owned(),
    };
    let drawn = Drawn::Panels { legend: Box::new(legend), panels: panels(places) };
    Some(Chart { caption, table: TableOfChart::Rows(table(places)), drawn })
}

fn panels(places: &Places<'_>) -> Vec<PanelGroup> {
    let mut panels = Vec::new();
    for phases in places.in_panels() {
        let slots = slots(&places.spans(&phases), (LEFT, NARROW - RIGHT));
        let of_all = DEVICES_OF_ALL / places.outcome.arms.len().max(1);
        let most = of_all.clamp(1, DEVICES_MAX);
        let arms = places.outcome.arms.iter().map(|arm| panel(arm, &phases, most));
        let drawn = arms.map(|panel| drawn(&panel, &slots)).collect();
        panels.push(PanelGroup { title: phases.join(", "), panels: drawn });
    }
    panels
}

fn drawn(panel: &DevicePanel<'_>, slots: &[Slot]) -> (String, Drawing) {
    (panel.name.to_owned(), devices::draw(panel, slots, NARROW))
}

fn panel<'a>(arm: &'a ArmOutcome, phases: &[&'a str], most: usize) -> DevicePanel<'a> {
    let mut names: Vec<&str> = Vec::new();
    let runs = phases.iter().filter_map(|phase| phase_of(arm, phase));
    for device in runs.flat_map(|run| &run.devices) {
        if !names.contains(&device.name.as_str()) {
            names.push(&device.name);
        }
    }
    let more = names.len().saturating_sub(most);
    let part = |phase: &&'a str, name: &str| {
        let run = phase_of(arm, phase)?;
        let series = series_of(arm, phase);
        Some(DevicePart {
            run: run.devices.iter().find(|device| device.name == name)?,
            duration_ns: run.duration_ns.0 as f64,
            series: series.and_then(|series| Some((series, device_of(series, name)?))),
        })
    };
    let row = |name: &'a str| DeviceRow {
        name,
        parts: phases.iter().map(|phase| part(phase, name)).collect(),
    };
    let mut rows: Vec<DeviceRow<'a>> = names.into_iter().map(row).collect();
    // Of many, the busiest; in their own order.
    let mut means: Vec<f64> = rows.iter().map(devices::mean).collect();
    means.sort_unstable_by(|one, other| other.total_cmp(one));
    if let Some(least) = means.get(most.saturating_sub(1)) {
        rows.retain(|row| devices::mean(row) >= *least);
        rows.truncate(most);
    }
    DevicePanel { name: &arm.name, rows, more }
}

fn table(places: &Places<'_>) -> DataTable {
    let heads = [
        "phase", "arm", "device", "profile", "busy", "reads", "writes", "flushes", "read",
        "written", "seeks",
    ];
    let mut table = DataTable::new(4, &heads);
    for phase in &places.phases {
        for (arm, run) in places.in_phase(phase) {
            for device in &run.devices {
                let names = [*phase, &arm.name, &device.name, &device.profile];
                let cells = names.map(str::to_owned).into_iter();
                table.rows.push(cells.chain(figures(device, run.duration_ns.0)).collect());
            }
        }
    }
    table
}

fn figures(device: &DeviceRun, duration_ns: u64) -> [String; 7] {
    [
        Ratio::new(device.busy_ns.0, duration_ns).to_string(),
        device.reads.to_string(),
        device.writes.to_string(),
        device.flushes.to_string(),
        device.read_bytes.to_string(),
        device.write_bytes.to_string(),
        device.seeks.to_string(),
    ]
}
