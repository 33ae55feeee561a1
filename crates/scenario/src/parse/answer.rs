//! The sentences that answer the question of a scenario.

use super::section::Section;
use super::tree::Node;
use crate::answer::{Answer, Measure, Place};
use crate::error::Checked;
use crate::experiment::{Arm, Phase};

const KEYS: [&str; 10] = [
    "measure",
    "arm",
    "phase",
    "against",
    "against_phase",
    "alike",
    "say",
    "better",
    "same",
    "worse",
];
/// Differences that are none, where the file does not say.
const ALIKE: f64 = 0.05;
/// What a sentence may ask for.
const FIGURES: [&str; 4] = ["here", "there", "times", "change"];

/// Reads every `[[answer]]`.
pub(crate) fn read(nodes: &[Node], arms: &[Arm], phases: &[Phase]) -> Checked<Vec<Answer>> {
    nodes.iter().map(|node| answer(node, arms, phases)).collect()
}

fn answer(node: &Node, arms: &[Arm], phases: &[Phase]) -> Checked<Answer> {
    let section = node.section("[[answer]]", &KEYS)?;
    let arm_node = section.need("arm", "arm = \"dumb LRU\"")?;
    let arm = known(arm_node, arms.iter().map(|arm| arm.name.as_str()), "arm")?;
    let phase_node = section.need("phase", "phase = \"second read\"")?;
    let phase_names = || phases.iter().map(|phase| phase.name.as_str());
    let phase = known(phase_node, phase_names(), "phase")?;
    let names = || arms.iter().map(|arm| arm.name.as_str());
    let other_arm = section.maybe("against", |node| known(node, names(), "arm"))?;
    let other_phase = section.maybe("against_phase", |node| known(node, phase_names(), "phase"))?;
    let is_comparison = other_arm.is_some() || other_phase.is_some();
    let against = is_comparison.then(|| Place {
        arm: other_arm.unwrap_or_else(|| arm.clone()),
        phase: other_phase.unwrap_or_else(|| phase.clone()),
    });
    let place = Place { arm, phase };
    if against.as_ref() == Some(&place) {
        return Err(node.fault("an answer must compare two different places"));
    }
    let [better, same, worse] = sentences(&section, is_comparison)?;
    let measure = section.maybe("measure", |node| node.choice(&Measure::NAMES))?;
    let alike = section.maybe("alike", share)?.unwrap_or(ALIKE);
    Ok(Answer { measure: measure.unwrap_or_default(), place, against, alike, better, same, worse })
}

/// Reads a share: the differences that are none.
fn share(node: &Node) -> Checked<f64> {
    match node.number() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(node.must("be a share from 0 to 1, for example 0.05")),
    }
}

/// Reads what is said when the place does better, alike and worse.
fn sentences(section: &Section<'_>, is_comparison: bool) -> Checked<[String; 3]> {
    if !is_comparison {
        let say = section.need("say", "say = \"the log never held more than {here}\"")?;
        let text = sentence(say, &["here"])?;
        return Ok([text.clone(), text.clone(), text]);
    }
    let one = |key: &str| {
        let example = format!("{key} = \"…: {{here}} instead of {{there}}\"");
        sentence(section.need(key, &example)?, &FIGURES)
    };
    Ok([one("better")?, one("same")?, one("worse")?])
}

/// Reads a sentence and checks the figures it asks for.
fn sentence(node: &Node, figures: &[&str]) -> Checked<String> {
    let text = node.name_text()?;
    for part in text.split('{').skip(1) {
        let name = part.split('}').next().unwrap_or_default();
        if !figures.contains(&name) {
            let fault = node.fault(format!("the sentence has an unknown placeholder {{{name}}}"));
            return Err(fault.nearest(name, figures));
        }
    }
    Ok(text.to_owned())
}

fn known<'a>(node: &Node, names: impl Iterator<Item = &'a str>, what: &str) -> Checked<String> {
    let name = node.name_text()?;
    let names: Vec<&str> = names.collect();
    if names.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(node.fault(format!("no {what} is called “{name}”")).nearest(name, &names))
}
