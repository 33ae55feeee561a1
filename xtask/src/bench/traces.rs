//! From the bytes of a trace to its hits, beside libCacheSim: raw and compiled, one size and many, curves.

use std::io::Read as _;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use arcwright_model::classic::{ClassicArc, Lru, replay};
use arcwright_model::curve::{
    CacheSizes, CurvePlan, PlannedCurve, even_sizes, footprint, lru_curve,
};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::{
    self, BlockOptions, Blocks, ReadOptions, Trace, TraceFormat, TraceReader, compile,
};

use super::median;
use crate::peers;

/// Sizes of a cache that are simulated one after the other, and points of a curve.
const SIZES: u32 = 16;
const POINTS: u32 = 100;

/// Times everything on one trace, whose pages are all of one size.
pub(super) fn run(options: &super::Options, trace: &Trace) -> anyhow::Result<()> {
    let file = peers::write_oracle_general("zipf-bench", trace)?;
    let accesses = trace.accesses.len() as f64;
    println!(
        "\nfrom a file of {} M requests for {} k pages (oracleGeneral), million requests per second (median of {}):",
        trace.accesses.len() / 1_000_000,
        trace.pages / 1000,
        options.rounds
    );
    let capacity = trace.pages / 10;
    let compiled = file.with_extension("arc");
    std::fs::write(&compiled, compile(&sized(trace.clone()))).context("failed to write a trace")?;
    let mut rows: Vec<(&str, Vec<f64>, Option<&str>)> = vec![
        ("LRU, from the raw file", vec![], Some("LRU")),
        ("ARC, from the raw file", vec![], Some("ARC")),
        ("LRU, from the compiled file", vec![], Some("LRU")),
        ("ARC, from the compiled file", vec![], Some("ARC")),
    ];
    let mut theirs: Vec<Vec<f64>> = vec![Vec::new(); 2];
    for _ in 0..options.rounds.max(1) {
        for (index, (_, times, policy)) in rows.iter_mut().enumerate() {
            let (path, format) = match index < 2 {
                true => (&file, TraceFormat::OracleGeneral),
                false => (&compiled, TraceFormat::Compiled),
            };
            let begun = Instant::now();
            one(path, format, (*policy == Some("ARC"), capacity))?;
            times.push(accesses / begun.elapsed().as_secs_f64() / 1e6);
        }
        if let Some(python) = &options.peers.python {
            for (policy, times) in ["LRU", "ARC"].iter().zip(&mut theirs) {
                let seconds = peers::seconds(python, &file, &format!("{policy}:{capacity}"))?;
                times.push(accesses / seconds / 1e6);
            }
        }
    }
    let peers: Vec<f64> = theirs.iter_mut().map(|times| median(times)).collect();
    for (index, (name, times, _)) in rows.iter_mut().enumerate() {
        let ours = median(times);
        let peer = peers.get(index % 2).copied().filter(|peer| *peer > 0.0);
        let peer = peer.map_or("libCacheSim was not asked".to_owned(), |peer| {
            format!("libCacheSim {peer:.1}, ratio {:.1}", ours / peer)
        });
        println!("{name:<30} {ours:>7.1}   {peer}");
    }
    many(&sized(trace.clone()), peers.get(1).copied().filter(|peer| *peer > 0.0));
    Ok(())
}

fn sized(trace: Trace) -> Trace {
    Trace { bytes: vec![128 << 10; trace.pages as usize], ..trace }
}

/// Reads a file, numbers its objects and replays it; a raw file in pieces, as the program reads one.
fn one(path: &Path, format: TraceFormat, (arc, capacity): (bool, u32)) -> anyhow::Result<()> {
    let trace = match format {
        TraceFormat::Compiled => {
            let bytes = std::fs::read(path).context("failed to read a trace")?;
            traces::read(&bytes, format, BlockOptions::OBJECTS)?
        }
        _ => in_pieces(path, format)?,
    };
    let hits = match arc {
        true => replay(&mut ClassicArc::new(capacity, trace.pages), &trace.accesses),
        false => replay(&mut Lru::new(capacity, trace.pages), &trace.accesses),
    };
    std::hint::black_box(hits);
    Ok(())
}

fn in_pieces(path: &Path, format: TraceFormat) -> anyhow::Result<Trace> {
    /// Bytes that are in memory together.
    const PIECE: usize = 256 << 10;
    let mut file = std::fs::File::open(path).context("failed to open a trace")?;
    let mut reader =
        TraceReader::new(format, &ReadOptions::default()).map_err(anyhow::Error::msg)?;
    let mut blocks = Blocks::new(BlockOptions::OBJECTS);
    let (mut requests, mut piece) = (Vec::new(), vec![0; PIECE]);
    loop {
        let read = file.read(&mut piece).context("failed to read a trace")?;
        if read == 0 {
            break;
        }
        reader.push(piece.get(..read).unwrap_or_default(), &mut requests)?;
        blocks.add(&requests).map_err(anyhow::Error::msg)?;
        requests.clear();
    }
    reader.finish(&mut requests)?;
    blocks.add(&requests).map_err(anyhow::Error::msg)?;
    Ok(blocks.finish())
}

/// Sixteen sizes from one decoded trace, and curves of a hundred.
fn many(trace: &Trace, peer: Option<f64>) {
    let accesses = trace.accesses.len() as f64;
    let begun = Instant::now();
    for size in 1..=SIZES {
        let mut arc = ClassicArc::new(trace.pages / 50 * size, trace.pages);
        std::hint::black_box(replay(&mut arc, &trace.accesses));
    }
    let rate = accesses * f64::from(SIZES) / begun.elapsed().as_secs_f64() / 1e6;
    let ratio =
        peer.map_or(String::new(), |peer| format!("   ratio to one at a time {:.1}", rate / peer));
    println!("{SIZES} sizes of the textbook ARC     {rate:>7.1}{ratio}");
    let begun = Instant::now();
    let exact = lru_curve(trace, &even_sizes(footprint(trace), POINTS));
    let rate = accesses / begun.elapsed().as_secs_f64() / 1e6;
    println!(
        "exact LRU curve, {POINTS} points   {rate:>7.1}   {:.2} s",
        begun.elapsed().as_secs_f64()
    );
    std::hint::black_box(exact);
    let planned = |exact| PlannedCurve {
        in_user_space: false,
        version: Version::parse("2.4.4"),
        sizes: even_sizes(footprint(trace), POINTS)
            .into_iter()
            .map(|arc| CacheSizes { arc, l2arc: Bytes::ZERO })
            .collect(),
        write_max: None,
        step: Nanos::micros(100),
        exact,
    };
    let begun = Instant::now();
    let plan = CurvePlan::new(trace, planned(false));
    let results: Vec<_> = plan.jobs().into_iter().map(|job| plan.run(job)).collect();
    let thinned = plan.finish(&results);
    println!(
        "OpenZFS's ARC, {POINTS} sizes, one block in {}, three times: {:.2} s on one core",
        thinned.one_in,
        begun.elapsed().as_secs_f64()
    );
    // Every tenth size as a whole tells how good the thinned ones are.
    let mut whole = planned(true);
    whole.sizes = whole.sizes.into_iter().skip(4).step_by(10).collect();
    let plan = CurvePlan::new(trace, whole);
    let begun = Instant::now();
    let results: Vec<_> = plan.jobs().into_iter().map(|job| plan.run(job)).collect();
    let seconds = begun.elapsed().as_secs_f64();
    let whole = plan.finish(&results);
    let apart = whole.points.iter().zip(thinned.points.iter().skip(4).step_by(10));
    let apart: Vec<f64> = apart.map(|(whole, thin)| (whole.hits - thin.hits).abs()).collect();
    let mean = apart.iter().sum::<f64>() / apart.len().max(1) as f64;
    let most = apart.iter().copied().fold(0.0, f64::max);
    println!(
        "the same without thinning: {:.2} s for each of {} sizes; hits apart by {:.2} points in the mean, {:.2} at most",
        seconds / whole.points.len().max(1) as f64,
        whole.points.len(),
        mean * 100.0,
        most * 100.0
    );
}
