//! A recording as a page: its charts, and what doctor finds in it.

use std::collections::BTreeMap;

use anyhow::anyhow;
use arcwright_advice::{Estimate, advise};
use arcwright_host::record::{Recorded, Recording, Window};
use arcwright_machine::{Drive, Machine, below_dev, whole};
use arcwright_recording::{TimelineSpan, gaps};
use arcwright_report::{RECORDING_COLUMNS, RecordingHead, RecordingPage, recording_html};
use arcwright_units::Nanos;

use crate::commands::doctor::policy::Policy;
use crate::pages::PendingPage;
use crate::pool_disks::{Roles, roles};
use crate::problem::Problem;

/// Where tables of disks stand in a reading.
const DISKS: &str = "disks/";

/// Writes the page of a recording that was read.
pub(super) fn write(
    page: PendingPage,
    recording: &Recording,
    (place, recorded): (&str, &Recorded),
) -> Result<(), Problem> {
    let counts = &recorded.counts;
    let ends = counts.first().zip(counts.last()).filter(|(first, last)| first.at < last.at);
    let Some((first, last)) = ends else {
        return Err(Problem::Failed(anyhow!(
            "no page: {place} has fewer than two readings\nhint: arcwright record takes them"
        )));
    };
    // A machine whose counters never went on for two readings still has its settings.
    let sources = recording.sources(Window::Whole).unwrap_or_default();
    let machine = Machine::read(&sources);
    let disks = disks_of(&machine, &recorded_disks(recording, last.at));
    let span = TimelineSpan { from: first.at, to: last.at, gaps: gaps(counts), disks };
    let (timeline, unreadable) = recording.timeline(span, RECORDING_COLUMNS);
    let policy = Policy::of(&Default::default())?;
    let judged = policy.applied(advise(&machine, Estimate::WithModel));
    let head = RecordingHead { place, counts, bytes: recorded.bytes, unreadable: &unreadable };
    let shown =
        RecordingPage { head, timeline: &timeline, advice: &judged.advice, hidden: &judged.hidden };
    page.complete(&recording_html(&shown))?;
    Ok(())
}

/// Returns the disks that a recording counts in its last reading, by the kernel's names.
fn recorded_disks(recording: &Recording, last: Nanos) -> Vec<String> {
    let last = recording.readings(last, last, 1);
    let tables = last.iter().flat_map(|reading| reading.kstats.keys());
    tables.filter_map(|path| path.strip_prefix(DISKS)).map(str::to_owned).collect()
}

/// Returns which of them pools use, and what for, as the machine looked when it was seen last.
fn disks_of(machine: &Machine, recorded: &[String]) -> Roles {
    let named = roles(machine).into_iter().filter_map(|(leaf, role)| {
        let candidates = candidates(&leaf, machine.drive_of(&leaf));
        let found = candidates.into_iter().find(|name| recorded.contains(name));
        Some((found?, role))
    });
    named.collect::<BTreeMap<String, String>>()
}

/// Returns what the kernel may call a leaf: itself, the same partition of its drive, or the whole drive.
fn candidates(leaf: &str, drive: Option<&Drive>) -> Vec<String> {
    let mut names = vec![below_dev(leaf).to_owned()];
    let Some(drive) = drive else { return names };
    let stem = whole(leaf);
    let digits = |letter: char| !letter.is_ascii_digit();
    let partition = leaf.strip_prefix(stem).map(|rest| rest.trim_start_matches(digits));
    if let Some(partition) = partition.filter(|partition| !partition.is_empty()) {
        let between =
            if drive.name.ends_with(|letter: char| letter.is_ascii_digit()) { "p" } else { "" };
        names.push(format!("{}{between}{partition}", drive.name));
    }
    names.push(drive.name.clone());
    names
}

#[cfg(test)]
mod tests {
    use arcwright_machine::Drive;

    use super::candidates;

    #[test]
    fn a_leaf_has_the_kernels_names() {
        let check = |leaf: &str, drive: &str, expected: &[&str]| {
            let drive = Drive { name: drive.to_owned(), ..Drive::default() };
            assert_eq!(candidates(leaf, Some(&drive)), expected);
        };
        check("sda1", "sda", &["sda1", "sda1", "sda"]);
        check("/dev/disk/by-id/ata-A-part2", "sdb", &["disk/by-id/ata-A-part2", "sdb2", "sdb"]);
        check("nvme-C-part1", "nvme0n1", &["nvme-C-part1", "nvme0n1p1", "nvme0n1"]);
        check("sdc", "sdc", &["sdc", "sdc"]);
        assert_eq!(candidates("vdb", None), ["vdb"]);
    }
}
