//! The archive: tar, packed with gzip, of texts below one folder.

use std::io::{Read, Write as _};

use arcwright_machine::{Source, Sources};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::manifest::MANIFEST;
use crate::{CaptureError, Manifest};

/// The folder that all texts stand below, so that unpacking makes no mess.
const FOLDER: &str = "arcwright-capture";
/// Unpacked, all texts together; a machine with ten thousand datasets comes to some 50 MiB.
pub const BYTES_MAX: u64 = 64 << 20;
/// More texts than this no machine has.
pub(crate) const ENTRIES_MAX: usize = 50_000;

/// Packs texts with their manifest.
///
/// # Errors
/// [`CaptureError::Pack`], when a name does not fit into an archive.
pub fn pack(sources: &Sources, manifest: &Manifest) -> Result<Vec<u8>, CaptureError> {
    let failed = |error| CaptureError::Pack { error };
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    let text = serde_json::to_string_pretty(manifest)
        .map_err(|error| CaptureError::Pack { error: error.into() })?;
    add(&mut archive, MANIFEST, &text).map_err(failed)?;
    for (name, source) in &sources.texts {
        if let Source::Text(text) = source {
            add(&mut archive, name, text).map_err(failed)?;
        }
    }
    let mut packed = archive.into_inner().map_err(failed)?;
    packed.flush().map_err(failed)?;
    packed.finish().map_err(failed)
}

type Archive = tar::Builder<GzEncoder<Vec<u8>>>;

fn add(archive: &mut Archive, name: &str, text: &str) -> std::io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(u64::try_from(text.len()).unwrap_or(u64::MAX));
    header.set_mode(0o644);
    header.set_entry_type(tar::EntryType::Regular);
    archive.append_data(&mut header, format!("{FOLDER}/{name}"), text.as_bytes())
}

/// Unpacks a file that was read, by name; `place` names it in errors.
pub(crate) fn unpack(place: &str, bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, CaptureError> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        let mut limited = GzDecoder::new(bytes).take(BYTES_MAX + 1);
        limited.read_to_end(&mut unpacked).map_err(|error| damaged(place, &error))?;
        if unpacked.len() as u64 > BYTES_MAX {
            return Err(too_large(place, BYTES_MAX));
        }
        return match is_tar(&unpacked) {
            true => entries(place, &unpacked),
            // A single text, packed.
            false => Ok(vec![("paste".to_owned(), unpacked)]),
        };
    }
    entries(place, bytes)
}

/// Returns whether bytes begin with a header of tar, of any of its kinds.
#[must_use]
pub fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

fn entries(place: &str, bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, CaptureError> {
    let mut archive = tar::Archive::new(bytes);
    let mut texts = Vec::new();
    let mut bytes_left = BYTES_MAX;
    for entry in archive.entries().map_err(|error| damaged(place, &error))? {
        let entry = entry.map_err(|error| damaged(place, &error))?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let inside = format!("{place}: {name}");
        if texts.len() >= ENTRIES_MAX {
            let limit = format!("{ENTRIES_MAX} files");
            return Err(CaptureError::TooLarge { place: place.to_owned(), limit });
        }
        let announced = entry.size();
        bytes_left =
            bytes_left.checked_sub(announced).ok_or_else(|| too_large(place, BYTES_MAX))?;
        let mut text = Vec::new();
        let mut limited = entry.take(announced);
        limited.read_to_end(&mut text).map_err(|error| damaged(&inside, &error))?;
        if (text.len() as u64) < announced {
            let why = format!("{announced} bytes announced, {} there", text.len());
            return Err(CaptureError::Damaged { place: inside, why, hint: COPY_AGAIN });
        }
        texts.push((name, text));
    }
    Ok(texts)
}

pub(crate) const COPY_AGAIN: &str = "the archive was truncated or altered; copy it again";

fn damaged(place: &str, error: &std::io::Error) -> CaptureError {
    let why = error.to_string();
    CaptureError::Damaged { place: place.to_owned(), why, hint: COPY_AGAIN }
}

fn too_large(place: &str, limit: u64) -> CaptureError {
    CaptureError::TooLarge { place: place.to_owned(), limit: format!("{} MiB", limit >> 20) }
}
