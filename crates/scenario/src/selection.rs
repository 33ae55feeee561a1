//! Fewer arms than the file has.

use arcwright_units::nearest;
use thiserror::Error;

use crate::experiment::{Arm, Scenario};

/// An arm that was asked for and is not there.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no arm “{name}” in the scenario; {}", hint(.nearest.as_deref(), .known))]
pub struct UnknownArm {
    /// What was asked for.
    pub name: String,
    /// The arm that was perhaps meant.
    pub nearest: Option<String>,
    /// The arms there are.
    pub known: Vec<String>,
}

fn hint(nearest: Option<&str>, known: &[String]) -> String {
    let known: Vec<String> = known.iter().map(|name| format!("“{name}”")).collect();
    let known = format!("its arms are {}", known.join(", "));
    nearest.map_or(known, |name| format!("did you mean “{name}”?"))
}

impl Scenario {
    /// Returns the experiment with this arm alone.
    #[must_use]
    pub fn alone(&self, arm: &Arm) -> Self {
        Self {
            title: self.title.clone(),
            question: self.question.clone(),
            seed: self.seed,
            system: self.system.clone(),
            // Of a thousand arms one is copied, not all.
            arms: vec![arm.clone()],
            files: self.files.clone(),
            trees: self.trees.clone(),
            phases: self.phases.clone(),
            reported: self.reported.clone(),
            answers: self.answers.clone(),
            lab: self.lab.clone(),
            notes: self.notes.clone(),
        }
    }

    /// Returns the experiment with only the arms named, in file order; all when none is named.
    ///
    /// # Errors
    /// [`UnknownArm`] for the first name that no arm has.
    pub fn retain_arms(mut self, names: &[String]) -> Result<Self, UnknownArm> {
        let known: Vec<&str> = self.arms.iter().map(|arm| arm.name.as_str()).collect();
        if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(UnknownArm {
                name: name.clone(),
                nearest: nearest(name, known.iter().copied()).map(str::to_owned),
                known: known.iter().map(|&name| name.to_owned()).collect(),
            });
        }
        self.arms.retain(|arm| names.is_empty() || names.contains(&arm.name));
        Ok(self)
    }
}
