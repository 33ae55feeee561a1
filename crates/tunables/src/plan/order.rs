//! In which order values are written.
//!
//! The module takes a new `zfs_arc_min` only if it is not above the most size in force, and a new
//! `zfs_arc_max` only if it is above the least size in force (`arc_tuning_update`, module/zfs/arc.c
//! 0.8 to 2.4); what does not fit at that moment is ignored. Both end as wished if the maximum goes
//! first on the way up and the minimum first on the way down: from 2–4 GiB to 6–8, a minimum of 6
//! is above the old maximum of 4; from 6–8 to 2–4, a maximum of 4 is below the old minimum of 6.

use crate::{Running, Wish};

/// Returns the wishes in the order in which they are to be written.
pub(super) fn ordered<'a>(wishes: &'a [Wish], running: &Running) -> Vec<&'a Wish> {
    let mut all: Vec<&Wish> = wishes.iter().collect();
    let most = |wish: &&Wish| wish.entry.name == "zfs_arc_max";
    let new_most = wishes.iter().find(|wish| most(wish)).and_then(|wish| wish.value.number());
    let grows = match (new_most, running.arc_bounds()) {
        (Some(new), Some((_, old))) => new > old,
        _ => true,
    };
    all.sort_by_key(|wish| match wish.entry.name.as_str() {
        "zfs_arc_max" => {
            if grows {
                0
            } else {
                2
            }
        }
        "zfs_arc_min" => 1,
        _ => 3,
    });
    all
}
