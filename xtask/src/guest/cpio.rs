//! Writes the archive that Linux unpacks as its first root (`newc` form of cpio).
//!
//! Numbers are eight hexadecimal digits; a name ends with a zero byte, and names and contents are
//! padded to four bytes (kernel: `Documentation/driver-api/early-userspace/buffer-format.rst`).
//! Owners and times are left at zero, so that the same files give the same archive.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

const FOLDER: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
const LAST: &str = "TRAILER!!!";

/// Writes everything below `root` in order of names, folders before what they hold.
pub(super) fn write(root: &Path, archive: &mut dyn Write) -> anyhow::Result<()> {
    let mut number = 0;
    for path in below(root)? {
        number += 1;
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let about = fs::symlink_metadata(&path)?;
        let (mode, contents) = if about.is_dir() {
            (FOLDER | 0o755, Vec::new())
        } else if about.is_symlink() {
            let target = fs::read_link(&path)?;
            (LINK | 0o777, target.to_string_lossy().into_owned().into_bytes())
        } else {
            let rights = about.permissions().mode() & 0o777;
            let failed = || format!("failed to read {}", path.display());
            (FILE | rights, fs::read(&path).with_context(failed)?)
        };
        entry(archive, number, mode, &name, &contents)?;
    }
    entry(archive, 0, 0, LAST, &[])
}

fn entry(
    archive: &mut dyn Write,
    number: u32,
    mode: u32,
    name: &str,
    contents: &[u8],
) -> anyhow::Result<()> {
    let size = u32::try_from(contents.len()).context("a file of the guest is beyond 4 GiB")?;
    let name_size = u32::try_from(name.len())? + 1;
    // number, mode, owner, group, links, time, size, four of devices, length of the name, sum
    let fields = [number, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name_size, 0];
    let digits: String = fields.iter().map(|field| format!("{field:08X}")).collect();
    let head = format!("070701{digits}{name}\0");
    for part in [head.as_bytes(), contents] {
        archive.write_all(part)?;
        let gap = part.len().next_multiple_of(4) - part.len();
        archive.write_all([0; 3].get(..gap).unwrap_or_default())?;
    }
    Ok(())
}

fn below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let failed = || format!("failed to list {}", folder.display());
    for entry in fs::read_dir(folder).with_context(failed)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let is_folder = path.is_dir() && !path.is_symlink();
        all.push(path.clone());
        if is_folder {
            all.extend(below(&path)?);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[test]
    fn every_header_and_content_begins_at_a_multiple_of_four() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("etc")).unwrap();
        fs::write(root.path().join("etc/a"), "12345").unwrap();
        std::os::unix::fs::symlink("a", root.path().join("etc/link")).unwrap();
        let mut archive = Vec::new();
        super::write(root.path(), &mut archive).unwrap();
        let text = String::from_utf8(archive).unwrap();
        let heads: Vec<usize> = text.match_indices("070701").map(|(at, _)| at).collect();
        assert_eq!(heads.len(), 4);
        assert!(heads.iter().all(|at| at % 4 == 0), "{heads:?}");
        assert_eq!(text.len() % 4, 0);
        let file = text.get(heads[1]..heads[2]).unwrap();
        // The size is the seventh number.
        assert_eq!(file.get(6 + 6 * 8..6 + 7 * 8), Some("00000005"));
        assert!(file.contains("etc/a\0"));
        assert!(file.ends_with("12345\0\0\0"));
        assert!(text.contains("TRAILER!!!\0"));
    }
}
