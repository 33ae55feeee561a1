//! OpenZFS's own ARC on a plain trace: no disks, no prefetcher, no second level, every page a record.
//!
//! Time goes on by the same step with every access; the ARC looks at it, since a second access
//! promotes only 62 ms after the first.

use arcwright_scenario::ArcLimits;
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};

use crate::cache::arc::{ArcCache, ArcSpec};
use crate::classic::Policy;
use crate::ids::BlockId;
use crate::versions::behaviour::Behaviour;
use crate::versions::settings::Settings;

/// The ARC of a version of OpenZFS, as a policy for pages.
#[derive(Debug)]
pub struct PlainArc {
    arc: ArcCache,
    now: Nanos,
    step: Nanos,
}

/// The pages of a trace.
#[derive(Debug, Clone, Copy)]
pub struct Pages {
    /// Their numbers are below.
    pub count: u32,
    /// Bytes of each.
    pub bytes: u32,
}

impl PlainArc {
    /// An ARC of `size` for some pages, accessed every `step`.
    #[must_use]
    pub fn new(version: Option<Version>, size: Bytes, pages: Pages, step: Nanos) -> Self {
        let behaviour = Behaviour::of(version);
        let sizes = vec![pages.bytes; pages.count as usize];
        let limits = ArcLimits { min: size, max: size };
        let settings = Settings::defaults(version);
        Self {
            arc: ArcCache::new(ArcSpec {
                sizes: &sizes,
                metadata_from: BlockId(pages.count),
                lengths_from: BlockId(pages.count),
                lengths: &[],
                behaviour: &behaviour,
                settings,
                limits,
                cores: 4,
                seed: 1,
            }),
            now: Nanos::secs(1),
            step,
        }
    }
}

impl Policy for PlainArc {
    fn access(&mut self, page: u32) -> bool {
        self.now += self.step;
        self.arc.read_and_release(BlockId(page), self.now)
    }

    fn warm(&self, pages: &[u32]) -> u64 {
        self.arc.warm(pages.iter().copied().map(BlockId))
    }
}

#[cfg(test)]
mod tests {
    use arcwright_tunables::Version;
    use arcwright_units::{Bytes, Nanos};
    use arcwright_workload::Stream;

    use super::{Pages, PlainArc};
    use crate::cache::arc::Lookup;
    use crate::classic::Policy as _;
    use crate::ids::BlockId;

    /// The short way and the long one lead to the same place.
    #[test]
    fn reading_in_one_step_is_reading_and_releasing() {
        for version in ["2.1.11", "2.3.2"] {
            let arc = || {
                let pages = Pages { count: 1500, bytes: 128 << 10 };
                PlainArc::new(Version::parse(version), Bytes::mib(100), pages, Nanos::millis(3))
            };
            let (mut short, mut long) = (arc(), arc());
            let mut chance = Stream::new(1, "plain");
            for _ in 0..40_000 {
                let page = u32::try_from(chance.below(1500) * chance.below(1500) / 1500).unwrap();
                let block = BlockId(page);
                let hit = short.access(page);
                long.now += long.step;
                let found = long.arc.read(block, long.now, false);
                if found != Lookup::Hit {
                    long.arc.complete(block, long.now, 1);
                }
                long.arc.release(block);
                assert_eq!(hit, found == Lookup::Hit, "{version}");
            }
            assert_eq!(format!("{:?}", short.arc), format!("{:?}", long.arc), "{version}");
            assert!(short.arc.counters.hits > 10_000 && short.arc.counters.misses > 5_000);
        }
    }
}
