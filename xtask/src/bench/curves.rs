//! Many sizes of a cache from one file: sixteen ARCs, and curves of a hundred points.
//!
//! libCacheSim's package for Python has no curves: a point is a run. Of a hundred, every twentieth is run there, and the
//! time of all is taken to be twenty times that.

use std::path::Path;

use anyhow::Context as _;
use arcwright_model::classic::{ClassicArc, replay};
use arcwright_model::curve::{
    CacheSizes, Curve, CurvePlan, PlannedCurve, even_sizes, footprint, lru_curve, sampled_lru_curve,
};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::{ReadOptions, Trace, TraceFormat};

use super::traces::{in_pieces, sized};
use super::{LONG, Pair, head};
use crate::peers;
use crate::process::status_kib;

/// Sizes of a cache that are simulated one after the other, and points of a curve.
const SIZES: u32 = 16;
const POINTS: u32 = 100;
/// Which points libCacheSim runs: the tenth, the thirtieth and so on.
const FIRST: usize = 9;
const STEP: usize = 20;
/// The table of objects with which libCacheSim's memory is measured: that of its default alone would be larger than all
/// that we need.
const SMALL_TABLE: u32 = 21;

/// Times them.
pub(super) fn run(options: &super::Options, trace: &Trace, file: &Path) -> anyhow::Result<()> {
    let requests = trace.accesses.len() as f64;
    println!(
        "\nmany sizes from the same file, million requests per second and size (median of {}):",
        options.rounds
    );
    head();
    sixteen(options, file, requests)?;
    let whole = read(file)?;
    let sizes = even_sizes(footprint(&whole), POINTS);
    let exact = few(&hits(&lru_curve(&whole, &sizes)));
    let one_in = sampled_lru_curve(&whole, &sizes).one_in;
    let curves = [
        CurveToTime {
            name: "exact curve of an LRU",
            job: "LRU".to_owned(),
            ours: &|trace| lru_curve(trace, &sizes),
        },
        CurveToTime {
            name: "sampled curve of an LRU",
            job: format!("LRU:{one_in}"),
            ours: &|trace| sampled_lru_curve(trace, &sizes),
        },
        CurveToTime {
            name: "curve of an ARC, ours that of OpenZFS",
            job: "ARC".to_owned(),
            ours: &|trace| openzfs(trace, &sizes, false),
        },
    ];
    for asked in &curves {
        let (found, theirs) = asked.timed(options, file, whole.pages)?;
        if asked.job == "ARC" {
            let some = few(&sizes);
            println!(
                "    off the same ARC with all blocks by {}",
                off(&found, &hits(&openzfs(&whole, &some, true)))
            );
            continue;
        }
        println!("    ours off the exact curve by {}", off(&found, &exact));
        if !theirs.is_empty() {
            println!("    theirs off the exact curve by {}", off(&theirs, &exact));
        }
    }
    Ok(())
}

/// A curve, and what libCacheSim runs for a point of it.
struct CurveToTime<'a> {
    name: &'a str,
    job: String,
    ours: &'a dyn Fn(&Trace) -> Curve,
}

impl CurveToTime<'_> {
    /// Times it, prints that, and returns the hits of some points, ours and theirs.
    fn timed(
        &self,
        options: &super::Options,
        file: &Path,
        pages: u32,
    ) -> anyhow::Result<(Vec<f64>, Vec<f64>)> {
        let mut pair = Pair::default();
        let (mut found, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..options.rounds.max(1) {
            found = few(&hits(&pair.time(|| Ok((self.ours)(&read(file)?)))?));
            if let Some(python) = &options.peers.python {
                let jobs = jobs(&self.job, pages);
                let answers = peers::libcachesim(python, file, peers::HASH_POWER, &jobs)?;
                theirs = answers.iter().map(|answer| 1.0 - answer.miss_ratio).collect();
                let seconds = answers.iter().map(|answer| answer.seconds).sum::<f64>();
                pair.theirs.push(seconds * STEP as f64);
            }
        }
        let requests = LONG.1 as f64 * f64::from(POINTS);
        pair.print(&format!("{}, {POINTS} points", self.name), requests);
        Ok((found, theirs))
    }
}

fn hits(curve: &Curve) -> Vec<f64> {
    curve.points.iter().map(|point| point.hits).collect()
}

/// Returns the points that libCacheSim runs.
fn few<T: Copy>(points: &[T]) -> Vec<T> {
    points.iter().skip(FIRST).step_by(STEP).copied().collect()
}

/// Says how far hits are off.
fn off(found: &[f64], right: &[f64]) -> String {
    let off: Vec<f64> =
        found.iter().zip(right).map(|(found, right)| (found - right).abs()).collect();
    let mean = off.iter().sum::<f64>() / off.len().max(1) as f64;
    let most = off.iter().copied().fold(0.0, f64::max);
    format!("{mean:.6} in the mean, {most:.6} at most ({} sizes)", off.len())
}

fn read(file: &Path) -> anyhow::Result<Trace> {
    Ok(sized(in_pieces(file, TraceFormat::OracleGeneral, &ReadOptions::default())?))
}

/// Returns the jobs of libCacheSim for some points of a curve; `LRU:32` looks at one object in 32.
fn jobs(policy: &str, pages: u32) -> Vec<String> {
    let (policy, one_in) = policy.split_once(':').unwrap_or((policy, "1"));
    let thinner = one_in.parse().unwrap_or(1).max(1);
    let points = (1..=POINTS).skip(FIRST).step_by(STEP);
    let pages = |point: u32| u64::from(pages) * u64::from(point) / u64::from(POINTS) / thinner;
    points.map(|point| format!("{policy}:{}:{one_in}", pages(point))).collect()
}

/// Returns the curve of OpenZFS's ARC, on one core.
fn openzfs(trace: &Trace, sizes: &[Bytes], exact: bool) -> Curve {
    let plan = CurvePlan::new(
        trace,
        PlannedCurve {
            in_user_space: false,
            version: Version::parse("2.4.4"),
            sizes: sizes.iter().map(|arc| CacheSizes { arc: *arc, l2arc: Bytes::ZERO }).collect(),
            write_max: None,
            step: Nanos::micros(100),
            exact,
        },
    );
    let results: Vec<_> = plan.jobs().into_iter().map(|job| plan.run(job)).collect();
    plan.finish(&results)
}

/// Sixteen sizes of the textbook ARC, from one reading of the file.
fn sixteen(options: &super::Options, file: &Path, requests: f64) -> anyhow::Result<()> {
    let mut pair = Pair::default();
    let (mut needed, mut pages) = (0, 0);
    for _ in 0..options.rounds.max(1) {
        let before = forget_peak()?;
        pair.time(|| {
            let trace = in_pieces(file, TraceFormat::OracleGeneral, &ReadOptions::default())?;
            pages = trace.pages;
            for size in 1..=SIZES {
                let mut arc = ClassicArc::new(trace.pages / 50 * size, trace.pages);
                std::hint::black_box(replay(&mut arc, &trace.accesses));
            }
            Ok(())
        })?;
        needed = status("VmHWM")?.saturating_sub(before);
        // Theirs takes the file for each size; one stands for all.
        if let Some(python) = &options.peers.python {
            let seconds = peers::seconds(python, file, &format!("ARC:{}", pages / 10))?;
            pair.theirs.push(seconds * f64::from(SIZES));
        }
    }
    pair.print(&format!("{SIZES} sizes of the textbook ARC"), requests * f64::from(SIZES));
    println!("    ours needs {}", Bytes(needed));
    if let Some(python) = &options.peers.python {
        let jobs = (1..=SIZES).map(|size| format!("ARC:{}", pages / 50 * size));
        let jobs: Vec<String> = jobs.collect();
        let answers = peers::libcachesim(python, file, SMALL_TABLE, &jobs)?;
        let theirs = answers.last().map_or(0, |answer| answer.bytes);
        let times = theirs as f64 / needed.max(1) as f64;
        println!(
            "    theirs {} for {SIZES} caches side by side, tables of objects as small as fits: {times:.1} times ours",
            Bytes(theirs)
        );
    }
    Ok(())
}

/// Begins a new measurement of the most memory that this process has, and returns what it has now.
pub(super) fn forget_peak() -> anyhow::Result<u64> {
    std::fs::write("/proc/self/clear_refs", "5")
        .context("failed to write /proc/self/clear_refs")?;
    status("VmRSS")
}

/// Returns the bytes that a row of this process's status says.
pub(super) fn status(row: &str) -> anyhow::Result<u64> {
    Ok(status_kib(std::process::id(), row)? << 10)
}
