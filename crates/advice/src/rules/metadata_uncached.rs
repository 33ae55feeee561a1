//! Whether metadata that may not stay in memory is missed; what rules ask of it, not a rule itself.

use crate::accesses::Class;
use crate::changes::OwnProperty;
use crate::format;
use crate::rules::dataset_state;
use crate::view::View;

/// Misses of metadata per second from which disks feel it: a tenth of what one does in seeks.
const FELT_PER_S: f64 = 10.0;
/// And as many in all, so that one directory listing is none.
const MISSES_MIN: u64 = 200;
/// Misses of metadata among its accesses, above what an ARC that may keep it has.
const SHARE: f64 = 0.05;

/// Returns the datasets that keep all out of the ARC and themselves say so.
pub(crate) fn barred(view: &View<'_>) -> Vec<OwnProperty> {
    dataset_state::own(&view.machine.datasets, "primarycache", &["none"])
}

/// Returns whether so many accesses to metadata miss that users feel it.
pub(crate) fn is_felt(view: &View<'_>, all: u64, missed: u64) -> bool {
    let rate = view.per_s(missed);
    missed >= MISSES_MIN
        && format::fraction(missed, all) >= SHARE
        && rate.is_none_or(|rate| rate >= FELT_PER_S)
}

/// Says whether the rule `arc/metadata_uncached.rs` speaks of `primarycache=none`, so that no other
/// gives another value for it or another remedy for what it explains.
pub(crate) fn speaks(view: &View<'_>) -> bool {
    !barred(view).is_empty()
        && view.enough_accesses().is_ok()
        && view.demand().is_ok_and(|demand| {
            let Class { all, missed } = demand.metadata;
            is_felt(view, all, missed)
        })
}
