//! From the bytes of a trace to its hits, beside libCacheSim: raw, compiled, as CSV.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use arcwright_model::classic::{ClassicArc, Lru, S3Fifo, replay};
use arcwright_workload::traces::{
    self, BlockOptions, Blocks, ReadOptions, Trace, TraceFormat, TraceReader, compile,
};

use super::{Pair, head};
use crate::peers::{self, POLICIES};

/// Requests of the trace as CSV.
const CSV_REQUESTS: usize = 4_000_000;

/// Times policies from the trace's file on.
pub(super) fn run(options: &super::Options, trace: &Trace, file: &Path) -> anyhow::Result<()> {
    let compiled = file.with_extension("arc");
    let whole = in_pieces(file, TraceFormat::OracleGeneral, &ReadOptions::default())?;
    std::fs::write(&compiled, compile(&sized(whole.clone()))).context("failed to write a trace")?;
    let requests = trace.accesses.len() as f64;
    println!(
        "\nfrom a file of {} million requests for {} thousand pages to hits in a cache of a tenth of them,\n\
         million requests per second (median of {}):",
        trace.accesses.len() / 1_000_000,
        whole.pages / 1000,
        options.rounds
    );
    let capacity = whole.pages / 10;
    drop(whole);
    let mut raw = POLICIES.map(|_| Pair::default());
    let mut quick = POLICIES.map(|_| Pair::default());
    for _ in 0..options.rounds.max(1) {
        for (policy, (raw, quick)) in POLICIES.iter().zip(raw.iter_mut().zip(&mut quick)) {
            raw.time(|| {
                let trace = in_pieces(file, TraceFormat::OracleGeneral, &ReadOptions::default())?;
                Ok(std::hint::black_box(hits(policy, capacity, &trace)))
            })?;
            quick.time(|| {
                let bytes = std::fs::read(&compiled).context("failed to read a trace")?;
                let trace = traces::read(&bytes, TraceFormat::Compiled, BlockOptions::OBJECTS)?;
                Ok(std::hint::black_box(hits(policy, capacity, &trace)))
            })?;
            if let Some(python) = &options.peers.python {
                let seconds = peers::seconds(python, file, &format!("{policy}:{capacity}"))?;
                raw.theirs.push(seconds);
                quick.theirs.push(seconds);
            }
        }
    }
    head();
    for (policy, pair) in POLICIES.iter().zip(&mut raw) {
        pair.print(&format!("{policy}, from oracleGeneral"), requests);
    }
    for (policy, pair) in POLICIES.iter().zip(&mut quick) {
        pair.print(&format!("{policy}, ours from the compiled trace"), requests);
    }
    csv(options, trace)
}

fn hits(policy: &str, capacity: u32, trace: &Trace) -> u64 {
    match policy {
        "LRU" => replay(&mut Lru::new(capacity, trace.pages), &trace.accesses),
        "S3FIFO" => replay(&mut S3Fifo::new(capacity, trace.pages), &trace.accesses),
        _ => replay(&mut ClassicArc::new(capacity, trace.pages), &trace.accesses),
    }
}

/// Gives all pages the size of a record.
pub(super) fn sized(trace: Trace) -> Trace {
    Trace { bytes: vec![super::RECORD; trace.pages as usize], ..trace }
}

/// Reads a file and numbers its objects, in pieces, as the program does.
pub(super) fn in_pieces(
    path: &Path,
    format: TraceFormat,
    options: &ReadOptions,
) -> anyhow::Result<Trace> {
    let mut blocks = Blocks::new(BlockOptions::OBJECTS);
    requests(path, format, options, |requests| blocks.add(requests))?;
    Ok(blocks.finish())
}

/// Reads a file and hands its requests on, as many as a piece of it has.
fn requests(
    path: &Path,
    format: TraceFormat,
    options: &ReadOptions,
    mut take: impl FnMut(&[traces::Request]) -> Result<(), String>,
) -> anyhow::Result<()> {
    /// Bytes that are in memory together.
    const PIECE: usize = 256 << 10;
    let mut file = std::fs::File::open(path).context("failed to open a trace")?;
    let mut reader = TraceReader::new(format, options).map_err(anyhow::Error::msg)?;
    let (mut requests, mut piece) = (Vec::new(), vec![0; PIECE]);
    loop {
        let read = file.read(&mut piece).context("failed to read a trace")?;
        if read == 0 {
            break;
        }
        reader.push(piece.get(..read).unwrap_or_default(), &mut requests)?;
        take(&requests).map_err(anyhow::Error::msg)?;
        requests.clear();
    }
    reader.finish(&mut requests)?;
    take(&requests).map_err(anyhow::Error::msg)
}

/// Reading CSV: time, object, size. libCacheSim hands its requests to a cache of one object, which costs it little.
fn csv(options: &super::Options, trace: &Trace) -> anyhow::Result<()> {
    let file = crate::root().join("target/peers/zipf-bench.csv");
    let mut text = String::from("time,object,size\n");
    for (time, page) in trace.accesses.iter().take(CSV_REQUESTS).enumerate() {
        writeln!(text, "{time},{page},1")?;
    }
    std::fs::write(&file, text).context("failed to write a trace")?;
    let read = ReadOptions::default();
    let mut pair = Pair::default();
    for _ in 0..options.rounds.max(1) {
        let mut counted = 0;
        pair.time(|| {
            requests(&file, TraceFormat::Csv, &read, |requests| {
                counted += std::hint::black_box(requests).len();
                Ok(())
            })
        })?;
        anyhow::ensure!(counted == CSV_REQUESTS, "{counted} requests were read");
        if let Some(python) = &options.peers.python {
            pair.theirs.push(peers::seconds(python, &file, "FIFO:1")?);
        }
    }
    pair.print("reading CSV", CSV_REQUESTS as f64);
    Ok(())
}
