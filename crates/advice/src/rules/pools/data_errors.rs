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
use crate::rules::pools::damaged_entries::{self, Entry};
use crate::rules::pools::suspected;
use crate::rules::weak::is_too_weak_to_scrub;
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
    let mut unavailable = Vec::new();
    for pool in view.pools()? {
        let listed = pool.damaged.len() as u64;
        let says_none = pool.errors.as_deref().is_some_and(|errors| errors.contains(NONE));
        match pool.data_errors {
            Some(count) if count > 0 => findings.push(damaged(view, pool, Some(count))),
            _ if listed > 0 => findings.push(damaged(view, pool, Some(listed))),
            _ if says_permanent(pool) => findings.push(damaged(view, pool, None)),
            None if !says_none => match suspected::finding(pool) {
                Some(finding) => findings.push(finding),
                None if is_unavailable(pool) => unavailable.push(pool.name.clone()),
                None => unknown.push(pool.name.clone()),
            },
            _ => evidence.push(Evidence::now(format!("{}: errors", pool.name), NONE)),
        }
    }
    if findings.is_empty() && unknown.is_empty() && !unavailable.is_empty() {
        return Err(NotJudged::Lacking(format!(
            "ZFS itself could not tell of {}: its list of errors is unavailable while its I/O is suspended",
            format::list(&unavailable)
        )));
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

/// Returns whether the list of errors was asked for and could not be had.
fn is_unavailable(pool: &Pool) -> bool {
    pool.errors.as_deref().is_some_and(|errors| errors.contains("List of errors unavailable"))
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

/// Returns whether the list of damaged names was asked for and has none: what is damaged can no longer be named, or the
/// text ends there.
fn is_unnamed(pool: &Pool) -> bool {
    let announced = |errors: &str| errors.contains("Permanent errors");
    pool.damaged.is_empty() && pool.errors.as_deref().is_some_and(announced)
}

fn damaged(view: &View<'_>, pool: &Pool, count: Option<u64>) -> Finding {
    if pool_state::is_suspended(pool) {
        return while_suspended(pool, count);
    }
    let entries = damaged_entries::of_pool(view, pool);
    let of_pool = damaged_entries::has(&entries, Entry::OfPool);
    let is_gone = damaged_entries::are_all(&entries, Entry::Gone);
    let id = if of_pool { "metadata-damaged" } else { "data-errors" };
    // What is damaged was named, or counted; by the words of the status alone it may be of what is gone.
    let is_told = !entries.is_empty() || count.is_some();
    let severity = match is_told && !is_gone && !is_unnamed(pool) {
        true => Severity::HurtsNow,
        false => Severity::WorthALook,
    };
    let title = title(pool, &entries, count);
    let mut finding = Finding::new(id, severity, Area::Safety, title);
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
    finding.cause = cause(view, pool, &entries);
    finding.remedy = Some(match of_pool {
        true => rescue(pool),
        false => restore(pool, &entries),
    });
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = match of_pool {
        true => "A new pool and a copy of everything.",
        false if is_gone => "The time of the scrubs.",
        false => "Restoring what is named; what has no copy elsewhere is lost.",
    }
    .to_owned();
    finding.risk = match of_pool {
        true => "zpool clear hides the errors and repairs nothing.",
        false if is_gone => "None to data.",
        false => "zpool clear sets the counts back and repairs nothing: what is listed stays so until a scrub has ended without it.",
    }
    .to_owned();
    finding.confidence = Confidence::read("zpool status -v");
    finding.sources = lines([
        "zpool-status(8) -v",
        "module/zfs/spa_errlog.c",
        "openzfs-docs, ZFS-8000-8A (corrupted data)",
    ]);
    finding
}

/// Returns how many errors the last scrub or resilver met: `with 21 errors on Fri Jul 6`.
fn of_scan(pool: &Pool) -> Option<u64> {
    let scan = pool_state::one_line(pool.scan.as_deref()?);
    let (before, _) = scan.split_once(" errors on ")?;
    let count: u64 = before.rsplit(' ').next()?.parse().ok()?;
    Some(count).filter(|count| *count > 0)
}

fn title(pool: &Pool, entries: &[(Entry, &str)], count: Option<u64>) -> String {
    let name = &pool.name;
    let count = count.or_else(|| of_scan(pool));
    let many = count.map_or_else(|| "some".to_owned(), format::count);
    let errors = match count {
        Some(1) => "1 error".to_owned(),
        _ => format!("{many} errors"),
    };
    if damaged_entries::has(entries, Entry::OfPool) {
        return format!("Metadata of the pool {name} itself is damaged: {errors}");
    }
    if damaged_entries::are_all(entries, Entry::Gone) {
        return format!("{name} lists {errors} of datasets or snapshots that are no longer there");
    }
    if is_unnamed(pool) {
        let permanent = if count == Some(1) { "error" } else { "errors" };
        return format!("{name} has {many} permanent {permanent}, and none was read by its name");
    }
    let noun = damaged_entries::noun(entries);
    let verb = if noun == "Data" { "is" } else { "are" };
    format!("{noun} of {name} {verb} damaged beyond repair: {errors}")
}

fn cause(view: &View<'_>, pool: &Pool, entries: &[(Entry, &str)]) -> String {
    if damaged_entries::has(entries, Entry::OfPool) {
        return format!(
            "Blocks of the pool's own structures {}. They cannot be restored like files; what depends on them may become \
             unreadable.",
            how_they_fail(pool)
        );
    }
    let sentences = damaged_entries::sentences(entries);
    if damaged_entries::are_all(entries, Entry::Gone) {
        return sentences.trim_start().to_owned();
    }
    let unnamed = match is_unnamed(pool) {
        true => {
            " Where the list itself is empty, what was counted is mostly no longer there, such as snapshots destroyed since, of \
             which nothing need be restored."
        }
        false => "",
    };
    if is_uncounted(pool) {
        // Older versions cannot encrypt.
        let known = match view.is_from("0.8.0") {
            Some(false) => "",
            _ => {
                ", such as those that versions from 2.0 on have had with snapshots of encrypted datasets that were sent \
                 (openzfs issue 12014)"
            }
        };
        return format!(
            "No device has counted an error since the pool was imported or cleared. So what is listed was found before that, \
             or is no matter of a device: memory, or a fault of ZFS itself{known}.{unnamed}{sentences} An entry of what is \
             whole, or deleted, leaves the list after two scrubs."
        );
    }
    let how = how_they_fail(pool);
    let list = match pool.damaged.is_empty() && unnamed.is_empty() {
        true => " zpool status -v names what they are of.",
        false => "",
    };
    format!("Blocks {how}, so ZFS cannot repair them.{unnamed}{list}{sentences}")
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
                     are back and the pool goes on; what is wrong then is damaged."
        .to_owned();
    let name = format::shell(&pool.name);
    // Where clearing hangs, a restart ends the waiting instead.
    let (back, since) = match pool.errors_beside.hangs.is_some() {
        true => ("bring the devices back and restart the machine first", "the restart"),
        false => ("bring the devices back and clear the pool first", "zpool clear"),
    };
    let commands = [format!("zpool status -v {name}   # after {since}: what is still listed")];
    let what =
        format!("{back}; then see what is still listed, and only then restore or copy anything");
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![format!("zpool status -v {name}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "None yet.".to_owned();
    finding.risk = "Snapshots, sends and scrubs wait too while the pool is suspended.".to_owned();
    finding.confidence = Confidence::read("zpool status -v");
    finding.sources = lines(["zpool-status(8) -v", "zpool-clear(8)", "zpoolprops(7) failmode"]);
    finding
}

/// Returns whether a pool is the one that TrueNAS starts from: nothing of it is the owner's but the configuration.
fn is_of_appliance(pool: &Pool) -> bool {
    matches!(pool.name.split_once('-'), Some(("boot", "pool") | ("freenas", "boot")))
}

fn restore(pool: &Pool, entries: &[(Entry, &str)]) -> Remedy {
    let name = format::shell(&pool.name);
    let steps = damaged_entries::steps(entries);
    let is_gone = damaged_entries::are_all(entries, Entry::Gone);
    let mut commands = Vec::new();
    if entries.is_empty() {
        commands.push(format!("zpool status -v {name}   # what is damaged, by name"));
    }
    if !is_gone && !is_unnamed(pool) {
        commands.push(
            match is_of_appliance(pool) {
                true => {
                    "# save the configuration, install the system anew, and load the configuration"
                }
                false => "# restore each from a backup or an intact snapshot, or delete it",
            }
            .to_owned(),
        );
    }
    commands.push(match pool_state::scrub(pool) {
        _ if is_too_weak_to_scrub(pool) => {
            "# scrub only when the device that makes errors was replaced, or its cause is mended"
                .to_owned()
        }
        Some(scrub) => format!("{scrub}   # after that; a second one empties the list"),
        None if !pool_state::is_usable(pool) => {
            "# after that scrub, once the pool works again".to_owned()
        }
        None => "# after that scrub, once the running scan has ended".to_owned(),
    });
    // What clearing could show it has shown of a device that made errors again.
    if !is_gone && !is_unnamed(pool) && pool.errors_beside.again.is_empty() {
        commands.push(format!("zpool clear {name}   # the counts, after that"));
    }
    let first = match steps.is_empty() {
        true if is_gone => "scrub twice: what is whole or gone leaves the list".to_owned(),
        true if is_unnamed(pool) => {
            "see whether names are listed now, then scrub twice: what is gone leaves the count"
                .to_owned()
        }
        true if is_of_appliance(pool) => {
            "save the configuration of the system, see what is damaged, and install the system anew: its files come with it"
                .to_owned()
        }
        true => "see what is damaged, and restore it from a backup".to_owned(),
        false => steps.join("; "),
    };
    let then = match is_uncounted(pool) {
        _ if is_gone || is_unnamed(pool) => "",
        true => {
            "; then scrub twice: what is whole leaves the list; update ZFS first where the datasets are encrypted"
        }
        false => "; find the cause (memory, controller, disks) before more is damaged",
    };
    let mut remedy = changes::by_hand(format!("{first}{then}"), &commands);
    remedy.verify = vec![format!("zpool status -v {name}")];
    remedy
}

fn rescue(pool: &Pool) -> Remedy {
    let name = format::shell(&pool.name);
    let mut commands = vec![
        format!("zfs snapshot -r {name}@rescue"),
        format!("zfs send -R {name}@rescue | zfs receive -u OTHER-POOL/rescue"),
    ];
    let scrub = pool_state::scrub(pool).filter(|_| !is_too_weak_to_scrub(pool));
    commands.extend(scrub.map(|scrub| format!("{scrub}   # after the copy")));
    let mut remedy = changes::by_hand(
        match is_too_weak_to_scrub(pool) {
            false => {
                "copy what can be read to another pool now, then recreate this one; a scrub may clear an \
                 entry of something deleted since, so scrub once the copy exists"
            }
            true => {
                "copy what can be read to another pool now, then recreate this one with sound devices"
            }
        },
        &commands,
    );
    remedy.verify = vec![format!("zpool status -v {name}")];
    remedy
}
