//! Files or metadata that no copy of is left: permanent errors.
//!
//! ZFS lists what it could not repair from another copy (`zpool status -v`, spa_errlog.c 0.6 to 2.4).
//! A file is gone until it is restored; `<metadata>:<0x…>` is an object of the pool itself, for which
//! there is no file to restore, `DATASET:<0x…>` one of a dataset whose path could not be found, often
//! since it was deleted. An entry leaves the list after a scrub that does not find it again; errors
//! that only the last scrub but one saw are kept until the next (`spa_errlog_rotate`).

use arcwright_machine::{Layout, Pool, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Remedy, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether files are damaged", judge };

/// What `zpool status` says when there is nothing of the kind.
const NONE: &str = "No known data errors";
/// The most damaged names that are shown.
const NAMES_MAX: usize = 8;

fn judge(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    let mut evidence = Vec::new();
    let mut unknown = Vec::new();
    for pool in view.pools()? {
        let listed = pool.damaged.len() as u64;
        let says_none = pool.errors.as_deref().is_some_and(|errors| errors.contains(NONE));
        match pool.data_errors {
            Some(count) if count > 0 => findings.push(damaged(pool, Some(count))),
            _ if listed > 0 => findings.push(damaged(pool, Some(listed))),
            _ if says_permanent(pool) => findings.push(damaged(pool, None)),
            None if !says_none => match suspected(pool) {
                Some(finding) => findings.push(finding),
                None => unknown.push(pool.name.clone()),
            },
            _ => evidence.push(Evidence::now(format!("{}: errors", pool.name), NONE)),
        }
    }
    if findings.is_empty() && !unknown.is_empty() {
        let what = format!(
            "the line “errors:” of zpool status was not read for {}",
            format::list(&unknown)
        );
        return Err(NotJudged::NotRead(what));
    }
    Ok(Verdict::found_or(findings, Verdict::fine("No file is known to be damaged", evidence)))
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

/// Returns what is to be said where the line that counts damaged files was not read; none unless requests failed, or a
/// scan left errors.
fn suspected(pool: &Pool) -> Option<Finding> {
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
        .extend(groups.take(NAMES_MAX).filter_map(|vdev| Some(row(&vdev.name, vdev.errors?))));
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

/// Returns whether a pool is known to be damaged though no count was read: its list is announced, or may not be
/// read by this user, or is missing while the reason of its status is damaged data (ZFS-8000-8A).
fn says_permanent(pool: &Pool) -> bool {
    let errors = pool.errors.as_deref();
    let listed = errors.is_some_and(|errors| errors.contains("Permanent errors"));
    let none = errors.is_some_and(|errors| errors.contains(NONE));
    let status = pool.status.as_deref().map(pool_state::one_line);
    listed
        || !none && status.is_some_and(|text| text.contains("error resulting in data corruption"))
}

/// Says whether a damaged object is one of the pool itself.
fn is_of_pool(name: &str) -> bool {
    name.trim_start().starts_with("<metadata>")
}

fn damaged(pool: &Pool, count: Option<u64>) -> Finding {
    let of_pool = pool.damaged.iter().any(|name| is_of_pool(name));
    if pool_state::is_suspended(pool) {
        return while_suspended(pool, count);
    }
    let many = count.map_or_else(|| "some".to_owned(), format::count);
    let noun = if count == Some(1) { "error" } else { "errors" };
    let title = match of_pool {
        true => format!("Metadata of the pool {} itself is damaged: {many} {noun}", pool.name),
        false => format!("Files of {} are damaged beyond repair: {many} {noun}", pool.name),
    };
    let id = if of_pool { "metadata-damaged" } else { "data-errors" };
    let mut finding = Finding::new(id, Severity::HurtsNow, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = pool_state::words_of(pool);
    if let Some(count) = count {
        finding.evidence.push(Evidence {
            exact: Some(count),
            ..Evidence::now(format!("{}: data errors", pool.name), format::count(count))
        });
    }
    let names = pool.damaged.iter().take(NAMES_MAX);
    finding
        .evidence
        .extend(names.map(|name| Evidence::now(format!("{}: damaged", pool.name), name.clone())));
    let how = how_they_fail(pool);
    finding.cause = match of_pool {
        true => format!(
            "Blocks of the pool's own structures {how}. They cannot be restored like files; what \
             depends on them may become unreadable."
        ),
        false if is_uncounted(pool) => "No device has counted an error since the pool was imported or cleared. So \
             what is listed was found before that, or is no matter of a device: memory, or a fault of ZFS itself, \
             such as those of versions 2.0 to 2.2 with snapshots of encrypted datasets (openzfs issue 12014). An entry \
             of what is whole, or deleted, leaves the list after two scrubs."
            .to_owned(),
        false => format!(
            "Blocks {how}, so ZFS cannot repair them. {} all others are intact as far as they were read.",
            match pool.damaged.is_empty() {
                true => "zpool status -v names the files;",
                false => "The named files are damaged there;",
            }
        ),
    };
    finding.remedy = Some(if of_pool { rescue(pool) } else { restore(pool) });
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = match of_pool {
        true => "A new pool and a copy of everything.".to_owned(),
        false => "Restoring the named files; those without a copy are lost.".to_owned(),
    };
    finding.risk =
        "zpool clear before the files are restored hides the list and repairs nothing.".to_owned();
    finding.confidence = Confidence::read("zpool status -v");
    finding.sources = lines([
        "zpool-status(8) -v",
        "module/zfs/spa_errlog.c",
        "openzfs-docs, ZFS-8000-8A (corrupted data)",
    ]);
    finding
}

/// Returns whether devices were read, and none of them nor the pool itself has counted an error.
fn is_uncounted(pool: &Pool) -> bool {
    let told = pool_state::told(pool);
    let is_zero = |errors: Option<[u64; 3]>| errors == Some([0; 3]);
    !told.is_empty()
        && told.iter().all(|(_, leaf)| is_zero(leaf.errors))
        && pool.errors_beside.own.is_none_or(|own| own == [0; 3])
        && pool.errors_beside.before.is_empty()
}

/// Returns how blocks fail in every copy, by the columns in which devices have counted errors.
fn how_they_fail(pool: &Pool) -> &'static str {
    let told = pool_state::told(pool);
    let counts = |column: usize| {
        let of = |errors: Option<[u64; 3]>| errors.and_then(|all| all.get(column).copied());
        told.iter().any(|(_, leaf)| of(leaf.errors) > Some(0))
            || of(pool.errors_beside.own) > Some(0)
    };
    match (counts(0), counts(2)) {
        (true, false) => "cannot be read from any copy",
        (true, true) => "cannot be read, or fail their checksum, in every copy",
        (false, _) => "fail their checksum in every copy",
    }
}

/// Returns what is to be said of errors that stand there while requests wait for devices: what could not be
/// written or read then is listed, and may be whole when they are back.
fn while_suspended(pool: &Pool, count: Option<u64>) -> Finding {
    let many = count.map_or_else(String::new, |count| format!(": {} now", format::count(count)));
    let title = format!(
        "{} lists errors while its devices are away: judge them afterwards{many}",
        pool.name
    );
    let mut finding = Finding::new("data-errors", Severity::WorthALook, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = pool_state::words_of(pool);
    let names = pool.damaged.iter().take(NAMES_MAX);
    finding
        .evidence
        .extend(names.map(|name| Evidence::now(format!("{}: damaged", pool.name), name.clone())));
    finding.cause = "Requests that fail when devices stop answering are listed like blocks that are \
                     wrong in every copy. Those that were only waiting are written when the devices \
                     are back and the pool is cleared; what is wrong then is damaged."
        .to_owned();
    let name = format::shell(&pool.name);
    let commands = [format!("zpool status -v {name}   # after zpool clear: what is still listed")];
    let mut remedy = changes::by_hand(
        "bring the devices back and clear the pool first; then see what is still listed, and only \
         then restore or copy anything",
        &commands,
    );
    remedy.verify = vec![format!("zpool status -v {name}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "None yet.".to_owned();
    finding.risk = "Snapshots, sends and scrubs wait too while the pool is suspended.".to_owned();
    finding.confidence = Confidence::read("zpool status -v");
    finding.sources = lines(["zpool-status(8) -v", "zpool-clear(8)", "zpoolprops(7) failmode"]);
    finding
}

fn restore(pool: &Pool) -> Remedy {
    let name = format::shell(&pool.name);
    let mut commands = vec![
        format!("zpool status -v {name}   # the files"),
        "# restore each from a backup or an intact snapshot, or delete it".to_owned(),
    ];
    commands.push(match pool_state::scrub(pool) {
        Some(scrub) => format!("{scrub}   # after that; a second one empties the list"),
        None if !pool_state::is_usable(pool) => {
            "# after that scrub, once the pool works again".to_owned()
        }
        None => "# after that scrub, once the running scan has ended".to_owned(),
    });
    commands.push(format!("zpool clear {name}"));
    let what = match is_uncounted(pool) {
        true => {
            "restore or delete what is listed, then scrub twice: what is whole leaves the list; update ZFS first where \
             the datasets are encrypted"
        }
        false => {
            "restore the damaged files from a backup or a snapshot, then scrub, then clear the counts; find the cause \
             (memory, controller, disks) before more files are damaged"
        }
    };
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![format!("zpool status -v {name}")];
    remedy
}

fn rescue(pool: &Pool) -> Remedy {
    let name = format::shell(&pool.name);
    let mut commands = vec![
        format!("zfs snapshot -r {name}@rescue"),
        format!("zfs send -R {name}@rescue | zfs receive -u OTHER-POOL/rescue"),
    ];
    commands.extend(pool_state::scrub(pool).map(|scrub| format!("{scrub}   # after the copy")));
    let mut remedy = changes::by_hand(
        "copy what can be read to another pool now, then recreate this one; a scrub may clear an \
         entry of something deleted since, so scrub once the copy exists",
        &commands,
    );
    remedy.verify = vec![format!("zpool status -v {name}")];
    remedy
}
