//! How tune's answers are laid out: tables, dates, the envelope of JSON.

use arcwright_units::visible;
use serde::Serialize;

use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Prints an answer as JSON.
pub(super) fn print_json(answer: &impl Serialize) -> Result<(), Problem> {
    let text = serde_json::to_string_pretty(answer).map_err(anyhow::Error::from)?;
    Ok(output::print_json(&(text + "\n"))?)
}

/// A cell is cut here: what is longer is no value that anybody set, and all of it is in the other forms.
const CELL_CHARS_MAX: usize = 160;

/// Returns rows under a header, in columns as wide as their widest cell.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let shown = |row: &Vec<String>| row.iter().map(|cell| cut(&visible(cell))).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        let head = header.get(column).map_or(0, |head| head.chars().count());
        cells.max().unwrap_or(0).max(head)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let body = rows.iter().map(|row| line(row.iter().map(String::as_str).collect()));
    std::iter::once(line(header.to_vec())).chain(body).collect()
}

/// Returns the beginning of a text that is longer than a cell may be.
fn cut(text: &str) -> String {
    match text.char_indices().nth(CELL_CHARS_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Returns rows as tab-separated lines.
pub(super) fn tabs(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| {
        let cells: Vec<_> = row.iter().map(|cell| visible(cell)).collect();
        cells.join("\t") + "\n"
    };
    rows.iter().map(line).collect()
}

/// Returns the time as `2026-11-21 20:05:00 UTC`.
pub(crate) fn time(seconds: u64) -> String {
    /// Seconds of a day.
    const DAY: u64 = 86_400;
    let (days, rest) = (seconds / DAY, seconds % DAY);
    let (year, month, day) = date(days);
    let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02} UTC")
}

/// Returns the date that is so many days after the first of 1970.
///
/// Days are counted from the first of March of the year 0, so that a leap day ends its year; 146,097
/// days are 400 years (the Gregorian rule).
fn date(days: u64) -> (u64, u64, u64) {
    /// Days from that first of March to 1970.
    const TO_1970: u64 = 719_468;
    const YEARS_400: u64 = 146_097;
    let days = days + TO_1970;
    let of_400 = days % YEARS_400;
    let year_of_400 = (of_400 - of_400 / 1460 + of_400 / 36_524 - of_400 / 146_096) / 365;
    let of_year = of_400 - (365 * year_of_400 + year_of_400 / 4 - year_of_400 / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_400 + days / YEARS_400 * 400 + u64::from(month <= 2);
    (year, month, day)
}

/// Returns the exit code for whether all is well.
pub(super) const fn exit_of(fine: bool) -> Exit {
    if fine { Exit::Fine } else { Exit::Failed }
}

#[cfg(test)]
mod tests {
    use super::{table, time};

    #[test]
    fn times_are_told_in_utc() {
        assert_eq!(time(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(time(951_782_399), "2000-02-28 23:59:59 UTC");
        assert_eq!(time(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(time(1_795_291_200), "2026-11-21 20:00:00 UTC");
        assert_eq!(time(4_107_542_399), "2100-02-28 23:59:59 UTC");
        assert_eq!(time(4_107_542_400), "2100-03-01 00:00:00 UTC");
    }

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["a".to_owned(), "“b”".to_owned(), "c".to_owned()]];
        assert_eq!(table(&["name", "x", "y"], &rows), "name  x    y\na     “b”  c\n");
    }

    #[test]
    fn a_cell_of_any_length_is_shown_as_far_as_it_fits() {
        // The width of a column is a u16 to the formatter: more than 65,535 is a panic.
        for length in [160, 161, 65_535, 65_536, 1 << 20] {
            let rows = vec![vec!["é".repeat(length), "b".to_owned()], vec!["a".into(), "b".into()]];
            let widest =
                table(&["name", "x"], &rows).lines().map(|line| line.chars().count()).max();
            assert_eq!(widest, Some(if length > 160 { 164 } else { 163 }), "{length}");
        }
    }
}
