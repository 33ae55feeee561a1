//! How each arm went over time, with its L2ARC warming up.

use arcwright_scenario::Series;
use arcwright_units::{Bytes, Nanos, Rate};

use super::places::{Places, series_of};
use super::{Chart, Drawn, TableOfChart};
use crate::html::chart::NARROW;
use crate::html::chart::legend::{self, Mark};
use crate::html::chart::slots::{Steps, slots};
use crate::html::chart::timeline::{self, L2arc, LEFT, Panel, Shared};
use crate::html::figure::{Caption, DataTable, PanelGroup};
use crate::html::svg::Drawing;

pub(super) fn chart<'a>(places: &Places<'a>) -> Option<Chart<'a>> {
    let all = places
        .outcome
        .arms
        .iter()
        .flat_map(|arm| places.phases.iter().filter_map(move |phase| series_of(arm, phase)));
    let all: Vec<&Series> = all.collect();
    if all.is_empty() {
        return None;
    }
    let l2arc = l2arc_of(&all);
    let panels = panels(places, l2arc);
    let caption = Caption {
        id: "time",
        title: "Over time",
        lead: lead(places, l2arc),
        description: "Throughput over virtual time, stacked by where the bytes came from: disks, \
                      L2ARC, ARC; below, how the L2ARC fills. The figures are in the table."
            .to_owned(),
    };
    let writes = all.iter().any(|series| series.written_bytes.iter().any(|bytes| bytes.0 > 0));
    let mut entries = vec![
        (
            Mark::Line("clients"),
            if writes { "read and written by clients" } else { "read by clients" },
        ),
        (Mark::Area("stack disks"), "from disks"),
    ];
    if l2arc.is_some() {
        entries.push((Mark::Area("stack l2arc"), "from the L2ARC"));
    }
    if all.iter().any(|series| series.written_bytes.iter().all(|bytes| bytes.0 == 0)) {
        entries.push((Mark::Area("stack arc"), "the rest: from the ARC"));
    }
    if all.iter().any(|series| series.device_write_bytes.iter().any(|bytes| bytes.0 > 0)) {
        entries.push((Mark::Line("to-disks"), "written to disks"));
    }
    let legend = move |width| {
        let mut drawing = Drawing::new(width);
        drawing.height = legend::draw(&mut drawing, 2.0, &entries);
        drawing
    };
    let drawn = Drawn::Panels { legend: Box::new(legend), panels };
    Some(Chart { caption, table: TableOfChart::Rows(table(places)), drawn })
}

fn lead(places: &Places<'_>, l2arc: Option<L2arc>) -> String {
    let repeats = places.outcome.arms.iter().map(|arm| arm.runs.len()).max().unwrap_or(0);
    let mut lead = "Virtual time from the start of each phase, the phases side by side. What devices \
                    read may be ahead of what clients got: the prefetcher is. Phases that write show \
                    no share of the ARC."
        .to_owned();
    if matches!(l2arc, Some(L2arc::Written { .. })) {
        lead.push_str(
            " The lab does not look into the L2ARC while it runs: what was written to it is shown.",
        );
    }
    if repeats > 1 {
        lead.push_str(" The first of the repeats is shown.");
    }
    if places
        .phases
        .iter()
        .flat_map(|phase| places.in_phase(phase))
        .any(|(_, run)| run.warm_up.is_some())
    {
        lead.push_str(" Of a phase that was repeated until the caches were warm, the last round.");
    }
    lead
}

fn l2arc_of(all: &[&Series]) -> Option<L2arc> {
    let sum = |column: &[Bytes]| column.iter().map(|bytes| bytes.0 as f64).sum::<f64>();
    let held = all.iter().filter_map(|series| series.l2arc_size.as_ref());
    let held: Vec<f64> = held.flatten().map(|bytes| bytes.0 as f64).collect();
    let written = all.iter().map(|series| sum(&series.l2arc_write_bytes)).sum::<f64>();
    match held.iter().copied().reduce(f64::max) {
        Some(most) if most > 0.0 => Some(L2arc::Held { most }),
        None if written > 0.0 => Some(L2arc::Written { most: 0.0 }),
        _ => None,
    }
}

/// Returns the panels of all arms: one, or several where there are many phases.
fn panels(places: &Places<'_>, l2arc: Option<L2arc>) -> Vec<PanelGroup> {
    let mut panels = Vec::new();
    for phases in places.in_panels() {
        let slots = slots(&places.spans(&phases), (LEFT, NARROW - 2.0));
        let arms: Vec<Panel<'_>> = places
            .outcome
            .arms
            .iter()
            .map(|arm| Panel {
                name: &arm.name,
                series: phases.iter().map(|phase| series_of(arm, phase)).collect(),
            })
            .collect();
        let rate_max = arms
            .iter()
            .flat_map(|panel| slots.iter().zip(&panel.series))
            .filter_map(|(slot, series)| Some(drawn_max(timeline::rates((*series)?, slot))));
        let rate_max = rate_max.fold(0.0, f64::max);
        let l2arc = l2arc.map(|l2arc| match l2arc {
            L2arc::Held { most } => L2arc::Held { most },
            L2arc::Written { .. } => L2arc::Written { most: written_max(&arms) },
        });
        let shared = Shared { slots, rate_max, l2arc };
        let drawn = arms
            .iter()
            .map(|panel| (panel.name.to_owned(), timeline::draw(panel, &shared, NARROW)));
        panels.push(PanelGroup { title: phases.join(", "), panels: drawn.collect() });
    }
    panels
}

fn written_max(arms: &[Panel<'_>]) -> f64 {
    let written = |panel: &Panel<'_>| {
        let all = panel.series.iter().flatten().flat_map(|series| &series.l2arc_write_bytes);
        all.map(|bytes| bytes.0 as f64).sum::<f64>()
    };
    arms.iter().map(written).fold(0.0, f64::max)
}

/// Returns up to where a scale has to go for an arm: a single peak does not make everything else flat.
fn drawn_max(mut rates: Vec<f64>) -> f64 {
    const PEAK: f64 = 1.6;
    rates.sort_unstable_by(f64::total_cmp);
    let most = rates.last().copied().unwrap_or_default();
    let usual = rates.get(rates.len() * 9 / 10).copied().unwrap_or(most);
    most.min(usual * PEAK)
}

fn table(places: &Places<'_>) -> DataTable {
    /// Rows of all arms and phases, and of one of them.
    const ROWS_OF_ALL: f64 = 800.0;
    const ROWS_MAX: f64 = 20.0;
    let series_count = places.outcome.arms.len() * places.phases.len();
    let rows_max = (ROWS_OF_ALL / series_count.max(1) as f64).clamp(1.0, ROWS_MAX);
    let heads = [
        "phase",
        "arm",
        "until",
        "clients",
        "disks",
        "L2ARC",
        "to disks",
        "to L2ARC",
        "L2ARC holds",
    ];
    let mut table = DataTable::new(2, &heads);
    for phase in &places.phases {
        for (arm, _) in places.in_phase(phase) {
            let Some(series) = series_of(arm, phase) else {
                let mut row = vec![(*phase).to_owned(), arm.name.clone(), "not sampled".to_owned()];
                row.resize(heads.len(), crate::figures::ABSENT.to_owned());
                table.rows.push(row);
                continue;
            };
            rows(&mut table, (phase, &arm.name), (series, &Steps::of(series, rows_max)));
        }
    }
    table.without_empty()
}

fn rows(table: &mut DataTable, (phase, arm): (&str, &str), (series, steps): (&Series, &Steps)) {
    let columns = [
        &series.bytes,
        &series.device_read_bytes,
        &series.l2arc_read_bytes,
        &series.device_write_bytes,
        &series.l2arc_write_bytes,
    ]
    .map(|column| steps.rates(column));
    let held = series.l2arc_size.as_ref().map(|sizes| steps.levels(sizes));
    for (number, end) in steps.ends.iter().enumerate() {
        let mut row = vec![phase.to_owned(), arm.to_owned(), Nanos(whole(*end)).to_string()];
        let rate =
            |column: &Vec<f64>| column.get(number).map(|rate| Rate(whole(*rate)).to_string());
        row.extend(columns.iter().filter_map(rate));
        let size = held.as_ref().and_then(|sizes| sizes.get(number));
        row.push(
            size.map_or(crate::figures::ABSENT.to_owned(), |size| Bytes(whole(*size)).to_string()),
        );
        table.rows.push(row);
    }
}

fn whole(value: f64) -> u64 {
    crate::ranges::rate_of(value).0
}
