//! Where a device of a pool stands, and how it is asked for its health; not a rule itself.

use crate::format;
use crate::view::View;

/// Returns the command that asks a device of a pool for its health.
pub(crate) fn smart(view: &View<'_>, leaf: &str) -> String {
    /// Labels of FreeBSD, behind which a disk stands that only `glabel` tells.
    const LABELS: [&str; 4] = ["gpt/", "gptid/", "label/", "ufsid/"];
    if is_file(leaf) {
        return format!(
            "df {}   # a file: ask the disk below its file system, smartctl -a DISK",
            format::shell(leaf)
        );
    }
    let label = leaf.trim_start_matches("/dev/");
    if LABELS.iter().any(|lead| label.starts_with(lead)) && view.machine.drive_of(leaf).is_none() {
        return format!(
            "glabel status | grep {}   # its disk; then: smartctl -a DISK",
            format::shell(label)
        );
    }
    if is_of_illumos(label) {
        return format!(
            "iostat -En {}   # what its driver counted; then: fmdump -eV",
            format::shell(label)
        );
    }
    if !is_disk_name(label) && view.machine.drive_of(leaf).is_none() {
        return format!(
            "zpool status -LP   # the disk behind {}; then: smartctl -a DISK",
            format::shell(leaf)
        );
    }
    format!("smartctl -a {}", device_path(view, leaf))
}

/// Returns whether a name is of a disk or a slice of it as illumos and Solaris call them: `c0t4d0`, `c1t5000C500A1B2C3D4d0s0`.
fn is_of_illumos(label: &str) -> bool {
    let Some((controller, rest)) = label.strip_prefix('c').and_then(|rest| rest.split_once('t'))
    else {
        return false;
    };
    let Some((target, disk)) = rest.rsplit_once('d') else { return false };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    is_number(controller)
        && !target.is_empty()
        && target.bytes().all(|c| c.is_ascii_hexdigit())
        && disk.starts_with(|c: char| c.is_ascii_digit())
}

/// Names below `/dev/disk/by-id` begin like this.
const BY_ID: [&str; 6] = ["ata-", "nvme-", "scsi-", "wwn-", "usb-", "virtio-"];

/// Returns whether a name below `/dev` is a disk's or a partition's, and none that somebody gave it (`/dev/mapper/x`,
/// `by-vdev`), which `smartctl` does not know.
pub(super) fn is_disk_name(label: &str) -> bool {
    const FAMILIES: [&str; 15] = [
        "sd", "hd", "vd", "xvd", "da", "ada", "ad", "nvme", "nvd", "nda", "vtbd", "mmcblk", "disk",
        "c", "mfid",
    ];
    let Some(stem) = label.split(|c: char| c.is_ascii_digit()).next() else { return false };
    // `sdaa` has letters where others have a number.
    let of_scsi = ["sd", "hd", "vd", "xvd"].iter().any(|kind| {
        let letters = label
            .strip_prefix(kind)
            .map(|rest| rest.trim_end_matches(|c: char| c.is_ascii_digit()));
        letters.is_some_and(|rest| {
            (1..=3).contains(&rest.len()) && rest.bytes().all(|c| c.is_ascii_lowercase())
        })
    });
    let is_numbered = label.len() > stem.len() && FAMILIES.contains(&stem);
    let id = label.trim_start_matches("disk/by-id/");
    of_scsi
        || is_numbered
        || label.starts_with("disk/by-")
        || BY_ID.iter().any(|lead| id.starts_with(lead))
}

/// Returns whether a device of a pool is a file of another file system: a path, and none of devices.
pub(super) fn is_file(leaf: &str) -> bool {
    leaf.starts_with('/') && !["/dev/", "/devices/"].iter().any(|lead| leaf.starts_with(lead))
}

/// Returns where a device of a pool stands.
fn device_path(view: &View<'_>, leaf: &str) -> String {
    if leaf.starts_with('/') {
        return format::shell(leaf);
    }
    if let Some(drive) = view.machine.drive_of(leaf) {
        return format::shell(&format!("/dev/{}", drive.name));
    }
    let by_id = BY_ID.iter().any(|lead| leaf.starts_with(lead));
    format::shell(&format!("/dev/{}{leaf}", if by_id { "disk/by-id/" } else { "" }))
}

/// Returns whether a device stands in a list by a name that does not change.
pub(crate) fn is_by_id(leaf: &str) -> bool {
    BY_ID.iter().any(|lead| leaf.rsplit('/').next().is_some_and(|name| name.starts_with(lead)))
}
