//! The load that was found, found once more at the size of the machine itself, as far as that can be.
//!
//! What is tried is a small part of the machine, which is not like the whole in all:
//!
//! - By Zipf's law the few most popular places of a small set have a larger part of all that is asked than those of a large one, so
//!   that it misses more often; the size that fits is another.
//! - What each transaction group costs is no smaller in a small experiment, so that written bytes are counted too many. Where the size
//!   of the machine is beyond what is run, two runs of different parts tell what groups cost:
//!
//! ```text
//!   written(scale) = data + scale * groups
//!   scale 40: 11.3 MiB/s   scale 5: 4.3 MiB/s   so groups are 0.2 MiB/s, and 3.5 MiB/s is what is compared
//! ```
//!
//! - A client that waits for one read after the other asks for a small part in time, and for the whole it may be late.

use arcwright_units::Bytes;

use crate::fit::Fits;
use crate::plan::{Choice, plan};
use crate::readers::READERS_MAX;
use crate::search::Search;
use crate::trials::{Fitted, Trials};
use crate::writes::Placed;
use crate::{REQUESTS, TwinError};

/// The largest ARC of a run: what a few seconds allow.
const ARC_MAX: u64 = 4 << 30;
/// Requests of a phase at least.
const REQUESTS_MIN: u64 = 20_000;
/// A phase that takes longer by such a part has too few readers.
const LATE: f64 = 1.05;
/// Written bytes that differ by no more of the machine's are as good as others.
const WRITTEN_APART: f64 = 0.05;
/// The smallest file that is tried for what is written to places of what is there, and how many are.
const PLACE_MIN: Bytes = Bytes::mib(64);
const PLACES: u32 = 6;
/// How often a size is tried, the first step from the one of the small experiment, and the largest, as logarithms.
const SIZES: u32 = 5;
const STEP: f64 = 0.15;
const STEP_MAX: f64 = 0.7;

impl Trials<'_> {
    /// Finds the same loads at the size of the machine, or at the finest that is said, with as many readers as they take.
    ///
    /// # Errors
    /// [`TwinError`] where nobody wants it any more.
    pub(crate) fn prove(&self, fits: Fits, finest: u64) -> Result<Fits, TwinError> {
        let scale = (self.hardware.arc_max.0 / ARC_MAX).max(finest).max(1);
        // As many as in the file, or what stands for as many.
        let requests = (REQUESTS / scale).max(REQUESTS_MIN);
        let of = |choice: Choice| Choice { scale, requests, ..choice };
        let (mut best, keeps_up) = match self.in_time(of(fits.best.choice)) {
            // An experiment of the machine's size that is too large is no better known than before.
            Err(TwinError::Model { .. }) => return Ok(fits),
            other => other?,
        };
        let wanted = self.measured.misses;
        if self.misses_again() && keeps_up && scale != self.scale {
            best = self.resized(&best, wanted)?;
        }
        let (coarse, fine) = (fits.best.found.written, best.found.written);
        best.found.written = unscaled((coarse, self.scale), (fine, scale), finest);
        let best = self.placed(best)?;
        let Choice { readers, placed, .. } = best.choice;
        let factor = best.choice.hot.0 as f64 / fits.best.choice.hot.0.max(1) as f64;
        let mut also = Vec::with_capacity(fits.also.len());
        for choice in fits.also {
            let hot = match choice.hot == fits.best.choice.hot {
                true => best.choice.hot,
                false => Bytes::of_f64(choice.hot.0 as f64 * factor).min(self.most),
            };
            let choice = Choice { readers, placed, hot, ..choice };
            let is_other = choice.zipf != best.choice.zipf && hot != fits.best.choice.hot;
            also.push(match is_other && factor.ln().abs() > f64::EPSILON {
                true => self.resized(&self.run(of(choice))?, wanted)?.choice,
                false => choice,
            });
        }
        Ok(Fits { best: Fitted { is_bound: fits.best.is_bound, ..best }, also, keeps_up })
    }

    /// Runs a choice with as many readers as ask for all of it in the time; whether that is so.
    fn in_time(&self, choice: Choice) -> Result<(Fitted, bool), TwinError> {
        let at = |readers: u64| -> Result<(Fitted, bool), TwinError> {
            let choice = Choice { readers, ..choice };
            let expected = plan(self.hardware, self.measured, choice).seconds;
            let fitted = self.run(choice)?;
            Ok((fitted, fitted.found.seconds > expected * LATE))
        };
        let (mut fitted, mut is_late) = at(choice.readers)?;
        while is_late && fitted.choice.readers < READERS_MAX && self.measured.all_again() > 0.0 {
            let (more, late) = at((fitted.choice.readers * 2).min(READERS_MAX))?;
            // Others than readers may be late; then more of these change nothing.
            if more.found.seconds * LATE > fitted.found.seconds {
                break;
            }
            (fitted, is_late) = (more, late);
        }
        Ok((fitted, !is_late))
    }

    /// Puts what is written where it comes nearer to what the disks wrote: to places of what is there, or in a row.
    fn placed(&self, fitted: Fitted) -> Result<Fitted, TwinError> {
        let Some((_, written)) = self.measured.disks else { return Ok(fitted) };
        let apart = |fitted: &Fitted| (fitted.found.written - written).abs() / written.max(1.0);
        if apart(&fitted) <= WRITTEN_APART || !self.measured.writes() {
            return Ok(fitted);
        }
        let place = |placed: Placed| self.run(Choice { placed: Some(placed), ..fitted.choice });
        let mut others = vec![place(Placed::InRow)?];
        // Of a larger file more blocks of pointers are written with as many records.
        let most = self.hardware.part_of_room();
        let mut search = Search::new(PLACE_MIN.min(most), most, true);
        // What is read again has its size.
        let tries = if self.measured.all_again() > 0.0 { 1 } else { PLACES };
        for _ in 0..tries {
            let Some(size) = search.next() else { break };
            let other = place(Placed::Over(size))?;
            search.tell(size, other.found.written - written);
            others.push(other);
        }
        let near = |other: &Fitted| apart(other) + WRITTEN_APART < apart(&fitted);
        others.retain(near);
        let nearest = others.into_iter().min_by(|one, two| apart(one).total_cmp(&apart(two)));
        Ok(nearest.unwrap_or(fitted))
    }

    /// Finds the size of what is asked again at which a load misses as often as wanted, near the one that it has.
    fn resized(&self, fitted: &Fitted, wanted: f64) -> Result<Fitted, TwinError> {
        if self.fits_well(&fitted.found, wanted) {
            return Ok(*fitted);
        }
        let logarithm = |fitted: &Fitted| (fitted.choice.hot.0.max(1) as f64).ln();
        let over = |fitted: &Fitted| fitted.found.misses - wanted;
        let (least, most) = (self.least().0 as f64, self.most.0 as f64);
        let (mut best, mut other) = (*fitted, None);
        for _ in 0..SIZES {
            // A larger set misses more often; two sizes say by how much.
            let slope = other.map(|other: Fitted| {
                (over(&best) - over(&other)) / (logarithm(&best) - logarithm(&other))
            });
            let step = match slope.filter(|slope| *slope > 0.0) {
                Some(slope) => (-over(&best) / slope).clamp(-STEP_MAX, STEP_MAX),
                None => STEP.copysign(-over(&best)),
            };
            let hot = (logarithm(&best) + step).exp().clamp(least, most);
            let here = self.run(Choice { hot: Bytes::of_f64(hot), ..fitted.choice })?;
            let is_nearer = over(&here).abs() < over(&best).abs();
            (best, other) = if is_nearer { (here, Some(best)) } else { (best, Some(here)) };
            if self.fits_well(&best.found, wanted) || here.choice.hot == fitted.choice.hot {
                break;
            }
        }
        Ok(best)
    }
}

/// Returns what is written at the finest scale, from what two scales count.
fn unscaled((coarse, coarser): (f64, u64), (fine, finer): (f64, u64), finest: u64) -> f64 {
    if finer <= finest || coarser <= finer {
        return fine;
    }
    let groups = (coarse - fine) / (coarser - finer) as f64;
    (fine - groups.max(0.0) * (finer - finest) as f64).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::unscaled;

    #[test]
    fn what_groups_cost_is_taken_off() {
        let check = |coarse, fine, expected: f64| {
            let found = unscaled(coarse, fine, 1);
            assert!((found - expected).abs() < 1e-9, "{coarse:?} {fine:?} {found}");
        };
        // 3.3 of data, 0.2 of groups.
        check((4.3, 5), (3.5, 1), 3.5);
        check((11.3, 40), (4.3, 5), 3.5);
        check((4.3, 5), (4.3, 5), 4.3);
        // Chance may say that groups write nothing, never that anything writes less than nothing.
        check((4.0, 40), (4.3, 5), 4.3);
        check((40.0, 40), (1.0, 5), 0.0);
    }
}
