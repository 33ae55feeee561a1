//! What the drivers of SCSI say of disks, by name (`sd 6:0:0:0: [sdd] …`) or by address alone.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::stamp::body;
use super::{DEVICES_MAX, is_device};
use crate::machine::TroubleKind;

/// Lines that older kernels broke behind the disk's name: `sd 8:0:0:0: [sdn]`, and below it `Add. Sense: …`.
#[derive(Debug, Default)]
pub(super) struct Split {
    head: Option<String>,
}

impl Split {
    /// Returns a line with the disk that stands alone above it.
    pub(super) fn whole<'a>(&mut self, said: &'a str) -> Cow<'a, str> {
        const LENGTH_MAX: usize = 64;
        let is_rest =
            ["Add. Sense: ", "Sense Key : ", "Result: "].iter().any(|it| said.starts_with(it));
        if let Some(head) = self.head.as_ref().filter(|_| is_rest) {
            return Cow::Owned(format!("{head} {said}"));
        }
        let is_head = said.starts_with("sd ") && said.ends_with(']') && said.len() <= LENGTH_MAX;
        self.head = is_head.then(|| said.to_owned());
        Cow::Borrowed(said)
    }
}

/// Returns the disks by their address: `sd 14:0:152:0: [sdwt] …`.
pub(super) fn names(text: &str) -> BTreeMap<&str, &str> {
    let mut names = BTreeMap::new();
    for line in text.lines().filter(|line| line.contains(": [sd")) {
        let found = body(line).strip_prefix("sd ").and_then(|rest| {
            let (address, rest) = rest.split_once(": [")?;
            Some((address, rest.split_once(']')?.0)).filter(|(_, name)| is_device(name))
        });
        names.extend(found.filter(|_| names.len() < DEVICES_MAX));
    }
    names
}

/// Returns the disk that a line names by its address alone, and what happened to it (drivers/scsi/scsi_error.c,
/// mpt3sas_scsih.c).
pub(super) fn addressed(said: &str, names: &BTreeMap<&str, &str>) -> Option<(String, TroubleKind)> {
    let rest = said.strip_prefix("sd ").or_else(|| said.strip_prefix("scsi "))?;
    let (address, rest) = rest.split_once(": ")?;
    let numbers = address.split(':').all(is_number) && address.split(':').count() == 4;
    let kind = match () {
        () if rest.starts_with("attempting task abort") => TroubleKind::Slow,
        () if rest.starts_with("rejecting I/O to dead device") => TroubleKind::Gone,
        () if rest.starts_with("rejecting I/O to offline device") => TroubleKind::Gone,
        () => return None,
    };
    let name = names.get(address).map(|name| (*name).to_owned());
    let name = name.unwrap_or_else(|| format!("SCSI {address}"));
    numbers.then_some((name, kind))
}

/// Returns whether a part of an address is one of the kernel's: no sign, no leading zeros without end.
fn is_number(part: &str) -> bool {
    part.len() <= 10 && part.bytes().all(|c| c.is_ascii_digit()) && part.parse::<u32>().is_ok()
}

/// What the disk driver says behind `sd 6:0:0:0: [sdd]` (drivers/scsi/scsi_logging.c, sd.c).
pub(super) fn scsi(said: &str) -> Option<(&str, TroubleKind)> {
    /// What the host adapter made of a request that it could not finish (include/scsi/scsi_status.h).
    const LATE: [&str; 2] = ["DID_TIME_OUT", "DID_ABORT"];
    const BROKEN: [&str; 4] = ["DID_SOFT_ERROR", "DID_ERROR", "DID_RESET", "DID_TRANSPORT_"];
    let inner = said.strip_prefix("sd ")?.split_once('[')?.1;
    let (device, rest) = inner.split_once(']')?;
    let has = |words: &&str| rest.contains(*words);
    let kind = match () {
        () if BROKEN_SENSE.iter().any(|words| rest.contains(words)) => TroubleKind::Broken,
        () if rest.contains("Sense Key : Medium Error") => TroubleKind::Unreadable,
        // The sense data's other half (SCSI Primary Commands, asc 11).
        () if rest.contains("Add. Sense: Unrecovered read error") => TroubleKind::Unreadable,
        () if rest.contains("hostbyte=DID_NO_CONNECT") => TroubleKind::Gone,
        // A bridge of USB (drivers/usb/storage/uas.c).
        () if rest.contains("uas_eh_") && rest.contains("_handler") => TroubleKind::Slow,
        () if rest.contains("hostbyte=") && LATE.iter().any(has) => TroubleKind::Slow,
        () if rest.contains("hostbyte=") && BROKEN.iter().any(has) => TroubleKind::Failed,
        () if rest.contains("Synchronize Cache") && rest.contains("failed") => TroubleKind::Failed,
        () => return None,
    };
    Some((device, kind))
}

/// What a drive says of itself when it is at its end (SCSI Primary Commands, sense key 4; asc 32, 5d).
const BROKEN_SENSE: [&str; 4] = [
    "Sense Key : Hardware Error",
    "No defect spare location available",
    "Failure prediction threshold exceeded",
    "ardware impending failure",
];
