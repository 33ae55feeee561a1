//! Traces: who asked for what, recorded elsewhere.
//!
//! ```text
//!  bytes ─ TraceReader ─> Request, Request, … ─ Blocks ─> Trace (numbered blocks) ─> curves, replays
//!                              └─ TraceWriter ─> bytes of another format
//! ```
//!
//! A [`TraceReader`] takes the bytes of any [`TraceFormat`] piece by piece; a [`Trace`] is a row of block numbers, 0, 1, 2 …
//! in the order of their first access, so that whoever replays it can use flat arrays. Files and what unpacks them are the
//! caller's.
//!
//! ```
//! use arcwright_workload::traces::{BlockOptions, Blocks, ReadOptions, TraceFormat, TraceReader};
//!
//! let text = b"time,offset,size,op\n0.0,4096,4096,R\n0.5,0,8192,R\n";
//! let format = TraceFormat::recognize(text, "").unwrap();
//! let mut reader = TraceReader::new(format, &ReadOptions::default()).unwrap();
//! let mut requests = Vec::new();
//! reader.push(text, &mut requests).unwrap();
//! reader.finish(&mut requests).unwrap();
//!
//! let mut blocks = Blocks::new(BlockOptions::of(arcwright_units::Bytes::kib(4)));
//! blocks.add(&requests).unwrap();
//! assert_eq!(blocks.finish().accesses, [0, 1, 0]);
//! ```

mod binary;
mod bits;
mod blocks;
mod compiled;
mod decoder;
mod error;
mod format;
mod intern;
mod reader;
mod request;
mod statistics;
#[cfg(test)]
mod tests;
mod text;
mod volumes;
mod writer;

pub use bits::Bits;
pub use blocks::{ACCESSES_MAX, BlockOptions, Blocks};
pub use compiled::compile;
pub use error::TraceError;
pub use format::{RECOGNIZED_BY, TraceFormat};
pub(crate) use intern::{Interner, TOGETHER};
pub use reader::{ReadOptions, TraceReader, TraceSource};
pub use request::{Addressing, Request, RequestKind};
pub use statistics::{Amount, TraceStatistics};
pub use text::Columns;
pub use volumes::Volumes;
pub use writer::TraceWriter;

/// A sequence of accesses to blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// Number of the block of each access.
    pub accesses: Vec<u32>,
    /// How many blocks there are; every access is below it.
    pub pages: u32,
    /// Bytes of each block, zero where the trace does not say; empty: nothing is known of any.
    pub bytes: Vec<u32>,
    /// Which accesses write.
    pub writes: Bits,
    /// Milliseconds of each access since the first; empty where times are not known or not kept.
    pub millis: Vec<u32>,
    /// Bytes of every block, where requests were cut into blocks; otherwise 0.
    pub block_bytes: u64,
}

/// Reads a trace that is in memory as a whole.
///
/// # Errors
/// [`TraceError`] with the record that cannot be understood, or when there are too many accesses.
pub fn read(bytes: &[u8], format: TraceFormat, options: BlockOptions) -> Result<Trace, TraceError> {
    /// Bytes whose requests are in memory together.
    const PIECE: usize = 24 << 13;
    let is_whole = format == TraceFormat::Compiled && options.accesses_max == ACCESSES_MAX;
    if is_whole
        && options.block.is_none()
        && let Some(trace) = compiled::decompile(bytes, options.times)
    {
        return Ok(trace);
    }
    let fault = |problem| TraceError { record: 1, offset: 0, problem };
    let mut reader = TraceReader::new(format, &ReadOptions::default()).map_err(fault)?;
    let mut blocks = Blocks::new(options);
    let mut requests = Vec::new();
    for piece in bytes.chunks(PIECE) {
        reader.push(piece, &mut requests)?;
        blocks.add(&requests).map_err(fault)?;
        requests.clear();
    }
    reader.finish(&mut requests)?;
    blocks.add(&requests).map_err(fault)?;
    Ok(blocks.finish())
}
