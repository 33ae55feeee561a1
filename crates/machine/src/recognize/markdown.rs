//! Tables of Markdown in which somebody wrote counters down: `| `c_max` | 66,086,522,880 | 61.55 GiB |`.
//!
//! Only whole numbers beside a counter's own name are read; a table that has several numbers beside one compares moments or
//! machines, and is not.

use arcwright_kstat::{KstatValue, NamedKstat};
use arcwright_tunables::lookup;

use super::clean::Line;
use super::kstat_forms::is_row_name;
use super::kstats::{self, ARCSTATS};
use super::prompt::Prompt;
use super::settings::parameter_text;
use super::{Again, Taken, Text};

/// Rows of a table that are looked at; `arcstats` has some 150.
const ROWS_MAX: usize = 400;

/// Takes a table with rows of `arcstats`, and of parameters beside them.
pub(super) fn counters(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    // Below its titles and their rule; the mark in front of rows may have been taken for one of a page.
    let is_row = |line: &&Line| line.text.contains('|') && !is_rule(&line.text);
    lines.get(1).filter(|line| is_rule(&line.text))?;
    let table: Vec<&Line> = lines.iter().skip(2).take(ROWS_MAX).take_while(is_row).collect();
    let mut rows: Vec<(String, KstatValue)> = Vec::new();
    let mut texts = Vec::new();
    for line in &table {
        let cells = cells(&line.text);
        let [name, value, rest @ ..] = cells.as_slice() else { continue };
        let Some(number) = whole(value) else { continue };
        if rest.iter().any(|cell| whole(cell).is_some()) {
            return None;
        }
        // `size (actual)`.
        let Some(name) = name.split_whitespace().next() else { continue };
        let name = name.trim_matches(['*', '`']);
        if lookup(name).is_some_and(|entry| entry.name == name) {
            texts.push(parameter_text(name, &number.to_string()));
        } else if is_row_name(name) {
            rows.push((name.to_owned(), KstatValue::U64(number)));
        }
    }
    kstats::is_arc(&rows).then_some(())?;
    let text = NamedKstat::of_rows(ARCSTATS, rows).to_text();
    let name = format!("proc/spl/kstat/{ARCSTATS}");
    texts.push(Text { name, text, again: Again::Sample });
    Some(Taken { lines: table.len() + 2, texts })
}

/// Says whether a line is the rule below a table's titles: `|---|---:|`.
fn is_rule(line: &str) -> bool {
    line.contains("--|") && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Returns the cells of a row, without the marks of their writing.
fn cells(line: &str) -> Vec<&str> {
    let inner = line.trim().trim_matches('|');
    inner.split('|').map(|cell| cell.trim().trim_matches(['*', '`', ' '])).collect()
}

/// Reads `66,086,522,880`, `66086522880`.
fn whole(cell: &str) -> Option<u64> {
    let digits: String = cell.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let is_number = digits.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use arcwright_kstat::KstatValue;

    use crate::machine::Machine;
    use crate::sources::Sources;

    /// Checks what is known of the ARC by a table.
    fn check(table: &str, expected: &[(&str, u64)]) {
        let machine = Machine::read(&Sources::recognize(&format!(
            "What I measured:\n\n{table}\nThat is all.\n"
        )));
        let rows =
            machine.samples.last().and_then(|sample| sample.kstats.kstats.get("zfs/arcstats"));
        for (name, value) in expected {
            assert_eq!(
                rows.and_then(|rows| rows.value(name)),
                Some(&KstatValue::U64(*value)),
                "{name} of\n{table}"
            );
        }
        assert_eq!(rows.is_some(), !expected.is_empty(), "{table}");
    }

    #[test]
    fn counters_are_read_from_a_table_of_a_page() {
        let table = "| Metric | Value | |\n|---|---|---|\n| `zfs_arc_max` | `0` | default |\n| `c_max` | 66,086,522,880 | \
                     61.55 GiB |\n| `size` (actual) | **50307580376** | 46.9 GiB |\n| hit rate | 1,718 / 15 | 99 % |\n";
        check(table, &[("c_max", 66_086_522_880), ("size", 50_307_580_376)]);
        check(
            "| | before | after |\n|---|---|---|\n| `c_max` | 1024 | 2048 |\n| `size` | 1000 | 2000 |\n",
            &[],
        );
        check("| disk | hours |\n|---|---|\n| sda | 12000 |\n| sdb | 9000 |\n", &[]);
    }
}
