//! `arcwright tune log`.

use arcwright_host::tune::{Disk, load};
use arcwright_tunables::journal::{Action, Done, Operation};
use serde_json::json;

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
        let all: Vec<serde_json::Value> = operations.iter().map(as_json).collect();
        shape::print_json("log", json!({ "operations": all, "problems": journal.problems }))?;
        return Ok(shape::exit_of(journal.problems.is_empty()));
    }
    let rows: Vec<Vec<String>> = operations.iter().flat_map(rows).collect();
    let text = match arguments.tabs {
        true => shape::tabs(&rows),
        false if rows.is_empty() => "nothing was changed yet\n".to_owned(),
        false => shape::table(&["OP", "TIME", "WHO", "WHY", "STATE", "WHAT"], &rows),
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

fn as_json(operation: &Operation) -> serde_json::Value {
    let steps: Vec<serde_json::Value> = operation
        .steps
        .iter()
        .map(|done| {
            json!({
                "step": done.step,
                "state": done.state(),
                "reason": done.reason,
                "action": done.action,
            })
        })
        .collect();
    json!({
        "operation": operation.id,
        "time": operation.time,
        "who": operation.who,
        "why": operation.why,
        "steps": steps,
    })
}
