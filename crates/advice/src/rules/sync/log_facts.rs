//! What rules about synchronous writes share; not a rule itself.

use arcwright_machine::{Class, Pool};

use crate::drives::leaves_of;
use crate::finding::Evidence;
use crate::format;
use crate::rows::{ZIL, short};
use crate::rules::dataset_state::{self, ClientCounts};
use crate::rules::disk_state;
use crate::verdict::NotJudged;
use crate::view::View;

/// What a pool's intent log did, or that of all pools where only that is counted.
pub(crate) struct Log {
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

/// Rows of bytes that went through the log, of the machine or a dataset.
const LOGGED: [&str; 3] =
    ["zil_itx_indirect_bytes", "zil_itx_copied_bytes", "zil_itx_needcopy_bytes"];

/// Returns what the log of `pool` did.
///
/// From 2.2 each dataset counts its own commits; before, only the machine as a whole does, which is
/// that of a pool when it is the only one.
pub(crate) fn of(view: &View<'_>, pool: &Pool) -> Result<Log, NotJudged> {
    let of_pool = match dataset_state::are_counted(view) {
        Some(false) => Vec::new(),
        _ => dataset_state::asked_of_pool(view, &pool.name)?.into_iter().flatten().collect(),
    };
    let sum = |of: fn(&ClientCounts) -> Option<u64>, what: &str| {
        let unread = |name: &str| NotJudged::NotRead(format!("{what} of {name} was not read"));
        of_pool.iter().try_fold(0u64, |sum, (name, asked)| {
            Ok(sum.saturating_add(of(asked).ok_or_else(|| unread(name))?))
        })
    };
    let written = match of_pool.is_empty() {
        true => None,
        false => Some(sum(|asked| asked.written_bytes, "nwritten")?),
    };
    // From 2.2 on; told by the version, else by any dataset that counts them.
    let counts_own = match view.is_from("2.2.0") {
        Some(from) => from,
        None => of_pool.iter().any(|(_, asked)| asked.commits.is_some()),
    };
    if !counts_own || of_pool.is_empty() {
        return of_machine(view, written);
    }
    let commits = sum(|asked| asked.commits, "zil_commit_count")?;
    let logged = of_objsets(view, &pool.name)?;
    let mut evidence = vec![
        row(
            view,
            &format!("{}/objset-*.zil_commit_count", pool.name),
            format::count(commits),
            commits,
        ),
        row(view, &format!("{}/objset-*.zil_itx_*_bytes", pool.name), bytes(logged), logged),
    ];
    evidence.extend(written.map(|written| {
        row(view, &format!("{}/objset-*.nwritten", pool.name), bytes(written), written)
    }));
    Ok(Log { commits, logged, written, evidence, is_own: true })
}

/// Returns what the logs of all pools did.
fn of_machine(view: &View<'_>, written: Option<u64>) -> Result<Log, NotJudged> {
    let count = |row: &str| view.counted(ZIL, row);
    let commits = count("zil_commit_count")?;
    let logged = LOGGED.iter().try_fold(0u64, |sum, row| Ok(sum.saturating_add(count(row)?)))?;
    let mut evidence = view.rows_of(ZIL, ["zil_commit_count"]);
    evidence.extend(view.rows_of(ZIL, LOGGED));
    evidence.extend(written.map(|written| row(view, "objset-*.nwritten", bytes(written), written)));
    Ok(Log { commits, logged, written, evidence, is_own: view.machine.pools.len() == 1 })
}

fn of_objsets(view: &View<'_>, pool: &str) -> Result<u64, NotJudged> {
    let start = format!("{pool}/objset-");
    let of_pool = view.kstats().filter(|(path, _)| short(path).starts_with(&start));
    of_pool
        .flat_map(|(path, _)| LOGGED.map(|row| (path, row)))
        .try_fold(0u64, |sum, (path, row)| Ok(sum.saturating_add(view.counted(path, row)?)))
}

fn row(view: &View<'_>, name: &str, value: String, exact: u64) -> Evidence {
    Evidence { exact: Some(exact), over: view.over(), ..Evidence::now(name, value) }
}

fn bytes(bytes: u64) -> String {
    arcwright_units::Bytes(bytes).to_string()
}

/// Returns how long a write to the pool's data disks takes, at the disk and before it; none where no
/// disk was written to.
pub(crate) fn write_wait(view: &View<'_>, pool: &Pool) -> Result<Option<u64>, NotJudged> {
    let leaves = disk_state::all_at_work(view, pool, Class::Data)?;
    let was_asked = |leaf: &disk_state::Leaf<'_>| {
        let waits = leaf.io.waits;
        waits.disk_write_ns.or(waits.disk_read_ns).is_some() || leaf.writes_per_s() == Some(0.0)
    };
    if !leaves.iter().all(was_asked) {
        let what =
            format!("latencies of the disks of {} were not read (zpool iostat -vl)", pool.name);
        return Err(NotJudged::NotRead(what));
    }
    // No wait of a queue is none that anything stood in.
    let wait = |leaf: &disk_state::Leaf<'_>| {
        let waits = leaf.io.waits;
        let disk = waits.disk_write_ns?;
        Some(waits.syncq_write_ns.map_or_else(|| disk, |queue| disk.saturating_add(queue)))
    };
    let waits: Vec<u64> = leaves.iter().filter_map(wait).collect();
    let sum = waits.iter().fold(0u64, |sum, wait| sum.saturating_add(*wait));
    Ok(u64::try_from(waits.len()).ok().and_then(|count| sum.checked_div(count)))
}

/// Says whether a pool has log devices.
pub(crate) fn has_slog(pool: &Pool) -> bool {
    !leaves_of(pool, Class::Log).is_empty()
}
