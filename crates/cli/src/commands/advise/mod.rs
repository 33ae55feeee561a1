//! `arcwright advise`: from a machine's counters to what to do about it.

mod fleet;

use std::path::Path;

use anyhow::{Context as _, anyhow};
use arcwright_advice::{Advice, Estimate, advise as judged, larger_arc};
use arcwright_machine::Machine;
use arcwright_report::{Advised, AdvisedStep, advise_html, advise_json, advise_text};
use arcwright_scenario::{EngineError, Outcome, Scenario};
use arcwright_ssd::Ssd;
use arcwright_tunables::lookup;
use arcwright_units::{Bytes, shell_word};
use arcwright_whatif::{Axis, Grid, Row, Usual, WhatIf, memory_curve};

use crate::arguments::AdviseArguments;
use crate::commands::loads::{Load, Named, has_commits, loads_of, remark_left_out};
use crate::commands::{scenario, whatif};
use crate::engines;
use crate::exit::Exit;
use crate::output;
use crate::pages::PendingPage;
use crate::problem::Problem;

/// How a finding's command sets parameters.
const APPLY: &str = "arcwright tune apply ";

pub(super) fn advise(arguments: &AdviseArguments) -> Result<Exit, Problem> {
    match fleet::machines(&arguments.from)?.as_slice() {
        [] => one(arguments, None),
        [path] => one(arguments, Some(path)),
        _ if arguments.trace.is_some() => {
            let why = "--trace is the load of one machine; name one with --from";
            Err(Problem::Usage(anyhow!(why)))
        }
        paths => fleet::fleet(arguments, paths),
    }
}

fn one(arguments: &AdviseArguments, from: Option<&Path>) -> Result<Exit, Problem> {
    let page = arguments.html.as_deref().map(PendingPage::begin).transpose()?;
    let machine = scenario::machine_of(&arguments.machine(from))?;
    let advice = judged(&machine, Estimate::CountersOnly);
    let load = load_of(&machine, arguments)?;
    remark_left_out(&load.left_out);
    let axes = axes(&machine, &advice, (arguments, &load))?;
    let memory = possible(arguments, &load, memory_curve(&load.scenario))?;
    let (curve, _) = tried(arguments, &load, &[memory])?;
    let (answer, outcome) = tried(arguments, &load, &axes)?;
    let answer = whatif::priced(answer, &arguments.price);
    let steps = steps(arguments, from, &answer);
    let title = title(&machine);
    let advised = Advised {
        machine: &title,
        advice: &advice,
        curve: &curve,
        answer: &answer,
        outcome: &outcome,
        steps: &steps,
    };
    if let Some(page) = page {
        page.complete(&advise_html(&advised))?;
    }
    if arguments.json {
        output::print_json(&advise_json(&advised).context("failed to write JSON")?)?;
    } else {
        let options = output::text_options();
        output::print_page(&advise_text(&advised, &options, arguments.verbose))?;
    }
    if outcome.interrupted {
        output::remark("stopped early: only what finished was compared");
        return Ok(Exit::Failed);
    }
    Ok(Exit::Fine)
}

fn load_of(machine: &Machine, arguments: &AdviseArguments) -> Result<Load, Problem> {
    let named = Named { phases: &[], trace: arguments.trace.as_deref() };
    loads_of(machine, arguments.pool.as_deref(), (named, &arguments.experiment))
}

/// Returns what is tried for a machine.
fn axes(
    machine: &Machine,
    advice: &Advice,
    (arguments, load): (&AdviseArguments, &Load),
) -> Result<Vec<Axis>, Problem> {
    let usual = Usual {
        cache: ssd(&arguments.ssd)?,
        log: has_commits(machine).then(|| ssd(&arguments.log_ssd)).transpose()?,
        larger_arc: larger_arc(machine),
        settings: recommended(advice),
    };
    simulated(arguments, load, usual.axes(&load.scenario))
}

fn ssd(profile: &str) -> Result<Ssd, Problem> {
    Ssd::of_profile(profile, None).map_err(|error| Problem::Usage(anyhow!("{error}")))
}

/// Returns the parameters that findings recommend, those of one finding together.
fn recommended(advice: &Advice) -> Vec<Vec<(String, u64)>> {
    let remedies = advice.findings.iter().filter_map(|finding| finding.remedy.as_ref());
    let commands = remedies.flat_map(|remedy| &remedy.now);
    let groups = commands.filter_map(|command| {
        let settings = command.strip_prefix(APPLY)?.split_whitespace();
        settings.map(setting).collect::<Option<Vec<_>>>()
    });
    let mut groups: Vec<Vec<(String, u64)>> = groups.collect();
    groups.dedup();
    // More would double the combinations each, and the first findings matter most.
    groups.truncate(2);
    groups
}

fn setting(text: &str) -> Option<(String, u64)> {
    let (name, value) = text.split_once('=')?;
    lookup(name)?;
    let number = value.parse().ok();
    let value = number.or_else(|| Bytes::parse(value).ok().map(|bytes| bytes.0))?;
    Some((name.to_owned(), value))
}

/// Returns a curve over memory without what the engine cannot run, as an ARC below OpenZFS's least.
fn possible(arguments: &AdviseArguments, load: &Load, axis: Axis) -> Result<Axis, Problem> {
    let Axis::Memory(sizes) = axis else { return Ok(axis) };
    let mut kept = Vec::new();
    for size in sizes {
        match refusal(arguments, load, Axis::Memory(vec![size]))? {
            None => kept.push(size),
            Some(error) => output::remark(&format!("not tried: {size} of memory: {error}")),
        }
    }
    Ok(Axis::Memory(kept))
}

/// Returns the axes that the engine simulates, and says what it does not.
fn simulated(
    arguments: &AdviseArguments,
    load: &Load,
    axes: Vec<Axis>,
) -> Result<Vec<Axis>, Problem> {
    let mut kept = Vec::new();
    for axis in axes {
        match refusal(arguments, load, axis.clone())? {
            None => kept.push(axis),
            Some(error) => output::remark(&format!("not tried: {error}")),
        }
    }
    Ok(kept)
}

/// Returns why the engine does not run the load with a change; none where it does.
fn refusal(
    arguments: &AdviseArguments,
    load: &Load,
    axis: Axis,
) -> Result<Option<EngineError>, Problem> {
    let grids = grids([&load.scenario], load, &[axis])?;
    let Some(grid) = grids.first() else { return Ok(None) };
    let experiment = arguments.experiment.for_load(&load.doubts);
    let engine = engines::chosen(&experiment, &grid.scenario)?;
    Ok(engine.check(&grid.scenario).err())
}

fn grids<'a>(
    scenarios: impl IntoIterator<Item = &'a Scenario>,
    load: &Load,
    axes: &[Axis],
) -> Result<Vec<Grid>, Problem> {
    let grids = Grid::under_each(scenarios, &load.phases, axes);
    grids.map_err(|error| Problem::Failed(anyhow!(error)))
}

fn tried(
    arguments: &AdviseArguments,
    load: &Load,
    axes: &[Axis],
) -> Result<(WhatIf, Outcome), Problem> {
    let grids = grids(load.scenarios(), load, axes)?;
    let experiment = arguments.experiment.for_load(&load.doubts);
    let (answer, outcome) = whatif::tried(&grids, &experiment, arguments.hours_a_day)?;
    Ok((answer.with_doubts(load.doubts.clone()), outcome))
}

fn title(machine: &Machine) -> String {
    let zfs = machine.zfs_text.as_deref().unwrap_or("of unknown release");
    let memory = machine.memory.map_or_else(
        || "memory not read".to_owned(),
        |memory| format!("{} of memory", memory.total),
    );
    format!("OpenZFS {zfs}, {memory}: what is worth changing")
}

/// Returns what to do for the chosen combination, and how to see whether it came true.
fn steps(arguments: &AdviseArguments, from: Option<&Path>, answer: &WhatIf) -> Vec<AdvisedStep> {
    let from = from.filter(|from| *from != Path::new("live"));
    let from = from.map_or_else(String::new, |path| {
        format!(" --from {}", shell_word(&path.display().to_string()))
    });
    let chosen = answer.chosen();
    let mut steps: Vec<AdvisedStep> = Vec::new();
    for change in chosen.name.split(", ").filter(|_| chosen.changes > 0) {
        steps.push(step(change, (answer.rows.first(), chosen), (arguments, &from)));
    }
    if chosen.changes > 0 {
        steps.push(AdvisedStep {
            command: "arcwright record --for 7d".to_owned(),
            what:
                "afterwards: whether it came true; then arcwright advise --from the recording again"
                    .to_owned(),
        });
    }
    steps
}

fn step(
    change: &str,
    (base, chosen): (Option<&Row>, &Row),
    (arguments, from): (&AdviseArguments, &str),
) -> AdvisedStep {
    let plan = |profile: &str| format!("arcwright ssd plan{from} --profile {profile}");
    if change.starts_with("L2ARC") {
        let part = chosen.l2arc.saturating_sub(base.map_or(Bytes::ZERO, |base| base.l2arc));
        return AdvisedStep {
            command: plan(&arguments.ssd),
            what: format!(
                "what an SSD of {part} or more is best used for here, and the commands; with --device its own path"
            ),
        };
    }
    if change.starts_with("log on") {
        return AdvisedStep {
            command: plan(&arguments.log_ssd),
            what: "how large the log device is to be, its risks, and the commands".to_owned(),
        };
    }
    if change.ends_with("of memory") {
        let what =
            format!("install {change}; the ARC's limit grows with it unless zfs_arc_max is set");
        return AdvisedStep { command: String::new(), what };
    }
    AdvisedStep {
        command: format!("{APPLY}{}", change.replace(" with ", " ")),
        what: "takes effect at once; arcwright tune undo takes it back, tune persist makes it last"
            .to_owned(),
    }
}
