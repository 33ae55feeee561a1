//! What must hold between the values of a machine.

use arcwright_units::Bytes;

use super::{Danger, is_amount};
use crate::{HazardKind, Running, TuneError, Value, Wish, lookup};

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
pub(super) fn twice(wishes: &[Wish]) -> Result<(), TuneError> {
    let again = wishes.iter().enumerate().find(|(index, wish)| {
        let mut before = wishes.iter().take(*index);
        before.any(|other| other.entry.name == wish.entry.name)
    });
    match again {
        Some((_, wish)) => Err(TuneError::Twice { name: wish.entry.name.clone() }),
        None => Ok(()),
    }
}

/// Refuses an ARC that is not smaller than the memory, which the module ignores without a word.
pub(super) fn memory(wishes: &[Wish], running: &Running) -> Result<(), TuneError> {
    let Some(memory) = running.memory else { return Ok(()) };
    for wish in wishes {
        let arc = ["zfs_arc_max", "zfs_arc_min"].contains(&wish.entry.name.as_str());
        if let Some(value) = wish.value.number().filter(|value| arc && *value >= memory.0) {
            return Err(TuneError::Bounds {
                name: wish.entry.name.clone(),
                text: value.to_string(),
                bounds: format!("the module ignores what is not below the memory, {memory}"),
            });
        }
    }
    Ok(())
}

/// Returns the danger of an amount that takes much of the memory.
pub(super) fn memory_danger(wish: &Wish, running: &Running) -> Option<Danger> {
    let memory = running.memory?.0;
    let value = wish.value.number().filter(|_| is_amount(wish.entry.unit))?;
    let (part, whole) = match wish.entry.name.as_str() {
        // What is left must hold the kernel, programs, and reclaim's delay.
        "zfs_arc_max" => (memory / 8 * 7, "the ARC, less than an eighth is left for all else"),
        "zfs_arc_min" => (memory / 2, "the ARC that is never given back"),
        "zfs_dirty_data_max" => (memory / 4, "data that is not written yet"),
        _ => return None,
    };
    (value > part).then(|| Danger {
        kind: HazardKind::Memory,
        text: format!("{} of {} are for {whole}.", Bytes(value), Bytes(memory)),
    })
}

/// Refuses values that would not stand in order, be it to a wish or to what is running.
pub(super) fn pairs(wishes: &[Wish], running: &Running) -> Result<(), TuneError> {
    for (low, relation, high) in PAIRS {
        let asked = wishes.iter().any(|wish| [low, high].contains(&wish.entry.name.as_str()));
        let (Some(low_value), Some(high_value)) =
            (in_the_end(low, wishes, running), in_the_end(high, wishes, running))
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
fn in_the_end(name: &str, wishes: &[Wish], running: &Running) -> Option<u64> {
    let entry = lookup(name)?;
    running.own_name(entry)?;
    let wish = wishes.iter().find(|wish| wish.entry.name == name);
    let value = wish.map(|wish| wish.value.clone()).or_else(|| running.value(entry))?.number()?;
    match (name, value) {
        ("zfs_arc_min", 0) => running.arc_bounds().map(|(least, _)| least),
        ("zfs_arc_max", 0) => running.arc_bounds().map(|(_, most)| most),
        (_, value) => Some(value),
    }
    .filter(|value| *value > 0)
}

fn wrong_pair(low: (&str, u64), relation: Relation, high: (&str, u64)) -> TuneError {
    let shown = |(name, value): (&str, u64)| {
        lookup(name).map_or_else(String::new, |entry| Value::Number(value).shown(entry.unit))
    };
    let hint = match high.0 {
        "zfs_arc_max" => "; the module would ignore it; set both together".to_owned(),
        _ => format!("; set {} as well", if relation == Relation::Below { low.0 } else { high.0 }),
    };
    TuneError::Pair {
        low: low.0.to_owned(),
        low_value: shown(low),
        relation: match relation {
            Relation::Below => "be below",
            Relation::NotAbove => "not be above",
        },
        high: high.0.to_owned(),
        high_value: shown(high),
        hint,
    }
}
