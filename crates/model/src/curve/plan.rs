//! The work of a curve as jobs that know nothing of each other, so that all cores can do them.
//!
//! ```text
//!   trace ─ thin, several seeds ─> one job for each size and seed ─ replay_caches ─> points with the range of the seeds
//! ```

use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::Trace;

use super::{
    CachesSpec, Curve, CurvePoint, Replayed, Thinned, footprint, replay_caches, share, thin,
    thinnings,
};

/// Which caches are tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedCurve {
    /// OpenZFS; none: the newest.
    pub version: Option<Version>,
    /// Whether its structures are those of the library in user space, which are larger, as in the lab.
    pub in_user_space: bool,
    /// Sizes of both caches, a point each.
    pub sizes: Vec<CacheSizes>,
    /// Bytes of a feed pass; none: the version's default.
    pub write_max: Option<Bytes>,
    /// Time between two accesses, where the trace has no times.
    pub step: Nanos,
    /// Whether all blocks are looked at, however many there are.
    pub exact: bool,
}

/// The caches of one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSizes {
    /// The ARC.
    pub arc: Bytes,
    /// The L2ARC; zero: none.
    pub l2arc: Bytes,
}

/// A curve that is to be computed.
#[derive(Debug)]
pub struct CurvePlan {
    planned: PlannedCurve,
    thinned: Vec<Thinned>,
    blocks: u32,
    footprint: Bytes,
}

/// One piece of the work, and what comes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurveJob {
    point: usize,
    seed: usize,
}

impl CurvePlan {
    /// Thins a trace as far as its curve allows.
    #[must_use]
    pub fn new(trace: &Trace, planned: PlannedCurve) -> Self {
        let thinned = if planned.exact { vec![thin(trace, 1, 1)] } else { thinnings(trace) };
        Self { planned, thinned, blocks: trace.pages, footprint: footprint(trace) }
    }

    /// Returns all jobs.
    #[must_use]
    pub fn jobs(&self) -> Vec<CurveJob> {
        let seeds = self.thinned.len();
        let of_point = |point| (0..seeds).map(move |seed| CurveJob { point, seed });
        (0..self.planned.sizes.len()).flat_map(of_point).collect()
    }

    /// Does one job; none when it is of another plan.
    #[must_use]
    pub fn run(&self, job: CurveJob) -> Option<Replayed> {
        let CacheSizes { arc, l2arc } = *self.planned.sizes.get(job.point)?;
        let PlannedCurve { version, in_user_space, write_max, step, .. } = self.planned;
        let spec = CachesSpec { version, in_user_space, arc, l2arc, write_max, step };
        Some(replay_caches(self.thinned.get(job.seed)?, &spec))
    }

    /// Returns the curve of the results, which are in the order of the jobs; points of which one is missing are left
    /// out.
    #[must_use]
    pub fn finish(&self, results: &[Option<Replayed>]) -> Curve {
        let one = self.thinned.first();
        let points = self.planned.sizes.iter().zip(results.chunks(self.thinned.len().max(1)));
        let points = points.filter_map(|(sizes, results)| {
            let all = results.iter().copied().collect::<Option<Vec<Replayed>>>()?;
            Some(point(*sizes, &all))
        });
        Curve {
            points: points.collect(),
            counted: one.map_or(0, |one| one.counted),
            blocks: self.blocks,
            footprint: self.footprint,
            one_in: one.map_or(1, |one| one.one_in),
        }
    }
}

/// Returns the mean of what thinnings found, and how far they are apart.
pub(super) fn point(sizes: CacheSizes, all: &[Replayed]) -> CurvePoint {
    let mean = |of: fn(&Replayed) -> f64| share(all.iter().map(of).sum(), all.len() as f64);
    let found = |one: &Replayed| one.hits + one.l2_hits;
    let least = all.iter().map(found).fold(f64::INFINITY, f64::min);
    let most = all.iter().map(found).fold(0.0, f64::max);
    let written = all.iter().map(|one| one.l2_written.0).sum::<u64>() / all.len().max(1) as u64;
    let span = all.iter().map(|one| one.span).max().unwrap_or_default();
    CurvePoint {
        size: sizes.arc,
        l2arc: sizes.l2arc,
        hits: mean(|one| one.hits),
        byte_hits: mean(|one| one.byte_hits),
        l2_hits: mean(|one| one.l2_hits),
        l2_written: Bytes(written),
        span,
        range: [least, most],
    }
}
