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
    pub(crate) ghosts: Option<Share>,
    /// Of the hits of data, the share that had been asked for once before; none without hits.
    pub(crate) recent: Option<Share>,
}

/// A part of some events that were counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub(crate) value: f64,
    /// How far so few events may be off by chance: two standard errors.
    pub(crate) chance: f64,
}

impl Share {
    fn of(part: u64, all: u64) -> Self {
        let (part, all) = (part.min(all) as f64, all as f64);
        let value = part / all;
        // A share of nothing or of all of a few events is not known to the last digit either.
        let near = (part + 1.0) / (all + 2.0);
        Self { value, chance: two_errors(near, all) }
    }
}

/// Returns two standard errors of a share that so many events tell.
pub(crate) fn two_errors(share: f64, count: f64) -> f64 {
    2.0 * (share * (1.0 - share) / count).sqrt()
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
        let ghosts = ghosts.zip(all).map(|(ghosts, all)| Share::of(ghosts, all));
        let hits = arc.demand_data.hits.filter(|hits| *hits > 0);
        let recent = arc.mru_hits.zip(hits).map(|(recent, hits)| Share::of(recent, hits));
        Some(Self { accesses, misses, metadata: both(arc.demand_metadata), ghosts, recent })
    }
}
