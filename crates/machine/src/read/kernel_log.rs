//! What the kernel's log tells of disks: lines of `dmesg`, `journalctl -k`, `/var/log/messages`.
//!
//! ```text
//! [9309.788] critical medium error, dev sdc, sector 45059769            Linux, block layer
//! ata3.00: error: { UNC }                                              Linux, libata
//! nvme nvme0: I/O 12 QID 3 timeout, aborting                           Linux, NVMe
//! zio pool=tank vdev=/dev/sdc1 error=5 type=1 offset=270336 …          OpenZFS on Linux
//! (ada1:ahcich1:0:0:0): CAM status: Uncorrectable parity/CRC error     FreeBSD, CAM
//! ```
//!
//! Lines are counted, not events: one failed request may have several. Of a line that is not known only
//! that it is one of the log is said.

use std::collections::BTreeMap;

use super::properties::pool_named;
use crate::machine::{Machine, Trouble, TroubleKind};
use crate::sources::Sources;

const TEXT: &str = "commands/dmesg";
/// Devices that are kept; the log of a machine with more of them is no log of one.
const DEVICES_MAX: usize = 1024;
const SUSPENDED: &str = "has encountered an uncorrectable I/O failure and has been suspended";

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(TEXT) else { return };
    let mut lines: BTreeMap<(String, TroubleKind), u64> = BTreeMap::new();
    for line in text.lines() {
        let said = body(line);
        let suspended = suspended(said);
        if let Some(pool) = suspended.and_then(|name| pool_named(&mut machine.pools, name)) {
            pool.state.get_or_insert_with(|| "SUSPENDED".to_owned());
        }
        if let Some((device, kind)) = trouble(said)
            && lines.len() < DEVICES_MAX
        {
            *lines.entry((device.to_owned(), kind)).or_default() += 1;
        }
    }
    let trouble = |((device, kind), lines)| Trouble { device, kind, lines };
    machine.troubles = lines.into_iter().map(trouble).collect();
}

/// Returns whether a line can only be of the kernel's log: by its time or device, by what wrote it, or by
/// what it says.
pub(crate) fn is_of_kernel(line: &str) -> bool {
    let text = line.trim();
    // Most lines have no colon and no comma, and are looked at no further than that.
    let marked = stamped(text).is_some() || cam(text).is_some() || text.contains(" kernel: ");
    marked || text.contains([':', ',']) && (trouble(text).is_some() || suspended(text).is_some())
}

/// Returns whether a line may be of the log: it has a time of the kernel, a service, a device in front.
pub(crate) fn is_line(line: &str) -> bool {
    let text = line.trim();
    let service = || {
        let head = text.split(": ").next().unwrap_or_default();
        head.ends_with(" kernel") || head.ends_with(']') && head.contains('[') && head.len() < 160
    };
    let driver = || {
        const DRIVERS: [&str; 10] =
            ["ata", "sd ", "nvme", "usb ", "ahcich", "mps", "mpr", "ada", "da", "swap_pager: "];
        text.contains(": ") && DRIVERS.iter().any(|driver| text.starts_with(driver))
    };
    is_of_kernel(text) || service() || driver()
}

/// Returns a line without the time and the service that wrote it.
fn body(line: &str) -> &str {
    let line = line.trim();
    let line = line.split_once(" kernel: ").map_or(line, |(_, rest)| rest);
    stamped(line).unwrap_or(line)
}

/// Returns what stands behind `[ 9309.788008]`.
fn stamped(line: &str) -> Option<&str> {
    let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
    let time = time.trim();
    let digits = time.contains('.') && time.chars().all(|c| c.is_ascii_digit() || c == '.');
    digits.then(|| rest.trim_start())
}

/// Splits `(ada1:ahcich1:0:0:0): …` into the device and the rest.
fn cam(line: &str) -> Option<(&str, &str)> {
    let (place, rest) = line.strip_prefix('(')?.split_once("): ")?;
    let mut parts = place.split(':');
    let device = parts.next()?;
    let known = parts.count() == 4 && device.ends_with(|c: char| c.is_ascii_digit());
    known.then_some((device, rest))
}

fn suspended(said: &str) -> Option<&str> {
    let (before, _) = said.split_once(SUSPENDED)?;
    before.split_once("Pool '")?.1.trim_end().strip_suffix('\'')
}

/// Returns the device that a line tells trouble of, and which.
fn trouble(said: &str) -> Option<(&str, TroubleKind)> {
    if let Some((device, rest)) = cam(said) {
        return Some((device, of_cam(rest)?));
    }
    // The block layer: `I/O error, dev sdb, sector 8 op 0x0:(READ)`, with a function's name before 5.0.
    for (words, kind) in [
        ("critical medium error, dev ", TroubleKind::Unreadable),
        ("critical timeout error, dev ", TroubleKind::Slow),
        ("timeout error, dev ", TroubleKind::Slow),
        ("I/O error, dev ", TroubleKind::Failed),
    ] {
        if let Some((_, rest)) = said.split_once(words) {
            return Some((device_word(rest)?, kind));
        }
    }
    let zio = || {
        let rest = said.strip_prefix("zio pool=")?;
        let device = rest.split_once("vdev=")?.1.split_whitespace().next()?;
        Some((device.rsplit('/').next()?, TroubleKind::Failed))
    };
    if let Some(found) = zio() {
        return Some(found);
    }
    let (head, rest) = said.split_once(": ")?;
    let scsi = || {
        let inner = said.strip_prefix("sd ")?.split_once('[')?.1;
        let (device, rest) = inner.split_once(']')?;
        let kind = match () {
            () if rest.contains("Sense Key : Medium Error") => TroubleKind::Unreadable,
            () if rest.contains("Sense Key : Hardware Error") => TroubleKind::Failed,
            () if rest.contains("Synchronize Cache") && rest.contains("failed") => {
                TroubleKind::Failed
            }
            () => return None,
        };
        Some((device, kind))
    };
    let by_driver = || {
        let device = head.split_whitespace().next_back().filter(|word| is_device(word))?;
        let kind = if head.starts_with("nvme") { of_nvme(rest) } else { of_ata(head, rest) };
        Some((device.split('.').next()?, kind?))
    };
    let usb = || {
        let gone = head.starts_with("usb ") && rest.starts_with("USB disconnect");
        gone.then_some((head, TroubleKind::Gone))
    };
    scsi().or_else(usb).or_else(by_driver)
}

fn device_word(text: &str) -> Option<&str> {
    let word = text.split([',', ' ']).next()?;
    is_device(word).then_some(word)
}

fn is_device(word: &str) -> bool {
    !word.is_empty()
        && word.len() < 64
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-')
}

/// What `CAM status:` and the sense data below it say (sys/cam/cam.c).
fn of_cam(rest: &str) -> Option<TroubleKind> {
    let has = |words: &str| rest.contains(words);
    match () {
        () if has("ATA status:") && has("UNC") || has("SCSI sense: MEDIUM ERROR") => {
            Some(TroubleKind::Unreadable)
        }
        () if has("Uncorrectable parity/CRC error") || has("ATA status:") && has("ICRC") => {
            Some(TroubleKind::Transfer)
        }
        () if has("Command timeout") => Some(TroubleKind::Slow),
        () if has("SCSI sense: HARDWARE FAILURE") => Some(TroubleKind::Failed),
        () if has("Periph destroyed") || has("Invalidating pack") => Some(TroubleKind::Gone),
        () => None,
    }
}

/// What libata says in braces (drivers/ata/libata-eh.c).
fn of_ata(head: &str, rest: &str) -> Option<TroubleKind> {
    if !head.starts_with("ata") {
        return None;
    }
    let has = |words: &str| rest.contains(words);
    match () {
        () if rest.starts_with("error: {") && has("UNC") => Some(TroubleKind::Unreadable),
        () if rest.starts_with("error: {") && has("ICRC") || has("BadCRC") => {
            Some(TroubleKind::Transfer)
        }
        () if has("hard resetting link") || has("link is slow to respond") => {
            Some(TroubleKind::Slow)
        }
        () => None,
    }
}

/// What the NVMe driver says (drivers/nvme/host/pci.c).
fn of_nvme(rest: &str) -> Option<TroubleKind> {
    let has = |words: &str| rest.contains(words);
    match () {
        () if has("controller is down") || has("Removing after probe failure") => {
            Some(TroubleKind::Gone)
        }
        () if has("timeout") => Some(TroubleKind::Slow),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{TroubleKind, is_line, is_of_kernel, suspended, trouble};

    #[test]
    fn each_driver_tells_in_its_own_words() {
        use TroubleKind::{Failed, Gone, Slow, Transfer, Unreadable};
        for (line, device, kind) in [
            (
                "[ 9309.788008] print_req_error: critical medium error, dev sdc, sector 45059769",
                "sdc",
                Unreadable,
            ),
            (
                "[12.5] blk_update_request: I/O error, dev sdb, sector 8 op 0x0:(READ)",
                "sdb",
                Failed,
            ),
            ("May  1 10:45:50 pve kernel: ata3.00: error: { UNC }", "ata3", Unreadable),
            ("ata3: SError: { UnrecovData BadCRC Handshk }", "ata3", Transfer),
            ("ata3: hard resetting link", "ata3", Slow),
            ("sd 6:0:0:0: [sdd] tag#7 Sense Key : Medium Error [current]", "sdd", Unreadable),
            ("nvme nvme0: I/O 12 QID 3 timeout, aborting", "nvme0", Slow),
            ("nvme nvme1: controller is down; will reset: CSTS=0xffffffff", "nvme1", Gone),
            (
                "kernel: zio pool=tank vdev=/dev/sdc1 error=5 type=1 offset=270336 size=8192",
                "sdc1",
                Failed,
            ),
            ("10:45:50 pve kernel: usb 3-2: USB disconnect, device number 2", "usb 3-2", Gone),
            ("(ada1:ahcich1:0:0:0): CAM status: Uncorrectable parity/CRC error", "ada1", Transfer),
            (
                "(ada0:ahcich0:0:0:0): ATA status: 41 (DRDY ERR), error: 40 (UNC )",
                "ada0",
                Unreadable,
            ),
            (
                "(da0:mps0:0:8:0): SCSI sense: MEDIUM ERROR asc:11,0 (Unrecovered read error)",
                "da0",
                Unreadable,
            ),
            ("(ada0:ahcich0:0:0:0): CAM status: Command timeout", "ada0", Slow),
        ] {
            let said = super::body(line.strip_prefix("kernel: ").unwrap_or(line));
            assert_eq!(trouble(said), Some((device, kind)), "{line}");
        }
    }

    #[test]
    fn other_lines_tell_nothing() {
        for line in [
            "ahcich0: Timeout on slot 11 port 0",
            "pve zed[1413526]: eid=187 class=data pool='tank' priority=3 err=28",
        ] {
            assert!(is_line(line) && !is_of_kernel(line), "{line}");
        }
        assert_eq!(trouble("(ada1:ahcich1:0:0:0): Retrying command"), None);
        for prose in ["I saw an error: what now?", "data: fine", "it has: (a) none", ""] {
            assert!(!is_of_kernel(prose), "{prose}");
        }
        let said = "WARNING: Pool 'tank' has encountered an uncorrectable I/O failure and has been suspended.";
        assert_eq!(suspended(said), Some("tank"));
    }
}
