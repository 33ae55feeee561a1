//! Drives as `FreeBSD` describes them: GEOM's lists (`geom disk list`, `gpart list`, `glabel list`),
//! `gpart show`, `glabel status`, `camcontrol devlist` and `diskinfo -v`.
//!
//! A pool names its disks by labels (`gptid/…`, `gpt/log0`), by partitions, or by a device on top of
//! one (`gpt/log0.eli`); each of these texts tells one step of the way to the drive.
//!
//! ```text
//!   glabel list da6p1:  provider gptid/a3d6…  <─ consumer da6p1 ─┐
//!   gpart show da6:     1  freebsd-zfs  (20G)  = da6p1 ──────────┴─> drive da6
//! ```

mod blocks;
mod partitions;

use std::collections::BTreeMap;

use arcwright_units::Bytes;

use crate::drive::{Drive, DriveKind};
use crate::machine::Machine;
use crate::sources::Sources;

const LISTS: [&str; 2] = ["commands/geom-disk-list", "commands/geom-list"];
/// How drives are called (cam(4) and the drivers of RAID controllers); others are made of drives.
const DRIVES: [&str; 14] = [
    "ada", "da", "nvd", "nda", "vtbd", "mmcsd", "ad", "mfid", "mfisyspd", "mrsasd", "twed", "aacd",
    "amrd", "xbd",
];

/// Drives by name, and which name stands on which.
#[derive(Debug, Default)]
struct Found {
    drives: BTreeMap<String, Drive>,
    /// A label or mapped device, and what it stands on.
    above: Vec<(String, String)>,
}

impl Found {
    /// Returns the drive of that name; none when a drive is not called so.
    fn drive(&mut self, name: &str) -> Option<&mut Drive> {
        let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
        (kind.len() < name.len() && DRIVES.contains(&kind)).then_some(())?;
        let new = || Drive {
            name: name.to_owned(),
            links: vec![format!("/dev/{name}")],
            kind: match kind {
                "nvd" | "nda" => Some(DriveKind::Nvme),
                "vtbd" => Some(DriveKind::Virtual),
                _ => None,
            },
            ..Drive::default()
        };
        Some(self.drives.entry(name.to_owned()).or_insert_with(new))
    }

    /// Notes that `upper` stands on `lower`.
    fn link(&mut self, upper: &str, lower: &str) {
        self.above.push((upper.to_owned(), lower.to_owned()));
    }

    /// Follows every label down to its drive and gives the drive the links.
    fn settle(mut self) -> BTreeMap<String, Drive> {
        /// So many devices stand on each other at most: label on ELI on label on partition, and room.
        const STEPS_MAX: usize = 6;
        let below: BTreeMap<String, String> = self.above.iter().cloned().collect();
        for (upper, lower) in std::mem::take(&mut self.above) {
            let mut bottom = lower.as_str();
            for _ in 0..STEPS_MAX {
                match below.get(bottom) {
                    Some(next) if next != bottom => bottom = next,
                    _ => break,
                }
            }
            let disk = disk_of(bottom).to_owned();
            if let Some(drive) = self.drive(&disk) {
                for name in [&upper, &lower] {
                    let link = format!("/dev/{name}");
                    // A drive has few links; more than this is none of a machine.
                    if drive.links.len() < 1024 && !drive.links.contains(&link) {
                        drive.links.push(link);
                    }
                }
            }
        }
        self.drives
    }
}

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let mut found = Found::default();
    for name in LISTS {
        let Some(text) = sources.text(name) else { continue };
        if !text.contains("Geom name: ") && !text.trim().is_empty() {
            machine.garbled(name, "there is no line “Geom name: NAME”");
        }
        blocks::read(text, &mut found);
    }
    partitions::shown(sources.text("commands/gpart-show").unwrap_or_default(), &mut found);
    labels(sources.text("commands/glabel-status").unwrap_or_default(), &mut found);
    devices(sources.text("commands/camcontrol-devlist").unwrap_or_default(), &mut found);
    partitions::informed(sources.text("commands/diskinfo").unwrap_or_default(), &mut found);
    machine.drives.extend(found.settle().into_values());
}

/// Returns the drive of a partition: `da6` of `da6p1`, `ada0` of `ada0s1a`; anything else as it is.
pub(super) fn disk_of(name: &str) -> &str {
    let stem = ['p', 's'].iter().find_map(|mark| {
        let (stem, number) = name.rsplit_once(*mark)?;
        let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
        let slice =
            rest.is_empty() || rest.len() == 1 && rest.starts_with(|c| ('a'..='h').contains(&c));
        let numbered = rest.len() < number.len();
        (numbered && slice && stem.ends_with(|c: char| c.is_ascii_digit())).then_some(stem)
    });
    stem.unwrap_or(name)
}

/// Reads `glabel status`: `gptid/…  N/A  ada0p2`.
fn labels(text: &str, found: &mut Found) {
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(label), _, Some(component)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        if label != "Name" {
            found.link(label, component);
        }
    }
}

/// Reads `camcontrol devlist`: `<WDC WD40EFRX-68N32N0 82.00A82>  at scbus0 target 0 lun 0 (ada0,pass0)`.
fn devices(text: &str, found: &mut Found) {
    for line in text.lines() {
        let Some((model, place)) = line.trim().trim_start_matches('<').split_once('>') else {
            continue;
        };
        let names = place.rsplit_once('(').map(|(_, names)| names.trim_end_matches(')'));
        for name in names.into_iter().flat_map(|names| names.split(',')) {
            if let Some(drive) = found.drive(name.trim()) {
                // The firmware's revision ends the text.
                let model = model.trim().rsplit_once(' ').map_or(model, |(model, _)| model);
                drive.model.get_or_insert_with(|| model.trim().to_owned());
            }
        }
    }
}

/// Returns a sector as GEOM tells it; what is no power of two, or zero, tells nothing.
fn sector(text: &str) -> Option<Bytes> {
    const SECTOR_MAX: u64 = 64 << 10;
    let bytes: u64 = text.trim().parse().ok()?;
    (bytes.is_power_of_two() && (512..=SECTOR_MAX).contains(&bytes)).then_some(Bytes(bytes))
}

#[cfg(test)]
mod tests;
