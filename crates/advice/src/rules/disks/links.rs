//! Disks and the links they are behind, where the kernel's log shows them together; not a rule itself.
//!
//! One event has lines of the port (`ata9`) and of the disk (`sdd`): that is one story. Where each failure of a disk stands
//! right behind a reset of its USB device, the reset made it fail: sectors that a disk cannot read reset no link.

use std::collections::BTreeMap;

use arcwright_machine::{Trouble, TroubleKind};

/// Puts what is told of a link to the disks behind it, and leaves out devices of USB that no disk is behind.
pub(super) fn join<'a>(by_device: &mut BTreeMap<&'a str, Vec<&'a Trouble>>) {
    let behind: Vec<(&str, &str)> =
        by_device.iter().filter_map(|(device, all)| Some((*device, link_of(all)?))).collect();
    let mut taken: Vec<&str> = Vec::new();
    for (device, link) in behind {
        let Some(of_link) = by_device.get(link).cloned() else { continue };
        taken.push(link);
        by_device.entry(device).or_default().extend(of_link);
    }
    // A device of USB behind which no disk failed may be anything that is plugged in.
    let is_other = |device: &str, all: &[&Trouble]| {
        device.starts_with("usb ") && all.iter().all(|trouble| trouble.kind == TroubleKind::Slow)
    };
    by_device.retain(|device, all| !taken.contains(device) && !is_other(device, all));
}

/// Returns the link that all lines about a disk stand behind.
fn link_of<'a>(all: &[&'a Trouble]) -> Option<&'a str> {
    let link = all.first()?.behind.as_deref()?;
    all.iter().all(|trouble| trouble.behind.as_deref() == Some(link)).then_some(link)
}

/// Returns the USB device whose resets made the requests of a disk fail, by the lines about both.
pub(super) fn usb<'a>(all: &[&'a Trouble]) -> Option<&'a str> {
    let link = all.iter().find_map(|trouble| trouble.behind.as_deref())?;
    let by_reset = |trouble: &&Trouble| {
        trouble.device == link
            || trouble.behind.as_deref() == Some(link)
                && matches!(trouble.kind, TroubleKind::Failed | TroubleKind::Slow)
    };
    let is_told = link.starts_with("usb ") && all.iter().any(|trouble| trouble.device == link);
    (is_told && all.iter().all(by_reset)).then_some(link)
}

/// What resets a USB device while it works.
pub(super) const CAUSE: &str = "Each of them failed right behind a reset of its USB device. The enclosure\u{2019}s bridge or its power, the cable, the port \
     or a hub does that; a sector that the disk cannot read resets nothing.";
/// What to do about that.
pub(super) const STEP: &str = "change cable, port (USB 2 for a try), enclosure or its power supply, or connect the disk by SATA; replace no disk for \
     these lines";
