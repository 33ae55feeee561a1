//! A trace file, read to be played by a client.

use std::error::Error as _;
use std::path::Path;

use arcwright_scenario::WantedTrace;
use arcwright_workload::traces::{Addressing, ReadOptions, Request, TraceReader};
use arcwright_workload::{RecordSizes, Recorded, Replay};

use super::{TakesRequests, TraceFileError, TraceFileOptions, read_trace};
use crate::memory::free_memory;

/// Requests of a replay at most, and the memory of one: as it is read, as it is played, thinned, and in a list of places.
const REQUESTS_MAX: u64 = 1 << 28;
const BYTES_OF_ONE: u64 = 100;

/// Reads a trace, wherever its file is, and lays out the files that it is played on.
///
/// # Errors
/// Why not, in one sentence with all causes.
pub fn replay(path: &Path, wanted: &WantedTrace<'_>) -> Result<Replay, String> {
    let WantedTrace { format, columns, .. } = wanted.clone();
    let read = ReadOptions { columns, ..ReadOptions::default() };
    read_replay(path, &TraceFileOptions { format, read }, wanted).map_err(|error| {
        let why = error.source().map(|why| format!(": {why}"));
        format!("{error}{}", why.unwrap_or_default())
    })
}

fn read_replay(
    path: &Path,
    options: &TraceFileOptions,
    wanted: &WantedTrace<'_>,
) -> Result<Replay, TraceFileError> {
    let room = free_memory().map_or(REQUESTS_MAX, |free| free.0 / BYTES_OF_ONE).min(REQUESTS_MAX);
    let mut taken = Taken {
        recorded: Recorded::with_room(usize::try_from(room).unwrap_or(usize::MAX)),
        addressing: Addressing::Bytes,
        wanted,
        records: RecordSizes::all(wanted.recordsize),
    };
    let file = read_trace(path, options, &mut taken)?;
    let source = (taken.addressing, file.source.timed);
    let replay = taken.recorded.replay_with(source, &taken.records);
    replay.map_err(|problem| TraceFileError::Refused { path: path.to_owned(), problem })
}

struct Taken<'a> {
    recorded: Recorded,
    addressing: Addressing,
    wanted: &'a WantedTrace<'a>,
    records: RecordSizes,
}

impl TakesRequests for Taken<'_> {
    fn take(&mut self, requests: &[Request], reader: &mut TraceReader) -> Result<(), String> {
        self.addressing = reader.addressing();
        let volumes = reader.volumes();
        while !self.wanted.recordsizes.is_empty() && self.records.looked_at() < volumes.count() {
            let number = u32::try_from(self.records.looked_at()).unwrap_or(u32::MAX);
            let name = volumes.name(number);
            self.records.next(name.and_then(|name| self.wanted.recordsize_of(&name)));
        }
        self.recorded.add(requests)
    }
}
