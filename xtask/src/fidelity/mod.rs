//! The fidelity board: how far the model is from the real OpenZFS.
//!
//! Cases are experiments, one half written down and one half drawn from a seed ([`cases`]). The lab
//! runs each with three seeds or more, until their mean settles; what it counted is kept in
//! `fidelity/records`. The model runs the same files at the same scale. [`board`] compares the two; what comes of
//! it is in `fidelity/`: `BOARD.md` to read, `CASES.md` with what is furthest off, `board.csv` with every arm and
//! phase, sums in `summary.json`.

mod board;
mod cases;
mod cases_page;
mod chart;
mod compression;
mod crowds;
mod datasets;
mod draid;
mod encrypted;
mod field;
mod fill;
mod links;
mod old_cases;
mod page;
mod parts;
mod ranges;
mod reasons;
mod record;
mod shared;
mod shingled;
mod trees;
mod unseen;
mod unseen_arms;
mod unseen_words;
mod volumes;
mod writes;

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use board::Board;
use cases::Case;
pub(crate) use cases::pick;

use crate::parallel;

/// The cases that the lab is to run.
pub(crate) struct Chosen {
    /// Parts of their names, with commas between them.
    pub(crate) text: String,
    /// Those that this lab has recorded already are left out.
    pub(crate) only_missing: bool,
}

impl Chosen {
    fn has(&self, case: &Case, records: &Path) -> bool {
        self.text.split(',').any(|part| case.name.contains(part))
            && !(self.only_missing && record::is_of_this_lab(&record_path(records, case)))
    }
}

pub(crate) fn run(record: Option<&Chosen>, show: Option<&str>) -> anyhow::Result<()> {
    let folder = crate::root().join("fidelity");
    let cases = cases::all();
    if let Some(wanted) = record {
        let records = folder.join("records");
        let wanted: Vec<&Case> = cases.iter().filter(|case| wanted.has(case, &records)).collect();
        record::with_lab(&wanted, &records)?;
    }
    let is_shown = |case: &Case| show.is_none_or(|text| case.name.contains(text));
    let cases: Vec<Case> = cases.into_iter().filter(is_shown).collect();
    let [new, held_out, unseen, seen, old] = apart(cases).map(|(_, cases)| cases);
    let boards = Boards {
        new: compare(&new, &folder)?,
        held_out: compare(&held_out, &folder)?,
        unseen: compare(&unseen, &folder)?,
        seen: compare(&seen, &folder)?,
        old: compare(&old, &folder)?,
    };
    if let Some(text) = show {
        for case in [&new, &held_out, &unseen, &seen, &old].into_iter().flatten() {
            println!("--- {}\n{}", case.name, case.text);
        }
        for board in boards.all() {
            print!("{}", board.details(text));
        }
        return Ok(());
    }
    for (name, board) in SUMMARIES.into_iter().zip(boards.all()) {
        let text = serde_json::to_string_pretty(&board.summary())? + "\n";
        std::fs::write(folder.join(name), &text)
            .with_context(|| format!("failed to write {name}"))?;
        print!("{text}");
    }
    let checks = ranges::Checks::of([(&boards.seen, &seen), (&boards.unseen, &unseen)], &new)?;
    let page = page::page(&boards, &checks.section(), &field::section()?);
    std::fs::write(folder.join("BOARD.md"), page).context("failed to write the board")?;
    std::fs::write(folder.join("CASES.md"), cases_page::page(&boards))
        .context("failed to write the page of cases")?;
    let rows = boards.all().map(Board::rows).concat();
    std::fs::write(folder.join("board.csv"), page::HEADS.to_owned() + &rows)
        .context("failed to write every line")?;
    std::fs::write(crate::root().join(ranges::PATH), checks.all.text("cargo xtask fidelity"))
        .context("failed to write the table of ranges")?;
    std::fs::write(folder.join("board.svg"), boards.new.chart())
        .context("failed to write the chart")
}

/// Sums of the boards, in the order of [`Boards::all`].
const SUMMARIES: [&str; 5] = [
    "summary.json",
    "summary-held-out.json",
    "summary-unseen.json",
    "summary-seen.json",
    "summary-old.json",
];

/// What is summed up apart from each other.
struct Boards {
    /// What the model was made with.
    new: Board,
    /// Libraries on which nothing was fitted.
    held_out: Board,
    /// Drawn cases that nobody has looked at.
    unseen: Board,
    /// Drawn cases that have been looked at since they were recorded.
    seen: Board,
    /// The code of about 2010.
    old: Board,
}

impl Boards {
    fn all(&self) -> [&Board; 5] {
        [&self.new, &self.held_out, &self.unseen, &self.seen, &self.old]
    }
}

/// Returns the cases of each board with the name of its sums.
fn apart(cases: Vec<Case>) -> [(&'static str, Vec<Case>); 5] {
    let (old, others): (Vec<Case>, Vec<Case>) = cases.into_iter().partition(Case::is_old);
    let (drawn, others): (Vec<Case>, Vec<Case>) = others.into_iter().partition(Case::is_of_a_block);
    let (unseen, seen) = drawn.into_iter().partition(Case::is_unseen);
    let (held_out, new) = others.into_iter().partition(Case::is_held_out);
    let [first, second, third, fourth, fifth] = SUMMARIES;
    [(first, new), (second, held_out), (third, unseen), (fourth, seen), (fifth, old)]
}

/// Returns name, scenario and version of every case.
pub(crate) fn texts() -> Vec<(String, String, String)> {
    let version = |case: &Case| match case.is_old() {
        true => old_cases::BEHAVIOUR.to_owned(),
        false => case.version.clone(),
    };
    cases::all()
        .into_iter()
        .map(|case| (case.name.clone(), case.text.clone(), version(&case)))
        .collect()
}

fn compare(cases: &[Case], folder: &Path) -> anyhow::Result<Board> {
    let mut board = Board::default();
    let compared = parallel::map(cases, |case| -> anyhow::Result<Compared> {
        let Some(lab) = recorded(case, folder)? else { return Ok(None) };
        let model = record::with_model(case, lab.seeds());
        Ok(Some((lab, model)))
    });
    for (case, compared) in cases.iter().zip(compared) {
        match compared? {
            Some((lab, Ok(model))) => board.add(case, &lab, &model),
            Some((_, Err(error))) => board.refuse(&case.name, &format!("{error:#}")),
            None => println!("not recorded yet: {}", case.name),
        }
    }
    Ok(board)
}

/// What the lab counted, and what the model says; none where nothing was recorded.
type Compared = Option<(record::Record, anyhow::Result<record::Record>)>;

fn recorded(case: &Case, folder: &Path) -> anyhow::Result<Option<record::Record>> {
    let path = record_path(&folder.join("records"), case);
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("failed to read {}", path.display()))?;
    let lab = serde_json::from_str(&text)
        .with_context(|| format!("failed to understand {}", path.display()))?;
    Ok(Some(lab))
}

fn record_path(folder: &Path, case: &Case) -> PathBuf {
    folder.join(format!("{}.json", case.name))
}

#[cfg(test)]
mod tests {
    use super::board::Summary;
    use super::{cases, compare};

    /// Every line that is committed counts in the committed sums.
    #[test]
    fn the_lines_sum_up_to_the_summary() {
        let folder = crate::root().join("fidelity");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let lines = read("board.csv");
        assert!(lines.starts_with(super::page::HEADS));
        let groups = [None, Some("held out"), Some("never seen"), Some("seen since"), Some("old")];
        for (name, group) in super::SUMMARIES.into_iter().zip(groups) {
            let summary: Summary = serde_json::from_str(&read(name)).unwrap();
            let of_board = |line: &&str| {
                let of_line = line.split(',').nth(1).filter(|it| groups.contains(&Some(*it)));
                of_line == group
            };
            // Figures are the last ten, whatever arms and phases are called.
            let sum = |column: usize| {
                let lines: Vec<&str> = lines.lines().skip(1).filter(of_board).collect();
                let figure = |line: &&str| line.rsplit(',').nth(9 - column)?.parse::<f64>().ok();
                let figures: Vec<f64> = lines.iter().filter_map(figure).map(f64::abs).collect();
                figures.iter().sum::<f64>() / figures.len() as f64
            };
            for (column, expected) in [
                (1, summary.throughput_mape_pct),
                (2, summary.arc_hit_ratio_mae_pp),
                (4, summary.disk_bytes_mape_pct),
            ] {
                let found = sum(column);
                // Lines are rounded to one digit.
                assert!((found - expected).abs() < 0.06, "{name} {column}: {found} {expected}");
            }
        }
    }

    /// The committed summary is what the model gives today, or worse: then it is to be renewed.
    #[test]
    #[ignore = "needs a minute: ./test, or cargo xtask fidelity"]
    fn the_board_does_not_get_worse() {
        let folder = crate::root().join("fidelity");
        for (name, cases) in super::apart(cases::all()) {
            let Ok(text) = std::fs::read_to_string(folder.join(name)) else {
                panic!("no fidelity/{name}; run `cargo xtask fidelity`");
            };
            let committed: Summary = serde_json::from_str(&text).unwrap();
            let now = compare(&cases, &folder).unwrap().summary();
            let worse = now.worse_than(&committed);
            assert!(worse.is_empty(), "worse than {name}: {worse:?}\n{now:?}\n{committed:?}");
        }
    }
}
