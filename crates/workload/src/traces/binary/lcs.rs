//! lcs, the second binary form of libCacheSim's traces: a head of 8 KiB (a magic number, the version, statistics that
//! are not used here, another magic number), then records.
//!
//! | version | bytes of a record |
//! |---|---|
//! | 1 | seconds 4, object 8, size 4, next request 8 |
//! | 2 | seconds 4, object 8, size 4, operation 1 and tenant 3, next request 8 |
//! | 3 to 8 | seconds 4, object 8, size 8, operation 1 and tenant 3, life time 4, next request 8, and features of 4 each: 0, 1, 2, 4, 8, 16 |

use arcwright_units::Nanos;

use super::{Record, u32_at, u64_at};
use crate::traces::{Request, RequestKind};

/// How a file begins.
pub(in crate::traces) const MAGIC: u64 = 0x1234_5678_9abc_def0;
/// Bytes before the first record.
const HEADER: usize = 8192;

/// Reads records of an lcs file.
#[derive(Debug)]
struct Lcs {
    version: u64,
}

impl Lcs {
    /// Reads the head, which has its length.
    fn new(head: &[u8]) -> Result<Self, String> {
        if u64_at(head, 0) != MAGIC {
            return Err("this is no lcs file: it does not begin with its magic number".to_owned());
        }
        match u64_at(head, 8) {
            version @ 1..=8 => Ok(Self { version }),
            other => Err(format!("lcs of version {other}; versions 1 to 8 are supported")),
        }
    }
}

impl Record for Lcs {
    fn length(&self) -> usize {
        match self.version {
            1 => 24,
            2 => 28,
            3 => 36,
            // Features: 1, 2, 4, 8, 16 numbers of four bytes.
            later => 36 + (4 << (later - 4)),
        }
    }

    fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String> {
        let (bytes, operation) = match self.version {
            1 => (u64::from(u32_at(record, 12)), 1),
            2 => (u64::from(u32_at(record, 12)), u32_at(record, 16) & 0xff),
            _ => (u64_at(record, 12), u32_at(record, 20) & 0xff),
        };
        let bytes = u32::try_from(bytes).map_err(|_| {
            format!("an object of {bytes} bytes; at most {} are supported", u32::MAX)
        })?;
        Ok(kind(operation)?.map(|kind| Request {
            time: Nanos::secs(u64::from(u32_at(record, 0))),
            place: u64_at(record, 4),
            bytes,
            volume: 0,
            kind,
        }))
    }
}

/// libCacheSim numbers operations: 0 none said, 1 get, 2 gets, 3 to 8 ways to set, 9 delete, 10 and 11 counting,
/// 12 read, 13 write, 14 update, 255 not valid.
fn kind(operation: u32) -> Result<Option<RequestKind>, String> {
    Ok(match operation {
        0..=2 | 12 => Some(RequestKind::Read),
        3..=8 | 10 | 11 | 13 | 14 => Some(RequestKind::Write),
        9 => Some(RequestKind::Trim),
        255 => None,
        other => return Err(format!("operation {other} is not known; 0 to 14 are")),
    })
}

/// The head of an lcs file says how long its records are.
#[derive(Debug, Default)]
pub(in crate::traces) struct LcsFile(Option<Lcs>);

impl Record for LcsFile {
    fn length(&self) -> usize {
        self.0.as_ref().map_or(HEADER, Record::length)
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
