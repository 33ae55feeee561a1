//! What an ARC begins with.

use arcwright_scenario::ArcLimits;
use arcwright_units::Bytes;

use super::fractions::Fractions;
use super::memory::MetaLimits;
use super::memory::SPACES;
use super::sum::Aggsum;
use super::{ArcCache, Policy, STATES, Target, Usage};
use crate::cache::admission::Admission;
use crate::versions::behaviour::{ArcBehaviour, Behaviour};
use crate::versions::rules::Start;
use crate::versions::settings::MetaSettings;

impl Policy {
    /// Returns how the ARC of a version decides; everything may be cached.
    pub(super) fn of(behaviour: &Behaviour) -> Self {
        Self {
            rules: behaviour.arc.rules,
            counts_given_metadata: behaviour.arc.counts_given_metadata,
            flag_ends_on_arrival: behaviour.arc.prefetch_flag_ends_on_arrival,
            flags_come_first: behaviour.arc.ghosts_come_back_by_request,
            meta_strategy: behaviour.arc.meta_strategy,
            header_bytes: behaviour.arc.header_bytes,
            l2arc_refuses_prefetches: behaviour.l2arc.refuses_prefetches,
            ticks: behaviour.ticks,
            to_l2: Admission::by_kind([true; 2]),
            uncached: Admission::by_kind([false; 2]),
        }
    }
}

impl Target {
    /// Returns the target that an ARC with these limits begins with.
    pub(super) fn of(behaviour: &ArcBehaviour, settings: &MetaSettings, limits: ArcLimits) -> Self {
        let first = match behaviour.starts {
            Start::Full => limits.max.0,
            Start::AtMinimum | Start::AtHalfOfDefault => limits.min.0,
        };
        Self {
            c: first,
            c_min: limits.min.0,
            c_max: limits.max.0,
            p: first / 2,
            fractions: Fractions::new(),
            limits: MetaLimits::of(settings, limits.max.0),
        }
    }
}

impl ArcCache {
    /// Lets the target begin at `size`, as far as its limits allow.
    pub(crate) fn start_at(&mut self, size: Bytes) {
        self.target.c = size.0.clamp(self.target.c_min, self.target.c_max);
        self.target.p = self.target.c / 2;
    }
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            sizes: [[0; 2]; STATES],
            evictable: [[0; 2]; STATES],
            headers: 0,
            l2_only: 0,
            l2_bytes: 0,
            copies: [0; 2],
            waste: 0,
            spaces: [0; SPACES],
            sum: Aggsum::default(),
        }
    }
}
