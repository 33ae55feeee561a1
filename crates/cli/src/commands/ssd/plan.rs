//! `arcwright ssd plan`: what an SSD should be for a pool.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use arcwright_host::plain::read_text;
use arcwright_machine::{Drive, Machine, Pool};
use arcwright_report::{ssd_json, ssd_text};
use arcwright_scenario::{Outcome, PROFILE_BYTES_MAX, RunRequest, Scenario, is_path};
use arcwright_ssd::{Blocks, Doubts, Ssd, SsdError, SsdPlan, SsdQuestion, Trials};
use arcwright_units::{Bytes, visible, visible_path};

use super::apply;
use crate::arguments::SsdPlanArguments;
use crate::commands::loads::{
    HOURS_OF_MACHINE, HOURS_OF_SCENARIO, Load, Named, loads_of, remark_left_out, scenario_load,
};
use crate::commands::{run, scenario};
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// No statistics of blocks are longer.
const BLOCKS_BYTES_MAX: u64 = 1 << 20;
/// What commands call a pool whose name is not known.
const UNNAMED: &str = "POOL";
/// The sector that SSDs have, whatever they say (log2).
const ASHIFT: u8 = 12;

/// What a plan is for.
struct Subject {
    scenario: Scenario,
    ssds: Vec<Ssd>,
    pool: String,
    hours: f64,
    ashift: u8,
    waits_are_known: bool,
    /// What speaks against the load.
    doubts: Doubts,
    phases: Vec<String>,
    /// The same machine with other loads that its counters do not tell from that.
    others: Vec<Scenario>,
}

pub(super) fn plan(arguments: &SsdPlanArguments) -> Result<Exit, Problem> {
    if arguments.apply {
        apply::check(arguments)?;
    }
    let special = arguments.blocks.as_deref().map(metadata).transpose()?;
    let subject = match &arguments.scenario {
        Some(path) => of_scenario(path, arguments)?,
        None => of_machine(arguments)?,
    };
    let Subject { scenario, ssds, pool, hours, ashift, waits_are_known, doubts, phases, others } =
        subject;
    let kernel = scenario.system.os;
    let hours = arguments.hours_a_day.unwrap_or(hours);
    let experiment = arguments.experiment.for_load(&doubts);
    let question = SsdQuestion { scenario, arm: None, ssds, phases, special, waits_are_known };
    let tried = |question: SsdQuestion| -> Result<(SsdPlan, Outcome), Problem> {
        let trials = Trials::of(question).map_err(usage)?;
        let request = RunRequest { scenario: trials.scenario.clone(), repeats: 1 };
        let outcome = run::outcome_of(&experiment, &request, None)?;
        let plan = SsdPlan::of(&trials, &outcome, hours);
        Ok((plan.map_err(|error| Problem::Failed(anyhow!(error)))?, outcome))
    };
    let (plan, outcome) = tried(question.clone())?;
    let mut also = Vec::new();
    for scenario in others {
        // Ctrl-C ends the first; nobody waits for more then.
        if !outcome.interrupted {
            also.push(tried(SsdQuestion { scenario, ..question.clone() })?.0);
        }
    }
    let plan = plan.with_doubts(doubts).with_others(&also);
    let commands = plan.commands(&pool, kernel, ashift);
    if arguments.json {
        let json =
            ssd_json(&plan, &commands, &outcome).context("failed to write the plan as JSON")?;
        output::print_json(&json)?;
    } else {
        let options = output::text_options();
        output::print_page(&ssd_text(&plan, &commands, &outcome, &options))?;
    }
    if outcome.interrupted {
        output::remark("stopped early: the plan compares only what finished");
        return Ok(Exit::Failed);
    }
    match arguments.apply {
        true => apply::apply(&plan, &commands, &pool),
        false => Ok(Exit::Fine),
    }
}

/// Returns pool and load of a scenario, with SSDs by their profiles.
fn of_scenario(path: &Path, arguments: &SsdPlanArguments) -> Result<Subject, Problem> {
    let named = Named { phases: &arguments.phases, trace: arguments.trace.as_deref() };
    let Load { scenario, also, phases, doubts, waits_are_known, .. } =
        scenario_load(path, named, &arguments.experiment)?;
    let ssds = of_profiles(arguments)?;
    let pool = arguments.machine.pool.clone().unwrap_or_else(|| UNNAMED.to_owned());
    let ashift = scenario.system.pool.ashift.max(ASHIFT);
    Ok(Subject {
        scenario,
        ssds,
        pool,
        hours: HOURS_OF_SCENARIO,
        ashift,
        waits_are_known,
        doubts,
        phases,
        others: also,
    })
}

/// Returns a machine's pool with the load that its counters tell, and SSDs of it or by their profiles.
fn of_machine(arguments: &SsdPlanArguments) -> Result<Subject, Problem> {
    let given = arguments.devices.len() + arguments.profiles.len();
    if given == 0 {
        return Err(usage(SsdError::HowMany { count: 0 }));
    }
    let machine = scenario::machine_of(&arguments.machine)?;
    let devices = arguments.devices.iter().map(|name| of_device(&machine, name));
    let mut ssds = devices.collect::<Result<Vec<Ssd>, _>>()?;
    ssds.extend(of_profiles(arguments)?);
    let wanted = arguments.machine.pool.as_deref();
    let named = Named { phases: &arguments.phases, trace: arguments.trace.as_deref() };
    let load = loads_of(&machine, wanted, (named, &arguments.experiment))?;
    let Load { scenario, also, phases, doubts, waits_are_known, left_out } = load;
    remark_left_out(&left_out);
    let named =
        |pool: &&Pool| arguments.machine.pool.as_ref().is_none_or(|name| *name == pool.name);
    let pool = machine.pools.iter().find(named);
    let name = pool.map_or_else(|| UNNAMED.to_owned(), |pool| pool.name.clone());
    let ashift = pool.and_then(|pool| u8::try_from(pool.number("ashift")?).ok());
    Ok(Subject {
        scenario,
        ssds,
        pool: name,
        hours: HOURS_OF_MACHINE,
        ashift: ashift.unwrap_or(ASHIFT).clamp(ASHIFT, 16),
        waits_are_known,
        doubts,
        phases,
        others: also,
    })
}

fn of_profiles(arguments: &SsdPlanArguments) -> Result<Vec<Ssd>, Problem> {
    let one = |name: &String| {
        if !is_path(name) {
            return Ssd::of_profile(name, arguments.size).map_err(usage);
        }
        let text = read_text(Path::new(name), PROFILE_BYTES_MAX as u64);
        let text = text.with_context(|| format!("failed to read {}", visible(name)))?;
        Ssd::of_file(name, &text, arguments.size).map_err(usage)
    };
    arguments.profiles.iter().map(one).collect()
}

/// Returns what is known of a drive of the machine; one that a pool has already is refused.
fn of_device(machine: &Machine, name: &str) -> Result<Ssd, Problem> {
    let shown = visible(name);
    let drive = machine.drive_of(name).ok_or_else(|| {
        let known: Vec<&str> = machine.drives.iter().map(|drive| drive.name.as_str()).collect();
        let known = if known.is_empty() { "none was read".to_owned() } else { known.join(", ") };
        Problem::Usage(anyhow!("there is no drive {shown} in what was read; drives: {known}"))
    })?;
    let mut pools = machine.pools.iter().flat_map(|pool| {
        let leaves = pool.vdevs.iter().flat_map(|vdev| vdev.leaves());
        leaves.map(move |leaf| (pool, leaf))
    });
    let user = pools.find(|(_, leaf)| machine.drive_of(&leaf.name) == Some(drive));
    if let Some((pool, leaf)) = user {
        let (pool, leaf) = (visible(&pool.name), visible(&leaf.name));
        return Err(Problem::Usage(anyhow!("{shown} is in use: pool {pool} has it as {leaf}")));
    }
    Ssd::of_drive(drive, name, path_of(drive, name)).map_err(usage)
}

/// Returns how commands name a drive: by a link that names model and serial number, where there is one.
fn path_of(drive: &Drive, name: &str) -> String {
    let by_id = drive.links.iter().filter(|link| link.starts_with("/dev/disk/by-id/"));
    let whole = by_id.filter(|link| !link.contains("-part"));
    // Numbers that only a controller knows (wwn-…, nvme-eui…) say less to a reader.
    let speaks = |link: &&String| !link.contains("/wwn-") && !link.contains("/nvme-eui");
    let mut links: Vec<&String> = whole.collect();
    links.sort_by_key(|link| (!speaks(link), link.len()));
    links.first().map_or_else(
        || if name.starts_with('/') { name.to_owned() } else { format!("/dev/{name}") },
        |link| (*link).clone(),
    )
}

/// Returns how much metadata a pool has, by what zdb printed.
fn metadata(path: &Path) -> Result<Bytes, Problem> {
    let shown = visible_path(path);
    let text =
        read_text(path, BLOCKS_BYTES_MAX).with_context(|| format!("failed to read {shown}"))?;
    let blocks =
        Blocks::parse(&text).map_err(|error| Problem::Failed(anyhow!("{shown}: {error}")))?;
    Ok(blocks.metadata)
}

fn usage(error: SsdError) -> Problem {
    Problem::Usage(anyhow!("{error}"))
}
