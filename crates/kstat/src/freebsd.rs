//! `FreeBSD`'s sysctls as the kstats that Linux has.
//!
//! OpenZFS (13 and later) makes `kstat.zfs.misc.<kstat>.<row>`, `kstat.zfs.<pool>.misc.<kstat>.<row>`
//! and `kstat.zfs.<pool>.dataset.objset-0x<id>.<row>` (module/os/freebsd/spl/spl_kstat.c); a raw list
//! stands where a kstat would, its text as the value. The ZFS of `FreeBSD` 8 to 12 has
//! `kstat.zfs.misc` alone and puts some rows of `arcstats` under `vfs.zfs`: they are mapped where the
//! meaning is equal. What is not below `kstat.zfs` stays a parameter and is left to its reader.

use std::collections::BTreeMap;

use arcwright_units::Nanos;

use crate::named::NamedKstat;
use crate::snapshot::Snapshot;
use crate::sysctl::Sysctls;
use crate::value::KstatValue;

const ARCSTATS: &str = "zfs/arcstats";
const CLASSES: [&str; 3] = [".misc.", ".dataset.", ".disk."];

/// Rows of `arcstats` that `FreeBSD` 8 to 12 keeps under `vfs.zfs` (arc.c of 9.2 and 11.4), by their
/// name there.
const LEGACY_ROWS: [(&str, &str); 19] = [
    ("arc_meta_used", "arc_meta_used"),
    ("arc_meta_limit", "arc_meta_limit"),
    ("anon_size", "anon_size"),
    ("anon_metadata_lsize", "anon_evictable_metadata"),
    ("anon_data_lsize", "anon_evictable_data"),
    ("mru_size", "mru_size"),
    ("mru_metadata_lsize", "mru_evictable_metadata"),
    ("mru_data_lsize", "mru_evictable_data"),
    ("mru_ghost_size", "mru_ghost_size"),
    ("mru_ghost_metadata_lsize", "mru_ghost_evictable_metadata"),
    ("mru_ghost_data_lsize", "mru_ghost_evictable_data"),
    ("mfu_size", "mfu_size"),
    ("mfu_metadata_lsize", "mfu_evictable_metadata"),
    ("mfu_data_lsize", "mfu_evictable_data"),
    ("mfu_ghost_size", "mfu_ghost_size"),
    ("mfu_ghost_metadata_lsize", "mfu_ghost_evictable_metadata"),
    ("mfu_ghost_data_lsize", "mfu_ghost_evictable_data"),
    ("l2c_only_size", "l2c_only_size"),
    ("arc_free_target", "arc_free_target"),
];
/// Rows that were renamed without another meaning.
const RENAMED: [(&str, &str); 1] = [("l2_writes_hdr_miss", "l2_writes_lock_retry")];

impl Snapshot {
    /// Returns the kstats among `sysctls`, and the raw lists by path (`zfs/tank/txgs`).
    #[must_use]
    pub fn from_sysctls(at: Nanos, sysctls: &Sysctls) -> (Self, BTreeMap<String, String>) {
        let mut tables: BTreeMap<String, Vec<(String, KstatValue)>> = BTreeMap::new();
        let mut lists = BTreeMap::new();
        for (name, value) in &sysctls.values {
            match name.strip_prefix("kstat.zfs.").and_then(place) {
                Some(Place::Row { path, row }) => {
                    tables.entry(path).or_default().push((row, typed(value)));
                }
                Some(Place::List { path }) => {
                    lists.insert(path, value.trim_start_matches('\n').to_owned());
                }
                None => {}
            }
        }
        // What a report (zfs-stats) prints beside its own rows has these alone.
        if tables.contains_key(ARCSTATS) || sysctls.number("vfs.zfs.arc_meta_used").is_some() {
            add_legacy_rows(tables.entry(ARCSTATS.to_owned()).or_default(), sysctls);
        }
        let kstats = tables.into_iter().map(|(path, rows)| NamedKstat::of_rows(&path, rows));
        (Self::from_kstats(at, kstats.collect()), lists)
    }
}

/// Where a sysctl belongs.
enum Place {
    Row { path: String, row: String },
    List { path: String },
}

fn place(name: &str) -> Option<Place> {
    if let Some(rest) = name.strip_prefix("misc.") {
        let (kstat, row) = rest.rsplit_once('.')?;
        return Some(Place::Row { path: format!("zfs/{kstat}"), row: row.to_owned() });
    }
    let class = CLASSES.iter().find_map(|class| Some((name.find(class)?, *class)));
    if let Some((index, class)) = class {
        let (pool, rest) = name.split_at_checked(index)?;
        let rest = rest.strip_prefix(class)?;
        return Some(match rest.split_once('.') {
            Some((kstat, row)) => {
                Place::Row { path: format!("zfs/{pool}/{kstat}"), row: row.to_owned() }
            }
            None => Place::List { path: format!("zfs/{pool}/{rest}") },
        });
    }
    let (pool, list) = name.rsplit_once('.')?;
    Some(Place::List { path: format!("zfs/{pool}/{list}") })
}

fn typed(value: &str) -> KstatValue {
    let text = value.trim();
    let hexadecimal = text.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
    let unsigned = hexadecimal.or_else(|| text.parse().ok()).map(KstatValue::U64);
    let number = unsigned.or_else(|| text.parse().ok().map(KstatValue::I64));
    number.unwrap_or_else(|| KstatValue::Text(value.to_owned()))
}

fn add_legacy_rows(rows: &mut Vec<(String, KstatValue)>, sysctls: &Sysctls) {
    let has = |rows: &[(String, KstatValue)], row: &str| rows.iter().any(|(name, _)| name == row);
    for (old, new) in LEGACY_ROWS {
        let value = sysctls.number(&format!("vfs.zfs.{old}"));
        if let Some(value) = value.filter(|_| !has(rows, new)) {
            rows.push((new.to_owned(), KstatValue::U64(value)));
        }
    }
    for (old, new) in RENAMED {
        let value = rows.iter().find(|(name, _)| name == old).map(|(_, value)| value.clone());
        if let Some(value) = value.filter(|_| !has(rows, new)) {
            rows.push((new.to_owned(), value));
        }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{Snapshot, Sysctls};

    fn snapshot(text: &str) -> (Snapshot, Vec<String>) {
        let (snapshot, lists) = Snapshot::from_sysctls(Nanos::ZERO, &Sysctls::parse(text));
        (snapshot, lists.into_iter().map(|(path, text)| format!("{path}={text}")).collect())
    }

    #[test]
    fn openzfs_names_become_the_paths_of_linux() {
        let (snapshot, lists) = snapshot(
            "kstat.zfs.misc.arcstats.hits: 12\n\
             kstat.zfs.my.tank.misc.iostats.trim_extents_written: 3\n\
             kstat.zfs.tank.dataset.objset-0x36.dataset_name: tank/my media\n\
             kstat.zfs.tank.misc.dmu_tx_assign.1024 ns: 5\n\
             kstat.zfs.tank.txgs: \ntxg birth state\n\
             kstat.zfs.tank.misc.guid: 99\n",
        );
        assert_eq!(snapshot.get("zfs/arcstats", "hits"), Some(12));
        assert_eq!(snapshot.get("zfs/my.tank/iostats", "trim_extents_written"), Some(3));
        let name = snapshot.kstats["zfs/tank/objset-0x36"].value("dataset_name").unwrap();
        assert_eq!(name.to_string(), "tank/my media");
        assert_eq!(lists[0], "zfs/tank/guid=99");
        assert!(lists[1].starts_with("zfs/tank/txgs=txg birth state"), "{lists:?}");
    }

    #[test]
    fn legacy_rows_under_vfs_join_arcstats_where_they_mean_the_same() {
        let (snapshot, _) = snapshot(
            "kstat.zfs.misc.arcstats.hits: 12\n\
             kstat.zfs.misc.arcstats.l2_writes_hdr_miss: 4\n\
             kstat.zfs.misc.arcstats.mru_size: 8\n\
             vfs.zfs.mru_size: 7\nvfs.zfs.arc_meta_used: 5\nvfs.zfs.mfu_data_lsize: 6\n",
        );
        let arc = |row| snapshot.get("zfs/arcstats", row);
        assert_eq!(arc("arc_meta_used"), Some(5));
        assert_eq!(arc("mfu_evictable_data"), Some(6));
        assert_eq!(arc("mru_size"), Some(8));
        assert_eq!((arc("l2_writes_hdr_miss"), arc("l2_writes_lock_retry")), (Some(4), Some(4)));
        assert_eq!(arc("arc_meta_limit"), None);
    }
}
