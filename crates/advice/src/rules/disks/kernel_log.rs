//! What the kernel's log tells of devices, which ZFS need not have met: the driver repeats what failed,
//! so that the pool's own counts may stay at 0 for long.
//!
//! Disks seldom fail at once. Where requests to several of them fail in one log, and none says that it
//! cannot read a sector, what they share is the likely cause: the controller, its driver, cables, an
//! enclosure, power. A disk may have two names there, the kernel's and that of the pool's device, so those
//! of one kind are counted; its partitions are the disk.

use std::collections::{BTreeMap, BTreeSet};

use arcwright_machine::{Layout, Trouble, TroubleKind, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::disks::links;
use crate::rules::disks::troubles::{cause, reached_zfs, says};
use crate::rules::pool_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "what the kernel log reports of disks", judge };

/// More devices than this are one story: what they share.
const DEVICES_MAX: usize = 8;
/// So many disks fail together before what they share is suspected.
const TOGETHER: usize = 2;
/// So many, and it is hardly anything else.
const TOGETHER_SURELY: usize = 3;

fn judge(view: &View<'_>) -> Judged {
    let mut by_device: BTreeMap<&str, Vec<&Trouble>> = BTreeMap::new();
    let mut volumes: Vec<&Trouble> = Vec::new();
    for trouble in &view.machine.troubles {
        match is_volume(&trouble.device) {
            true => volumes.push(trouble),
            false => by_device.entry(whole(&trouble.device)).or_default().push(trouble),
        }
    }
    links::join(&mut by_device);
    // The kinds are ordered by how much they say.
    let worst = |all: &[&Trouble]| all.iter().map(|trouble| trouble.kind).min();
    let mut findings: Vec<Finding> = Some(&volumes)
        .filter(|all| !all.is_empty())
        .map(|all| of_volumes(all))
        .into_iter()
        .collect();
    for together in [Together::Requests, Together::Contents] {
        let of = |all: &[&Trouble]| worst(all).and_then(Together::of) == Some(together);
        let shared: BTreeMap<&str, Vec<&Trouble>> = by_device
            .iter()
            .filter(|(_, all)| of(all))
            .map(|(device, all)| (*device, all.clone()))
            .collect();
        let disks = disks(&shared);
        if disks >= TOGETHER {
            findings.push(of_many(&shared, disks, together));
            by_device.retain(|device, _| !shared.contains_key(device));
        }
    }
    let suspended = view
        .machine
        .pools
        .iter()
        .any(|pool| pool_state::state(view, pool) == Some(pool_state::SUSPENDED));
    let single = by_device.iter().take(DEVICES_MAX).filter_map(|(device, all)| {
        let worst = worst(all)?;
        // A suspended pool says itself what to do about a device that went away.
        let is_told = suspended && matches!(worst, TroubleKind::Failed);
        (!is_told).then(|| finding(view, device, worst, all))
    });
    findings.extend(single);
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

/// Returns whether a name is of a volume of ZFS on Linux: `zd16`, `zd16p1`.
fn is_volume(device: &str) -> bool {
    let number = device.strip_prefix("zd").and_then(|rest| rest.split('p').next());
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// What happens to several disks at once by a cause outside of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Together {
    /// Their requests fail.
    Requests,
    /// What they return is wrong, or ZFS takes them for failing.
    Contents,
}

impl Together {
    const fn of(kind: TroubleKind) -> Option<Self> {
        match kind {
            TroubleKind::Failed
            | TroubleKind::Slow
            | TroubleKind::Gone
            | TroubleKind::Recorded
            | TroubleKind::Late => Some(Self::Requests),
            TroubleKind::Marked | TroubleKind::WrongData => Some(Self::Contents),
            TroubleKind::Broken
            | TroubleKind::Unreadable
            | TroubleKind::Transfer
            | TroubleKind::Limited => None,
        }
    }
}

/// Returns who tells of it: the kernel's drivers, or ZFS itself.
const fn source(kind: TroubleKind) -> &'static str {
    match kind {
        TroubleKind::Recorded
        | TroubleKind::Marked
        | TroubleKind::WrongData
        | TroubleKind::Late => "Events of ZFS",
        // The kernel's drivers and ZFS's daemon tell of it alike.
        TroubleKind::Gone => "The log",
        _ => "The kernel log",
    }
}

/// Returns how many disks there are at least behind names of two kinds.
fn disks(by_device: &BTreeMap<&str, Vec<&Trouble>>) -> usize {
    let is_of_pool = |all: &[&Trouble]| all.iter().any(|trouble| trouble.pool.is_some());
    let names = |of_pool: bool| -> BTreeSet<&str> {
        let named = by_device
            .iter()
            .filter(|(device, all)| is_of_pool(all) == of_pool && (of_pool || is_disk(device)));
        named.map(|(device, _)| whole(device)).collect()
    };
    names(true).len().max(names(false).len())
}

/// Returns whether a name is a disk's, and not that of a port (`ata3`, `ahcich3`) or a bus (`usb 3-2`).
fn is_disk(device: &str) -> bool {
    let port = ["ata", "ahcich"].iter().find_map(|start| device.strip_prefix(start));
    port.is_none_or(|number| number.parse::<u32>().is_err()) && !device.contains(' ')
}

/// Returns the disk that a partition is of: `ata-X` of `ata-X-part4`, `sda` of `sda1`.
fn whole(device: &str) -> &str {
    if let Some((disk, _)) = device.rsplit_once("-part") {
        return disk;
    }
    let bare = device.trim_end_matches(|c: char| c.is_ascii_digit());
    match bare.strip_suffix('p').filter(|disk| disk.starts_with("nvme") && bare != device) {
        Some(disk) => disk,
        None if bare.starts_with("sd") => bare,
        None => device,
    }
}

fn of_many(by_device: &BTreeMap<&str, Vec<&Trouble>>, disks: usize, together: Together) -> Finding {
    let (severity, advice) = match disks >= TOGETHER_SURELY {
        true => (Severity::HurtsNow, "suspect what they share, not the disks"),
        false => (Severity::WorthALook, "look first at what they share"),
    };
    let kinds = || by_device.values().flatten().map(|trouble| trouble.kind);
    let source = match kinds().min() {
        Some(kind) => source(kind),
        None => "The kernel log",
    };
    let title = match together {
        Together::Requests if kinds().all(|kind| kind == TroubleKind::Gone) => {
            format!("{source}: {disks} disks left: {advice}")
        }
        Together::Requests if kinds().all(|kind| kind == TroubleKind::Late) => {
            format!("{source}: requests to {disks} disks do not come back: {advice}")
        }
        Together::Requests => format!("{source}: requests to {disks} disks failed: {advice}"),
        Together::Contents => {
            format!(
                "{source}: {disks} disks returned wrong data or were marked as failing: {advice}"
            )
        }
    };
    let mut finding = Finding::new("kernel-log-shared", severity, Area::Disks, title);
    let pools: BTreeSet<&str> = by_device
        .values()
        .flat_map(|all| all.iter().filter_map(|trouble| trouble.pool.as_deref()))
        .collect();
    finding.evidence =
        by_device.values().flat_map(|all| all.iter().map(|trouble| evidence(trouble))).collect();
    finding.cause = match together {
        Together::Requests => {
            "Disks seldom fail together. A controller or its driver, a cable, a backplane, \
             an enclosure or power that they share explains all of it, and no disk reports \
             a sector that it cannot read."
        }
        Together::Contents => {
            "Disks seldom begin together to return wrong data. Memory, a controller or its driver, cables, a \
             backplane or power that they share explains all of it."
        }
    }
    .to_owned();
    let mut commands = vec!["zpool status -v   # which devices, which errors".to_owned()];
    commands.extend(pools.iter().take(DEVICES_MAX).map(|pool| {
        format!("zpool clear {}   # when the cause is fixed; then scrub it", format::shell(pool))
    }));
    let mut remedy = changes::by_hand(
        "read the log just before the first of these lines (controller, USB, power); check the \
         controller, cables, enclosure and power; replace no disk before that",
        &commands,
    );
    remedy.verify = lines(["dmesg | tail   # nothing new after some hours of work"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("each failed request may wait for seconds".to_owned());
    finding.cost = "Perhaps a cable, a controller or a power supply.".to_owned();
    finding.risk = "Replacing disks one by one resilvers through the same fault.".to_owned();
    finding.confidence = Confidence::read("the given lines of the kernel log");
    finding.sources = lines(["dmesg(8)", "zpool-clear(8)"]);
    finding
}

/// Returns what is to be said of volumes, whose requests fail above the pool: no disk is one of them.
fn of_volumes(all: &[&Trouble]) -> Finding {
    let names: BTreeSet<&str> = all.iter().map(|trouble| trouble.device.as_str()).collect();
    let title = format!(
        "The kernel log: requests to {} {} of ZFS failed: look at the pool, not at disks",
        names.len(),
        format::plural(names.len(), "volume", "volumes")
    );
    let mut finding = Finding::new("kernel-log-volumes", Severity::WorthALook, Area::Disks, title);
    finding.evidence = all.iter().take(DEVICES_MAX).map(|trouble| evidence(trouble)).collect();
    finding.cause = "A device zd… is a volume of a pool. It fails requests when the pool has no \
                     space left, when it is suspended, or when a block cannot be read from any \
                     copy; what is on the volume (a guest, an iSCSI client) sees a broken disk."
        .to_owned();
    let mut remedy = changes::by_hand(
        "see whether the pool is full, suspended or damaged; free space there if it is full, then \
         check the file systems on the volumes",
        &lines([
            "zpool list -o name,capacity,free,health",
            "zpool status -v   # suspended? damaged files or volumes?",
            "zfs list -o space -t volume   # reservations, snapshots",
        ]),
    );
    remedy.verify = lines(["dmesg | tail   # nothing new after some hours of work"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("writes of guests that do not fail".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the given lines of the kernel log");
    finding.sources = lines(["openzfs issue 1645", "module/os/linux/zfs/zvol_os.c"]);
    finding
}

fn evidence(trouble: &Trouble) -> Evidence {
    let pool = trouble.pool.as_ref().map_or_else(String::new, |pool| format!(" (pool {pool})"));
    let vdev = trouble.vdev.as_ref().map_or_else(String::new, |vdev| format!(" as {vdev}"));
    Evidence {
        exact: Some(trouble.lines),
        ..Evidence::now(
            format!("{}{vdev}: {}{pool}", trouble.device, says(trouble.kind)),
            format!("{} lines", format::count(trouble.lines)),
        )
    }
}

fn finding(view: &View<'_>, device: &str, worst: TroubleKind, all: &[&Trouble]) -> Finding {
    let severity = match worst {
        TroubleKind::Limited => Severity::Note,
        _ => Severity::WorthALook,
    };
    let usb = links::usb(all);
    let title = match usb {
        Some(link) => {
            format!("The kernel log: requests to {device} failed as its link was reset ({link})")
        }
        None => format!("{}: {device} {}", source(worst), says(worst)),
    };
    let mut finding = Finding::new("kernel-log", severity, Area::Disks, title);
    finding.subject = Some(device.to_owned());
    finding.evidence = all.iter().map(|trouble| evidence(trouble)).collect();
    const RETRIED: &str =
        "The driver retries failed requests, so the pool’s own counts may stay at 0.";
    finding.cause = match worst {
        TroubleKind::Recorded
        | TroubleKind::Marked
        | TroubleKind::WrongData
        | TroubleKind::Late
        | TroubleKind::Limited => cause(worst).to_owned(),
        _ if usb.is_some() => links::CAUSE.to_owned(),
        _ if reached_zfs(view, all) => cause(worst).to_owned(),
        _ => format!("{} {RETRIED}", cause(worst)),
    };
    if is_being_put_in(view, device) {
        finding.severity = Severity::Note;
        finding.cause.push_str(
            " A device of this name is being put in another's place now: these lines may be of the one before.",
        );
    }
    let smart = pool_state::smart(view, device);
    // Ports and buses have names of their own: which disk is behind them the log says above.
    let is_disk = is_disk(device);
    let mut commands = Vec::new();
    commands.extend(Some(smart).filter(|_| is_disk && worst != TroubleKind::Gone));
    commands.push("zpool status -v   # does a pool show errors?".to_owned());
    let resilvers =
        view.machine.pools.iter().any(|pool| pool_state::scan(pool) == pool_state::Scan::Resilver);
    let what = if usb.is_some() { links::STEP } else { step(worst, resilvers) };
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = lines(["dmesg | tail   # nothing new after some hours of work"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("each failed request may wait for seconds".to_owned());
    finding.cost = match worst {
        _ if usb.is_some() => "Perhaps a cable or an enclosure.",
        TroubleKind::Unreadable | TroubleKind::Broken => "Perhaps a disk.",
        _ => "Perhaps a cable, perhaps a disk.",
    }
    .to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the given lines of the kernel log");
    finding.sources = lines(["dmesg(8)", "smartctl(8)"]);
    finding
}

/// Returns whether a pool fills a device of that name now in another's place.
fn is_being_put_in(view: &View<'_>, device: &str) -> bool {
    fn is_new(vdev: &Vdev, device: &str) -> bool {
        let replaces = vdev.layout == Layout::Replacing
            && vdev.children.last().is_some_and(|new| whole(&new.name) == device);
        replaces || vdev.children.iter().any(|child| is_new(child, device))
    }
    let mut vdevs = view.machine.pools.iter().flat_map(|pool| &pool.vdevs);
    vdevs.any(|vdev| is_new(vdev, device))
}

/// Returns what to do about a disk, where a pool may be resilvering.
const fn step(kind: TroubleKind, resilvers: bool) -> &'static str {
    match kind {
        TroubleKind::Broken => {
            "check the disk's SMART values and replace it while there is another copy of what is \
             on it"
        }
        TroubleKind::Unreadable if resilvers => {
            "let the resilver end, start no scrub before; check the disk's SMART values, have a spare ready, and \
             replace it then, with the old one attached as long as it reads"
        }
        TroubleKind::Unreadable => {
            "check the disk's SMART values and have a spare ready; replace it while there is another copy, with the old \
             one attached; until then a scrub, in a pool with redundancy and where nothing resilvers, writes such sectors anew"
        }
        TroubleKind::Gone => {
            "check cable and power until the device is back; only then clear the pool, and scrub \
             it"
        }
        TroubleKind::Limited => {
            "read the log above it for errors of this port; without any, nothing need be done"
        }
        TroubleKind::Marked | TroubleKind::WrongData => {
            "see whether the pool is whole now and has errors; check cable, port, memory and the disk's SMART \
             values before the disk is replaced"
        }
        TroubleKind::Failed | TroubleKind::Slow | TroubleKind::Recorded | TroubleKind::Late => {
            "check its cable, port and power, and its SMART values: bad sectors are the disk's own, and a new disk does not help with anything else"
        }
        TroubleKind::Transfer => "replace the cable or use another port before the disk",
    }
}
