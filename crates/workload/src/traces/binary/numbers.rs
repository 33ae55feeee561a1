//! The simplest binary format: the number of a page in each four bytes, little-endian.

use arcwright_units::Nanos;

use super::{Record, u32_at};
use crate::traces::{Request, RequestKind};

/// Reads numbers of four bytes.
#[derive(Debug)]
pub(in crate::traces) struct Numbers;

impl Record for Numbers {
    fn length(&self) -> usize {
        4
    }

    fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String> {
        Ok(Some(Request {
            time: Nanos::ZERO,
            place: u64::from(u32_at(record, 0)),
            bytes: 0,
            volume: 0,
            kind: RequestKind::Read,
        }))
    }
}
