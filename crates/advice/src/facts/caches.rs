//! The ARC, what it found, the L2ARC, and memory.

use arcwright_units::Bytes;

use super::Fact;
use crate::accesses::Class;
use crate::format;
use crate::rows::ZIL;
use crate::rules::l2arc_state;
use crate::view::{Basis, View};

pub(super) fn of(view: &View<'_>) -> Vec<Fact> {
    let facts = [
        memory(view),
        size(view),
        kinds(view),
        hits(view),
        demand(view),
        l2arc(view),
        l2arc_hits(view),
        intent_log(view),
    ];
    facts.into_iter().flatten().collect()
}

fn now(view: &View<'_>, row: &str) -> Option<Bytes> {
    view.arc_now(row).ok().map(Bytes)
}

fn memory(view: &View<'_>) -> Option<Fact> {
    let memory = view.machine.memory?;
    let told = |bytes: Option<Bytes>, what: &str| bytes.map(|bytes| format!("{bytes} {what}"));
    let swap = match (memory.swap_used, memory.swap_total) {
        (Some(_), Some(Bytes(0))) => Some("no swap".to_owned()),
        (Some(used), Some(total)) => Some(format!("{used} of {total} swap used")),
        (Some(used), None) => Some(format!("{used} swapped out")),
        (None, _) => None,
    };
    let parts = [
        told(memory.free, "free"),
        told(memory.available, "available"),
        told(memory.wired, "wired"),
        swap,
    ];
    // The total alone stands in the heading.
    let fact = Fact::of_parts("memory", parts)?;
    Some(Fact { says: format!("{}: {}", memory.total, fact.says), ..fact })
}

fn size(view: &View<'_>) -> Option<Fact> {
    let limit = |row: &str, what: &str| now(view, row).map(|bytes| format!("{what} {bytes}"));
    let limits = [limit("c", "target"), limit("c_max", "at most"), limit("c_min", "at least")];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    let limits = (!limits.is_empty()).then(|| limits.join(", "));
    Fact::of_parts("ARC", [now(view, "size").map(|bytes| bytes.to_string()), limits])
}

fn kinds(view: &View<'_>) -> Option<Fact> {
    let told = |row: &str, what: &str| now(view, row).map(|bytes| format!("{what} {bytes}"));
    // The limit went with 2.2.
    let metadata = match (now(view, "arc_meta_used"), now(view, "arc_meta_limit")) {
        (Some(used), Some(limit)) => {
            Some(format!("metadata and what belongs to it {used} of at most {limit}"))
        }
        (Some(used), None) => Some(format!("metadata and what belongs to it {used}")),
        (None, _) => told("metadata_size", "metadata"),
    };
    Fact::of_parts("ARC holds", [told("data_size", "data"), metadata])
}

fn hits(view: &View<'_>) -> Option<Fact> {
    let (all, missed) = (view.accesses().ok()?, view.misses().ok()?);
    let in_window = matches!(view.basis, Basis::Window(_));
    let rate = view.per_s(all).filter(|_| in_window);
    let rate =
        rate.map_or_else(String::new, |rate| format!(", {} per second", format::per_s(rate)));
    let found = found(Class { all, missed })?;
    Some(Fact::new("ARC hits", format!("{found} {}{rate}", view.when())))
}

/// Returns how much of a class was found in memory; none of nothing.
fn found(Class { all, missed }: Class) -> Option<String> {
    let found = all.checked_sub(missed).filter(|_| all > 0)?;
    Some(format!("{} of {} accesses", format::share(found, all), format::rounded(all)))
}

fn demand(view: &View<'_>) -> Option<Fact> {
    let class = |name: &str, what: &str| {
        let found = found(view.class(name).ok()?)?;
        Some(format!("{what} {found}"))
    };
    Fact::of_parts(
        "demand hits",
        [class("demand_data", "data"), class("demand_metadata", "metadata")],
    )
}

fn l2arc(view: &View<'_>) -> Option<Fact> {
    let size = now(view, "l2_size").filter(|size| size.0 > 0 && !l2arc_state::is_empty(view))?;
    let on_device = now(view, "l2_asize").map(|bytes| format!("{bytes} on the device"));
    let headers = now(view, "l2_hdr_size").map(|bytes| format!("{bytes} of headers in the ARC"));
    Fact::of_parts("L2ARC", [Some(format!("{size} of data")), on_device, headers])
}

fn l2arc_hits(view: &View<'_>) -> Option<Fact> {
    if l2arc_state::has_cache(view).ok()? {
        let (hits, misses) = (view.arc("l2_hits").ok()?, view.arc("l2_misses").ok()?);
        let all = hits.checked_add(misses).filter(|all| *all > 0)?;
        let of =
            format!("{} of {} reads that asked it", format::share(hits, all), format::rounded(all));
        let written =
            view.arc("l2_write_bytes").ok().map(|bytes| format!("{} written", Bytes(bytes)));
        return Fact::of_parts("L2ARC hits", [Some(of), written]);
    }
    let hits = view.arc("l2_hits").ok().filter(|hits| *hits > 0 && l2arc_state::is_empty(view));
    if let Some(hits) = hits {
        let served = format::rounded(hits);
        return Some(Fact::new(
            "L2ARC",
            format!("nothing on it now; it served {served} reads before"),
        ));
    }
    (view.arc_now("l2_size").ok()? == 0).then(|| Fact::new("L2ARC", "none"))
}

/// Returns what went through the intent logs of all pools.
fn intent_log(view: &View<'_>) -> Option<Fact> {
    let commits = view.counted(ZIL, "zil_commit_count").ok()?;
    let bytes = |row: &str, what: &str| {
        let bytes = view.counted(ZIL, row).ok().filter(|bytes| *bytes > 0)?;
        Some(format!("{} {what}", Bytes(bytes)))
    };
    let parts = [
        Some(format!("{} commits {}", format::rounded(commits), view.when())),
        bytes("zil_itx_copied_bytes", "copied into it"),
        bytes("zil_itx_needcopy_bytes", "copied at the commit"),
        bytes("zil_itx_indirect_bytes", "written to their final place"),
    ];
    Fact::of_parts("intent log", parts)
}
