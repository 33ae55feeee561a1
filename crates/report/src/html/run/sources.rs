//! Where the bytes of each phase came from.

use arcwright_scenario::{ArmOutcome, PhaseRun, ReadClasses};
use arcwright_units::Bytes;

use super::places::Places;
use super::{Chart, Drawn, TableOfChart};
use crate::html::chart::rows::Labels;
use crate::html::chart::sources::{self, Class, Part, SourceGroup, SourceRow, What};
use crate::html::figure::{Caption, DataTable};
use crate::markup::Markup;
use crate::text::Sheet;

pub(super) fn chart<'a>(sheet: &Sheet<'a>, places: &Places<'a>) -> Option<Chart<'a>> {
    let groups: Vec<SourceGroup> =
        places.phases.iter().filter_map(|phase| group(places, phase)).collect();
    if groups.is_empty() {
        return None;
    }
    let runs = || places.phases.iter().flat_map(|phase| places.in_phase(phase));
    let is_split = runs().any(|(_, run)| run.reads_by_class.is_some());
    let lead = match is_split {
        true => {
            "Bytes that clients read in a phase, by where they came from. “On demand”: a request \
             waited for it; “ahead”: the prefetcher read it before. What devices read is shown in \
             phases that write as well."
        }
        false => {
            "Bytes that clients read in a phase, by where they came from. What was read on demand \
             and ahead is not told apart: this engine, or an older result, does not say."
        }
    };
    let said = groups.iter().flat_map(|group| group.rows.iter().map(move |row| said(group, row)));
    let caption = Caption {
        id: "sources",
        title: "Where each byte came from",
        lead: lead.to_owned(),
        description: format!("Stacked bars. {}.", said.collect::<Vec<_>>().join("; ")),
    };
    let mut table = sheet.sources().html("Where the bytes came from");
    table.element("p", &[("class", "note")], Sheet::LEGEND);
    table.add(&classes(places));
    let drawn = Drawn::Whole(Box::new(move |width| sources::draw(&groups, width)));
    Some(Chart { caption, table: TableOfChart::Ready(table), drawn })
}

fn said(group: &SourceGroup, row: &SourceRow) -> String {
    let parts = row.parts.iter().filter(|part| part.bytes > 0.0);
    let parts = parts.map(|part| {
        format!("{} from {}", crate::html::axis::Quantity::Size.text(part.bytes), part.what.name())
    });
    format!("{}, {}: {}", group.title, row.labels.name, parts.collect::<Vec<_>>().join(", "))
}

/// Returns a phase of which anything is known to have been read.
fn group<'a>(places: &Places<'a>, phase: &'a str) -> Option<SourceGroup> {
    let row = |(arm, run): (&ArmOutcome, &PhaseRun)| SourceRow {
        labels: labels(arm, run),
        parts: parts(run),
    };
    let rows: Vec<SourceRow> = places.in_phase(phase).map(row).collect();
    let is_any = rows.iter().flat_map(|row| &row.parts).any(|part| part.bytes > 0.0);
    is_any.then(|| SourceGroup { title: phase.to_owned(), rows })
}

/// Returns what clients moved; where they wrote as well, what was read, beside it.
fn labels(arm: &ArmOutcome, run: &PhaseRun) -> Labels {
    let name = arm.name.clone();
    if run.arc_bytes.is_some() {
        return Labels { name, figure: run.bytes.to_string(), beside: String::new() };
    }
    let read = run.l2arc_read_bytes + run.device_read_bytes;
    Labels { name, figure: read.to_string(), beside: format!("of {} moved", run.bytes) }
}

fn parts(run: &PhaseRun) -> Vec<Part> {
    let whole = |what, bytes: Bytes| Part { what, bytes: bytes.0 as f64 };
    let mut parts: Vec<Part> =
        run.arc_bytes.map(|bytes| whole(What::Arc, bytes)).into_iter().collect();
    let Some(by_class) = &run.reads_by_class else {
        parts.push(whole(What::L2arc(Class::Unknown), run.l2arc_read_bytes));
        parts.push(whole(What::Disks(Class::Unknown), run.device_read_bytes));
        return parts;
    };
    let of = |classes: &ReadClasses, of: fn(Class) -> What, all: Bytes| -> Vec<Part> {
        let known = [
            (Class::DemandData, classes.demand_data),
            (Class::PrefetchData, classes.prefetch_data),
            (Class::DemandMetadata, classes.demand_metadata),
            (Class::PrefetchMetadata, classes.prefetch_metadata),
        ];
        let sum: u64 = known.iter().map(|(_, bytes)| bytes.0).sum();
        let rest = (Class::Beside, Bytes(all.0.saturating_sub(sum)));
        known.into_iter().chain([rest]).map(|(class, bytes)| whole(of(class), bytes)).collect()
    };
    parts.extend(of(&by_class.l2arc, What::L2arc, run.l2arc_read_bytes));
    parts.extend(of(&by_class.disks, What::Disks, run.device_read_bytes));
    parts
}

/// Returns the figures of all classes; nothing where none are known.
fn classes(places: &Places<'_>) -> Markup {
    let heads = [
        "phase",
        "arm",
        "L2ARC, data on demand",
        "data ahead",
        "metadata on demand",
        "metadata ahead",
        "disks, data on demand",
        "data ahead",
        "metadata on demand",
        "metadata ahead",
    ];
    let mut table = DataTable::new(2, &heads);
    for phase in &places.phases {
        for (arm, run) in places.in_phase(phase) {
            let Some(by) = &run.reads_by_class else { continue };
            let cells = [&by.l2arc, &by.disks].into_iter().flat_map(|classes| {
                [
                    classes.demand_data,
                    classes.prefetch_data,
                    classes.demand_metadata,
                    classes.prefetch_metadata,
                ]
            });
            let names = [(*phase).to_owned(), arm.name.clone()];
            table
                .rows
                .push(names.into_iter().chain(cells.map(|bytes| bytes.to_string())).collect());
        }
    }
    if table.rows.is_empty() { Markup::new() } else { table.markup("What was read from devices") }
}
