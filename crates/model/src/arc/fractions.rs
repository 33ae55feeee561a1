//! The balance from 2.2 on: three fractions, moved by ghost hits (docs/model/arc.md#balance-by-fractions; arc.c 2.2.10).
//!
//! `meta` is the share of metadata, `pd` and `pm` the shares of the MRU within data and within metadata,
//! each in units of 2^-32. A ghost hit on the MRU's side raises the MRU's share by the hit bytes over
//! the ghost lists' target size, scaled where the share is far from one half.

use arcwright_units::Nanos;

use super::{Arc, Kind, State};

const ONE: u64 = 1 << 32;

/// The three shares, and the ghost hits since the last pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fractions {
    pub(crate) meta: u64,
    pub(crate) pd: u64,
    pub(crate) pm: u64,
    /// Hit bytes by MRU or MFU ghost list, then data or metadata.
    hits: [[u64; 2]; 2],
    /// Target sizes of the ghost lists as of the last pass, same order.
    targets: [[u64; 2]; 2],
}

impl Fractions {
    pub(super) fn new() -> Self {
        let half = ONE / 2;
        Self { meta: ONE / 4, pd: half, pm: half, hits: [[0; 2]; 2], targets: [[0; 2]; 2] }
    }

    pub(super) fn ghost_hit(&mut self, list: usize, kind: Kind, bytes: u64) {
        let count = self.hits.get_mut(list).and_then(|of| of.get_mut(kind as usize));
        if let Some(count) = count {
            *count += bytes;
        }
    }

    fn adapt(&mut self, meta_balance: u64) {
        let [[grd, grm], [gfd, gfm]] = std::mem::take(&mut self.hits);
        let [[srd, srm], [sfd, sfm]] = self.targets;
        self.meta = moved(self.meta, srd + srm + sfd + sfm, (grm + gfm, grd + gfd), meta_balance);
        self.pd = moved(self.pd, srd + sfd, (grd, gfd), 100);
        self.pm = moved(self.pm, srm + sfm, (grm, gfm), 100);
    }
}

/// Returns a share after ghost hits of `up` and `down` bytes on lists of `total` bytes.
fn moved(share: u64, total: u64, (up, down): (u64, u64), balance: u64) -> u64 {
    if total < 32 || up + down == 0 {
        return share;
    }
    let (mut up, mut down) = (u128::from(up), u128::from(down));
    let wide = u128::from(total);
    if up + down >= wide / 16 {
        let divisor = (up + down) / (wide / 32);
        up /= divisor;
        down /= divisor;
    }
    let highest = 64 - total.leading_zeros();
    let shift = (64 - highest).min(32);
    let (f, o) = (u128::from(share), u128::from(ONE.saturating_sub(share)));
    let unit = (wide >> (32 - shift)).max(1);
    if f >= 4 * o {
        up /= f / (2 * o + 1);
    }
    up = (up << shift) / unit;
    if o >= 4 * f {
        down /= o / (2 * f + 1);
    }
    down = (down << shift) / unit;
    let lower = down * 100 / u128::from(balance.max(1));
    u64::try_from((f + up).saturating_sub(lower)).unwrap_or(ONE).min(ONE)
}

/// Returns `part` of `whole` in units of 2^-32, as the kernel rounds it.
fn of(whole: i128, part: u64) -> i128 {
    (whole * i128::from(part >> 16)) >> 16
}

impl Arc {
    pub(crate) fn shares(&self) -> (u64, u64, u64) {
        (self.fractions.meta, self.fractions.pd, self.fractions.pm)
    }

    /// One pass of the eviction thread; returns what it freed of data in memory.
    pub(super) fn evict_by_fractions(&mut self, now: Nanos) -> u64 {
        let with_anon = |arc: &Self, kind: Kind| {
            i128::from(arc.bytes_of(State::Mru, kind) + arc.bytes_of(State::Anon, kind))
        };
        let bytes = |arc: &Self, state, kind| i128::from(arc.bytes_of(state, kind));
        let (mrud, mrum) = (with_anon(self, Kind::Data), with_anon(self, Kind::Metadata));
        let mfud = bytes(self, State::Mfu, Kind::Data);
        let mfum = bytes(self, State::Mfu, Kind::Metadata);
        self.fractions.adapt(self.settings.meta_balance);
        let Fractions { meta, pd, pm, .. } = self.fractions;
        let mut freed = 0;
        let over = |arc: &Self| i128::from(arc.size()) - i128::from(arc.c);
        let m = mrum + mfum;
        let mut wanted = (mrud + mfud + m) - over(self);
        let both = u64::try_from((u128::from(meta) * u128::from(pm)) >> 32).unwrap_or(ONE);
        let least = mrum - of(wanted, both);
        let first = self.evict_list(State::Mru, Kind::Metadata, over(self).min(least), now);
        let least = m - i128::from(first) - of(wanted, meta);
        let second = self.evict_list(State::Mfu, Kind::Metadata, over(self).min(least), now);
        wanted -= m - i128::from(first + second);
        let least = mrud - of(wanted, pd);
        freed += self.evict_list(State::Mru, Kind::Data, over(self).min(least), now);
        freed += self.evict_list(State::Mfu, Kind::Data, over(self), now);
        self.trim_all_ghosts(now);
        freed + first + second
    }

    /// Keeps each ghost list at half of what the three other kinds of blocks take.
    fn trim_all_ghosts(&mut self, now: Nanos) {
        let size = |state: State, kind: Kind| self.bytes_of(state, kind);
        let mrud = size(State::Mru, Kind::Data) + size(State::Anon, Kind::Data);
        let mrum = size(State::Mru, Kind::Metadata) + size(State::Anon, Kind::Metadata);
        let (mfud, mfum) = (size(State::Mfu, Kind::Data), size(State::Mfu, Kind::Metadata));
        let all = mrud + mrum + mfud + mfum;
        let half = |own: u64| (all - own) / 2;
        let targets = [[half(mrud), half(mrum)], [half(mfud), half(mfum)]];
        self.fractions.targets = targets;
        for (state, targets) in [State::MruGhost, State::MfuGhost].into_iter().zip(targets) {
            for (kind, target) in Kind::BOTH.into_iter().zip(targets) {
                let over = i128::from(self.bytes_of(state, kind)) - i128::from(target);
                self.evict_list(state, kind, over, now);
            }
        }
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::moved;

    /// Returns a share after ghost hits.
    pub(super) fn after(share: u64, total: u64, hits: (u64, u64), balance: u64) -> u64 {
        moved(share, total, hits, balance)
    }

    fn check(share: u64, total: u64, hits: (u64, u64), balance: u64, expected: u64) {
        assert_eq!(after(share, total, hits, balance), expected, "{share} {total} {hits:?}");
    }

    /// The vectors of docs/model/arc.md#worked-cases.
    #[test]
    fn shares_move_as_in_the_kernel() {
        let (mi, gi) = (1u64 << 20, 1u64 << 30);
        check(1 << 31, 8 * gi, (mi, 0), 100, 2_148_007_936);
        check(1 << 31, 8 * gi, (0, mi), 100, 2_146_959_360);
        check(1 << 30, 16 * gi, (64 * mi, 32 * mi), 500, 1_088_841_319);
        check(1 << 31, 8 * gi, (8 * gi, 0), 100, 2_281_701_376);
        check(4_000_000_000, 8 * gi, (64 * mi, 0), 100, 4_005_592_405);
        check(1 << 30, 31, (1, 0), 500, 1 << 30);
        check(200_000_000, 8 * gi, (0, 64 * mi), 100, 196_644_557);
    }
}
