//! How much is asked again and again, and how unevenly: what the model needs so that it misses as often as the machine.
//!
//! A hit ratio alone does not say how large the set is from which clients ask: 80 % of a small set that is asked evenly, or of a
//! large one of which little is popular. The ghost lists tell them apart: they count the misses that an ARC of twice the size would
//! have had. From 2.3 on these lists are shorter, and two popularities may have the same ghosts; then it tells which part of the hits
//! was of blocks that had been asked for once before: the more uneven, the less. So for each of some popularities the size is found by
//! trying, and the one that fits best in both is taken:
//!
//! ```text
//!   popularity   size that misses as often   ghost hits, of misses   hits of the MRU, of those of data
//!   every place  1.4 × the ARC               33 %                    20 %
//!   0.9          3.4 ×                       26 %                     6 %
//!   1.0          9.1 ×                       14 %                     3 %     fits best
//!   1.1          64 ×                        10 %                     1 %
//!   counted                                  16 %                     5 %
//! ```

use std::cmp::Ordering;

use arcwright_units::Bytes;

use crate::TwinError;
use crate::chance::{self, OFF_MAX};
use crate::counted::Share;
use crate::found::Found;
use crate::hardware::Hardware;
use crate::load::Measured;
use crate::names::{FILES, Names};
use crate::plan::Choice;
use crate::reads::Lap;
use crate::sizes::between;
use crate::trials::{Fitted, Trials};

/// Requests of a phase that is tried.
const REQUESTS: u64 = 20_000;
/// Popularities that are tried: every place alike, and exponents of Zipf's law as traces of file servers have them.
const POPULARITIES: [Option<f64>; 9] =
    [None, Some(0.4), Some(0.6), Some(0.7), Some(0.8), Some(0.9), Some(1.0), Some(1.1), Some(1.2)];
/// How far the model's share of ghost hits is off where it knows the load, in three quarters of the cases (`cargo xtask twins`).
const GHOSTS_OFF: f64 = 0.05;
/// The same of the share of hits among what was asked for once before, as a natural logarithm.
const RECENT_OFF: f64 = 0.2;
/// How many that were tried beside the best belong to what the counters do not tell from it: as far as the next of the grid.
const BESIDE: usize = 2;
/// What so much of the logarithm is worth beside a share of ghost hits.
const RECENT_WEIGHT: f64 = 0.1;
/// Smaller shares are alike.
const RECENT_MIN: f64 = 0.005;
/// How often the number of names is halved.
const HALVINGS: u32 = 8;
/// Loads whose reads from disks are nearer to what was counted by no more, as a part of what is read in a row, are as good.
const LAP_NEARER: f64 = 0.05;

/// The choice that fits best, and what fits as well.
#[derive(Debug)]
pub(crate) struct Fits {
    pub(crate) best: Fitted,
    /// Of the loads that the counters do not tell from the best, the most even and the least even.
    pub(crate) also: Vec<Choice>,
    /// Whether the disks of the model keep up with it.
    pub(crate) keeps_up: bool,
}

impl Fits {
    fn of(best: Fitted, also: Vec<Choice>) -> Self {
        Self { best, also, keeps_up: true }
    }
}

/// Returns the choices under which the model misses as often as the machine, in an experiment that is no finer than that.
///
/// # Errors
/// [`TwinError`] where the model cannot run the machine.
pub(crate) fn fit(
    (hardware, measured): (&Hardware, &Measured),
    held: Option<Bytes>,
    finest: u64,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Fits, TwinError> {
    let lap = measured.lap(hardware).filter(|_| measured.in_a_row() > 0.0);
    let trials = Trials {
        held,
        lap: lap.map(|lap| lap.likely),
        is_wanted,
        ..Trials::new(hardware, measured)
    };
    let fits = trials.with_chance(trials.fits()?)?;
    let fits = match lap {
        None => fits,
        Some(lap) => trials.with_laps(fits, lap)?,
    };
    trials.prove(fits, finest)
}

impl Trials<'_> {
    /// Finds what is asked again, and names where these do not explain the accesses to metadata.
    fn fits(&self) -> Result<Fits, TwinError> {
        let measured = self.measured;
        let alone = match measured.traffic.is_empty() {
            true => self.nothing(),
            false => self.hot(None, &POPULARITIES)?,
        };
        let Some(metadata) = measured.metadata else { return Ok(alone) };
        match Names::of(measured, alone.best.found.metadata.0) {
            None => Ok(alone),
            Some(names) => {
                let names = self.names(&alone.best, names, metadata)?;
                let also = alone.also.iter().map(|choice| choice.zipf);
                let mut popularities: Vec<_> =
                    std::iter::once(alone.best.choice.zipf).chain(also).collect();
                // As in a grid: those beside each other are compared.
                popularities
                    .sort_by(|one, other| one.partial_cmp(other).unwrap_or(Ordering::Equal));
                self.hot(Some(names), &popularities)
            }
        }
    }

    /// Tries how long is what is read in a row, and that it does not come back: what the disks read tells them apart.
    fn with_laps(&self, fits: Fits, lap: Lap) -> Result<Fits, TwinError> {
        let Fits { best: likely, also, .. } = fits;
        let mut lengths = vec![Some(lap.least), Some(lap.longest), None];
        lengths.retain(|length| *length != likely.choice.lap);
        lengths.dedup();
        let others = lengths.into_iter().map(|lap| self.run(Choice { lap, ..likely.choice }));
        let mut tried = others.collect::<Result<Vec<Fitted>, _>>()?;
        tried.insert(0, likely);
        let Some((read, _)) = self.measured.disks else {
            let choices = tried.iter().skip(1).map(|fitted| fitted.choice);
            return Ok(Fits::of(likely, also.into_iter().chain(choices).collect()));
        };
        let in_a_row = self.measured.in_a_row().max(1.0);
        let distance = |fitted: &Fitted| (fitted.found.read - read).abs() / in_a_row;
        let (mut place, mut best) = (0, likely);
        for (number, fitted) in tried.iter().enumerate().skip(1) {
            // What is likely stays where the others are hardly nearer.
            if distance(fitted) + LAP_NEARER < distance(&best) {
                (place, best) = (number, *fitted);
            }
        }
        tried.remove(place);
        let as_good = distance(&best) + LAP_NEARER;
        // Hits of a cache device say that something comes back, even if most of it does not.
        let is_cached = best.choice.lap.is_none() && self.measured.cached.is_some();
        let comes_back = |fitted: &Fitted| is_cached && fitted.choice.lap == Some(lap.longest);
        let choices =
            tried.iter().filter(|fitted| distance(fitted) <= as_good || comes_back(fitted));
        let choices = choices.map(|fitted| fitted.choice);
        let also = also.into_iter().map(|choice| Choice { lap: best.choice.lap, ..choice });
        Ok(Fits::of(best, also.chain(choices).collect()))
    }

    /// Returns what is counted where nobody moves data.
    fn nothing(&self) -> Fits {
        let (hot, scale) = (Bytes::ZERO, self.scale);
        let (zipf, names, lap, readers) = (None, None, self.lap, self.readers);
        let (requests, placed) = (REQUESTS, None);
        let choice = Choice { hot, zipf, lap, names, readers, placed, requests, scale };
        let best = Fitted { choice, found: Found::default(), is_bound: false };
        Fits::of(best, Vec::new())
    }

    /// Finds how much is asked again, and how unevenly.
    fn hot(&self, names: Option<Names>, popularities: &[Option<f64>]) -> Result<Fits, TwinError> {
        let measured = self.measured;
        let choice = |hot: Bytes, zipf| Choice {
            hot,
            zipf,
            lap: self.lap,
            names,
            readers: self.readers,
            placed: None,
            requests: REQUESTS,
            scale: self.scale,
        };
        if !self.misses_again() {
            let half = Bytes(self.hardware.arc_max.0 / 2);
            let hot = self.held.unwrap_or(half).min(half).min(self.most);
            let best = self.run(choice(hot, None))?;
            let best = Fitted { is_bound: measured.all_again() > 0.0, ..best };
            return Ok(Fits::of(best, Vec::new()));
        }
        let mut tried: Vec<Fitted> = Vec::with_capacity(POPULARITIES.len() + 2);
        for zipf in popularities {
            let low = tried.last().map_or(self.least(), |before| before.choice.hot);
            tried.push(self.sized(&|hot| choice(hot, *zipf), (low, None), measured.misses)?);
        }
        // A size that misses too often or too seldom is no fit, however its ghosts are.
        let distance = |fitted: &Fitted| {
            self.ghosts_apart(fitted).unwrap_or_default()
                + RECENT_WEIGHT * self.recent_apart(fitted).unwrap_or_default()
                + 4.0 * off(&fitted.found, measured)
        };
        let none = || TwinError::Model { what: "nothing was tried".to_owned() };
        let (place, best) = nearest(&tried, distance).ok_or_else(none)?;
        // Between the best and those beside it; what is nearly every place alike is.
        for beside in [Some(place + 1), place.checked_sub(1)].into_iter().flatten() {
            let Some(other) = tried.get(beside).map(|it| it.choice) else { continue };
            if let Some((one, beyond)) = best.choice.zipf.zip(other.zipf) {
                let choice = |hot| choice(hot, Some(f64::midpoint(one, beyond)));
                let (one, beyond) = (best.choice.hot, other.hot);
                let ends = (one.min(beyond), Some(one.max(beyond)));
                let between = self.sized(&choice, ends, measured.misses)?;
                tried.insert(place.max(beside), between);
            }
        }
        let (place, best) = nearest(&tried, distance).ok_or_else(none)?;
        Ok(Fits::of(best, self.also(&tried, place, &best)))
    }

    /// Adds the loads at both ends of the misses that so few accesses leave open.
    fn with_chance(&self, mut fits: Fits) -> Result<Fits, TwinError> {
        let between = chance::misses(self.measured).filter(|_| self.misses_again());
        for misses in between.into_iter().flatten() {
            let choice = |hot| Choice { hot, ..fits.best.choice };
            fits.also.push(self.sized(&choice, (self.least(), None), misses)?.choice);
        }
        Ok(fits)
    }

    /// Returns how far the share of ghost hits is off; none where it was not counted.
    fn ghosts_apart(&self, fitted: &Fitted) -> Option<f64> {
        let (found, wanted) = fitted.found.ghosts.zip(self.measured.ghosts)?;
        Some((found.value - wanted.value).abs())
    }

    /// Returns how far the share of hits of the MRU is off, as a logarithm; none where it was not counted.
    fn recent_apart(&self, fitted: &Fitted) -> Option<f64> {
        let (found, wanted) = fitted.found.recent.zip(self.measured.recent)?;
        let logarithm = |share: Share| (share.value + RECENT_MIN).ln();
        Some((logarithm(found) - logarithm(wanted)).abs())
    }

    /// Returns the ends of what the counters do not tell from the best, which stands at a place: those beside it at least, as what
    /// is true may lie between two that were tried.
    fn also(&self, tried: &[Fitted], place: usize, best: &Fitted) -> Vec<Choice> {
        let measured = self.measured;
        let chance = measured.ghosts.map_or(1.0, |ghosts| ghosts.chance);
        let ghosts = self.ghosts_apart(best).unwrap_or_default() + GHOSTS_OFF + chance;
        let chance =
            measured.recent.map_or(1.0, |recent| recent.chance / (recent.value + RECENT_MIN));
        let recent = self.recent_apart(best).unwrap_or_default() + RECENT_OFF + chance;
        let misses = off(&best.found, measured).max(OFF_MAX);
        let fits = |(number, fitted): &(usize, &Fitted)| {
            let is_near = self.ghosts_apart(fitted).is_none_or(|apart| apart <= ghosts)
                && self.recent_apart(fitted).is_none_or(|apart| apart <= recent);
            off(&fitted.found, measured) <= misses && (is_near || number.abs_diff(place) <= BESIDE)
        };
        let fitting = tried.iter().enumerate().filter(fits);
        let fitting: Vec<Choice> = fitting.map(|(_, fitted)| fitted.choice).collect();
        let mut ends: Vec<Choice> =
            fitting.first().into_iter().chain(fitting.last()).copied().collect();
        ends.dedup();
        ends.retain(|choice| choice.zipf != best.choice.zipf);
        ends
    }

    /// Returns the smallest set of what is asked again that is tried.
    pub(crate) fn least(&self) -> Bytes {
        Bytes(self.hardware.arc_max.0 / 16).min(self.most)
    }

    /// Finds how many names there are, and how often they are asked for, so that accesses to metadata and misses fit.
    fn names(
        &self,
        alone: &Fitted,
        first: Names,
        (accesses, misses): (f64, f64),
    ) -> Result<Names, TwinError> {
        let with = |names: Names| self.run(Choice { names: Some(names), ..alone.choice });
        let paced = |names: Names| -> Result<Names, TwinError> {
            let (before, found) = (alone.found.metadata.0, with(names)?.found.metadata.0);
            let factor = ((accesses - before) / (found - before).max(0.1)).clamp(0.2, 5.0);
            Ok(Names { per_s: names.per_s * factor, ..names })
        };
        let mut names = paced(first)?;
        let (mut low, mut high) = (FILES.0, Names::most(Bytes(self.hardware.room().0 / 2)));
        let mut best = f64::MAX;
        for _ in 0..HALVINGS {
            let here = Names { files: between(low, high), ..names };
            let found = with(here)?.found.metadata.1;
            match found > misses {
                true => high = here.files,
                false => low = here.files,
            }
            if (found - misses).abs() < best {
                best = (found - misses).abs();
                names = here;
            }
        }
        paced(names)
    }
}

/// Returns what is nearest, and its place.
fn nearest(tried: &[Fitted], distance: impl Fn(&Fitted) -> f64) -> Option<(usize, Fitted)> {
    let numbered = tried.iter().copied().enumerate();
    numbered.min_by(|(_, one), (_, other)| distance(one).total_cmp(&distance(other)))
}

/// Returns how far the misses are off, as a part of all accesses.
fn off(found: &Found, measured: &Measured) -> f64 {
    (found.misses - measured.misses).abs() / measured.accesses.max(1.0)
}
