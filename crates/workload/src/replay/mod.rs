//! A recorded trace as a client plays it: requests to files that hold what the trace touches.
//!
//! ```text
//!   Request, Request, … ─ Recorded ─> Replay: files (what was touched, laid out), requests (time, file, offset, size)
//! ```
//!
//! A trace names devices, files or objects, and tells neither how large they are nor what nobody asked for. So the files of a
//! replay hold what was touched alone:
//!
//! - A device or file that is larger than a record has a file of its own, with the parts of a mebibyte that were touched, in
//!   their order: what was read in a row is read in a row.
//! - One that fits into a record, and an object, has a record of its own, of the least power of two that holds it, in a
//!   file that all of this size share. Neighbours there are strangers: their order is drawn.
//!
//! A flush makes the last write before it, of the same device or file, wait for stable storage. Trims are left out.
//!
//! ```
//! use arcwright_units::{Bytes, Nanos};
//! use arcwright_workload::Recorded;
//! use arcwright_workload::traces::{Addressing, Request, RequestKind};
//!
//! let request = |place: u64| Request {
//!     time: Nanos::ZERO,
//!     place,
//!     bytes: 4096,
//!     volume: 0,
//!     kind: RequestKind::Read,
//! };
//! let mut recorded = Recorded::with_room(1000);
//! // A megabyte, and one that lies far behind it: the file has two.
//! recorded.add(&[request(8192), request(500 << 30)]).unwrap();
//! let replay = recorded.replay((Addressing::Bytes, false), Bytes::kib(128)).unwrap();
//! assert_eq!(replay.files()[0].size, Bytes::mib(1) + Bytes::kib(128));
//! assert_eq!(replay.get(1).unwrap().offset, 1 << 20);
//! ```

mod layout;
mod recorded;
mod records;
mod thin;

use std::sync::{Arc, Mutex};

use arcwright_units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

use crate::traces::Bits;

pub use recorded::Recorded;
pub use records::RecordSizes;

/// No request of a replay is longer; longer ones are played as several.
const REQUEST_MAX: u64 = 16 << 20;
/// Parts of a large file that are kept, or left out, as a whole.
const PART: u64 = 1 << 20;

/// A trace, or a time of it, as a client plays it. Copies share the requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    data: SharedRequests,
    /// Which of the requests.
    from: usize,
    to: usize,
    /// The time of the trace that counts as the beginning.
    since: Nanos,
    /// Whether requests begin at their times, and not as soon as may be.
    is_paced: bool,
    /// Which places are kept when it is thinned.
    sample: u32,
}

/// A file of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayFile {
    /// Its size.
    pub size: Bytes,
    /// Its record size; that of its dataset without one.
    pub recordsize: Option<Bytes>,
}

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Row", into = "Row")]
pub struct ReplayRequest {
    /// When it was made, from the beginning of the trace.
    pub at: Nanos,
    /// The byte where it starts.
    pub offset: u64,
    /// Its length in bytes.
    pub size: u32,
    /// Which of the replay's files.
    pub file: u16,
    /// Whether it writes.
    pub write: bool,
    /// Whether a flush of its file follows.
    pub flush: bool,
}

type Row = (u64, u64, u32, u16, u8);

impl From<ReplayRequest> for Row {
    fn from(one: ReplayRequest) -> Self {
        let what = u8::from(one.write) | u8::from(one.flush) << 1;
        (one.at.0, one.offset, one.size, one.file, what)
    }
}

impl From<Row> for ReplayRequest {
    fn from((at, offset, size, file, what): Row) -> Self {
        let (write, flush) = (what & 1 > 0, what & 2 > 0);
        Self { at: Nanos(at), offset, size, file, write, flush }
    }
}

/// What replays of one trace share.
#[derive(Debug, Clone, Default)]
struct SharedRequests(Arc<Data>);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Data {
    files: Vec<ReplayFile>,
    /// Step in which files are thinned: that of each file's own.
    parts: Vec<u64>,
    requests: Vec<ReplayRequest>,
    is_timed: bool,
    /// The record size of files without one of their own.
    record: u64,
    /// How many files of the trace share one, beside those that fit into a record.
    sharing: usize,
    /// How many of its files have a record size that was said for them.
    #[serde(default)]
    named: usize,
    /// The same, thinned.
    #[serde(skip)]
    thin: Mutex<Vec<(thin::Thinning, SharedRequests)>>,
}

impl PartialEq for SharedRequests {
    fn eq(&self, other: &Self) -> bool {
        let alike =
            |one: &Data, other: &Data| one.files == other.files && one.requests == other.requests;
        Arc::ptr_eq(&self.0, &other.0) || alike(&self.0, &other.0)
    }
}

impl Eq for SharedRequests {}

impl Serialize for SharedRequests {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedRequests {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Data::deserialize(deserializer).map(|data| Self(Arc::new(data)))
    }
}

impl Replay {
    fn of(data: Data) -> Self {
        let (to, is_paced) = (data.requests.len(), data.is_timed);
        let data = SharedRequests(Arc::new(data));
        Self { data, from: 0, to, since: Nanos::ZERO, is_paced, sample: 0 }
    }

    /// Returns the files that it needs.
    #[must_use]
    pub fn files(&self) -> &[ReplayFile] {
        &self.data.0.files
    }

    /// Returns how many files of the trace share one although they are larger than a record: what is read ahead at their ends is read
    /// for nothing, where there was nothing to read.
    #[must_use]
    pub fn sharing(&self) -> usize {
        self.data.0.sharing
    }

    /// Returns how many files of the trace have a record size that was said for them.
    #[must_use]
    pub fn named(&self) -> usize {
        self.data.0.named
    }

    /// Returns whether the trace has times.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.data.0.is_timed
    }

    /// Returns whether requests begin at their times.
    #[must_use]
    pub const fn is_paced(&self) -> bool {
        self.is_paced
    }

    /// Returns a request by its number, with its time from the beginning of this replay on: zero where none is kept to.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<ReplayRequest> {
        let request = self.requests().get(number)?;
        let at = if self.is_paced { request.at - self.since } else { Nanos::ZERO };
        Some(ReplayRequest { at, ..*request })
    }

    /// Returns the requests, with times from the beginning of the trace on.
    #[must_use]
    pub fn requests(&self) -> &[ReplayRequest] {
        self.data.0.requests.get(self.from..self.to).unwrap_or(&[])
    }

    /// Returns the time from its beginning to its last request, as it was recorded.
    #[must_use]
    pub fn duration(&self) -> Nanos {
        self.requests().last().map_or(Nanos::ZERO, |last| last.at - self.since)
    }

    /// Returns whether it writes at all.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.requests().iter().any(|request| request.write)
    }

    /// Returns whether it reads at all.
    #[must_use]
    pub fn reads(&self) -> bool {
        self.requests().iter().any(|request| !request.write)
    }

    /// Returns how much its requests move.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes(self.requests().iter().map(|request| u64::from(request.size)).sum())
    }

    /// Returns its longest request; none without any.
    #[must_use]
    pub fn request_max(&self) -> Option<Bytes> {
        self.requests().iter().map(|request| Bytes(u64::from(request.size))).max()
    }

    /// Returns the same without regard to times: each request as soon as there is room for it.
    #[must_use]
    pub fn unpaced(self) -> Self {
        Self { is_paced: false, ..self }
    }

    /// Returns, of the records that the second half of its requests reads, each as often as it does, the share that nothing asked
    /// for before: what no cache can have.
    #[must_use]
    pub fn first_reads(&self) -> f64 {
        let (one, two) = self.requests().split_at(self.requests().len() / 2);
        let record = |file: &ReplayFile| file.recordsize.map_or(self.data.0.record, |own| own.0);
        let records: Vec<u64> = self.files().iter().map(|file| record(file).max(1)).collect();
        let mut known = vec![Bits::default(); records.len()];
        let mut visit = |requests: &[ReplayRequest], reads_alone: bool| {
            let (mut all, mut fresh) = (0u64, 0u64);
            for request in requests {
                let file = usize::from(request.file);
                let (Some(known), Some(record)) = (known.get_mut(file), records.get(file)) else {
                    continue;
                };
                let end = request.offset + u64::from(request.size);
                for block in request.offset / record..end.div_ceil(*record) {
                    let block = usize::try_from(block).unwrap_or(usize::MAX);
                    let is_new = !known.contains(block);
                    if is_new {
                        known.insert(block);
                    }
                    if !(reads_alone && request.write) {
                        all += 1;
                        fresh += u64::from(is_new);
                    }
                }
            }
            (all, fresh)
        };
        visit(one, false);
        let (all, fresh) = visit(two, true);
        fresh as f64 / all.max(1) as f64
    }

    /// Returns the requests of a time of the trace: from `since` on, and before `until`.
    #[must_use]
    pub fn between(&self, since: Nanos, until: Option<Nanos>) -> Self {
        let begin = self.since + since;
        let first = self.requests().partition_point(|request| request.at < begin);
        let last = until.map_or(self.requests().len(), |until| {
            let end = self.since + until;
            self.requests().partition_point(|request| request.at < end)
        });
        let (from, to) = (self.from + first, self.from + last.max(first));
        Self { from, to, since: begin, ..self.clone() }
    }

    /// Returns the requests from one share of them to another: a half is 0.5.
    #[must_use]
    pub fn share(&self, from: f64, to: f64) -> Self {
        let count = self.requests().len();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a number of requests, in bounds"
        )]
        let number =
            |share: f64| ((share.clamp(0.0, 1.0) * count as f64).round() as usize).min(count);
        let (first, last) = (number(from), number(to));
        let since = self.requests().get(first).map_or(self.since, |request| request.at);
        let since = if first == 0 { self.since } else { since };
        let (from, to) = (self.from + first, self.from + last.max(first));
        Self { from, to, since, ..self.clone() }
    }
}

#[cfg(test)]
mod tests;
