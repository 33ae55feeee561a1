//! How much memory the ARC could have here; not a rule itself.

use arcwright_units::Bytes;

use crate::rules::arc_over;
use crate::view::View;

/// What a proposal is rounded down to, so that it reads as a figure that somebody chose.
const STEP: u64 = 64 << 20;
/// A proposal is worth a change when it is larger by this much: a quarter.
const WORTH: (u64, u64) = (5, 4);

/// Returns an `zfs_arc_max` that is clearly larger than what the ARC may have now and leaves the rest
/// of the machine its memory; none when there is no such room or memory was not read.
///
/// A quarter of the memory stays for programs, or 1 GiB where that is more and no more than half; and
/// of what programs could get now half is left to them.
pub(super) fn larger(view: &View<'_>) -> Option<Bytes> {
    // Over its maximum the ARC holds what it cannot evict, and would hold more of it.
    if arc_over::is_over(view) == Some(true) {
        return None;
    }
    let memory = view.machine.memory?;
    let (size, most) = (view.arc_now("size").ok()?, view.arc_now("c_max").ok()?);
    let total = memory.total.0;
    let kept = (total / 4).max(Bytes::gib(1).0.min(total / 2));
    let by_total = total.saturating_sub(kept);
    let by_free = memory.available.map_or(by_total, |available| {
        // What the ARC holds is not counted as available, so it comes on top.
        size.saturating_add(available.0 / 2)
    });
    let room = by_total.min(by_free) / STEP * STEP;
    let (more, of) = WORTH;
    (room / more >= most / of && room > most).then_some(Bytes(room))
}

/// Says whether the ARC has all the room it may have and uses it.
pub(super) fn is_full(view: &View<'_>) -> bool {
    /// The ARC floats around its target by some percent (openzfs-model.md §1.10).
    const NEARLY: f64 = 0.9;
    let now = |row: &str| view.arc_now(row).unwrap_or(0) as f64;
    now("size") >= NEARLY * now("c") && now("c") >= NEARLY * now("c_max") && now("c_max") > 0.0
}

/// Returns a sentence on the memory that the ARC may have and the machine has.
pub(super) fn words(view: &View<'_>) -> String {
    let most =
        view.arc_now("c_max").map_or_else(|_| "?".to_owned(), |most| Bytes(most).to_string());
    match view.machine.memory {
        Some(memory) => format!("The ARC may take {most} of {}", memory.total),
        None => format!("The ARC may take {most}"),
    }
}

/// Says whether metadata has reached the limit of its own that it has up to 2.1.
pub(super) fn metadata_is_at_limit(view: &View<'_>) -> bool {
    /// Metadata within this of its limit is at it.
    const AT_LIMIT: f64 = 0.95;
    let now = |row: &str| view.arc_now(row).unwrap_or(0);
    let (used, limit) = (now("arc_meta_used"), now("arc_meta_limit"));
    view.has_fractions() != Some(true) && limit > 0 && used as f64 >= AT_LIMIT * limit as f64
}
