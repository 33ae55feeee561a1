//! Pasted `nvme smart-log`, brought into the form in which smartctl prints the same page of the drive.
//!
//! ```text
//! Smart Log for NVME device:nvme0 namespace-id:ffffffff
//! percentage_used                         : 3%
//! media_errors                            : 0
//! ```

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};

/// What nvme-cli calls a row, and smartctl.
const ROWS: [(&str, &str); 7] = [
    ("available_spare", "Available Spare"),
    ("percentage_used", "Percentage Used"),
    ("data_units_read", "Data Units Read"),
    ("data_units_written", "Data Units Written"),
    ("power_on_hours", "Power On Hours"),
    ("media_errors", "Media and Data Integrity Errors"),
    ("num_err_log_entries", "Error Information Log Entries"),
];
const ROWS_MAX: usize = 64;

/// Takes the page of one drive.
pub(super) fn smart_log(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let rest = lines.first()?.text.trim().strip_prefix("Smart Log for NVME device:")?;
    let device = rest.split_whitespace().next()?.trim_start_matches("/dev/");
    device.bytes().all(|c| c.is_ascii_alphanumeric()).then_some(())?;
    let below = || lines.iter().skip(1).take(ROWS_MAX);
    let count = below().take_while(|line| row(&line.text).is_some()).count();
    let rows = below().take(count).filter_map(|line| row(&line.text)).filter_map(|(key, value)| {
        let (_, label) = ROWS.iter().find(|(known, _)| *known == key)?;
        // Newer ones give an amount behind it: `188,048,213 (96.28 TB)`.
        let value = value.split_whitespace().next()?;
        Some(format!("{label}: {value}\n"))
    });
    let text = format!("SMART/Health Information (NVMe Log 0x02)\n{}\n", rows.collect::<String>());
    let name = format!("commands/smartctl-{device}");
    Some(Taken { lines: 1 + count, texts: vec![Text { name, text, again: Again::More }] })
}

/// Returns a row's name and what stands behind its colon.
fn row(line: &str) -> Option<(&str, &str)> {
    const NAME_CHARS_MAX: usize = 48;
    let (key, value) = line.split_once(':')?;
    let key = key.trim();
    let is_name = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.len() <= NAME_CHARS_MAX
        && key.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b' ');
    let is_value = value.trim().starts_with(|c: char| c.is_ascii_digit());
    (is_name && is_value).then(|| (key, value.trim()))
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    #[test]
    fn the_page_of_a_drive_is_read_as_smartctl_prints_it() {
        let text = "Smart Log for NVME device:nvme1 namespace-id:ffffffff\ncritical_warning  : 0\n\
                    percentage_used   : 83%\ndata_units_written : 1,000 (512.00 MB)\nmedia_errors  : 4\n";
        let machine = Machine::read(&Sources::recognize(text));
        let drive = machine.drives.first().expect("a drive");
        assert_eq!(drive.name, "nvme1");
        assert_eq!((drive.wear_pct, drive.uncorrectable), (Some(83), Some(4)));
        assert_eq!(drive.written.map(|bytes| bytes.0), Some(512_000_000));
        assert!(machine.problems.is_empty(), "{:?}", machine.problems);
    }
}
