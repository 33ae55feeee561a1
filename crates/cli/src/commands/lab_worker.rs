//! `arcwright lab-worker`: one arm of the lab in a process of its own; started by the lab.

use crate::exit::Exit;
use crate::problem::Problem;

pub(crate) fn lab_worker() -> Result<Exit, Problem> {
    match arcwright_lab::worker::main() {
        0 => Ok(Exit::Fine),
        _ => Ok(Exit::Failed),
    }
}
