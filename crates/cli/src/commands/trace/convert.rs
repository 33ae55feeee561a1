//! `arcwright trace convert` and `cut`: a trace, or a part of it, in another format.

use std::collections::BTreeSet;

use anyhow::anyhow;
use arcwright_host::traces::{TakesRequests, read_trace};
use arcwright_units::{Bytes, Nanos, visible_path};
use arcwright_workload::traces::{
    Addressing, BlockOptions, Blocks, Request, TraceFormat, TraceReader, TraceWriter, compile,
};

use super::parquet::ParquetWriter;
use super::{accesses_max, options, problem};
use crate::arguments::{TraceConvertArguments, TraceCutArguments};
use crate::exit::Exit;
use crate::new_file::refuse_what_is_there;
use crate::output::{self, Pending};
use crate::problem::Problem;

/// Bytes that are written at most: what is written is kept in memory until it is whole.
const WRITTEN_MAX: usize = 2 << 30;

/// Which requests are written.
#[derive(Debug, Default)]
struct Part {
    since: Nanos,
    until: Option<Nanos>,
    volumes: BTreeSet<String>,
    first: Option<u64>,
}

pub(super) fn convert(arguments: &TraceConvertArguments) -> Result<Exit, Problem> {
    write(arguments, Part::default())
}

pub(super) fn cut(arguments: &TraceCutArguments) -> Result<Exit, Problem> {
    let part = Part {
        since: arguments.since.unwrap_or_default(),
        until: arguments.until,
        volumes: arguments.volumes.iter().cloned().collect(),
        first: arguments.first,
    };
    if part.until.is_some_and(|until| until <= part.since) {
        return Err(Problem::Usage(anyhow!("nothing lies between --since and --until")));
    }
    write(&arguments.convert, part)
}

fn write(arguments: &TraceConvertArguments, part: Part) -> Result<Exit, Problem> {
    refuse_what_is_there(&arguments.output)?;
    let pending = Pending::begin(&arguments.output)?;
    let mut writing = Writing {
        to: arguments.to,
        block: arguments.trace.recordsize,
        part,
        target: None,
        kept: Vec::new(),
        bytes: Vec::new(),
        written: 0,
        shift: None,
    };
    let trace = &arguments.trace;
    let file = read_trace(&trace.file, &options(trace), &mut writing).map_err(problem)?;
    if !file.source.timed && (writing.part.since > Nanos::ZERO || writing.part.until.is_some()) {
        return Err(Problem::Usage(anyhow!("the trace has no times to cut by")));
    }
    if writing.written == 0 {
        return Err(Problem::Failed(anyhow!("no request of the trace is in this part")));
    }
    let written = writing.written;
    let bytes = match writing.target {
        Some(Target::Blocks(blocks)) => compile(&blocks.finish()),
        Some(Target::Parquet(writer)) => {
            writer.finish().map_err(|why| Problem::Failed(anyhow!("{why}")))?
        }
        _ => writing.bytes,
    };
    pending.complete_new_bytes(&bytes)?;
    let shown = visible_path(&arguments.output);
    output::print(&format!(
        "Wrote {shown}: {written} requests as {}, {}.\n",
        arguments.to.name(),
        Bytes(bytes.len() as u64)
    ))?;
    Ok(Exit::Fine)
}

/// Writes requests as they come.
struct Writing {
    to: TraceFormat,
    block: Bytes,
    part: Part,
    target: Option<Target>,
    kept: Vec<Request>,
    bytes: Vec<u8>,
    written: u64,
    /// The time of the first request of the part, which becomes zero.
    shift: Option<Nanos>,
}

enum Target {
    Writer(TraceWriter),
    Blocks(Box<Blocks>),
    Parquet(Box<ParquetWriter>),
}

impl TakesRequests for Writing {
    fn take(&mut self, requests: &[Request], reader: &mut TraceReader) -> Result<(), String> {
        self.keep(requests, reader);
        if self.kept.is_empty() {
            return Ok(());
        }
        if self.target.is_none() {
            self.target = Some(self.open(reader)?);
        }
        match &mut self.target {
            Some(Target::Writer(writer)) => {
                writer.write(&self.kept, reader.volumes(), &mut self.bytes)?;
            }
            Some(Target::Blocks(blocks)) => blocks.add(&self.kept)?,
            Some(Target::Parquet(writer)) => writer.write(&self.kept, reader.volumes())?,
            None => {}
        }
        let written = match &self.target {
            Some(Target::Parquet(writer)) => writer.written(),
            _ => self.bytes.len(),
        };
        match written > WRITTEN_MAX {
            true => Err(format!("more than {} to write; cut the trace", Bytes(WRITTEN_MAX as u64))),
            false => Ok(()),
        }
    }
}

impl Writing {
    fn open(&self, reader: &mut TraceReader) -> Result<Target, String> {
        let addressing = reader.addressing();
        if self.to == TraceFormat::Parquet {
            let writer = ParquetWriter::new((addressing, reader.is_timed()))?;
            return Ok(Target::Parquet(Box::new(writer)));
        }
        if self.to != TraceFormat::Compiled {
            let from = (addressing, reader.is_timed());
            return TraceWriter::new(self.to, from, self.block).map(Target::Writer);
        }
        let block = (addressing == Addressing::Bytes).then_some(self.block);
        let options =
            BlockOptions { block, times: reader.is_timed(), accesses_max: accesses_max() };
        Ok(Target::Blocks(Box::new(Blocks::new(options))))
    }

    /// Keeps those of the part.
    fn keep(&mut self, requests: &[Request], reader: &TraceReader) {
        self.kept.clear();
        for request in requests {
            let Part { since, until, volumes, first } = &self.part;
            if first.is_some_and(|first| self.written >= first) {
                return;
            }
            let named = || reader.volumes().name(request.volume);
            let is_in = request.time >= *since
                && until.is_none_or(|until| request.time < until)
                && (volumes.is_empty() || named().is_some_and(|name| volumes.contains(&name)));
            if is_in {
                let shift = *self.shift.get_or_insert(request.time);
                let time = Nanos(request.time.0.saturating_sub(shift.0));
                self.kept.push(Request { time, ..*request });
                self.written += 1;
            }
        }
    }
}
