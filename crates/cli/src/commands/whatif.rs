//! `arcwright whatif`: what changes would bring, in all combinations.

use anyhow::{Context as _, anyhow};
use arcwright_report::{whatif_html, whatif_json, whatif_text};
use arcwright_scenario::{Outcome, RunRequest, Scenario};
use arcwright_ssd::{Doubts, Ssd};
use arcwright_whatif::{Axis, Grid, WhatIf, WhatIfError};

use super::loads::{
    HOURS_OF_MACHINE, HOURS_OF_SCENARIO, Load, Named, loads_of, remark_left_out, scenario_load,
};
use crate::arguments::{ExperimentArguments, PriceArguments, Sizes, WhatIfArguments};
use crate::commands::{run, scenario};
use crate::exit::Exit;
use crate::output;
use crate::pages::PendingPage;
use crate::problem::Problem;

pub(super) fn whatif(arguments: &WhatIfArguments) -> Result<Exit, Problem> {
    let axes = axes(arguments)?;
    let page = arguments.html.as_deref().map(PendingPage::begin).transpose()?;
    if axes.is_empty() {
        return Err(Problem::Usage(anyhow!(WhatIfError::Nothing)));
    }
    let Subject { scenarios, phases, doubts, hours } = subject(arguments)?;
    let grids = Grid::under_each(&scenarios, &phases, &axes);
    let grids = grids.map_err(|error| Problem::Usage(anyhow!(error)))?;
    let hours = arguments.hours_a_day.unwrap_or(hours);
    let experiment = arguments.experiment.for_load(&doubts);
    let (answer, outcome) = tried(&grids, &experiment, hours)?;
    let answer = priced(answer.with_doubts(doubts), &arguments.price);
    if let Some(page) = page {
        page.complete(&whatif_html(&answer, &outcome))?;
    }
    if arguments.json {
        let json = whatif_json(&answer, &outcome).context("failed to write JSON")?;
        output::print_json(&json)?;
    } else {
        let options = output::text_options();
        output::print_page(&whatif_text(&answer, &outcome, &options, arguments.verbose))?;
    }
    if outcome.interrupted {
        output::remark("stopped early: only what finished was compared");
        return Ok(Exit::Failed);
    }
    Ok(Exit::Fine)
}

/// Returns an answer with what its rows cost, where prices were given.
pub(super) fn priced(answer: WhatIf, arguments: &PriceArguments) -> WhatIf {
    match arguments.prices() {
        Some(prices) => answer.with_prices(prices),
        None => answer,
    }
}

/// Runs the same changes under a load and under others that a machine's counters do not tell from it.
pub(super) fn tried(
    grids: &[Grid],
    experiment: &ExperimentArguments,
    hours: f64,
) -> Result<(WhatIf, Outcome), Problem> {
    tried_by(grids, hours, &mut |request| run::outcome_of(experiment, request, None))
}

/// The same, with what runs an experiment.
pub(super) fn tried_by(
    grids: &[Grid],
    hours: f64,
    run: &mut dyn FnMut(&RunRequest) -> Result<Outcome, Problem>,
) -> Result<(WhatIf, Outcome), Problem> {
    let mut all = Vec::new();
    for grid in grids {
        let outcome = run(&RunRequest { scenario: grid.scenario.clone(), repeats: 1 })?;
        let is_stopped = outcome.interrupted;
        match WhatIf::of(grid, &outcome, hours) {
            // What was begun last is left out when the one before is whole.
            Err(_) if is_stopped && !all.is_empty() => {}
            answer => all.push((answer.map_err(|error| Problem::Failed(anyhow!(error)))?, outcome)),
        }
        if is_stopped {
            break;
        }
    }
    let mut all = all.into_iter();
    let (answer, mut outcome) =
        all.next().ok_or_else(|| Problem::Failed(anyhow!(WhatIfError::Unfinished)))?;
    let (others, runs): (Vec<WhatIf>, Vec<Outcome>) = all.unzip();
    outcome.interrupted |= runs.iter().any(|run| run.interrupted) || others.len() + 1 < grids.len();
    Ok((answer.with_other_loads(&others), outcome))
}

/// What is asked about.
struct Subject {
    /// The load, and others that a machine's counters do not tell from it.
    scenarios: Vec<Scenario>,
    /// The phases that count.
    phases: Vec<String>,
    /// What speaks against it.
    doubts: Doubts,
    /// Hours a day that it goes on.
    hours: f64,
}

fn subject(arguments: &WhatIfArguments) -> Result<Subject, Problem> {
    let named = Named { phases: &arguments.phases, trace: arguments.trace.as_deref() };
    let (load, hours) = match &arguments.scenario {
        Some(path) => {
            let hours = if named.trace.is_some() { HOURS_OF_MACHINE } else { HOURS_OF_SCENARIO };
            (scenario_load(path, named, &arguments.experiment)?, hours)
        }
        None => {
            let machine = scenario::machine_of(&arguments.machine)?;
            let pool = arguments.machine.pool.as_deref();
            (loads_of(&machine, pool, (named, &arguments.experiment))?, HOURS_OF_MACHINE)
        }
    };
    remark_left_out(&load.left_out);
    let scenarios = load.scenarios().cloned().collect();
    let Load { phases, doubts, .. } = load;
    Ok(Subject { scenarios, phases, doubts, hours })
}

pub(super) fn axes(arguments: &WhatIfArguments) -> Result<Vec<Axis>, Problem> {
    let ssd = |name: &str| {
        Ssd::of_profile(name, None).map_err(|error| Problem::Usage(anyhow!("{error}")))
    };
    let mut axes = Vec::new();
    let (memory, l2arc) = (Sizes::all(&arguments.memory), Sizes::all(&arguments.l2arc));
    if !memory.is_empty() {
        axes.push(Axis::Memory(memory));
    }
    if !l2arc.is_empty() {
        let ssd = ssd(&arguments.l2arc_on)?;
        if let Some(size) = l2arc.iter().find(|size| **size > ssd.size) {
            let (name, whole) = (&ssd.name, ssd.size);
            return Err(Problem::Usage(anyhow!(
                "{name} has {whole}, not {size}; name a larger SSD with --l2arc-on"
            )));
        }
        axes.push(Axis::L2arc(Box::new(ssd), l2arc));
    }
    if !arguments.log.is_empty() {
        let ssds = arguments.log.iter().map(|name| ssd(name)).collect::<Result<_, _>>()?;
        axes.push(Axis::Log(ssds));
    }
    for parameter in &arguments.parameters {
        axes.push(Axis::Parameter(parameter.name.clone(), parameter.values.clone()));
    }
    if !arguments.release.is_empty() {
        axes.push(Axis::Release(arguments.release.clone()));
    }
    if !arguments.recordsize.is_empty() {
        axes.push(Axis::Recordsize(arguments.recordsize.clone()));
    }
    Ok(axes)
}
