//! Two outcomes of one experiment side by side: prediction and proof, before and after.

use arcwright_scenario::{Outcome, PhaseRun};

use crate::answer;
use crate::compare::phase_of;
use crate::figures::{ABSENT, change};
use crate::harmless::harmless;
use crate::table::{Cell, Table, Tone, wrapped};
use crate::text::TextOptions;

/// Returns a table with a line per phase and arm that both outcomes have.
///
/// Changes are those of the second against the first; hit ratios change in percentage points.
#[must_use]
pub fn pair(one: &Outcome, other: &Outcome, options: &TextOptions) -> String {
    let (one, other) = (&*harmless(one), &*harmless(other));
    let mut text = String::new();
    for (letter, outcome) in [("A", one), ("B", other)] {
        let engine = &outcome.engine;
        let scale =
            if engine.scale > 1 { format!(", scale 1/{}", engine.scale) } else { String::new() };
        let title = arcwright_units::visible(&outcome.scenario.title);
        let what = format!("{letter}: {title}: {}, OpenZFS {}", engine.name, engine.openzfs);
        let line = format!("{what}{scale}, seed {}", engine.seed);
        text.push_str(&wrapped("", &line, options.width));
    }
    text.push('\n');
    text.push_str(&answers(one, other, options));
    let (table, lines, missing) = table(one, other, options);
    if lines == 0 {
        text.push_str("The two results have no arm and phase in common.\n");
    } else {
        let mut table = table;
        table.drop_silent_columns(&[]);
        text.push_str(&table.render(options.colour));
    }
    if !missing.is_empty() {
        text.push('\n');
        let what = format!("only in one of the two: {}", missing.join(", "));
        text.push_str(&wrapped("- ", &what, options.width));
    }
    text
}

/// Returns what each of the two says about its question.
fn answers(one: &Outcome, other: &Outcome, options: &TextOptions) -> String {
    let mut lines = String::new();
    for (letter, outcome) in [("A", one), ("B", other)] {
        for answer in answer::answers(outcome) {
            lines.push_str(&wrapped(&format!("  {letter}: "), &answer, options.width));
        }
    }
    match lines.is_empty() {
        true => lines,
        false => Tone::Strong.paint("Answer", options.colour) + "\n" + &lines + "\n",
    }
}

fn table(one: &Outcome, other: &Outcome, options: &TextOptions) -> (Table, usize, Vec<String>) {
    let precision = options.precision;
    let mut table = Table::default();
    let unit = precision.rate_unit();
    let heads = [
        "arm, phase",
        &format!("A, {unit}"),
        "B",
        "change",
        "ARC hits A",
        "B",
        "L2ARC hits A",
        "B",
        "disks A",
        "B",
    ];
    table.cells(heads.iter().map(|head| Cell::new(*head, Tone::Strong)).collect());
    table.rule();
    let (mut lines, mut missing) = (0, Vec::new());
    for arm in &one.arms {
        let Some(same) = other.arms.iter().find(|found| found.name == arm.name) else {
            missing.push(format!("arm “{}”", arm.name));
            continue;
        };
        for run in &arm.phases {
            match phase_of(same, &run.name) {
                Some(found) => {
                    table.cells(line(&arm.name, run, found, options));
                    lines += 1;
                }
                None => missing.push(format!("phase “{}” of “{}”", run.name, arm.name)),
            }
        }
    }
    let new = other.arms.iter().filter(|arm| !one.arms.iter().any(|o| o.name == arm.name));
    missing.extend(new.map(|arm| format!("arm “{}”", arm.name)));
    (table, lines, missing)
}

fn line(arm: &str, a: &PhaseRun, b: &PhaseRun, options: &TextOptions) -> Vec<Cell> {
    let precision = options.precision;
    let (old, new) = (a.throughput_bytes_per_sec, b.throughput_bytes_per_sec);
    let percent = (new.0 as f64 - old.0 as f64) / (old.0 as f64).max(1.0) * 100.0;
    let changed = if old.0 == 0 { ABSENT.to_owned() } else { change(percent) };
    let cells = [
        format!("{}, {}", arcwright_units::visible(arm), arcwright_units::visible(&a.name)),
        precision.rate(old),
        precision.rate(new),
        changed,
        precision.ratio(a.arc_hit_ratio),
        precision.ratio(b.arc_hit_ratio),
        precision.ratio(a.l2arc_hit_ratio),
        precision.ratio(b.l2arc_hit_ratio),
        precision.bytes(a.device_read_bytes),
        precision.bytes(b.device_read_bytes),
    ];
    cells.into_iter().map(Cell::plain).collect()
}
