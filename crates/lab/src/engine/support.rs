//! What the lab can run today; everything else is named and refused before anything starts.

use arcwright_scenario::{
    ARC_MAX_SMALLEST, ArcLimits, EngineError, LabClock, Scenario, Setting, System,
};
use arcwright_tunables::Version;
use arcwright_units::Bytes;
use arcwright_workload::{Action, Client, Durability};

use crate::openzfs::Library;
use crate::openzfs::offers::{is_kept_by_lab, symbol_sizes};
use crate::protocol::ScaledSetting;

/// Refuses a scenario that asks for something the lab cannot do.
///
/// # Errors
/// [`EngineError::Unsupported`] naming the first such thing as it is written in the scenario.
pub fn check(scenario: &Scenario) -> Result<(), EngineError> {
    let refuse = |what: String, hint: &str| {
        Err(EngineError::Unsupported { engine: "lab", what, hint: Some(hint.to_owned()) })
    };
    for phase in &scenario.phases {
        for client in &phase.clients {
            if let Some(what) = unsupported(client) {
                return Err(EngineError::client("lab", &phase.name, what));
            }
        }
    }
    let lab = &scenario.lab;
    if lab.clock == LabClock::Real && lab.motion.is_none() && scenario.files.is_empty() {
        let what = "the real clock without a file to calibrate it by".to_owned();
        return refuse(what, "set lab.motion, or use the event clock");
    }
    scenario.system.required_processor("lab").map(|_| ())
}

fn unsupported(client: &Client) -> Option<&'static str> {
    match client.action {
        _ if client.action.is_on_tree() && client.durability != Durability::Later => {
            Some("tree-copy that waits for stable storage")
        }
        Action::Read | Action::Write | Action::Mixed { .. } => None,
        Action::TreeStat | Action::TreeRead | Action::TreeCopy { .. } => None,
        // One that has no requests comes from a saved result.
        Action::Trace { ref replay, .. } if !replay.requests().is_empty() => None,
        Action::Fio { .. } | Action::Trace { .. } => Some(client.action.name()),
    }
}

/// Refuses an arm that sets a tunable which the library does not have.
///
/// # Errors
/// [`EngineError::Unsupported`] naming the arm, the tunable and the library's version.
pub(crate) fn check_tunables(scenario: &Scenario, library: &Library) -> Result<(), EngineError> {
    let sizes = symbol_sizes(&library.libzpool)
        .map_err(|error| EngineError::Failed { what: error.to_string(), hint: None })?;
    for arm in &scenario.arms {
        for setting in &scenario.system_of(arm).tunables {
            let is_variable = matches!(sizes.get(&setting.name), Some(4 | 8));
            if is_variable || is_kept_by_lab(&setting.name, &library.version) {
                continue;
            }
            return Err(EngineError::Unsupported {
                engine: "lab",
                what: format!(
                    "arm “{}” sets {}, which the library of OpenZFS {} does not export",
                    arm.name, setting.name, library.version
                ),
                hint: Some(
                    "leave the arm out (--arm), or choose another library (--openzfs)".to_owned(),
                ),
            });
        }
    }
    Ok(())
}

/// Refuses a memory so small, after scaling, that OpenZFS would take more than it was given.
///
/// # Errors
/// [`EngineError::Unsupported`] with the largest scale that fits.
pub(crate) fn check_memory(scenario: &Scenario, library: &Library) -> Result<(), EngineError> {
    for arm in &scenario.arms {
        let system = scenario.system_of(arm);
        let full_scale = limits(&system, library).max;
        let scale = scenario.lab.scale.max(1);
        if Bytes(full_scale.0 / scale) < ARC_MAX_SMALLEST {
            let fits = full_scale.0 / ARC_MAX_SMALLEST.0;
            return Err(EngineError::Unsupported {
                engine: "lab",
                what: format!(
                    "an ARC of {full_scale} scaled down {scale} times is below OpenZFS's minimum \
                     of {ARC_MAX_SMALLEST}"
                ),
                hint: Some(match fits {
                    0 => "give the system more memory".to_owned(),
                    fits => format!("scale down less: --set lab.scale={fits}"),
                }),
            });
        }
    }
    Ok(())
}

/// Returns the ARC's limits, at full scale and scaled down.
///
/// They are set by name, since in user space the library derives them differently.
pub(crate) fn arc_limits(system: &System, library: &Library, scale: u64) -> Vec<ScaledSetting> {
    let full_scale = limits(system, library);
    let scaled = full_scale.scaled(scale);
    let setting = |name: &str, value: Bytes, scaled: Bytes| ScaledSetting {
        asked: Setting { name: name.to_owned(), value: value.0 },
        scaled: scaled.0,
    };
    vec![
        setting("zfs_arc_max", full_scale.max, scaled.max),
        setting("zfs_arc_min", full_scale.min, scaled.min),
    ]
}

/// Returns the limit of changed data, at full scale and scaled down, where the library would not find it by
/// itself: it takes a tenth of the scaled memory, but its upper bound of 4 GiB does not scale
/// (`arc_init`, module/zfs/arc.c, 2.1 and 2.3).
pub(crate) fn dirty_limit(scenario: &Scenario, full_scale: &System) -> Option<ScaledSetting> {
    const NAME: &str = "zfs_dirty_data_max";
    let bound = Bytes::gib(4);
    let scale = scenario.lab.scale;
    let mut clients = scenario.phases.iter().flat_map(|phase| &phase.clients);
    let is_bound = full_scale.memory.0 / 10 > bound.0 && scale > 1;
    let is_set = full_scale.tunables.iter().any(|setting| setting.name == NAME);
    let is_needed = is_bound && !is_set && clients.any(|client| client.action.writes());
    let asked = Setting { name: NAME.to_owned(), value: bound.0 };
    is_needed.then_some(ScaledSetting { asked, scaled: bound.0 / scale.max(1) })
}

fn limits(system: &System, library: &Library) -> ArcLimits {
    ArcLimits::of(system, Version::parse(library.behaviour()))
}
