//! `arcwright ssd`: an SSD for a pool, planned, added, taken out again.

mod apply;
mod plan;

use crate::arguments::SsdVerb;
use crate::exit::Exit;
use crate::problem::Problem;

/// Does what the verb says.
pub(crate) fn ssd(verb: &SsdVerb) -> Result<Exit, Problem> {
    match verb {
        SsdVerb::Plan(arguments) => plan::plan(arguments),
        SsdVerb::Undo(arguments) => apply::undo(arguments),
    }
}
