//! Reads a trace of any format, piece by piece as it comes from a file or from what unpacks one.
//!
//! Work and memory are linear in what was pushed; a record or a line that is longer than it may be is an error.

use arcwright_units::Nanos;

use super::decoder::{Decoder, LINE_MAX, Place};
use super::text::Columns;
use super::{Addressing, Request, TraceError, TraceFormat, Volumes};

/// What is told about a trace beside its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// Columns, where the trace does not name them itself.
    pub columns: Option<Columns>,
    /// The action of `blkparse` that is a request, a capital letter.
    pub event: u8,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { columns: None, event: b'Q' }
    }
}

/// Reads one trace.
#[derive(Debug)]
pub struct TraceReader {
    decoder: Decoder,
    volumes: Volumes,
    /// The beginning of a record whose rest has not come.
    pending: Vec<u8>,
    place: Place,
    /// The time of the first request, from which all count.
    first: Option<Nanos>,
    requests: u64,
    addressing: Addressing,
    timed: bool,
}

impl TraceReader {
    /// Reads a trace of a format.
    ///
    /// # Errors
    /// When the format is one that is not read as a stream (Parquet), or takes no columns.
    pub fn new(format: TraceFormat, options: &ReadOptions) -> Result<Self, String> {
        let decoder = Decoder::new(format, options)?;
        Ok(Self {
            decoder,
            volumes: Volumes::default(),
            pending: Vec::new(),
            place: Place::default(),
            first: None,
            requests: 0,
            addressing: format.addressing().unwrap_or(Addressing::Bytes),
            timed: false,
        })
    }

    /// Reads what `bytes` completes and appends its requests.
    ///
    /// # Errors
    /// [`TraceError`] with the record that cannot be understood; those before it have been appended.
    pub fn push(&mut self, bytes: &[u8], into: &mut Vec<Request>) -> Result<(), TraceError> {
        let begun = into.len();
        let mut rest = bytes;
        // A record that began in the piece before: its rest alone is copied.
        while !self.pending.is_empty() {
            let Some(needed) = self.decoder.needed(&self.pending, rest) else {
                self.pending.extend_from_slice(rest);
                self.check_pending()?;
                rest = &[];
                break;
            };
            let (more, after) = rest.split_at(needed.min(rest.len()));
            self.pending.extend_from_slice(more);
            rest = after;
            let pending = std::mem::take(&mut self.pending);
            let taken = self.decode(&pending, into)?;
            self.pending.extend_from_slice(pending.get(taken..).unwrap_or(&[]));
            if rest.is_empty() {
                break;
            }
        }
        if !rest.is_empty() {
            let taken = self.decode(rest, into)?;
            self.pending.extend_from_slice(rest.get(taken..).unwrap_or(&[]));
            self.check_pending()?;
        }
        self.count_from_the_first(begun, into);
        Ok(())
    }

    /// Reads what is left at the end of the trace.
    ///
    /// # Errors
    /// [`TraceError`] when the last record is cut off, or there was none.
    pub fn end(&mut self, into: &mut Vec<Request>) -> Result<(), TraceError> {
        let begun = into.len();
        if !self.pending.is_empty() {
            if self.decoder.length().is_some() {
                let problem = format!(
                    "the trace ends in the middle of a record, after {} of its bytes",
                    self.pending.len()
                );
                return Err(self.fault(problem));
            }
            // A last line without its end.
            let mut pending = std::mem::take(&mut self.pending);
            pending.push(b'\n');
            self.decode(&pending, into)?;
            self.count_from_the_first(begun, into);
        }
        if let Err(problem) = self.decoder.finish() {
            return Err(self.fault(problem));
        }
        if self.requests == 0 {
            let why = self.decoder.why_none();
            return Err(self.fault(why.unwrap_or_else(|| "the trace has no request".to_owned())));
        }
        Ok(())
    }

    /// Reads what is left, and returns what the trace spoke of.
    ///
    /// # Errors
    /// [`TraceError`] as of [`Self::end`].
    pub fn finish(mut self, into: &mut Vec<Request>) -> Result<TraceSource, TraceError> {
        self.end(into)?;
        Ok(self.into_source())
    }

    /// Returns what the trace spoke of.
    #[must_use]
    pub fn into_source(mut self) -> TraceSource {
        self.tell_by_columns();
        TraceSource { volumes: self.volumes, addressing: self.addressing, timed: self.timed }
    }

    /// Returns whether requests have times, as far as it is known.
    #[must_use]
    pub fn is_timed(&mut self) -> bool {
        self.tell_by_columns();
        self.timed
    }

    /// Returns the devices or files that have been met.
    #[must_use]
    pub fn volumes(&self) -> &Volumes {
        &self.volumes
    }

    /// Returns how many records or lines were read.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.place.records
    }

    /// Returns what the place of a request is, as far as it is known.
    #[must_use]
    pub fn addressing(&mut self) -> Addressing {
        self.tell_by_columns();
        self.addressing
    }

    fn tell_by_columns(&mut self) {
        self.timed = self.decoder.has_times();
        if let Some(columns) = self.decoder.columns() {
            self.addressing = columns.addressing();
        }
    }

    fn decode(&mut self, bytes: &[u8], into: &mut Vec<Request>) -> Result<usize, TraceError> {
        let before = into.len();
        let mut place = self.place;
        let result = self.decoder.decode((bytes, &mut self.volumes), &mut place, into);
        let taken = place.offset - self.place.offset;
        self.place = place;
        self.requests += (into.len() - before) as u64;
        match result {
            Ok(()) => Ok(usize::try_from(taken).unwrap_or(bytes.len())),
            Err(problem) => Err(self.fault(problem)),
        }
    }

    /// Makes times count from the first request on.
    fn count_from_the_first(&mut self, begun: usize, into: &mut [Request]) {
        let Some(requests) = into.get_mut(begun..) else { return };
        let Some(one) = requests.first() else { return };
        let first = *self.first.get_or_insert(one.time);
        if first > Nanos::ZERO {
            for request in requests {
                request.time = Nanos(request.time.0.saturating_sub(first.0));
            }
        }
    }

    fn check_pending(&self) -> Result<(), TraceError> {
        match self.decoder.length() {
            None if self.pending.len() > LINE_MAX => {
                Err(self.fault(format!("a line of more than {LINE_MAX} bytes")))
            }
            _ => Ok(()),
        }
    }

    fn fault(&self, problem: String) -> TraceError {
        TraceError { record: self.place.records + 1, offset: self.place.offset, problem }
    }
}

/// What a trace spoke of.
#[derive(Debug, Clone)]
pub struct TraceSource {
    /// Its devices or files.
    pub volumes: Volumes,
    /// What the place of a request is.
    pub addressing: Addressing,
    /// Whether requests have times.
    pub timed: bool,
}
