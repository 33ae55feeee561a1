//! What must hold between the values of a machine.

use arcwright_units::Bytes;

use super::{StepHazard, is_amount};
use crate::{HazardKind, RequestedSetting, Running, TuneError, Unit, Value, lookup};

/// How two parameters must stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Below,
    NotAbove,
}

/// The lower parameter, how it must stand, the higher one. Zero is a default and is not compared.
const PAIRS: [(&str, Relation, &str); 15] = [
    ("zfs_arc_min", Relation::Below, "zfs_arc_max"),
    ("zfetch_min_distance", Relation::NotAbove, "zfetch_max_distance"),
    ("zfetch_min_sec_reap", Relation::NotAbove, "zfetch_max_sec_reap"),
    ("zfs_vdev_sync_read_min_active", Relation::NotAbove, "zfs_vdev_sync_read_max_active"),
    ("zfs_vdev_sync_write_min_active", Relation::NotAbove, "zfs_vdev_sync_write_max_active"),
    ("zfs_vdev_async_read_min_active", Relation::NotAbove, "zfs_vdev_async_read_max_active"),
    ("zfs_vdev_async_write_min_active", Relation::NotAbove, "zfs_vdev_async_write_max_active"),
    ("zfs_vdev_scrub_min_active", Relation::NotAbove, "zfs_vdev_scrub_max_active"),
    ("zfs_vdev_trim_min_active", Relation::NotAbove, "zfs_vdev_trim_max_active"),
    ("zfs_vdev_rebuild_min_active", Relation::NotAbove, "zfs_vdev_rebuild_max_active"),
    ("zfs_vdev_removal_min_active", Relation::NotAbove, "zfs_vdev_removal_max_active"),
    (
        "zfs_vdev_async_write_active_min_dirty_percent",
        Relation::Below,
        "zfs_vdev_async_write_active_max_dirty_percent",
    ),
    (
        "zfs_dirty_data_sync_percent",
        Relation::NotAbove,
        "zfs_vdev_async_write_active_min_dirty_percent",
    ),
    ("zfs_vdev_min_auto_ashift", Relation::NotAbove, "zfs_vdev_max_auto_ashift"),
    ("zfs_arc_no_grow_shift", Relation::Below, "zfs_arc_shrink_shift"),
];

/// Refuses a parameter that is asked for twice.
pub(super) fn twice(requests: &[RequestedSetting]) -> Result<(), TuneError> {
    let again = requests.iter().enumerate().find(|(index, request)| {
        let mut before = requests.iter().take(*index);
        before.any(|other| other.entry.name == request.entry.name)
    });
    match again {
        Some((_, request)) => Err(TuneError::Twice { name: request.entry.name.clone() }),
        None => Ok(()),
    }
}

/// Refuses an ARC that is not smaller than the memory, which the module ignores without a word.
pub(super) fn memory(requests: &[RequestedSetting], running: &Running) -> Result<(), TuneError> {
    let Some(memory) = running.memory else { return Ok(()) };
    for request in requests {
        let arc = ["zfs_arc_max", "zfs_arc_min"].contains(&request.entry.name.as_str());
        if let Some(value) = request.value.number().filter(|value| arc && *value >= memory.0) {
            return Err(TuneError::Bounds {
                name: request.entry.name.clone(),
                text: value.to_string(),
                bounds: format!(
                    "the module ignores values that are not below the memory, {memory}"
                ),
            });
        }
    }
    Ok(())
}

/// Returns the danger of an amount that takes much of the memory.
pub(super) fn memory_danger(request: &RequestedSetting, running: &Running) -> Option<StepHazard> {
    let memory = running.memory?.0;
    let value = request.value.number().filter(|_| is_amount(request.entry.unit))?;
    let (part, whole) = match request.entry.name.as_str() {
        // What is left must hold the kernel, programs, and reclaim's delay.
        "zfs_arc_max" => {
            (memory / 8 * 7, "the ARC, less than an eighth is left for everything else")
        }
        "zfs_arc_min" => (memory / 2, "the ARC’s minimum, which it never releases"),
        "zfs_dirty_data_max" => (memory / 4, "dirty data"),
        _ => return None,
    };
    (value > part).then(|| StepHazard {
        kind: HazardKind::Memory,
        text: format!("{} of {} are for {whole}.", Bytes(value), Bytes(memory)),
    })
}

/// Refuses values that would not stand in order, be it to a wish or to what is running.
pub(super) fn pairs(requests: &[RequestedSetting], running: &Running) -> Result<(), TuneError> {
    for (low, relation, high) in PAIRS {
        let asked =
            requests.iter().any(|request| [low, high].contains(&request.entry.name.as_str()));
        let (Some(low_value), Some(high_value)) =
            (in_the_end(low, requests, running), in_the_end(high, requests, running))
        else {
            continue;
        };
        let right = match relation {
            Relation::Below => low_value < high_value,
            Relation::NotAbove => low_value <= high_value,
        };
        if asked && !right {
            return Err(wrong_pair((low, low_value), relation, (high, high_value)));
        }
    }
    Ok(())
}

/// Returns the value that `name` will have; none when the module lacks it or it is not a number.
fn in_the_end(name: &str, requests: &[RequestedSetting], running: &Running) -> Option<u64> {
    let entry = lookup(name)?;
    running.own_name(entry)?;
    let request = requests.iter().find(|request| request.entry.name == name);
    let value =
        request.map(|request| request.value.clone()).or_else(|| running.value(entry))?.number()?;
    match (name, value) {
        ("zfs_arc_min", 0) => running.arc_bounds().map(|(least, _)| least),
        ("zfs_arc_max", 0) => running.arc_bounds().map(|(_, most)| most),
        (_, value) => Some(value),
    }
    .filter(|value| *value > 0)
}

fn wrong_pair(low: (&str, u64), relation: Relation, high: (&str, u64)) -> TuneError {
    let shown = |(name, value): (&str, u64)| {
        let unit = lookup(name).map_or(Unit::Count, |entry| entry.unit);
        format!("{name}={}", Value::Number(value).shown(unit))
    };
    let hint = match high.0 {
        "zfs_arc_max" => "; the module would ignore it; set both together".to_owned(),
        _ => format!("; set {} as well", if relation == Relation::Below { low.0 } else { high.0 }),
    };
    TuneError::Pair {
        low: shown(low),
        relation: match relation {
            Relation::Below => "be below",
            Relation::NotAbove => "not be above",
        },
        high: shown(high),
        hint,
    }
}
