//! The formats that are read, and how one is told from its first bytes.

use arcwright_units::nearest;

use super::binary::{LCS_MAGIC, ORACLE_LENGTH, Vscsi, u32_at, u64_at};
use super::compiled::MAGIC as COMPILED_MAGIC;
use super::text::{Columns, cut, delimiter, fields, is_event, number};
use super::{Addressing, RequestKind};

/// Bytes from which a format is told; a reader that has fewer has the whole trace.
pub const RECOGNIZED_BY: usize = 64 << 10;
/// Lines or records that are looked at.
const LOOKED_AT: usize = 64;

/// How a trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceFormat {
    /// libCacheSim's records of 24 bytes.
    OracleGeneral,
    /// libCacheSim's records behind a head.
    Lcs,
    /// VMware's records of SCSI commands.
    Vscsi,
    /// Page numbers of four bytes.
    Numbers,
    /// Our own compiled form: numbered blocks with their sizes.
    Compiled,
    /// Lines of columns with a line of names.
    Csv,
    /// Microsoft Research Cambridge.
    Msr,
    /// Alibaba's block traces.
    Alibaba,
    /// Tencent's block storage.
    Tencent,
    /// Storage Performance Council.
    Spc,
    /// The log of fio, version 2 or 3.
    Iolog,
    /// The text of `blkparse`.
    Blkparse,
    /// The traces of the ARC paper.
    Lis,
    /// A page number in each line.
    Pages,
    /// Our own trace in Parquet's columns.
    Parquet,
}

impl TraceFormat {
    /// All formats with the names that `--format` takes.
    pub const ALL: [(Self, &'static str); 15] = [
        (Self::OracleGeneral, "oracleGeneral"),
        (Self::Lcs, "lcs"),
        (Self::Vscsi, "vscsi"),
        (Self::Numbers, "numbers"),
        (Self::Compiled, "compiled"),
        (Self::Csv, "csv"),
        (Self::Msr, "msr"),
        (Self::Alibaba, "alibaba"),
        (Self::Tencent, "tencent"),
        (Self::Spc, "spc"),
        (Self::Iolog, "iolog"),
        (Self::Blkparse, "blkparse"),
        (Self::Lis, "lis"),
        (Self::Pages, "pages"),
        (Self::Parquet, "parquet"),
    ];

    /// Returns the name of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(format, _)| *format == self);
        found.map_or("?", |(_, name)| name)
    }

    /// Returns the format of a name, without regard to case.
    ///
    /// # Errors
    /// A sentence with the nearest name.
    pub fn parse(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        found.map(|(format, _)| *format).ok_or_else(|| {
            let names = Self::ALL.map(|(_, name)| name);
            match nearest(name, names) {
                Some(near) => format!("no such format; did you mean “{near}”?"),
                None => format!("no such format; there are {}", names.join(", ")),
            }
        })
    }

    /// Returns what the place of a request is; none where the trace itself tells.
    #[must_use]
    pub fn addressing(self) -> Option<Addressing> {
        match self {
            Self::OracleGeneral | Self::Lcs | Self::Numbers | Self::Compiled | Self::Pages => {
                Some(Addressing::Objects)
            }
            Self::Csv | Self::Parquet => None,
            _ => Some(Addressing::Bytes),
        }
    }

    /// Tells the format from a trace's first bytes ([`RECOGNIZED_BY`] of them, or all) and the name of its file,
    /// without what says how it is packed. None when it is not told with certainty.
    #[must_use]
    pub fn recognize(head: &[u8], name: &str) -> Option<Self> {
        let ends = |end: &str| {
            name.len() >= end.len()
                && name
                    .as_bytes()
                    .iter()
                    .rev()
                    .zip(end.as_bytes().iter().rev())
                    .all(|(a, b)| a.eq_ignore_ascii_case(b))
        };
        if head.starts_with(b"PAR1") {
            return Some(Self::Parquet);
        }
        match u64_at(head, 0) {
            LCS_MAGIC => return Some(Self::Lcs),
            COMPILED_MAGIC => return Some(Self::Compiled),
            _ => {}
        }
        if is_text(head) {
            return of_lines(head, ends(".lis"));
        }
        match () {
            () if ends(".oraclegeneral") || ends(".oraclegeneral.bin") => Some(Self::OracleGeneral),
            () if ends(".vscsi")
                || Vscsi::of(head).is_some_and(|version| all_vscsi(head, version)) =>
            {
                Some(Self::Vscsi)
            }
            () if is_oracle(head) => Some(Self::OracleGeneral),
            () => None,
        }
    }
}

fn is_text(head: &[u8]) -> bool {
    let plain = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..);
    !head.is_empty() && head.iter().all(plain)
}

fn all_vscsi(head: &[u8], version: Vscsi) -> bool {
    use super::binary::Record as _;
    let (mut version, length) = (version, version.length());
    let mut records = head.chunks_exact(length).take(LOOKED_AT);
    records.all(|record| version.request(record).is_ok())
}

/// Without a magic number: seconds never go back, sizes are some, and the next request of an object lies ahead, or is
/// -1 or the largest number.
fn is_oracle(head: &[u8]) -> bool {
    let mut before = 0;
    let mut seen = 0u64;
    for record in head.chunks_exact(ORACLE_LENGTH).take(LOOKED_AT) {
        let (time, bytes) = (u32_at(record, 0), u32_at(record, 12));
        let next = u64_at(record, 16).cast_signed();
        if time < before || bytes == 0 || !(next == -1 || next > seen.cast_signed()) {
            return false;
        }
        before = time;
        seen += 1;
    }
    seen > 0
}

/// Lines tell themselves: by what the first one says, or by the shape that all have.
fn of_lines(head: &[u8], is_lis: bool) -> Option<TraceFormat> {
    // The last line may be cut.
    let whole = head.iter().rposition(|byte| *byte == b'\n').map_or(head.len(), |end| end + 1);
    let lines = head.get(..whole).unwrap_or(head).split(|byte| *byte == b'\n');
    let lines: Vec<&[u8]> =
        lines.map(cut).filter(|line| !line.is_empty()).take(LOOKED_AT).collect();
    let first = *lines.first()?;
    if first.starts_with(b"fio version ") {
        return Some(TraceFormat::Iolog);
    }
    if delimiter(first).is_some_and(|by| Columns::of_names(first, by).is_some()) {
        return Some(TraceFormat::Csv);
    }
    let all = |is: &dyn Fn(&[u8]) -> bool| lines.iter().all(|line| is(line));
    let shaped = |count: usize, kind: usize| {
        move |line: &[u8]| {
            let parts: Vec<&[u8]> = line.split(|byte| *byte == b',').map(cut).collect();
            let named = parts.get(kind).is_some_and(|part| RequestKind::of(part).is_some());
            parts.len() >= count && named
        }
    };
    let letters = |at: usize| {
        move |line: &[u8]| {
            let part = line.split(|byte| *byte == b',').nth(at);
            part.is_some_and(|part| cut(part).iter().all(u8::is_ascii_alphabetic))
        }
    };
    let numbers = |count: usize| {
        move |line: &[u8]| {
            let mut parts = fields(line);
            parts.by_ref().take(count).filter(|part| number(part, "").is_ok()).count() == count
                && parts.next().is_none()
        }
    };
    match () {
        () if is_event(first) => Some(TraceFormat::Blkparse),
        () if all(&shaped(6, 3)) && all(&letters(3)) => Some(TraceFormat::Msr),
        () if all(&shaped(5, 1)) && all(&letters(1)) => Some(TraceFormat::Alibaba),
        () if all(&shaped(5, 3)) && all(&letters(3)) => Some(TraceFormat::Spc),
        () if all(&shaped(5, 3)) => Some(TraceFormat::Tencent),
        () if is_lis || all(&numbers(4)) => Some(TraceFormat::Lis),
        () if all(&|line| line == b"*" || number(line, "").is_ok()) => Some(TraceFormat::Pages),
        () => None,
    }
}
