//! What smartmontools' daemon writes of a drive: `Device: /dev/sdf [SAT], 8 Currently unreadable (pending) sectors`.

use crate::machine::TroubleKind;

/// Returns the drive that a line is of, and what it tells; none where it tells nothing bad.
pub(super) fn told(said: &str) -> Option<(&str, TroubleKind)> {
    let (_, rest) = said.split_once("Device: /dev/")?;
    let (device, what) = rest.split_once(", ")?;
    let device = device.split_whitespace().next()?;
    let is_plain = device.len() < 64 && device.chars().all(|c| c.is_ascii_alphanumeric());
    let kind = if what.starts_with("FAILED SMART self-check") || what.starts_with("Failed SMART") {
        TroubleKind::Broken
    } else if what.contains("unreadable (pending) sectors")
        || what.contains("ffline uncorrectable sectors")
    {
        TroubleKind::Unreadable
    } else {
        return None;
    };
    is_plain.then_some((device, kind))
}

#[cfg(test)]
mod tests {
    use super::told;
    use crate::machine::TroubleKind::{Broken, Unreadable};

    #[test]
    fn the_daemon_tells_of_drives() {
        for (said, expected) in [
            (
                "smartd[7]: Device: /dev/sdf [SAT], 8 Currently unreadable (pending) sectors",
                Some(("sdf", Unreadable)),
            ),
            (
                "Device: /dev/sdf [SAT], 2 Offline uncorrectable sectors (changed +1)",
                Some(("sdf", Unreadable)),
            ),
            (
                "Device: /dev/ada3, FAILED SMART self-check. BACK UP DATA NOW!",
                Some(("ada3", Broken)),
            ),
            (
                "Device: /dev/sde [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from 176 to 181",
                None,
            ),
        ] {
            assert_eq!(told(said), expected, "{said}");
        }
    }
}
