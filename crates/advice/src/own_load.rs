//! What a change would bring under the machine's own load.
//!
//! ```text
//!   machine with a window ──> its twin: a load under which the model counts what the machine counted
//!                         ──> the twin as it is and changed, and so the other loads that the counters do not tell from it
//!                         ──> how much less clients wait, and between which figures
//! ```
//!
//! Only a twin whose figures are those of the machine is asked; of any other it is said what differs. The same question of
//! `arcwright advise` has the same answer, as both ask the same experiment.

use std::cell::OnceCell;

use arcwright_machine::Machine;
use arcwright_model::Model;
use arcwright_scenario::{Engine as _, Scenario, Setting};
use arcwright_ssd::{ALIKE, Ssd};
use arcwright_tunables::{Modelled, lookup};
use arcwright_twin::{LOAD, Twin, twin};
use arcwright_units::Nanos;
use arcwright_whatif::{Axis, Grid, Row, WhatIf};

use crate::finding::Gain;
use crate::format;
use crate::runs;

/// Hours a day that a machine's load goes on, as nothing here depends on them.
const HOURS_A_DAY: f64 = 24.0;

/// The machine's own load, looked for when it is first asked about.
#[derive(Default)]
pub(crate) struct OwnLoad {
    found: OnceCell<Result<Load, String>>,
}

/// A load under which the model counts what the machine counted.
struct Load {
    /// The machine under it, and under others that its counters do not tell from it.
    scenarios: Vec<Scenario>,
    /// Whether it was counted which writes wait for stable storage.
    log_is_counted: bool,
    /// What no counter tells.
    assumed: Vec<String>,
    /// The time that it was seen for.
    span: Nanos,
}

/// What a change would bring.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Saved {
    /// The part of what clients wait that is saved.
    share: f64,
    /// The least and the most of it, under the loads that fit.
    range: [f64; 2],
    /// Hits of the ARC, as it is and changed; absent without accesses.
    hits: Option<[f64; 2]>,
    /// What no counter tells.
    assumed: Vec<String>,
    span: Nanos,
}

impl Saved {
    /// Says whether clients wait less under every load that fits.
    pub(crate) fn is_sure(&self) -> bool {
        self.range.iter().chain([&self.share]).all(|share| *share >= ALIKE)
    }

    /// Says whether nothing changes under any load that fits.
    pub(crate) fn is_nothing(&self) -> bool {
        self.range.iter().chain([&self.share]).all(|share| share.abs() < ALIKE)
    }

    /// Returns it as a gain.
    pub(crate) fn gain(&self) -> Gain {
        /// Who waits a thousandth is answered a thousand times as fast, which is as much as can be said.
        const LEFT_MIN: f64 = 1e-3;
        let factor = 1.0 / (1.0 - self.share).max(LEFT_MIN);
        Gain::Modelled { factor, words: self.sentence() + "." }
    }

    /// Returns it as the end of a sentence.
    pub(crate) fn sentence(&self) -> String {
        let span = format::span(self.span);
        let load = format!("by the model, under the load of this window of {span}");
        let percent = |share: f64| format!("{:.0}", share.abs() * 100.0);
        let verdict = match self.share {
            share if share.abs() < ALIKE => "clients wait as long as before".to_owned(),
            share if share > 0.0 => format!("clients wait {} % less", percent(share)),
            share => format!("clients wait {} % longer", percent(share)),
        };
        let [low, high] = self.range;
        let range = match (percent(low) == percent(high), low >= 0.0, high > 0.0) {
            _ if self.is_nothing() => String::new(),
            (true, ..) => String::new(),
            (_, true, _) => format!(" (range {} to {} %)", percent(low), percent(high)),
            (_, false, true) => format!(
                " (between {} % longer and {} % less under other loads that fit the counters)",
                percent(low),
                percent(high)
            ),
            (_, false, false) => format!(" (range {} to {} %)", percent(high), percent(low)),
        };
        let hits = self.hits.filter(|_| !self.is_nothing()).map(|[before, after]| {
            format!(
                "; of all accesses, prefetch among them, the ARC serves {:.0} % instead of {:.0} %",
                after * 100.0,
                before * 100.0
            )
        });
        let assumed = self.assumed.iter().map(|what| format!(". Taken as given: {what}"));
        format!(
            "{verdict}{range}, {load}{}{}",
            hits.into_iter().collect::<String>(),
            assumed.collect::<String>()
        )
    }
}

/// Returns settings that are made together as something to ask about.
pub(crate) fn settings(settings: &[Setting]) -> Axis {
    let pairs = settings.iter().map(|setting| (setting.name.clone(), setting.value));
    Axis::Settings(vec![pairs.collect()])
}

/// Returns a log device on an SSD as something to ask about.
pub(crate) fn log_on(profile: &str) -> Result<Axis, String> {
    let ssd = Ssd::of_profile(profile, None).map_err(|error| error.to_string())?;
    Ok(Axis::Log(vec![ssd]))
}

impl OwnLoad {
    /// Returns what one change would bring on a machine that was seen for a window, or why that is not known.
    pub(crate) fn saved(
        &self,
        (machine, window): (&Machine, Option<Nanos>),
        axis: &Axis,
    ) -> Result<Saved, String> {
        let find = || Load::of(machine, window);
        let load = self.found.get_or_init(find).as_ref().map_err(Clone::clone)?;
        if let Some(name) = without_effect(axis) {
            return Err(format!("nothing in an experiment depends on {name}"));
        }
        if matches!(axis, Axis::Log(_)) && !load.log_is_counted {
            return Err("which writes wait for the intent log was not counted".to_owned());
        }
        load.saved(axis)
    }
}

/// Returns a parameter on which nothing in an experiment depends, so that the model would call it no change.
fn without_effect(axis: &Axis) -> Option<&str> {
    let Axis::Settings(groups) = axis else { return None };
    let mut names = groups.iter().flatten().map(|(name, _)| name.as_str());
    names.find(|name| lookup(name).is_some_and(|entry| entry.model == Modelled::NoEffect))
}

impl Load {
    fn of(machine: &Machine, window: Option<Nanos>) -> Result<Self, String> {
        let why = "that takes a window (arcwright doctor --window 10m)";
        let span = window.ok_or_else(|| why.to_owned())?;
        let twin = twin(machine, None).map_err(|error| error.to_string())?;
        let apart = twin.check.apart();
        if !apart.is_empty() {
            return Err(format!(
                "the model does not count what was counted ({})",
                apart.join("; ")
            ));
        }
        if !twin.check.holds() {
            return Err("too little was counted to hold a model against".to_owned());
        }
        let read = |text: &String| {
            Scenario::parse(text, "this machine").map_err(|error| error.to_string())
        };
        let scenarios = std::iter::once(&twin.text).chain(&twin.also).map(read);
        let scenarios = scenarios.collect::<Result<_, _>>()?;
        let Twin { log_is_counted, assumed, .. } = twin;
        Ok(Self { scenarios, log_is_counted, assumed, span })
    }

    fn saved(&self, axis: &Axis) -> Result<Saved, String> {
        let grids =
            Grid::under_each(&self.scenarios, &[LOAD.to_owned()], std::slice::from_ref(axis));
        let grids = grids.map_err(|error| error.to_string())?;
        let mut answers =
            grids.iter().map(answer).collect::<Result<Vec<WhatIf>, String>>()?.into_iter();
        let first = answers.next().ok_or("no load was found")?;
        let others: Vec<WhatIf> = answers.collect();
        let whole = first.with_other_loads(&others);
        let [before, after] = whole.rows.as_slice() else {
            return Err("the model gave no result".to_owned());
        };
        let hits = |row: &Row| row.arc_hit_ratio;
        Ok(Saved {
            share: after.saved,
            range: after.saved_span(),
            hits: hits(before).zip(hits(after)).map(|(before, after)| [before, after]),
            assumed: self.assumed.clone(),
            span: self.span,
        })
    }
}

/// Runs the machine as it is and changed.
fn answer(grid: &Grid) -> Result<WhatIf, String> {
    let model = Model::default();
    model.check(&grid.scenario).map_err(|error| error.to_string())?;
    let outcome =
        runs::run(model, grid.scenario.clone(), |error| format!("the model failed: {error}"))?;
    WhatIf::of(grid, &outcome, HOURS_A_DAY).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::Saved;

    #[test]
    fn a_gain_is_said_with_what_it_rests_on() {
        let check = |share: f64, range: [f64; 2], expected: &str| {
            let (hits, assumed, span) = (Some([0.5, 0.75]), Vec::new(), Nanos::secs(600));
            let saved = Saved { share, range, hits, assumed, span };
            let sentence = saved.sentence();
            assert!(sentence.starts_with(expected), "{sentence}");
            assert!(sentence.contains("under the load of this window of 10 min"), "{sentence}");
        };
        check(0.2, [0.2, 0.2], "clients wait 20 % less, by the model");
        check(0.2, [0.07, 0.22], "clients wait 20 % less (range 7 to 22 %), by");
        check(0.01, [-0.04, 0.02], "clients wait as long as before, by");
        check(
            0.02,
            [-0.1, 0.3],
            "clients wait as long as before (between 10 % longer and 30 % less under other loads that fit the counters)",
        );
        check(-0.3, [-0.5, -0.1], "clients wait 30 % longer (range 10 to 50 %)");
    }

    #[test]
    fn what_is_sure_is_so_under_every_load() {
        let check = |share: f64, range: [f64; 2], is_sure: bool, is_nothing: bool| {
            let span = Nanos::secs(60);
            let saved = Saved { share, range, hits: None, assumed: Vec::new(), span };
            assert_eq!((saved.is_sure(), saved.is_nothing()), (is_sure, is_nothing), "{saved:?}");
        };
        check(0.2, [0.06, 0.3], true, false);
        check(0.2, [0.01, 0.3], false, false);
        check(0.03, [0.0, 0.04], false, true);
        check(-0.2, [-0.2, -0.2], false, false);
    }
}
