//! Whose reads missed, from a pool's read history, as text for a terminal and as JSON.

use arcwright_machine::{ReadRow, ReadTable};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::{Precision, bar};
use crate::table::{Cell, Table, Tone, wrapped};
use crate::text::TextOptions;
use crate::version::FormVersion;

/// What was added to the JSON form since its first version.
const MINOR: u32 = 0;
/// Letters of a bar.
const BAR: usize = 10;

/// `arcwright record reads --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadsAnswer<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// Who read, and whose reads missed.
    #[serde(flatten)]
    table: &'a ReadTable,
}

/// Returns whose reads missed as indented JSON with a final newline.
///
/// # Errors
/// The serializer's.
pub fn reads_json(table: &ReadTable) -> Result<String, serde_json::Error> {
    let output_version = FormVersion::new("arcwright record reads", MINOR);
    let answer = ReadsAnswer { output_version, table };
    serde_json::to_string_pretty(&answer).map(|text| text + "\n")
}

/// Returns the same as text, of each table the first `top` rows.
#[must_use]
pub fn reads_text(table: &ReadTable, top: usize, options: &TextOptions) -> String {
    let mut parts = vec![wrapped("", &head(table), options.width)];
    let tables =
        [("Datasets", &table.datasets), ("Processes", &table.processes), ("Files", &table.files)];
    for (title, rows) in tables.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        let first = rows.iter().take(top);
        parts.push(shared_out(title, first, table.misses).render(options.colour));
    }
    parts.join("\n")
}

pub(crate) fn count(count: u64) -> String {
    Precision::Rounded.count(count)
}

pub(crate) fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

pub(crate) fn head(table: &ReadTable) -> String {
    let said = format!(
        "{} reads on demand, {} of them missed; {} ahead of demand.",
        count(table.reads),
        count(table.misses),
        count(table.ahead)
    );
    let lost = (table.lost > 0).then(|| {
        let all = table.reads + table.ahead + table.lost;
        let part = Precision::Rounded.ratio(share(table.lost, all));
        format!("{} were lost ({part}): there were more than the kernel keeps.", count(table.lost))
    });
    let garbled = (table.garbled > 0)
        .then(|| format!("{} records made no sense and were dropped.", count(table.garbled)));
    let parts: Vec<String> = [Some(said), lost, garbled].into_iter().flatten().collect();
    parts.join(" ")
}

fn shared_out<'a>(title: &str, rows: impl Iterator<Item = &'a ReadRow>, misses: u64) -> Table {
    let mut shown = Table::default();
    let heads = [title, "reads", "missed", "", "of all misses"];
    shown.cells(heads.map(|head| Cell::new(head, Tone::Strong)).to_vec());
    for row in rows {
        let part = share(row.misses, misses);
        let cells = [
            row.name.clone(),
            count(row.reads),
            count(row.misses),
            bar(part, BAR),
            Precision::Rounded.ratio(part),
        ];
        shown.cells(cells.into_iter().map(Cell::plain).collect());
    }
    shown
}

#[cfg(test)]
mod tests {
    use arcwright_machine::{ReadRow, ReadTable};

    use super::{reads_json, reads_text};
    use crate::text::TextOptions;

    #[test]
    fn misses_are_shared_out_and_what_was_lost_is_said() {
        let row = |name: &str, reads, misses| {
            let name = name.to_owned();
            ReadRow { name, object: None, reads, misses }
        };
        let table = ReadTable {
            reads: 300,
            misses: 40,
            ahead: 60,
            lost: 40,
            garbled: 0,
            datasets: vec![row("tank/media", 200, 30), row("tank/\u{1b}", 100, 10)],
            processes: Vec::new(),
            files: Vec::new(),
        };
        let expected = [
            "300 reads on demand, 40 of them missed; 60 ahead of demand. 40 were lost (10.0 %): there were more",
            "than the kernel keeps.",
            "",
            "Datasets    reads  missed              of all misses",
            "tank/media    200      30  ▇▇▇▇▇▇▇▇           75.0 %",
            "tank/\\x1b     100      10  ▇▇▇                25.0 %",
        ];
        let text = reads_text(&table, 10, &TextOptions::default());
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        let json: serde_json::Value = serde_json::from_str(&reads_json(&table).unwrap()).unwrap();
        assert_eq!(json["datasets"][0]["misses"], 30);
    }
}
