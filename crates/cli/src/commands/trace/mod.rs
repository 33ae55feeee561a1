//! `arcwright trace`: recorded traces looked at, converted, cut, and what caches would find in them.

mod convert;
mod curve;
mod info;
mod jobs;
mod parquet;

use std::path::Path;

use arcwright_host::free_memory;
use arcwright_host::traces::{
    TakesRequests, TraceFile, TraceFileError, TraceFileOptions, read_trace,
};
use arcwright_units::Bytes;
use arcwright_workload::traces::{
    ACCESSES_MAX, Addressing, BlockOptions, Blocks, ReadOptions, Request, Trace, TraceReader,
    TraceStatistics,
};

use crate::arguments::{TraceFileArguments, TraceVerb};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::problem::Problem;

/// Performs one command on traces.
pub(super) fn perform(verb: &TraceVerb) -> Result<Exit, Problem> {
    // A trace of hours is read for minutes, and nothing is left half done.
    let interrupt = Interrupt::listen_and_end()?;
    match verb {
        TraceVerb::Info(arguments) => info::info(arguments),
        TraceVerb::Curve(arguments) => curve::curve(arguments, &interrupt),
        TraceVerb::Convert(arguments) => convert::convert(arguments),
        TraceVerb::Cut(arguments) => convert::cut(arguments),
    }
}

/// A trace that was read to its end.
struct Loaded {
    file: TraceFile,
    statistics: TraceStatistics,
    trace: Trace,
}

/// Counts requests, and numbers their blocks.
struct Loading {
    recordsize: Bytes,
    times: bool,
    statistics: TraceStatistics,
    /// None until the first requests tell whether they are for bytes or objects.
    blocks: Option<Blocks>,
}

impl TakesRequests for Loading {
    fn take(&mut self, requests: &[Request], reader: &mut TraceReader) -> Result<(), String> {
        if requests.is_empty() {
            return Ok(());
        }
        self.statistics.add(requests);
        let (recordsize, times) = (self.recordsize, self.times);
        let blocks = self.blocks.get_or_insert_with(|| {
            let block = (reader.addressing() == Addressing::Bytes).then_some(recordsize);
            Blocks::new(BlockOptions { block, times, accesses_max: accesses_max() })
        });
        blocks.add(requests)
    }
}

/// Reads a trace as a whole; `times` says whether those of accesses are kept.
fn load(arguments: &TraceFileArguments, times: bool) -> Result<Loaded, Problem> {
    let mut loading = Loading {
        recordsize: arguments.recordsize,
        times,
        statistics: TraceStatistics::default(),
        blocks: None,
    };
    let file = read_trace(&arguments.file, &options(arguments), &mut loading).map_err(problem)?;
    let trace = loading.blocks.map(Blocks::finish).unwrap_or_default();
    Ok(Loaded { file, statistics: loading.statistics, trace })
}

/// Returns how many accesses there is memory for: numbers, times and a thinned copy of each, and its block.
fn accesses_max() -> usize {
    const BYTES_OF_ONE: u64 = 32;
    let free = free_memory().map_or(ACCESSES_MAX as u64, |free| free.0 / BYTES_OF_ONE);
    usize::try_from(free).unwrap_or(ACCESSES_MAX).min(ACCESSES_MAX)
}

fn options(arguments: &TraceFileArguments) -> TraceFileOptions {
    let TraceFileArguments { format, columns, event, .. } = arguments;
    let read = ReadOptions { columns: columns.clone(), event: *event };
    TraceFileOptions { format: *format, read }
}

/// Returns what a trace is called in what is printed.
fn name_of(arguments: &TraceFileArguments) -> String {
    match arguments.file == Path::new("-") {
        true => "standard input".to_owned(),
        false => arguments.file.to_string_lossy().into_owned(),
    }
}

/// What is wrong with the trace ends with 1, what was said of it with 2.
fn problem(error: TraceFileError) -> Problem {
    match error {
        error @ (TraceFileError::NotRecognized { .. } | TraceFileError::Options { .. }) => {
            Problem::Usage(error.into())
        }
        error => Problem::Failed(error.into()),
    }
}
