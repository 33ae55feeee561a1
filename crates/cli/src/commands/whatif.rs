//! `arcwright whatif`: what changes would bring, in all combinations.

use anyhow::{Context as _, anyhow};
use arcwright_report::{whatif_html, whatif_json, whatif_text};
use arcwright_scenario::{RunRequest, Scenario};
use arcwright_ssd::Ssd;
use arcwright_whatif::{Axis, Grid, WhatIf, WhatIfError, WhatIfQuestion};

use super::ssd::{HOURS_OF_MACHINE, HOURS_OF_SCENARIO, MachineLoad, machine_load, remark_left_out};
use crate::arguments::WhatIfArguments;
use crate::commands::{run, scenario};
use crate::exit::Exit;
use crate::output;
use crate::pages::PendingPage;
use crate::problem::Problem;
use crate::scenario_file;

pub(super) fn whatif(arguments: &WhatIfArguments) -> Result<Exit, Problem> {
    let axes = axes(arguments)?;
    let page = arguments.html.as_deref().map(PendingPage::begin).transpose()?;
    if axes.is_empty() {
        return Err(Problem::Usage(anyhow!(WhatIfError::Nothing)));
    }
    let (scenario, phases, apart, hours) = subject(arguments)?;
    let question = WhatIfQuestion { scenario, arm: None, phases, axes };
    let grid = Grid::of(question).map_err(|error| Problem::Usage(anyhow!(error)))?;
    let request = RunRequest { scenario: grid.scenario.clone(), repeats: 1 };
    let outcome = run::outcome_of(&arguments.experiment, &request, None)?;
    let hours = arguments.hours_a_day.unwrap_or(hours);
    let answer = WhatIf::of(&grid, &outcome, hours)
        .map_err(|error| Problem::Failed(anyhow!(error)))?
        .with_apart(apart);
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

/// A scenario, the phases that count, what speaks against it, and the hours a day that it goes on.
type Subject = (Scenario, Vec<String>, Vec<String>, f64);

fn subject(arguments: &WhatIfArguments) -> Result<Subject, Problem> {
    if let Some(path) = &arguments.scenario {
        let scenario = scenario_file::read(path, &arguments.experiment)?;
        return Ok((scenario, arguments.phases.clone(), Vec::new(), HOURS_OF_SCENARIO));
    }
    let machine = scenario::machine_of(&arguments.machine)?;
    let pool = arguments.machine.pool.as_deref();
    let load = machine_load(&machine, pool, (&arguments.phases, &arguments.experiment))?;
    let MachineLoad { scenario, phases, apart, left_out, .. } = load;
    remark_left_out(&left_out);
    Ok((scenario, phases, apart, HOURS_OF_MACHINE))
}

pub(super) fn axes(arguments: &WhatIfArguments) -> Result<Vec<Axis>, Problem> {
    let ssd = |name: &str| {
        Ssd::of_profile(name, None).map_err(|error| Problem::Usage(anyhow!("{error}")))
    };
    let mut axes = Vec::new();
    if !arguments.memory.is_empty() {
        axes.push(Axis::Memory(arguments.memory.clone()));
    }
    if !arguments.l2arc.is_empty() {
        let ssd = ssd(&arguments.l2arc_on)?;
        if let Some(size) = arguments.l2arc.iter().find(|size| **size > ssd.size) {
            let (name, whole) = (&ssd.name, ssd.size);
            return Err(Problem::Usage(anyhow!(
                "{name} has {whole}, not {size}; name a larger SSD with --l2arc-on"
            )));
        }
        axes.push(Axis::L2arc(Box::new(ssd), arguments.l2arc.clone()));
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
