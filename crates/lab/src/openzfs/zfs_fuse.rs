//! What the daemon can do; everything else is named and refused before anything starts.

use arcwright_scenario::{
    CacheContent, Compression, EngineError, LabClock, Scenario, Setting, System,
};
use arcwright_units::Bytes;
use arcwright_workload::Action;

/// What may be set: through the daemon's options, as it has no other way.
const TUNABLES: [&str; 3] = ["zfs_prefetch_disable", "zfs_arc_max", "zfs_vdev_cache_size"];
/// The largest ARC that it takes.
const ARC_MAX_LARGEST: Bytes = Bytes::gib(16);

fn refuse(what: String, hint: &str) -> EngineError {
    EngineError::Unsupported { engine: "lab", what, hint: Some(hint.to_owned()) }
}

/// Refuses a scenario that asks for something the daemon cannot do.
///
/// # Errors
/// [`EngineError::Unsupported`] naming the first such thing.
pub(crate) fn check(scenario: &Scenario) -> Result<(), EngineError> {
    if scenario.lab.clock == LabClock::Real {
        let what = "zfs-fuse by the real clock".to_owned();
        return Err(refuse(what, "leave [lab] clock out: it runs by events"));
    }
    let clients = scenario.phases.iter().flat_map(|phase| &phase.clients);
    if let Some(client) = clients.into_iter().find(|client| client.action != Action::Read) {
        let what = format!("a client “{}” on zfs-fuse", client.action.name());
        return Err(refuse(what, "it runs clients that read files"));
    }
    if let Some(dataset) = scenario.system.pool.datasets.first() {
        let what = format!("the dataset “{}” on zfs-fuse", dataset.name);
        return Err(refuse(what, "it has the pool's own dataset only: leave [[dataset]] out"));
    }
    if let Some(file) = scenario.files.iter().find(|file| file.recordsize.is_some()) {
        let what = format!("a recordsize of its own for the file “{}” on zfs-fuse", file.name);
        return Err(refuse(what, "set the recordsize of the pool"));
    }
    scenario.arms.iter().try_for_each(|arm| check_system(&scenario.system_of(arm), &arm.name))
}

fn check_system(system: &System, arm: &str) -> Result<(), EngineError> {
    let pool = &system.pool;
    let unsupported = [
        (!pool.cache.is_empty(), "a cache device"),
        (!pool.log.is_empty(), "a log device"),
        (pool.compression != Compression::Off, "compression"),
        (pool.encrypts(), "encryption"),
        (pool.has_draid(), "dRAID"),
        (pool.primarycache != CacheContent::All, "primarycache"),
        (pool.secondarycache != CacheContent::All, "secondarycache"),
        (pool.ashift != 9, "an ashift other than 9"),
        (pool.recordsize > Bytes::kib(128), "a recordsize above 128 KiB"),
    ];
    match unsupported.iter().find(|(is_there, _)| *is_there) {
        Some((_, what)) => {
            let what = format!("arm “{arm}” has {what}, which the lab does not do on zfs-fuse");
            Err(refuse(what, "leave it out, or choose another library (--openzfs)"))
        }
        None => Ok(()),
    }
}

/// Refuses an arm that sets a tunable which the daemon has no option for, or a value that it does not
/// take.
///
/// # Errors
/// [`EngineError::Unsupported`] naming the arm and the tunable.
pub(crate) fn check_tunables(scenario: &Scenario) -> Result<(), EngineError> {
    for arm in &scenario.arms {
        for setting in &scenario.system_of(arm).tunables {
            if let Some(why) = unfit(setting, scenario.lab.scale) {
                let what = format!("arm “{}” sets {}, {why}", arm.name, setting.name);
                return Err(refuse(what, &format!("zfs-fuse takes {}", TUNABLES.join(", "))));
            }
        }
    }
    Ok(())
}

fn unfit(setting: &Setting, scale: u64) -> Option<&'static str> {
    match setting.name.as_str() {
        name if !TUNABLES.contains(&name) => Some("for which zfs-fuse has no option"),
        "zfs_arc_max" if setting.value / scale.max(1) > ARC_MAX_LARGEST.0 => {
            Some("of which zfs-fuse takes at most 16 GiB after scaling")
        }
        _ => None,
    }
}
