//! The page of a pool's read history: whose reads missed.

use arcwright_machine::{ReadRow, ReadTable};

use super::axis::Quantity;
use super::chart::bars::{self, Bar, BarGroup};
use super::chart::rows::Labels;
use super::figure::{self, Caption, DataTable};
use super::page::{Page, command, list};
use super::run::section;
use crate::figures::Precision;
use crate::markup::Markup;
use crate::reads::{count, head, share};

/// Rows that are drawn, and that stand in a table.
const BARS_MAX: usize = 10;
const ROWS_MAX: usize = 200;
/// Rows that the answer names.
const NAMED: usize = 3;

/// Returns the page of a pool's reads.
#[must_use]
pub fn reads_html(pool: &str, table: &ReadTable) -> String {
    let tables =
        [("datasets", &table.datasets), ("processes", &table.processes), ("files", &table.files)];
    let groups: Vec<BarGroup> =
        tables.iter().filter_map(|(title, rows)| group(title, rows, table.misses)).collect();
    let mut all = Markup::new();
    for (title, rows) in tables.iter().filter(|(_, rows)| !rows.is_empty()) {
        all.add(&figures(title, rows, table.misses));
    }
    let said =
        groups.iter().flat_map(|group| group.bars.iter().map(|bar| bar.labels.said(&group.title)));
    let caption = Caption {
        id: "misses",
        title: "Whose reads missed",
        lead: "Reads that somebody waited for and the ARC did not have, with their share of all such reads.".to_owned(),
        description: format!("Bars of misses. {}.", said.collect::<Vec<_>>().join("; ")),
    };
    let mut parts = Vec::new();
    let mut body = Markup::new();
    if !groups.is_empty() {
        parts.push((caption.id, caption.title));
        body.add(&figure::chart(&caption, &|width| bars::draw(&groups, width), &all));
    } else if !all.is_empty() {
        body.add(&all);
    }
    if let Some((id, title, section)) = section("trust", "How far to trust it", &trust()) {
        parts.push((id, title));
        body.add(&section);
    }
    let title = format!("Reads of pool {pool}");
    Page { title: &title, head: above(&title, table), parts, body }.render()
}

fn above(title: &str, table: &ReadTable) -> Markup {
    let mut above = Markup::new();
    above.element("h1", &[], title);
    above.element("p", &[("class", "question")], "Whose reads missed the ARC?");
    above.open("section", &[("class", "answer"), ("aria-label", "Answer")]);
    above.element("p", &[], &answer(table));
    above.element("p", &[], &head(table));
    above.close("section");
    above
}

/// Returns who missed most.
fn answer(table: &ReadTable) -> String {
    let named = |what: &str, rows: &[ReadRow]| {
        let rows = most(rows).into_iter().take(NAMED).map(|row| {
            let share = Precision::Rounded.ratio(share(row.misses, table.misses));
            format!("{} {share}", row.name)
        });
        let rows: Vec<String> = rows.collect();
        (!rows.is_empty()).then(|| format!("by {what}: {}", rows.join(", ")))
    };
    let parts = [
        named("dataset", &table.datasets),
        named("process", &table.processes),
        named("file", &table.files),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match (table.reads, parts.is_empty()) {
        (0, _) => "Nothing was read on demand.".to_owned(),
        (_, true) => "No read on demand missed.".to_owned(),
        (_, false) => format!("Of all misses on demand, {}.", parts.join("; ")),
    }
}

/// Returns rows that missed, the most first.
fn most(rows: &[ReadRow]) -> Vec<&ReadRow> {
    let mut missed: Vec<&ReadRow> = rows.iter().filter(|row| row.misses > 0).collect();
    missed.sort_by_key(|row| std::cmp::Reverse(row.misses));
    missed
}

fn group(title: &str, rows: &[ReadRow], misses: u64) -> Option<BarGroup> {
    let bar = |row: &ReadRow| {
        let labels = Labels {
            name: row.name.clone(),
            figure: count(row.misses),
            beside: Precision::Rounded.ratio(share(row.misses, misses)),
        };
        let value = row.misses as f64;
        Bar { labels, value, range: None, reported: None, is_reference: false }
    };
    let bars: Vec<Bar> = most(rows).into_iter().take(BARS_MAX).map(bar).collect();
    let title = title.to_owned();
    (!bars.is_empty()).then_some(BarGroup { title, quantity: Quantity::Count, bars })
}

fn figures(title: &str, rows: &[ReadRow], misses: u64) -> Markup {
    let mut table = DataTable::new(1, &["name", "reads", "missed", "of all misses"]);
    for row in rows.iter().take(ROWS_MAX) {
        let share = Precision::Rounded.ratio(share(row.misses, misses));
        table.rows.push(vec![row.name.clone(), count(row.reads), count(row.misses), share]);
    }
    let more = rows.len().saturating_sub(ROWS_MAX);
    if more > 0 {
        table.rows.push(vec![format!("and {more} more")]);
    }
    table.markup(title)
}

fn trust() -> Markup {
    let lines = [
        "Reads that the dbuf cache answers, reads past the ARC (Direct IO) and writes are not in it.",
        "What was lost was overwritten by the kernel before it was read: all shares are of what was not lost.",
    ];
    let mut trust = list(lines.into_iter());
    trust.element(
        "p",
        &[("class", "lead")],
        "What an ARC of each size would find in such reads, from the trace that -o writes:",
    );
    trust.add(&command("arcwright trace curve reads.csv"));
    trust
}
