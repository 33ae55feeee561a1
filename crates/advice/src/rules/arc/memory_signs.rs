//! What tells of memory pressure on the ARC; not a rule itself.
//!
//! `memory_available_bytes` (0.7 and later) is what the ARC may still take before it must give back:
//! free memory less `arc_sys_free`, negative under pressure (module/os/linux/zfs/arc_os.c,
//! `arc_available_memory`). `arc_no_grow` is set when that is below a 32nd of the target, or for some
//! seconds after the kernel's shrinker called (arc.c, `arc_reap_cb_check`). Calls of the shrinker are
//! counted since the module was loaded; three of them in a year are no pressure, some in each second
//! are.

use arcwright_units::Bytes;

use crate::format;
use crate::rows::ARCSTATS;
use crate::verdict::NotJudged;
use crate::view::View;

/// Calls of the shrinker per second from which they are pressure: one in ten seconds.
const CALLS: f64 = 0.1;
/// The free memory, as a share of the target, below which the ARC does not grow: `arc_no_grow_shift`.
const NO_GROW_SHIFT: u32 = 5;

/// Returns how much the ARC may still take, negative when it must give back; none where not read.
pub(crate) fn available(view: &View<'_>) -> Option<i128> {
    let now = view.machine.now()?;
    now.kstats.get(ARCSTATS)?.value("memory_available_bytes")?.as_i128()
}

/// Returns the signs of pressure there are, in words.
///
/// # Errors
/// When there is no sign and a row was not read that may have been one.
pub(crate) fn pressure(view: &View<'_>) -> Result<Vec<String>, NotJudged> {
    let mut signs = Vec::new();
    let mut missing = None;
    let mut miss = |why: NotJudged| {
        missing.get_or_insert(why);
    };
    let target = view.arc_now("c")?;
    let available = available(view);
    match available {
        Some(available) if available < 0 => {
            let short = u64::try_from(-available)
                .map_or_else(|_| "much".to_owned(), |n| Bytes(n).to_string());
            signs.push(format!("free memory is {short} too low (memory_available_bytes)"));
        }
        Some(_) => {}
        None => miss(NotJudged::NoCounter("arcstats.memory_available_bytes".to_owned())),
    }
    match view.arc_now("arc_need_free") {
        Ok(needed) if needed > 0 => {
            signs.push(format!("the kernel wants {} back now", Bytes(needed)));
        }
        Ok(_) => {}
        Err(why) => miss(why),
    }
    let plenty = available.map(|bytes| bytes >= i128::from(target >> NO_GROW_SHIFT));
    match view.arc_now("arc_no_grow") {
        // With plenty free it is set for some seconds after a call, which is no pressure.
        Ok(1) if plenty == Some(false) => {
            signs.push("the ARC may not grow (arc_no_grow)".to_owned());
        }
        Ok(_) => {}
        Err(why) => miss(why),
    }
    let roomy = is_roomy(view, target);
    if roomy.is_none() {
        miss(NotJudged::NoCounter("arcstats.memory_available_bytes".to_owned()));
    }
    for (row, what) in [
        ("memory_direct_count", "programs waited for reclaim"),
        ("memory_indirect_count", "the kernel asked the ARC to shrink"),
        ("memory_throttle_count", "writes waited for memory"),
    ] {
        match view.arc(row).map(|count| view.per_s(count)) {
            // With memory to spare they say that the ARC was taken, not that memory is short.
            Ok(Some(rate)) if rate >= CALLS && roomy == Some(false) => {
                signs.push(format!("{what} {} times per second", format::per_s(rate)));
            }
            Ok(Some(_)) => {}
            Ok(None) => miss(NotJudged::NotRead(format!("the growth of {row} was not read"))),
            Err(why) => miss(why),
        }
    }
    match missing {
        Some(why) if signs.is_empty() => Err(why),
        _ => Ok(signs),
    }
}

/// Returns whether nothing tells how much memory is free.
pub(crate) fn is_roomy_unread(view: &View<'_>) -> bool {
    let memory = view.machine.memory.and_then(|memory| memory.available.or(memory.free));
    available(view).is_none() && memory.is_none()
}

/// Says whether half of what the ARC lacks of its maximum is free; none where neither was read.
fn is_roomy(view: &View<'_>, target: u64) -> Option<bool> {
    let lacking = view.arc_now("c_max").ok()?.saturating_sub(target);
    let memory = view.machine.memory.and_then(|memory| memory.available.or(memory.free));
    let free = available(view).or_else(|| memory.map(|bytes| bytes.0.into()))?;
    Some(free >= i128::from(lacking / 2))
}
