//! What is read: at random again and again, in a row once, in a row again and again.

use arcwright_units::Bytes;

use crate::hardware::Hardware;
use crate::load::{Flow, Measured};

/// Shares of the misses that cache devices had, or ghost lists knew, from which what is read in a row comes back.
const LAP_CACHED_MIN: f64 = 0.05;
const LAP_GHOSTS_MIN: f64 = 0.4;

/// The part of what is read from which it matters whether what is read in a row comes back: a tenth.
const ONCE_MIN: f64 = 0.1;

/// How long something is that is read in a row again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lap {
    pub(crate) least: Bytes,
    pub(crate) likely: Bytes,
    pub(crate) longest: Bytes,
}

impl Measured {
    /// Returns requests per second of all clients.
    pub(crate) fn requests(&self) -> f64 {
        self.traffic.iter().map(|it| it.read.requests + it.written.requests).sum()
    }

    /// Returns bytes per second that are read in a row and once, of the dataset from which most is read.
    pub(crate) fn once(&self, number: usize) -> f64 {
        let most = self.traffic.iter().enumerate();
        let most = most.max_by(|(_, a), (_, b)| a.read.bytes.total_cmp(&b.read.bytes));
        match most {
            Some((place, traffic)) if place == number => {
                (self.ahead * traffic.record().0 as f64).min(traffic.read.bytes)
            }
            _ => 0.0,
        }
    }

    /// Returns the length of what is read in a row again and again; none where it is read once, or nothing tells.
    ///
    /// Cache devices that have a good part of the misses hold what comes back; where they do not, ghost hits say that it
    /// came back before twice the ARC had passed.
    pub(crate) fn lap(&self, hardware: &Hardware) -> Option<Lap> {
        let arc = hardware.arc_max;
        let most = Bytes(hardware.room().0 / 4);
        let lap = |[least, likely, longest]: [Bytes; 3]| {
            let (least, longest) = (least.min(most), longest.min(most));
            Lap { least, likely: likely.max(least).min(longest.max(least)), longest }
        };
        // What comes back and was not in the ARC is a little longer than the ARC at least.
        let least = Bytes(arc.0 / 8 * 9);
        // A cache device that has a part of the misses holds about that part of what comes back.
        let of_cache = self.cached.filter(|(share, _)| *share >= LAP_CACHED_MIN);
        let of_cache = of_cache.map(|(share, held)| {
            let length = Bytes::of_f64(held.0 as f64 / share);
            lap([least.max(held.min(length)), length, Bytes(length.0 / 2 * 3)])
        });
        let is_ahead = self.ahead > self.misses;
        let of_ghosts = self.ghosts.filter(|share| is_ahead && share.value >= LAP_GHOSTS_MIN);
        let of_ghosts =
            of_ghosts.map(|_| lap([least, Bytes(arc.0 / 2 * 3), arc.saturating_mul(2)]));
        of_cache.or(of_ghosts)
    }

    /// Returns bytes per second that are read in a row, of all; 0 where that is no load.
    pub(crate) fn in_a_row(&self) -> f64 {
        let flows = (0..self.traffic.len()).map(|number| self.once(number));
        flows.filter(|bytes| (Flow { requests: 1.0, bytes: *bytes }).is_load()).sum()
    }

    /// Says what of the reads is taken as given; nothing where they tell all that matters, or a load in which it comes back is among those that fit.
    pub(crate) fn assumed(&self, comes_back: bool) -> Option<String> {
        let all: f64 = self.traffic.iter().map(|traffic| traffic.read.bytes).sum();
        if comes_back || self.in_a_row() < ONCE_MIN * all || all <= 0.0 {
            return None;
        }
        Some(format!(
            "what was read in a row ({}/s) is read once. The counters would not show it coming back after twice the ARC, and \
             then a larger cache saves more",
            Bytes::of_f64(self.in_a_row())
        ))
    }

    /// Says whether anything is written that counts.
    pub(crate) fn writes(&self) -> bool {
        self.traffic.iter().any(|traffic| traffic.written.is_load())
    }

    /// Returns bytes per second that are asked again, of a dataset.
    pub(crate) fn again(&self, number: usize) -> f64 {
        let traffic = self.traffic.get(number);
        let bytes = traffic.map_or_else(|| 0.0, |traffic| traffic.read.bytes - self.once(number));
        if (Flow { requests: 1.0, bytes }).is_load() { bytes } else { 0.0 }
    }

    /// Returns bytes per second that are asked again, of all.
    pub(crate) fn all_again(&self) -> f64 {
        (0..self.traffic.len()).map(|number| self.again(number)).sum()
    }
}
