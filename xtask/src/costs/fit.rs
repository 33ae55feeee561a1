//! Gauss–Newton with the model itself as the function: which counts let its figures come closest to the lab's.
//!
//! A figure's residual is the logarithm of model by lab; one that is far off counts by its root only (Huber). The
//! counts of 2.1 are fitted on 2.1.11, those of later releases on 2.3.2; the other libraries judge them.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};
use arcwright_model::{LockOps, Work};

use super::record::{Measured, read};
use super::table::{self, Count, Prior, Spread};
use super::{experiments, model};
use crate::parallel;

/// The libraries that the counts are fitted on, by era.
const FITTED_ON: [&str; 2] = ["2.1.11", "2.3.2"];
/// Residuals beyond this count by their root.
const HUBER: f64 = 0.05;
/// How often the model is linearised anew.
const ROUNDS: usize = 5;
/// How sure the counts of the beginning are that were not measured: their standard error, as a part of them and at
/// least so much; where the experiments say nothing of a count it stays as it is.
const SURE: f64 = 0.5;
const SURE_LEAST: f64 = 8.0;
/// The spread of residuals that such certainty is weighed against.
const SPREAD: f64 = 0.02;
/// A count is determined when its standard error is below this part of what it was before.
const TOLD_APART: f64 = 0.5;

/// A figure on both engines, in nanoseconds.
pub(super) struct Residual {
    pub(super) experiment: String,
    pub(super) phase: String,
    pub(super) lab: f64,
    pub(super) model: f64,
    /// Whether there are cores for all of the work.
    pub(super) has_cores: bool,
}

impl Residual {
    pub(super) fn error(&self) -> f64 {
        self.model / self.lab - 1.0
    }

    fn logarithm(&self) -> f64 {
        (self.model.max(1.0) / self.lab.max(1.0)).ln()
    }
}

/// Returns every recorded figure of a library beside the model with these counts.
pub(super) fn residuals(version: &str, counts: LockOps) -> anyhow::Result<Vec<Residual>> {
    of_rows(&read()?, version, counts)
}

fn of_rows(rows: &[Measured], version: &str, counts: LockOps) -> anyhow::Result<Vec<Residual>> {
    let lab: BTreeMap<(&str, &str), f64> = rows
        .iter()
        .filter(|row| row.openzfs == version)
        .map(|row| ((row.experiment.as_str(), row.phase.as_str()), row.nanos))
        .collect();
    anyhow::ensure!(
        !lab.is_empty(),
        "nothing was recorded of OpenZFS {version}: run `cargo xtask costs record`"
    );
    let made = parallel::map(&experiments::all(), |one| {
        model(one, version, counts).map(|figures| (one.name.clone(), one.has_cores(), figures))
    });
    let mut residuals = Vec::new();
    for one in made {
        let (experiment, has_cores, figures) = one?;
        for (phase, model) in figures {
            let lab = lab.get(&(experiment.as_str(), phase.as_str())).copied();
            let lab = lab.with_context(|| {
                format!("“{experiment}” was not recorded of OpenZFS {version}: run `cargo xtask costs record`")
            })?;
            residuals.push(Residual {
                experiment: experiment.clone(),
                phase,
                lab,
                model,
                has_cores,
            });
        }
    }
    Ok(residuals)
}

/// Fits the counts of both eras, and writes them to the model and its page.
pub(super) fn fit() -> anyhow::Result<()> {
    let rows = read()?;
    let mut spreads = Vec::new();
    let [old, new] = [0, 1].map(|era| fit_era(&rows, era, &mut spreads));
    let date = rows.iter().map(|row| row.date.as_str()).max().unwrap_or_default();
    table::write(&[old?, new?], &spreads, date)
}

/// Fits an era, and adds how far the model is off from each of its libraries.
fn fit_era(rows: &[Measured], era: usize, spreads: &mut Vec<Spread>) -> anyhow::Result<Vec<Count>> {
    let Some(fitted_on) = FITTED_ON.get(era) else { bail!("there is no era {era}") };
    println!("OpenZFS {fitted_on}");
    let prior = table::prior(era)?;
    let counts = fitted(rows, fitted_on, &prior)?;
    let prior: Vec<f64> = prior.iter().map(|prior| prior.count).collect();
    println!("  {:<18} {:>6} {:>7}  standard error", "work", "before", "fitted");
    for ((work, count), before) in Work::ALL.iter().zip(&counts).zip(&prior) {
        let error = count.error.map_or("not told apart".to_owned(), |error| format!("{error:.0}"));
        println!("  {:<18} {before:>6} {:>7}  {error}", work.name(), count.count);
    }
    let after: Vec<f64> = counts.iter().map(|count| f64::from(count.count)).collect();
    let mut versions: Vec<&str> = rows.iter().map(|row| row.openzfs.as_str()).collect();
    versions.sort_unstable();
    versions.dedup();
    let of_era = LockOps::of(Some(fitted_on));
    for version in versions.into_iter().filter(|version| LockOps::of(Some(version)) == of_era) {
        let [before, after] = [&prior, &after].map(|counts| off(rows, version, counts));
        let (before, after) = (before?, after?);
        println!("  {version:<7} before {before:?}, fitted {after:?}");
        spreads.push(Spread {
            openzfs: version.to_owned(),
            is_fitted_on: version == *fitted_on,
            before: before.with_cores,
            after: after.with_cores,
            on_two_cores: [before.on_two, after.on_two],
        });
    }
    Ok(counts)
}

/// How far the model is off, in per cent: mean and worst with enough cores, the mean on two.
#[derive(Debug)]
struct Off {
    with_cores: [f64; 2],
    on_two: f64,
}

fn off(rows: &[Measured], version: &str, counts: &[f64]) -> anyhow::Result<Off> {
    let residuals = of_rows(rows, version, lock_ops(version, counts))?;
    let (ample, short): (Vec<_>, Vec<_>) =
        residuals.iter().partition(|residual| residual.has_cores);
    let all =
        |some: &[&Residual]| spread(&some.iter().map(|one| one.logarithm()).collect::<Vec<_>>());
    let [on_two, _] = all(&short);
    Ok(Off { with_cores: all(&ample), on_two })
}

fn fitted(rows: &[Measured], version: &str, prior: &[Prior]) -> anyhow::Result<Vec<Count>> {
    let first: Vec<f64> = prior.iter().map(|prior| prior.count).collect();
    let errors: Vec<f64> = prior.iter().map(Prior::standard_error).collect();
    let held = held(&errors);
    let mut counts = first.clone();
    let evaluate = |counts: &[f64]| -> anyhow::Result<Vec<f64>> {
        let residuals = of_rows(rows, version, lock_ops(version, counts))?;
        Ok(residuals.iter().map(Residual::logarithm).collect())
    };
    let mut now = evaluate(&counts)?;
    let mut slopes = Vec::new();
    for round in 0..ROUNDS {
        println!("  round {round}: {}", described(&now));
        slopes = slopes_at(&counts, &now, &evaluate)?;
        let mut is_better = false;
        let step = step(&slopes, &now, &counts, (&first, &held));
        for part in [1.0, 0.5, 0.25] {
            let tried: Vec<f64> = counts
                .iter()
                .zip(&step)
                .map(|(count, step)| (count + part * step).max(0.0))
                .collect();
            let there = evaluate(&tried)?;
            if loss(&there) < loss(&now) * 0.999 {
                (counts, now, is_better) = (tried, there, true);
                break;
            }
        }
        if !is_better {
            break;
        }
    }
    println!("  the end: {}", described(&now));
    let after = standard_errors(&slopes, &now, &held);
    let told = |((count, after), prior): ((&f64, &f64), &Prior)| {
        let is_told = prior.error.is_some() || *after < TOLD_APART * prior.standard_error();
        Count { count: whole(*count), error: is_told.then_some(*after) }
    };
    Ok(counts.iter().zip(&after).zip(prior).map(told).collect())
}

fn lock_ops(version: &str, counts: &[f64]) -> LockOps {
    let start = LockOps::of(Some(version));
    let pairs = Work::ALL.iter().zip(counts);
    pairs.fold(start, |all, (work, count)| all.with(*work, whole(*count)))
}

/// Returns a count as a whole number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts are small and not negative"
)]
fn whole(count: f64) -> u32 {
    count.round() as u32
}

/// Returns the slope of every residual by every count: a column for each count.
fn slopes_at(
    counts: &[f64],
    now: &[f64],
    evaluate: &impl Fn(&[f64]) -> anyhow::Result<Vec<f64>>,
) -> anyhow::Result<Vec<Vec<f64>>> {
    let mut columns = Vec::new();
    for (index, count) in counts.iter().enumerate() {
        let more = (count * 0.2).round().max(8.0);
        let mut moved = counts.to_vec();
        if let Some(one) = moved.get_mut(index) {
            *one += more;
        }
        let there = evaluate(&moved)?;
        columns.push(there.iter().zip(now).map(|(there, now)| (there - now) / more).collect());
    }
    Ok(columns)
}

/// What a residual counts: all of it, or its root when it is far off.
fn weight(residual: f64) -> f64 {
    if residual.abs() <= HUBER { 1.0 } else { HUBER / residual.abs() }
}

fn loss(residuals: &[f64]) -> f64 {
    let one = |residual: f64| {
        let far = residual.abs();
        if far <= HUBER { far * far / 2.0 } else { HUBER * (far - HUBER / 2.0) }
    };
    residuals.iter().map(|residual| one(*residual)).sum()
}

/// Returns the weighted product of two columns.
fn product(one: &[f64], other: &[f64], now: &[f64]) -> f64 {
    one.iter().zip(other).zip(now).map(|((one, other), now)| one * other * weight(*now)).sum()
}

impl Prior {
    fn standard_error(&self) -> f64 {
        self.error.unwrap_or_else(|| (self.count * SURE).max(SURE_LEAST))
    }
}

/// Returns what each count is held at its first value with, of which these are the standard errors.
fn held(errors: &[f64]) -> Vec<f64> {
    errors.iter().map(|error| (SPREAD / error).powi(2)).collect()
}

/// Returns the matrix of the normal equations.
fn normal(slopes: &[Vec<f64>], now: &[f64], held: &[f64]) -> Vec<Vec<f64>> {
    let mut matrix: Vec<Vec<f64>> = slopes
        .iter()
        .map(|one| slopes.iter().map(|other| product(one, other, now)).collect())
        .collect();
    for ((index, row), held) in matrix.iter_mut().enumerate().zip(held) {
        if let Some(own) = row.get_mut(index) {
            *own += held;
        }
    }
    matrix
}

/// Sweeps that solve the normal equations one count after the other (Gauss–Seidel).
const SWEEPS: usize = 4000;

/// Returns the step that lowers the residuals most and leaves no count below zero.
fn step(
    slopes: &[Vec<f64>],
    now: &[f64],
    counts: &[f64],
    (start, held): (&[f64], &[f64]),
) -> Vec<f64> {
    let matrix = normal(slopes, now, held);
    let moved =
        counts.iter().zip(start).zip(held).map(|((count, start), held)| held * (count - start));
    let wanted: Vec<f64> = slopes
        .iter()
        .zip(moved)
        .map(|(column, moved)| -product(column, now, now) - moved)
        .collect();
    let floor: Vec<f64> = counts.iter().map(|count| -count).collect();
    solve(&matrix, &wanted, &floor)
}

fn solve(matrix: &[Vec<f64>], wanted: &[f64], floor: &[f64]) -> Vec<f64> {
    let mut solution = vec![0.0; wanted.len()];
    for _ in 0..SWEEPS {
        for (index, row) in matrix.iter().enumerate() {
            let rest: f64 = row.iter().zip(&solution).map(|(factor, value)| factor * value).sum();
            let (Some(own), Some(wanted), Some(floor)) =
                (row.get(index), wanted.get(index), floor.get(index))
            else {
                continue;
            };
            if let Some(value) = solution.get_mut(index) {
                *value = ((wanted - rest) / own + *value).max(*floor);
            }
        }
    }
    solution
}

/// Returns the standard error of each count, from the inverse of the matrix.
fn standard_errors(slopes: &[Vec<f64>], now: &[f64], held: &[f64]) -> Vec<f64> {
    let matrix = normal(slopes, now, held);
    let floor = vec![f64::NEG_INFINITY; slopes.len()];
    (0..slopes.len())
        .map(|index| {
            let unit: Vec<f64> =
                (0..slopes.len()).map(|other| if other == index { 1.0 } else { 0.0 }).collect();
            let own = solve(&matrix, &unit, &floor).get(index).copied().unwrap_or(f64::INFINITY);
            own.max(0.0).sqrt() * SPREAD
        })
        .collect()
}

/// Returns the mean and the worst difference in per cent.
fn spread(residuals: &[f64]) -> [f64; 2] {
    let off: Vec<f64> = residuals.iter().map(|one| (one.exp() - 1.0).abs() * 100.0).collect();
    let mean = off.iter().sum::<f64>() / off.len().max(1) as f64;
    [mean, off.iter().copied().fold(0.0, f64::max)]
}

fn described(residuals: &[f64]) -> String {
    let [mean, worst] = spread(residuals);
    format!("{} figures, {mean:.2} % off in the mean, {worst:.1} % at most", residuals.len())
}

#[cfg(test)]
mod tests {
    use super::{held, solve, standard_errors, step};

    #[test]
    fn a_line_is_found_in_one_step_and_what_nothing_tells_stays() {
        // Residuals 2a + b - 7, a + 3b - 11, a - b + 1; nothing moves c.
        let slopes = [[2.0, 1.0, 1.0], [1.0, 3.0, -1.0], [0.0; 3]].map(|column| column.to_vec());
        let counts = [1.0, 1.0, 40.0];
        let held = held(&[8.0, 8.0, 20.0]);
        let now = [-4.0, -7.0, 1.0].map(|one: f64| one / 200.0);
        let slopes = slopes.map(|column| column.iter().map(|one| one / 200.0).collect::<Vec<_>>());
        let [a, b, c] = step(&slopes, &now, &counts, (&counts, &held)).try_into().expect("three");
        assert!((a - 1.0_f64).abs() < 0.3 && (b - 2.0_f64).abs() < 0.3 && c == 0.0, "{a} {b} {c}");
        let errors = standard_errors(&slopes, &now, &held);
        assert!(errors[0] < 8.0 && errors[1] < 8.0, "told apart: {errors:?}");
        assert!((errors[2] - 20.0).abs() < 1e-6, "as sure as before: {errors:?}");
    }

    #[test]
    fn no_count_falls_below_zero() {
        let solution = solve(&[vec![1.0, 0.0], vec![0.0, 1.0]], &[-5.0, 5.0], &[-2.0, -2.0]);
        assert_eq!(solution, [-2.0, 5.0]);
    }
}
