//! What rules about synchronous writes share; not a rule itself.

use arcwright_machine::{Class, Pool};

use crate::drives::leaves_of;
use crate::finding::Evidence;
use crate::rows::short;
use crate::rules::{datasets, disks};
use crate::verdict::NotJudged;
use crate::view::View;
use crate::words;

/// The intent log's counters of the whole machine.
const ZIL: &str = "zfs/zil";

/// What a pool's intent log did, or that of all pools where only that is counted.
pub(super) struct Log {
    /// Times somebody waited for stable storage.
    pub(super) commits: u64,
    /// Bytes that went through the log.
    pub(super) logged: u64,
    /// Bytes that clients wrote; none where it is not counted.
    pub(super) written: Option<u64>,
    /// What it was read from.
    pub(super) evidence: Vec<Evidence>,
    /// Whether it is of this pool alone.
    pub(super) is_own: bool,
}

/// Returns what the log of `pool` did.
///
/// From 2.2 each dataset counts its own commits; before, only the machine as a whole does, which is
/// that of a pool when it is the only one.
pub(super) fn of(view: &View<'_>, pool: &Pool) -> Result<Log, NotJudged> {
    let asked = datasets::asked(view);
    let of_pool: Vec<&datasets::Asked> = asked
        .iter()
        .filter(|(name, _)| datasets::pool_of(name) == pool.name)
        .map(|(_, asked)| asked)
        .collect();
    let written = (!of_pool.is_empty())
        .then(|| of_pool.iter().fold(0u64, |sum, asked| sum.saturating_add(asked.written_bytes)));
    let own: Option<u64> = of_pool.iter().map(|asked| asked.commits).sum();
    if let (Some(commits), false) = (own, of_pool.is_empty()) {
        let logged = of_objsets(view, &pool.name);
        let evidence = vec![
            row(
                view,
                &format!("{}/objset-*.zil_commit_count", pool.name),
                words::count(commits),
                commits,
            ),
            row(view, &format!("{}/objset-*.zil_itx_*_bytes", pool.name), bytes(logged), logged),
            row(
                view,
                &format!("{}/objset-*.nwritten", pool.name),
                bytes(written.unwrap_or(0)),
                written.unwrap_or(0),
            ),
        ];
        return Ok(Log { commits, logged, written, evidence, is_own: true });
    }
    let commits = view.counted(ZIL, "zil_commit_count")?;
    let count = |row: &str| view.counted(ZIL, row).unwrap_or(0);
    let logged = count("zil_itx_indirect_bytes")
        .saturating_add(count("zil_itx_copied_bytes"))
        .saturating_add(count("zil_itx_needcopy_bytes"));
    let mut evidence = view.rows_of(
        ZIL,
        [
            "zil_commit_count",
            "zil_itx_copied_bytes",
            "zil_itx_needcopy_bytes",
            "zil_itx_indirect_bytes",
        ],
    );
    let all: u64 = asked.values().map(|asked| asked.written_bytes).sum();
    let written = (!asked.is_empty()).then_some(all);
    evidence.extend(written.map(|written| row(view, "objset-*.nwritten", bytes(written), written)));
    Ok(Log { commits, logged, written, evidence, is_own: view.machine.pools.len() == 1 })
}

fn of_objsets(view: &View<'_>, pool: &str) -> u64 {
    const ROWS: [&str; 3] =
        ["zil_itx_indirect_bytes", "zil_itx_copied_bytes", "zil_itx_needcopy_bytes"];
    let of_pool =
        view.kstats().filter(|(path, _)| short(path).starts_with(&format!("{pool}/objset-")));
    let rows = of_pool.flat_map(|(_, rows)| ROWS.iter().filter_map(|row| rows.get(*row)));
    rows.fold(0u64, |sum, bytes| sum.saturating_add(u64::try_from(*bytes).unwrap_or(0)))
}

fn row(view: &View<'_>, name: &str, value: String, exact: u64) -> Evidence {
    Evidence { exact: Some(exact), over: view.over(), ..Evidence::now(name, value) }
}

fn bytes(bytes: u64) -> String {
    arcwright_units::Bytes(bytes).to_string()
}

/// Returns how long a write to the pool's data disks takes, at the disk and before it.
pub(super) fn write_wait(view: &View<'_>, pool: &Pool) -> Option<u64> {
    let leaves = disks::at_work(view, pool, Class::Data);
    let waits: Vec<u64> = leaves
        .iter()
        .filter_map(|leaf| {
            let disk = leaf.io.waits.disk_write_ns?;
            Some(disk.saturating_add(leaf.io.waits.syncq_write_ns.unwrap_or(0)))
        })
        .collect();
    let count = u64::try_from(waits.len()).ok().filter(|count| *count > 0)?;
    Some(waits.iter().fold(0u64, |sum, wait| sum.saturating_add(*wait)) / count)
}

/// Says whether a pool has log devices.
pub(super) fn has_slog(pool: &Pool) -> bool {
    !leaves_of(pool, Class::Log).is_empty()
}
