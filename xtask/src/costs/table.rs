//! Counts as files: the ones that the fit begins with, and the ones that it found, for the model and for the page.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, ensure};
use arcwright_model::Work;

/// Where the fit begins: `fidelity/costs/prior.csv`, in the order of `Work`; up to 2.1, and later; and how sure that is,
/// if it was measured.
const PRIOR: &str = "fidelity/costs/prior.csv";
/// The counts of the model, written by the fit.
const TABLE: &str = "crates/model/src/versions/lock_ops.rs";
/// The page, of which a block is written by the fit.
pub(super) const PAGE: &str = "docs/model/constants.md";
const BEGIN: &str = "<!-- lock operations: made by cargo xtask costs fit; not edited by hand -->\n";
const END: &str = "<!-- end of lock operations -->\n";

/// A count with its standard error; none for one that the experiments do not tell from others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count {
    pub(super) count: u32,
    pub(super) error: Option<f64>,
}

/// How far the model is off from a library, before and after the fit, in per cent.
#[derive(Debug)]
pub(super) struct Spread {
    pub(super) openzfs: String,
    pub(super) is_fitted_on: bool,
    /// Mean and worst with the counts that the fit begins with.
    pub(super) before: [f64; 2],
    /// The same with the fitted ones.
    pub(super) after: [f64; 2],
    /// The mean on two cores.
    pub(super) on_two_cores: [f64; 2],
}

/// A count that the fit begins with, and its standard error where it was measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prior {
    pub(super) count: f64,
    pub(super) error: Option<f64>,
}

/// Returns the counts that the fit of an era begins with.
pub(super) fn prior(era: usize) -> anyhow::Result<Vec<Prior>> {
    let text = fs::read_to_string(crate::root().join(PRIOR)).context(PRIOR)?;
    let mut counts = Vec::new();
    for (work, line) in Work::ALL.iter().zip(text.lines().skip(1)) {
        let mut cells = line.split(',');
        ensure!(
            cells.next() == Some(work.name()),
            "{PRIOR}: “{}” is not in its place",
            work.name()
        );
        let cells: Vec<&str> = cells.collect();
        let number = |place: usize| cells.get(place).and_then(|cell| cell.parse().ok());
        let count =
            number(era).with_context(|| format!("{PRIOR}: no count of “{}”", work.name()))?;
        counts.push(Prior { count, error: number(2) });
    }
    ensure!(counts.len() == Work::ALL.len(), "{PRIOR} has {} counts", counts.len());
    Ok(counts)
}

/// Writes what the fit found of both eras to the model and the page.
pub(super) fn write(eras: &[Vec<Count>; 2], spreads: &[Spread], date: &str) -> anyhow::Result<()> {
    let root = crate::root();
    fs::write(root.join(TABLE), table(eras)).context(TABLE)?;
    let text = fs::read_to_string(root.join(PAGE)).context(PAGE)?;
    let page = with_block(&text, [BEGIN, END], &block(eras, spreads, date)).context(PAGE)?;
    fs::write(root.join(PAGE), page).context(PAGE)?;
    println!("written: {TABLE}, {PAGE}; `cargo xtask fidelity` and `same` show what it changes");
    Ok(())
}

fn table([old, new]: &[Vec<Count>; 2]) -> String {
    let mut text = "\
//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later. Written by `cargo xtask costs fit`,
//! not by hand; docs/model/constants.md#lock-operations says how far they are off.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
"
    .to_owned();
    for ((work, old), new) in Work::ALL.iter().zip(old).zip(new) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    [{}, {}], // {}", old.count, new.count, work.name());
    }
    text + "];\n"
}

fn block([old, new]: &[Vec<Count>; 2], spreads: &[Spread], date: &str) -> String {
    let mut text = "\n| work | up to 2.1 | 2.2 and later | what it is | standard errors |\n|---|---|---|---|---|\n"
        .to_owned();
    for ((work, old), new) in Work::ALL.iter().zip(old).zip(new) {
        let errors = [old, new].map(|count| match count.error {
            Some(error) => format!("{error:.0}"),
            None => "not told apart".to_owned(),
        });
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            work.name(),
            old.count,
            new.count,
            work.what(),
            match errors {
                [old, new] if old == new => old,
                [old, new] => format!("{old}; {new}"),
            }
        );
    }
    let _ = write!(
        text,
        "\nFitted on {date}. How far the model is off from all experiments with enough cores, before and after, and on two \
         cores:\n\n\
         | library | before: mean, worst | fitted: mean, worst | two cores, mean before and after | part |\n\
         |---|---|---|---|---|\n"
    );
    for spread in spreads {
        let [before, after] =
            [spread.before, spread.after].map(|[mean, worst]| format!("{mean:.1} %, {worst:.0} %"));
        let [cores_before, cores_after] = spread.on_two_cores;
        let part = if spread.is_fitted_on { "fitted on" } else { "judges" };
        let _ = writeln!(
            text,
            "| {} | {before} | {after} | {cores_before:.1} %, {cores_after:.1} % | {part} |",
            spread.openzfs
        );
    }
    text + "\n"
}

/// Returns the page with another block between two marks.
pub(super) fn with_block(page: &str, [begin, end]: [&str; 2], block: &str) -> Option<String> {
    let (before, rest) = page.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some([before, begin, block, end, after].concat())
}

#[cfg(test)]
mod tests {
    use arcwright_model::{LockOps, Work};

    use super::{BEGIN, END, prior, with_block};

    #[test]
    fn a_block_takes_the_place_of_the_one_before() {
        let page = |block: &str| ["a\n", BEGIN, block, END, "z\n"].concat();
        assert_eq!(with_block(&page("old\n"), [BEGIN, END], "new\n"), Some(page("new\n")));
        assert_eq!(with_block("a\n", [BEGIN, END], "new\n"), None);
    }

    #[test]
    fn the_fit_begins_with_every_piece_of_work() {
        assert_eq!([0, 1].map(|era| prior(era).unwrap().len()), [Work::ALL.len(); 2]);
    }

    #[test]
    fn the_page_lists_the_counts_of_the_model() {
        let page = std::fs::read_to_string(crate::root().join(super::PAGE)).unwrap();
        let [old, new] = ["2.1.11", "2.3.2"].map(|version| LockOps::of(Some(version)));
        for work in Work::ALL {
            let [old, new] = [old, new].map(|counts| counts.count(*work));
            let row = format!("| {} | {old} | {new} | {} | ", work.name(), work.what());
            assert_eq!(page.matches(&row).count(), 1, "no row {row:?}");
        }
    }
}
