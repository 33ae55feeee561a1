//! The range of a figure: between which bounds most errors of the most alike checks lie.
//!
//! ```text
//!   checks ──distance──> the 40 most alike ──> their errors ──> the middle 80 % ──> figure less error
//! ```
//!
//! The middle part is drawn somewhat wider than the share that it shall hold, until on the table itself, each
//! check judged by all other experiments, that share lies within: the most alike are never quite alike.

use std::ops::RangeInclusive;

use arcwright_scenario::Span;

use super::features::Features;
use super::table::{Quantity, Row, Table};

/// The share of truths that a range shall hold.
pub(super) const SHARE: f64 = 0.8;
/// The part of the nearest errors that a range spans before it is widened.
pub(super) const LEVEL: f64 = SHARE;
/// So many checks are looked at: enough for a tenth of them to be several, few enough to be alike.
const NEAREST: usize = 40;
/// With fewer that have the figure at all, nothing is said.
const NEAREST_MIN: usize = 12;
/// What a comparison of two figures adds to the distance, for the size of the difference that was predicted:
/// where the model sees none there mostly is none. Beyond a factor of two all differences are large.
const WEIGHT_OF_DIFFERENCE: f64 = 4.0;
const DIFFERENCE_MAX: f64 = std::f64::consts::LN_2;
/// What it adds when one compares arms and the other phases.
const WEIGHT_OF_KIND: f64 = 1.0;

/// A comparison that the model made: of two arms in a phase, or of two phases of an arm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) here: &'a Features,
    /// What was predicted: `here` less `there`, on the quantity's scale.
    pub(super) difference: f64,
    pub(super) is_of_arms: bool,
}

/// A comparison that was checked, with the error of its difference.
struct Known<'a> {
    row: &'a Row,
    pair: Pair<'a>,
    error: f64,
}

/// An error, and how far its check is from what is asked for.
#[derive(Clone, Copy)]
struct Near {
    distance: f64,
    error: f64,
}

/// An error, and those of other experiments that it is judged by.
struct JudgedError {
    error: f64,
    others: Vec<f64>,
}

/// Which share of figures lies within ranges; none where there are no figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Within {
    /// Of throughputs.
    pub singles: Option<f64>,
    /// Of comparisons of two.
    pub pairs: Option<f64>,
}

/// In how many comparisons of arms a range says which is faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directions {
    /// All in which it does.
    pub said: usize,
    /// Those in which the real code says the opposite.
    pub contradicted: usize,
}

impl Table {
    /// Returns where a figure may lie that the model predicts for `features`.
    pub(super) fn span(
        &self,
        quantity: Quantity,
        features: &Features,
        figure: f64,
    ) -> Option<Span> {
        let errors = self.errors(quantity, features, None);
        let (low, high) = bounds(&errors, self.level)?.into_inner();
        let scaled = quantity.scaled(figure);
        Some(Span { low: quantity.figure(scaled - high), high: quantity.figure(scaled - low) })
    }

    /// Returns where the difference of two figures may lie, on the quantity's scale.
    pub(super) fn span_of_pair(&self, quantity: Quantity, pair: &Pair<'_>) -> Option<Span> {
        let errors = self.errors_of_pairs(quantity, pair, None);
        let (low, high) = bounds(&errors, self.level_of_pairs)?.into_inner();
        Some(Span { low: pair.difference - high, high: pair.difference - low })
    }

    /// Returns the errors of the most alike checks, without those of one case.
    fn errors(&self, quantity: Quantity, features: &Features, without: Option<&str>) -> Vec<f64> {
        let known = self.rows.iter().filter(|row| Some(row.case.as_str()) != without);
        let near = |row: &Row| {
            let error = row.judged(quantity)?.error;
            Some(Near { distance: row.features.distance(features), error })
        };
        nearest(known.filter_map(near).collect())
    }

    fn errors_of_pairs(
        &self,
        quantity: Quantity,
        pair: &Pair<'_>,
        without: Option<&str>,
    ) -> Vec<f64> {
        let all = self.pairs(quantity).filter(|known| Some(known.row.case.as_str()) != without);
        let near = |Known { row, pair: other, error }: Known<'_>| {
            let size = |difference: f64| difference.abs().min(DIFFERENCE_MAX) / DIFFERENCE_MAX;
            let apart = (size(pair.difference) - size(other.difference)).abs();
            let kind = f64::from(u8::from(pair.is_of_arms != other.is_of_arms));
            let distance = row.features.distance(pair.here)
                + apart * WEIGHT_OF_DIFFERENCE
                + kind * WEIGHT_OF_KIND;
            Near { distance, error }
        };
        nearest(all.map(near).collect())
    }

    /// Returns all comparisons within an experiment, with the error of the difference.
    fn pairs(&self, quantity: Quantity) -> impl Iterator<Item = Known<'_>> {
        let with = move |here: &'_ Row, there: &'_ Row| {
            let (one, other) = (here.judged(quantity)?, there.judged(quantity)?);
            let difference = one.figure - other.figure;
            Some((difference, one.error - other.error, here.phase == there.phase))
        };
        self.rows.iter().enumerate().flat_map(move |(at, here)| {
            // The rows of an experiment stand together.
            let others = self.rows.iter().take(at).rev();
            let others = others.take_while(move |there| there.case == here.case);
            others.filter(|there| there.phase == here.phase || there.arm == here.arm).filter_map(
                move |there| {
                    let (difference, error, is_of_arms) = with(here, there)?;
                    let pair = Pair { here: &here.features, difference, is_of_arms };
                    Some(Known { row: here, pair, error })
                },
            )
        })
    }

    /// Widens ranges until each check, judged by all other experiments, lies within as often as it shall.
    pub(super) fn widen(&mut self) {
        /// Wider steps would overshoot by more than a point.
        const STEP: f64 = 0.005;
        let steps = || (0..=39).map(|step| LEVEL + f64::from(step) * STEP);
        let by_itself = self.clone();
        let quantity = self.main();
        let singles = by_itself.judged(quantity, self);
        let pairs = by_itself.judged_pairs(quantity, self);
        let least = |judged: &[JudgedError]| {
            let holds = |level: &f64| share(judged, *level).is_none_or(|share| share >= SHARE);
            steps().find(holds).unwrap_or(1.0)
        };
        self.level = least(&singles);
        self.level_of_pairs = least(&pairs);
    }

    /// Returns the figure that its ranges are judged by: throughputs, or waits where traces set the pace.
    fn main(&self) -> Quantity {
        let of = |row: &Row| row.judged(Quantity::Throughput).is_some();
        if self.rows.iter().any(of) { Quantity::Throughput } else { Quantity::Wait }
    }

    /// Returns which share of the throughputs (or waits) of `other`, and of its comparisons, lies within this table's ranges.
    ///
    /// A check is never judged by its own experiment.
    #[must_use]
    pub fn holds(&self, other: &Self) -> Within {
        let quantity = self.main();
        Within {
            singles: share(&self.judged(quantity, other), self.level),
            pairs: share(&self.judged_pairs(quantity, other), self.level_of_pairs),
        }
    }

    /// Returns in how many comparisons of arms of `other` this table's ranges exclude "no difference", and in how
    /// many of these the real code says the opposite by more than 5 %.
    #[must_use]
    pub fn directions(&self, other: &Self) -> Directions {
        /// Less is no difference that anybody would act on.
        const LITTLE: f64 = 0.05;
        let quantity = self.main();
        let all = other.pairs(quantity).filter(|known| known.pair.is_of_arms);
        let (mut said, mut contradicted) = (0, 0);
        for Known { row, pair, error } in all {
            let errors = self.errors_of_pairs(quantity, &pair, Some(&row.case));
            let Some(bounds) = bounds(&errors, self.level_of_pairs) else { continue };
            let (low, high) = bounds.into_inner();
            let sign = match pair.difference {
                difference if difference - high > 0.0 => 1.0,
                difference if difference - low < 0.0 => -1.0,
                _ => continue,
            };
            said += 1;
            contradicted += usize::from((pair.difference - error) * sign < -LITTLE);
        }
        Directions { said, contradicted }
    }

    /// Returns each error of `other` with the errors that it is judged by.
    fn judged(&self, quantity: Quantity, other: &Self) -> Vec<JudgedError> {
        let judged = |row: &Row| {
            let error = row.judged(quantity)?.error;
            let others = self.errors(quantity, &row.features, Some(&row.case));
            Some(JudgedError { error, others })
        };
        other.rows.iter().filter_map(judged).collect()
    }

    fn judged_pairs(&self, quantity: Quantity, other: &Self) -> Vec<JudgedError> {
        let judged = |Known { row, pair, error }: Known<'_>| JudgedError {
            error,
            others: self.errors_of_pairs(quantity, &pair, Some(&row.case)),
        };
        other.pairs(quantity).filter(|known| known.pair.is_of_arms).map(judged).collect()
    }
}

/// Returns the errors of the smallest distances.
fn nearest(mut all: Vec<Near>) -> Vec<f64> {
    all.sort_by(|one, other| one.distance.total_cmp(&other.distance));
    let mut errors: Vec<f64> = all.into_iter().take(NEAREST).map(|near| near.error).collect();
    errors.sort_by(f64::total_cmp);
    errors
}

/// Returns between which bounds the middle part of sorted errors lies, no error among them.
fn bounds(errors: &[f64], level: f64) -> Option<RangeInclusive<f64>> {
    if errors.len() < NEAREST_MIN {
        return None;
    }
    let low = quantile(errors, (1.0 - level) / 2.0)?;
    let high = quantile(errors, f64::midpoint(1.0, level))?;
    Some(low.min(0.0)..=high.max(0.0))
}

/// Returns a quantile of sorted values, between neighbours in proportion.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let place = sorted.len().checked_sub(1)? as f64 * part;
    let neighbour = |at: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in a list"
        )]
        sorted.get(at as usize).copied()
    };
    let (low, high) = (neighbour(place.floor())?, neighbour(place.ceil())?);
    Some(low + (high - low) * place.fract())
}

/// Returns how many of the judged lie within.
fn share(judged: &[JudgedError], level: f64) -> Option<f64> {
    let within = |one: &JudgedError| Some(bounds(&one.others, level)?.contains(&one.error));
    let verdicts: Vec<bool> = judged.iter().filter_map(within).collect();
    let held = verdicts.iter().filter(|held| **held).count();
    (!verdicts.is_empty()).then(|| held as f64 / verdicts.len() as f64)
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Span;

    use super::super::table::{CHECKED, Quantity, REPLAYED, Table};
    use super::{bounds, share};

    /// Fifty experiments with an arm each, off by -10 to +35 %, and one on other devices that is off by twice.
    fn table() -> Table {
        let row = |case: usize, device: &str, lab: f64| {
            format!(
                "case-{case},a,p,4,{device},disk,read,sequential,1,17,17,0,0,0,,,1000,{lab},0.5,0.4,,,,,,,,\n"
            )
        };
        let error = |case: usize| (case % 10) as f64 * 0.05 - 0.1;
        let rows = (0..50).map(|case| row(case, "hdd", 1000.0 / (1.0 + error(case))));
        let other = row(50, "nvme", 500.0);
        Table::parse(&(rows.collect::<String>() + &other)).unwrap()
    }

    #[test]
    fn errors_of_the_most_alike_make_the_range() {
        let table = table();
        assert_eq!(table.rows.len(), 51);
        let features = table.rows[0].features.clone();
        let Span { low, high } = table.span(Quantity::Throughput, &features, 2000.0).unwrap();
        // The forty nearest are all alike: -10 to +35 %, of which the outermost tenths are left out.
        assert!((2000.0 / 1.31..2000.0 / 1.29).contains(&low), "{low}");
        assert!((2000.0 / 0.96..2000.0 / 0.90).contains(&high), "{high}");
        assert_eq!(table.span(Quantity::SyncP50, &features, 2000.0), None);
    }

    #[test]
    fn shares_stay_shares_and_every_figure_is_in_its_own_range() {
        let table = table();
        let features = table.rows[0].features.clone();
        for figure in [0.0, 0.03, 0.5, 1.0] {
            let span = table.span(Quantity::ArcHits, &features, figure).unwrap();
            assert!(span.holds(figure) && span.low >= 0.0 && span.high <= 1.0, "{span:?}");
        }
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let table = table();
        let text = table.text("a test");
        assert_eq!(Table::parse(&text).unwrap().text("a test"), text);
        assert_eq!(text.lines().count(), 4 + 51);
    }

    #[test]
    fn what_is_no_line_of_a_table_is_refused() {
        for line in ["\u{1b}[31m,,,", "# level x of pairs 0.8", "# level 0.8", "case,a,p,4,tape"] {
            let refused = Table::parse(&format!("{}{line}\n", table().text("a test"))).unwrap_err();
            assert_eq!(refused.line, line);
        }
        assert!(!CHECKED.rows.is_empty() && !REPLAYED.rows.is_empty());
    }

    #[test]
    fn ranges_are_widened_until_their_share_holds() {
        let mut table = table();
        table.widen();
        let within = table.holds(&table);
        assert!(within.singles.unwrap() >= 0.8, "{within:?}");
        assert_eq!(bounds(&[0.1; 11], 0.8), None);
        assert_eq!(bounds(&[0.1; 12], 0.8), Some(0.0..=0.1));
        assert_eq!(share(&[], 0.8), None);
    }
}
