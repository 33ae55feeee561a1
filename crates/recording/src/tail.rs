//! The youngest readings, one frame each, so that a reading is on disk as soon as it is taken and a kill loses none.
//!
//! A frame is its length (4 bytes, little-endian), a checksum (CRC-32, 4), and the reading: the layout if it is another
//! one, and numbers as differences from the reading before. A frame that is cut or damaged ends the tail: what follows it cannot be
//! read without it.

use arcwright_kstat::Snapshot;
use arcwright_units::Nanos;
use flate2::Crc;
use serde::{Deserialize, Serialize};

use crate::block::Block;
use crate::layout::Layout;

/// Bytes of frames at which they are packed as a part, at the latest.
pub const TAIL_BYTES_MAX: usize = 4 << 20;
/// Length and checksum.
const HEAD: usize = 8;
/// No reading is larger; ten thousand datasets are four megabytes with their names.
const FRAME_BYTES_MAX: usize = 8 << 20;

/// A reading in a frame.
#[derive(Debug, Serialize, Deserialize)]
struct Frame {
    layout: Option<Layout>,
    at: u64,
    numbers: Vec<i64>,
}

/// The youngest readings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tail {
    block: Block,
    bytes: usize,
}

impl Tail {
    /// Reads frames; returns how many bytes of them are whole.
    #[must_use]
    pub fn read(bytes: &[u8]) -> (Self, usize) {
        let mut tail = Self::default();
        let mut rest = bytes;
        while let Some((frame, after)) = next(rest) {
            if !tail.take(frame) {
                break;
            }
            rest = after;
        }
        tail.bytes = bytes.len() - rest.len();
        let whole = tail.bytes;
        (tail, whole)
    }

    /// Takes a reading that was read from a frame; says whether it continues those before.
    fn take(&mut self, frame: Frame) -> bool {
        let starts_anew = frame.layout.is_some();
        let width = frame.layout.as_ref().or(self.block.layout()).map(Layout::width);
        if width != Some(frame.numbers.len()) {
            return false;
        }
        let before = match self.block.last() {
            Some((_, numbers)) if !starts_anew => numbers,
            _ => vec![0; frame.numbers.len()],
        };
        let numbers = frame.numbers.iter().zip(&before);
        let numbers: Vec<u64> = numbers
            .map(|(difference, before)| before.wrapping_add(difference.cast_unsigned()))
            .collect();
        self.block.push(frame.layout, frame.at, &numbers);
        true
    }

    /// Adds a reading and returns the bytes to append to what was returned before.
    pub fn push(&mut self, reading: &Snapshot) -> Vec<u8> {
        let (layout, numbers) = Layout::of(reading);
        let is_same = self.block.layout() == Some(&layout);
        let before = match self.block.last() {
            Some((_, before)) if is_same => before,
            _ => vec![0; numbers.len()],
        };
        let differences = numbers.iter().zip(&before);
        let differences =
            differences.map(|(number, before)| number.wrapping_sub(*before).cast_signed());
        let layout = (!is_same).then_some(layout);
        let frame =
            Frame { layout: layout.clone(), at: reading.at.0, numbers: differences.collect() };
        let body = postcard::to_allocvec(&frame).unwrap_or_default();
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(HEAD + body.len());
        bytes.extend(length.to_le_bytes());
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        self.block.push(layout, reading.at.0, &numbers);
        self.bytes += bytes.len();
        bytes
    }

    /// Returns the bytes of its frames.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns its readings.
    #[must_use]
    pub const fn block(&self) -> &Block {
        &self.block
    }

    /// Returns when the last reading was taken.
    #[must_use]
    pub fn last_at(&self) -> Option<Nanos> {
        self.block.last().map(|(at, _)| Nanos(at))
    }
}

/// Returns the first frame, if it is whole, and what follows it.
fn next(bytes: &[u8]) -> Option<(Frame, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    if length > FRAME_BYTES_MAX {
        return None;
    }
    let (body, rest) = rest.split_at_checked(length)?;
    if checksum(body) != u32::from_le_bytes(*sum) {
        return None;
    }
    Some((postcard::from_bytes(body).ok()?, rest))
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}
