//! The inputs that are kept: an archive per target in `fuzz/corpus`, of what reaches more of the code than
//! the first inputs do.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::targets::Target;

/// An archive is at most so long: all of them stay small beside the code.
const ARCHIVE_BYTES_MAX: usize = 44_000;

/// Returns the archive of a target.
fn archive(target: &Target) -> PathBuf {
    crate::root().join("fuzz/corpus").join(format!("{}.tar.gz", target.name))
}

/// Unpacks what is kept of a target into `folder`.
pub(super) fn unpack(target: &Target, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    let path = archive(target);
    let Ok(packed) = fs::read(&path) else { return Ok(()) };
    let failed = || format!("failed to unpack {}", path.display());
    let mut archive = tar::Archive::new(GzDecoder::new(packed.as_slice()));
    for entry in archive.entries().with_context(failed)? {
        let mut entry = entry.with_context(failed)?;
        let name = entry.path()?.file_name().context("an entry has no name")?.to_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).with_context(failed)?;
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

/// Packs the inputs in `folder`, the shortest first, as many as fit; says how many.
pub(super) fn pack(target: &Target, folder: &Path) -> anyhow::Result<(usize, usize)> {
    let mut inputs = Vec::new();
    for entry in fs::read_dir(folder)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        inputs.push((name, fs::read(entry.path())?));
    }
    inputs.sort_by(|(one, one_bytes), (other, other_bytes)| {
        (one_bytes.len(), one).cmp(&(other_bytes.len(), other))
    });
    // Halved until it fits: the longest go first.
    loop {
        let packed = packed(&inputs)?;
        if packed.len() <= ARCHIVE_BYTES_MAX {
            let path = archive(target);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            match inputs.is_empty() {
                true => fs::remove_file(&path).unwrap_or_default(),
                false => fs::write(&path, &packed)?,
            }
            return Ok((inputs.len(), packed.len()));
        }
        let fewer = inputs.len() * 7 / 8;
        if fewer == inputs.len() {
            bail!("not one input of {} fits into an archive", target.name);
        }
        inputs.truncate(fewer);
    }
}

fn packed(inputs: &[(String, Vec<u8>)]) -> anyhow::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (index, (_, bytes)) in inputs.iter().enumerate() {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("{index:04}"), bytes.as_slice())?;
    }
    Ok(archive.into_inner()?.finish()?)
}

#[cfg(test)]
mod tests {
    use crate::fuzz::targets::TARGETS;

    #[test]
    fn what_is_kept_is_small_and_of_targets_that_there_are() {
        const BYTES_MAX: u64 = 1_500_000;
        let mut bytes = 0;
        for entry in std::fs::read_dir(crate::root().join("fuzz/corpus")).unwrap() {
            let entry = entry.unwrap();
            bytes += entry.metadata().unwrap().len();
            let name = entry.file_name().to_string_lossy().replace(".tar.gz", "");
            assert!(TARGETS.iter().any(|target| target.name == name), "{name}");
        }
        assert!(bytes <= BYTES_MAX, "{bytes} bytes");
    }
}
