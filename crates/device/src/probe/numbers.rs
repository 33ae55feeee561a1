//! Random places, and what many times say together.

/// Numbers without pattern, the same ones for a seed (`SplitMix64`, Steele et al. 2014).
#[derive(Debug, Clone)]
pub(super) struct Draws(pub(super) u64);

impl Draws {
    /// Returns a number below `bound`; zero when there is none.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (b ^ (b >> 31)).checked_rem(bound).unwrap_or(0)
    }
}

/// Returns the value below which `share` of the values are; none of nothing.
pub(super) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to the count")]
    let index = (share.clamp(0.0, 1.0) * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(index).copied()
}

/// Returns the median; none of nothing.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Returns the mean; zero of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// A straight line through points, by least squares: its value at zero, its slope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    pub(super) at_zero: f64,
    pub(super) slope: f64,
}

impl Line {
    /// Returns the line; none through fewer than two places.
    pub(super) fn through(points: &[(f64, f64)]) -> Option<Self> {
        let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        let (x, y) = (mean(&xs), mean(&ys));
        let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
        let both: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        (spread > 0.0).then(|| {
            let slope = both / spread;
            Self { at_zero: y - slope * x, slope }
        })
    }

    pub(super) fn at(self, x: f64) -> f64 {
        self.at_zero + self.slope * x
    }

    /// Returns how far the points are from it at most, as a share of its value there.
    pub(super) fn off(self, points: &[(f64, f64)]) -> f64 {
        let off = |(x, y): &(f64, f64)| (y / self.at(*x).max(f64::MIN_POSITIVE) - 1.0).abs();
        points.iter().map(off).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::{Draws, Line, median, quantile};

    #[test]
    fn a_line_goes_through_its_points() {
        let line = Line::through(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]).unwrap();
        assert_eq!(line, Line { at_zero: 1.0, slope: 2.0 });
        assert!(line.off(&[(1.0, 3.3)]) > 0.099);
        assert_eq!(Line::through(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(Line::through(&[]), None);
    }

    #[test]
    fn what_is_no_number_is_left_out() {
        assert_eq!(median(&[3.0, f64::NAN, 1.0, 2.0]), Some(2.0));
        assert_eq!((median(&[]), quantile(&[1.0, 2.0], 7.0)), (None, Some(2.0)));
        assert_eq!(Draws(1).below(0), 0);
    }
}
