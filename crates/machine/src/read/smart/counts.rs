//! What SMART counts of failing sectors and cables, and which of several outputs of one drive is the later.
//!
//! A drive's own hours tell; where they do not, counts that never fall (attributes 5, 187 and 199) do; else the text's
//! order is taken for that of time. Names decide where numbers have several meanings.

use serde_json::Value;

use super::{UNKNOWN, attributes, number};
use crate::drive::{Drive, SmartCounts};

/// Adds the counts of an output to those of a drive; what an earlier one counted is kept beside them. Returns whether the
/// output is older than what was known.
pub(super) fn add(drive: &mut Drive, json: &Value) -> bool {
    let (old, new) = (of_drive(drive), of_json(json));
    let hours = number(json, "/power_on_time/hours");
    if drive.name == UNKNOWN {
        // Nobody knows whether both are of one drive: the worse one counts.
        put(drive, zip(old, new, Option::max));
        drive.power_on_hours = drive.power_on_hours.max(hours);
        return false;
    }
    let is_older = match (drive.power_on_hours, hours) {
        (Some(known), Some(hours)) if known != hours => hours < known,
        _ => falls(old, new),
    };
    let (before, now) = if is_older { (new, old) } else { (old, new) };
    // The first of all that differs: what a third output says is compared with that.
    let differing = zip(before, now, |before, now| {
        before.zip(now).filter(|(before, now)| before != now).map(|(before, _)| before)
    });
    let earlier = if is_older { (differing, drive.earlier) } else { (drive.earlier, differing) };
    drive.earlier = zip(earlier.0, earlier.1, Option::or);
    put(drive, zip(now, before, Option::or));
    drive.power_on_hours = drive.power_on_hours.max(hours);
    is_older
}

/// Returns whether a count fell that a drive never takes back: the second output is the earlier one then.
fn falls(old: SmartCounts, new: SmartCounts) -> bool {
    let fell =
        |old: Option<u64>, new: Option<u64>| old.zip(new).is_some_and(|(old, new)| new < old);
    fell(old.reallocated, new.reallocated)
        || fell(old.reported, new.reported)
        || fell(old.link_errors, new.link_errors)
}

type Count = Option<u64>;

/// Joins the counts of two outputs one by one.
fn zip(one: SmartCounts, other: SmartCounts, join: fn(Count, Count) -> Count) -> SmartCounts {
    SmartCounts {
        reallocated: join(one.reallocated, other.reallocated),
        pending: join(one.pending, other.pending),
        uncorrectable: join(one.uncorrectable, other.uncorrectable),
        reported: join(one.reported, other.reported),
        link_errors: join(one.link_errors, other.link_errors),
    }
}

const fn of_drive(drive: &Drive) -> SmartCounts {
    SmartCounts {
        reallocated: drive.reallocated,
        pending: drive.pending,
        uncorrectable: drive.uncorrectable,
        reported: drive.reported,
        link_errors: drive.link_errors,
    }
}

const fn put(drive: &mut Drive, counts: SmartCounts) {
    let SmartCounts { reallocated, pending, uncorrectable, reported, link_errors } = counts;
    drive.reallocated = reallocated;
    drive.pending = pending;
    drive.uncorrectable = uncorrectable;
    drive.reported = reported;
    drive.link_errors = link_errors;
}

fn of_json(json: &Value) -> SmartCounts {
    let raw = |id: u64, parts: &[&str]| {
        let mut all = attributes(json).filter(|attribute| attribute.id == id);
        all.find(|row| parts.iter().any(|part| row.name.contains(part))).map(|row| row.raw)
    };
    let grown = || number(json, "/scsi_grown_defect_list");
    let medium = || number(json, "/nvme_smart_health_information_log/media_errors");
    let lost = || {
        let log = json.get("scsi_error_counter_log")?.as_object()?;
        let counts = log.values().filter_map(|row| row.get("total_uncorrected_errors")?.as_u64());
        counts.reduce(u64::saturating_add)
    };
    SmartCounts {
        reallocated: raw(5, &["realloc", "retired"]).or_else(grown),
        pending: raw(197, &["pending"]),
        uncorrectable: raw(198, &["uncorrect"]).or_else(medium).or_else(lost),
        reported: raw(187, &["reported_uncorrect", "uncorrectable_error"]),
        link_errors: raw(199, &["crc"]),
    }
}
