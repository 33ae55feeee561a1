//! Where something that grows with a size crosses zero, in few tries.
//!
//! First the size is enlarged, by larger and larger factors, until what it gives is above zero; then a straight line through the two
//! ends, over the logarithm of the size, says where to try next. Where one end stays, its value counts half each time, so that
//! the line does not creep (the "Illinois" rule of Dowell and Jarratt, BIT 11, 1971).
//!
//! ```text
//!   tried       8      16      64      22      19
//!   gives       ?     -12     +40      +8    -0.3      fits
//! ```

use arcwright_units::Bytes;

/// Ends that are as near by factors are one.
const STEP: f64 = 1.03;
/// The first factor.
const FIRST: f64 = 1.5;

/// An end of the range: the logarithm of a size, and what it gave; none where that was not tried.
type End = (f64, Option<f64>);

/// A search under way.
#[derive(Debug)]
pub(crate) struct Search {
    low: End,
    high: End,
    /// The factor by which the size grows next, as a logarithm; none where it is known between which it lies.
    growth: Option<f64>,
    /// Whether the end that was told last is the high one.
    was_high: Option<bool>,
}

impl Search {
    /// Begins between two sizes; whether what the high one gives is known to be above zero.
    pub(crate) fn new(low: Bytes, high: Bytes, is_between: bool) -> Self {
        let logarithm = |size: Bytes| (size.0.max(1) as f64).ln();
        let growth = (!is_between).then(|| FIRST.ln());
        let (low, high) = (logarithm(low.min(high)), logarithm(high));
        Self { low: (low, None), high: (high, None), growth, was_high: None }
    }

    /// Returns the size to try next; none where it was found, or where no size gives as much.
    pub(crate) fn next(&self) -> Option<Bytes> {
        let ((low, below), (high, above)) = (self.low, self.high);
        let is_first = self.was_high.is_none();
        let at = match (self.growth, below.zip(above)) {
            _ if high - low <= STEP.ln() && !is_first => return None,
            (Some(growth), _) => (low + growth).min(high),
            (None, Some((below, above))) if above > below => {
                let room = (high - low) * 0.05;
                ((low * above - high * below) / (above - below)).clamp(low + room, high - room)
            }
            (None, _) => f64::midpoint(low, high),
        };
        Some(Bytes::of_f64(at.exp()))
    }

    /// Takes what a size gave.
    pub(crate) fn tell(&mut self, size: Bytes, gave: f64) {
        let at = (size.0.max(1) as f64).ln();
        let is_high = gave > 0.0;
        let (end, other) = match is_high {
            true => (&mut self.high, &mut self.low),
            false => (&mut self.low, &mut self.high),
        };
        *end = (at, Some(gave));
        if self.was_high == Some(is_high) && self.growth.is_none() {
            other.1 = other.1.map(|gave| gave / 2.0);
        }
        self.was_high = Some(is_high);
        self.growth = self.growth.filter(|_| !is_high).map(|growth| growth * 2.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its name, what a size gives, and how many tries are enough.
    type Shape<'a> = (&'a str, &'a dyn Fn(f64) -> f64, usize);

    /// Returns the last size that was tried, and how many were.
    fn found(low: u64, high: u64, is_between: bool, gives: impl Fn(f64) -> f64) -> (u64, usize) {
        let mut search = Search::new(Bytes(low), Bytes(high), is_between);
        let (mut size, mut tries) = (0, 0);
        while let Some(next) = search.next().filter(|_| tries < 40) {
            (size, tries) = (next.0, tries + 1);
            let gave = gives(size as f64);
            search.tell(next, gave);
            if gave.abs() < 1e-3 {
                break;
            }
        }
        (size, tries)
    }

    #[test]
    fn what_crosses_zero_is_found_in_few_tries() {
        let (low, high) = (1 << 20, 1 << 30);
        for wanted in [2e6, 3e7, 5e8, 1e9] {
            let shapes: [Shape<'_>; 4] = [
                ("line", &|size| (size / wanted).ln(), 12),
                ("share", &|size| 1.0 - wanted / size, 14),
                ("flat, then steep", &|size| (size / wanted).powi(3) - 1.0, 16),
                ("cliff", &|size| if size > wanted { 1.0 } else { -1e-2 }, 40),
            ];
            for (name, gives, tries_most) in shapes {
                let (size, tries) = found(low, high, false, gives);
                let apart = (size as f64 / wanted).ln().abs();
                assert!(apart < 0.04, "{name}, {wanted}: {size}");
                assert!(tries <= tries_most, "{name}, {wanted}: {tries} tries");
            }
        }
    }

    #[test]
    fn where_no_size_gives_as_much_the_largest_is_tried_last() {
        assert_eq!(found(1 << 20, 1 << 24, false, |_| -1.0).0.next_multiple_of(1 << 12), 1 << 24);
        assert_eq!(found(1 << 20, 1 << 20, false, |_| -1.0).1, 1);
        assert_eq!(found(1 << 24, 1 << 20, false, |_| 1.0).1, 1);
    }
}
