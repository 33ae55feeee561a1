//! A row of a kstat or a parameter as evidence: its name, and whether it counts bytes.

use arcwright_machine::Machine;
use arcwright_units::Bytes;

use crate::finding::Evidence;
use crate::format;

/// The path of the ARC's counters.
pub(crate) const ARCSTATS: &str = "zfs/arcstats";

/// The path of the intent logs' counters, of the whole machine.
pub(crate) const ZIL: &str = "zfs/zil";

/// Returns whether anything of the ARC was read, be it only sizes as they are now.
pub(crate) fn has_arcstats(machine: &Machine) -> bool {
    machine.now().is_some_and(|now| now.kstats.contains_key(ARCSTATS))
}

/// Returns a path as people write it: `arcstats`, `tank/iostats`.
pub(crate) fn short(kstat: &str) -> &str {
    kstat.trim_start_matches("zfs/")
}

/// Returns evidence for a row as it is now.
pub(crate) fn evidence(kstat: &str, row: &str, value: u64) -> Evidence {
    let text = if is_size(row) { Bytes(value).to_string() } else { format::count(value) };
    let name = format!("{}.{row}", short(kstat));
    Evidence { exact: Some(value), ..Evidence::now(name, text) }
}

/// Returns whether a row or parameter counts bytes, by what OpenZFS calls it.
pub(crate) fn is_size(name: &str) -> bool {
    const PARTS: [&str; 12] = [
        "size",
        "bytes",
        "evict_l2_",
        "arc_max",
        "arc_min",
        "write_max",
        "write_boost",
        "distance",
        "meta_limit",
        "dnode_limit",
        "meta_used",
        "nread",
    ];
    const WHOLE: [&str; 8] = [
        "c",
        "c_min",
        "c_max",
        "nwritten",
        "arc_need_free",
        "arc_sys_free",
        "zfs_dirty_data_max",
        "p",
    ];
    let is_percent = name.ends_with("percent") || name.ends_with("_skip");
    !is_percent && (WHOLE.contains(&name) || PARTS.iter().any(|part| name.contains(part)))
}
