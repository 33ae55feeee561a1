//! When something happened: what the ARC was asked between readings, spans without a gap, and the busiest one.

use arcwright_units::Nanos;

use crate::block::Block;

/// The few counters that tell how busy a machine was; all others stay where they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// When they were read, since 1970.
    pub at: Nanos,
    /// When the module was loaded, on the kernel's clock; zero where that is not known.
    pub loaded: Nanos,
    /// Hits of the ARC; none where they were not counted.
    pub hits: Option<u64>,
    /// Misses of the ARC.
    pub misses: Option<u64>,
    /// Commits of the intent log.
    pub commits: Option<u64>,
    /// Size of the ARC.
    pub arc_size: Option<u64>,
    /// Hits of the L2ARC.
    pub l2_hits: Option<u64>,
    /// Size of what the L2ARC has.
    pub l2_size: Option<u64>,
}

/// What went on between two readings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Activity {
    /// Time between them.
    pub span: Nanos,
    /// Accesses to the ARC; none where they were not counted, or began anew.
    pub accesses: Option<u64>,
    /// Of those, the ones that missed it.
    pub misses: Option<u64>,
    /// Of those, the ones that the L2ARC had.
    pub l2_hits: Option<u64>,
    /// Commits of the intent log.
    pub commits: Option<u64>,
}

const ARCSTATS: &str = "zfs/arcstats";

impl Block {
    /// Returns of each reading the counters that tell how busy the machine was.
    #[must_use]
    pub fn counts(&self) -> Vec<Counts> {
        let times = self.times().zip(self.created(ARCSTATS));
        let counts = times.map(|(at, loaded)| Counts { at, loaded, ..Counts::default() });
        let mut counts: Vec<Counts> = counts.collect();
        let mut fill = |kstat: &str, row: &str, put: fn(&mut Counts, u64)| {
            for (number, value) in self.numbered(kstat, row) {
                if let Some(counts) = counts.get_mut(number) {
                    put(counts, value);
                }
            }
        };
        fill(ARCSTATS, "hits", |counts, value| counts.hits = Some(value));
        fill(ARCSTATS, "misses", |counts, value| counts.misses = Some(value));
        fill(ARCSTATS, "size", |counts, value| counts.arc_size = Some(value));
        fill(ARCSTATS, "l2_hits", |counts, value| counts.l2_hits = Some(value));
        fill(ARCSTATS, "l2_size", |counts, value| counts.l2_size = Some(value));
        fill("zfs/zil", "zil_commit_count", |counts, value| counts.commits = Some(value));
        counts
    }
}

impl Counts {
    /// Says whether a later reading goes on from this one: the module was not loaded again in between.
    #[must_use]
    pub fn goes_on_to(&self, later: &Self) -> bool {
        let rises = |one: Option<u64>, other: Option<u64>| {
            one.zip(other).is_none_or(|(one, other)| one <= other)
        };
        self.loaded == later.loaded
            && self.at < later.at
            && rises(self.hits, later.hits)
            && rises(self.misses, later.misses)
    }

    /// Returns what went on from this reading to a later one.
    #[must_use]
    pub fn until(&self, later: &Self) -> Activity {
        let span = later.at.saturating_sub(self.at);
        if !self.goes_on_to(later) {
            return Activity { span, ..Activity::default() };
        }
        let more = |one: Option<u64>, other: Option<u64>| other?.checked_sub(one?);
        let (hits, misses) = (more(self.hits, later.hits), more(self.misses, later.misses));
        Activity {
            span,
            accesses: hits.zip(misses).map(|(hits, misses)| hits.saturating_add(misses)),
            misses,
            l2_hits: more(self.l2_hits, later.l2_hits),
            commits: more(self.commits, later.commits),
        }
    }
}

/// Returns the first and the last of readings, by number, between which the ARC was asked most for so long; of what
/// goes on without a gap if that is shorter. None where no two readings go on from each other.
#[must_use]
pub fn busiest(readings: &[Counts], length: Nanos) -> Option<(usize, usize)> {
    let mut best: Option<(u64, usize, usize)> = None;
    let mut begin = 0;
    for (end, last) in readings.iter().enumerate().skip(1) {
        if !readings.get(end - 1)?.goes_on_to(last) {
            begin = end;
            continue;
        }
        // The shortest span that is long enough and ends here.
        while begin + 1 < end && last.at.saturating_sub(readings.get(begin + 1)?.at) >= length {
            begin += 1;
        }
        let activity = readings.get(begin)?.until(last);
        let accesses = u128::from(activity.accesses.unwrap_or_default());
        // A span that is too short counts as if nothing went on in the rest of the time.
        let rate = accesses * 1_000_000_000 / u128::from(activity.span.max(length).0.max(1));
        let rate = u64::try_from(rate).unwrap_or(u64::MAX);
        if best.is_none_or(|(most, ..)| rate > most) {
            best = Some((rate, begin, end));
        }
    }
    best.map(|(_, begin, end)| (begin, end))
}

/// Returns the longest part of readings, by number of the first and the last, that go on from each other. None where no two do.
#[must_use]
pub fn longest(readings: &[Counts]) -> Option<(usize, usize)> {
    let mut best: Option<(Nanos, usize, usize)> = None;
    let mut begin = 0;
    for (end, last) in readings.iter().enumerate().skip(1) {
        if !readings.get(end - 1)?.goes_on_to(last) {
            begin = end;
            continue;
        }
        let span = last.at.saturating_sub(readings.get(begin)?.at);
        // Of two as long, the later one: it tells of the machine as it is.
        if best.is_none_or(|(longest, ..)| span >= longest) {
            best = Some((span, begin, end));
        }
    }
    best.map(|(_, begin, end)| (begin, end))
}
