//! What the kernel's log tells of disks: lines of `dmesg`, `journalctl -k`, `/var/log/messages`.
//!
//! ```text
//! [9309.788] critical medium error, dev sdc, sector 45059769            Linux, block layer
//! ata3.00: error: { UNC }                                              Linux, libata
//! nvme nvme0: I/O 12 QID 3 timeout, aborting                           Linux, NVMe
//! zio pool=tank vdev=/dev/sdc1 error=5 type=1 offset=270336 …          OpenZFS on Linux
//! (ada1:ahcich1:0:0:0): CAM status: Uncorrectable parity/CRC error     FreeBSD, CAM
//! ahcich1: Timeout on slot 14 port 0                                   FreeBSD, ports and what left them
//! INFO: task txg_sync:897 blocked for more than 122 seconds.           Linux, khungtaskd
//! VERIFY(x) failed; PANIC at dmu.c:7:dmu_read()                        where ZFS stops (panics.rs)
//! ```
//!
//! Lines are counted, not events: one failed request may have several. Of a line that is not known only
//! that it is one of the log is said.

mod behind;
mod controllers;
mod freebsd;
mod headless;
mod late;
mod panics;
mod same;
mod scsi;
mod smartd;
mod stamp;
mod zed;

use std::collections::BTreeMap;

use arcwright_units::Nanos;

use super::properties::pool_named;
use crate::machine::{HungTask, Machine, Trouble, TroubleKind};
use crate::sources::Sources;
use behind::Behind;
use controllers::{of_adapter, of_xhci};
use headless::Headless;
use late::{deadman, hung};
use panics::Panics;
use same::Requests;
use scsi::{addressed, names, scsi};
pub(super) use stamp::is_of_linux;
pub(crate) use stamp::{MONTHS, is_clock, is_stamped};
use stamp::{body, stamped};
pub(crate) use zed::EVENT;

pub(super) const NAME: &str = "commands/dmesg";
/// Devices that are kept; the log of a machine with more of them is no log of one. Tasks likewise.
const DEVICES_MAX: usize = 1024;
const SUSPENDED: &str = "has encountered an uncorrectable I/O failure and has been suspended";

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(NAME) else { return };
    let mut lines: BTreeMap<(String, TroubleKind), (u64, Option<String>)> = BTreeMap::new();
    let mut requests = Requests::default();
    let mut tasks: BTreeMap<String, HungTask> = BTreeMap::new();
    let mut reported: Option<String> = None;
    let names = names(text);
    let ports = freebsd::on_ports(text);
    let mut headless = Headless::default();
    let mut panics = Panics::default();
    let mut split = scsi::Split::default();
    let mut behind = Behind::default();
    for line in text.lines() {
        let said = body(line);
        panics.take(line, said);
        let said = &*split.whole(said);
        behind.next(line, said);
        let suspended = suspended(said);
        if let Some(pool) = suspended.and_then(|name| pool_named(&mut machine.pools, name)) {
            pool.state.get_or_insert_with(|| "SUSPENDED".to_owned());
        }
        let found = trouble(said).or_else(|| addressed(said, &names));
        if let Some((device, kind)) = found.or_else(|| freebsd::trouble(said, &ports))
            && lines.len() < DEVICES_MAX
        {
            behind.trouble(line, &device);
            let event = zed::event(said);
            let is_own = zio(said).is_some() || event.is_some();
            let of_pool = zio(said).map(|(pool, _)| pool).or_else(|| event?.pool);
            let of_pool = of_pool.map(str::to_owned);
            match is_own {
                true => requests.zio(&device, said),
                false => requests.block(said),
            }
            let (count, pool) = lines.entry((device, kind)).or_default();
            *count += 1;
            *pool = pool.take().or(of_pool);
        }
        let report = hung(said);
        let untold = headless.task(said, report.is_some()).map(|name| (name, Nanos::ZERO));
        if let Some((name, waited)) = report.or(untold)
            && tasks.len() < DEVICES_MAX
        {
            let new = || HungTask { name: name.to_owned(), ..HungTask::default() };
            let task = tasks.entry(name.to_owned()).or_insert_with(new);
            (task.waited, task.reports) = (task.waited.max(waited), task.reports + 1);
            reported = Some(name.to_owned());
        }
        // The calls of a task stand below its report.
        let call = said.ends_with(" [zfs]") || said.ends_with(" [spl]");
        if let Some(task) = reported.as_ref().filter(|_| call).and_then(|name| tasks.get_mut(name))
        {
            task.in_zfs = true;
        }
    }
    let disks = requests.disks();
    let links = behind.links();
    let trouble = |((device, kind), (lines, pool)): ((String, TroubleKind), _)| {
        let (device, vdev) = match disks.get(&*device) {
            Some(disk) => ((*disk).to_owned(), Some(device)),
            None => (device, None),
        };
        let behind = links.get(&device).cloned();
        Trouble { device, kind, lines, pool, vdev, behind }
    };
    machine.troubles = lines.into_iter().map(trouble).collect();
    machine.hung = tasks.into_values().collect();
    machine.panics = panics.end();
}

/// Returns whether a line can only be of the kernel's log: by its time or device, by what wrote it, or by
/// what it says.
pub(crate) fn is_of_kernel(line: &str) -> bool {
    let text = line.trim();
    // Most lines have no colon and no comma, and are looked at no further than that.
    let marked = stamped(text).is_some() || cam(body(text)).is_some() || stamp::is_signed(text);
    marked
        || is_attached(text)
        || is_call(text) && text.ends_with(']')
        || text.contains([':', ','])
            && (zed::is_of_daemon(body(text))
                || trouble(text).is_some()
                || addressed(text, &BTreeMap::new()).is_some()
                || freebsd::trouble(body(text), &BTreeMap::new()).is_some()
                || suspended(text).is_some()
                || hung(text).is_some())
        || panics::is_panic(body(text))
}

/// Returns whether a line is FreeBSD's about a driver and its device: `mpr0: <LSI SAS3008> port 0xc000-0xc0ff …`.
fn is_attached(text: &str) -> bool {
    const UNIT_LENGTH_MAX: usize = 16;
    let Some((unit, rest)) =
        text.split_once(": <").filter(|(unit, _)| unit.len() <= UNIT_LENGTH_MAX)
    else {
        return false;
    };
    let bare = unit.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbered = bare.len() < unit.len() && bare.chars().all(|c| c.is_ascii_lowercase());
    numbered && [" on ", " port ", " at "].iter().any(|word| rest.contains(word))
}

/// Returns whether a line may be of the log: it has a time of the kernel, a service, a device in front.
pub(crate) fn is_line(line: &str) -> bool {
    let text = line.trim();
    let service = || {
        let head = text.split(": ").next().unwrap_or_default();
        head.ends_with(" kernel") || head.ends_with(']') && head.contains('[') && head.len() < 160
    };
    let driver = || {
        const DRIVERS: [&str; 11] = [
            "ata",
            "sd ",
            "scsi ",
            "nvme",
            "usb ",
            "ahcich",
            "mps",
            "mpr",
            "ada",
            "da",
            "swap_pager: ",
        ];
        let text = body(text);
        text.contains(": ") && DRIVERS.iter().any(|driver| text.starts_with(driver))
    };
    is_of_kernel(text) || service() || driver() || is_below_report(body(text))
}

/// Returns whether a line is one of the calls below a report: `txg_wait_open+0xb3/0xf0 [zfs]`.
fn is_call(said: &str) -> bool {
    let after = said.split_once("+0x").map_or("", |(_, after)| after);
    let (offset, rest) = after.split_once("/0x").unwrap_or_default();
    let hex = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit());
    hex(offset) && hex(rest.split(' ').next().unwrap_or_default())
}

/// Returns whether a line without a time is of a report of the kernel, or says that lines were left out.
fn is_below_report(said: &str) -> bool {
    const BEGINS: [&str; 15] = [
        "KDB: ",
        "cpuid = ",
        "Call Trace:",
        "Showing stack for process ",
        "Hardware name: ",
        "Add. Sense: ",
        "<TASK>",
        "</TASK>",
        "RIP: ",
        "RSP: ",
        "RAX: ",
        "RDX: ",
        "RBP: ",
        "Code: ",
        "Tainted: ",
    ];
    let register = said.strip_prefix('R').and_then(|rest| rest.split_once(": "));
    let register = register.is_some_and(|(name, _)| name.parse::<u8>().is_ok());
    // FreeBSD's calls, and the moment above them: `#1 0xffffffff80b431a2 at vpanic+0x132`, `time = 1794562811`.
    let of_freebsd = said.starts_with('#') && said.contains(" 0x") && said.contains(" at ")
        || said.strip_prefix("time = ").is_some_and(|time| time.parse::<u64>().is_ok());
    is_call(said)
        || of_freebsd
        || register
        || said.ends_with(" callbacks suppressed")
        || said.contains("\" disables this message.")
        || BEGINS.iter().any(|begin| said.starts_with(begin))
}

/// Returns the pool and the device of ZFS's own line about a failed request.
fn zio(said: &str) -> Option<(&str, &str)> {
    let (pool, rest) = said.strip_prefix("zio pool=")?.split_once("vdev=")?;
    let device = rest.split_whitespace().next()?.rsplit('/').next()?;
    Some((pool.trim(), device))
}

/// Splits `(ada1:ahcich1:0:0:0): …` into the device and the rest.
fn cam(line: &str) -> Option<(&str, &str)> {
    let (place, rest) = line.strip_prefix('(')?.split_once("): ")?;
    let mut parts = place.split(':');
    let device = parts.next()?;
    // What looks for a device on a port is none itself.
    let known = parts.count() == 4
        && device.ends_with(|c: char| c.is_ascii_digit())
        && !["aprobe", "probe", "xpt"].iter().any(|own| device.starts_with(own));
    known.then_some((device, rest))
}

fn suspended(said: &str) -> Option<&str> {
    let (before, _) = said.split_once(SUSPENDED)?;
    before.split_once("Pool '")?.1.trim_end().strip_suffix('\'')
}

/// Returns the device that a line tells trouble of, and which.
fn trouble(said: &str) -> Option<(String, TroubleKind)> {
    let named = |(device, kind): (&str, TroubleKind)| (device.to_owned(), kind);
    if let Some((device, rest)) = cam(said) {
        return Some(named((device, of_cam(rest)?)));
    }
    // The block layer: `I/O error, dev sdb, sector 8 op 0x0:(READ)`, with a function's name before 5.0.
    for (words, kind) in [
        ("critical medium error, dev ", TroubleKind::Unreadable),
        ("critical timeout error, dev ", TroubleKind::Slow),
        ("timeout error, dev ", TroubleKind::Slow),
        ("critical target error, dev ", TroubleKind::Failed),
        ("I/O error, dev ", TroubleKind::Failed),
    ] {
        if let Some((_, rest)) = said.split_once(words) {
            return Some(named((device_word(rest).filter(|word| !is_medium_drive(word))?, kind)));
        }
    }
    if let Some(event) = zed::event(said) {
        return Some(named((event.device, event.kind)));
    }
    if let Some(device) = deadman(said) {
        return Some(named((device, TroubleKind::Late)));
    }
    if let Some((_, device)) = zio(said) {
        return Some(named((device, TroubleKind::Failed)));
    }
    let (head, rest) = said.split_once(": ")?;
    let by_driver = || {
        let device = head.split_whitespace().next_back().filter(|word| is_device(word))?;
        let kind = if head.starts_with("nvme") { of_nvme(rest) } else { of_ata(head, rest) };
        Some((device.split('.').next()?, kind?))
    };
    let usb = || {
        let gone = head.starts_with("usb ") && rest.starts_with("USB disconnect");
        let reset = || Some((behind::usb_reset(said)?, TroubleKind::Slow));
        gone.then_some((head, TroubleKind::Gone)).or_else(reset)
    };
    let found =
        scsi(said).or_else(|| smartd::told(said)).or_else(usb).or_else(by_driver).map(named);
    let controller = || of_xhci(head, rest).or_else(|| of_adapter(head, rest));
    found.or_else(|| Some((controller()?, TroubleKind::Gone)))
}

/// Returns whether a name is of a drive whose medium may be absent, and which no pool is on.
fn is_medium_drive(word: &str) -> bool {
    let numbered =
        |start: &str| word.strip_prefix(start).is_some_and(|number| number.parse::<u8>().is_ok());
    numbered("fd") || numbered("sr")
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
        () if has("SCSI sense: HARDWARE FAILURE") || has("FAILURE PREDICTION THRESHOLD") => {
            Some(TroubleKind::Broken)
        }
        () if has("Periph destroyed")
            || has("Invalidating pack")
            || rest.starts_with("lost device") =>
        {
            Some(TroubleKind::Gone)
        }
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
        () if has("hard resetting link")
            || has("soft resetting link")
            || has("link is slow to respond") =>
        {
            Some(TroubleKind::Slow)
        }
        () if rest.starts_with("SATA link up") && is_limited(rest) => Some(TroubleKind::Limited),
        // Without direct access to memory, after errors: a hundredth of the speed (`ata_down_xfermask_limit`).
        () if rest.starts_with("configured for PIO") => Some(TroubleKind::Limited),
        () => None,
    }
}

/// Returns whether the link may not run faster, after errors or as somebody set it (`libata.force`): the second
/// digit of `SControl 310` is the limit (`sata_down_spd_limit`, drivers/ata/libata-core.c).
fn is_limited(rest: &str) -> bool {
    let control = rest.split_once("SControl ").map_or("", |(_, digits)| digits);
    control.chars().nth(1).is_some_and(|digit| ('1'..='3').contains(&digit))
}

/// What the NVMe driver says (drivers/nvme/host/pci.c).
fn of_nvme(rest: &str) -> Option<TroubleKind> {
    const GONE: [&str; 4] = [
        "controller is down",
        "Removing after probe failure",
        "Disabling device after reset failure",
        "Device not ready",
    ];
    let has = |words: &str| rest.contains(words);
    match () {
        // Media errors, “unrecovered read error” (include/linux/nvme.h).
        () if has("(sct 0x2 / sc 0x81)") => Some(TroubleKind::Unreadable),
        () if GONE.iter().any(|words| has(words)) => Some(TroubleKind::Gone),
        () if has("timeout") => Some(TroubleKind::Slow),
        () => None,
    }
}

#[cfg(test)]
mod tests;
