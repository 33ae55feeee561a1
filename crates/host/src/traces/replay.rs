//! A trace file, read to be played by a client.

use std::path::Path;

use arcwright_units::Bytes;
use arcwright_workload::traces::{Addressing, Request, TraceReader};
use arcwright_workload::{Recorded, Replay};

use super::{TakesRequests, TraceFileError, TraceFileOptions, read_trace};
use crate::memory::free_memory;

/// Requests of a replay at most, and the memory of one: as it is read, as it is played, thinned, and in a list of places.
const REQUESTS_MAX: u64 = 1 << 28;
const BYTES_OF_ONE: u64 = 100;

/// Reads a trace and lays out the files that it is played on, which have this record size.
///
/// # Errors
/// [`TraceFileError`].
pub fn replay(
    path: &Path,
    options: &TraceFileOptions,
    recordsize: Bytes,
) -> Result<Replay, TraceFileError> {
    let room = free_memory().map_or(REQUESTS_MAX, |free| free.0 / BYTES_OF_ONE).min(REQUESTS_MAX);
    let mut taken = Taken {
        recorded: Recorded::with_room(usize::try_from(room).unwrap_or(usize::MAX)),
        addressing: Addressing::Bytes,
    };
    let file = read_trace(path, options, &mut taken)?;
    let source = (taken.addressing, file.source.timed);
    let replay = taken.recorded.replay(source, recordsize);
    replay.map_err(|problem| TraceFileError::Refused { path: path.to_owned(), problem })
}

/// Reads a trace as [`replay`] does.
///
/// # Errors
/// Why not, in one sentence with all causes.
pub fn replay_in_words(
    path: &Path,
    options: &TraceFileOptions,
    recordsize: Bytes,
) -> Result<Replay, String> {
    replay(path, options, recordsize).map_err(|error| {
        let why = std::error::Error::source(&error).map(|why| format!(": {why}"));
        format!("{error}{}", why.unwrap_or_default())
    })
}

struct Taken {
    recorded: Recorded,
    addressing: Addressing,
}

impl TakesRequests for Taken {
    fn take(&mut self, requests: &[Request], reader: &mut TraceReader) -> Result<(), String> {
        self.addressing = reader.addressing();
        self.recorded.add(requests)
    }
}
