//! Whether what is known of a failing device blames its disk or its link; not a rule itself.
//!
//! Of the disk speak sectors that it cannot read, by the kernel's log or SMART, and a failed self-assessment. Of the link
//! speak transfer errors that a drive counts (`UDMA_CRC_Error_Count`) and that grow or that the log has too, and resets of
//! its USB device; but only where nothing speaks of the disk.

use arcwright_machine::{Drive, Pool, Trouble, TroubleKind, below_dev, whole};

use crate::rules::device_paths::is_disk_name;
use crate::rules::pool_state::told;
use crate::rules::pools::steps::{DEVICES_MAX, Ill, is_spared};
use crate::view::View;

/// What is to blame, and what says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blame {
    /// The disk itself.
    Disk(&'static str),
    /// Cable, port, enclosure or power, and nothing of the disk.
    Link(&'static str),
}

/// Returns what is to blame for a device's errors; none where nothing tells, or only what fits both.
pub(super) fn of(view: &View<'_>, leaf: &str) -> Option<Blame> {
    let machine = view.machine;
    let leaves: usize = machine.pools.iter().map(|pool| told(pool).len()).sum();
    // Of one device and one drive it is clear which is which, whatever they are called.
    let only = machine.drives.first().filter(|_| machine.drives.len() == 1 && leaves == 1);
    let drive = machine.drive_of(leaf).or(only);
    let is_of = |trouble: &&Trouble| {
        trouble.vdev.as_deref() == Some(leaf)
            || drive.is_some_and(|drive| drive.name == trouble.device)
            || leaves == 1 && machine.drive_of(leaf).is_none() && may_be(leaf, &trouble.device)
    };
    let troubles: Vec<&Trouble> = machine.troubles.iter().filter(is_of).collect();
    let has = |kind: TroubleKind| troubles.iter().any(|trouble| trouble.kind == kind);
    if has(TroubleKind::Broken) {
        return Some(Blame::Disk("the kernel log has errors of its own hardware"));
    }
    if has(TroubleKind::Unreadable) {
        return Some(Blame::Disk("the kernel log has sectors that it cannot read"));
    }
    if let Some(words) = drive.and_then(blames_itself) {
        return Some(Blame::Disk(words));
    }
    if drive.is_some_and(|drive| drive.reallocated.is_some_and(|count| count > 0)) {
        return None;
    }
    let reset = |trouble: &&Trouble| {
        trouble.device.starts_with("usb ")
            || trouble.behind.as_deref().is_some_and(|link| link.starts_with("usb "))
    };
    if troubles.iter().any(reset) {
        return Some(Blame::Link("the kernel log shows resets of a USB device"));
    }
    if has(TroubleKind::Transfer) {
        return Some(Blame::Link("the kernel log shows damaged transfers"));
    }
    let grows = drive.is_some_and(|drive| {
        drive.link_errors.zip(drive.earlier.link_errors).is_some_and(|(now, then)| now > then)
    });
    grows.then_some(Blame::Link("its drive counts ever more damaged transfers"))
}

/// Returns whether a device of a pool may be the one that the kernel names so, by the forms of both names.
fn may_be(leaf: &str, device: &str) -> bool {
    let name = below_dev(leaf);
    let id = name.trim_start_matches("disk/by-id/");
    let is_nvme = device.starts_with("nvme");
    match id.split_once('-').map(|(lead, _)| lead) {
        Some("nvme") => is_nvme,
        Some("ata" | "scsi" | "wwn" | "usb") => !is_nvme,
        _ if is_disk_name(name) => whole(name) == device || device.contains(' '),
        _ => true,
    }
}

fn blames_itself(drive: &Drive) -> Option<&'static str> {
    let counted = |count: Option<u64>| count.is_some_and(|count| count > 0);
    if drive.smart_passed == Some(false) || !drive.failing.is_empty() {
        return Some("its drive reports that it is failing (SMART)");
    }
    [drive.pending, drive.uncorrectable, drive.reported, drive.logged_unreadable]
        .into_iter()
        .any(counted)
        .then_some("its drive counts sectors that it cannot read (SMART)")
}

const LOOKS_THE_SAME: &str = " A bad connection (cable, port, enclosure) looks the same, unless the drive itself reports \
                              that it cannot read.";

/// Says whether the errors go on, and what blames the link of a device, and not its disk.
pub(super) fn said(view: &View<'_>, pool: &Pool, ill: &[&Ill<'_>]) -> String {
    let blamed = ill.iter().take(DEVICES_MAX).find_map(|ill| of(view, &ill.leaf.name));
    let in_use = !ill.is_empty() && ill.iter().all(|ill| ill.state == "DEGRADED");
    let blamed = match blamed {
        Some(Blame::Disk(what)) => format!(" Here {what}: that is the disk itself, and no cable."),
        Some(Blame::Link(what)) => {
            format!(" Here {what}, and nothing that was read blames the disk itself.")
        }
        None if in_use && !is_spared(pool, ill) => LOOKS_THE_SAME.to_owned(),
        None => String::new(),
    };
    let counts_none = |ill: &&Ill<'_>| ill.state == "DEGRADED" && ill.leaf.error_sum() == Some(0);
    match !ill.is_empty() && ill.iter().all(counts_none) {
        true => format!(" The state is of earlier errors, and none is counted since.{blamed}"),
        false => blamed,
    }
}
