//! Behind which link a disk's requests failed: the log tells of the link's reset right before.
//!
//! ```text
//! [85150.111759] usb 6-1: reset SuperSpeed USB device number 3 using xhci_hcd        drivers/usb/core/hub.c
//! [85150.137041] print_req_error: I/O error, dev sdl, sector 3287184328
//! [ 9310.100000] ata9.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen    drivers/ata/libata-eh.c
//! [ 9310.900000] blk_update_request: I/O error, dev sdd, sector 8
//! ```
//!
//! What fails once in a while behind a reset may do so by chance. Only where each line about a disk stands behind one of
//! the same link, that link is the disk's.

use std::collections::BTreeMap;

use super::stamp;

/// Lines of a log that one event may have.
const LINES_MAX: usize = 40;
/// Seconds from a reset to what it makes fail.
const SECONDS_MAX: f64 = 10.0;

/// Links that were told of last, and the disks behind them.
#[derive(Debug, Default)]
pub(super) struct Behind {
    last: Option<Reset>,
    line: usize,
    /// The link of a disk; none where one of its lines stands behind none, or behind another.
    links: BTreeMap<String, Option<String>>,
}

#[derive(Debug)]
struct Reset {
    link: String,
    line: usize,
    seconds: Option<f64>,
}

impl Behind {
    /// Takes a line, as it is printed and without what stands in front of its words.
    pub(super) fn next(&mut self, line: &str, said: &str) {
        self.line += 1;
        if let Some(link) = usb_reset(said).or_else(|| port(said)) {
            self.last = Some(Reset {
                link: link.to_owned(),
                line: self.line,
                seconds: stamp::seconds(line),
            });
        }
    }

    /// Takes that this line tells trouble of a device.
    pub(super) fn trouble(&mut self, line: &str, device: &str) {
        let now = stamp::seconds(line);
        let is_near = |reset: &&Reset| {
            let near = match (reset.seconds, now) {
                (Some(then), Some(now)) => (0.0..=SECONDS_MAX).contains(&(now - then)),
                _ => true,
            };
            near && self.line - reset.line <= LINES_MAX
        };
        let link = self.last.as_ref().filter(is_near).map(|reset| reset.link.clone());
        let of_disk = self.links.entry(device.to_owned()).or_insert_with(|| link.clone());
        *of_disk = of_disk.take().filter(|known| Some(known) == link.as_ref());
    }

    /// Returns the link of each disk, where the log shows one.
    pub(super) fn links(self) -> BTreeMap<String, String> {
        let own = |(disk, link): (String, Option<String>)| {
            let link = link.filter(|link| *link != disk && is_disk(&disk))?;
            Some((disk, link))
        };
        self.links.into_iter().filter_map(own).collect()
    }
}

/// Returns whether a name is one of the kernel's for a disk of SCSI.
fn is_disk(name: &str) -> bool {
    name.strip_prefix("sd").is_some_and(|rest| {
        (1..=3).contains(&rest.len()) && rest.bytes().all(|c| c.is_ascii_lowercase())
    })
}

/// Returns the device of USB that a line tells to be reset, at a speed that disks have.
pub(super) fn usb_reset(said: &str) -> Option<&str> {
    let (device, rest) = said.split_once(": reset ")?;
    let place = device.strip_prefix("usb ")?;
    let is_place =
        place.len() < 24 && place.bytes().all(|c| c.is_ascii_digit() || b"-.".contains(&c));
    let is_fast = rest.starts_with("SuperSpeed") || rest.starts_with("high-speed");
    (is_place && is_fast && rest.contains("USB device")).then_some(device)
}

/// Returns the port of libata that a line is of: `ata9` of `ata9.00: …`.
fn port(said: &str) -> Option<&str> {
    let head = said.split_once(": ")?.0;
    let name = head.split('.').next()?;
    let number = name.strip_prefix("ata")?;
    (number.len() <= 4 && !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()))
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::Behind;

    fn check(lines: &[(&str, Option<&str>)], expected: &[(&str, &str)]) {
        let mut behind = Behind::default();
        for (line, device) in lines {
            behind.next(line, super::stamp::body(line));
            device.iter().for_each(|device| behind.trouble(line, device));
        }
        let links = behind.links();
        let links: Vec<(&str, &str)> =
            links.iter().map(|(disk, link)| (disk.as_str(), link.as_str())).collect();
        assert_eq!(links, expected, "{lines:?}");
    }

    const RESET: &str = "[85150.11] usb 6-1: reset SuperSpeed USB device number 3 using xhci_hcd";
    const AT_ONCE: &str = "[85150.13] print_req_error: I/O error, dev sdl, sector 3287184328";
    const LATER: &str = "[85250.13] print_req_error: I/O error, dev sdl, sector 3287184328";
    const PORT: &str = "[85249.9] ata9.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen";

    #[test]
    fn a_link_is_a_disks_where_each_failure_stands_behind_it() {
        check(&[(RESET, None), (AT_ONCE, Some("sdl"))], &[("sdl", "usb 6-1")]);
        check(&[(RESET, None), (AT_ONCE, Some("sdl")), (LATER, Some("sdl"))], &[]);
        check(&[(PORT, Some("ata9")), (LATER, Some("sdl"))], &[("sdl", "ata9")]);
        check(&[(RESET, None), (AT_ONCE, Some("sdl")), (PORT, None), (LATER, Some("sdl"))], &[]);
        check(&[(AT_ONCE, Some("sdl")), (RESET, None)], &[]);
        let slow = "usb 2-4: reset full-speed USB device number 5 using xhci_hcd";
        check(&[(slow, None), (AT_ONCE, Some("sdl"))], &[]);
    }
}
