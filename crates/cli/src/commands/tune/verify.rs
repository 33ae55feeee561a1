//! `arcwright tune verify`.

use arcwright_host::tune::{Disk, load};
use arcwright_report::columns;
use arcwright_report::tune::{TuneVerdict, TuneVerify, tune_version};

use super::{Target, shape};
use crate::arguments::tune::JsonArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Compares the journal with the machine; it fails when something is not as it was left.
pub(super) fn verify(target: &Target, arguments: &JsonArguments) -> Result<Exit, Problem> {
    let facts = target.facts();
    let journal = load(&Disk, &target.root)?;
    let verdicts = arcwright_host::tune::verify(&journal, &facts, &target.root);
    let fine = verdicts.iter().all(|verdict| verdict.holds) && journal.problems.is_empty();
    journal.problems.iter().for_each(|problem| output::remark(&format!("journal: {problem}")));
    if arguments.json {
        let verdicts = verdicts.into_iter().map(|verdict| TuneVerdict {
            operation: verdict.operation,
            what: verdict.what,
            holds: verdict.holds,
            words: verdict.words,
        });
        shape::print_json(&TuneVerify {
            output_version: tune_version("verify"),
            holds: fine,
            verdicts: verdicts.collect(),
        })?;
    } else if verdicts.is_empty() {
        output::print("no change by arcwright is in force\n")?;
    } else {
        let rows: Vec<Vec<String>> = verdicts
            .iter()
            .map(|verdict| {
                let mark = if verdict.holds { "ok" } else { "NOT OK" };
                let words = verdict.words.clone();
                vec![mark.to_owned(), verdict.operation.to_string(), verdict.what.clone(), words]
            })
            .collect();
        output::print(&columns(&["", "OP", "WHAT", "IS"], &rows))?;
    }
    Ok(shape::exit_of(fine))
}
