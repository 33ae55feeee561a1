//! `arcwright ssd plan --apply` and `arcwright ssd undo`: what writes to a drive.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use arcwright_host::ssd::{
    RecordedPart, SsdHostError, SsdRequest, State, apply as add, load, look, undo as take_back,
};
use arcwright_host::tune::{Root, System};
use arcwright_ssd::{Commands, SsdPlan};
use arcwright_units::{Bytes, visible};

use crate::arguments::{SsdPlanArguments, SsdUndoArguments};
use crate::commands::tune::why;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Refuses what cannot be carried out, before anything is looked at.
pub(super) fn check(arguments: &SsdPlanArguments) -> Result<(), Problem> {
    let usage = |what: String| Err(Problem::Usage(anyhow!(what)));
    if !cfg!(target_os = "linux") {
        return usage("--apply is for Linux; copy the commands of the plan".to_owned());
    }
    if arguments.machine.from.as_deref().is_some_and(|from| from != Path::new("live")) {
        return usage(
            "--apply is for this machine; copy the commands of the plan there".to_owned(),
        );
    }
    let named = |device: &&String| !arguments.confirm.contains(device);
    if let Some(device) = arguments.devices.iter().find(named) {
        let device = visible(device);
        return usage(format!(
            "{device} is written to only when it is named again: --confirm {device}"
        ));
    }
    if let Some(other) = arguments.confirm.iter().find(|name| !arguments.devices.contains(name)) {
        return usage(format!("--confirm {} names no --device of this plan", visible(other)));
    }
    // Before minutes go by: it is looked at once more before anything is written.
    for device in &arguments.devices {
        let path = if device.starts_with('/') { device.clone() } else { format!("/dev/{device}") };
        look(&path).map_err(failed)?;
    }
    Ok(())
}

/// Carries a plan out.
pub(super) fn apply(plan: &SsdPlan, commands: &Commands, pool: &str) -> Result<Exit, Problem> {
    let chosen = plan.chosen();
    if chosen.roles.count() == 0 {
        output::print("\nNothing to do: the SSD stays as it is.\n")?;
        return Ok(Exit::Fine);
    }
    if chosen.roles.special && (plan.redundancy.has_raidz || !plan.doubts.apart.is_empty()) {
        let why = match plan.redundancy.has_raidz {
            true => "beside raidz a special vdev can never be removed again",
            false => "the model does not count what the machine counted",
        };
        let what = format!("a special vdev is not added here: {why}; the commands are above");
        return Err(Problem::Failed(anyhow!(what)));
    }
    let drives = plan.ssds.iter().map(|ssd| Some((ssd.path.clone()?, ssd.size.0)));
    let drives = drives.collect::<Option<Vec<_>>>().context("an SSD has no path")?;
    let parts = commands
        .partitions
        .iter()
        .map(|part| RecordedPart { role: part.role.clone(), partitions: part.partitions.clone() });
    let request = SsdRequest {
        pool: pool.to_owned(),
        drives,
        make: commands.make.iter().map(|line| line.command.clone()).collect(),
        parts: parts.collect(),
    };
    let done = add(&Root::machine(), &System, &request, &why("ssd plan")).map_err(failed)?;
    let mut text = format!("\nDone: pool {} has\n", visible(&done.pool));
    text.push_str(&listed(&done.parts));
    text.push_str("Take it back with arcwright ssd undo.\n");
    output::print(&text)?;
    Ok(Exit::Fine)
}

/// Takes the SSDs that were added last out again, or says what that would be.
pub(super) fn undo(arguments: &SsdUndoArguments) -> Result<Exit, Problem> {
    let root = Root::machine();
    if !arguments.yes {
        let all = load(&root).map_err(failed)?;
        let last = all.iter().rfind(|one| one.state != State::Undone);
        let last = last.ok_or_else(|| failed(SsdHostError::Nothing))?;
        let mut text = format!("Would take out of pool {}:\n", visible(&last.pool));
        text.push_str(&listed(&last.parts));
        text.push_str("and clear\n");
        let drives = last.drives.iter();
        text.extend(
            drives.map(|(drive, bytes)| format!("  {} ({})\n", visible(drive), Bytes(*bytes))),
        );
        text.push_str("Do it with arcwright ssd undo --yes.\n");
        output::print(&text)?;
        return Ok(Exit::Fine);
    }
    let undone = take_back(&root, &System).map_err(failed)?;
    let mut text = format!("Taken out of pool {}:\n", visible(&undone.pool));
    text.push_str(&listed(&undone.parts));
    let drives = undone.drives.iter();
    text.extend(drives.map(|(drive, _)| format!("{} is empty again.\n", visible(drive))));
    output::print(&text)?;
    Ok(Exit::Fine)
}

fn listed(parts: &[RecordedPart]) -> String {
    let line = |part: &RecordedPart| {
        format!("  {}: {}\n", part.role, visible(&part.partitions.join(", ")))
    };
    parts.iter().map(line).collect()
}

fn failed(error: SsdHostError) -> Problem {
    Problem::Failed(anyhow!(error))
}
