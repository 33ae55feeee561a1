//! What a drive says of itself, the worst first, and how much it matters.
//!
//! A drive whose own verdict is that it fails hurts now. So does one with many sectors that it cannot read, or with more
//! of them than before: in a study of a hundred thousand disks one such sector made a failure within two months
//! forty times as likely (Pinheiro, Weber and Barroso, FAST 2007). A few that stay are worth a look.

use arcwright_machine::{Drive, DriveKind, FailingAttribute};

use crate::finding::Severity;
use crate::format;

/// Replaced sectors beyond which a disk goes on to lose more; a few are replaced in most long lives.
const REALLOCATED_MANY: u64 = 50;

/// Unreadable sectors beyond which it is no matter of one bad spot, which is a track's length at most.
const UNREADABLE_MANY: u64 = 10;

/// Reads given up since the drive was new, beyond which it is no matter of one bad moment.
const REPORTED_MANY: u64 = 10;

/// Requests in the drive's own log, beyond which it is no matter of one bad moment.
const LOGGED_MANY: u64 = 3;

/// What a drive says, and how much it matters.
pub(super) type Complaint = (Severity, String);

/// Kinds of them, the worst first.
const KINDS: [fn(&Drive) -> Option<Complaint>; 9] =
    [silent, failing, pending, uncorrectable, given_up, logged, requests, marginal, replaced];

/// Returns the worst that a drive says of itself.
pub(super) fn worst(drive: &Drive) -> Option<Complaint> {
    KINDS.iter().find_map(|kind| kind(drive))
}

/// Returns whether a drive is to be replaced: by its own verdict, or because it goes on to lose sectors.
pub(super) fn is_to_go(drive: &Drive) -> bool {
    let hurts = |(severity, _): Complaint| severity == Severity::HurtsNow;
    worst(drive).is_some_and(hurts)
}

fn silent(drive: &Drive) -> Option<Complaint> {
    let name = &drive.name;
    let title = format!(
        "{name} does not answer any more: it did not even tell what it is (short INQUIRY response)"
    );
    drive.is_silent.then_some((Severity::HurtsNow, title))
}

fn failing(drive: &Drive) -> Option<Complaint> {
    (drive.smart_passed == Some(false)).then_some(())?;
    let attributes: Vec<String> = drive.failing.iter().map(below).collect();
    let title = match attributes.is_empty() {
        true => format!("{} reports that it is failing (SMART)", drive.name),
        false => {
            format!("{} reports that it is failing: {}", drive.name, format::list(&attributes))
        }
    };
    Some((Severity::HurtsNow, title))
}

/// Returns how far an attribute is below its threshold: `Reallocated_Sector_Ct is at 5, threshold 36`.
pub(super) fn below(attribute: &FailingAttribute) -> String {
    let FailingAttribute { id, name, value, threshold, .. } = attribute;
    match threshold {
        Some(threshold) => {
            format!("{name} (SMART {id}) is at {value}, its threshold at {threshold}")
        }
        None => format!("{name} (SMART {id}) is at {value}, not above its threshold"),
    }
}

fn pending(drive: &Drive) -> Option<Complaint> {
    let count = some(drive.pending)?;
    let sectors = format::plural(plurality(count), "sector", "sectors");
    let (severity, since) = growth(count, drive.earlier.pending);
    let title = format!(
        "{} has {} {sectors} that it cannot read (SMART 197, pending{since})",
        drive.name,
        format::count(count)
    );
    Some((severity, title))
}

fn uncorrectable(drive: &Drive) -> Option<Complaint> {
    let count = some(drive.uncorrectable)?;
    let errors = match drive.kind {
        Some(DriveKind::Nvme) => format::plural(plurality(count), "media error", "media errors"),
        _ => format::plural(plurality(count), "uncorrectable error", "uncorrectable errors"),
    };
    let (severity, since) = growth(count, drive.earlier.uncorrectable);
    let since = since.trim_start_matches(", ");
    let since = if since.is_empty() { String::new() } else { format!(" ({since})") };
    let title = format!("{} has counted {} {errors}{since}", drive.name, format::count(count));
    Some((severity, title))
}

/// Returns how much so many unreadable sectors matter, and what an earlier output said of them.
fn growth(count: u64, earlier: Option<u64>) -> (Severity, String) {
    let grew = earlier.is_some_and(|earlier| earlier < count);
    let severity = match grew || count >= UNREADABLE_MANY {
        true => Severity::HurtsNow,
        false => Severity::WorthALook,
    };
    (severity, since(earlier))
}

/// Returns what an earlier output counted, for the end of a bracket; nothing where there was none.
pub(super) fn since(earlier: Option<u64>) -> String {
    let told = |earlier| format!(", {} in an earlier output", format::count(earlier));
    earlier.map(told).into_iter().collect()
}

fn given_up(drive: &Drive) -> Option<Complaint> {
    let count = some(drive.reported).filter(|count| *count >= REPORTED_MANY)?;
    let title = format!(
        "{} has given up {} reads since it was new (SMART 187{})",
        drive.name,
        format::count(count),
        since(drive.earlier.reported)
    );
    Some((Severity::WorthALook, title))
}

fn logged(drive: &Drive) -> Option<Complaint> {
    let count = some(drive.logged_unreadable)?;
    let severity = if count >= LOGGED_MANY { Severity::WorthALook } else { Severity::Note };
    let title = format!(
        "{} has {} {} for sectors that it could not read in its own log of errors",
        drive.name,
        format::count(count),
        format::plural(plurality(count), "request", "requests")
    );
    Some((severity, title))
}

fn requests(drive: &Drive) -> Option<Complaint> {
    let count = some(drive.failed_requests)?;
    let title = format!(
        "{} failed {} {} since the system started (iostat -E: hard errors)",
        drive.name,
        format::count(count),
        format::plural(plurality(count), "request", "requests")
    );
    Some((Severity::WorthALook, title))
}

fn marginal(drive: &Drive) -> Option<Complaint> {
    let title = format!(
        "{} passes its own test, and smartctl says that an attribute was below its threshold once",
        drive.name
    );
    (some(drive.reallocated).is_none() && drive.is_marginal).then_some((Severity::Note, title))
}

fn replaced(drive: &Drive) -> Option<Complaint> {
    let count = some(drive.reallocated)?;
    let earlier = drive.earlier.reallocated;
    let grew = earlier.is_some_and(|earlier| earlier < count);
    let severity = match grew || count >= REALLOCATED_MANY {
        true => Severity::WorthALook,
        false => Severity::Note,
    };
    let title = format!(
        "{} has replaced {} of its sectors (SMART 5{})",
        drive.name,
        format::count(count),
        since(earlier)
    );
    Some((severity, title))
}

fn some(count: Option<u64>) -> Option<u64> {
    count.filter(|count| *count > 0)
}

/// Returns a count as one of which only 1 is special.
fn plurality(count: u64) -> usize {
    if count == 1 { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use arcwright_machine::{Drive, FailingAttribute, SmartCounts};

    use super::worst;
    use crate::finding::Severity::{HurtsNow, Note, WorthALook};

    #[test]
    fn the_worst_that_a_drive_says_names_its_attribute_and_what_it_was_before() {
        let sdc = || Drive { name: "sdc".to_owned(), ..Drive::default() };
        let before = |counts| Drive { earlier: counts, ..sdc() };
        let grown = SmartCounts { pending: Some(8), ..SmartCounts::default() };
        let more = SmartCounts { reallocated: Some(2), ..SmartCounts::default() };
        let attribute = FailingAttribute {
            id: 5,
            name: "Reallocated_Sector_Ct".to_owned(),
            value: 5,
            threshold: Some(36),
            raw: 3912,
        };
        for (drive, severity, part) in [
            (
                Drive { pending: Some(1), ..sdc() },
                WorthALook,
                "has 1 sector that it cannot read (SMART 197, pending)",
            ),
            (Drive { pending: Some(312), ..sdc() }, HurtsNow, "312 sectors"),
            (
                Drive { pending: Some(9), ..before(grown) },
                HurtsNow,
                "pending, 8 in an earlier output)",
            ),
            (
                Drive { pending: Some(2), ..before(grown) },
                WorthALook,
                "pending, 8 in an earlier output)",
            ),
            (
                Drive { reallocated: Some(4), ..sdc() },
                Note,
                "has replaced 4 of its sectors (SMART 5)",
            ),
            (
                Drive { reallocated: Some(4), ..before(more) },
                WorthALook,
                "(SMART 5, 2 in an earlier output)",
            ),
            (
                Drive { uncorrectable: Some(3), ..sdc() },
                WorthALook,
                "has counted 3 uncorrectable errors",
            ),
            (
                Drive { smart_passed: Some(false), ..sdc() },
                HurtsNow,
                "reports that it is failing (SMART)",
            ),
            (
                Drive { smart_passed: Some(false), failing: vec![attribute], ..sdc() },
                HurtsNow,
                "failing: Reallocated_Sector_Ct (SMART 5) is at 5, its threshold at 36",
            ),
        ] {
            let (found, title) = worst(&drive).unwrap();
            assert_eq!(found, severity, "{title}");
            assert!(title.contains(part), "{title}");
        }
    }
}
