//! Traces: read from a file or made of arrays, looked at, and what caches would find in them.

use std::borrow::Cow;
use std::path::Path;

use arcwright_host::free_memory;
use arcwright_host::traces::{Packing, TakesRequests, TraceFile, TraceFileOptions, read_trace};
use arcwright_model::curve::{CurveCache, CurveQuestion};
use arcwright_report::{CurveHead, TraceHead, curve_json, info_json};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::{
    ACCESSES_MAX, Addressing, BlockOptions, Blocks, Columns, ReadOptions, Request, RequestKind,
    Trace, TraceFormat, TraceReader, TraceSource, TraceStatistics, Volumes,
};
use numpy::{IntoPyArray as _, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::error::Problem;
use crate::interrupt::{Interrupt, detached};
use crate::options::{block_size, size, sizes};
use crate::parallel;

/// Requests that are handed on together.
const TOGETHER: usize = 1 << 16;

/// A trace in memory.
#[pyclass(frozen)]
pub(crate) struct TraceData {
    name: String,
    file: TraceFile,
    statistics: TraceStatistics,
    trace: Trace,
    recordsize: Bytes,
}

/// How a file is read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OpenOptions {
    format: Option<String>,
    columns: Option<String>,
    event: Option<char>,
    recordsize: Option<String>,
}

/// Which curve.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CurveOptions {
    cache: String,
    openzfs: Option<String>,
    arc: Vec<String>,
    l2arc: Vec<String>,
    write_max: Option<String>,
    rate: Option<u64>,
    exact: bool,
    sampled: bool,
    threads: Option<usize>,
}

/// Arrays of one length, or of none: a request each.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Arrays<'py> {
    block: PyReadonlyArray1<'py, u64>,
    time_ns: Option<PyReadonlyArray1<'py, u64>>,
    size: Option<PyReadonlyArray1<'py, u32>>,
    write: Option<PyReadonlyArray1<'py, bool>>,
}

/// The arrays' memory.
struct Slices<'a> {
    block: &'a [u64],
    time_ns: Option<&'a [u64]>,
    size: Option<&'a [u32]>,
    write: Option<&'a [bool]>,
}

#[pymethods]
impl TraceData {
    /// Reads a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: &str, options: &str) -> PyResult<Self> {
        detached(py, || opened(path, &serde_json::from_str(options)?))
    }

    /// Takes arrays of objects, of one length.
    #[staticmethod]
    fn from_arrays(py: Python<'_>, arrays: Arrays<'_>, recordsize: &str) -> PyResult<Self> {
        let told = |error: Problem| error.into_exception(py);
        let recordsize = block_size(recordsize).map_err(told)?;
        let slices = Slices {
            block: arrays.block.as_slice()?,
            time_ns: arrays.time_ns.as_ref().map(|array| array.as_slice()).transpose()?,
            size: arrays.size.as_ref().map(|array| array.as_slice()).transpose()?,
            write: arrays.write.as_ref().map(|array| array.as_slice()).transpose()?,
        };
        detached(py, || of_arrays(&slices, recordsize))
    }

    /// Returns what it holds, as JSON.
    fn info(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || {
            let head = TraceHead {
                name: &self.name,
                format: self.file.format,
                packing: self.file.packing.name(),
                source: &self.file.source,
                statistics: &self.statistics,
                trace: &self.trace,
            };
            Ok(info_json(&head)?)
        })
    }

    /// Returns what caches would find, as JSON.
    fn curve(&self, py: Python<'_>, options: &str) -> PyResult<String> {
        detached(py, || self.curve_of(&serde_json::from_str(options)?))
    }

    /// Returns the block of each access, numbered in the order of their first access.
    fn blocks<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.trace.accesses.clone().into_pyarray(py)
    }

    /// Returns the bytes of each block; 0: not known.
    fn sizes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.trace.bytes.clone().into_pyarray(py)
    }

    /// Returns the milliseconds of each access since the first; none without times.
    fn millis<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        self.is_timed().then(|| self.trace.millis.clone().into_pyarray(py))
    }

    /// Returns which accesses write.
    fn writes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let count = self.trace.accesses.len();
        let writes = (0..count).map(|index| self.trace.writes.contains(index));
        writes.collect::<Vec<bool>>().into_pyarray(py)
    }

    /// Returns how many accesses there are.
    fn __len__(&self) -> usize {
        self.trace.accesses.len()
    }
}

impl TraceData {
    /// Requests that all have one time have none.
    fn is_timed(&self) -> bool {
        self.file.source.timed && self.statistics.last > Nanos::ZERO
    }

    fn curve_of(&self, options: &CurveOptions) -> Result<String, Problem> {
        let question = options.question(self.recordsize)?;
        let work = question.prepared(Cow::Borrowed(&self.trace), self.is_timed());
        let work = work.map_err(Problem::new)?;
        let threads = parallel::threads(options.threads);
        let results = parallel::all(&work.jobs(), threads, |job, _: &Interrupt| work.run(job))?;
        let head = CurveHead { name: &self.name, cache: &work.cache, notes: &work.notes };
        Ok(curve_json(&work.finish(&results), &head)?)
    }
}

impl CurveOptions {
    fn question(&self, block: Bytes) -> Result<CurveQuestion, Problem> {
        let cache = match self.cache.as_str() {
            "openzfs" => CurveCache::Openzfs,
            "lru" => CurveCache::Lru,
            _ => return Err(Problem::new("cache: expected openzfs or lru")),
        };
        let version = |text: &String| {
            let wrong = || Problem::new("openzfs: expected a version such as 2.3.2");
            Version::parse(text).ok_or_else(wrong)
        };
        if self.rate.is_some_and(|rate| !(1..=1_000_000_000).contains(&rate)) {
            return Err(Problem::new("rate: expected 1 to 1000000000 accesses a second"));
        }
        if self.write_max.is_some() && self.l2arc.is_empty() {
            return Err(Problem::new("write_max is of an L2ARC; say its size with l2arc"));
        }
        Ok(CurveQuestion {
            cache,
            version: self.openzfs.as_ref().map(version).transpose()?,
            arc: sizes(&self.arc)?,
            l2arc: sizes(&self.l2arc)?,
            write_max: self.write_max.as_deref().map(size).transpose()?,
            rate: self.rate,
            exact: self.exact,
            sampled: self.sampled,
            block,
        })
    }
}

/// Counts requests, and numbers their blocks.
struct Loading {
    recordsize: Bytes,
    statistics: TraceStatistics,
    /// None until the first requests tell whether they are for bytes or objects.
    blocks: Option<Blocks>,
    interrupt: Interrupt,
    /// What ended the reading early.
    stopped: Option<Problem>,
}

impl TakesRequests for Loading {
    fn take(&mut self, requests: &[Request], reader: &mut TraceReader) -> Result<(), String> {
        if let Err(problem) = self.interrupt.look() {
            self.stopped = Some(problem);
            return Err("stopped early".to_owned());
        }
        if requests.is_empty() {
            return Ok(());
        }
        self.statistics.add(requests);
        let recordsize = self.recordsize;
        let blocks = self.blocks.get_or_insert_with(|| {
            let block = (reader.addressing() == Addressing::Bytes).then_some(recordsize);
            Blocks::new(BlockOptions { block, times: true, accesses_max: accesses_max() })
        });
        blocks.add(requests)
    }
}

/// Returns how many accesses there is memory for: numbers, times and a thinned copy of each, and its block.
fn accesses_max() -> usize {
    const BYTES_OF_ONE: u64 = 32;
    let free = free_memory().map_or(ACCESSES_MAX as u64, |free| free.0 / BYTES_OF_ONE);
    usize::try_from(free).unwrap_or(ACCESSES_MAX).min(ACCESSES_MAX)
}

fn opened(path: &str, options: &OpenOptions) -> Result<TraceData, Problem> {
    let format = options.format.as_deref().map(TraceFormat::parse).transpose();
    let columns = options.columns.as_deref().map(Columns::parse).transpose();
    let event = match options.event {
        None => b'Q',
        Some(letter @ 'A'..='Z') => u8::try_from(letter).unwrap_or(b'Q'),
        Some(_) => return Err(Problem::new("event: expected one capital letter, such as Q or D")),
    };
    let read = ReadOptions { columns: columns.map_err(Problem::new)?, event };
    let recordsize = block_size(options.recordsize.as_deref().unwrap_or("128KiB"))?;
    let mut loading = Loading {
        recordsize,
        statistics: TraceStatistics::default(),
        blocks: None,
        interrupt: Interrupt::default(),
        stopped: None,
    };
    let options = TraceFileOptions { format: format.map_err(Problem::new)?, read };
    let file = match read_trace(Path::new(path), &options, &mut loading) {
        Ok(file) => file,
        Err(error) => return Err(loading.stopped.unwrap_or_else(|| Problem::of(&error))),
    };
    let trace = loading.blocks.map(Blocks::finish).unwrap_or_default();
    let name = path.to_owned();
    Ok(TraceData { name, file, statistics: loading.statistics, trace, recordsize })
}

fn of_arrays(slices: &Slices<'_>, recordsize: Bytes) -> Result<TraceData, Problem> {
    let count = slices.block.len();
    let lengths = [
        ("time_ns", slices.time_ns.map(<[u64]>::len)),
        ("size", slices.size.map(<[u32]>::len)),
        ("write", slices.write.map(<[bool]>::len)),
    ];
    if let Some((name, Some(length))) =
        lengths.iter().find(|(_, length)| length.is_some_and(|length| length != count))
    {
        return Err(Problem::new(format!("{name} has {length} values, block has {count}")));
    }
    if slices.time_ns.is_some_and(|times| !times.is_sorted()) {
        return Err(Problem::new("time_ns goes back; sort the requests by their time"));
    }
    if count == 0 {
        return Err(Problem::new("the trace has no request"));
    }
    let options =
        BlockOptions { times: true, accesses_max: accesses_max(), ..BlockOptions::OBJECTS };
    let (mut statistics, mut blocks) = (TraceStatistics::default(), Blocks::new(options));
    let (interrupt, mut requests) = (Interrupt::default(), Vec::with_capacity(TOGETHER));
    for begin in (0..count).step_by(TOGETHER) {
        interrupt.look()?;
        requests.clear();
        requests.extend((begin..count.min(begin + TOGETHER)).filter_map(|at| slices.request(at)));
        statistics.add(&requests);
        blocks.add(&requests).map_err(Problem::new)?;
    }
    let timed = slices.time_ns.is_some();
    let source =
        TraceSource { volumes: Volumes::default(), addressing: Addressing::Objects, timed };
    let bytes = (count as u64).saturating_mul(8);
    let file = TraceFile { format: TraceFormat::Compiled, packing: Packing::Plain, source, bytes };
    let (name, trace) = ("arrays".to_owned(), blocks.finish());
    Ok(TraceData { name, file, statistics, trace, recordsize })
}

impl Slices<'_> {
    fn request(&self, at: usize) -> Option<Request> {
        let writes = self.write.and_then(|write| write.get(at)).is_some_and(|writes| *writes);
        let first = self.time_ns.and_then(|times| times.first()).copied().unwrap_or_default();
        let time = self.time_ns.and_then(|times| times.get(at)).map_or(0, |time| time - first);
        Some(Request {
            time: Nanos(time),
            place: *self.block.get(at)?,
            bytes: self.size.and_then(|size| size.get(at)).copied().unwrap_or_default(),
            volume: 0,
            kind: if writes { RequestKind::Write } else { RequestKind::Read },
        })
    }
}
