//! `arcwright tune apply`.

use arcwright_host::tune::{Disk, Session};
use arcwright_report::tune::{TuneApply, tune_version};
use arcwright_tunables::Purpose;

use super::requested::RequestedPlan;
use super::{Target, shape, why};
use crate::arguments::tune::ApplyArguments;
use crate::consent::agreed;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Sets parameters of the running module.
pub(super) fn apply(target: &Target, arguments: &ApplyArguments) -> Result<Exit, Problem> {
    let ApplyArguments { want, consent, yes } = arguments;
    let facts = target.facts();
    if facts.running.parameters.is_empty() {
        return Err(Problem::Failed(anyhow::anyhow!(
            "the zfs module is not loaded, so nothing can be set live; use tune persist"
        )));
    }
    let wanted = RequestedPlan::of(want, &facts, Purpose::Live)?;
    if !want.json {
        output::print(&wanted.text())?;
    }
    wanted.check(consent)?;
    let mut operation = None;
    if !wanted.plan.steps.is_empty() {
        if !yes && !agreed("Apply?")? {
            output::remark("nothing was changed");
            return Ok(Exit::Failed);
        }
        let why = why(&wanted.why(consent));
        let kernel = facts.running.kernel;
        let mut session = Session::open(&Disk, &*target.commands, &target.root, kernel, why)?;
        operation = Some(session.apply(&wanted.plan)?);
    }
    if want.json {
        let plan = wanted.shape();
        shape::print_json(&TuneApply { output_version: tune_version("apply"), plan, operation })?;
    } else if let Some(operation) = operation {
        output::print(&format!(
            "applied as operation {operation}, until the next boot\nundo it: arcwright tune undo \
             {operation}\nkeep it: arcwright tune persist {}\n",
            wanted.asked
        ))?;
    }
    Ok(Exit::Fine)
}
