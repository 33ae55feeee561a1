//! The page of a result: question and answer, then the charts of all arms.

mod devices;
mod latency;
mod over_time;
mod places;
mod sources;
mod speed;

use std::fmt;

use arcwright_scenario::Outcome;

use super::figure::{self, Caption, DataTable, PanelGroup};
use super::page::{CHART_STYLE, Page, command, list};
use super::svg::{Described, Drawing};
use crate::harmless::harmless;
use crate::markup::Markup;
use crate::text::{Sheet, TextOptions};
use places::Places;

/// A chart of a result that can be had alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartKind {
    /// How fast each arm was.
    Speed,
    /// Where the bytes came from.
    Sources,
    /// How fast each arm was over time.
    Time,
    /// How long requests took.
    Latency,
    /// How busy devices were.
    Devices,
}

/// Why there is no such chart of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartMissing(&'static str);

impl fmt::Display for ChartMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for ChartMissing {}

/// A chart in the making: what it says, its table, and how it is drawn.
struct Chart<'a> {
    caption: Caption,
    table: TableOfChart,
    drawn: Drawn<'a>,
}

enum TableOfChart {
    Ready(Markup),
    Rows(DataTable),
}

enum Drawn<'a> {
    /// As wide as there is room.
    Whole(Box<dyn Fn(f64) -> Drawing + 'a>),
    /// A legend, and a panel for each arm.
    Panels { legend: Box<dyn Fn(f64) -> Drawing + 'a>, panels: Vec<PanelGroup> },
}

impl Chart<'_> {
    fn markup(&self) -> Markup {
        let table = match &self.table {
            TableOfChart::Ready(table) => table.clone(),
            TableOfChart::Rows(rows) => rows.markup(self.caption.title),
        };
        match &self.drawn {
            Drawn::Whole(draw) => figure::chart(&self.caption, &**draw, &table),
            Drawn::Panels { legend, panels } => {
                figure::panels(&self.caption, &**legend, panels, &table)
            }
        }
    }
}

/// Returns the page of a result.
#[must_use]
pub fn run_html(outcome: &Outcome) -> String {
    let outcome = &*harmless(outcome);
    let options = TextOptions::default();
    let sheet = Sheet::of(outcome, &options);
    let places = Places::of(outcome);
    let charts = [
        speed::chart(&sheet, &places),
        over_time::chart(&places),
        sources::chart(&sheet, &places),
        latency::chart(&places),
        devices::chart(&places),
    ];
    let mut parts: Vec<(&'static str, &'static str)> = Vec::new();
    let mut body = Markup::new();
    for chart in charts.iter().flatten() {
        parts.push((chart.caption.id, chart.caption.title));
        body.add(&chart.markup());
    }
    for (id, title, section) in
        [clients(&sheet), settings(&sheet), notes(&sheet)].into_iter().flatten()
    {
        parts.push((id, title));
        body.add(&section);
    }
    Page { title: &outcome.scenario.title, head: head(&sheet), parts, body }.render()
}

/// Returns one chart of a result as a file of its own.
///
/// # Errors
/// [`ChartMissing`] where the result does not have what it shows.
pub fn chart_svg(outcome: &Outcome, kind: ChartKind) -> Result<String, ChartMissing> {
    let outcome = &*harmless(outcome);
    let options = TextOptions::default();
    let sheet = Sheet::of(outcome, &options);
    let places = Places::of(outcome);
    let (chart, why) = match kind {
        ChartKind::Speed => (speed::chart(&sheet, &places), "no arm was finished"),
        ChartKind::Sources => (sources::chart(&sheet, &places), "no phase read anything"),
        ChartKind::Time => {
            (over_time::chart(&places), "the result has no samples over time; run it again")
        }
        ChartKind::Latency => (latency::chart(&places), "no request was timed"),
        ChartKind::Devices => (devices::chart(&places), "the result has no devices"),
    };
    let chart = chart.ok_or(ChartMissing(why))?;
    let described = Described {
        id: chart.caption.id.to_owned(),
        title: format!("{}: {}", outcome.scenario.title, chart.caption.title),
        description: chart.caption.description.clone(),
    };
    let drawing = match &chart.drawn {
        Drawn::Whole(draw) => draw(super::chart::WIDE),
        Drawn::Panels { legend, panels } => {
            let panels: Vec<&Drawing> =
                panels.iter().flat_map(|group| &group.panels).map(|(_, panel)| panel).collect();
            Drawing::tiled(&legend(super::chart::WIDE), &panels)
        }
    };
    Ok(drawing.alone(&described, CHART_STYLE).into_text() + "\n")
}

fn head(sheet: &Sheet<'_>) -> Markup {
    let scenario = &sheet.outcome.scenario;
    let mut head = Markup::new();
    head.element("h1", &[], &scenario.title);
    if !scenario.question.is_empty() {
        head.element("p", &[("class", "question")], scenario.question.trim());
    }
    head.add(&answer(&sheet.answers(), &places::fastest(sheet.outcome)));
    head.element("p", &[("class", "meta")], &capitalized(&sheet.engine()));
    head
}

/// Returns the answers, or what was fastest where nothing was asked.
pub(super) fn answer(answers: &[String], otherwise: &[String]) -> Markup {
    let mut markup = Markup::new();
    let lines = if answers.is_empty() { otherwise } else { answers };
    if lines.is_empty() {
        return markup;
    }
    markup.open("section", &[("class", "answer"), ("aria-label", "Answer")]);
    for line in lines {
        // What stands in brackets at the end says how far to trust it.
        let (said, beside) = match line.find(" (The report:").or(line.find(" (Range:")) {
            Some(at) => line.split_at(at),
            None => match line.find(" (No range:") {
                Some(at) => line.split_at(at),
                None => (line.as_str(), ""),
            },
        };
        markup.open("p", &[]);
        markup.text(said);
        if !beside.is_empty() {
            markup.element("small", &[], beside.trim());
        }
        markup.close("p");
    }
    markup.close("section");
    markup
}

pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

pub(super) type Section = (&'static str, &'static str, Markup);

pub(super) fn section(id: &'static str, title: &'static str, inner: &Markup) -> Option<Section> {
    if inner.is_empty() {
        return None;
    }
    let mut markup = Markup::new();
    markup.open("section", &[("id", id)]);
    markup.element("h2", &[], title);
    markup.add(inner);
    markup.close("section");
    Some((id, title, markup))
}

fn clients(sheet: &Sheet<'_>) -> Option<Section> {
    let mut inner = sheet.clients()?.html("Clients");
    if let Some(legend) = sheet.clients_legend() {
        inner.element("p", &[("class", "note")], legend);
    }
    section("clients", "Clients", &inner)
}

/// Returns what the arms set, with the command that shows what that would change on a machine.
fn settings(sheet: &Sheet<'_>) -> Option<Section> {
    let mut inner = Markup::new();
    let lines = sheet.changes();
    let lines: Vec<String> =
        lines.iter().map(|(who, what)| format!("{who}: {}", what.join(", "))).collect();
    inner.add(&list(lines.iter().map(String::as_str)));
    let arms = sheet.outcome.arms.iter().filter(|arm| !arm.tunables.is_empty());
    let commands: Vec<(&str, String)> = arms
        .map(|arm| {
            let set: Vec<String> = arm
                .tunables
                .iter()
                .map(|setting| format!("{}={}", setting.name, setting.asked))
                .collect();
            (arm.name.as_str(), format!("arcwright tune diff {}", set.join(" ")))
        })
        .collect();
    if !commands.is_empty() {
        inner.element(
            "p",
            &[("class", "lead")],
            "What the settings of an arm would change on your machine; nothing is changed by it:",
        );
    }
    for (arm, line) in &commands {
        inner.element("p", &[("class", "note")], arm);
        inner.add(&command(line));
    }
    section("settings", "What the arms set", &inner)
}

fn notes(sheet: &Sheet<'_>) -> Option<Section> {
    let notes: Vec<String> = sheet.notes().map(|(note, _)| capitalized(&note)).collect();
    section("notes", "How far to trust it", &list(notes.iter().map(String::as_str)))
}
