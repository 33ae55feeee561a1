//! The whole way from a machine to commands: what was found, how much memory is worth, what each change brings, what to do.

use arcwright_advice::{Advice, Finding, Severity};
use arcwright_scenario::Outcome;
use arcwright_units::{Bytes, visible};
use arcwright_whatif::{Row, WhatIf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::{Precision, bar, change};
use crate::other_loads::saved_range;
use crate::table::{Cell, Table, Tone, wrapped};
use crate::text::TextOptions;
use crate::version::FormVersion;
use crate::whatif::{whatif_head, whatif_parts};

/// What was added to the JSON form since its first version.
const MINOR: u32 = 2;
/// Findings that are named.
const FINDINGS_MAX: usize = 6;
/// Letters of a bar.
const BAR: usize = 20;
/// The share of the most that any memory brings which is enough.
const ENOUGH: f64 = 0.9;
/// A curve that gains less has nothing to say about memory.
const GAIN_MIN: f64 = 0.02;

/// A command with what it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AdvisedStep {
    /// The command; empty where there is none, as for memory.
    pub command: String,
    /// What it does, or is to be done.
    pub what: String,
}

/// What is known after the whole way.
#[derive(Debug)]
pub struct Advised<'a> {
    /// What the machine is.
    pub machine: &'a str,
    /// What was found in its counters.
    pub advice: &'a Advice,
    /// The machine with less and more memory.
    pub curve: &'a WhatIf,
    /// What each change brings.
    pub answer: &'a WhatIf,
    /// The run behind that.
    pub outcome: &'a Outcome,
    /// What to do, in order.
    pub steps: &'a [AdvisedStep],
}

/// `arcwright advise --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AdviseAnswer<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// What the machine is.
    machine: &'a str,
    /// What was found in its counters, the most important first.
    findings: &'a [Finding],
    /// The machine with less and more memory.
    curve: &'a WhatIf,
    /// The memory that brings nine tenths of what the most brings; absent where memory brings nothing.
    enough_memory: Option<Bytes>,
    /// What each change brings, ranked.
    answer: &'a WhatIf,
    /// What to do, in order.
    steps: &'a [AdvisedStep],
    /// What a reader must know to trust the figures, one sentence each.
    notes: &'a [String],
}

/// Returns all of it as indented JSON with a final newline.
///
/// # Errors
/// The serializer's, for numbers that JSON cannot hold.
pub fn advise_json(advised: &Advised<'_>) -> Result<String, serde_json::Error> {
    let answer = AdviseAnswer {
        output_version: FormVersion::new("arcwright advise", MINOR),
        machine: advised.machine,
        findings: &advised.advice.findings,
        curve: advised.curve,
        enough_memory: enough(&by_memory(advised.curve)).map(|row| row.memory),
        answer: advised.answer,
        steps: advised.steps,
        notes: &advised.outcome.notes,
    };
    serde_json::to_string_pretty(&answer).map(|text| text + "\n")
}

/// Returns all of it as text; `all` says whether combinations that others beat are shown.
#[must_use]
pub fn advise_text(advised: &Advised<'_>, options: &TextOptions, all: bool) -> String {
    let title = |text: &str| Tone::Strong.paint(text, options.colour) + "\n";
    let Advised { machine, advice, curve, answer, outcome, steps } = advised;
    let head = title(&visible(machine)) + &whatif_head(answer, outcome, options);
    let [said, rows, sure, not_tried, notes] = whatif_parts(answer, outcome, options, all);
    let mut parts = vec![head, found(advice, options), said];
    parts.push(title("How much memory") + &memory(curve, options));
    parts.extend([rows, sure]);
    let steps: String = steps.iter().map(|step| shown_step(step, options)).collect();
    if !steps.is_empty() {
        parts.push(title("Do") + &steps);
    }
    parts.extend([not_tried, notes]);
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn shown_step(step: &AdvisedStep, options: &TextOptions) -> String {
    match step.command.is_empty() {
        true => wrapped("  ", &step.what, options.width),
        false => {
            let what = Tone::Faint.paint(&step.what, options.colour);
            format!("  {}\n{}", step.command, wrapped("      ", &what, options.width))
        }
    }
}

/// Returns what hurts and what is worth a look, a line each.
fn found(advice: &Advice, options: &TextOptions) -> String {
    let worth = |finding: &&Finding| finding.severity != Severity::Note;
    let all: Vec<&Finding> = advice.findings.iter().filter(worth).collect();
    let mut text = Tone::Strong.paint("Found", options.colour) + "\n";
    for finding in all.iter().take(FINDINGS_MAX) {
        let title = visible(&finding.title);
        let (mark, words) = match finding.severity {
            Severity::HurtsNow => ("hurts now", &*title),
            // What is tried below may do better all the same, so that is not the title's word.
            Severity::Fine => {
                ("fine", "Nothing is wrong by the counters; what a change would bring is below")
            }
            Severity::WorthALook | Severity::Note => ("look", &*title),
        };
        let line = format!("[{mark}] {words}");
        text += &wrapped("  ", &line, options.width);
    }
    match (all.len(), advice.findings.first()) {
        (0, Some(first)) => text += &wrapped("  ", &visible(&first.title), options.width),
        (0, None) => return String::new(),
        (all, _) if all > FINDINGS_MAX => {
            let more = format!("{} more; arcwright doctor shows them", all - FINDINGS_MAX);
            text += &wrapped("  ", &more, options.width);
        }
        _ => {}
    }
    text
}

/// Returns the rows of a curve by memory.
pub(crate) fn by_memory(curve: &WhatIf) -> Vec<&Row> {
    let mut rows: Vec<&Row> = curve.rows.iter().collect();
    rows.sort_by_key(|row| row.memory);
    rows
}

/// Returns the row of the least memory that saves nearly as much as the most does, against the least; none where the curve is flat.
pub(crate) fn enough<'a>(rows: &[&'a Row]) -> Option<&'a Row> {
    let least = rows.first()?.saved;
    let most = rows.iter().map(|row| row.saved).fold(least, f64::max);
    if most - least < GAIN_MIN {
        return None;
    }
    rows.iter().find(|row| row.saved - least >= ENOUGH * (most - least)).copied()
}

fn memory(curve: &WhatIf, options: &TextOptions) -> String {
    let rounded = Precision::Rounded;
    let rows = by_memory(curve);
    let enough = enough(&rows);
    let mut table = Table::default();
    let heads = ["", "ARC hits", "range", "", "disks read", "wait", "range"];
    table.cells(heads.map(|head| Cell::new(head, Tone::Strong)).to_vec());
    for row in &rows {
        let here = row.changes == 0;
        let is_enough = enough.is_some_and(|enough| enough.memory == row.memory);
        let tone = if is_enough { Tone::Good } else { Tone::Plain };
        let name = if here { format!("{} (as it is)", row.memory) } else { row.memory.to_string() };
        let range = row.arc_hit_range.map_or(String::new(), |[low, high]| {
            format!("{:.0} to {:.0} %", low * 100.0, high * 100.0)
        });
        let wait = if here { "-".to_owned() } else { change(-row.saved * 100.0) };
        table.cells(vec![
            Cell::new(name, tone),
            Cell::plain(rounded.ratio(row.arc_hit_ratio)),
            Cell::plain(range),
            Cell::plain(bar(row.arc_hit_ratio, BAR)),
            Cell::plain(rounded.bytes(row.disk_reads)),
            Cell::plain(wait),
            Cell::plain(saved_range(row)),
        ]);
    }
    table.drop_silent_columns(&[]);
    table.render(options.colour) + &wrapped("  ", &memory_said(&rows), options.width)
}

/// Says how much memory is worth having.
pub(crate) fn memory_said(rows: &[&Row]) -> String {
    let installed = rows.iter().find(|row| row.changes == 0).map(|row| row.memory);
    let is_checked = rows.iter().any(|row| row.saved_checked.is_some());
    let by_others = rows.iter().filter_map(|row| Some(row.shown_range()?[1])).fold(0.0, f64::max);
    match (enough(rows), installed) {
        (None, _) if by_others >= GAIN_MIN && is_checked => format!(
            "Memory makes no difference to this load, within these sizes; by how far such predictions were off, clients may wait up to \
             {:.0} % less.",
            by_others * 100.0
        ),
        (None, _) if by_others >= GAIN_MIN => format!(
            "The load that fits the counters best gains nothing from memory, within these sizes; another that fits as well waits up to {:.0} % \
             less.",
            by_others * 100.0
        ),
        (None, _) => "Memory makes no difference to this load, within these sizes.".to_owned(),
        (Some(row), Some(installed)) if row.memory < installed => format!(
            "{} would do: it brings nine tenths of what the most memory brings; there is {installed}.",
            row.memory
        ),
        (Some(row), Some(installed)) if row.memory == installed => {
            "What is installed brings nine tenths of what the most memory brings: more gains little."
                .to_owned()
        }
        (Some(row), _) => format!(
            "The knee is at {}: it brings nine tenths of what the most memory brings.",
            row.memory
        ),
    }
}
