//! vscsi, as VMware's tracer writes commands of virtual disks, little-endian.
//!
//! | version | record |
//! |---|---|
//! | 1, 32 bytes | number 4, length in bytes 4, segments 4, command 2, version 2, sector 8, µs 8 |
//! | 2, 40 bytes | command 2, version 2, number 4, length in bytes 4, segments 4, sector 8, µs 8, response 8 |

use arcwright_units::Nanos;

use super::{Record, u16_at, u32_at, u64_at};
use crate::traces::{Request, RequestKind};

/// Bytes of a sector.
const SECTOR: u64 = 512;

/// Reads records of a vscsi file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::traces) enum Vscsi {
    First,
    Second,
}

impl Vscsi {
    /// Tells the version by the first record; none when it is neither.
    pub(in crate::traces) fn of(head: &[u8]) -> Option<Self> {
        [Self::First, Self::Second].into_iter().find(|version| version.fits(head))
    }

    /// Returns whether a record is of this version and says so.
    fn fits(self, record: &[u8]) -> bool {
        record.len() >= self.length() && self.tells(record)
    }

    /// Returns whether the first bytes of a record say that it is of this version.
    fn tells(self, record: &[u8]) -> bool {
        let (at, version) = match self {
            Self::First => (14, 1),
            Self::Second => (2, 2),
        };
        u16_at(record, at) >> 8 == version
    }
}

impl Record for Vscsi {
    fn length(&self) -> usize {
        match self {
            Self::First => 32,
            Self::Second => 40,
        }
    }

    fn request(&mut self, record: &[u8]) -> Result<Option<Request>, String> {
        if !self.fits(record) {
            return Err("the record does not say the version that the first one says".to_owned());
        }
        let (command, bytes, sector, micros) = match self {
            Self::First => (12, 4, 16, 24),
            Self::Second => (0, 8, 16, 24),
        };
        let Some(kind) = kind(u16_at(record, command)) else { return Ok(None) };
        let sector = u64_at(record, sector);
        let place = sector
            .checked_mul(SECTOR)
            .ok_or_else(|| format!("sector {sector} lies behind the end of any disk"))?;
        Ok(Some(Request {
            time: Nanos::micros(u64_at(record, micros)),
            place,
            bytes: u32_at(record, bytes),
            volume: 0,
            kind,
        }))
    }
}

/// SCSI commands of 6, 10, 12 and 16 bytes; others ask for no data.
fn kind(command: u16) -> Option<RequestKind> {
    match command {
        0x08 | 0x28 | 0xa8 | 0x88 => Some(RequestKind::Read),
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Some(RequestKind::Write),
        0x35 | 0x91 => Some(RequestKind::Flush),
        0x42 => Some(RequestKind::Trim),
        _ => None,
    }
}

/// The first record of a vscsi file says its version; both versions say theirs within the first 32 bytes.
#[derive(Debug, Default)]
pub(in crate::traces) struct VscsiFile {
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
