//! Trace files: opened, unpacked and read to their end, in memory that does not grow with them.

mod packing;
mod replay;

use std::fs::File;
use std::io::{Read, stdin};
use std::path::{Path, PathBuf};

use arcwright_units::visible_path;
use arcwright_workload::traces::{
    RECOGNIZED_BY, ReadOptions, Request, TraceError, TraceFormat, TraceReader, TraceSource,
};

use crate::plain::kind_of;
pub use packing::Packing;
pub use replay::replay;

/// Bytes that are read together: whole records of 24 bytes, which are most frequent.
const PIECE: usize = 24 << 13;

/// Why a trace could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// The file could not be opened or read.
    #[error("failed to read {}", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It is packed, and cannot be unpacked to its end.
    #[error(
        "{}: the {packing} file is damaged or cut off, after {unpacked} unpacked bytes",
        shown(path)
    )]
    Packed {
        /// The file.
        path: PathBuf,
        /// How it is packed.
        packing: &'static str,
        /// What could be unpacked, in bytes.
        unpacked: u64,
    },
    /// There is nothing in it.
    #[error("{} is empty", shown(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It is no file: a folder, a device.
    #[error("{} is {kind}, not a trace", shown(path))]
    NoFile {
        /// What was named.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// Its format is not told by its first bytes.
    #[error(
        "{}: the format is not known; name it with --format ({})",
        shown(path),
        TraceFormat::ALL.map(|(_, name)| name).join(", ")
    )]
    NotRecognized {
        /// The file.
        path: PathBuf,
    },
    /// What was told about the trace does not fit its format.
    #[error("{}: {problem}", shown(path))]
    Options {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        problem: String,
    },
    /// A record cannot be understood.
    #[error("{}", shown(path))]
    Trace {
        /// The file.
        path: PathBuf,
        /// Which, and why.
        source: TraceError,
    },
    /// Whoever takes the requests cannot take more.
    #[error("{}: {problem}", shown(path))]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
}

fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { visible_path(path) }
}

/// What is told about a trace file.
#[derive(Debug, Clone, Default)]
pub struct TraceFileOptions {
    /// Its format; none: told by its first bytes.
    pub format: Option<TraceFormat>,
    /// What the format leaves open.
    pub read: ReadOptions,
}

/// What a trace file was.
#[derive(Debug, Clone)]
pub struct TraceFile {
    /// Its format.
    pub format: TraceFormat,
    /// How it is packed.
    pub packing: Packing,
    /// Devices or files, what places are, whether there are times.
    pub source: TraceSource,
    /// Bytes after unpacking.
    pub bytes: u64,
}

/// Takes the requests of a trace as they come.
pub trait TakesRequests {
    /// Takes some requests; `reader` knows the names of devices so far.
    ///
    /// # Errors
    /// A sentence that says why no more can be taken, which ends the reading.
    fn take(&mut self, requests: &[Request], reader: &mut TraceReader) -> Result<(), String>;
}

/// Reads a trace file, or standard input for `-`, to its end.
///
/// # Errors
/// [`TraceFileError`]; what was taken before it is of no use.
pub fn read_trace(
    path: &Path,
    options: &TraceFileOptions,
    taker: &mut dyn TakesRequests,
) -> Result<TraceFile, TraceFileError> {
    let failed = |source| TraceFileError::Read { path: path.to_owned(), source };
    let trace = |source| TraceFileError::Trace { path: path.to_owned(), source };
    let refused = |problem| TraceFileError::Refused { path: path.to_owned(), problem };
    let (mut input, packing) = packing::unpacked(open(path)?).map_err(failed)?;
    let mut bytes = 0;
    let mut piece = vec![0; RECOGNIZED_BY];
    let mut next = |piece: &mut [u8], unpacked: u64| {
        fill(&mut input, piece).map_err(|source| match packing {
            Packing::Plain => failed(source),
            _ => {
                TraceFileError::Packed { path: path.to_owned(), packing: packing.name(), unpacked }
            }
        })
    };
    let mut length = next(&mut piece, 0)?;
    if length == 0 {
        return Err(TraceFileError::Empty { path: path.to_owned() });
    }
    let head = piece.get(..length).unwrap_or(&[]);
    let format = match options.format {
        Some(format) => Some(format),
        None if options.read.columns.is_some() => Some(TraceFormat::Csv),
        None => TraceFormat::recognize(head, &name_of(path)),
    };
    let format = format.ok_or_else(|| TraceFileError::NotRecognized { path: path.to_owned() })?;
    let mut reader = TraceReader::new(format, &options.read)
        .map_err(|problem| TraceFileError::Options { path: path.to_owned(), problem })?;
    let mut requests = Vec::new();
    while length > 0 {
        bytes += length as u64;
        reader.push(piece.get(..length).unwrap_or(&[]), &mut requests).map_err(trace)?;
        taker.take(&requests, &mut reader).map_err(refused)?;
        requests.clear();
        piece.resize(PIECE, 0);
        length = next(&mut piece, bytes)?;
    }
    reader.end(&mut requests).map_err(trace)?;
    taker.take(&requests, &mut reader).map_err(refused)?;
    Ok(TraceFile { format, packing, source: reader.into_source(), bytes })
}

fn open(path: &Path) -> Result<Box<dyn Read>, TraceFileError> {
    if path == Path::new("-") {
        return Ok(Box::new(stdin().lock()));
    }
    let failed = |source| TraceFileError::Read { path: path.to_owned(), source };
    let metadata = path.metadata().map_err(failed)?;
    match kind_of(&metadata) {
        // What somebody pipes in by name is read as it comes.
        Some(kind) if kind != "a pipe" => {
            Err(TraceFileError::NoFile { path: path.to_owned(), kind })
        }
        _ => Ok(Box::new(File::open(path).map_err(failed)?)),
    }
}

/// Returns the name of a file without the ending that says how it is packed.
fn name_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let bare = [".zst", ".xz", ".gz"].iter().find_map(|end| name.strip_suffix(end));
    bare.unwrap_or(&name).to_owned()
}

/// Fills a piece as far as the input goes.
fn fill(input: &mut dyn Read, piece: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = piece.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}
