//! Reads a trace of any format, piece by piece as it comes from a file or from what unpacks one.
//!
//! Work and memory are linear in what was pushed; a record or a line that is longer than it may be is an error.

use arcwright_units::Nanos;

use super::binary::{LCS_HEADER, Lcs, Numbers, Oracle, Record, Vscsi};
use super::compiled::Compiled;
use super::text::{ALIBABA, Blkparse, Columns, Iolog, Line, Lis, MSR, Pages, SPC, TENCENT, Table};
use super::{Addressing, Request, TraceError, TraceFormat, Volumes};

/// The longest line, in bytes.
const LINE_MAX: usize = 64 << 10;

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

/// Where the reader is.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    records: u64,
    offset: u64,
}

#[derive(Debug)]
enum Decoder {
    Oracle(Oracle),
    Lcs(LcsFile),
    Vscsi(VscsiFile),
    Numbers(Numbers),
    Compiled(Compiled),
    Table(Table),
    Iolog(Iolog),
    Blkparse(Blkparse),
    Lis(Lis),
    Pages(Pages),
}

impl TraceReader {
    /// Reads a trace of a format.
    ///
    /// # Errors
    /// When the format is one that is not read as a stream (Parquet), or takes no columns.
    pub fn new(format: TraceFormat, options: &ReadOptions) -> Result<Self, String> {
        let table = |preset: &str| Columns::parse(preset).map(|columns| Table::new(Some(columns)));
        let decoder = match format {
            TraceFormat::Csv => Decoder::Table(Table::new(options.columns.clone())),
            other if options.columns.is_some() => {
                return Err(format!(
                    "{} has columns of its own; columns are named for csv",
                    other.name()
                ));
            }
            TraceFormat::OracleGeneral => Decoder::Oracle(Oracle),
            TraceFormat::Lcs => Decoder::Lcs(LcsFile::default()),
            TraceFormat::Vscsi => Decoder::Vscsi(VscsiFile::default()),
            TraceFormat::Numbers => Decoder::Numbers(Numbers),
            TraceFormat::Compiled => Decoder::Compiled(Compiled::default()),
            TraceFormat::Msr => Decoder::Table(table(MSR)?),
            TraceFormat::Alibaba => Decoder::Table(table(ALIBABA)?),
            TraceFormat::Tencent => Decoder::Table(table(TENCENT)?),
            TraceFormat::Spc => Decoder::Table(table(SPC)?),
            TraceFormat::Iolog => Decoder::Iolog(Iolog::new()),
            TraceFormat::Blkparse => Decoder::Blkparse(Blkparse::new(options.event)),
            TraceFormat::Lis => Decoder::Lis(Lis),
            TraceFormat::Pages => Decoder::Pages(Pages),
            TraceFormat::Parquet => return Err("Parquet is not read as a stream".to_owned()),
        };
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
        if let Decoder::Compiled(compiled) = &self.decoder
            && let Err(problem) = compiled.finish()
        {
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
        self.timed = match &self.decoder {
            Decoder::Numbers(_) | Decoder::Lis(_) | Decoder::Pages(_) => false,
            Decoder::Compiled(compiled) => compiled.has_times(),
            Decoder::Iolog(log) => log.has_times(),
            Decoder::Table(table) => table.columns().is_some_and(Columns::has_times),
            _ => true,
        };
        if let Decoder::Table(table) = &self.decoder
            && let Some(columns) = table.columns()
        {
            self.addressing = columns.addressing();
        }
    }

    fn decode(&mut self, bytes: &[u8], into: &mut Vec<Request>) -> Result<usize, TraceError> {
        let before = into.len();
        let mut place = self.place;
        let (volumes, at) = (&mut self.volumes, &mut place);
        let result = match &mut self.decoder {
            Decoder::Oracle(one) => records(one, bytes, at, into),
            Decoder::Lcs(one) => records(one, bytes, at, into),
            Decoder::Vscsi(one) => records(one, bytes, at, into),
            Decoder::Numbers(one) => records(one, bytes, at, into),
            Decoder::Compiled(one) => records(one, bytes, at, into),
            Decoder::Table(one) => lines(one, (bytes, volumes), at, into),
            Decoder::Iolog(one) => lines(one, (bytes, volumes), at, into),
            Decoder::Blkparse(one) => lines(one, (bytes, volumes), at, into),
            Decoder::Lis(one) => lines(one, (bytes, volumes), at, into),
            Decoder::Pages(one) => lines(one, (bytes, volumes), at, into),
        };
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

impl Decoder {
    /// Returns the bytes of the next record; none for lines.
    fn length(&self) -> Option<usize> {
        Some(match self {
            Self::Oracle(one) => one.length(),
            Self::Lcs(one) => one.length(),
            Self::Vscsi(one) => one.length(),
            Self::Numbers(one) => one.length(),
            Self::Compiled(one) => one.length(),
            _ => return None,
        })
    }

    /// Returns how much of `rest` completes the record that is pending; none when it does not.
    fn needed(&self, pending: &[u8], rest: &[u8]) -> Option<usize> {
        match self.length() {
            Some(length) => {
                let needed = length.saturating_sub(pending.len());
                (needed <= rest.len()).then_some(needed)
            }
            None => rest.iter().position(|byte| *byte == b'\n').map(|end| end + 1),
        }
    }

    fn why_none(&self) -> Option<String> {
        match self {
            Self::Blkparse(one) => one.why_none(),
            _ => None,
        }
    }
}

/// Reads whole records from the front of `bytes`.
fn records(
    decoder: &mut impl Record,
    bytes: &[u8],
    at: &mut Place,
    into: &mut Vec<Request>,
) -> Result<(), String> {
    let mut rest = bytes;
    loop {
        let length = decoder.length();
        let mut taken = 0;
        for record in rest.chunks_exact(length) {
            let counts = !decoder.is_head();
            if let Some(request) = decoder.request(record)? {
                into.push(request);
            }
            taken += length;
            at.records += u64::from(counts);
            at.offset += length as u64;
            // A head is followed by records of another length.
            if decoder.length() != length {
                break;
            }
        }
        rest = rest.get(taken..).unwrap_or(&[]);
        if rest.len() < decoder.length() {
            return Ok(());
        }
    }
}

/// Reads whole lines from the front of the bytes.
fn lines(
    decoder: &mut impl Line,
    (bytes, volumes): (&[u8], &mut Volumes),
    at: &mut Place,
    into: &mut Vec<Request>,
) -> Result<(), String> {
    let mut rest = bytes;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (line, after) = rest.split_at(end);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > LINE_MAX {
            return Err(format!("a line of more than {LINE_MAX} bytes"));
        }
        if !line.trim_ascii_start().is_empty()
            && let Some(request) = decoder.request(line, volumes)?
        {
            into.push(request);
        }
        rest = after.get(1..).unwrap_or(&[]);
        at.records += 1;
        at.offset += end as u64 + 1;
    }
    Ok(())
}

impl Record for Compiled {
    fn length(&self) -> usize {
        Self::length(self)
    }

    fn is_head(&self) -> bool {
        !self.is_open()
    }

    fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String> {
        Self::request(self, record)
    }
}

/// The head of an lcs file says how long its records are.
#[derive(Debug, Default)]
struct LcsFile(Option<Lcs>);

impl Record for LcsFile {
    fn length(&self) -> usize {
        self.0.as_ref().map_or(LCS_HEADER, Record::length)
    }

    fn is_head(&self) -> bool {
        self.0.is_none()
    }

    fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String> {
        if let Some(lcs) = &mut self.0 {
            return lcs.request(record);
        }
        self.0 = Some(Lcs::new(record)?);
        Ok(None)
    }
}

/// The first record of a vscsi file says its version; both versions say theirs within the first 32 bytes.
#[derive(Debug, Default)]
struct VscsiFile {
    version: Option<Vscsi>,
    /// The first 32 bytes, of a record that is longer.
    begun: Vec<u8>,
}

impl Record for VscsiFile {
    fn length(&self) -> usize {
        match self.version {
            None => Vscsi::First.length(),
            Some(version) => version.length() - self.begun.len(),
        }
    }

    fn is_head(&self) -> bool {
        // The first record of the second version comes in two parts.
        self.version == Some(Vscsi::Second) && !self.begun.is_empty()
    }

    fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String> {
        let Some(mut version) = self.version else {
            if Vscsi::First.fits(record) {
                self.version = Some(Vscsi::First);
                return Vscsi::First.request(record);
            }
            if !Vscsi::Second.tells(record) {
                return Err("the first record does not say that it is of version 1 or 2".to_owned());
            }
            self.version = Some(Vscsi::Second);
            self.begun = record.to_vec();
            return Ok(None);
        };
        if self.begun.is_empty() {
            return version.request(record);
        }
        let mut whole = std::mem::take(&mut self.begun);
        whole.extend_from_slice(record);
        version.request(&whole)
    }
}
