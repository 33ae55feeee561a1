//! Measuring a device by reading it: a plan of reads, and what their times say.
//!
//! Nothing is read here: a [`ProbeTarget`] reads and looks at the clock. One is a disk of the machine (in
//! `arcwright-host`); [`EmulatedTarget`] is the model of a device in virtual time, so that a test can ask whether a
//! probe finds the parameters that the model was given.
//!
//! ```text
//!   nearest profile ─┐
//!   plan of reads ───┼─> ProbeTarget ──> times ──> values with their spread ──> device file
//!   time to spend ───┘                              + the profile's for the rest
//! ```
//!
//! Reads tell nothing of writes, flushes, caches and endurance: those values stay the profile's, and the file says so
//! beside each.

mod emulated;
mod file;
mod flash;
mod hdd;
mod nearest;
mod numbers;
mod rotation;
mod seeks;
mod target;

pub use emulated::EmulatedTarget;
pub use file::{DeviceFile, MeasuredValue};
pub use nearest::nearest_profile;
pub use target::{ProbeError, ProbeRead, ProbeTarget, ReadTime};

use arcwright_units::Bytes;

use crate::profile::{DeviceClass, DeviceProfile, profile, profile_text};
use numbers::Draws;
use target::Reader;

/// The smallest disk that is measured: on less, no seek is long enough.
const DISK_MIN: Bytes = Bytes::gib(16);
/// The smallest device of flash, or file on it.
const FLASH_MIN: Bytes = Bytes::mib(64);

/// What is to be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbePlan<'a> {
    /// The profile that comes with the program from which values are taken that reads do not tell.
    pub like: &'a str,
    /// Time to spend in seconds; the counts of reads follow from it.
    pub seconds: u64,
    /// The seed of the places that are read.
    pub seed: u64,
}

/// Measures a device.
///
/// # Errors
/// [`ProbeError`]: it cannot be read, is too small, or does not behave as its class does.
pub fn probe(target: &mut dyn ProbeTarget, plan: &ProbePlan<'_>) -> Result<DeviceFile, ProbeError> {
    let unknown = || ProbeError::Profile { name: plan.like.to_owned() };
    let profile = profile(plan.like).ok_or_else(unknown)?;
    let text = profile_text(plan.like).filter(|text| !text.is_empty()).ok_or_else(unknown)?;
    let is_disk = profile.is_rotational();
    let least = if is_disk { DISK_MIN } else { FLASH_MIN };
    let size = target.size();
    if size < least {
        return Err(ProbeError::TooSmall { size, least });
    }
    let mut reader = Reader::new(target, Draws(plan.seed));
    let file = DeviceFile::like(plan.like, text);
    let budget = Budget { seconds: plan.seconds.max(1) };
    match is_disk {
        true => hdd::measure(&mut reader, file, budget),
        false => flash::measure(&mut reader, file, &profile, budget),
    }
}

/// Returns the class of a device that comes with the program, by its profile's name.
#[must_use]
pub fn class_of(profile_name: &str) -> Option<DeviceClass> {
    profile(profile_name).map(|profile| DeviceProfile::class(&profile))
}

/// Returns the times in seconds below which shares of single reads of 4 KiB at random are, by the model of a profile.
///
/// # Errors
/// [`ProbeError::Profile`].
pub fn modelled_reads(profile_name: &str, shares: &[f64]) -> Result<Vec<f64>, ProbeError> {
    const READS: usize = 1000;
    let unknown = || ProbeError::Profile { name: profile_name.to_owned() };
    let profile = profile(profile_name).ok_or_else(unknown)?;
    let mut target = EmulatedTarget::new(&profile);
    let mut reader = Reader::new(&mut target, Draws(1));
    let places = reader.places(READS, 0, reader.size());
    let latencies = reader.pages(&places)?;
    Ok(shares.iter().filter_map(|share| numbers::quantile(&latencies, *share)).collect())
}

/// The time to spend.
#[derive(Debug, Clone, Copy)]
struct Budget {
    seconds: u64,
}

impl Budget {
    /// What counts are given for.
    const USUAL: u64 = 60;

    /// Returns a count that is right for a minute, for the time that there is; at least `least`.
    fn count(self, in_a_minute: usize, least: usize) -> usize {
        let seconds = usize::try_from(self.seconds.min(4 * Self::USUAL)).unwrap_or(1);
        (in_a_minute * seconds / 60).max(least)
    }
}
