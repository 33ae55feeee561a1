//! Reported figures beside the model's, ratios of both, and their sums.

use std::collections::BTreeSet;

use anyhow::{Context as _, bail};
use arcwright_scenario::{ArmOutcome, PhaseRun};
use serde::{Deserialize, Serialize};

use super::read::Machine;
use crate::effect::Effect;

/// How far a ratio may be off and still be called near.
const NEAR: f64 = 0.20;

/// A machine with what the model finds.
#[derive(Debug)]
pub(super) struct Measured<'a> {
    pub(super) machine: &'a Machine,
    /// What the figures count.
    pub(super) unit: &'a str,
    pub(super) figures: Vec<Figure>,
    pub(super) ratios: Vec<Ratio>,
}

/// One reported figure.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    pub(super) arm: String,
    pub(super) phase: String,
    pub(super) reported: f64,
    pub(super) model: f64,
}

/// How many times as fast an arm is as the first with a figure of the phase.
#[derive(Debug, Clone)]
pub(super) struct Ratio {
    pub(super) phase: String,
    pub(super) arms: [String; 2],
    pub(super) reported: f64,
    pub(super) model: f64,
}

impl Figure {
    pub(super) fn off(&self) -> f64 {
        self.model / self.reported - 1.0
    }
}

/// Returns what a ratio says.
fn effect(ratio: f64) -> Effect {
    Effect::of((ratio - 1.0) * 100.0)
}

impl Ratio {
    pub(super) fn off(&self) -> f64 {
        self.model / self.reported - 1.0
    }

    pub(super) fn is_near(&self) -> bool {
        self.off().abs() <= NEAR
    }

    pub(super) fn is_right(&self) -> bool {
        effect(self.reported) == effect(self.model)
    }
}

impl<'a> Measured<'a> {
    /// Compares the arms of all layouts, in order.
    pub(super) fn new(machine: &'a Machine, arms: &[ArmOutcome]) -> anyhow::Result<Self> {
        let mut unit = "";
        let mut figures = Vec::new();
        let mut arms = arms.iter();
        for scenario in &machine.layouts {
            let reported = scenario.reported.as_ref().context("nothing is reported")?;
            if !unit.is_empty() && unit != reported.unit {
                bail!("the layouts of {} have several units", machine.name);
            }
            unit = &reported.unit;
            for arm in arms.by_ref().take(scenario.arms.len()) {
                for said in reported.figures.iter().filter(|figure| figure.arm == arm.name) {
                    let run = arm.phases.iter().find(|run| run.name == said.phase);
                    figures.push(Figure {
                        arm: said.arm.clone(),
                        phase: said.phase.clone(),
                        reported: said.value,
                        model: figure(run.context("a phase did not run")?, unit)?,
                    });
                }
            }
        }
        let is_time = unit == SECONDS;
        let ratios = ratios(&figures, is_time);
        Ok(Self { machine, unit, figures, ratios })
    }
}

const SECONDS: &str = "s";

/// Returns what a phase comes to in `unit`: a rate, a time, or a rate of the clients of one file.
fn figure(run: &PhaseRun, unit: &str) -> anyhow::Result<f64> {
    let (unit, file) =
        unit.split_once(" of ").map_or((unit, None), |(unit, file)| (unit, Some(file)));
    let is_meant = |name: &str| file.is_none_or(|file| name.ends_with(file));
    let clients = || run.clients.iter().filter(|client| is_meant(&client.name));
    let seconds = run.duration_ns.as_secs_f64();
    let bytes = clients().map(|client| client.bytes.0).sum::<u64>() as f64;
    let operations = clients().map(|client| client.operations).sum::<u64>() as f64;
    match unit {
        "MiB/s" => Ok(bytes / seconds / f64::from(1 << 20)),
        "MB/s" => Ok(bytes / seconds / 1e6),
        "operations/s" => Ok(operations / seconds),
        SECONDS => Ok(seconds),
        other => bail!("“{other}” is not a unit of figures"),
    }
}

/// Compares each figure with the first of its phase.
fn ratios(figures: &[Figure], is_time: bool) -> Vec<Ratio> {
    let mut ratios = Vec::new();
    for (index, other) in figures.iter().enumerate() {
        let before = figures.iter().take(index);
        let Some(first) = before.into_iter().find(|first| first.phase == other.phase) else {
            continue;
        };
        let times = |a: f64, b: f64| if is_time { a / b } else { b / a };
        ratios.push(Ratio {
            phase: other.phase.clone(),
            arms: [first.arm.clone(), other.arm.clone()],
            reported: times(first.reported, other.reported),
            model: times(first.model, other.model),
        });
    }
    ratios
}

/// What `fidelity/machines.json` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sums {
    /// Machines, or questions to one of them.
    pub(crate) machines: usize,
    /// Publications that they are from.
    pub(crate) sources: usize,
    /// Ratios between arms.
    pub(crate) ratios: usize,
    /// Ratios that are off by 20 % at most.
    pub(crate) within_20_pct: usize,
    /// Ratios that say what the source's say: faster, slower, no effect.
    pub(crate) directions_right: usize,
    /// Half of the ratios are off by less.
    pub(crate) ratio_median_error_pct: f64,
    /// Figures with a unit.
    pub(crate) figures: usize,
    /// Half of the figures are off by less.
    pub(crate) figure_median_error_pct: f64,
    /// Share of near ratios where every machine counts the same, however many ratios it has.
    pub(crate) within_20_pct_by_machine: f64,
    /// The same for directions.
    pub(crate) directions_right_by_machine: f64,
    /// Ratios in which the source sees an effect.
    pub(crate) effects: usize,
    /// Of these, ratios that are off by 20 % at most.
    pub(crate) effects_within_20_pct: usize,
    /// The counts of each machine.
    pub(crate) each: Vec<OfMachine>,
}

/// The counts of one machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OfMachine {
    /// Its name.
    pub(crate) name: String,
    /// Ratios between its arms.
    pub(crate) ratios: usize,
    /// Ratios that are off by 20 % at most.
    pub(crate) within_20_pct: usize,
    /// Ratios with the right direction.
    pub(crate) directions_right: usize,
}

impl OfMachine {
    fn of(measured: &Measured<'_>) -> Self {
        Self {
            name: measured.machine.name.clone(),
            ratios: measured.ratios.len(),
            within_20_pct: count(&measured.ratios, Ratio::is_near),
            directions_right: count(&measured.ratios, Ratio::is_right),
        }
    }
}

fn count<'a>(ratios: impl IntoIterator<Item = &'a Ratio>, is: fn(&Ratio) -> bool) -> usize {
    ratios.into_iter().filter(|ratio| is(ratio)).count()
}

impl Sums {
    pub(super) fn of(measured: &[Measured<'_>]) -> Self {
        let ratios = || measured.iter().flat_map(|machine| &machine.ratios);
        let figures = || measured.iter().flat_map(|machine| &machine.figures);
        let effects = || ratios().filter(|ratio| effect(ratio.reported) != Effect::None);
        let each: Vec<OfMachine> = measured.iter().map(OfMachine::of).collect();
        Self {
            machines: measured.len(),
            sources: measured.iter().map(|of| &of.machine.link).collect::<BTreeSet<_>>().len(),
            ratios: ratios().count(),
            within_20_pct: count(ratios(), Ratio::is_near),
            directions_right: count(ratios(), Ratio::is_right),
            ratio_median_error_pct: median_pct(ratios().map(Ratio::off)),
            figures: figures().count(),
            figure_median_error_pct: median_pct(figures().map(Figure::off)),
            within_20_pct_by_machine: mean_share_pct(&each, |of| of.within_20_pct),
            directions_right_by_machine: mean_share_pct(&each, |of| of.directions_right),
            effects: effects().count(),
            effects_within_20_pct: count(effects(), Ratio::is_near),
            each,
        }
    }
}

/// Returns the mean of the machines' shares.
fn mean_share_pct(each: &[OfMachine], part: fn(&OfMachine) -> usize) -> f64 {
    let compared = each.iter().filter(|of| of.ratios > 0);
    let shares: Vec<f64> = compared.map(|of| part(of) as f64 / of.ratios as f64).collect();
    tenth(100.0 * shares.iter().sum::<f64>() / shares.len().max(1) as f64)
}

fn median_pct(errors: impl Iterator<Item = f64>) -> f64 {
    let mut errors: Vec<f64> = errors.map(f64::abs).collect();
    errors.sort_by(f64::total_cmp);
    tenth(errors.get(errors.len() / 2).copied().unwrap_or_default() * 100.0)
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::{Figure, ratios};

    fn figure(arm: &str, phase: &str, reported: f64, model: f64) -> Figure {
        Figure { arm: arm.to_owned(), phase: phase.to_owned(), reported, model }
    }

    #[test]
    fn an_arm_is_compared_with_the_first_of_its_phase() {
        let figures = [
            figure("a", "read", 100.0, 50.0),
            figure("b", "read", 200.0, 110.0),
            figure("b", "write", 10.0, 10.0),
            figure("c", "write", 10.4, 9.0),
        ];
        let found: Vec<(String, bool, bool)> = ratios(&figures, false)
            .iter()
            .map(|ratio| (ratio.arms.join(" "), ratio.is_near(), ratio.is_right()))
            .collect();
        let expected = [("a b".to_owned(), true, true), ("b c".to_owned(), true, false)];
        assert_eq!(found, expected);
    }

    #[test]
    fn less_time_is_faster() {
        let figures = [figure("a", "scan", 300.0, 300.0), figure("b", "scan", 150.0, 100.0)];
        let ratio = ratios(&figures, true).pop().unwrap();
        assert!((ratio.reported - 2.0).abs() < 1e-9 && (ratio.model - 3.0).abs() < 1e-9);
        assert!(ratio.is_right() && !ratio.is_near());
    }
}
