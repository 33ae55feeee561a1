//! oracleGeneral, the binary form of libCacheSim's traces: no head, records of 24 bytes, little-endian: seconds (4
//! bytes), object (8), its size (4), the index of its next request (8), which is not used here.

use arcwright_units::Nanos;

use super::{Record, u32_at, u64_at};
use crate::traces::{Request, RequestKind};

/// Bytes of a record.
pub(in crate::traces) const LENGTH: usize = 24;

/// Reads records of oracleGeneral.
#[derive(Debug)]
pub(in crate::traces) struct Oracle;

impl Record for Oracle {
    fn length(&self) -> usize {
        LENGTH
    }

    fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String> {
        Ok(Some(Request {
            time: Nanos::secs(u64::from(u32_at(record, 0))),
            place: u64_at(record, 4),
            bytes: u32_at(record, 12),
            volume: 0,
            kind: RequestKind::Read,
        }))
    }
}
