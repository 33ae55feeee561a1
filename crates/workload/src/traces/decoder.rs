//! What reads each format, and whole records or lines of it from the front of some bytes.

use super::binary::{LcsFile, Numbers, Oracle, Record, VscsiFile};
use super::compiled::Compiled;
use super::reader::ReadOptions;
use super::text::{ALIBABA, Blkparse, Columns, Iolog, Line, Lis, MSR, Pages, SPC, TENCENT, Table};
use super::{Request, TraceFormat, Volumes};

/// The longest line, in bytes.
pub(super) const LINE_MAX: usize = 64 << 10;

/// Where the reader is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) records: u64,
    pub(super) offset: u64,
}

/// A format at work.
#[derive(Debug)]
pub(super) enum Decoder {
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

impl Decoder {
    /// Returns what reads a format.
    pub(super) fn new(format: TraceFormat, options: &ReadOptions) -> Result<Self, String> {
        let table = |preset: &str| Columns::parse(preset).map(|columns| Table::new(Some(columns)));
        Ok(match format {
            TraceFormat::Csv => Self::Table(Table::new(options.columns.clone())),
            other if options.columns.is_some() => {
                return Err(format!(
                    "{} has columns of its own; columns are named for csv",
                    other.name()
                ));
            }
            TraceFormat::OracleGeneral => Self::Oracle(Oracle),
            TraceFormat::Lcs => Self::Lcs(LcsFile::default()),
            TraceFormat::Vscsi => Self::Vscsi(VscsiFile::default()),
            TraceFormat::Numbers => Self::Numbers(Numbers),
            TraceFormat::Compiled => Self::Compiled(Compiled::default()),
            TraceFormat::Msr => Self::Table(table(MSR)?),
            TraceFormat::Alibaba => Self::Table(table(ALIBABA)?),
            TraceFormat::Tencent => Self::Table(table(TENCENT)?),
            TraceFormat::Spc => Self::Table(table(SPC)?),
            TraceFormat::Iolog => Self::Iolog(Iolog::new()),
            TraceFormat::Blkparse => Self::Blkparse(Blkparse::new(options.event)),
            TraceFormat::Lis => Self::Lis(Lis),
            TraceFormat::Pages => Self::Pages(Pages),
            TraceFormat::Parquet => return Err("Parquet is written, not read; let DuckDB write it as CSV: duckdb -c \"COPY (FROM 'FILE') TO '/dev/stdout' (HEADER)\""
                    .to_owned()),
        })
    }

    /// Reads whole records from the front of the bytes.
    pub(super) fn decode(
        &mut self,
        (bytes, volumes): (&[u8], &mut Volumes),
        at: &mut Place,
        into: &mut Vec<Request>,
    ) -> Result<(), String> {
        match self {
            Self::Oracle(one) => records(one, bytes, at, into),
            Self::Lcs(one) => records(one, bytes, at, into),
            Self::Vscsi(one) => records(one, bytes, at, into),
            Self::Numbers(one) => records(one, bytes, at, into),
            Self::Compiled(one) => records(one, bytes, at, into),
            Self::Table(one) => lines(one, (bytes, volumes), at, into),
            Self::Iolog(one) => lines(one, (bytes, volumes), at, into),
            Self::Blkparse(one) => lines(one, (bytes, volumes), at, into),
            Self::Lis(one) => lines(one, (bytes, volumes), at, into),
            Self::Pages(one) => lines(one, (bytes, volumes), at, into),
        }
    }

    /// Returns whether requests have times, as far as it is known.
    pub(super) fn has_times(&self) -> bool {
        match self {
            Self::Numbers(_) | Self::Lis(_) | Self::Pages(_) => false,
            Self::Compiled(compiled) => compiled.has_times(),
            Self::Iolog(log) => log.has_times(),
            Self::Table(table) => table.columns().is_some_and(Columns::has_times),
            _ => true,
        }
    }

    /// Returns the columns of lines that have some, once they are known.
    pub(super) fn columns(&self) -> Option<&Columns> {
        match self {
            Self::Table(table) => table.columns(),
            _ => None,
        }
    }

    /// Says what is missing at the end.
    pub(super) fn finish(&self) -> Result<(), String> {
        match self {
            Self::Compiled(compiled) => compiled.finish(),
            _ => Ok(()),
        }
    }

    /// Returns the bytes of the next record; none for lines.
    pub(super) fn length(&self) -> Option<usize> {
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
    pub(super) fn needed(&self, pending: &[u8], rest: &[u8]) -> Option<usize> {
        match self.length() {
            Some(length) => {
                let needed = length.saturating_sub(pending.len());
                (needed <= rest.len()).then_some(needed)
            }
            None => rest.iter().position(|byte| *byte == b'\n').map(|end| end + 1),
        }
    }

    /// Says why no request was found, where the format knows.
    pub(super) fn why_none(&self) -> Option<String> {
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
