//! Commands that ZFS refused, and what stands in their way.
//!
//! The words are those of lib/libzfs/libzfs_util.c and libzfs_pool.c. A device is given up only when the others of its
//! group have all that it holds (`vdev_dtl_required`, module/zfs/vdev.c); while blocks are missing there, `detach`,
//! `offline` and `remove` end with “no valid replicas”, whatever state the device itself is in.

use arcwright_machine::Refusal;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Remedy, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state::{Scan, scan};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether ZFS refused a command", judge };

/// Refusals that are shown.
const SHOWN_MAX: usize = 8;

/// What comes first where a resilver may run.
const RESILVER_FIRST: &str = "let a running resilver end; then ";

/// What a reason means.
struct Known {
    /// How the reason may begin.
    starts: &'static [&'static str],
    /// What is in the way, behind “ZFS refuses to detach sdc: ”.
    short: &'static str,
    cause: &'static str,
    what: &'static str,
    commands: &'static [&'static str],
    risk: &'static str,
}

/// Of an import it means that a device is missing; of other commands that the pool has it under another name.
const IS_OTHERWISE_NAMED: &str = "no such device in pool";

const KNOWN: [Known; 7] = [
    Known {
        starts: &[IS_OTHERWISE_NAMED],
        short: "the pool has no device of that name",
        cause: "The pool is well known to the command, the device is not: it stands in the pool under another name or \
                path than the one that was typed. The number that ZFS gave it always works.",
        what: "give the name as zpool status shows it, or the device's number",
        commands: &["zpool status -g   # numbers of the devices in place of names"],
        risk: "None.",
    },
    Known {
        starts: &["no valid replicas", "pool has no such device, and no valid replicas"],
        short: "the other devices lack blocks that it may hold",
        cause: "ZFS gives a device up only when the others of its group have all of its contents. Blocks are \
                missing there: a resilver has not ended, or it ended with errors, mostly in files that are \
                damaged for good. The device itself may be dead long since.",
        what: "let a running resilver end; then see which files are damaged, restore or delete them and their \
               snapshots, scrub, and detach the device after a scrub without errors",
        commands: &["zpool status -v   # does it resilver? are files named?"],
        risk: "Pulling the device without ZFS's consent loses the blocks that it alone has.",
    },
    Known {
        starts: &["Mount encrypted datasets"],
        short: "the log still holds writes of an encrypted dataset",
        cause: "The intent log has records that were not replayed, since the dataset's key was not loaded.",
        what: "load the keys, mount the datasets, so that the log is replayed, and try again",
        commands: &["zfs load-key -a", "zfs mount -a"],
        risk: "Without the replay the last acknowledged writes to that dataset are lost.",
    },
    Known {
        starts: &["one or more devices is currently unavailable", "I/O error", IS_OTHERWISE_NAMED],
        short: "its devices, or its metadata, cannot be read as they are",
        cause: "Devices are missing or stand under other names, or what they hold of the pool's metadata is damaged. \
                That the pool is to be destroyed, which zpool may add, is its last resort and not the next step.",
        what: "look for every device first; then import read-only and copy what matters; see by the dry run what \
               going back would cost, and force nothing before a copy exists",
        commands: &[
            "zpool import   # what is found, and what is missing",
            "zpool import -d /dev/disk/by-id   # the same disks by other names",
            "zpool import -o readonly=on POOL   # changes nothing on the disks",
            "zpool import -Fn POOL   # only reports whether rewinding some seconds would help",
        ],
        risk: "zpool import -F discards the last transactions for good; a new pool on these disks all of it.",
    },
    Known {
        starts: &["pool was previously in use", "pool may be in use", "pool is imported on"],
        short: "another system may have it",
        cause: "The pool was not exported by the system that had it last, which may still use it.",
        what: "see that no other system has it imported; then import it with -f",
        commands: &["zpool import -f POOL   # only when no other system has it"],
        risk: "Two systems that write to one pool destroy it.",
    },
    Known {
        starts: &["device is too small"],
        short: "the new device is smaller than the old one",
        cause: "A device is replaced by one that is at least as large, to the byte: models of one nominal size differ.",
        what: "compare the sizes in bytes, partitions included, and take a larger device",
        commands: &["lsblk -b -o NAME,SIZE,MODEL,SERIAL"],
        risk: "None.",
    },
    Known {
        starts: &[
            "already in replacing/spare config",
            "currently resilvering",
            "currently scrubbing",
        ],
        short: "the pool is at work on it already",
        cause: "A replacement, a resilver or a scrub is running, and a second one cannot begin beside it.",
        what: "let it end",
        commands: &["zpool status -v   # how far it is"],
        risk: "None.",
    },
];

fn judge(view: &View<'_>) -> Judged {
    let refusals: Vec<&Refusal> =
        view.machine.refusals.iter().filter(|refusal| !is_explained(view, refusal)).collect();
    let mut findings = Vec::new();
    for known in &KNOWN {
        let of: Vec<&Refusal> =
            refusals.iter().filter(|refusal| is_of(known, refusal)).copied().collect();
        findings.extend(of.first().map(|first| known_finding(view, known, (first, &of))));
    }
    let other = |refusal: &&&Refusal| !KNOWN.iter().any(|known| is_of(known, refusal));
    let others: Vec<&Refusal> = refusals.iter().filter(other).copied().collect();
    findings.extend(others.first().map(|first| other_finding(first, &others)));
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

/// Returns whether another rule says what is to be done: the pool that was not imported was listed.
fn is_explained(view: &View<'_>, refusal: &Refusal) -> bool {
    let is_listed = || {
        view.machine.pools.iter().any(|pool| {
            pool.name == refusal.subject && (pool.offer.is_some() || pool.state.is_some())
        })
    };
    refusal.verb == "import" && is_listed()
}

fn is_of(known: &Known, refusal: &Refusal) -> bool {
    let is_import = matches!(refusal.verb.as_str(), "import" | "open");
    let is_only_name = known.starts == [IS_OTHERWISE_NAMED];
    !(is_import && is_only_name)
        && known.starts.iter().any(|start| refusal.reason.starts_with(start))
}

fn known_finding(
    view: &View<'_>,
    known: &Known,
    (first, refusals): (&Refusal, &[&Refusal]),
) -> Finding {
    // Where the pools were read, it is known whether one resilvers.
    let pools = &view.machine.pools;
    let is_idle = !pools.is_empty() && pools.iter().all(|pool| scan(pool) != Scan::Resilver);
    let what = known.what.strip_prefix(RESILVER_FIRST).filter(|_| is_idle);
    let what = what.map_or_else(|| known.what.to_owned(), |rest| rest.to_owned());
    let mut finding = new((first, refusals), Severity::WorthALook, known.short);
    finding.cause = known.cause.to_owned();
    finding.remedy = Some(Remedy {
        verify: lines(["zpool status -v"]),
        ..changes::by_hand(
            what,
            &known.commands.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>(),
        )
    });
    finding.risk = known.risk.to_owned();
    finding
}

fn other_finding(first: &Refusal, refusals: &[&Refusal]) -> Finding {
    let mut finding = new((first, refusals), Severity::Note, &first.reason);
    finding.cause = "The command changed nothing; the words are its own.".to_owned();
    finding.risk = "None.".to_owned();
    finding
}

fn new((first, refusals): (&Refusal, &[&Refusal]), severity: Severity, why: &str) -> Finding {
    let Refusal { verb, subject, .. } = first;
    let more = refusals.len().saturating_sub(1);
    let more = match more {
        0 => String::new(),
        count => format!(" and {} more", format::count(count as u64)),
    };
    let why = why.trim_end_matches('.');
    let title = format!("ZFS refused to {verb} {subject}{more}: {why}");
    let mut finding = Finding::new("command-refused", severity, Area::Safety, title);
    let row = |refusal: &&Refusal| {
        Evidence::now(format!("{} {}", refusal.verb, refusal.subject), refusal.reason.clone())
    };
    finding.evidence = refusals.iter().take(SHOWN_MAX).map(row).collect();
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "None but the time.".to_owned();
    finding.confidence = Confidence::read("what the command printed");
    finding.sources = lines([
        "lib/libzfs/libzfs_util.c, zpool_standard_error",
        "module/zfs/vdev.c, vdev_dtl_required",
    ]);
    finding
}
