//! How far off the misses of a short look may be by chance.
//!
//! ```text
//!   480 accesses to data, 230 misses      48 %, two standard errors are 4.6 points: 43 to 53 %
//!   60 000 accesses, 29 000 misses        0.4 points: nothing beside what a fit is off by
//! ```

use crate::counted::two_errors;
use crate::load::Measured;

/// Misses of a load that fits are off by no more of all accesses, and what chance leaves open below that is as good as known.
pub(crate) const OFF_MAX: f64 = 0.015;

/// Returns between which misses per second may lie, where so few accesses were counted that it matters.
pub(crate) fn misses(measured: &Measured) -> Option<[f64; 2]> {
    let count = measured.accesses * measured.seconds;
    if count < 1.0 {
        return None;
    }
    let share = (measured.misses / measured.accesses).clamp(0.0, 1.0);
    let chance = two_errors(share, count);
    let [low, high] = [share - chance, share + chance];
    (chance > OFF_MAX && low > 0.0 && high < 1.0)
        .then_some([low * measured.accesses, high * measured.accesses])
}
