//! The fidelity board: how far the model is from the real OpenZFS.
//!
//! Cases are experiments, one half written down and one half drawn from a seed ([`cases`]). The lab
//! runs each with three seeds or more, until their mean settles; what it counted is kept in
//! `fidelity/records`. The model runs the same files at the same scale. [`board`] compares the two and writes `fidelity/BOARD.md` and
//! `fidelity/summary.json`.

mod board;
mod cases;
mod chart;
mod crowds;
mod field;
mod old_cases;
mod page;
mod record;
mod trees;
mod writes;

use std::path::PathBuf;

use anyhow::Context as _;

use board::Board;
use cases::Case;

pub(crate) fn run(record: Option<&str>, show: Option<&str>) -> anyhow::Result<()> {
    let folder = crate::root().join("fidelity");
    let cases = cases::all();
    if let Some(text) = record {
        let is_wanted = |case: &&Case| text.split(',').any(|part| case.name.contains(part));
        let wanted: Vec<&Case> = cases.iter().filter(is_wanted).collect();
        record::with_lab(&wanted, &folder.join("records"))?;
    }
    let is_shown = |case: &Case| show.is_none_or(|text| case.name.contains(text));
    let cases: Vec<Case> = cases.into_iter().filter(is_shown).collect();
    let (old, new): (Vec<Case>, Vec<Case>) = cases.into_iter().partition(Case::is_old);
    let (compared, compared_old) = (compare(&new, &folder)?, compare(&old, &folder)?);
    let cases: Vec<Case> = new.into_iter().chain(old).collect();
    if let Some(text) = show {
        for case in &cases {
            println!("--- {}\n{}", case.name, case.text);
        }
        print!("{}{}", compared.details(text), compared_old.details(text));
        return Ok(());
    }
    let summary = compared.summary();
    let text = serde_json::to_string_pretty(&summary)? + "\n";
    std::fs::write(folder.join("summary.json"), &text).context("failed to write the summary")?;
    let open = std::fs::read_to_string(folder.join("OPEN.md")).unwrap_or_default();
    let summary_old = compared_old.summary();
    let text_old = serde_json::to_string_pretty(&summary_old)? + "\n";
    std::fs::write(folder.join("summary-old.json"), &text_old)
        .context("failed to write the summary of the old days")?;
    let page = compared.text(&summary)
        + &compared_old.old_text(&summary_old)
        + &field::section()?
        + "\n"
        + &open;
    std::fs::write(folder.join("BOARD.md"), page).context("failed to write the board")?;
    std::fs::write(folder.join("board.svg"), compared.chart())
        .context("failed to write the chart")?;
    print!("{text}{text_old}");
    Ok(())
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

fn compare(cases: &[Case], folder: &std::path::Path) -> anyhow::Result<Board> {
    let mut board = Board::default();
    for case in cases {
        let path = record_path(&folder.join("records"), case);
        if !path.exists() {
            println!("not recorded yet: {}", case.name);
            continue;
        }
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("failed to read {}", path.display()))?;
        let lab: record::Record = serde_json::from_str(&text)
            .with_context(|| format!("failed to understand {}", path.display()))?;
        match record::with_model(case, lab.seeds()) {
            Ok(model) => board.add(case, &lab, &model),
            Err(error) => board.refuse(&case.name, &format!("{error:#}")),
        }
    }
    Ok(board)
}

fn record_path(folder: &std::path::Path, case: &Case) -> PathBuf {
    folder.join(format!("{}.json", case.name))
}

#[cfg(test)]
mod tests {
    use super::board::Summary;
    use super::{Case, cases, compare};

    /// The committed summary is what the model gives today, or worse: then it is to be renewed.
    #[test]
    fn the_board_does_not_get_worse() {
        let folder = crate::root().join("fidelity");
        let (old, new): (Vec<Case>, Vec<Case>) = cases::all().into_iter().partition(Case::is_old);
        for (name, cases) in [("summary.json", new), ("summary-old.json", old)] {
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
