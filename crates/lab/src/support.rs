//! What the lab can run today; everything else is named and refused before anything starts.

use arcwright_scenario::{EngineError, Os, Scenario, Setting, System};
use arcwright_tunables::Version;
use arcwright_units::Bytes;
use arcwright_workload::{Action, Client};

use crate::openzfs::Library;
use crate::processor;
use crate::zpool::library::symbol_sizes;

/// The smallest ARC that OpenZFS takes (`MIN_ARC_MAX`, include/sys/arc_impl.h).
const ARC_MAX_SMALLEST: Bytes = Bytes::mib(64);
/// The smallest that `zfs_arc_min` may be: two of the largest blocks (module/zfs/arc.c).
const ARC_MIN_SMALLEST: Bytes = Bytes::mib(32);

/// Refuses a scenario that asks for something the lab cannot do.
///
/// # Errors
/// [`EngineError::Unsupported`] naming the first such thing as it is written in the scenario.
pub(crate) fn check(scenario: &Scenario) -> Result<(), EngineError> {
    let refuse = |what: String, hint: &str| {
        let hint = (!hint.is_empty()).then(|| hint.to_owned());
        Err(EngineError::Unsupported { engine: "lab", what, hint })
    };
    for phase in &scenario.phases {
        for client in &phase.clients {
            if let Some(what) = unsupported(client) {
                let what = format!("phase “{}” has a client “{what}”", phase.name);
                return refuse(what, "it runs clients that read or write files");
            }
        }
    }
    if let Some(tree) = scenario.trees.first() {
        let what = format!("the directory tree “{}”", tree.name);
        return refuse(what, "it has files only, no directories");
    }
    let cpu = &scenario.system.cpu;
    if processor::named(cpu).is_none() {
        let hint = format!("profiles known: {}", processor::names());
        return refuse(format!("no processor profile is called “{cpu}”"), &hint);
    }
    Ok(())
}

fn unsupported(client: &Client) -> Option<&'static str> {
    if client.link.is_some() {
        return Some("link");
    }
    match client.action {
        Action::Read | Action::Write | Action::Mixed { .. } => None,
        Action::SyncWrite | Action::TreeCopy | Action::Fio { .. } | Action::Trace { .. } => {
            Some(client.action.name())
        }
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
            if matches!(sizes.get(&setting.name), Some(4 | 8)) {
                continue;
            }
            return Err(EngineError::Unsupported {
                engine: "lab",
                what: format!(
                    "arm “{}” sets {}, which the library of OpenZFS {} does not offer",
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
        let life = arc_max(&system, library);
        let scale = scenario.lab.scale.max(1);
        if Bytes(life.0 / scale) < ARC_MAX_SMALLEST {
            let fits = life.0 / ARC_MAX_SMALLEST.0;
            return Err(EngineError::Unsupported {
                engine: "lab",
                what: format!(
                    "an ARC of {life} scaled down {scale} times is below {ARC_MAX_SMALLEST}, the \
                     smallest that OpenZFS takes"
                ),
                hint: Some(match fits {
                    0 => "give the system more memory".to_owned(),
                    fits => format!("scale less: --set lab.scale={fits}"),
                }),
            });
        }
    }
    Ok(())
}

/// Returns the ARC limits that follow from the memory, as in life and scaled.
///
/// They are set by name, since in user space the library derives them differently.
pub(crate) fn arc_limits(system: &System, library: &Library, scale: u64) -> Vec<(Setting, u64)> {
    let setting = |name: &str, value: u64, smallest: Bytes| {
        let scaled = (value / scale.max(1)).max(smallest.0);
        (Setting { name: name.to_owned(), value }, scaled)
    };
    let max = arc_max(system, library).0;
    vec![
        setting("zfs_arc_max", max, ARC_MAX_SMALLEST),
        setting("zfs_arc_min", arc_min(system, max), ARC_MIN_SMALLEST),
    ]
}

/// Returns the ARC's minimum in life as the kernel settles it at load, which goes by other rules
/// than the library in user space: a 32nd of the memory, or half of a smaller maximum
/// (`arc_init`, module/zfs/arc.c 2.1 and 2.3); the tunable counts when it is not above the maximum.
fn arc_min(system: &System, max: u64) -> u64 {
    let smallest = ARC_MIN_SMALLEST.0;
    let set = system.tunables.iter().find(|setting| setting.name == "zfs_arc_min");
    let usual = (system.memory.0 / 32).max(smallest);
    match set.map(|setting| setting.value) {
        Some(value) if (smallest..=max).contains(&value) => value,
        _ if usual >= max => (max / 2).max(smallest),
        _ => usual,
    }
}

/// Returns the ARC's limit in life: the tunable, or the version's default for the memory.
fn arc_max(system: &System, library: &Library) -> Bytes {
    let set = system.tunables.iter().find(|setting| setting.name == "zfs_arc_max");
    if let Some(setting) = set.filter(|setting| setting.value > 0) {
        return Bytes(setting.value);
    }
    let half = Bytes(system.memory.0 / 2);
    let freebsd = system.os == Os::Freebsd;
    Version::parse(&library.version).map_or(half, |version| {
        arcwright_tunables::default_arc_max(version, freebsd, system.memory)
    })
}
