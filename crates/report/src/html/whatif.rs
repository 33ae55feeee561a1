//! The pages of what changes would bring, and of the whole way from a machine to commands.

use arcwright_advice::Severity;
use arcwright_scenario::{Outcome, Span};
use arcwright_units::Bytes;
use arcwright_whatif::{Row, WhatIf};

use super::axis::Quantity;
use super::chart::bars::{self, Bar, BarGroup};
use super::chart::curve::{CurveDrawing, CurveLine, Spot, draw};
use super::chart::rows::Labels;
use super::figure::{Caption, DataTable, chart};
use super::page::{Page, command, list};
use super::run::{capitalized, section};
use crate::advise::{Advised, by_memory, enough, memory_said};
use crate::figures::change;
use crate::markup::Markup;
use crate::text::TextOptions;
use crate::whatif::WhatIfSheet;

/// Rows that are drawn at most; the table has all.
const BARS_MAX: usize = 24;

/// Returns the page of an answer.
#[must_use]
pub fn whatif_html(answer: &WhatIf, outcome: &Outcome) -> String {
    let options = TextOptions::default();
    let sheet = WhatIfSheet::of(answer, outcome, &options);
    let title = format!("What would it bring? {}", answer.load);
    let mut head = Markup::new();
    head.element("h1", &[], &title);
    said(&mut head, &sheet);
    let mut parts = Vec::new();
    let mut body = Markup::new();
    changes(&mut body, &mut parts, &sheet);
    Page { title: &title, head, parts, body }.render()
}

/// Returns the page of the whole way from a machine to commands.
#[must_use]
pub fn advise_html(advised: &Advised<'_>) -> String {
    let options = TextOptions::default();
    let sheet = WhatIfSheet::of(advised.answer, advised.outcome, &options);
    let mut head = Markup::new();
    head.element("h1", &[], advised.machine);
    said(&mut head, &sheet);
    let mut parts = Vec::new();
    let mut body = Markup::new();
    let mut add = |part: Option<(&'static str, &'static str, Markup)>, body: &mut Markup| {
        if let Some((id, title, markup)) = part {
            parts.push((id, title));
            body.add(&markup);
        }
    };
    add(section("do", "Do", &steps(advised)), &mut body);
    add(section("found", "Found", &found(advised)), &mut body);
    let (caption, drawing, table) = memory(advised);
    parts.push((caption.id, caption.title));
    body.add(&chart(&caption, &|width| draw(&drawing, width), &table));
    changes(&mut body, &mut parts, &sheet);
    Page { title: advised.machine, head, parts, body }.render()
}

/// Adds the answer, and what ran it.
fn said(head: &mut Markup, sheet: &WhatIfSheet<'_>) {
    head.open("section", &[("class", "answer"), ("aria-label", "Answer")]);
    for line in sheet.said() {
        head.element("p", &[], &line);
    }
    head.close("section");
    head.element("p", &[("class", "meta")], &capitalized(&sheet.engine()));
}

/// Adds the chart of all changes, the rest of the answer, and notes.
fn changes(
    body: &mut Markup,
    parts: &mut Vec<(&'static str, &'static str)>,
    sheet: &WhatIfSheet<'_>,
) {
    let group = BarGroup {
        title: "Waiting that is left, against the pool as it is".to_owned(),
        quantity: Quantity::Percent,
        bars: sheet.shown().into_iter().take(BARS_MAX).map(bar).collect(),
    };
    let told = group.bars.iter().map(|bar| bar.labels.said("wait"));
    let caption = Caption {
        id: "changes",
        title: "What each change brings",
        lead: format!(
            "What clients wait for the same requests. Changes with a star are beaten by none with less hardware.{}",
            hidden(sheet)
        ),
        description: format!("Bars, one for each change. {}.", told.collect::<Vec<_>>().join("; ")),
    };
    parts.push((caption.id, caption.title));
    let draw = |width| bars::draw(std::slice::from_ref(&group), width);
    body.add(&chart(&caption, &draw, &sheet.table().html(caption.title)));
    let sections = [
        section("sure", "Phase by phase", &list(sheet.sure().iter().map(String::as_str))),
        section(
            "not-tried",
            "Not tried to the end",
            &list(sheet.answer.not_tried.iter().map(String::as_str)),
        ),
        section("notes", "How far to trust it", &list(sheet.notes())),
    ];
    for (id, title, markup) in sections.into_iter().flatten() {
        parts.push((id, title));
        body.add(&markup);
    }
}

/// Says how many changes are left out.
fn hidden(sheet: &WhatIfSheet<'_>) -> String {
    match sheet.answer.rows.len() - sheet.shown().len() {
        0 => String::new(),
        count => format!(" {count} more are beaten, and left out."),
    }
}

fn bar((number, row): (usize, &Row)) -> Bar {
    let star = if row.is_frugal && number > 0 { " *" } else { "" };
    let left = (1.0 - row.saved).max(0.0);
    Bar {
        labels: Labels {
            name: format!("{}{star}", row.name),
            figure: format!("{:.0} %", left * 100.0),
            beside: if number == 0 { String::new() } else { change(-row.saved * 100.0) },
        },
        value: left * 100.0,
        range: row
            .shown_range()
            .filter(|_| number > 0)
            .map(|[least, most]| Span { low: (1.0 - most) * 100.0, high: (1.0 - least) * 100.0 }),
        reported: None,
        is_reference: number == 0,
    }
}

fn steps(advised: &Advised<'_>) -> Markup {
    let mut markup = Markup::new();
    for step in advised.steps {
        markup.element("p", &[("class", "lead")], &capitalized(&step.what));
        if !step.command.is_empty() {
            markup.add(&command(&step.command));
        }
    }
    markup
}

fn found(advised: &Advised<'_>) -> Markup {
    let worth = advised.advice.findings.iter().filter(|it| it.severity != Severity::Note);
    let lines: Vec<String> =
        worth.map(|finding| format!("{}: {}", finding.severity.label(), finding.title)).collect();
    list(lines.iter().map(String::as_str))
}

/// Returns the curve over memory.
fn memory(advised: &Advised<'_>) -> (Caption, CurveDrawing, Markup) {
    let rows = by_memory(advised.curve);
    let share = |row: &Row| row.arc_hit_ratio;
    let spots = rows.iter().filter_map(|row| {
        Some(Spot { size: row.memory, hits: share(row)?, range: row.arc_hit_range })
    });
    let here = rows.iter().find(|row| row.changes == 0).map(|row| row.memory);
    let drawing = CurveDrawing {
        lines: vec![CurveLine { name: "hits of the ARC".to_owned(), spots: spots.collect() }],
        knee: enough(&rows).map(|row| row.memory).filter(|memory| Some(*memory) != here),
        here,
    };
    let mut table =
        DataTable::new(1, &["memory", "ARC hits", "least", "most", "disks read", "wait"]);
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    for row in &rows {
        let [least, most] = match row.arc_hit_range {
            Some(range) => range.map(percent),
            None => [String::new(), String::new()],
        };
        let hits = share(row).map(percent).unwrap_or_default();
        let wait = if row.changes == 0 { String::new() } else { change(-row.saved * 100.0) };
        let memory: Bytes = row.memory;
        table.rows.push(vec![
            memory.to_string(),
            hits,
            least,
            most,
            row.disk_reads.to_string(),
            wait,
        ]);
    }
    let said = memory_said(&rows);
    let caption = Caption {
        id: "memory",
        title: "How much memory",
        lead: said.clone(),
        description: format!("A line of hits of the ARC over the machine's memory. {said}"),
    };
    (caption, drawing, table.without_empty().markup("How much memory"))
}
