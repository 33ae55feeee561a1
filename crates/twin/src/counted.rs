//! What the ARC was asked for per second, counted alike on the machine and by the model.

use arcwright_kstat::{AccessCounts, ArcDelta};

/// What the ARC was asked for, per second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    /// Demand accesses to data, and how many of them it did not have.
    pub(crate) accesses: f64,
    pub(crate) misses: f64,
    /// The same of metadata; none where that is not counted.
    pub(crate) metadata: Option<(f64, f64)>,
    /// Of all misses, the share that had been in the ARC lately; none without misses.
    pub(crate) ghosts: Option<f64>,
}

impl Counted {
    /// Returns what was counted, each count made one per second; none where accesses to data are not counted.
    pub(crate) fn of(arc: &ArcDelta, per_s: impl Fn(u64) -> f64) -> Option<Self> {
        let both = |class: AccessCounts| {
            let (found, misses) = (per_s(class.found()?), per_s(class.misses?));
            Some((found + misses, misses))
        };
        let (accesses, misses) = both(arc.demand_data)?;
        let all = arc.all.misses.filter(|all| *all > 0);
        let ghosts = arc.mru_ghost_hits.zip(arc.mfu_ghost_hits);
        let ghosts = ghosts.map(|(recent, frequent)| recent.saturating_add(frequent));
        let share = |(ghosts, all): (u64, u64)| (ghosts as f64 / all as f64).min(1.0);
        let ghosts = ghosts.zip(all).map(share);
        Some(Self { accesses, misses, metadata: both(arc.demand_metadata), ghosts })
    }
}
