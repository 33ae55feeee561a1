//! `iostat -En` of illumos and Solaris: what the drivers counted of each device since the system started.
//!
//! ```text
//! c1t4d0           Soft Errors: 0 Hard Errors: 3 Transport Errors: 0
//! Vendor: ATA      Product: DISK-1           Revision: 0121 Serial No: X1
//! Size: 240.06GB <240057409536 bytes>
//! Media Error: 3 Device Not Ready: 0 No Device: 0 Recoverable: 0
//! Illegal Request: 0 Predictive Failure Analysis: 0
//! ```
//!
//! A hard error is a request that the driver gave up (`kstat` class `device_error`, uts/common/io/scsi/targets/sd.c);
//! of drives for discs and cards most come from an empty slot, which is counted beside them.

use arcwright_units::Bytes;

use crate::machine::Machine;
use crate::sources::Sources;

const TEXT: &str = "commands/iostat-errors";
/// Labels below a device's first line, as they begin lines; Oracle's Solaris has more.
const LABELS: [&str; 7] =
    ["Vendor:", "Model:", "Size:", "Media Error:", "Illegal Request:", "RPM:", "Revision:"];

/// Returns whether a line is a device's first.
pub(crate) fn opens(line: &str) -> bool {
    line.contains("Soft Errors: ")
        && line.contains("Hard Errors: ")
        && line.contains("Transport Errors: ")
        && line.split_whitespace().next().is_some_and(|name| !name.contains(':'))
}

/// Returns whether a line may stand below it.
pub(crate) fn is_line(line: &str) -> bool {
    LABELS.iter().any(|label| line.trim_start().starts_with(label))
}

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(TEXT) else { return };
    let mut device: Option<(String, Vec<&str>)> = None;
    for line in text.lines().chain([""]) {
        let name = line.split_whitespace().next().filter(|_| opens(line));
        if name.is_some() || line.is_empty() {
            if let Some((name, lines)) = device.take() {
                add(machine, &name, &lines.join(" "));
            }
            device = name.map(|name| (name.to_owned(), vec![line]));
        } else if let Some((_, lines)) = &mut device {
            lines.push(line);
        }
    }
}

fn add(machine: &mut Machine, name: &str, text: &str) {
    let Some(drive) = super::smart::drive_named(machine, name) else { return };
    let count = |label: &str| -> Option<u64> {
        let (_, rest) = text.split_once(label)?;
        rest.split_whitespace().next()?.parse().ok()
    };
    // Of an empty slot each question fails.
    let absent = || Some(count("No Device:")?.saturating_add(count("Device Not Ready:")?));
    let failed = count("Hard Errors:").zip(absent());
    drive.failed_requests = failed.map(|(hard, absent)| hard.saturating_sub(absent));
    drive.uncorrectable = drive.uncorrectable.or_else(|| count("Media Error:"));
    if count("Predictive Failure Analysis:").is_some_and(|count| count > 0) {
        drive.smart_passed = Some(false);
    }
    let product = ["Product:", "Model:"].iter().find_map(|label| {
        let (_, rest) = text.split_once(label)?;
        let end = rest.find("Revision:").unwrap_or(rest.len());
        Some(rest.get(..end)?.trim().to_owned()).filter(|product| !product.is_empty())
    });
    drive.model = drive.model.take().or(product);
    let size = text.split_once('<').and_then(|(_, rest)| rest.split_once(" bytes>"));
    let size = size.and_then(|(size, _)| size.parse().ok()).map(Bytes);
    drive.size = drive.size.or(size.filter(|size| size.0 > 0));
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    #[test]
    fn what_drivers_counted_is_of_their_drives() {
        let text = "c1t4d0           Soft Errors: 0 Hard Errors: 7 Transport Errors: 0\n\
                    Vendor: ATA      Product: DISK-1           Revision: 0121 Serial No: X1\n\
                    Size: 240.06GB <240057409536 bytes>\n\
                    Media Error: 5 Device Not Ready: 0 No Device: 2 Recoverable: 0\n\
                    Illegal Request: 0 Predictive Failure Analysis: 0\n\
                    c0t0d0           Soft Errors: 0 Hard Errors: 9 Transport Errors: 0\n\
                    Vendor: TSST     Product: CDDVDW           Revision: 1 Serial No:\n\
                    Size: 0.00GB <0 bytes>\n\
                    Media Error: 0 Device Not Ready: 9 No Device: 0 Recoverable: 0\n\
                    Illegal Request: 4 Predictive Failure Analysis: 0\n";
        let machine = Machine::read(&Sources::recognize(text));
        let [disk, reader] = machine.drives.as_slice() else { panic!("{:?}", machine.drives) };
        assert_eq!((disk.name.as_str(), disk.failed_requests), ("c1t4d0", Some(5)));
        assert_eq!((disk.uncorrectable, disk.model.as_deref()), (Some(5), Some("DISK-1")));
        assert_eq!(disk.size.map(|size| size.0), Some(240_057_409_536));
        assert_eq!((reader.failed_requests, reader.size), (Some(0), None));
        assert!(machine.problems.is_empty(), "{:?}", machine.problems);
    }
}
