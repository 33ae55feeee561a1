//! What drivers of `FreeBSD` say of ports and of devices that left them (sys/dev/ahci/ahci.c, sys/cam/ata/ata_da.c,
//! sys/geom/mirror/g_mirror.c).
//!
//! ```text
//! ahcich2: Timeout on slot 14 port 0                                  a port, of which no disk is named
//! ada2 at ahcich2 bus 0 scbus2 target 0 lun 0                         which disk is on it
//! ada2: <WDC WD40EFRX-68N32N0 82.00A82> s/n WD-WCC7K0 detached
//! GEOM_MIRROR: Device swap0: provider ada2p1 disconnected.            gmirror does without it
//! ```

use std::collections::BTreeMap;

use super::stamp::body;
use super::{DEVICES_MAX, is_device};
use crate::machine::TroubleKind;
use crate::read::geom::disk_of;

/// Returns the disks on ports, as far as lines say so: `ada2` on `ahcich2`.
pub(super) fn on_ports(text: &str) -> BTreeMap<&str, &str> {
    let mut ports: BTreeMap<&str, &str> = BTreeMap::new();
    for line in text.lines().filter(|line| line.contains("ahcich")) {
        let said = body(line);
        let told = said.split_once(" at ").and_then(|(disk, rest)| {
            let (port, rest) = rest.split_once(' ')?;
            rest.starts_with("bus ").then_some((port, disk))
        });
        let addressed = || {
            let mut parts = said.strip_prefix('(')?.split(':');
            let (disk, port) = (parts.next()?, parts.next()?);
            Some((port, disk))
        };
        let found = told.or_else(addressed).filter(|(port, disk)| {
            is_port(port) && is_device(disk) && !is_port(disk) && !disk.contains("probe")
        });
        if ports.len() < DEVICES_MAX {
            ports.extend(found);
        }
    }
    ports
}

/// Returns the disk that a line tells trouble of, or the port where none is known on it.
pub(super) fn trouble(said: &str, ports: &BTreeMap<&str, &str>) -> Option<(String, TroubleKind)> {
    let (head, rest) = said.split_once(": ")?;
    if is_port(head) {
        let is_late = rest.starts_with("Timeout on slot ")
            || rest.starts_with("AHCI reset: device not ready");
        let device = ports.get(head).copied().unwrap_or(head);
        return is_late.then(|| (device.to_owned(), TroubleKind::Slow));
    }
    if head == "GEOM_MIRROR" {
        let (_, rest) = rest.split_once(": provider ")?;
        let provider = rest.strip_suffix('.').unwrap_or(rest).strip_suffix(" disconnected")?;
        return is_device(provider).then(|| (disk_of(provider).to_owned(), TroubleKind::Failed));
    }
    let is_gone = rest.starts_with('<') && rest.ends_with(" detached") && is_disk(head);
    is_gone.then(|| (head.to_owned(), TroubleKind::Gone))
}

fn is_port(word: &str) -> bool {
    let number = word.strip_prefix("ahcich");
    number.is_some_and(|number| number.parse::<u16>().is_ok())
}

fn is_disk(word: &str) -> bool {
    let number = ["ada", "da", "nda", "nvd"].iter().find_map(|start| word.strip_prefix(start));
    number.is_some_and(|number| number.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::{on_ports, trouble};
    use crate::machine::TroubleKind;

    #[test]
    fn ports_are_called_by_their_disks_where_the_log_tells() {
        let log = "ada2 at ahcich2 bus 0 scbus2 target 0 lun 0\n(ada3:ahcich3:0:0:0): lost device\n\
                   (aprobe0:ahcich4:0:0:0): CAM status: Command timeout\n";
        let ports = on_ports(log);
        for (said, expected) in [
            ("ahcich2: Timeout on slot 14 port 0", Some(("ada2", TroubleKind::Slow))),
            ("ahcich3: Timeout on slot 1 port 0", Some(("ada3", TroubleKind::Slow))),
            (
                "ahcich4: AHCI reset: device not ready after 31000ms (tfd = 00000080)",
                Some(("ahcich4", TroubleKind::Slow)),
            ),
            ("ahcich2: is 00000000 cs 00004000 ss 00000000", None),
            (
                "ada2: <WDC WD40EFRX 82.00A82> s/n WD-WCC7K0 detached",
                Some(("ada2", TroubleKind::Gone)),
            ),
            ("cd0: <DVD> detached", None),
            (
                "GEOM_MIRROR: Device swap0: provider ada2p1 disconnected.",
                Some(("ada2", TroubleKind::Failed)),
            ),
            ("GEOM_MIRROR: Device mirror/swap launched (2/2).", None),
        ] {
            let found = trouble(said, &ports);
            let found = found.as_ref().map(|(device, kind)| (device.as_str(), *kind));
            assert_eq!(found, expected, "{said}");
        }
    }
}
