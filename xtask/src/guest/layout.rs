//! Which drives a guest has: read from `vm/layouts/NAME.toml`, made as sparse files.
//!
//! Each drive that is not to be empty has one partition, made here: OpenZFS partitions a whole disk with the help of udev,
//! which the guest lacks.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

const SECTOR: u64 = 512;
/// Where the partition begins: 1 MiB, as everywhere.
const FIRST_SECTOR: u32 = 2048;
/// Where the table of four partitions stands in the first sector, and the mark after it.
const TABLE_AT: u64 = 446;
const MARK: [u8; 2] = [0x55, 0xaa];
/// "Solaris", what ZFS's partitions are called in such a table.
const KIND: u8 = 0xbf;

/// The drives of a guest and its memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GuestLayout {
    pub(super) memory_mib: u32,
    pub(super) drive: Vec<Drive>,
}

/// One drive; without limits it is as fast as the host.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Drive {
    /// Letters and digits; in the guest `/dev/disk/by-id/virtio-NAME-part1`.
    pub(super) name: String,
    pub(super) size_mib: u32,
    /// A disk that turns, or an SSD.
    pub(super) turns: bool,
    /// Without a partition, as an SSD from the shop.
    #[serde(default)]
    pub(super) is_empty: bool,
    pub(super) bytes_per_second: Option<u64>,
    pub(super) operations_per_second: Option<u64>,
}

impl GuestLayout {
    pub(super) fn read(name: &str) -> anyhow::Result<Self> {
        let path = crate::root().join("vm/layouts").join(format!("{name}.toml"));
        let text = fs::read_to_string(&path)
            .with_context(|| format!("failed to read the layout {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("failed to understand {}", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        Ok(toml::from_str(text)?)
    }

    /// Makes the files of drives that are not there; what a former boot wrote stays.
    pub(super) fn make(&self, folder: &Path) -> anyhow::Result<()> {
        for drive in &self.drive {
            let path = folder.join(drive.file_name());
            if !path.exists() {
                make(&path, drive)
                    .with_context(|| format!("failed to make the drive {}", path.display()))?;
            }
        }
        Ok(())
    }
}

impl Drive {
    pub(super) fn file_name(&self) -> String {
        format!("{}.img", self.name)
    }
}

fn make(path: &Path, drive: &Drive) -> anyhow::Result<()> {
    let size = u64::from(drive.size_mib) << 20;
    let file = File::create_new(path)?;
    file.set_len(size)?;
    if drive.is_empty {
        return Ok(());
    }
    let sectors = u32::try_from(size / SECTOR)?;
    file.write_all_at(&partition(sectors.saturating_sub(FIRST_SECTOR)), TABLE_AT)?;
    file.write_all_at(&MARK, SECTOR - 2)?;
    Ok(())
}

/// Returns the table's first entry; cylinders and heads are the marks for "see the sectors".
fn partition(sectors: u32) -> [u8; 16] {
    let [a, b, c, d] = FIRST_SECTOR.to_le_bytes();
    let [e, f, g, h] = sectors.to_le_bytes();
    [0, 0xfe, 0xff, 0xff, KIND, 0xfe, 0xff, 0xff, a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::{Drive, GuestLayout, make};

    #[test]
    fn every_layout_of_the_project_is_read() {
        let folder = crate::root().join("vm/layouts");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            GuestLayout::read(path.file_stem().unwrap().to_str().unwrap()).unwrap();
            count += 1;
        }
        assert!(count > 0);
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        let good = "memory_mib = 1\n[[drive]]\nname = \"a\"\nsize_mib = 2\nturns = true\n";
        assert!(GuestLayout::parse(good).is_ok());
        assert!(GuestLayout::parse(&format!("{good}iops = 3\n")).is_err());
    }

    #[test]
    fn the_partition_ends_where_the_drive_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.img");
        let drive = |is_empty| Drive {
            name: "a".to_owned(),
            size_mib: 4,
            turns: true,
            is_empty,
            bytes_per_second: None,
            operations_per_second: None,
        };
        make(&path, &drive(false)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 4 << 20);
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((number(446 + 8), number(446 + 12)), (2048, 8192 - 2048));
        assert_eq!(bytes[510..512], [0x55, 0xaa]);
        assert!(make(&path, &drive(false)).is_err(), "an existing drive is not made anew");
        let empty = folder.path().join("b.img");
        make(&empty, &drive(true)).unwrap();
        assert!(std::fs::read(&empty).unwrap().iter().all(|byte| *byte == 0));
    }
}
