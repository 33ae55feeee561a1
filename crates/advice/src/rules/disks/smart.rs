//! Drives that say of themselves that they fail, before ZFS has met it.

use arcwright_machine::{Drive, DriveKind, Machine, Pool, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether drives report failures (SMART)", judge };

/// Replaced sectors beyond which a disk goes on to lose more; a few are replaced in most long lives.
const REALLOCATED_MANY: u64 = 50;

/// Reads given up since the drive was new, beyond which it is no matter of one bad moment.
const REPORTED_MANY: u64 = 10;

/// Requests in the drive's own log, beyond which it is no matter of one bad moment.
const LOGGED_MANY: u64 = 3;

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
    if drives.is_empty() {
        return Err(NotJudged::NotRead("SMART was not read (smartctl needs root)".to_owned()));
    }
    let standing = standing(view.machine);
    let of_both =
        |drive: &Drive| [of_drive(&standing, drive), of_link(drive)].into_iter().flatten();
    let findings: Vec<Finding> =
        drives.iter().flat_map(|drive| apart(drive)).flat_map(|drive| of_both(&drive)).collect();
    if let (true, Some(drive)) = (findings.is_empty(), drives.iter().find(|drive| !is_told(drive)))
    {
        return Err(NotJudged::NotRead(format!(
            "SMART of {} was not read completely (smartctl -a)",
            drive.name
        )));
    }
    let passed = |drive: &&Drive| drive.smart_passed.map(|_| drive.name.clone());
    let evidence: Vec<Evidence> = drives
        .iter()
        .filter_map(passed)
        .map(|name| Evidence::now(format!("{name}: SMART"), "passed"))
        .collect();
    Ok(Verdict::found_or(findings, Verdict::fine("No drive reports a failure", evidence)))
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

/// Returns the worst that a drive says of itself, and how much it matters.
fn worst(drive: &Drive) -> Option<(Severity, String)> {
    let some = |count: Option<u64>| count.filter(|count| *count > 0);
    let (pending, lost) = (some(drive.pending), some(drive.uncorrectable));
    let replaced = some(drive.reallocated);
    let given_up = some(drive.reported).filter(|count| *count >= REPORTED_MANY);
    let told = if drive.is_silent {
        let title = format!(
            "{} does not answer any more: it did not even tell what it is (short INQUIRY response)",
            drive.name
        );
        (Severity::HurtsNow, title)
    } else if drive.smart_passed == Some(false) {
        (Severity::HurtsNow, format!("{} reports that it is failing (SMART)", drive.name))
    } else if let Some(count) = pending.or(lost) {
        let sectors = if count == 1 { "sector" } else { "sectors" };
        let title =
            format!("{} has {} {sectors} that it cannot read", drive.name, format::count(count));
        (Severity::WorthALook, title)
    } else if let Some(count) = given_up {
        let title = format!(
            "{} has given up {} reads since it was new (SMART 187)",
            drive.name,
            format::count(count)
        );
        (Severity::WorthALook, title)
    } else if let Some(count) = some(drive.logged_unreadable) {
        let severity = if count >= LOGGED_MANY { Severity::WorthALook } else { Severity::Note };
        let requests = if count == 1 { "request" } else { "requests" };
        let title = format!(
            "{} has {} {requests} for sectors that it could not read in its own log of errors",
            drive.name,
            format::count(count)
        );
        (severity, title)
    } else if let Some(count) = some(drive.failed_requests) {
        let requests = if count == 1 { "request" } else { "requests" };
        let title = format!(
            "{} failed {} {requests} since the system started (iostat -E: hard errors)",
            drive.name,
            format::count(count)
        );
        (Severity::WorthALook, title)
    } else if replaced.is_none() && drive.is_marginal {
        let title = format!(
            "{} passes its own test, and smartctl says that an attribute was below its threshold once",
            drive.name
        );
        (Severity::Note, title)
    } else {
        let count = replaced?;
        let many = count >= REALLOCATED_MANY;
        let severity = if many { Severity::WorthALook } else { Severity::Note };
        let title = format!("{} has replaced {} of its sectors", drive.name, format::count(count));
        (severity, title)
    };
    Some(told)
}

fn of_drive(standing: &[OnDrive<'_>], drive: &Drive) -> Option<Finding> {
    let (severity, title) = worst(drive)?;
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
    for (name, value) in [
        ("reallocated", drive.reallocated),
        ("pending", drive.pending),
        ("uncorrectable", drive.uncorrectable),
        ("reads given up", drive.reported),
        ("requests for unreadable sectors in its log", drive.logged_unreadable),
        ("failed requests", drive.failed_requests),
        ("link errors", drive.link_errors),
        ("power-on hours", drive.power_on_hours),
    ] {
        finding.evidence.extend(count(name, value));
    }
    finding.cause = "ZFS repairs unreadable sectors from another copy, as long as there is one; \
                     each read of them waits while the disk retries. More such sectors usually \
                     follow."
        .to_owned();
    finding.remedy = Some(remedy(standing, drive));
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "Perhaps a disk, and a resilver.".to_owned();
    finding.risk = "A resilver reads all disks; have a backup before it.".to_owned();
    finding.confidence = Confidence::read("SMART");
    finding.sources = lines(["smartctl(8)", "ATA attributes 5, 187, 197, 198; NVMe media errors"]);
    Some(finding)
}

/// Returns what is to be said of errors between a drive and its controller.
fn of_link(drive: &Drive) -> Option<Finding> {
    /// A plug that is moved leaves a few behind.
    const MANY: u64 = 20;
    let count = drive.link_errors.filter(|count| *count >= MANY)?;
    let title = format!(
        "{} has counted {} errors on its cable or port since it was new",
        drive.name,
        format::count(count)
    );
    let mut finding = Finding::new("link-errors", Severity::Note, Area::Disks, title);
    finding.subject = Some(drive.name.clone());
    finding.evidence = vec![Evidence {
        exact: Some(count),
        ..Evidence::now(format!("{}: link errors", drive.name), format::count(count))
    }];
    finding.cause = "Data were corrupted between drive and controller, which was detected, and \
                     sent again. The count never decreases: only if it still grows are cable, plug \
                     or port bad."
        .to_owned();
    let device = path(drive);
    let mut remedy = changes::by_hand(
        "check whether it grows from day to day; if so, replace the cable or use another port, not \
         another drive",
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
    let is_failing = drive.smart_passed == Some(false) || drive.is_silent;
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
