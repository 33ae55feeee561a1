//! The balance from 2.2 on: three shares, moved by ghost hits (docs/model/arc.md#balance-by-fractions,
//! #eviction-pass-by-fractions, #ghost-list-targets; arc.c 2.2.10).
//!
//! One share says how much of the ARC is metadata, one how much of the data and one how much of the
//! metadata belongs to the MRU. A hit on a ghost list raises the share that its block would have had,
//! by the hit bytes over what the ghost lists may hold. A pass of eviction then lets each kind and each
//! list give what it has above its share, metadata first.
//!
//! A small case: 600 MiB of MRU data, 100 of MRU metadata, 200 and 100 of the MFU's, 20 too much in all. Metadata
//! may have a quarter of 980, 245, and has 200; so the MRU's data gives, 20 of the 210 it has above
//! its half of the other 780.

use arcwright_units::Nanos;

use super::{ArcCache, Kind, State};

/// The lists of blocks in memory and of ghosts, in the order in which they are counted here.
const LISTS: [State; 2] = [State::Mru, State::Mfu];
const GHOSTS: [State; 2] = [State::MruGhost, State::MfuGhost];

/// A part of something, in units of 2^-32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share(u64);

/// Bytes that were hit on ghost lists: on those that speak for more, and on those that speak for less.
#[derive(Debug, Clone, Copy)]
struct Hits {
    up: u64,
    down: u64,
}

impl Share {
    const ONE: u64 = 1 << 32;
    const HALF: Self = Self(Self::ONE / 2);
    const QUARTER: Self = Self(Self::ONE / 4);
    /// Less than this on the ghost lists says nothing.
    const TARGET_MIN: u64 = 32;

    /// Returns the share after hits on ghost lists that may hold `target` bytes. Hits that speak for less
    /// weigh 100 in `balance`.
    fn after(self, hits: Hits, target: u64, balance: u64) -> Self {
        if target < Self::TARGET_MIN || hits.up + hits.down == 0 {
            return self;
        }
        let (share, rest) = (self.0, Self::ONE.saturating_sub(self.0));
        // Many hits at once count as a sixteenth to a thirty-second of what the lists may hold.
        let all = hits.up + hits.down;
        let surge = if all >= target / 16 { all / (target / 32) } else { 1 };
        // The smaller the part that is left to win, the slower it is won.
        let brake = |own: u64, other: u64| (own / (2 * other + 1)).max(1);
        let up = in_units(hits.up / surge / brake(share, rest), target);
        let down = in_units(hits.down / surge / brake(rest, share), target);
        let down = down * 100 / u128::from(balance.max(1));
        let moved = (u128::from(share) + up).saturating_sub(down);
        Self::at_most_one(moved)
    }

    /// Returns a share of so many units, or all.
    fn at_most_one(units: u128) -> Self {
        Self(u64::try_from(units).map_or(Self::ONE, |units| units.min(Self::ONE)))
    }

    /// Returns the share of a share.
    fn times(self, other: Self) -> Self {
        let product = u128::from(self.0) * u128::from(other.0);
        Self::at_most_one(product / u128::from(Self::ONE))
    }

    /// Returns its part of so many bytes. It keeps sixteen bits of the share, as the kernel does.
    fn of(self, bytes: i128) -> i128 {
        (bytes * i128::from(self.0 >> 16)) >> 16
    }
}

/// Returns `bytes` over `target` in units of 2^-32. Both are scaled so that 64 bits hold them, which drops
/// the last bits of a large target.
fn in_units(bytes: u64, target: u64) -> u128 {
    let shift = target.leading_zeros().min(32);
    (u128::from(bytes) << shift) / u128::from(target >> (32 - shift))
}

/// The three shares, and the ghost hits since the last pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fractions {
    metadata: Share,
    /// The MRU's share, of data and of metadata.
    mru: [Share; 2],
    /// Hit bytes, and what each list may hold as of the last pass; by kind, then MRU and MFU.
    hits: [[u64; 2]; 2],
    targets: [[u64; 2]; 2],
}

impl Fractions {
    pub(super) fn new() -> Self {
        let none = [[0; 2]; 2];
        Self { metadata: Share::QUARTER, mru: [Share::HALF; 2], hits: none, targets: none }
    }

    pub(super) fn ghost_hit(&mut self, list: usize, kind: Kind, bytes: u64) {
        let [data, metadata] = &mut self.hits;
        let of_kind = match kind {
            Kind::Data => data,
            Kind::Metadata => metadata,
        };
        if let Some(hits) = of_kind.get_mut(list) {
            *hits += bytes;
        }
    }

    /// Moves the shares by the hits since the last pass. `balance` is what 100 hits on metadata weigh
    /// against as many on data, in hundredths.
    fn adapt(&mut self, balance: u64) {
        let hits = std::mem::take(&mut self.hits);
        let [data, metadata] = hits.map(|of_kind| of_kind.iter().sum());
        let target = self.targets.as_flattened().iter().sum();
        self.metadata = self.metadata.after(Hits { up: metadata, down: data }, target, balance);
        for ((share, [up, down]), targets) in self.mru.iter_mut().zip(hits).zip(self.targets) {
            *share = share.after(Hits { up, down }, targets.iter().sum(), 100);
        }
    }
}

/// What the MRU and the MFU hold of one kind, and what the MRU and both together should keep of it.
#[derive(Debug, Clone, Copy)]
struct KindPlan {
    mru: i128,
    all: i128,
    mru_target: i128,
    target: i128,
}

impl KindPlan {
    /// Returns what the MRU has too much, and what the MFU has when the MRU has given `given`.
    fn surplus(&self, state: State, given: i128) -> i128 {
        match state {
            State::Mru => self.mru - self.mru_target,
            _ => self.all - given - self.target,
        }
    }
}

/// What is in memory by kind, then MRU with what is anonymous and MFU, when a pass begins; and what is
/// to remain.
#[derive(Debug, Clone, Copy)]
struct EvictionPlan {
    held: [[u64; 2]; 2],
    wanted: i128,
}

impl EvictionPlan {
    fn new(held: [[u64; 2]; 2], excess: i128) -> Self {
        let all: u64 = held.as_flattened().iter().sum();
        Self { held, wanted: i128::from(all) - excess }
    }

    /// Metadata may have its share of all.
    fn of_metadata(&self, shares: &Fractions) -> KindPlan {
        let [_, of_metadata] = shares.mru;
        let target = shares.metadata.of(self.wanted);
        let mru_target = shares.metadata.times(of_metadata).of(self.wanted);
        self.of_kind(Kind::Metadata, mru_target, target)
    }

    /// Data may have what is left beside metadata, whatever that has given.
    fn of_data(&self, shares: &Fractions, metadata_left: i128) -> KindPlan {
        let [of_data, _] = shares.mru;
        let target = self.wanted - metadata_left;
        self.of_kind(Kind::Data, of_data.of(target), target)
    }

    fn of_kind(&self, kind: Kind, mru_target: i128, target: i128) -> KindPlan {
        let [data, metadata] = self.held;
        let [mru, mfu] = if kind == Kind::Data { data } else { metadata };
        KindPlan { mru: i128::from(mru), all: i128::from(mru + mfu), mru_target, target }
    }
}

/// The shares of metadata, of the MRU within data, and of the MRU within metadata, as the kstats have them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shares {
    pub(crate) metadata: u64,
    pub(crate) mru_of_data: u64,
    pub(crate) mru_of_metadata: u64,
}

impl ArcCache {
    /// Returns the shares.
    pub(crate) fn shares(&self) -> Shares {
        let Fractions { metadata, mru: [of_data, of_metadata], .. } = self.target.fractions;
        Shares { metadata: metadata.0, mru_of_data: of_data.0, mru_of_metadata: of_metadata.0 }
    }

    /// One pass of the eviction thread; returns what it freed of data in memory.
    pub(super) fn evict_by_fractions(&mut self, now: Nanos) -> u64 {
        self.target.fractions.adapt(self.settings.arc.meta_balance);
        let shares = self.target.fractions;
        let plan = EvictionPlan::new(self.held(), self.excess_bytes());
        let metadata = plan.of_metadata(&shares);
        let metadata_freed = self.evict_kind(Kind::Metadata, metadata, now);
        let data = plan.of_data(&shares, metadata.all - i128::from(metadata_freed));
        let data_freed = self.evict_kind(Kind::Data, data, now);
        self.trim_all_ghosts(now);
        metadata_freed + data_freed
    }

    /// Lets the MRU and then the MFU give what they have too much of a kind, as long as the ARC is above its
    /// target; returns what they gave.
    fn evict_kind(&mut self, kind: Kind, plan: KindPlan, now: Nanos) -> u64 {
        let mut given = 0;
        let is_counted = kind == Kind::Data || self.policy.counts_given_metadata;
        for state in LISTS {
            let counted = if is_counted { given } else { 0 };
            let surplus = plan.surplus(state, i128::from(counted));
            given += self.evict_list(state, kind, surplus.min(self.excess_bytes()), now);
        }
        given
    }

    /// Lets each ghost list remember half of what the three other kinds and lists hold in memory.
    fn trim_all_ghosts(&mut self, now: Nanos) {
        let held = self.held();
        let all: u64 = held.as_flattened().iter().sum();
        let targets = held.map(|of_kind| of_kind.map(|own| (all - own) / 2));
        self.target.fractions.targets = targets;
        let [of_data, of_metadata] = targets;
        for ((state, data), metadata) in GHOSTS.into_iter().zip(of_data).zip(of_metadata) {
            for (kind, target) in Kind::BOTH.into_iter().zip([data, metadata]) {
                let surplus = self.bytes_of(state, kind).saturating_sub(target);
                self.evict_list(state, kind, i128::from(surplus), now);
            }
        }
    }

    /// Returns what is in memory by kind, then of the MRU with what is anonymous, and of the MFU.
    fn held(&self) -> [[u64; 2]; 2] {
        Kind::BOTH.map(|kind| {
            let recent = self.bytes_of(State::Anon, kind) + self.bytes_of(State::Mru, kind);
            [recent, self.bytes_of(State::Mfu, kind)]
        })
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use arcwright_tunables::Version;

    use super::{Hits, KindPlan, Share};
    use crate::cache::arc::State;
    use crate::versions::behaviour::Behaviour;

    /// Returns a share after ghost hits.
    pub(super) fn after(share: u64, target: u64, hits: Hits, balance: u64) -> u64 {
        Share(share).after(hits, target, balance).0
    }

    fn check(share: u64, target: u64, hits: Hits, balance: u64, expected: u64) {
        assert_eq!(after(share, target, hits, balance), expected, "{share} {target} {hits:?}");
    }

    /// docs/model/arc.md#eviction-pass-by-fractions: 300 and 100 of metadata, of which 200 may stay, 100 of them the MRU's.
    #[test]
    fn the_mfu_gives_what_the_mru_has_given_once_more_up_to_2_2_6() {
        let plan = KindPlan { mru: 300, all: 400, mru_target: 100, target: 200 };
        assert_eq!(plan.surplus(State::Mru, 0), 200);
        assert_eq!(plan.surplus(State::Mfu, 200), 0);
        assert_eq!(plan.surplus(State::Mfu, 0), 200);
        let counts =
            |version: &str| Behaviour::of(Version::parse(version)).arc.counts_given_metadata;
        assert_eq!(["2.2.0", "2.2.6", "2.2.7", "2.3.2"].map(counts), [false, false, true, true]);
    }

    /// The vectors of docs/model/arc.md#worked-cases.
    #[test]
    fn shares_move_as_in_the_kernel() {
        let (mi, gi) = (1u64 << 20, 1u64 << 30);
        let hits = |up, down| Hits { up, down };
        check(1 << 31, 8 * gi, hits(mi, 0), 100, 2_148_007_936);
        check(1 << 31, 8 * gi, hits(0, mi), 100, 2_146_959_360);
        check(1 << 30, 16 * gi, hits(64 * mi, 32 * mi), 500, 1_088_841_319);
        check(1 << 31, 8 * gi, hits(8 * gi, 0), 100, 2_281_701_376);
        check(4_000_000_000, 8 * gi, hits(64 * mi, 0), 100, 4_005_592_405);
        check(1 << 30, 31, hits(1, 0), 500, 1 << 30);
        check(200_000_000, 8 * gi, hits(0, 64 * mi), 100, 196_644_557);
    }
}
