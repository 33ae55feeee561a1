//! `cargo xtask costs sizes`: what blocks, structures in memory and groups take in the lab, which the model has constants for.
//!
//! ```text
//!   experiments ──lab──> counters ──> fidelity/costs/sizes.csv ──> table on the constants' page, beside the values of today
//! ```
//!
//! It changes no constant: the page says how far each is from what was measured. What no counter tells is a range.

mod experiments;
mod groups;
mod page;
mod readings;

use std::fs;

use anyhow::{Context as _, ensure};

use crate::parallel;

/// What was measured.
const FILE: &str = "fidelity/costs/sizes.csv";
const HEAD: &str = "constant,library,low,high,run";

/// What a constant is in one run with a library: at least, and at most.
#[derive(Debug, Clone, PartialEq)]
struct Size {
    /// As the constants' page names it.
    constant: String,
    openzfs: String,
    low: f64,
    high: f64,
    run: String,
}

/// Returns what a run found: from the least to the most of some values.
fn size(constant: &str, version: &str, values: &[f64], run: &str) -> Size {
    Size {
        constant: constant.to_owned(),
        openzfs: version.to_owned(),
        low: values.iter().copied().fold(f64::INFINITY, f64::min),
        high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        run: run.to_owned(),
    }
}

/// Measures all constants with all libraries, and writes what was found.
pub(super) fn measure(versions: &[String]) -> anyhow::Result<()> {
    let made = parallel::map(versions, |version| experiments::all(version));
    let mut sizes = Vec::new();
    for of_version in made {
        sizes.extend(of_version?);
    }
    fs::write(crate::root().join(FILE), csv(&sizes)).context(FILE)?;
    page::write(&read()?)
}

/// Rows by constant, in the order of the libraries.
fn csv(sizes: &[Size]) -> String {
    let mut rows: Vec<&Size> = sizes.iter().collect();
    rows.sort_by(|one, other| one.constant.cmp(&other.constant));
    let row = |size: &&Size| {
        let [low, high] = [size.low, size.high].map(rounded);
        format!("{},{},{low},{high},{}", size.constant, size.openzfs, size.run)
    };
    let lines: Vec<String> = rows.iter().map(row).collect();
    format!("{HEAD}\n{}\n", lines.join("\n"))
}

/// Two places behind the point, and none where they are zero.
fn rounded(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn read() -> anyhow::Result<Vec<Size>> {
    let text = fs::read_to_string(crate::root().join(FILE)).context(FILE)?;
    let mut lines = text.lines();
    ensure!(lines.next() == Some(HEAD), "{FILE} does not begin with “{HEAD}”");
    lines.map(|line| parsed(line).with_context(|| format!("{FILE}: “{line}”"))).collect()
}

fn parsed(line: &str) -> Option<Size> {
    let mut cells = line.split(',').map(str::to_owned);
    let [constant, openzfs, low, high, run] = std::array::from_fn(|_| cells.next());
    let [low, high] = [low?, high?].map(|cell| cell.parse().ok());
    Some(Size { constant: constant?, openzfs: openzfs?, low: low?, high: high?, run: run? })
}

#[cfg(test)]
mod tests {
    use super::{csv, parsed, read, rounded};

    #[test]
    fn what_is_stored_is_read_back() {
        let text = csv(&read().expect("the sizes that are committed"));
        let committed = std::fs::read_to_string(crate::root().join(super::FILE)).expect("a file");
        assert_eq!(text, committed);
        assert_eq!(parsed("a,2.3.2,1"), None);
    }

    #[test]
    fn zeros_behind_the_point_are_left_out() {
        assert_eq!([424.0, 9.5, 35.504, 0.0].map(rounded), ["424", "9.5", "35.5", "0"]);
    }
}
