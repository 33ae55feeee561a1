//! Drives that say of themselves that they fail, before ZFS has met it.

use arcwright_machine::{Drive, DriveKind, FailingAttribute, Machine, Pool, SmartClosed, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::disks::{complaints, members};
use crate::rules::last_copies::{self, LastCopy};
use crate::rules::pool_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether drives report failures (SMART)", judge };

fn judge(view: &View<'_>) -> Judged {
    let asked = |drive: &&Drive| {
        drive.smart_passed.is_some()
            || drive.is_silent
            || drive.is_marginal
            || [
                drive.reallocated,
                drive.pending,
                drive.uncorrectable,
                drive.reported,
                drive.logged_unreadable,
                drive.failed_requests,
                drive.link_errors,
            ]
            .iter()
            .any(Option::is_some)
    };
    let drives: Vec<&Drive> = view.machine.drives.iter().filter(asked).collect();
    let closed = closed(view.machine);
    if drives.is_empty() {
        let unread = || NotJudged::NotRead("SMART was not read (smartctl needs root)".to_owned());
        return Err(closed.unwrap_or_else(unread));
    }
    let standing = standing(view.machine);
    let of_both =
        |drive: &Drive| [of_drive(view, &standing, drive), of_link(drive)].into_iter().flatten();
    let findings: Vec<Finding> =
        drives.iter().flat_map(|drive| apart(drive)).flat_map(|drive| of_both(&drive)).collect();
    if let (true, Some(drive)) = (findings.is_empty(), drives.iter().find(|drive| !is_told(drive)))
    {
        return Err(NotJudged::NotRead(format!(
            "SMART of {} was not read completely (smartctl -a)",
            drive.name
        )));
    }
    if let Some(closed) = closed {
        return Verdict::of_all(findings, Some(closed), Verdict::Silent);
    }
    let passed = |drive: &&Drive| drive.smart_passed.map(|_| drive.name.clone());
    let evidence: Vec<Evidence> = drives
        .iter()
        .filter_map(passed)
        .map(|name| Evidence::now(format!("{name}: SMART"), "passed"))
        .collect();
    Ok(Verdict::found_or(findings, Verdict::fine("No drive reports a failure", evidence)))
}

/// Returns why SMART of some drives was not read, by what smartctl says of it; none where it says nothing of the kind.
fn closed(machine: &Machine) -> Option<NotJudged> {
    let why = |drive: &Drive| {
        let name = &drive.name;
        Some(match drive.smart_closed? {
            SmartClosed::Disabled => {
                format!(
                    "{name} (it is switched off; smartctl -s on {} switches it on)",
                    path(drive)
                )
            }
            SmartClosed::Unavailable => {
                format!("{name} (the drive or its adapter does not offer it)")
            }
        })
    };
    let is_unread = |drive: &&Drive| drive.smart_passed.is_none();
    let whys: Vec<String> = machine.drives.iter().filter(is_unread).filter_map(why).collect();
    let words = || format!("SMART was not read of {}", format::list(&whys));
    (!whys.is_empty()).then(|| NotJudged::NotRead(words()))
}

/// Returns the drives that texts without a name tell of: one that answers nothing has not also judged itself.
fn apart(drive: &Drive) -> Vec<Drive> {
    if !drive.is_silent || drive.smart_passed.is_none() {
        return vec![drive.clone()];
    }
    let silent =
        Drive { name: drive.name.clone(), kind: drive.kind, is_silent: true, ..Drive::default() };
    vec![silent, Drive { is_silent: false, ..drive.clone() }]
}

/// Says whether all was read by which a drive shows that it fails.
///
/// SSDs seldom count sectors as disks do; their own verdict and what they replaced must do.
fn is_told(drive: &Drive) -> bool {
    let counts: &[Option<u64>] = match drive.kind {
        Some(DriveKind::Nvme) => &[drive.uncorrectable],
        Some(DriveKind::Ssd) => &[drive.reallocated],
        _ => &[drive.reallocated, drive.pending, drive.uncorrectable],
    };
    drive.smart_passed.is_some() && counts.iter().all(Option::is_some)
}

/// A device of a pool that stands on a drive, by its name.
type OnDrive<'a> = (&'a str, &'a Pool, &'a Vdev);

/// Returns the devices of all pools whose drive is known.
fn standing(machine: &Machine) -> Vec<OnDrive<'_>> {
    let of = |pool| {
        let leaves = pool_state::leaves(pool).into_iter().map(|(_, leaf)| leaf);
        leaves
            .filter_map(move |leaf| Some((machine.drive_of(&leaf.name)?.name.as_str(), pool, leaf)))
    };
    machine.pools.iter().flat_map(of).collect()
}

fn of_drive(view: &View<'_>, standing: &[OnDrive<'_>], drive: &Drive) -> Option<Finding> {
    let (severity, title) = complaints::worst(drive)?;
    let is_outside = members::is_of_no_pool(view.machine, drive);
    let title = match is_outside {
        true => format!("{title}; it is no member of a pool that was read"),
        false => title,
    };
    let mut finding = Finding::new("drive-failing", severity, Area::Disks, title);
    finding.subject = Some(drive.name.clone());
    let count = |name: &str, count: Option<u64>| {
        count.map(|count| Evidence {
            exact: Some(count),
            ..Evidence::now(format!("{}: {name}", drive.name), format::count(count))
        })
    };
    let passed = drive.smart_passed.map(|passed| if passed { "passed" } else { "FAILED" });
    finding
        .evidence
        .extend(passed.map(|passed| Evidence::now(format!("{}: SMART", drive.name), passed)));
    let attribute = |attribute: &FailingAttribute| {
        let FailingAttribute { name, raw, .. } = attribute;
        let words = format!("{}, counts {}", complaints::below(attribute), format::count(*raw));
        Evidence::now(format!("{}: {name}", drive.name), words)
    };
    finding.evidence.extend(drive.failing.iter().map(attribute));
    for (name, value) in [
        ("reallocated", drive.reallocated),
        ("reallocated, in an earlier output", drive.earlier.reallocated),
        ("pending", drive.pending),
        ("pending, in an earlier output", drive.earlier.pending),
        ("uncorrectable", drive.uncorrectable),
        ("uncorrectable, in an earlier output", drive.earlier.uncorrectable),
        ("reads given up", drive.reported),
        ("requests for unreadable sectors in its log", drive.logged_unreadable),
        ("failed requests", drive.failed_requests),
        ("link errors", drive.link_errors),
        ("link errors, in an earlier output", drive.earlier.link_errors),
        ("power-on hours", drive.power_on_hours),
    ] {
        finding.evidence.extend(count(name, value));
    }
    finding.cause = match is_outside {
        true => {
            "No pool that was read uses the drive, so that ZFS neither notices nor repairs what it \
             loses. More of it usually follows."
        }
        false => {
            "ZFS repairs unreadable sectors from another copy, as long as there is one; each read of \
             them waits while the disk retries. More such sectors usually follow."
        }
    }
    .to_owned();
    finding.remedy = Some(remedy(standing, drive));
    if let Some((name, last)) = last_copy(view, standing, drive) {
        let what = format!(
            "see what is said of {name}: replace this drive last, after {} has been replaced and resilvered",
            last.gone.name
        );
        finding.remedy = Some(changes::by_hand(what, &[]));
    }
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "Perhaps a disk, and a resilver.".to_owned();
    finding.risk = "A resilver reads all disks; have a backup before it.".to_owned();
    finding.confidence = Confidence::read("SMART");
    finding.sources = lines(["smartctl(8)", "ATA attributes 5, 187, 197, 198; NVMe media errors"]);
    Some(finding)
}

/// Returns of which pool a drive has the last copy of something.
fn last_copy<'a>(
    view: &View<'_>,
    standing: &[OnDrive<'a>],
    drive: &Drive,
) -> Option<(&'a str, LastCopy<'a>)> {
    let on = standing.iter().filter(|(name, ..)| *name == drive.name);
    on.filter_map(|(_, pool, leaf)| Some((pool, leaf, last_copies::of(view.machine, pool)?)))
        .find(|(_, leaf, last)| last.failing.name == leaf.name)
        .map(|(pool, _, last)| (pool.name.as_str(), last))
}

/// Returns what is to be said of errors between a drive and its controller.
fn of_link(drive: &Drive) -> Option<Finding> {
    /// A plug that is moved leaves a few behind.
    const MANY: u64 = 20;
    let count = drive.link_errors.filter(|count| *count >= MANY)?;
    let grew = drive.earlier.link_errors.is_some_and(|earlier| earlier < count);
    let earlier = complaints::since(drive.earlier.link_errors);
    let title = format!(
        "{} has counted {} errors on its cable or port since it was new{earlier}",
        drive.name,
        format::count(count)
    );
    let severity = if grew { Severity::WorthALook } else { Severity::Note };
    let mut finding = Finding::new("link-errors", severity, Area::Disks, title);
    finding.subject = Some(drive.name.clone());
    finding.evidence = vec![Evidence {
        exact: Some(count),
        ..Evidence::now(format!("{}: link errors", drive.name), format::count(count))
    }];
    let rest = match grew {
        true => "It has grown since an earlier output: cable, plug or port are bad.",
        false => "The count never decreases: only if it still grows are cable, plug or port bad.",
    };
    finding.cause = format!(
        "Data were corrupted between drive and controller, which was detected, and sent again. {rest}"
    );
    let device = path(drive);
    let mut remedy = changes::by_hand(
        match grew {
            true => "replace the cable or use another port, not another drive",
            false => {
                "check whether it grows from day to day; if so, replace the cable or use another \
                 port, not another drive"
            }
        },
        &[format!("smartctl -A {device} | grep -i crc")],
    );
    remedy.verify = vec![format!("smartctl -A {device} | grep -i crc   # the same a day later")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("each error costs a repeated request".to_owned());
    finding.cost = "Perhaps a cable.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("SMART");
    finding.sources = lines(["smartctl(8)", "ATA attribute 199 (UDMA CRC errors)"]);
    Some(finding)
}

/// Returns where a drive stands; a word for it where only its serial number was read.
fn path(drive: &Drive) -> String {
    match drive.serial.as_deref() == Some(drive.name.as_str()) {
        true => "/dev/DISK".to_owned(),
        false => format::shell(&format!("/dev/{}", drive.name)),
    }
}

fn remedy(standing: &[OnDrive<'_>], drive: &Drive) -> crate::finding::Remedy {
    let device = path(drive);
    let is_failing = complaints::is_to_go(drive);
    // Who reports that it fails is not asked again: a test only costs what time is left.
    let mut commands = match is_failing {
        true => Vec::new(),
        false => vec![format!("smartctl -t long {device}   # hours later: smartctl -a")],
    };
    let mut last = None;
    for (_, pool, leaf) in standing.iter().filter(|(name, ..)| *name == drive.name) {
        // The first device of each pool.
        if last.replace(pool.name.as_str()) != Some(pool.name.as_str()) {
            commands.extend(pool_state::replace(pool, &leaf.name, "NEW-DISK"));
        }
    }
    let what = match is_failing {
        true => "copy what matters and has no other copy now, then replace the drive",
        false => "run the drive's self-test, have a disk ready, and replace it if the counts grow",
    };
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![format!("smartctl -a {device}")];
    remedy
}
