//! The page of replays.

use std::fmt::Write as _;

use arcwright_model::ranges::Table;
use arcwright_units::Bytes;

use super::cases::{AS_IT_IS, loads};
use super::{Counted, Found};

/// A change is predicted rightly when its hits are off by no more than so many points, and the wait that it leaves by no more than
/// such a part.
const POINTS: f64 = 2.0;
const PART: f64 = 0.15;

/// What a change brings, by both engines.
struct Change<'a> {
    found: &'a Found,
    base: &'a Found,
}

impl Change<'_> {
    /// Returns by how many points the change of the ARC's hits is off.
    fn points(&self) -> f64 {
        let change = |of: fn(&Found) -> Counted| of(self.found).arc_hits - of(self.base).arc_hits;
        (change(|one| one.model) - change(|one| one.lab)) * 100.0
    }

    /// Returns what is left of the wait, by the lab and by the model.
    fn left(&self) -> (f64, f64) {
        let left = |of: fn(&Found) -> Counted| of(self.found).wait_s / of(self.base).wait_s;
        (left(|one| one.lab), left(|one| one.model))
    }

    fn wait_is_right(&self) -> bool {
        let (lab, model) = self.left();
        (model / lab - 1.0).abs() <= PART
    }
}

fn changes(found: &[Found]) -> Vec<Change<'_>> {
    let base = |one: &Found| found.iter().find(|it| it.case == one.case && it.arm == AS_IT_IS);
    let changed = found.iter().filter(|one| one.arm != AS_IT_IS);
    changed.filter_map(|one| Some(Change { found: one, base: base(one)? })).collect()
}

pub(super) fn page(found: &[Found], ranges: &Table) -> String {
    let mut page = String::from(
        "# Replays\n\nMade by `cargo xtask replays`. Each case is a recorded or a drawn trace, played by `trace = …` in the lab and in the \
         model on the same machine, as it is and changed; the first half of the trace warms the caches, the figures are of its \
         second half, lab | model. *Wait* is what all requests took, added up; of a change it is what is left of it. \
         Nothing was fitted on these cases.\n\n",
    );
    page.push_str(&sums(found));
    let within = ranges.holds(ranges);
    let percent = |share: Option<f64>| {
        share.map_or("-".to_owned(), |share| format!("{:.0} %", share * 100.0))
    };
    let _ = write!(
        page,
        "\nThe program's ranges under traces are made of these errors (`crates/model/src/ranges/replayed.csv`), as wide as it takes for four \
         of five to lie within. Each case judged by the others, the wait of an arm lies within in {}, what is left of it in {} of all \
         comparisons of two arms.\n\n",
        percent(within.singles),
        percent(within.pairs)
    );
    for load in loads() {
        let _ = writeln!(page, "- *{}*: {}", load.name, load.said);
    }
    page.push_str(
        "\n| case | arm | ARC hits, % | wait | from disks | change of hits off by, points | wait off by, % |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let changes = changes(found);
    for one in found {
        let change = changes.iter().find(|change| std::ptr::eq(change.found, one));
        let _ = writeln!(page, "{}", row(one, change));
    }
    page
}

fn row(one: &Found, change: Option<&Change<'_>>) -> String {
    let (lab, model) = (one.lab, one.model);
    let bytes = |counted: Counted| Bytes(counted.disk_read).to_string();
    let hits = format!("{:.1} \\| {:.1}", lab.arc_hits * 100.0, model.arc_hits * 100.0);
    let disks = format!("{} \\| {}", bytes(lab), bytes(model));
    let (wait, points, off) = match change {
        None => {
            (format!("{:.1} s \\| {:.1} s", lab.wait_s, model.wait_s), String::new(), String::new())
        }
        Some(change) => {
            let (lab, model) = change.left();
            let wait = format!("{:.0} % \\| {:.0} %", lab * 100.0, model * 100.0);
            (wait, signed(change.points(), 1), signed((model / lab - 1.0) * 100.0, 0))
        }
    };
    format!("| {} | {} | {hits} | {wait} | {disks} | {points} | {off} |", one.case, one.arm)
}

/// Returns a difference with its sign; one that is nothing has none.
fn signed(difference: f64, digits: usize) -> String {
    let text = format!("{difference:+.digits$}");
    if text.chars().any(|letter| ('1'..='9').contains(&letter)) {
        text
    } else {
        text.replace(['+', '-'], "")
    }
}

/// Returns how many changes are predicted rightly.
pub(super) fn sums(found: &[Found]) -> String {
    let changes = changes(found);
    let count = changes.len();
    let hits = changes.iter().filter(|change| change.points().abs() <= POINTS).count();
    let waits = changes.iter().filter(|change| change.wait_is_right()).count();
    let off = |of: fn(&Found) -> f64| {
        let all = found.iter().map(of);
        (all.clone().sum::<f64>() / found.len().max(1) as f64, all.fold(0.0, f64::max))
    };
    let (mean, most) = off(|one| (one.model.arc_hits - one.lab.arc_hits).abs() * 100.0);
    let (wait_mean, wait_most) = off(|one| (one.model.wait_s / one.lab.wait_s - 1.0).abs() * 100.0);
    format!(
        "Of {count} changes the change of the ARC's hits is within {POINTS:.0} points of the lab in {hits}, the wait that is left within {:.0} % in {waits}. Of \
         all {} arms, hits are off by {mean:.2} points in the mean, {most:.2} at most; the wait by {wait_mean:.0} % in the mean, \
         {wait_most:.0} % at most.\n",
        PART * 100.0,
        found.len()
    )
}
