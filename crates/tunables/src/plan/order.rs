//! In which order values are written.
//!
//! The module takes a new `zfs_arc_min` only if it is not above the most size in force, and a new
//! `zfs_arc_max` only if it is above the least size in force (`arc_tuning_update`, module/zfs/arc.c
//! 0.8 to 2.4); what does not fit at that moment is ignored. Both end as wished if the maximum goes
//! first on the way up and the minimum first on the way down: from 2–4 GiB to 6–8, a minimum of 6
//! is above the old maximum of 4; from 6–8 to 2–4, a maximum of 4 is below the old minimum of 6.

use crate::{RequestedSetting, Running};

/// Returns the wishes in the order in which they are to be written.
pub(super) fn ordered<'a>(
    requests: &'a [RequestedSetting],
    running: &Running,
) -> Vec<&'a RequestedSetting> {
    let mut all: Vec<&RequestedSetting> = requests.iter().collect();
    let most = |request: &&RequestedSetting| request.entry.name == "zfs_arc_max";
    let new_most =
        requests.iter().find(|request| most(request)).and_then(|request| request.value.number());
    let grows = match (new_most, running.arc_bounds()) {
        (Some(new), Some((_, old))) => new > old,
        _ => true,
    };
    all.sort_by_key(|request| match request.entry.name.as_str() {
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
