//! Files or metadata that no copy of is left: permanent errors.
//!
//! ZFS lists what it could not repair from another copy (`zpool status -v`, spa_errlog.c 0.6 to 2.4).
//! A file is gone until it is restored; `<metadata>:<0x…>` is an object of the pool itself, for which
//! there is no file to restore, `DATASET:<0x…>` one of a dataset whose path could not be found, often
//! since it was deleted. An entry leaves the list after a scrub that does not find it again; errors
//! that only the last scrub but one saw are kept until the next (`spa_errlog_rotate`).

use arcwright_machine::Pool;

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
            None if !says_none => unknown.push(pool.name.clone()),
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
    finding.cause = match of_pool {
        true => "Blocks of the pool's own structures fail their checksum in every copy. They \
                 cannot be restored like files; what depends on them may become unreadable."
            .to_owned(),
        false => "Blocks fail their checksum in every copy, so ZFS cannot repair them. The named \
                  files are damaged there; all others are intact as far as they were read."
            .to_owned(),
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

fn restore(pool: &Pool) -> Remedy {
    let name = format::shell(&pool.name);
    let mut commands = vec![
        format!("zpool status -v {name}   # the files"),
        "# restore each from a backup or an intact snapshot, or delete it".to_owned(),
    ];
    commands.push(match pool_state::scrub(pool) {
        Some(scrub) => format!("{scrub}   # after that; a second one empties the list"),
        None => "# after that scrub, once the running scan has ended".to_owned(),
    });
    commands.push(format!("zpool clear {name}"));
    let mut remedy = changes::by_hand(
        "restore the damaged files from a backup or a snapshot, then scrub, then clear the counts; \
         find the cause (memory, controller, disks) before more files are damaged",
        &commands,
    );
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
