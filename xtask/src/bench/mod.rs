//! `cargo xtask bench`: how fast the model is, as ratios measured side by side in one run.
//!
//! Rounds are interleaved and medians compared, since the machine's own speed varies. Beside the
//! figures stands what the memory allows: loads that depend on each other, and loads that do not.

mod curves;
mod memory;
mod stack;
mod traces;

use std::time::Instant;

use arcwright_model::classic::{ClassicArc, replay};
use arcwright_model::{Pages, PlainArc};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Stream;
use arcwright_workload::traces::Trace;

use crate::peers;

/// Pages of the made-up traces, and accesses: a short one for policies alone, and a long one, which asks for a million
/// and a half of its pages, for everything that begins at a file.
const SHORT: (u32, usize) = (1 << 20, 8 << 20);
const LONG: (u32, usize) = (1 << 21, 20_000_000);
/// A page of a plain trace is a record of this size.
const RECORD: u32 = 128 << 10;

/// Options of the chore.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    peers: peers::Options,
    /// How often each is measured, in turns.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Measure these alone.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
}

/// A part of what is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// What the memory allows.
    Memory,
    /// Policies on traces in memory.
    Plain,
    /// From the bytes of a trace to its hits.
    Traces,
    /// Many sizes, and curves.
    Curves,
    /// The full stack.
    Stack,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let wants = |part: Part| options.only.is_empty() || options.only.contains(&part);
    if wants(Part::Memory) {
        memory::limits();
    }
    if wants(Part::Plain) {
        plain_traces(options)?;
    }
    if ![Part::Traces, Part::Curves, Part::Stack].into_iter().any(wants) {
        return Ok(());
    }
    let trace = zipf(LONG);
    let file = peers::write_oracle_general("zipf-bench", &trace)?;
    if wants(Part::Traces) {
        traces::run(options, &trace, &file)?;
    }
    if wants(Part::Curves) {
        curves::run(options, &trace, &file)?;
    }
    if wants(Part::Stack) {
        stack::over_a_trace(options, &trace, &file)?;
        stack::run(options.rounds)?;
        stack::state_per_block()?;
    }
    Ok(())
}

fn plain_traces(options: &Options) -> anyhow::Result<()> {
    println!(
        "\nan ARC on a plain trace, million accesses per second (median of {}):",
        options.rounds
    );
    println!("trace, capacity              OpenZFS 2.3   2.1   textbook   libCacheSim   ratios");
    let zipf = zipf(SHORT);
    one(options, "zipf 1.0", &zipf, SHORT.0 / 10)?;
    for (name, capacity) in [("OLTP", 5000), ("P3", 32_768), ("w106", 65_536)] {
        match peers::public(name, &options.peers.traces)? {
            Some(trace) => one(options, name, &trace, capacity)?,
            None => println!("{name}: skipped, the trace is not there"),
        }
    }
    Ok(())
}

fn one(options: &Options, name: &str, trace: &Trace, capacity: u32) -> anyhow::Result<()> {
    let file = match &options.peers.python {
        Some(_) => Some(peers::write_oracle_general(name, trace)?),
        None => None,
    };
    let size = Bytes(u64::from(capacity) * u64::from(RECORD));
    let (mut new, mut old, mut textbook, mut peer) = (vec![], vec![], vec![], vec![]);
    for _ in 0..options.rounds.max(1) {
        for (version, into) in [("2.3.2", &mut new), ("2.1.11", &mut old)] {
            let version = Version::parse(version);
            let pages = Pages { count: trace.pages, bytes: RECORD };
            let mut arc = PlainArc::new(version, size, pages, Nanos::micros(100));
            into.push(timed(trace, &mut arc));
        }
        textbook.push(timed(trace, &mut ClassicArc::new(capacity, trace.pages)));
        if let (Some(python), Some(file)) = (&options.peers.python, &file) {
            let seconds = peers::seconds(python, file, &format!("ARC:{capacity}"))?;
            peer.push(trace.accesses.len() as f64 / seconds / 1e6);
        }
    }
    let (new, old, textbook) = (median(&mut new), median(&mut old), median(&mut textbook));
    let label = format!("{name}, {capacity}");
    print!("{label:<28} {new:>10.1} {old:>6.1} {textbook:>9.1}");
    if peer.is_empty() {
        println!("             -");
    } else {
        let peer = median(&mut peer);
        println!("   {peer:>10.1}   {:.1} {:.1} {:.1}", new / peer, old / peer, textbook / peer);
    }
    Ok(())
}

fn timed(trace: &Trace, policy: &mut impl arcwright_model::classic::Policy) -> f64 {
    let begun = Instant::now();
    std::hint::black_box(replay(policy, &trace.accesses));
    trace.accesses.len() as f64 / begun.elapsed().as_secs_f64() / 1e6
}

/// Draws accesses to pages with the probabilities of Zipf's law, exponent 1; the pages are a power of two.
fn zipf((pages, accesses): (u32, usize)) -> Trace {
    let mut sums = Vec::with_capacity(pages as usize);
    let mut sum = 0.0;
    for rank in 1..=pages {
        sum += 1.0 / f64::from(rank);
        sums.push(sum);
    }
    let mut chance = Stream::new(1, "bench");
    // Ranks are spread over the page numbers, so that neighbours in memory are strangers.
    let spread = |rank: u32| rank.wrapping_mul(0x9e37_79b1) % pages;
    let draw = |_| {
        let at = chance.below(1 << 52) as f64 / (1u64 << 52) as f64 * sum;
        let rank = sums.partition_point(|other| *other <= at);
        spread(u32::try_from(rank).unwrap_or(0).min(pages - 1))
    };
    let accesses = (0..accesses).map(draw).collect();
    Trace { accesses, pages, ..Trace::default() }
}

/// Measurements of one thing, ours and libCacheSim's in turns, as seconds.
#[derive(Debug, Default)]
struct Pair {
    ours: Vec<f64>,
    theirs: Vec<f64>,
}

impl Pair {
    /// Times what is ours.
    fn time<T>(&mut self, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        let begun = Instant::now();
        let done = work()?;
        self.ours.push(begun.elapsed().as_secs_f64());
        Ok(done)
    }

    /// Prints both as million requests per second, with how many times quicker ours is: the median of the rounds, and the
    /// least and the most of them.
    fn print(&mut self, name: &str, requests: f64) {
        let mut ratios: Vec<f64> =
            self.theirs.iter().zip(&self.ours).map(|(theirs, ours)| theirs / ours).collect();
        let rate = |seconds: &mut [f64]| requests / median(seconds) / 1e6;
        let ours = rate(&mut self.ours);
        if ratios.is_empty() {
            println!("{name:<44} {ours:>8.1}");
            return;
        }
        let ratio = median(&mut ratios);
        let (least, most) = (ratios.first().copied(), ratios.last().copied());
        println!(
            "{name:<44} {ours:>8.1} {:>8.2} {ratio:>8.1}   {:.1} to {:.1}",
            rate(&mut self.theirs),
            least.unwrap_or_default(),
            most.unwrap_or_default()
        );
    }
}

/// The heading of such rows.
fn head() {
    println!("{:<44} {:>8} {:>8} {:>8}   rounds", "", "ours", "theirs", "ratio");
}

/// Returns the median of measurements.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
