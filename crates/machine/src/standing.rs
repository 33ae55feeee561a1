//! From what a pool calls a device to the drive it stands on, looked up by order: a machine that is described in a
//! text may have as many of either as the text has lines.
//!
//! A pool names a partition (`sda1`, `nvme0n1p2`, `ada0p3`) or a link
//! (`/dev/disk/by-id/ata-…-part1`, `gpt/log0`); what the drives say of themselves stands under the
//! kernel's name of the whole drive.

use std::collections::BTreeMap;

use crate::Drive;

/// Ends of a link that may stand for it: `by-id/ata-X`, `ata-X`; no link is in more folders than this below `/dev`.
const ENDS_MAX: usize = 8;

/// Drives by all names that lead to them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// The first drive of a name, or of a link or its end.
    named: BTreeMap<String, usize>,
    linked: BTreeMap<String, usize>,
    /// The first drive with a link that has this name without its partition.
    stems: BTreeMap<String, usize>,
    /// How many drives there were.
    drives: usize,
}

impl Standing {
    /// Returns the drives by their names.
    #[must_use]
    pub fn of(drives: &[Drive]) -> Self {
        let mut all = Self { drives: drives.len(), ..Self::default() };
        for (number, drive) in drives.iter().enumerate() {
            all.named.entry(drive.name.clone()).or_insert(number);
            for link in drive.links.iter().map(|link| below_dev(link)) {
                let ends = link.match_indices('/').filter_map(|(slash, _)| link.get(slash + 1..));
                for end in [link].into_iter().chain(ends.take(ENDS_MAX)) {
                    all.linked.entry(end.to_owned()).or_insert(number);
                }
                all.stems.entry(whole(link).to_owned()).or_insert(number);
            }
        }
        all
    }

    /// Says whether it was made of so many drives.
    #[must_use]
    pub const fn is_of(&self, drives: &[Drive]) -> bool {
        self.drives == drives.len()
    }

    /// Returns the number of the first drive that a leaf may stand on; none when none is known.
    #[must_use]
    pub fn find(&self, leaf: &str) -> Option<usize> {
        let name = below_dev(leaf);
        let stem = whole(name);
        let named = [self.named.get(stem), self.named.get(name)];
        let linked = [self.linked.get(name), self.stems.get(stem)];
        named.into_iter().chain(linked).flatten().min().copied()
    }
}

/// Returns a device's name without the folder of devices.
#[must_use]
pub fn below_dev(name: &str) -> &str {
    name.trim_start_matches("/dev/")
}

/// Returns the name without a partition: `sda1` → `sda`, `nvme0n1p2` → `nvme0n1`, `…-part1` → `…`.
#[must_use]
pub fn whole(name: &str) -> &str {
    let digits = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if digits.len() == name.len() {
        return name;
    }
    if let Some(stem) = digits.strip_suffix("-part") {
        return stem;
    }
    if let Some(stem) = digits.strip_suffix('p').or_else(|| digits.strip_suffix('s')) {
        // `nvme0n1p2`, `mmcblk0p1`, `ada0p3`, `da0s1`: a drive's own number stands before the letter.
        if stem.ends_with(|letter: char| letter.is_ascii_digit()) {
            return stem;
        }
    }
    let scsi = ["sd", "hd", "vd", "xvd"].iter().any(|kind| {
        digits.strip_prefix(kind).is_some_and(|rest| {
            !rest.is_empty() && rest.chars().all(|letter| letter.is_ascii_lowercase())
        })
    });
    if scsi { digits } else { name }
}

#[cfg(test)]
mod tests {
    use super::{Standing, below_dev, whole};
    use crate::Drive;

    #[test]
    fn a_partition_leads_to_its_drive() {
        for (part, drive) in [
            ("sda", "sda"),
            ("sda1", "sda"),
            ("sdaa12", "sdaa"),
            ("nvme0n1", "nvme0n1"),
            ("nvme0n1p2", "nvme0n1"),
            ("ada0", "ada0"),
            ("ada0p3", "ada0"),
            ("da10s1", "da10"),
            ("vda2", "vda"),
            ("disk/by-id/ata-WDC_WD40EFRX-part9", "disk/by-id/ata-WDC_WD40EFRX"),
            ("gpt/log0", "gpt/log0"),
            ("md127", "md127"),
            ("", ""),
            ("7", "7"),
        ] {
            assert_eq!(whole(part), drive);
        }
    }

    /// By the definition, one drive after the other.
    fn searched(drives: &[Drive], leaf: &str) -> Option<usize> {
        let name = below_dev(leaf);
        drives.iter().position(|drive| {
            let linked = |link: &String| {
                let link = below_dev(link);
                link == name || link.ends_with(&format!("/{name}")) || whole(link) == whole(name)
            };
            drive.name == whole(name) || drive.name == name || drive.links.iter().any(linked)
        })
    }

    #[test]
    fn what_is_looked_up_is_what_a_search_finds() {
        let drive = |(name, links): (&str, &[&str])| Drive {
            name: name.to_owned(),
            links: links.iter().map(|link| (*link).to_owned()).collect(),
            ..Drive::default()
        };
        let drives: Vec<Drive> = [
            ("sda", &["/dev/disk/by-id/ata-A", "/dev/disk/by-id/ata-A-part1", "/dev/gpt/log0"][..]),
            ("sdb", &["/dev/disk/by-id/ata-B-part3", "/dev/disk/by-vdev/sda"]),
            ("nvme0n1", &["/dev/disk/by-id/nvme-C"]),
            ("sda1", &[]),
            ("sdb", &["/dev/disk/by-id/ata-A"]),
        ]
        .map(drive)
        .to_vec();
        let standing = Standing::of(&drives);
        for leaf in [
            "sda",
            "/dev/sda",
            "sda1",
            "/dev/sda7",
            "sdb2",
            "ata-A",
            "by-id/ata-A",
            "ata-A-part9",
            "/dev/disk/by-id/ata-A-part9",
            "ata-B",
            "/dev/disk/by-id/ata-B",
            "nvme0n1p2",
            "nvme-C",
            "gpt/log0",
            "log0",
            "sdz",
            "",
            "/dev/",
            "by-vdev/sda",
            "disk/by-id/nvme-C-part1",
        ] {
            assert_eq!(standing.find(leaf), searched(&drives, leaf), "{leaf}");
        }
        assert!(standing.is_of(&drives) && !standing.is_of(&[]));
    }
}
