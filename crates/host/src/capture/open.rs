//! Opening what a path leads to: an archive, a folder, a text, standard input.

use std::path::Path;

use arcwright_capture::{BYTES_MAX, CaptureError, Opened, assemble, decoded, open_whole_bytes};
use arcwright_machine::Sources;
use arcwright_units::visible_path;

use super::folder::Walk;
use crate::plain::{FileError, read_bounded, read_file};
use crate::record::{Recording, Window, is_recording};

/// Opens a capture, a folder or a text; `-` is standard input.
///
/// # Errors
/// [`CaptureError`] with the place and what to do.
pub fn open(path: &Path) -> Result<Sources, CaptureError> {
    open_whole(path).map(|opened| opened.sources)
}

/// Opens like [`open`], with what a capture says of itself.
///
/// # Errors
/// As [`open`].
pub fn open_whole(path: &Path) -> Result<Opened, CaptureError> {
    if path == Path::new("-") {
        let place = "standard input";
        let bytes = read_bounded(std::io::stdin().lock(), BYTES_MAX);
        return open_whole_bytes(place, &bytes.map_err(|error| explained(place, error))?);
    }
    let place = visible_path(path);
    if is_recording(path) {
        let recording = Recording::open(path).and_then(|found| found.sources(Window::Whole));
        let sources =
            recording.map_err(|error| CaptureError::Recording { error: error.to_string() })?;
        return Ok(Opened { sources, ..Opened::default() });
    }
    if path.is_dir() {
        return assemble(&place, Walk::through(path, BYTES_MAX)?);
    }
    let bytes = read_file(path, BYTES_MAX).map_err(|error| explained(&place, error))?;
    open_whole_bytes(&place, &bytes)
}

/// Reads a small text file that somebody wrote, such as a list of what to ignore.
///
/// # Errors
/// [`CaptureError`] when it is no file, too large, or no text.
pub fn read_text(path: &Path) -> Result<String, CaptureError> {
    /// Nobody writes more by hand.
    const TEXT_MAX: u64 = 4 << 20;
    let place = visible_path(path);
    let bytes = read_file(path, TEXT_MAX).map_err(|error| match error {
        FileError::TooLarge { .. } => {
            CaptureError::TooLong { place: place.clone(), limit: "4 MiB" }
        }
        other => explained(&place, other),
    })?;
    decoded(&bytes).ok_or(CaptureError::NoText { place })
}

fn explained(place: &str, error: FileError) -> CaptureError {
    let place = place.to_owned();
    match error {
        FileError::Read(error) => CaptureError::Read { path: place, error },
        FileError::Kind(kind) => CaptureError::NotAFile { place, kind },
        FileError::TooLarge { .. } => {
            CaptureError::TooLarge { place, limit: format!("{} MiB", BYTES_MAX >> 20) }
        }
    }
}
