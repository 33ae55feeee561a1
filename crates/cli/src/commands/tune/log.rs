//! `arcwright tune log`.

use arcwright_host::tune::{Disk, load};
use arcwright_report::columns;
use arcwright_report::tune::{TuneLog, TuneLogged, TuneOperation, tune_version};
use arcwright_tunables::journal::{Action, Done, Operation};

use super::{Target, shape};
use crate::arguments::tune::LogArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Lists what was changed.
pub(super) fn log(target: &Target, arguments: &LogArguments) -> Result<Exit, Problem> {
    let journal = load(&Disk, &target.root)?;
    journal.problems.iter().for_each(|problem| output::remark(&format!("journal: {problem}")));
    let operations = journal.operations();
    if arguments.json {
        shape::print_json(&TuneLog {
            output_version: tune_version("log"),
            operations: operations.iter().map(logged).collect(),
            problems: journal.problems.clone(),
        })?;
        return Ok(shape::exit_of(journal.problems.is_empty()));
    }
    let rows: Vec<Vec<String>> = match arguments.tabs {
        true => operations.iter().map(in_one).collect(),
        false => operations.iter().flat_map(rows).collect(),
    };
    let text = match arguments.tabs {
        true => shape::tabs(&rows),
        false if rows.is_empty() => "nothing has been changed yet\n".to_owned(),
        false => columns(&["OP", "TIME", "WHO", "WHY", "STATE", "WHAT"], &rows),
    };
    output::print(&text)?;
    Ok(shape::exit_of(journal.problems.is_empty()))
}

fn rows(operation: &Operation) -> Vec<Vec<String>> {
    let row = |done: &Done| {
        vec![
            operation.id.to_string(),
            shape::time(operation.time),
            operation.who.clone(),
            operation.why.clone(),
            done.state().to_owned(),
            what(done),
        ]
    };
    operation.steps.iter().map(row).collect()
}

/// Returns an operation as one row: its steps' states, each once, and what they do.
fn in_one(operation: &Operation) -> Vec<String> {
    let mut states: Vec<&str> = operation.steps.iter().map(Done::state).collect();
    states.dedup();
    let steps: Vec<String> = operation.steps.iter().map(what).collect();
    vec![
        operation.id.to_string(),
        shape::time(operation.time),
        operation.who.clone(),
        operation.why.clone(),
        states.join(","),
        steps.join("; "),
    ]
}

fn what(done: &Done) -> String {
    let reason = done.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    match &done.action {
        Action::Live { name, old, new, .. } => format!("{name}: {old} → {new}{reason}"),
        Action::File { path, names: [before, after], .. } => {
            let came = after.iter().filter(|name| !before.contains(name)).map(|n| format!("+{n}"));
            let went = before.iter().filter(|name| !after.contains(name)).map(|n| format!("-{n}"));
            let changed: Vec<String> = came.chain(went).collect();
            format!("{path}: {}{reason}", changed.join(" "))
        }
        Action::Middleware { change } => {
            let new = change.new.as_deref().unwrap_or("taken out");
            format!("middleware {}: {new}{reason}", change.var)
        }
    }
}

fn logged(operation: &Operation) -> TuneOperation {
    let steps = operation.steps.iter().map(|done| TuneLogged {
        step: done.step,
        state: done.state().to_owned(),
        reason: done.reason.clone(),
        action: done.action.clone(),
    });
    TuneOperation {
        operation: operation.id,
        time: operation.time,
        who: operation.who.clone(),
        why: operation.why.clone(),
        steps: steps.collect(),
    }
}
