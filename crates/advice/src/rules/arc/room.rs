//! How much memory the ARC could have here; not a rule itself.

use arcwright_machine::Machine;
use arcwright_units::Bytes;

use crate::estimate::Estimate;
use crate::rules::arc::over;
use crate::verdict::NotJudged;
use crate::view::View;

/// What a proposal is rounded down to, so that it reads as a figure that somebody chose.
const STEP: u64 = 64 << 20;
/// A proposal is worth a change when it is larger by this much: a quarter.
const WORTH: (u64, u64) = (5, 4);

/// What room there is for a larger ARC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Room {
    /// A larger `zfs_arc_max` leaves the rest of the machine its memory: this one.
    Larger(Bytes),
    /// The ARC may have about all that the rest of the machine leaves.
    Taken,
    /// The ARC holds more than its maximum, so that its maximum is not what it lacks.
    Over,
    /// Something that it takes to say was not read.
    Unknown(NotJudged),
}

/// Returns what room there is for an `zfs_arc_max` that is clearly larger than what the ARC may have now.
///
/// A quarter of the memory stays for programs, or 1 GiB where that is more and no more than half; and
/// of what programs could get now half is left to them.
pub(crate) fn of(view: &View<'_>) -> Room {
    let read = || {
        let memory = view.machine.memory.ok_or_else(|| view.not_read("the memory", "meminfo"))?;
        let available =
            memory.available.ok_or_else(|| view.not_read("how much memory is free", "meminfo"))?;
        let (size, most) = (view.arc_now("size")?, view.arc_now("c_max")?);
        Ok((memory.total.0, available.0, size, most))
    };
    let (total, available, size, most) = match read() {
        Ok(read) => read,
        Err(why) => return Room::Unknown(why),
    };
    // Over its maximum the ARC holds what it cannot evict, and would hold more of it.
    if over::is_over(view) == Some(true) {
        return Room::Over;
    }
    let kept = (total / 4).max(Bytes::gib(1).0.min(total / 2));
    // What the ARC holds is not counted as available, so it comes on top.
    let room = total.saturating_sub(kept).min(size.saturating_add(available / 2)) / STEP * STEP;
    let (more, of) = WORTH;
    if room / more >= most / of && room > most { Room::Larger(Bytes(room)) } else { Room::Taken }
}

/// Returns the largest ARC that leaves the rest of a machine its memory, as findings recommend it; none where the ARC may have about
/// that much already, or where memory was not read.
#[must_use]
pub fn larger_arc(machine: &Machine) -> Option<Bytes> {
    match of(&View::of(machine, Estimate::CountersOnly)) {
        Room::Larger(most) => Some(most),
        Room::Taken | Room::Over | Room::Unknown(_) => None,
    }
}

/// Says whether the ARC holds clearly more than its maximum: what it may have is then not what it lacks.
pub(crate) fn is_over_maximum(view: &View<'_>) -> Result<bool, NotJudged> {
    let unread = || NotJudged::NotRead("the ARC's size or its maximum was not read".to_owned());
    over::is_over(view).ok_or_else(unread)
}

/// Says whether the ARC has all the room it may have and uses it.
pub(crate) fn is_full(view: &View<'_>) -> Result<bool, NotJudged> {
    /// The ARC floats around its target by some percent (docs/model/arc.md#when-eviction-runs).
    const NEARLY: f64 = 0.9;
    let now = |row: &str| view.arc_now(row).map(|bytes| bytes as f64);
    let (size, target, most) = (now("size")?, now("c")?, now("c_max")?);
    Ok(size >= NEARLY * target && target >= NEARLY * most && most > 0.0)
}

/// Returns a sentence on the memory that the ARC may have and the machine has.
pub(crate) fn label(view: &View<'_>) -> String {
    let memory = view.machine.memory.map(|memory| memory.total);
    match (view.arc_now("c_max"), memory) {
        (Ok(most), Some(memory)) => format!("The ARC may take {} of {memory}", Bytes(most)),
        (Ok(most), None) => format!("The ARC may take {}", Bytes(most)),
        (Err(_), _) => "How much the ARC may take was not read".to_owned(),
    }
}

/// Says whether metadata has reached the limit of its own that it has up to 2.1.
pub(crate) fn metadata_is_at_limit(view: &View<'_>) -> Result<bool, NotJudged> {
    /// Metadata within this of its limit is at it.
    const AT_LIMIT: f64 = 0.95;
    if view.has_fractions() == Some(true) {
        return Ok(false);
    }
    let (used, limit) = (view.arc_now("arc_meta_used")?, view.arc_now("arc_meta_limit")?);
    Ok(limit > 0 && used as f64 >= AT_LIMIT * limit as f64)
}
