//! Whether what is known of a failing device's disk blames its link and nothing of the disk itself; not a rule itself.
//!
//! Of the link speak: transfer errors that a drive counts (`UDMA_CRC_Error_Count`) and that grow or that the log has too,
//! resets of its USB device, a port that gets slower after errors. Of the disk speak sectors that it cannot read, wants to
//! replace or has replaced, and a failed self-assessment: with one of these nothing is said here.

use arcwright_machine::{Drive, Trouble, TroubleKind};

use crate::rules::pool_state::told;
use crate::view::View;

/// Returns what blames the link of a device's disk; none where something blames the disk, or nothing was read.
pub(super) fn blamed(view: &View<'_>, leaf: &str) -> Option<&'static str> {
    let machine = view.machine;
    let leaves: usize = machine.pools.iter().map(|pool| told(pool).len()).sum();
    // Of one device and one drive it is clear which is which, whatever they are called.
    let only = machine.drives.first().filter(|_| machine.drives.len() == 1 && leaves == 1);
    let drive = machine.drive_of(leaf).or(only);
    if drive.is_some_and(blames_itself) {
        return None;
    }
    let is_of = |trouble: &&Trouble| {
        trouble.vdev.as_deref() == Some(leaf)
            || drive.is_some_and(|drive| drive.name == trouble.device)
            || leaves == 1
    };
    let troubles: Vec<&Trouble> = machine.troubles.iter().filter(is_of).collect();
    let itself =
        |trouble: &&Trouble| matches!(trouble.kind, TroubleKind::Broken | TroubleKind::Unreadable);
    if troubles.iter().any(itself) {
        return None;
    }
    let reset = |trouble: &&Trouble| {
        trouble.device.starts_with("usb ")
            || trouble.behind.as_deref().is_some_and(|link| link.starts_with("usb "))
    };
    if troubles.iter().any(reset) {
        return Some("the kernel log shows resets of a USB device");
    }
    if troubles.iter().any(|trouble| trouble.kind == TroubleKind::Transfer) {
        return Some("the kernel log shows damaged transfers");
    }
    let grows = drive.is_some_and(|drive| {
        drive.link_errors.zip(drive.earlier.link_errors).is_some_and(|(now, then)| now > then)
    });
    grows.then_some("its drive counts ever more damaged transfers")
}

fn blames_itself(drive: &Drive) -> bool {
    let counted = |count: Option<u64>| count.is_some_and(|count| count > 0);
    drive.smart_passed == Some(false)
        || !drive.failing.is_empty()
        || [drive.pending, drive.uncorrectable, drive.reallocated, drive.reported]
            .into_iter()
            .any(counted)
        || counted(drive.logged_unreadable)
}
