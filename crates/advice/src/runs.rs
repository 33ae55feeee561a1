//! Runs of the model beside a look at a machine: within bounds of memory, with their ranges.

use arcwright_model::{Model, ranges};
use arcwright_scenario::{Engine as _, EngineError, Outcome, RunRequest, Scenario, Unwatched};
use arcwright_units::Bytes;

/// Memory that such a run may take.
const MEMORY_MAX: Bytes = Bytes::mib(256);

/// Runs an experiment; `failed` says what the model's error means.
pub(crate) fn run(
    mut model: Model,
    scenario: Scenario,
    failed: impl FnOnce(EngineError) -> String,
) -> Result<Outcome, String> {
    let request = RunRequest { scenario, repeats: 1 };
    // A machine of petabytes, or a text that claims to be one.
    if model.needs(&request).iter().any(|need| need.memory_max > MEMORY_MAX) {
        return Err(format!("an experiment of its size needs more than {MEMORY_MAX} of memory"));
    }
    let mut outcome = model.run(&request, &mut Unwatched).map_err(failed)?;
    ranges::add(&mut outcome);
    Ok(outcome)
}
