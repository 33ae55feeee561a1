//! Settings that the model does not follow are refused by name, where they would matter.
//!
//! The catalogue says of each parameter what the model does with it (`Modelled`); a figure that leaves a
//! setting out would be taken for its effect.

use arcwright_scenario::{EngineError, Scenario, Setting, System};
use arcwright_tunables::{DefaultValue, Modelled, Version, lookup};
use arcwright_workload::Action;

/// Refuses an arm that sets what is not simulated and matters to the experiment, to anything but its default.
///
/// # Errors
/// [`EngineError::Unsupported`] naming the arm and the first such parameter.
pub(super) fn check(
    scenario: &Scenario,
    version_of: &dyn Fn(&System) -> Option<Version>,
) -> Result<(), EngineError> {
    for arm in &scenario.arms {
        let system = scenario.system_of(arm);
        let ignored = system.tunables.iter().find(|setting| {
            let is_default = || version_of(&system).is_some_and(|it| is_default(setting, it));
            matters(setting, scenario, &system) && !is_default()
        });
        if let Some(setting) = ignored {
            return Err(EngineError::Unsupported {
                engine: "model",
                what: format!("arm “{}” sets {}, which is not simulated", arm.name, setting.name),
                hint: Some(format!(
                    "the model would show no effect; the lab runs the real code (--engine lab), and \
                     arcwright tune show {} says what it does",
                    setting.name
                )),
            });
        }
    }
    Ok(())
}

/// Returns the parameters that arms set and on which nothing in an experiment depends.
pub(super) fn without_effect(scenario: &Scenario) -> Vec<String> {
    let mut names = Vec::new();
    for arm in &scenario.arms {
        for setting in &scenario.system_of(arm).tunables {
            if modelled(setting) == Modelled::NoEffect && !names.contains(&setting.name) {
                names.push(setting.name.clone());
            }
        }
    }
    names
}

fn modelled(setting: &Setting) -> Modelled {
    lookup(&setting.name).map_or(Modelled::Refused, |entry| entry.model)
}

fn is_default(setting: &Setting, version: Version) -> bool {
    let default = lookup(&setting.name).and_then(|entry| entry.default_for(version));
    default == Some(DefaultValue::Fixed(setting.value))
}

/// Says whether an experiment on `system` could show what the setting does, and the model does not.
fn matters(setting: &Setting, scenario: &Scenario, system: &System) -> bool {
    let mut clients = scenario.phases.iter().flat_map(|phase| &phase.clients);
    match modelled(setting) {
        Modelled::Simulated | Modelled::NoEffect => false,
        Modelled::RefusedForWrites => clients.any(|client| client.action.writes()),
        Modelled::RefusedForSyncs => clients.any(|client| scenario.waits_for_log(client, system)),
        Modelled::RefusedForCacheDevices => !system.pool.cache.is_empty(),
        Modelled::RefusedForTrees => clients.any(|client| {
            matches!(client.action, Action::TreeStat | Action::TreeRead | Action::TreeCopy { .. })
        }),
        Modelled::Refused => true,
    }
}
