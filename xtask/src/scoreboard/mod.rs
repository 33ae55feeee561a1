//! `cargo xtask scoreboard`: what doctor makes of texts whose right answer is known.
//!
//! ```text
//!   fixtures/pastes: text + verdict ────────────────────┐
//!   fixtures/machines ── as its owner would paste it ───┤
//!                     ── with one fault put into it ────┼─> doctor ─> judge ─> docs/guide/doctor-scoreboard.md
//!                     ── with one source taken away ────┘
//! ```
//!
//! Verdicts are an expert's and not the program's: what it gets wrong stands on the page as such.

mod case;
mod edit;
mod expected;
mod facts;
mod faults;
mod forms;
mod harm;
mod judge;
mod mutate;
mod page;
mod pastes;

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;

use case::Case;
use judge::{Score, judge};
use mutate::Skipped;

/// Everything that the page tells.
pub(crate) struct Board {
    scores: Vec<Score>,
    /// Why faults were not put into machines.
    skipped: Skipped,
}

fn page_path() -> PathBuf {
    crate::root().join("docs/guide/doctor-scoreboard.md")
}

/// Scores everything and writes the page; with `show` prints what is said of matching cases instead.
pub(crate) fn run(show: Option<&str>) -> anyhow::Result<()> {
    if let Some(show) = show {
        return print_cases(show);
    }
    let board = board()?;
    let path = page_path();
    let committed = fs::read_to_string(&path).unwrap_or_default();
    page::worse(&committed, &board).iter().for_each(|worse| println!("worse: {worse}"));
    fs::write(&path, page::page(&board))
        .with_context(|| format!("failed to write {}", path.display()))?;
    println!("{}\n{}", page::totals(&board), path.display());
    Ok(())
}

fn board() -> anyhow::Result<Board> {
    let (cases, skipped) = cases()?;
    Ok(Board { scores: cases.iter().map(judge).collect(), skipped })
}

fn cases() -> anyhow::Result<(Vec<Case>, Skipped)> {
    let root = crate::root();
    let mut cases = pastes::read(&root)?;
    let machines = mutate::machines()?;
    cases.extend(forms::cases(&machines));
    let (broken, skipped) = mutate::broken(&machines);
    cases.extend(broken);
    cases.extend(mutate::lessened(&machines));
    Ok((cases, skipped))
}

fn print_cases(show: &str) -> anyhow::Result<()> {
    let (cases, _) = cases()?;
    for case in cases.iter().filter(|case| case.name.contains(show)) {
        let score = judge(case);
        println!("== {}", score.name);
        for (what, words) in [
            ("not read", &score.lacking),
            ("missed", &score.missed),
            ("wrong", &score.wrong),
            ("harmful", &score.harmful),
        ] {
            words.iter().for_each(|words| println!("  {what}: {words}"));
        }
        match case.look() {
            case::Seen::Refused(words) => println!("  refused: {words}"),
            case::Seen::Judged(machine, advice) => {
                for pool in &machine.pools {
                    println!("  pool: {}", facts::pool_in_short(pool));
                }
                for finding in &advice.findings {
                    println!("  [{}] {}: {}", finding.severity.label(), finding.id, finding.title);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arcwright_advice::{Estimate, Finding, advise};
    use arcwright_host::capture::redact;
    use arcwright_machine::{Machine, Sources};

    use super::case::Input;
    use super::{board, cases, page, page_path};

    #[test]
    fn doctor_is_as_good_as_the_committed_page_says_and_never_does_harm() {
        let committed = std::fs::read_to_string(page_path()).unwrap();
        let board = board().unwrap();
        let harm: Vec<_> = board.scores.iter().filter(|score| !score.harmful.is_empty()).collect();
        assert!(harm.is_empty(), "{harm:#?}");
        let worse = page::worse(&committed, &board);
        assert!(worse.is_empty(), "worse than docs/guide/doctor-scoreboard.md: {worse:#?}");
    }

    /// What doctor says of a machine, without the names in it: findings with their severity and their
    /// pieces of evidence, what is fine, what cannot be judged.
    fn said(sources: &Sources) -> Vec<String> {
        let advice = advise(&Machine::read(sources), Estimate::CountersOnly);
        let told = |finding: &Finding| {
            let words = finding.severity.label();
            format!("{words}: {}, {} rows", finding.id, finding.evidence.len())
        };
        let judged = advice.unjudged.iter().flat_map(|one| &one.what);
        let mut all: Vec<_> = advice.findings.iter().map(told).collect();
        all.extend(judged.map(|what| format!("not judged: {what}")));
        all.push(format!("{} fine", advice.fine.len()));
        // What is alike is listed in the order of names.
        all.sort();
        all
    }

    #[test]
    fn doctor_says_the_same_of_a_machine_and_of_what_was_redacted() {
        let (cases, _) = cases().unwrap();
        let mut seen = 0;
        let mut otherwise = Vec::new();
        // One in three: all of them take a minute.
        for case in cases.iter().step_by(3) {
            let Input::Machine(sources) = &case.input else { continue };
            let (before, after) = (said(sources), said(&redact(sources)));
            if before != after {
                otherwise.push((&case.name, before, after));
            }
            seen += 1;
        }
        assert!(seen > 200, "{seen}");
        assert!(otherwise.is_empty(), "{} of {seen}: {otherwise:#?}", otherwise.len());
    }

    #[test]
    fn verdicts_name_findings_that_there_are() {
        let (cases, _) = cases().unwrap();
        for case in cases {
            let expected = &case.expected;
            let must = expected.must.iter().map(|must| &must.id);
            let ids = must.chain(&expected.may).chain(&expected.never).flat_map(|id| id.split('|'));
            for id in ids {
                assert!(arcwright_advice::known(id).is_some(), "{}: there is no {id}", case.name);
            }
        }
    }
}
