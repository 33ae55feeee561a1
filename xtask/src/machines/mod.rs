//! `cargo xtask machines`: the model against published measurements of real machines.
//!
//! ```text
//!   fidelity/machines/NAME.toml          a machine: arms, phases, [reported]    ┐
//!   fidelity/machines/NAME/*.toml        one in several layouts of its pool     ┴─> model ─> MACHINES.md, machines.json
//! ```
//!
//! Lab and model share device and processor profiles, so that their agreement says nothing about real
//! machines; this does. Nothing is fitted on it: what a source does not tell is assumed before the first
//! run, and stays. An arm is compared with the first that has a figure of the same phase.

mod compare;
mod page;
mod read;
mod reasons;

use anyhow::Context as _;
use arcwright_model::Model;
use arcwright_scenario::{ArmOutcome, Engine as _, RunRequest, Scenario, Unwatched};

use crate::parallel;
use compare::{Measured, Sums};
use read::Machine;

/// Writes the page and its sums; with a part of a name only prints those machines' tables.
pub(crate) fn run(show: Option<&str>) -> anyhow::Result<()> {
    let mut machines = read::all()?;
    machines.retain(|machine| show.is_none_or(|part| machine.name.contains(part)));
    let measured = measure(&machines)?;
    if show.is_some() {
        measured.iter().for_each(|machine| print!("{}", page::machine(machine)));
        return Ok(());
    }
    let folder = crate::root().join("fidelity");
    let sums = Sums::of(&measured);
    let text = serde_json::to_string_pretty(&sums)? + "\n";
    std::fs::write(folder.join("machines.json"), &text).context("failed to write the sums")?;
    print!("{}", page::sentence(&sums));
    std::fs::write(folder.join("MACHINES.md"), page::page(&measured, &sums))
        .context("failed to write the page")
}

/// Runs every arm of every machine on the model, on all cores.
fn measure(machines: &[Machine]) -> anyhow::Result<Vec<Measured<'_>>> {
    let mut runs = Vec::new();
    for machine in machines {
        for scenario in &machine.layouts {
            runs.extend(scenario.arms.iter().map(|arm| (machine, scenario.alone(arm))));
        }
    }
    let outcomes = parallel::map(&runs, |(machine, scenario)| {
        outcome(scenario).with_context(|| format!("failed to run {}", machine.name))
    });
    let mut arms = runs.iter().zip(outcomes);
    machines
        .iter()
        .map(|machine| {
            let count = machine.layouts.iter().map(|scenario| scenario.arms.len()).sum();
            let of_machine = arms.by_ref().take(count);
            let found: anyhow::Result<Vec<ArmOutcome>> =
                of_machine.map(|(_, outcome)| outcome).collect();
            Measured::new(machine, &found?)
        })
        .collect()
}

/// Runs one arm on its own version, at the scale that the file states.
fn outcome(scenario: &Scenario) -> anyhow::Result<ArmOutcome> {
    let mut model = Model { scale: Some(scenario.lab.scale), ..Model::default() };
    let request = RunRequest { scenario: scenario.clone(), repeats: 1 };
    let outcome = model.run(&request, &mut Unwatched)?;
    outcome.arms.into_iter().next().context("the model returned no arm")
}

#[cfg(test)]
mod tests {
    use super::compare::Sums;
    use super::{measure, read, reasons};

    #[test]
    fn every_machine_is_linked_and_has_figures() {
        let machines = read::all().unwrap();
        assert!(machines.len() >= 12, "{}", machines.len());
        for machine in &machines {
            assert!(machine.link.starts_with("https://"), "{}", machine.name);
            for scenario in &machine.layouts {
                let reported = scenario.reported.as_ref();
                assert!(reported.is_some_and(|it| !it.figures.is_empty()), "{}", machine.name);
            }
        }
        for (name, _) in reasons::MISSES {
            assert!(machines.iter().any(|machine| machine.name == name), "{name}");
        }
    }

    /// Machines that take longer than a test may, most of them because NVMe is fast.
    const LONG: [&str; 5] = ["random-", "nvme-", "iscsi-l2arc", "disks-", "pgbench"];

    /// The committed counts are what the model gives today, or worse: then they are to be renewed.
    #[test]
    fn no_machine_gets_worse() {
        let path = crate::root().join("fidelity/machines.json");
        let committed: Sums =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut machines = read::all().unwrap();
        assert_eq!(committed.machines, machines.len());
        machines.retain(|machine| !LONG.iter().any(|part| machine.name.starts_with(part)));
        for now in Sums::of(&measure(&machines).unwrap()).each {
            let before = committed.each.iter().find(|of| of.name == now.name).unwrap();
            assert_eq!(now.ratios, before.ratios, "{}", now.name);
            let is_worse = now.within_20_pct < before.within_20_pct
                || now.directions_right < before.directions_right;
            assert!(!is_worse, "{now:?} {before:?}");
        }
    }
}
