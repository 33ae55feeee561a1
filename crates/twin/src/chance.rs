//! How far off the misses of a short look may be by chance.
//!
//! ```text
//!   480 accesses to data, 230 misses      48 %, two standard errors are 4.6 points: 43 to 53 %
//!   60 000 accesses, 29 000 misses        0.4 points: nothing beside what a fit is off by
//! ```

use crate::load::Measured;

/// Misses that are off by less of all accesses are as good as known: a fit is off by as much.
const OFF_MAX: f64 = 0.015;

/// Returns between which misses per second may lie, where so few accesses were counted that it matters.
pub(crate) fn misses(measured: &Measured) -> Option<[f64; 2]> {
    let count = measured.accesses * measured.seconds;
    if count < 1.0 {
        return None;
    }
    let share = (measured.misses / measured.accesses).clamp(0.0, 1.0);
    let two_errors = 2.0 * (share * (1.0 - share) / count).sqrt();
    let [low, high] = [share - two_errors, share + two_errors];
    (two_errors > OFF_MAX && low > 0.0 && high < 1.0)
        .then_some([low * measured.accesses, high * measured.accesses])
}
