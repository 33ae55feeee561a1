//! `arcwright tune undo`.

use arcwright_host::tune::{Disk, Session};
use arcwright_report::tune::{TuneUndo, TuneUndone, tune_version};

use super::{Target, persist, shape, why};
use crate::arguments::tune::UndoArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Takes changes back.
pub(super) fn undo(target: &Target, arguments: &UndoArguments) -> Result<Exit, Problem> {
    let facts = target.facts();
    let kernel = facts.running.kernel;
    let mut session = Session::open(&Disk, &*target.commands, &target.root, kernel, why("undo"))?;
    let undone = session.undo(arguments.which)?;
    let exit = match undone.iter().any(|undone| undone.failed) {
        true => Exit::Failed,
        false => Exit::Fine,
    };
    if arguments.json {
        let undone = undone.into_iter().map(|undone| TuneUndone {
            operation: undone.operation,
            what: undone.what,
            failed: undone.failed,
        });
        shape::print_json(&TuneUndo {
            output_version: tune_version("undo"),
            undone: undone.collect(),
        })?;
        return Ok(exit);
    }
    if undone.is_empty() {
        output::print("nothing to undo\n")?;
    }
    for undone in &undone {
        output::print(&format!("operation {}: {}\n", undone.operation, undone.what))?;
    }
    if undone.iter().any(|undone| undone.wrote_file) {
        let refresh = facts.places.platform.refresh(&facts.places.signs);
        persist::tell_refresh(target, &refresh, arguments.run)?;
    }
    Ok(exit)
}
