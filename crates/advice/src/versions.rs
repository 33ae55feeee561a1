//! Which rows of a kstat exist in which version of ZFS: a row that a version does not have counts
//! nothing there, and a row that it has and that was not read is unknown.
//!
//! Sources: `arc_stats` in module/zfs/arc.c of 0.6.5 to 2.4; commit
//! c935fe2e92 (2.2.0) added `iohits` and its classes, commit a8d83e2a24 (2.2.0) replaced the limit of
//! metadata by fractions; module/zfs/dmu_tx.c for `dmu_tx` (`dmu_tx_wrlog_delay`: commit a7bd20e309,
//! 2.2.0 and 2.1.2).

use arcwright_machine::Machine;
use arcwright_tunables::Version;

use crate::rows::ARCSTATS;

/// Rows that came with a version, and those that went away before it.
struct Change {
    kstat: &'static str,
    /// The first version that has `came` and lacks `went`.
    at: &'static str,
    came: &'static [&'static str],
    went: &'static [&'static str],
    /// The year of that version's release.
    year: u16,
    /// Rows that stood side by side before; the change put one of its own between them.
    between: Option<[&'static str; 2]>,
}

const CHANGES: [Change; 4] = [
    Change {
        kstat: ARCSTATS,
        at: "2.2.0",
        came: &[
            "iohits",
            "demand_data_iohits",
            "demand_metadata_iohits",
            "prefetch_data_iohits",
            "prefetch_metadata_iohits",
            "uncached_hits",
            "predictive_prefetch",
            "prescient_prefetch",
            "demand_iohit_predictive_prefetch",
            "demand_iohit_prescient_prefetch",
            "meta",
            "pd",
            "pm",
            "mru_data",
            "mfu_data",
            "uncached_size",
        ],
        went: &["p", "arc_meta_limit", "arc_meta_max", "arc_meta_min"],
        year: 2023,
        between: Some(["hits", "misses"]),
    },
    Change {
        kstat: ARCSTATS,
        at: "0.7.0",
        came: &[
            "demand_hit_predictive_prefetch",
            "compressed_size",
            "uncompressed_size",
            "overhead_size",
            "dbuf_size",
            "dnode_size",
            "bonus_size",
            "arc_dnode_limit",
        ],
        went: &["duplicate_buffers"],
        year: 2017,
        between: None,
    },
    Change {
        kstat: ARCSTATS,
        at: "0.8.0",
        came: &["demand_hit_prescient_prefetch", "async_upgrade_sync", "arc_raw_size"],
        went: &[],
        year: 2019,
        between: None,
    },
    Change {
        kstat: "zfs/dmu_tx",
        at: "2.1.2",
        came: &["dmu_tx_wrlog_delay"],
        went: &[],
        year: 2021,
        between: None,
    },
];

/// Returns whether this machine's version of ZFS has a row; none when nothing tells.
///
/// The version tells where it is known; else rows that only one side of a change has, rows that stand
/// together only before it, or that a report is older. A row that the table does not know is in every
/// version.
pub(crate) fn exists(machine: &Machine, kstat: &str, row: &str) -> Option<bool> {
    let mut known = Some(true);
    for change in CHANGES.iter().filter(|change| change.kstat == kstat) {
        let (came, went) = (change.came.contains(&row), change.went.contains(&row));
        if came || went {
            known = is_after(machine, change).map(|after| after == came);
        }
    }
    known
}

/// Returns whether the module is of the version that made a change, or later.
fn is_after(machine: &Machine, change: &Change) -> Option<bool> {
    // FreeBSD's own ZFS of 8 to 12 had what ZFS on Linux had before 2.2, and parts of it.
    if machine.zfs.is_some_and(Version::is_legacy_freebsd) {
        return (change.at == "2.2.0").then_some(false);
    }
    if let (Some(version), Some(at)) = (machine.zfs, Version::parse(change.at)) {
        return Some(version >= at);
    }
    let has = |rows: &[&str]| {
        let mut samples = machine.samples.iter();
        samples.any(|sample| {
            let kstat = sample.kstats.kstats.get(change.kstat);
            kstat.is_some_and(|kstat| rows.iter().any(|row| kstat.value(row).is_some()))
        })
    };
    match (has(change.came), has(change.went)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        // Both sides at once is no version that there is.
        (true, true) => None,
        (false, false) => {
            let before = stand_together(machine, change) || was_reported_before(machine, change);
            before.then_some(false)
        }
    }
}

/// Returns whether rows stand side by side in a table between which a change put one of its own.
fn stand_together(machine: &Machine, change: &Change) -> bool {
    // In a rounded report rows have the report's order.
    let whole = machine.rounded.is_none();
    let Some([above, below]) = change.between.filter(|_| whole) else { return false };
    machine.samples.iter().filter_map(|sample| sample.kstats.kstats.get(change.kstat)).any(
        |kstat| {
            let pairs = kstat.rows.iter().zip(kstat.rows.iter().skip(1));
            pairs.into_iter().any(|((one, _), (next, _))| one == above && next == below)
        },
    )
}

/// Returns whether a report was made before the version that made a change.
fn was_reported_before(machine: &Machine, change: &Change) -> bool {
    machine.report_year.is_some_and(|year| year < change.year)
}
