//! How long one collection of kstats takes: `cargo run --release -p arcwright-host --example collect
//! -- DIR`. On a live machine the folder is `/`; on a copy of one it is where the copy begins.
//!
//! Question: can a dashboard read all counters once a second for under 5 ms? Workload: all tables of
//! kstats of the tree, a thousand times. Noise: the median and the worst of all are printed.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::path::PathBuf;
use std::time::Instant;

use arcwright_host::observe::{Sampler, Tools};

fn main() -> Result<(), String> {
    const TIMES: usize = 1000;
    let root = std::env::args().nth(1).map_or_else(|| PathBuf::from("/"), PathBuf::from);
    let mut sampler = Sampler::new(&root, &Tools::default())
        .map_err(|reason| format!("{}: {reason:?}", root.display()))?;
    let mut took = Vec::with_capacity(TIMES);
    let (mut kstats, mut rows) = (0, 0);
    for _ in 0..TIMES {
        let begin = Instant::now();
        let snapshot = sampler.sample();
        took.push(begin.elapsed());
        kstats = snapshot.kstats.len();
        rows = snapshot.kstats.values().map(|kstat| kstat.rows.len()).sum();
    }
    took.sort();
    let (median, worst) = (took.get(TIMES / 2), took.last());
    println!("{kstats} kstats, {rows} rows: median {median:?}, worst {worst:?} of {TIMES}");
    Ok(())
}
