//! The page of two results of one experiment: prediction and proof, before and after.

use arcwright_scenario::{Outcome, PhaseRun};

use super::chart::pairs::{self, PairGroup, PairRow};
use super::chart::rows::Labels;
use super::figure::{self, Caption};
use super::page::{Page, list};
use super::run::{answer, capitalized, section};
use crate::compare::phase_of;
use crate::figures::change;
use crate::harmless::harmless;
use crate::markup::Markup;
use crate::pair::{Predicted, answers_of, heading, pair_table};
use crate::text::TextOptions;

/// Returns the page of two results; changes are those of the second against the first.
#[must_use]
pub fn compare_html(one: &Outcome, other: &Outcome) -> String {
    let (one, other) = (&*harmless(one), &*harmless(other));
    let options = TextOptions::default();
    let groups = groups(one, other);
    let mut body = Markup::new();
    let mut parts: Vec<(&'static str, &'static str)> = Vec::new();
    let (table, missing) = pair_table(one, other, &options);
    if groups.is_empty() {
        body.element("p", &[], "The two results have no arm and phase in common.");
    } else {
        let caption = caption(&groups);
        let [a, b] = [("A", one), ("B", other)].map(|(letter, outcome)| {
            format!("{letter}: {} {}", outcome.engine.name, outcome.engine.openzfs)
        });
        parts.push((caption.id, caption.title));
        let table = table.html("Both results");
        body.add(&figure::chart(&caption, &|width| pairs::draw(&groups, [&a, &b], width), &table));
    }
    let answers = section("answers", "What they say of the question", &both_answers(one, other));
    let missing = list(missing.iter().map(String::as_str));
    let missing = section("missing", "Only in one of the two", &missing);
    for (id, title, section) in [answers, missing].into_iter().flatten() {
        parts.push((id, title));
        body.add(&section);
    }
    let title = match one.scenario.title == other.scenario.title {
        true => one.scenario.title.clone(),
        false => format!("{} and {}", one.scenario.title, other.scenario.title),
    };
    Page { title: &title, head: head(&title, (one, other), &groups), parts, body }.render()
}

fn head(title: &str, (one, other): (&Outcome, &Outcome), groups: &[PairGroup]) -> Markup {
    let mut head = Markup::new();
    head.element("h1", &[], title);
    head.add(&answer(&verdict(groups), &[]));
    for (letter, outcome) in [("A", one), ("B", other)] {
        head.element("p", &[("class", "meta")], &capitalized(&heading(letter, outcome)));
    }
    head
}

/// Returns what each of the two says of the question; once, where they say the same.
fn both_answers(one: &Outcome, other: &Outcome) -> Markup {
    let mut markup = Markup::new();
    let (a, b) = (answers_of(one), answers_of(other));
    let said = match a == b {
        true => vec![("Both", &a)],
        false => vec![("A", &a), ("B", &b)],
    };
    for (who, answers) in said.into_iter().filter(|(_, answers)| !answers.is_empty()) {
        markup.element("h3", &[], who);
        markup.add(&list(answers.iter().map(String::as_str)));
    }
    markup
}

/// Says where the two differ most, in how many places they are alike, and how many lie within their range.
fn verdict(groups: &[PairGroup]) -> Vec<String> {
    const ALIKE_PCT: f64 = 5.0;
    let rows: Vec<(&str, &PairRow)> = groups
        .iter()
        .flat_map(|group| group.rows.iter().map(|row| (group.title.as_str(), row)))
        .collect();
    let percent = |row: &PairRow| (row.values.1 / row.values.0.max(1.0) - 1.0) * 100.0;
    let Some((phase, most)) = rows
        .iter()
        .filter(|(_, row)| row.values.0 > 0.0)
        .max_by(|one, other| percent(one.1).abs().total_cmp(&percent(other.1).abs()))
    else {
        return Vec::new();
    };
    let alike = rows.iter().filter(|(_, row)| percent(row).abs() <= ALIKE_PCT).count();
    if percent(most).abs() < 0.05 {
        return vec![format!("A and B are the same in all {} arms and phases.", rows.len())];
    }
    let mut lines = vec![format!(
        "B is within 5 % of A in {alike} of {} arms and phases; furthest apart is “{}” in “{phase}”, \
         with {}.",
        rows.len(),
        most.labels.name,
        change(percent(most))
    )];
    let ranged: Vec<bool> = rows
        .iter()
        .filter_map(|(_, row)| {
            let range = row.range?;
            Some(range.holds(row.values.0) && range.holds(row.values.1))
        })
        .collect();
    if !ranged.is_empty() {
        let within = ranged.iter().filter(|within| **within).count();
        lines.push(format!(
            "What was measured lies within the range of its prediction in {within} of {} places.",
            ranged.len()
        ));
    }
    lines
}

fn groups(one: &Outcome, other: &Outcome) -> Vec<PairGroup> {
    let predicted = Predicted::of(one, other);
    let mut phases: Vec<&str> = Vec::new();
    for run in one.arms.iter().flat_map(|arm| &arm.phases) {
        if !phases.contains(&run.name.as_str()) {
            phases.push(&run.name);
        }
    }
    let row = |arm: &str, (a, b): (&PhaseRun, &PhaseRun)| {
        let [old, new] = [a, b].map(|run| run.throughput_bytes_per_sec);
        let percent = (new.0 as f64 / (old.0 as f64).max(1.0) - 1.0) * 100.0;
        let beside = if old.0 == 0 { String::new() } else { change(percent) };
        PairRow {
            labels: Labels { name: arm.to_owned(), figure: new.to_string(), beside },
            values: (old.0 as f64, new.0 as f64),
            range: predicted.as_ref().and_then(|it| it.range_of(arm, &a.name)),
        }
    };
    let group = |phase: &str| {
        let rows = one.arms.iter().filter_map(|arm| {
            let same = other.arms.iter().find(|found| found.name == arm.name)?;
            Some(row(&arm.name, (phase_of(arm, phase)?, phase_of(same, phase)?)))
        });
        PairGroup { title: phase.to_owned(), rows: rows.collect() }
    };
    let mut groups: Vec<PairGroup> = phases.into_iter().map(group).collect();
    groups.retain(|group| !group.rows.is_empty());
    groups
}

fn caption(groups: &[PairGroup]) -> Caption {
    let said = groups
        .iter()
        .flat_map(|group| group.rows.iter().map(move |row| row.labels.said(&group.title)));
    Caption {
        id: "pairs",
        title: "A and B",
        lead: "Throughput of each arm in both results; the figure is that of B, with the change \
               against A."
            .to_owned(),
        description: format!(
            "A dot for A, a diamond for B. {}.",
            said.collect::<Vec<_>>().join("; ")
        ),
    }
}
