//! Requests as they are read, until all are known and the files can be laid out.

use arcwright_units::{Bytes, Nanos};

use super::layout::Layout;
use super::{Data, REQUEST_MAX, RecordSizes, Replay, ReplayRequest};
use crate::traces::{Addressing, Request, RequestKind};

/// What lies further is no file's.
const PLACE_MAX: u64 = 1 << 60;

/// A trace that is to be played, as far as it was read.
#[derive(Debug, Default)]
pub struct Recorded {
    requests: Vec<Request>,
    requests_max: usize,
}

impl Recorded {
    /// Begins with nothing, and room for so many requests.
    #[must_use]
    pub fn with_room(requests_max: usize) -> Self {
        Self { requests: Vec::new(), requests_max }
    }

    /// Adds requests; trims are left out.
    ///
    /// # Errors
    /// A sentence, when there are more than there is room for, or one lies beyond what a file can hold.
    pub fn add(&mut self, requests: &[Request]) -> Result<(), String> {
        if self.requests.len() + requests.len() > self.requests_max {
            let most = self.requests_max;
            return Err(format!(
                "the trace has more than {most} requests, and there is no memory for more; play a part of it \
                 (arcwright trace cut)"
            ));
        }
        let far = requests.iter().find(|request| request.place >= PLACE_MAX);
        if let Some(request) = far.filter(|request| request.kind != RequestKind::Flush) {
            return Err(format!("byte {} lies beyond what a file can hold", request.place));
        }
        self.requests.extend(requests.iter().filter(|request| request.kind != RequestKind::Trim));
        Ok(())
    }

    /// Lays out the files, which have a record size, and returns the trace ready to be played; `source` says what the places of
    /// requests are, and whether their times are known.
    ///
    /// # Errors
    /// A sentence, when there is nothing to play.
    pub fn replay(self, source: (Addressing, bool), record: Bytes) -> Result<Replay, String> {
        self.replay_with(source, &RecordSizes::all(record))
    }

    /// The same with a record size for each volume.
    ///
    /// # Errors
    /// A sentence, when there is nothing to play.
    pub fn replay_with(
        mut self,
        source: (Addressing, bool),
        records: &RecordSizes,
    ) -> Result<Replay, String> {
        let (addressing, is_timed) = source;
        if addressing == Addressing::Objects {
            // The number of an object is no place: it begins its own record.
            self.requests.retain(|request| request.kind != RequestKind::Flush);
        }
        // Events of several processors are nearly in order.
        if !self.requests.is_sorted_by_key(|request| request.time) {
            self.requests.sort_by_key(|request| request.time);
        }
        let layout = Layout::of(&self.requests, addressing, records)?;
        let mut requests = Vec::with_capacity(self.requests.len());
        // The number of the last write of each volume, and one.
        let mut written: Vec<u32> = Vec::new();
        for (number, request) in self.requests.iter().enumerate() {
            if request.kind == RequestKind::Flush {
                flush(&mut requests, &written, request.volume);
                continue;
            }
            let place = layout.place(number, request);
            let size = layout.size_of(number, request);
            let write = request.kind == RequestKind::Write;
            if requests.len() as u64 + size / REQUEST_MAX > self.requests_max as u64 {
                return Err(
                    "the trace has requests so large that there is no memory for them".to_owned()
                );
            }
            let mut at = 0;
            while at < size {
                let part = (size - at).min(REQUEST_MAX);
                requests.push(ReplayRequest {
                    at: if is_timed { request.time } else { Nanos::ZERO },
                    offset: place.offset + at,
                    size: u32::try_from(part).unwrap_or(u32::MAX),
                    file: place.file,
                    write,
                    flush: false,
                });
                at += part;
            }
            if write && addressing == Addressing::Bytes {
                let volume = request.volume as usize;
                if written.len() <= volume {
                    written.resize(volume + 1, 0);
                }
                let number = u32::try_from(requests.len()).unwrap_or(u32::MAX);
                written.get_mut(volume).into_iter().for_each(|last| *last = number);
            }
        }
        if requests.is_empty() {
            return Err("the trace neither reads nor writes".to_owned());
        }
        let Layout { files, parts, sharing, .. } = layout;
        Ok(Replay::of(Data {
            files,
            parts,
            requests,
            is_timed,
            record: records.usual(),
            sharing,
            named: records.said(),
            ..Data::default()
        }))
    }
}

/// Lets the last write of a volume be flushed.
fn flush(requests: &mut [ReplayRequest], written: &[u32], volume: u32) {
    let last = written.get(volume as usize).and_then(|number| number.checked_sub(1));
    if let Some(request) = last.and_then(|number| requests.get_mut(number as usize)) {
        request.flush = true;
    }
}
