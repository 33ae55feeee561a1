//! OpenZFS's ARC with an L2ARC behind it, for a plain row of accesses: no disks, no prefetcher, no metadata.

use arcwright_scenario::ArcLimits;
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Stream;

use crate::cache::arc::{ArcCache, ArcSpec, HAS_L2};
use crate::cache::l2arc::L2arc;
use crate::ids::{BlockId, LeafId};
use crate::versions::behaviour::Behaviour;
use crate::versions::settings::Settings;

/// Bytes of a cache device before its first block, which are on top of what it is to hold.
const HEAD: u64 = 8 << 20;

/// Where an access found its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Arc,
    L2arc,
    Disk,
}

/// What caches are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct CachesOf<'a> {
    pub(super) version: Option<Version>,
    /// Whether its structures are those of the library in user space.
    pub(super) in_user_space: bool,
    pub(super) arc: Bytes,
    /// Bytes of each block.
    pub(super) sizes: &'a [u32],
    /// Zero: there is none.
    pub(super) l2arc: Bytes,
    /// Bytes of a feed pass, and how many more while nothing was evicted.
    pub(super) feed: [u64; 2],
    /// Passes are rarer by this factor.
    pub(super) rarer: u64,
    /// What is here stands for so many times as much.
    pub(super) one_in: u64,
}

/// Returns the bytes of a feed pass by a version's defaults, and its boost; `write_max` replaces the former.
pub(super) fn feed_defaults(version: Option<Version>, write_max: Option<Bytes>) -> [u64; 2] {
    let settings = Settings::defaults(version).l2arc;
    [write_max.map_or(settings.write_max, |bytes| bytes.0), settings.write_boost]
}

/// The caches of a machine.
#[derive(Debug)]
pub(super) struct Caches {
    arc: ArcCache,
    l2arc: Option<L2arc>,
    next_feed: Nanos,
    rarer: u64,
}

impl Caches {
    pub(super) fn new(of: &CachesOf<'_>) -> Self {
        let behaviour = match of.in_user_space {
            true => Behaviour::in_user_space(of.version),
            false => Behaviour::of(of.version),
        };
        let mut settings = Settings::defaults(of.version);
        [settings.l2arc.write_max, settings.l2arc.write_boost] = of.feed;
        let blocks = u32::try_from(of.sizes.len()).unwrap_or(u32::MAX);
        let mut arc = ArcCache::new(ArcSpec {
            sizes: of.sizes,
            metadata_from: BlockId(blocks),
            lengths_from: BlockId(blocks),
            lengths: &[],
            behaviour: &behaviour,
            settings,
            limits: ArcLimits { min: of.arc, max: of.arc },
            cores: 4,
            seed: 1,
        });
        arc.scale_overshoot(of.one_in);
        let l2arc = (of.l2arc > Bytes::ZERO).then(|| {
            let rng = Stream::new(1, "feed");
            let mut l2arc = L2arc::new(of.sizes.len(), settings.l2arc, behaviour, rng);
            l2arc.add(LeafId(0), of.l2arc.0 + HEAD);
            l2arc
        });
        Self { arc, l2arc, next_feed: Nanos::secs(2), rarer: of.rarer }
    }

    /// Accesses a block; afterwards the ARC has it. A write makes what the L2ARC has of it void.
    pub(super) fn access(&mut self, block: u32, now: Nanos, writes: bool) -> Found {
        let block = BlockId(block);
        let Some(l2arc) = &mut self.l2arc else {
            return match self.arc.read_and_release(block, now) {
                true => Found::Arc,
                false => Found::Disk,
            };
        };
        while self.next_feed <= now {
            let began = self.next_feed;
            let (next, idle) = match l2arc.feed(&mut self.arc, began) {
                Some(pass) => (l2arc.finish(&mut self.arc, &pass, began), pass.writes.is_empty()),
                None => (l2arc.retry(began), true),
            };
            let sleep = Nanos(next.0.saturating_sub(began.0).max(1).saturating_mul(self.rarer));
            // Nothing changes until the next access: passes that find nothing are not repeated.
            self.next_feed = if idle { (began + sleep).max(now) } else { began + sleep };
            if idle && self.next_feed == now {
                break;
            }
        }
        if writes {
            l2arc.forget(block, &mut self.arc);
        }
        let is_on_device = self.arc.cell(block).is(HAS_L2);
        match (self.arc.read_and_release(block, now), is_on_device) {
            (true, _) => Found::Arc,
            (false, true) => Found::L2arc,
            (false, false) => Found::Disk,
        }
    }

    /// Returns the bytes that the feed has written.
    pub(super) fn l2_written(&self) -> u64 {
        self.l2arc.as_ref().map_or(0, |l2arc| l2arc.write_bytes)
    }
}
