//! What is asked of a curve, and what a reader of the answer must know to trust it.
//!
//! ```text
//!   CurveQuestion, trace ─ prepared ─> CurveWork ─ jobs on any cores ─> Curve, the cache's name, notes
//! ```

use std::borrow::Cow;

use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::Trace;

use super::{
    CacheSizes, Curve, CurveJob, CurvePlan, PlannedCurve, Replayed, footprint, handy_sizes,
    lru_curve, sampled_lru_curve,
};

/// Accesses a second of a trace without times, where nothing but the ARC is simulated: it looks at times only to tell
/// uses that are less than 62 ms apart.
const RATE: u64 = 2000;
/// The newest release that the model is held against.
const NEWEST: &str = "2.4.4";

/// Whose hits are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveCache {
    /// OpenZFS's ARC and L2ARC, by simulation.
    Openzfs,
    /// An LRU, exactly.
    Lru,
}

/// What is asked of a curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurveQuestion {
    /// Whose hits are computed.
    pub cache: CurveCache,
    /// OpenZFS; none: the newest that the model is held against.
    pub version: Option<Version>,
    /// Sizes of the ARC; empty: some up to all blocks.
    pub arc: Vec<Bytes>,
    /// Sizes of an L2ARC, each tried with each of the ARC's; empty: there is none.
    pub l2arc: Vec<Bytes>,
    /// Bytes of a feed pass of the L2ARC; none: the version's default.
    pub write_max: Option<Bytes>,
    /// Accesses a second, instead of the trace's times.
    pub rate: Option<u64>,
    /// Whether all blocks of a long trace are looked at, of OpenZFS; of an LRU they are, unless `sampled`.
    pub exact: bool,
    /// Whether some blocks of a long trace are enough for an LRU.
    pub sampled: bool,
    /// Bytes of a block whose size the trace does not say.
    pub block: Bytes,
}

/// Why a question has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CurveQuestionError {
    /// Something that belongs to OpenZFS was said of an LRU.
    #[error("--{0} says nothing about an LRU")]
    NotOfLru(&'static str),
    /// OpenZFS's curve is of some blocks anyway.
    #[error(
        "--sampled is for an LRU (--cache lru); a long trace is thinned for OpenZFS unless --exact is given"
    )]
    SampledAnyway,
    /// An L2ARC is fed by the second.
    #[error(
        "the trace has no times, and an L2ARC is fed by the second; say how many accesses a second with --rate"
    )]
    NoTimes,
}

/// A question with its trace.
#[derive(Debug)]
pub struct CurveWork<'a> {
    /// The cache: an LRU, or OpenZFS with its version.
    pub cache: String,
    /// What a reader must know to trust the figures, one sentence each.
    pub notes: Vec<String>,
    trace: Cow<'a, Trace>,
    sizes: Vec<Bytes>,
    /// None for an LRU, whose sizes are computed together.
    plan: Option<CurvePlan>,
    sampled: bool,
}

impl CurveQuestion {
    /// Checks what can be checked without the trace.
    ///
    /// # Errors
    /// [`CurveQuestionError::NotOfLru`].
    pub fn check(&self) -> Result<(), CurveQuestionError> {
        let zfs_alone = [
            ("l2arc", !self.l2arc.is_empty()),
            ("openzfs", self.version.is_some()),
            ("rate", self.rate.is_some()),
            ("exact", self.exact),
        ];
        let is_lru = self.cache == CurveCache::Lru;
        if self.sampled && !is_lru {
            return Err(CurveQuestionError::SampledAnyway);
        }
        match zfs_alone.iter().find(|(_, given)| *given && is_lru) {
            Some((name, _)) => Err(CurveQuestionError::NotOfLru(name)),
            None => Ok(()),
        }
    }

    /// Prepares the work on a trace; `timed` says whether its times mean something.
    ///
    /// # Errors
    /// [`CurveQuestionError`].
    pub fn prepared<'a>(
        &self,
        mut trace: Cow<'a, Trace>,
        timed: bool,
    ) -> Result<CurveWork<'a>, CurveQuestionError> {
        self.check()?;
        let timed = timed && self.rate.is_none();
        if !timed {
            if !trace.millis.is_empty() {
                trace.to_mut().millis.clear();
            }
            if !self.l2arc.is_empty() && self.rate.is_none() {
                return Err(CurveQuestionError::NoTimes);
            }
        }
        let mut notes = Vec::new();
        self.give_sizes(&mut trace, &mut notes);
        let sizes = self.sizes(&trace);
        if self.cache == CurveCache::Lru {
            let cache = "an LRU".to_owned();
            return Ok(CurveWork { cache, notes, trace, sizes, plan: None, sampled: self.sampled });
        }
        if !timed && self.rate.is_none() {
            notes.push(format!(
                "The trace has no times; {RATE} accesses a second are assumed (--rate)."
            ));
        }
        notes.push(
            "The ARC holds the trace's blocks alone: no metadata, no prefetch; ARC sizes are what is \
             left for data."
                .to_owned(),
        );
        let version = self.version.or_else(|| Version::parse(NEWEST));
        let plan = Some(CurvePlan::new(&trace, self.planned(version, &sizes)));
        let version = version.map(|version| format!(" {version}")).unwrap_or_default();
        let l2arc = if self.l2arc.is_empty() { "" } else { " and L2ARC" };
        let cache = format!("the ARC{l2arc} of OpenZFS{version}");
        Ok(CurveWork { cache, notes, trace, sizes, plan, sampled: false })
    }

    /// Gives blocks whose size the trace does not say one.
    fn give_sizes(&self, trace: &mut Cow<'_, Trace>, notes: &mut Vec<String>) {
        if !trace.bytes.contains(&0) {
            return;
        }
        let size = u32::try_from(self.block.0).unwrap_or(u32::MAX);
        for bytes in trace.to_mut().bytes.iter_mut().filter(|bytes| **bytes == 0) {
            *bytes = size;
        }
        let size = Bytes(u64::from(size));
        notes.push(format!(
            "The trace says no sizes; each block is taken as {size} (--recordsize)."
        ));
    }

    fn sizes(&self, trace: &Trace) -> Vec<Bytes> {
        let mut sizes = match self.arc.is_empty() {
            true => handy_sizes(footprint(trace)),
            false => self.arc.clone(),
        };
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    fn planned(&self, version: Option<Version>, sizes: &[Bytes]) -> PlannedCurve {
        let none = [Bytes::ZERO];
        let l2arcs = if self.l2arc.is_empty() { &none[..] } else { &self.l2arc };
        let both = |arc: &Bytes| {
            l2arcs.iter().map(|l2arc| (*arc, *l2arc)).collect::<Vec<(Bytes, Bytes)>>()
        };
        let sizes = sizes.iter().flat_map(both).map(|(arc, l2arc)| CacheSizes { arc, l2arc });
        PlannedCurve {
            version,
            in_user_space: false,
            sizes: sizes.collect(),
            write_max: self.write_max,
            step: Nanos(Nanos::SECOND.0 / self.rate.unwrap_or(RATE).max(1)),
            exact: self.exact,
        }
    }
}

impl CurveWork<'_> {
    /// Returns jobs that know nothing of each other; none for an LRU, whose work is all in [`Self::finish`].
    #[must_use]
    pub fn jobs(&self) -> Vec<CurveJob> {
        self.plan.as_ref().map(CurvePlan::jobs).unwrap_or_default()
    }

    /// Does one job; none when it is of other work.
    #[must_use]
    pub fn run(&self, job: CurveJob) -> Option<Replayed> {
        self.plan.as_ref()?.run(job)
    }

    /// Returns the curve of the results, which are in the order of the jobs.
    #[must_use]
    pub fn finish(&self, results: &[Option<Replayed>]) -> Curve {
        match &self.plan {
            Some(plan) => plan.finish(results),
            None if self.sampled => sampled_lru_curve(&self.trace, &self.sizes),
            None => lru_curve(&self.trace, &self.sizes),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use arcwright_units::Bytes;
    use arcwright_workload::traces::{BlockOptions, TraceFormat, read};

    use super::{CurveCache, CurveQuestion, CurveQuestionError};

    fn question(cache: CurveCache) -> CurveQuestion {
        CurveQuestion {
            cache,
            version: None,
            arc: vec![Bytes::mib(1)],
            l2arc: Vec::new(),
            write_max: None,
            rate: None,
            exact: false,
            sampled: false,
            block: Bytes::kib(128),
        }
    }

    #[test]
    fn what_belongs_to_openzfs_is_refused_for_an_lru() {
        let lru = CurveQuestion { exact: true, ..question(CurveCache::Lru) };
        assert_eq!(lru.check(), Err(CurveQuestionError::NotOfLru("exact")));
        let sampled = |cache| CurveQuestion { sampled: true, ..question(cache) }.check();
        assert_eq!(sampled(CurveCache::Lru), Ok(()));
        assert_eq!(sampled(CurveCache::Openzfs), Err(CurveQuestionError::SampledAnyway));
        assert_eq!(question(CurveCache::Lru).check(), Ok(()));
    }

    #[test]
    fn an_l2arc_needs_times_or_a_rate() {
        let trace = read(b"1\n2\n1\n", TraceFormat::Pages, BlockOptions::OBJECTS).unwrap();
        let fed = CurveQuestion { l2arc: vec![Bytes::mib(8)], ..question(CurveCache::Openzfs) };
        let asked = |question: &CurveQuestion| {
            question.prepared(Cow::Borrowed(&trace), false).map(|work| work.notes.len())
        };
        assert_eq!(asked(&fed), Err(CurveQuestionError::NoTimes));
        // No sizes, and what the ARC holds.
        assert_eq!(asked(&CurveQuestion { rate: Some(10), ..fed }), Ok(2));
        // No times beside.
        assert_eq!(asked(&question(CurveCache::Openzfs)), Ok(3));
    }
}
