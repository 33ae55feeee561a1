//! The table on the constants' page: what was measured beside what the model has.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::Context as _;

use super::{Size, rounded};
use crate::costs::table::{PAGE, with_block};

const BEGIN: &str = "<!-- sizes: made by cargo xtask costs sizes; not edited by hand -->\n";
const END: &str = "<!-- end of sizes -->\n";

/// Writes the table to the page.
pub(super) fn write(sizes: &[Size]) -> anyhow::Result<()> {
    let path = crate::root().join(PAGE);
    let text = fs::read_to_string(&path).context(PAGE)?;
    let page = with_block(&text, [BEGIN, END], &block(&text, sizes)?).context(PAGE)?;
    fs::write(&path, page).context(PAGE)
}

/// A row of the table: libraries of which it says the same.
struct Row<'a> {
    libraries: Vec<&'a str>,
    figures: String,
}

fn block(page: &str, sizes: &[Size]) -> anyhow::Result<String> {
    let mut by_constant: BTreeMap<&str, BTreeMap<&str, Size>> = BTreeMap::new();
    for size in sizes {
        let of_library = by_constant.entry(&size.constant).or_default();
        let all = of_library.entry(&size.openzfs).or_insert_with(|| size.clone());
        (all.low, all.high) = (all.low.min(size.low), all.high.max(size.high));
    }
    let mut text =
        "\n| constant | library | measured | model | off by |\n|---|---|---|---|---|\n".to_owned();
    for (constant, libraries) in &by_constant {
        let values = today(page, constant).with_context(|| format!("no value of {constant}"))?;
        let mut rows: Vec<Row<'_>> = Vec::new();
        for (library, size) in libraries {
            let model = if *library < "2.2" { values.first() } else { values.last() };
            let model = *model.with_context(|| format!("no value of {constant}"))?;
            let [low, high] = [size.low, size.high].map(rounded);
            let measured = if low == high { low } else { format!("{low} to {high}") };
            let off = residual(model, size);
            let figures = format!("{measured} | {} | {off}", rounded(model));
            match rows.iter_mut().find(|row| row.figures == figures) {
                Some(row) => row.libraries.push(library),
                None => rows.push(Row { libraries: vec![library], figures }),
            }
        }
        for Row { libraries, figures } in rows {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "| {constant} | {} | {figures} |", libraries.join(", "));
        }
    }
    Ok(text + "\n")
}

/// How far a value is outside of what was measured.
fn residual(model: f64, size: &Size) -> String {
    let nearest = model.clamp(size.low, size.high);
    let off = (model / nearest - 1.0) * 100.0;
    match off {
        off if off.abs() >= 0.05 => format!("{off:+.1} %"),
        _ if size.high - size.low < 0.005 => "exact".to_owned(),
        _ => "within".to_owned(),
    }
}

/// Returns the value of a constant by era, from its row on the page, which tidy holds to the code.
fn today(page: &str, constant: &str) -> Option<Vec<f64>> {
    let row = page.lines().find_map(|line| line.strip_prefix(&format!("| `{constant}` | `")))?;
    let (value, _) = row.split_once('`')?;
    let number = |text: &str| match text.split_once("<<") {
        Some((number, places)) => {
            let number: u64 = number.trim().parse().ok()?;
            Some((number << places.trim().parse::<u32>().ok()?) as f64)
        }
        None => text.trim().parse().ok(),
    };
    value.trim_matches(['[', ']']).split(',').map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::{BEGIN, END, block, residual, today};
    use crate::costs::sizes::Size;
    use crate::costs::table::{PAGE, with_block};

    #[test]
    fn the_page_shows_what_was_measured() {
        let page = std::fs::read_to_string(crate::root().join(PAGE)).expect("the page");
        let block = block(&page, &read().expect("sizes")).expect("values");
        let same = with_block(&page, [BEGIN, END], &block);
        assert!(same == Some(page), "run `cargo xtask costs sizes`");
    }

    #[test]
    fn values_are_read_from_their_rows() {
        let page = "| `a.rs: A` | `[34, 28]` | passes |\n| `a.rs: B` | `8 << 10` | bytes |\n";
        assert_eq!(today(page, "a.rs: A"), Some(vec![34.0, 28.0]));
        assert_eq!(today(page, "a.rs: B"), Some(vec![8192.0]));
        assert_eq!(today(page, "a.rs: C"), None);
    }

    #[test]
    fn a_value_is_off_by_how_far_it_is_from_the_nearer_end() {
        let check = |model: f64, [low, high]: [f64; 2], expected: &str| {
            let [constant, openzfs, run] = std::array::from_fn(|_| String::new());
            let size = Size { constant, openzfs, low, high, run };
            assert_eq!(residual(model, &size), expected);
        };
        check(416.0, [416.0, 416.0], "exact");
        check(37.0, [35.0, 45.0], "within");
        check(130.0, [118.0, 118.0], "+10.2 %");
        check(40.0, [41.0, 44.0], "-2.4 %");
    }
}
