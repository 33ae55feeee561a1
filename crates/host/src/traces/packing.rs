//! Unpacks what begins like a packed file, whatever it is called.

use std::io::{BufRead, BufReader, Chain, Cursor, Error, Read, Result};

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// It is not.
    Plain,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
    /// xz.
    Xz,
}

impl Packing {
    /// Returns the name of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
        }
    }

    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            _ => Self::Plain,
        }
    }
}

/// Bytes by which packings are told.
const HEAD: usize = 6;
/// What a packed file says that unpacking it takes may be no more than this.
const XZ_KIB_MAX: u32 = 256 << 10;

type Input = BufReader<Chain<Cursor<Vec<u8>>, Box<dyn Read>>>;

/// Returns what `input` holds once it is unpacked.
pub(super) fn unpacked(mut input: Box<dyn Read>) -> Result<(Box<dyn Read>, Packing)> {
    let mut head = vec![0; HEAD];
    let length = super::fill(&mut input, &mut head)?;
    head.truncate(length);
    let packing = Packing::of(&head);
    let input = BufReader::with_capacity(64 << 10, Cursor::new(head).chain(input));
    let unpacked: Box<dyn Read> = match packing {
        Packing::Plain => Box::new(input),
        Packing::Gzip => Box::new(MultiGzDecoder::new(input)),
        Packing::Xz => Box::new(XzReader::new_mem_limit(input, true, XZ_KIB_MAX)),
        Packing::Zstd => Box::new(Frames { frame: None, rest: Some(input) }),
    };
    Ok((unpacked, packing))
}

type Frame = StreamingDecoder<Input, ruzstd::decoding::FrameDecoder>;

/// The frames of a Zstandard file, one after the other.
struct Frames {
    frame: Option<Frame>,
    /// What comes after the frames that were read.
    rest: Option<Input>,
}

impl Read for Frames {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        loop {
            if let Some(mut frame) = self.frame.take() {
                let length = frame.read(into)?;
                if length > 0 || into.is_empty() {
                    self.frame = Some(frame);
                    return Ok(length);
                }
                self.rest = Some(frame.into_inner());
            }
            let Some(mut rest) = self.rest.take() else { return Ok(0) };
            if rest.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.frame = Some(StreamingDecoder::new(rest).map_err(Error::other)?);
        }
    }
}
