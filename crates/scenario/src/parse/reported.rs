//! The figures of a field report.

use super::tree::{Kind, Node};
use crate::error::{Checked, Fault};
use crate::experiment::{Arm, Phase};
use crate::reported::{Figure, Reported};

/// Reads `[reported]`; every arm and phase in it must be there.
pub(crate) fn read(node: &Node, arms: &[Arm], phases: &[Phase]) -> Checked<Reported> {
    let Kind::Table(entries) = &node.kind else { return Err(node.wrong("a table")) };
    let Some(unit) = entries.iter().find(|entry| entry.name == "unit") else {
        let fault = node.fault("[reported] lacks “unit”");
        return Err(fault.help("write for example unit = \"MiB/s\""));
    };
    let arm_names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    let phase_names: Vec<&str> = phases.iter().map(|phase| phase.name.as_str()).collect();
    let mut figures = Vec::new();
    for arm in entries.iter().filter(|entry| entry.name != "unit") {
        known(arm, &arm_names, "arm")?;
        let Kind::Table(cells) = &arm.kind else {
            let fault = arm.wrong("a table of phases");
            return Err(fault.help(format!("write \"{}\" = {{ \"first read\" = 324 }}", arm.name)));
        };
        for cell in cells {
            known(cell, &phase_names, "phase")?;
            let value = cell.number()?;
            if value < 0.0 {
                return Err(cell.must("not be negative"));
            }
            figures.push(Figure { arm: arm.name.clone(), phase: cell.name.clone(), value });
        }
    }
    Ok(Reported { unit: unit.name_text()?.to_owned(), figures })
}

fn known(entry: &Node, names: &[&str], what: &str) -> Checked<()> {
    let name = entry.name.as_str();
    if names.contains(&name) {
        return Ok(());
    }
    let message = format!("[reported] has a figure for “{name}”, but no {what} has that name");
    Err(Fault::at(&entry.key_span, message).nearest(name, names))
}
