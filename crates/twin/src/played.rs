//! A machine with a recorded trace in the place of the load that its counters tell.

use arcwright_machine::Machine;
use arcwright_scenario::trace_phases;
use arcwright_units::{Bytes, visible};

use crate::hardware::Hardware;
use crate::plan::Plan;
use crate::{TwinError, pool_of, text};

/// A machine under a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// The scenario file.
    pub text: String,
    /// What the machine has and the scenario does not say.
    pub left_out: Vec<String>,
}

/// Returns a machine with one of its pools, on which a trace is played that touches so much; the file calls it `path`.
///
/// # Errors
/// [`TwinError`] says what of the machine is missing, and what shows it.
pub fn played(
    machine: &Machine,
    pool: Option<&str>,
    (path, touched): (&str, Bytes),
) -> Result<Played, TwinError> {
    let pool = pool_of(machine, pool)?;
    let hardware = Hardware::of(machine, pool)?;
    let (fill, played) = (hardware.fill_beside(touched), Some(path.to_owned()));
    let plan = Plan { fill, played, ..Plan::default() };
    let head = [
        vec![
            "The machine as it was captured, with a recorded trace in the place of its load."
                .to_owned(),
        ],
        vec![format!("The trace, {}, touches {touched}.", visible(path))],
    ];
    let text = text::file(&hardware, &plan, &head) + &trace_phases(path);
    Ok(Played { text, left_out: hardware.left_out })
}
