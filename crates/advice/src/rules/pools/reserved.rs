//! What `zfs list` tells of space and `zpool list` does not: usable space, quotas, reservations.
//!
//! USED of a pool's own dataset and its AVAIL are the usable space, parity and slop apart. A file system
//! whose AVAIL is below the pool's has a quota. A volume's reservation is USED though nothing is written to
//! it: USED 33 GiB, REFER 6 GiB. Then USED of the pool exceeds what is allocated, which deduplication could
//! explain too: it must be known to save nothing.

use std::collections::BTreeMap;

use arcwright_machine::{Dataset, Pool};
use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state::{self, named, property, size};
use crate::rules::pools::takers;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether quotas and reservations leave space", judge };

/// File systems of one capture that are named.
const NAMED_MAX: usize = 8;
/// As many pools as are read of a machine.
const POOLS_MAX: usize = 256;
/// What is left of a quota, as one part of what is used, below which it is nearly reached.
const QUOTA_REST: u64 = 20;

fn judge(view: &View<'_>) -> Judged {
    let datasets = &view.machine.datasets;
    let by_name: BTreeMap<&str, &Dataset> =
        datasets.iter().map(|dataset| (dataset.name.as_str(), dataset)).collect();
    let pools: BTreeMap<&str, &Pool> =
        view.machine.pools.iter().rev().map(|pool| (pool.name.as_str(), pool)).collect();
    let mut findings = Vec::new();
    let roots = datasets.iter().filter(|dataset| !dataset.name.contains('/'));
    for root in roots.take(POOLS_MAX) {
        let lead = format!("{}/", root.name);
        let below = || {
            let from = by_name.range(lead.as_str()..);
            from.map(|(_, dataset)| *dataset).take_while(|dataset| dataset.name.starts_with(&lead))
        };
        let mut short = None;
        if let (Some(used), Some(free)) = (size(root, "used"), size(root, "available")) {
            short = usable(&root.name, (used, free), &below().collect::<Vec<_>>());
            let full = below().filter_map(|dataset| at_quota(dataset, free));
            findings.extend(full.take(NAMED_MAX));
        }
        let volume = below().find(|dataset| is_reserved(root, dataset));
        let taken = pools.get(root.name.as_str()).zip(volume);
        let taken = taken.and_then(|(pool, volume)| reserved(pool, root, volume));
        // What reservations take is not to be looked for among data and snapshots.
        findings.extend(taken.or(short));
    }
    findings.extend(volumes(datasets));
    findings.extend(datasets.iter().filter_map(beyond_data).take(NAMED_MAX));
    if findings.is_empty() {
        findings.extend(without_space(view));
    }
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

/// A dataset to which nothing is left, where what the pool itself has left for datasets was not read.
fn without_space(view: &View<'_>) -> Option<Finding> {
    let dataset = named(view, dataset_state::without_space(view)?)?;
    let left = size(dataset, "available")?;
    let pool = dataset.name.split('/').next()?;
    let title = format!("{} has {} left: writes to it fail soon", dataset.name, Bytes(left));
    let mut finding = new("usable-space-low", &dataset.name, title);
    finding.evidence = vec![now(&dataset.name, "available", left)];
    let free = view
        .machine
        .pools
        .iter()
        .find(|known| known.name == pool)
        .and_then(|pool| pool.number("free"));
    let free = free.map_or_else(String::new, |free| {
        format!(" That zpool list calls {} of {pool} free does not help it.", Bytes(free))
    });
    finding.cause = format!(
        "AVAIL is what the dataset may still write: its quota, reservations of others and what ZFS keeps for itself are taken \
         off.{free}"
    );
    let list = format!("zfs list -o space,quota,refquota,reservation -r {}", format::shell(pool));
    finding.remedy = Some(changes::by_hand(
        "see whether a quota, reservations or the data take the space; make room, old snapshots first, or add disks",
        &[list],
    ));
    finding.cost = "Data or disks.".to_owned();
    Some(finding)
}

/// Says what of the space that volumes use is reserved and not written.
fn volumes(datasets: &[Dataset]) -> Option<Finding> {
    /// Less is no matter.
    const LEAST: u64 = 10 << 30;
    let most = |dataset: &Dataset| {
        let (reserved, used) = (size(dataset, "usedbyrefreservation")?, size(dataset, "used")?);
        (reserved >= LEAST && reserved >= used / 2).then_some((reserved, used))
    };
    let found: Vec<(&Dataset, u64, u64)> = datasets
        .iter()
        .filter_map(|dataset| most(dataset).map(|(reserved, used)| (dataset, reserved, used)))
        .collect();
    let (first, reserved, used) = *found.first()?;
    let others = match found.len() {
        1 => String::new(),
        count => format!(", and of {} more likewise", count - 1),
    };
    let title = format!(
        "{} of the {} that {} uses are reserved and not written (refreservation){others}",
        Bytes(reserved),
        Bytes(used),
        first.name
    );
    let mut finding = new("volume-reserved", &first.name, title);
    finding.severity = Severity::Note;
    let named = found.iter().take(NAMED_MAX);
    finding.evidence = named
        .map(|(dataset, reserved, _)| now(&dataset.name, "usedbyrefreservation", *reserved))
        .collect();
    finding.cause = "A volume that is not sparse reserves what it may still need, beside what it and its snapshots hold: \
                     other datasets cannot have it, and it is no data."
        .to_owned();
    finding.cost = "None.".to_owned();
    Some(finding)
}

/// A volume that uses much more than what it refers to, where nothing that was read says by what.
fn beyond_data(volume: &Dataset) -> Option<Finding> {
    /// Less is no matter.
    const LEAST: u64 = 10 << 30;
    let of = |name| size(volume, name);
    let is_volume = of("volsize").is_some() || property(volume, "type") == Some("volume");
    let parts = ["usedbysnapshots", "usedbyrefreservation"];
    if !is_volume || parts.iter().any(|part| of(part).is_some()) {
        return None;
    }
    let (used, held) = (of("used")?, of("referenced")?);
    let beyond = used.checked_sub(held).filter(|more| *more >= LEAST && *more >= used / 4)?;
    let name = &volume.name;
    let title = format!(
        "{} of the {} that {name} uses are not in it now: snapshots hold them, or they are reserved",
        Bytes(beyond),
        Bytes(used)
    );
    let mut finding = new("volume-uses-more", name, title);
    finding.severity = Severity::Note;
    finding.evidence = vec![now(name, "used", used), now(name, "referenced", held)];
    finding.evidence.extend(of("volsize").map(|all| now(name, "volsize", all)));
    finding.cause = "USED of a volume is what it refers to, what only its snapshots hold, and what is reserved for it and \
                     not written. With a reservation a snapshot needs room for all that the volume refers to once more, so \
                     that USED can be more than its size; what the file system in it has deleted, it refers to until that is trimmed."
        .to_owned();
    let shown = format::shell(name);
    finding.remedy = Some(changes::by_hand(
        "see which of the three it is; destroy snapshots that nobody needs, or trim the file system in it",
        &[format!("zfs list -o space -t filesystem,volume,snapshot -r {shown}")],
    ));
    finding.cost = "None.".to_owned();
    finding.sources = lines(["zfsprops(7) used, usedbysnapshots, usedbyrefreservation"]);
    Some(finding)
}

fn new(id: &'static str, subject: &str, title: String) -> Finding {
    let mut finding = Finding::new(id, Severity::WorthALook, Area::Layout, title);
    finding.subject = Some(subject.to_owned());
    finding.gain = Gain::NotEstimated("writes that do not fail".to_owned());
    finding.risk = "None to what is stored, as long as nothing is destroyed.".to_owned();
    finding.confidence = Confidence::read("zfs list");
    finding.sources = lines(["zfsprops(7) available, quota, refreservation"]);
    finding
}

fn now(subject: &str, what: &str, bytes: u64) -> Evidence {
    let name = format!("{subject}: {what}");
    Evidence { exact: Some(bytes), ..Evidence::now(name, Bytes(bytes).to_string()) }
}

/// A pool of whose usable space less than a tenth is left.
fn usable(name: &str, (used, free): (u64, u64), below: &[&Dataset]) -> Option<Finding> {
    let all = used.checked_add(free)?;
    if all == 0 || free >= all / 10 {
        return None;
    }
    let title = format!("{name} has {} of {} of usable space left", Bytes(free), Bytes(all));
    let mut finding = new("usable-space-low", name, title);
    finding.evidence = vec![now(name, "used", used), now(name, "available", free)];
    finding.cause =
        "What datasets hold, their snapshots and their reservations take the rest. In a \
                     full pool writes become slow, and then fail."
            .to_owned();
    finding.cause.push_str(&takers::said(used, below));
    let list = format!("zfs list -o space -r {}", format::shell(name));
    // Ubuntu's pool of the boot loader, which reads no pool of several vdevs.
    let what = match name {
        "bpool" => "see what takes the space: data, snapshots or reservations; make room",
        _ => "see what takes the space: data, snapshots or reservations; make room, or add disks",
    };
    finding.remedy = Some(changes::by_hand(what, &[list]));
    finding.cost = "Data or disks.".to_owned();
    Some(finding)
}

/// A file system that may use less than the pool has, and has used nearly all of it.
fn at_quota(dataset: &Dataset, free: u64) -> Option<Finding> {
    let is_volume =
        ["volsize", "volblocksize"].iter().any(|name| property(dataset, name).is_some());
    let mounted = property(dataset, "mountpoint").is_some();
    let (held, rest) = (size(dataset, "referenced")?, size(dataset, "available")?);
    let is_full = rest < free / 2 && rest < held / QUOTA_REST;
    if is_volume || !mounted || !is_full {
        return None;
    }
    let name = &dataset.name;
    let title = format!("{name} is nearly at its quota: {} left", Bytes(rest));
    let mut finding = new("dataset-full", name, title);
    finding.evidence = vec![
        now(name, "referenced", held),
        now(name, "available", rest),
        now("its pool", "available", free),
    ];
    finding.cause =
        "It may use less than its pool has free, by a quota of its own or of what it is \
                     in; at the limit its writes fail."
            .to_owned();
    let shown = format::shell(name);
    finding.remedy = Some(changes::by_hand(
        "make room in it, its snapshots included, or raise its quota",
        &[format!("zfs get -r quota,refquota,usedbysnapshots {shown}")],
    ));
    finding.cost = "None, or data.".to_owned();
    Some(finding)
}

/// Returns whether a volume takes all of its size and refers to much less. Where its size was not read, more
/// space is available to it than to the whole pool: only a reservation gives it that.
fn is_reserved(root: &Dataset, volume: &Dataset) -> bool {
    let of = |name| size(volume, name);
    let reserved = of("usedbyrefreservation");
    let held = reserved.and_then(|reserved| of("used")?.checked_sub(reserved));
    let (Some(used), Some(held)) = (of("used"), held.or_else(|| of("referenced"))) else {
        return false;
    };
    let has_more = || {
        let (own, all) = (of("available")?, size(root, "available")?);
        Some(own > all.saturating_add(used / 2))
    };
    if reserved.is_some() {
        return held < used / 2;
    }
    let is_taken = of("volsize").map_or_else(|| has_more() == Some(true), |all| used >= all);
    is_taken && held < used / 2
}

/// A pool that is used up by what is reserved and not by what is written.
fn reserved(pool: &Pool, root: &Dataset, volume: &Dataset) -> Option<Finding> {
    let used = size(root, "used")?;
    let (written, all) = (pool.number("allocated")?, pool.number("size")?);
    let ratio = pool.properties.get("dedupratio")?.trim_end_matches('x').parse::<f64>().ok()?;
    // USED is without parity, SIZE of a raidz with it.
    let usable =
        size(root, "available").map_or_else(|| all, |free| all.min(used.saturating_add(free)));
    let is_taken = used / 4 > written / 3 && used / 10 > usable / 12;
    if ratio > 1.05 || !is_taken {
        return None;
    }
    let name = &pool.name;
    // What is allocated has the parity of a raidz in it: more is reserved, not less.
    let told = size(volume, "usedbyrefreservation");
    let reserved = match told {
        Some(told) => told,
        None => used.saturating_sub(written),
    };
    let title = format!(
        "{name} is used up by reservations: at least {} of its {} in use are reserved and not written",
        Bytes(reserved),
        Bytes(used)
    );
    let mut finding = new("space-reserved", name, title);
    finding.evidence = vec![
        now(name, "used", used),
        now(name, "allocated", written),
        now(name, "size", all),
        now(&volume.name, "used", size(volume, "used")?),
    ];
    let held = size(volume, "referenced").map(|held| now(&volume.name, "referenced", held));
    finding.evidence.extend(held);
    finding.cause = "A volume that is not sparse reserves its whole size (refreservation); a snapshot \
                     of it needs what it refers to once more. So there may be no space for a snapshot \
                     or another volume while blocks are free."
        .to_owned();
    let shown = format::shell(&volume.name);
    finding.remedy = Some(changes::by_hand(
        "see what is reserved; give reservations of volumes up that may share the space, and watch the \
         pool then, or add disks",
        &[
            format!("zfs list -o space -r {}", format::shell(name)),
            format!("zfs set refreservation=none {shown}   # it is sparse then"),
        ],
    ));
    finding.cost = "Writes to a sparse volume fail when the pool is full.".to_owned();
    Some(finding)
}
