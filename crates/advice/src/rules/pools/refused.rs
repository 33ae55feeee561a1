//! Commands that ZFS refused, and what stands in their way.
//!
//! The words are those of lib/libzfs/libzfs_util.c and libzfs_pool.c. A device is given up only when the others of its
//! group have all that it holds (`vdev_dtl_required`, module/zfs/vdev.c); while blocks are missing there, `detach`,
//! `offline` and `remove` end with “no valid replicas”, whatever state the device itself is in.

use std::collections::BTreeSet;

use arcwright_machine::{Pool, Refusal};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Remedy, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state::{Scan, scan, told};
use crate::rules::pools::{reasons, slop};
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

const KNOWN: [Known; 17] = [
    Known {
        starts: &["loading failed: "],
        short: "the module could not load it",
        cause: LOADING,
        what: LOADING,
        commands: &[
            "zpool import   # does it list every device?",
            "zpool import -o readonly=on -N POOL   # writes nothing to the disks",
        ],
        risk: "zpool import -F, -X and -T write to the disks, and discard transactions for good.",
    },
    Known {
        starts: &["unsupported version or feature"],
        short: "this ZFS lacks a feature of the pool",
        cause: FEATURES,
        what: "use a ZFS that knows the features",
        commands: &["zpool version   # here, and where the pool was used last"],
        risk: "None to what is stored. A feature in use is not switched off again: the way back is a new pool and a copy.",
    },
    Known {
        starts: &["pool I/O is currently suspended"],
        short: "the pool was suspended then, and waited for its devices",
        cause: "More devices stopped answering than the pool can do without. Its requests wait until they are back and the \
                pool is cleared.",
        what: "see why the devices went away, and bring them back before the pool is cleared",
        commands: &[
            "dmesg | tail -n 50   # which devices disappeared, and why",
            "zpool status -v   # is it suspended now?",
        ],
        risk: "zpool clear before the devices are back only suspends it again.",
    },
    Known {
        starts: &["most recent snapshot of "],
        short: "the destination does not end with the snapshot that the stream starts from",
        cause: "An incremental stream begins at a snapshot that both sides have, and which must be the last one of the \
                destination. There a newer one was made, or that one never arrived.",
        what: "find the newest snapshot that both sides have by its number (guid), and send from that one; what is newer on \
               the destination must go first, which zfs receive -F does",
        commands: &[
            "zfs list -H -d 1 -t snapshot -o name,guid -s creation DATASET   # on both sides",
        ],
        risk: "zfs receive -F and zfs rollback -r destroy what is newer on the destination.",
    },
    Known {
        starts: &["no snapshots matching with "],
        short: "the two sides have no snapshot in common",
        cause: "The destination exists, and none of its snapshots is one of the source: it was made by hand, or the last \
                common one was destroyed on one side. Nothing incremental can be sent there.",
        what: "compare the snapshots of both sides by their number (guid); where none is common, rename the destination, \
               send all of it anew, and destroy the renamed one when the copy is complete",
        commands: &[
            "zfs list -H -d 1 -t snapshot -o name,guid -s creation DATASET   # on both sides",
            "zfs rename DATASET DATASET-old   # the destination",
        ],
        risk: "To force it (syncoid --force-delete) destroys the destination and its snapshots before the new copy is there.",
    },
    Known {
        starts: &["failed to read from stream"],
        short: "the stream ended early",
        cause: "The receiver says only that no more came: the sender failed, or what is between them (ssh, mbuffer, the \
                network) did. The reason stands in the sender's own message.",
        what: "read what zfs send said on the other side, and begin again; a receive with -s goes on where it ended",
        commands: &["zfs get -H -o value receive_resume_token DATASET   # the destination"],
        risk: "None to what was received before.",
    },
    Known {
        starts: &["out of space"],
        short: "no space is left there",
        cause: "The pool is full, or a quota or somebody else's reservation leaves the dataset nothing.",
        what: "see what takes the space, and make room: old snapshots first",
        commands: &["zfs list -o space -r POOL", "zfs get quota,refquota,reservation -r POOL"],
        risk: "A destroyed snapshot cannot be recovered.",
    },
    Known {
        starts: &["directory is not empty"],
        short: "the folder that it is to be mounted on holds files",
        cause: "Something was written into the folder while the dataset was not mounted: those files are on the file system \
                above, and would be hidden.",
        what: "look at what is there, move it away, and mount; who writes there must start after the mount",
        commands: &["ls -la MOUNTPOINT   # written while nothing was mounted", "zfs mount -a"],
        risk: "Mounted over (-O), the files in the folder are hidden and still take space.",
    },
    Known {
        starts: &["destination "],
        short: "the destination is not as the stream needs it",
        cause: "It was changed since its last snapshot, has snapshots of its own, or exists already. A mounted \
                destination is changed by reading alone, where atime is on.",
        what: "see what was changed there; set it readonly=on for the future; then receive with -F, which rolls it back",
        commands: &["zfs list -t snapshot -o name,guid,used -r DATASET   # on both sides"],
        risk: "zfs receive -F destroys what was changed there, and snapshots that the source does not have.",
    },
    Known {
        starts: &["dataset is busy", "pool is busy", "pool or dataset is busy"],
        short: "something uses it",
        cause: "A program has a file or folder of it open, a volume of it is in use, a clone, a hold or another command \
                depends on it.",
        what: "end what uses it, then try again",
        commands: &[
            "fuser -vm MOUNTPOINT   # programs, by lsof too",
            "zfs holds -r SNAPSHOT   # holds",
        ],
        risk: "Forced (-f), programs lose their open files.",
    },
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

/// Stands for what the module's log says of the failure.
const LOADING: &str = "loading";
/// Stands for what is known of the features.
const FEATURES: &str = "features";

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
    // `zpool remove cache DEVICE` lacks the pool's name: what was meant is refused by itself too.
    const CLASSES: [&str; 5] = ["cache", "log", "spare", "special", "dedup"];
    let is_class = refusal.verb == "open"
        && refusal.reason.starts_with("no such pool")
        && CLASSES.contains(&refusal.subject.as_str());
    if is_class && view.machine.refusals.len() > 1 {
        return true;
    }
    if refusal.reason.starts_with("No space left") && slop::explains_refusals(view) {
        return true;
    }
    // A state that was read since tells more than that it was suspended.
    let is_past = refusal.verb == "open" && refusal.reason.starts_with("pool I/O");
    (refusal.verb == "import" || is_past) && is_listed()
}

fn is_of(known: &Known, refusal: &Refusal) -> bool {
    let is_import = matches!(refusal.verb.as_str(), "import" | "open");
    let is_named = |start: &&&str| refusal.reason.starts_with(**start);
    let Some(start) = known.starts.iter().find(is_named) else { return false };
    // One refusal has one meaning.
    *start != IS_OTHERWISE_NAMED || is_import == (known.starts != [IS_OTHERWISE_NAMED])
}

fn known_finding(
    view: &View<'_>,
    known: &Known,
    (first, refusals): (&Refusal, &[&Refusal]),
) -> Finding {
    // Where the pools were read, it is known whether one resilvers.
    let pools = &view.machine.pools;
    let is_idle = !pools.is_empty() && pools.iter().all(|pool| scan(pool) != Scan::Resilver);
    if known.starts == [IS_OTHERWISE_NAMED] && is_named_so(view, first) {
        return named_so(view, (first, refusals));
    }
    let what = known.what.strip_prefix(RESILVER_FIRST).filter(|_| is_idle);
    let what = what.map_or_else(|| known.what.to_owned(), |rest| rest.to_owned());
    let what = match known.what {
        LOADING => reasons::step_of_loading(first).to_owned(),
        _ => what,
    };
    // A pool that cannot be loaded serves nobody.
    let severity = match known.what {
        LOADING => Severity::HurtsNow,
        _ => Severity::WorthALook,
    };
    let mut finding = new((first, refusals), severity, known.short);
    finding.cause = match known.cause {
        LOADING => reasons::of_loading(first),
        FEATURES => reasons::of_features(first),
        cause => cause.to_owned(),
    };
    if known.cause == FEATURES {
        finding.title.push_str(&reasons::needs(first));
    }
    let named = match first.verb.as_str() {
        "import" => format::shell(&first.subject),
        _ => "POOL".to_owned(),
    };
    let mut commands: Vec<String> =
        known.commands.iter().map(|line| line.replace(" POOL", &format!(" {named}"))).collect();
    if known.cause == FEATURES && reasons::is_readable(first) {
        let import = format!("zpool import -o readonly=on {named}   # its data can be read here");
        commands.insert(0, import);
    }
    finding.remedy =
        Some(Remedy { verify: lines(["zpool status -v"]), ..changes::by_hand(what, &commands) });
    finding.risk = known.risk.to_owned();
    finding
}

/// Returns whether a pool was read that shows a device by exactly the name that was typed.
fn is_named_so(view: &View<'_>, refusal: &Refusal) -> bool {
    let shows = |pool: &Pool| told(pool).iter().any(|(_, leaf)| leaf.name == refusal.subject);
    view.machine.pools.iter().any(shows)
}

/// Returns what is said of a device that is shown by the name that was typed, and not found by it.
fn named_so(view: &View<'_>, (first, refusals): (&Refusal, &[&Refusal])) -> Finding {
    let why = "it shows the device by that name, and does not find it by it";
    let mut finding = new((first, refusals), Severity::WorthALook, why);
    finding.cause = "The name was typed as zpool status shows it. Of a device that it cannot open, this version finds only the \
                     number that ZFS gave it (guid)."
        .to_owned();
    let shows = |pool: &&Pool| told(pool).iter().any(|(_, leaf)| leaf.name == first.subject);
    let pool = view.machine.pools.iter().find(shows).map(|pool| format::shell(&pool.name));
    let name = pool.unwrap_or_else(|| "POOL".to_owned());
    let commands = [
        format!("zpool status -g {name}   # numbers in place of names; or: zdb -C {name}, guid"),
        format!("zpool {} {name} NUMBER", first.verb),
    ];
    let what = "give the device's number in place of its name";
    finding.remedy =
        Some(Remedy { verify: lines(["zpool status -v"]), ..changes::by_hand(what, &commands) });
    finding.gain = Gain::NotEstimated("a list without the device".to_owned());
    finding.risk = "None.".to_owned();
    finding
}

fn other_finding(first: &Refusal, refusals: &[&Refusal]) -> Finding {
    let mut finding = new((first, refusals), Severity::Note, &first.reason);
    finding.cause =
        "These words are all that the text tells of the reason; which part of the command was done before is not told."
            .to_owned();
    finding.risk = "None.".to_owned();
    finding
}

fn new((first, refusals): (&Refusal, &[&Refusal]), severity: Severity, why: &str) -> Finding {
    let Refusal { verb, subject, .. } = first;
    // One of them may have been tried several times.
    let subjects: BTreeSet<&str> =
        refusals.iter().map(|refusal| refusal.subject.as_str()).collect();
    let more = match subjects.len().saturating_sub(1) {
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
