//! Files that may be damaged, where the line that says so was not read; not a rule itself.

use arcwright_machine::{Layout, Pool, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rules::pool_state;

/// The most groups whose counts are shown.
const GROUPS_MAX: usize = 8;

/// Returns what is to be said where the line that counts damaged files was not read; none unless requests failed, or a
/// scan left errors.
pub(super) fn finding(pool: &Pool) -> Option<Finding> {
    let what = match left_by_scan(pool) {
        _ if has_failed(pool) => {
            format!("{} failed requests that no copy could answer", pool.name)
        }
        Some(1) => format!("The last scan of {} left an error unrepaired", pool.name),
        Some(count) => {
            format!(
                "The last scan of {} left {} errors unrepaired",
                pool.name,
                format::count(count)
            )
        }
        None => return None,
    };
    let title = format!("{what}: files may be damaged");
    let mut finding = Finding::new("data-errors-likely", Severity::HurtsNow, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    let row = |name: &str, [read, write, checksum]: [u64; 3]| {
        Evidence::now(name, format!("{read} read, {write} write, {checksum} checksum errors"))
    };
    finding.evidence.extend(pool.errors_beside.own.map(|errors| row(&pool.name, errors)));
    let groups = pool_state::whole_vdevs(pool).filter(|vdev| vdev.layout != Layout::Leaf);
    let groups = groups.filter(|vdev| vdev.errors.is_some_and(|all| all.iter().any(|n| *n > 0)));
    finding
        .evidence
        .extend(groups.take(GROUPS_MAX).filter_map(|vdev| Some(row(&vdev.name, vdev.errors?))));
    finding.evidence.extend(pool_state::words_of(pool));
    finding.cause = "An error is counted at a mirror, a raidz or the pool itself when what its \
                     members gave was not enough. Such a request may have succeeded when it was \
                     repeated; where it was not, a file is damaged. The line “errors:” that says so \
                     was not read."
        .to_owned();
    let name = format::shell(&pool.name);
    let what = match pool_state::scan(pool) {
        pool_state::Scan::Idle => {
            "copy what matters elsewhere, then see which files are named; restore those from a \
             backup, and look for what the failing devices share: cables, controller, power"
        }
        _ => {
            "have a backup, let the running scan end, then see which files are named; look for what \
             the failing devices share: cables, controller, power"
        }
    };
    let list = format!("zpool status -v {name}   # the files");
    let mut remedy = changes::by_hand(what, &[list]);
    remedy.verify = vec![format!("zpool status -v {name}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "Restoring the named files; those without a copy are lost.".to_owned();
    finding.risk = "zpool clear before the list was read hides it.".to_owned();
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["zpool-status(8) -v", "module/zfs/vdev.c, vdev_stat_update"]);
    Some(finding)
}

/// Returns whether requests failed that no copy could answer: the pool's own row counts them, or a mirror or
/// raidz does, one of whose members failed too. Errors above members that all are clean have a rule of their own.
fn has_failed(pool: &Pool) -> bool {
    let some = |errors: Option<[u64; 3]>| errors.is_some_and(|all| all.iter().any(|n| *n > 0));
    let is_clean = |leaf: &&Vdev| {
        leaf.state.as_deref() == Some("ONLINE")
            && !some(leaf.errors)
            && !pool_state::is_filled(leaf)
    };
    // What a device lacks that is being filled counts above it too.
    let of_group = |vdev: &Vdev| {
        let reads = vdev.errors.is_some_and(|[read, _, _]| read > 0);
        let leaves = vdev.leaves();
        let excused = !reads && leaves.iter().any(|leaf| pool_state::is_filled(leaf));
        some(vdev.errors) && !excused && !leaves.iter().all(is_clean)
    };
    let told = pool_state::told(pool);
    let all_clean = !told.is_empty() && told.iter().all(|(_, leaf)| is_clean(leaf));
    let groups = pool_state::whole_vdevs(pool).filter(|vdev| vdev.layout != Layout::Leaf);
    pool_state::is_usable(pool)
        && (some(pool.errors_beside.own) && !all_clean || groups.into_iter().any(of_group))
}

/// Returns how many errors the last scrub or resilver ended with, which it could not repair: `with 7 errors on …`.
fn left_by_scan(pool: &Pool) -> Option<u64> {
    let (_, rest) = pool.scan.as_deref()?.split_once(" with ")?;
    let (count, rest) = rest.split_once(' ')?;
    let count = count.parse().ok().filter(|count| *count > 0)?;
    rest.starts_with("error").then_some(count)
}
