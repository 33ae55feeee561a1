//! Transaction groups that take longer to sync than they may stay open.
//!
//! A group is closed after `zfs_txg_timeout` (5 s) or when enough is dirty, and then synced while the
//! next one fills (module/zfs/txg.c). A sync that takes longer than the timeout keeps the next group
//! waiting: who needs a group to be on disk (`fsync` without a log, snapshots, `zfs` commands, frees)
//! waits as long. The times are those of the kstat `txgs` (0.6.3 and later, `zfs_txg_history`).

use arcwright_kstat::Txg;
use arcwright_units::{Bytes, Nanos};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Level, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether transaction groups sync in time", judge };

/// Groups that must be seen: of three the middle one is neither the first nor the last.
const GROUPS_MIN: usize = 3;
/// Two groups that took longer than this each are no accident.
const ENDLESS: Nanos = Nanos::secs(60);
/// The share of groups that are late, from which it is no accident: one in five.
const LATE: (usize, usize) = (1, 5);
/// The default of `zfs_txg_timeout` on all platforms (module/zfs/txg.c, 0.6.5 to 2.4).
const DEFAULT: Nanos = Nanos::secs(5);
/// A sync this much longer than the timeout is felt as a standstill.
const FAR: u64 = 4;

fn judge(view: &View<'_>) -> Judged {
    let not_read =
        || NotJudged::NotRead("transaction groups were not read (kstat txgs)".to_owned());
    let last = view.machine.samples.last().ok_or_else(not_read)?;
    let held = view.parameter("zfs_txg_timeout").map(|held| held.value.clamp(1, 3600));
    let timeout = held.map_or_else(|| DEFAULT, Nanos::secs);
    let (mut findings, mut behind_all) = (Vec::new(), Vec::new());
    let mut evidence = Vec::new();
    let (mut seen, mut endless) = (false, Vec::new());
    for (pool, txgs) in &last.txgs {
        let synced: Vec<&Txg> =
            txgs.iter().filter(|txg| txg.state == 'C' && txg.writes > 0).collect();
        seen |= !txgs.is_empty();
        let are_endless = synced.len() > 1 && synced.iter().all(|txg| txg.syncing > ENDLESS);
        if synced.len() < GROUPS_MIN && !are_endless {
            behind_all.extend(are_slow(&synced).then(|| behind(pool, &synced)));
            continue;
        }
        endless.extend(are_endless.then(|| Some(pool.clone())));
        let longest = synced.iter().map(|txg| txg.syncing).max();
        evidence.extend(longest.map(|time| {
            Evidence::now(format!("{pool}: longest sync of {}", synced.len()), time.to_string())
        }));
        let late: Vec<&Txg> = synced.iter().copied().filter(|txg| txg.syncing > timeout).collect();
        let (one, of) = LATE;
        if late.len() * of >= synced.len() * one && !late.is_empty() {
            findings.push(finding(pool, &synced, &late, timeout));
        } else if is_behind(&synced) {
            behind_all.push(behind(pool, &synced));
        }
    }
    if !seen {
        return Err(not_read());
    }
    if !behind_all.is_empty() && findings.is_empty() {
        return Ok(Verdict::Found(behind_all));
    }
    let forced = last.txgs.iter().filter(|(_, txgs)| are_forced(txgs));
    let forced: Vec<Finding> = forced.map(|(pool, txgs)| empty(pool, txgs.len())).collect();
    if findings.is_empty() && !forced.is_empty() {
        return Ok(Verdict::Found(forced));
    }
    if findings.is_empty() && evidence.is_empty() {
        return Err(NotJudged::Idle("too few transaction groups were written".to_owned()));
    }
    if held.is_none() {
        if findings.is_empty() {
            return Err(NotJudged::NotRead("zfs_txg_timeout was not read".to_owned()));
        }
        // Against a timeout that is not known nothing is called late, but for what takes minutes whatever it is.
        for finding in &mut findings {
            if !endless.contains(&finding.subject) {
                finding.severity = Severity::Note;
            }
            finding.title.push_str(" (the default of zfs_txg_timeout; its value was not read)");
        }
    }
    for finding in &mut findings {
        finding.evidence.extend(view.settings(["zfs_txg_timeout", "zfs_dirty_data_max"]));
    }
    Ok(Verdict::found_or(findings, Verdict::fine("Transaction groups sync in time", evidence)))
}

/// Returns whether two groups or more took seconds each for so little that disks that work are done with it at once, and
/// waited for the one before.
fn are_slow(synced: &[&Txg]) -> bool {
    const LONG: Nanos = Nanos::secs(2);
    const BYTES_PER_S: u64 = 10 << 20;
    let slow = |txg: &&&Txg| {
        let whole_s = txg.syncing.0 / 1_000_000_000;
        txg.syncing >= LONG && txg.written.0 / whole_s.max(1) < BYTES_PER_S
    };
    synced.len() > 1 && synced.iter().filter(slow).count() == synced.len() && is_behind(synced)
}

/// Returns whether nearly every group waits for the one before it, so that the pool never stops syncing.
fn is_behind(synced: &[&Txg]) -> bool {
    /// Shorter waits are those of groups that were closed early on purpose.
    const FELT: Nanos = Nanos::millis(500);
    let waits = |txg: &&&Txg| txg.waiting.is_some_and(|time| time >= FELT) && txg.syncing >= FELT;
    synced.iter().filter(waits).count() * 5 >= synced.len() * 4
}

fn behind(pool: &str, synced: &[&Txg]) -> Finding {
    let count = synced.len() as u64;
    let sum =
        |of: fn(&Txg) -> u64| synced.iter().fold(0_u64, |sum, txg| sum.saturating_add(of(txg)));
    // Rounds down; a group at least is there.
    let mean = |total: u64| total / count.max(1);
    let (time, bytes, writes) = (
        Nanos(mean(sum(|txg| txg.syncing.0))),
        Bytes(mean(sum(|txg| txg.written.0))),
        mean(sum(|txg| txg.writes)),
    );
    let title = format!(
        "{pool} syncs without a pause: each transaction group waits for the one before, {} for {bytes}",
        format::span(time)
    );
    let mut finding = Finding::new("txg-sync-slow", Severity::WorthALook, Area::Writing, title);
    finding.subject = Some(pool.to_owned());
    finding.evidence = vec![
        Evidence::now(format!("{pool}: mean time to sync a group"), time.to_string()),
        Evidence::now(format!("{pool}: mean written by a group"), bytes.to_string()),
        Evidence::now(format!("{pool}: mean writes of a group"), format::count(writes)),
    ];
    finding.cause = "Something asks for a new group before the last one is on the disks: clients \
                     that call fsync without a log device, snapshots, frees, or writers that the \
                     disks cannot follow. Many small writes for few bytes mean that the disks seek."
        .to_owned();
    let name = format::shell(pool);
    let mut remedy = changes::by_hand(
        "find the writers and a slow disk; a longer zfs_txg_timeout does not help a pool that is \
         never done",
        &[
            format!("zpool iostat -vly {name} 10 3   # one disk slower than its peers?"),
            format!("zpool get freeing {name}   # is something large being destroyed?"),
            format!("zpool list -o name,capacity,fragmentation {name}"),
        ],
    );
    remedy.verify = vec![format!("tail /proc/spl/kstat/zfs/{name}/txgs   # wtime, in nanoseconds")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on the disks".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = confidence(synced.len());
    finding.sources = lines(["module/zfs/txg.c", "module/zfs/spa_stats.c (txgs)"]);
    finding
}

/// Returns whether groups follow each other far sooner than any timeout, and hold nothing.
fn are_forced(txgs: &[Txg]) -> bool {
    const SOON: Nanos = Nanos::millis(100);
    let is_forced = |txg: &&Txg| {
        txg.state == 'C' && txg.writes == 0 && txg.dirty == Some(Bytes(0)) && txg.open < SOON
    };
    txgs.len() >= GROUPS_MIN && txgs.iter().filter(is_forced).count() * 5 >= txgs.len() * 4
}

/// Says that something asks for groups again and again, and there is nothing to write.
fn empty(pool: &str, groups: usize) -> Finding {
    let title = format!(
        "Transaction groups of {pool} follow each other at once and hold nothing: something asks for them"
    );
    let mut finding = Finding::new("txgs-empty", Severity::Note, Area::Writing, title);
    finding.subject = Some(pool.to_owned());
    finding.evidence =
        vec![Evidence::now(format!("{pool}: groups that were read"), format::count(groups as u64))];
    finding.cause = "A group is closed when its time is over, when it is full, or when somebody needs it on disk: \
                     snapshots, zfs and zpool commands, a receive, a scrub that begins and ends, fsync. Empty \
                     groups cost each disk a few small writes. The disks are not slow here, and no data waits."
        .to_owned();
    let mut remedy = changes::by_hand(
        "find out who asks: a loop of zfs commands, snapshots in short turn, a scan that does not end",
        &lines(["zpool status; zpool history -i | tail -n 40", "ps ax | grep -E 'zfs|zpool'"]),
    );
    remedy.verify = vec![format!(
        "tail /proc/spl/kstat/zfs/{}/txgs   # otime, in nanoseconds",
        format::shell(pool)
    )];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("some writes of each disk".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = confidence(groups);
    finding.sources = lines(["module/zfs/txg.c", "module/zfs/spa_stats.c (txgs)"]);
    finding
}

/// Returns how sure a finding is that rests on so many groups.
fn confidence(groups: usize) -> Confidence {
    Confidence {
        level: if groups >= 10 { Level::High } else { Level::Fair },
        words: format!("{groups} transaction groups"),
        span_ns: None,
        events: Some(groups as u64),
    }
}

fn finding(pool: &str, synced: &[&Txg], late: &[&Txg], timeout: Nanos) -> Finding {
    let longest = late.iter().map(|txg| txg.syncing).max();
    let longest_words = longest.map_or_else(|| "long".to_owned(), format::span);
    let title = format!(
        "{} of {} transaction groups of {} took longer than {} to sync, up to {longest_words}",
        late.len(),
        synced.len(),
        pool,
        format::span(timeout)
    );
    let far = longest.is_some_and(|time| time.0 >= timeout.0.saturating_mul(FAR));
    let severity = if far { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("txg-sync-slow", severity, Area::Writing, title);
    finding.subject = Some(pool.to_owned());
    let written = late.iter().fold(0u64, |sum, txg| sum.saturating_add(txg.written.0));
    let time = late.iter().fold(0u64, |sum, txg| sum.saturating_add(txg.syncing.0));
    finding.evidence = vec![
        Evidence {
            exact: Some(late.len() as u64),
            ..Evidence::now(
                format!("{pool}: groups later than the timeout"),
                format!("{} of {}", late.len(), synced.len()),
            )
        },
        Evidence::now(format!("{pool}: written by these"), Bytes(written).to_string()),
        Evidence::now(format!("{pool}: time they took"), format::span(Nanos(time))),
    ];
    finding.cause =
        "The disks take longer to sync a transaction group than the next one takes to fill. \
                     Nothing is lost, but all that depends on a sync waits: fsync without a log \
                     device, snapshots, zfs commands, freeing of space."
            .to_owned();
    let mut remedy = changes::by_hand(
        "find the slow disk and the writers; many small random writes, frees of deduplicated data \
         and disks with shingled recording (SMR) are the usual reasons; a longer zfs_txg_timeout \
         only makes larger groups",
        &lines(["zpool iostat -vly 10 3   # one disk slower than its peers?"]),
    );
    remedy.verify = vec![format!(
        "tail /proc/spl/kstat/zfs/{}/txgs   # stime, in nanoseconds",
        format::shell(pool)
    )];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on the disks".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = confidence(synced.len());
    finding.sources =
        lines(["module/zfs/txg.c", "module/zfs/spa_stats.c (txgs)", "zfs(4) zfs_txg_timeout"]);
    finding
}
