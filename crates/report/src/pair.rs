//! Two outcomes of one experiment side by side: prediction and proof, before and after.

use arcwright_scenario::{Outcome, PhaseRun, Span};

use crate::answer;
use crate::compare::phase_of;
use crate::figures::{ABSENT, change};
use crate::harmless::harmless;
use crate::ranges::ByPlace;
use crate::table::{Cell, Table, Tone, wrapped};
use crate::text::TextOptions;

/// Returns a table with a line per phase and arm that both outcomes have.
///
/// Changes are those of the second against the first; hit ratios change in percentage points. Where one is a
/// prediction with ranges and the other was measured, each throughput says whether it lies within.
#[must_use]
pub fn pair(one: &Outcome, other: &Outcome, options: &TextOptions) -> String {
    let (one, other) = (&*harmless(one), &*harmless(other));
    let mut text = String::new();
    for (letter, outcome) in [("A", one), ("B", other)] {
        text.push_str(&wrapped("", &heading(letter, outcome), options.width));
    }
    text.push('\n');
    text.push_str(&answers(one, other, options));
    let (rows, missing) = rows(one, other, options);
    if rows.is_empty() {
        text.push_str("The two results have no arm and phase in common.\n");
    } else {
        text.push_str(&tables(&rows, options));
    }
    if !missing.is_empty() {
        text.push('\n');
        let what = format!("only in one of the two: {}", missing.join(", "));
        text.push_str(&wrapped("- ", &what, options.width));
    }
    text
}

/// Returns what one of the two is.
pub(crate) fn heading(letter: &str, outcome: &Outcome) -> String {
    let engine = &outcome.engine;
    let scale =
        if engine.scale > 1 { format!(", scale 1/{}", engine.scale) } else { String::new() };
    let title = arcwright_units::visible(&outcome.scenario.title);
    let what = format!("{letter}: {title}: {}, OpenZFS {}", engine.name, engine.openzfs);
    format!("{what}{scale}, seed {}", engine.seed)
}

/// Returns all that is in both as one table, and what is only in one of the two.
pub(crate) fn pair_table(
    one: &Outcome,
    other: &Outcome,
    options: &TextOptions,
) -> (Table, Vec<String>) {
    let (rows, missing) = rows(one, other, options);
    (table(&rows, options, &|_| true), missing)
}

/// Returns what one of the two says about its question.
pub(crate) fn answers_of(outcome: &Outcome) -> Vec<String> {
    answer::answers(outcome)
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

/// The columns in order; the first stand together where the terminal is too narrow for all.
const HEADS: [&str; 11] = [
    "arm, phase",
    "A, UNIT",
    "B",
    "change",
    "range",
    "ARC hits A",
    "B",
    "L2ARC hits A",
    "B",
    "disks A",
    "B",
];
const SPEED: usize = 5;

/// Returns the rows as one table, or as two below each other.
fn tables(rows: &[[String; HEADS.len()]], options: &TextOptions) -> String {
    let table = |is_shown: &dyn Fn(usize) -> bool| table(rows, options, is_shown);
    let whole = table(&|_| true);
    if whole.width() <= options.width {
        return whole.render(options.colour);
    }
    let (speed, rest) = (table(&|at| at < SPEED), table(&|at| at == 0 || at >= SPEED));
    speed.render(options.colour) + "\n" + &rest.render(options.colour)
}

/// Returns a table of some columns.
fn table(
    rows: &[[String; HEADS.len()]],
    options: &TextOptions,
    is_shown: &dyn Fn(usize) -> bool,
) -> Table {
    let heads = HEADS.map(|head| head.replace("UNIT", options.precision.rate_unit()));
    let shown = |row: &[String], tone: Tone| -> Vec<Cell> {
        let cells = row.iter().enumerate().filter(|(at, _)| is_shown(*at));
        cells.map(|(_, text)| Cell::new(text.clone(), tone)).collect()
    };
    let mut table = Table::default();
    table.cells(shown(&heads, Tone::Strong));
    table.rule();
    rows.iter().for_each(|row| table.cells(shown(row, Tone::Plain)));
    table.drop_silent_columns(&[]);
    table
}

/// Returns a row for each arm and phase of both, and what only one of them has.
fn rows(
    one: &Outcome,
    other: &Outcome,
    options: &TextOptions,
) -> (Vec<[String; HEADS.len()]>, Vec<String>) {
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    let predicted = Predicted::of(one, other);
    for arm in &one.arms {
        let Some(same) = other.arms.iter().find(|found| found.name == arm.name) else {
            missing.push(format!("arm “{}”", arm.name));
            continue;
        };
        for run in &arm.phases {
            match phase_of(same, &run.name) {
                Some(found) => {
                    let against =
                        |predicted: &Predicted<'_>| predicted.against(&arm.name, (run, found));
                    let range = predicted.as_ref().and_then(against);
                    rows.push(line(&arm.name, (run, found), range, options));
                }
                None => missing.push(format!("phase “{}” of “{}”", run.name, arm.name)),
            }
        }
    }
    let new = other.arms.iter().filter(|arm| !one.arms.iter().any(|o| o.name == arm.name));
    missing.extend(new.map(|arm| format!("arm “{}”", arm.name)));
    (rows, missing)
}

/// The ranges of the one outcome that is a prediction, where the other was measured.
pub(crate) struct Predicted<'a> {
    ranges: ByPlace<'a>,
    is_first: bool,
}

impl<'a> Predicted<'a> {
    pub(crate) fn of(one: &'a Outcome, other: &'a Outcome) -> Option<Self> {
        match (&one.ranges, &other.ranges) {
            (Some(_), None) => Some(Self { ranges: ByPlace::of(one), is_first: true }),
            (None, Some(_)) => Some(Self { ranges: ByPlace::of(other), is_first: false }),
            _ => None,
        }
    }

    /// Returns between which figures a throughput was predicted; none where nothing comparable was checked.
    pub(crate) fn range_of(&self, arm: &str, phase: &str) -> Option<Span> {
        self.ranges.get(arm, phase)?.throughput_bytes_per_sec
    }

    /// Says where what was measured lies against the range; none where nothing comparable was checked.
    fn against(&self, arm: &str, (a, b): (&PhaseRun, &PhaseRun)) -> Option<&'static str> {
        let measured = if self.is_first { b } else { a };
        let span = self.range_of(arm, &a.name)?;
        Some(match measured.throughput_bytes_per_sec.0 as f64 {
            speed if speed < span.low => "below",
            speed if speed > span.high => "above",
            _ => "within",
        })
    }
}

fn line(
    arm: &str,
    (a, b): (&PhaseRun, &PhaseRun),
    range: Option<&str>,
    options: &TextOptions,
) -> [String; HEADS.len()] {
    let precision = options.precision;
    let (old, new) = (a.throughput_bytes_per_sec, b.throughput_bytes_per_sec);
    let percent = (new.0 as f64 - old.0 as f64) / (old.0 as f64).max(1.0) * 100.0;
    let changed = if old.0 == 0 { ABSENT.to_owned() } else { change(percent) };
    [
        format!("{}, {}", arcwright_units::visible(arm), arcwright_units::visible(&a.name)),
        precision.rate(old),
        precision.rate(new),
        changed,
        range.unwrap_or(ABSENT).to_owned(),
        precision.ratio(a.arc_hit_ratio),
        precision.ratio(b.arc_hit_ratio),
        precision.ratio(a.l2arc_hit_ratio),
        precision.ratio(b.l2arc_hit_ratio),
        precision.bytes(a.device_read_bytes),
        precision.bytes(b.device_read_bytes),
    ]
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{Ranges, RangesOfPlace, Span};

    use super::pair;
    use crate::{TextOptions, fixture};

    #[test]
    fn a_proof_is_held_against_the_range_of_the_prediction() {
        let measured = fixture::steam();
        let mut predicted = measured.clone();
        let arm = &measured.arms[0];
        let place = |low: f64, high: f64, phase: usize| RangesOfPlace {
            arm: arm.name.clone(),
            phase: arm.phases[phase].name.clone(),
            outside: Vec::new(),
            throughput_bytes_per_sec: Some(Span { low, high }),
            times_first_arm: None,
            arc_hit_ratio: None,
            sync_p50_ns: None,
            sync_p99_ns: None,
            wait_ns: None,
            wait_times_first_arm: None,
        };
        let speed = arm.phases[0].throughput_bytes_per_sec.0 as f64;
        let places = vec![place(speed * 0.9, speed, 0), place(speed, speed * 1.1, 1)];
        predicted.ranges = Some(Ranges { share: 0.8, checked: 9, places, answers: Vec::new() });
        let options = TextOptions::default();
        for text in [pair(&predicted, &measured, &options), pair(&measured, &predicted, &options)] {
            assert!(text.contains("within") && text.contains("below"), "{text}");
        }
        let text = pair(&predicted, &predicted, &options);
        assert!(!text.contains("within"), "{text}");
    }
}
