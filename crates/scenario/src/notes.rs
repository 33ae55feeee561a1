//! What a reader of a result should know of the experiment itself.

use crate::experiment::Scenario;
use crate::outcome::Outcome;

impl Outcome {
    /// Adds what was taken without effect, what changes nothing, and which caches and links the result depends on.
    pub fn add_notes_on(&mut self, scenario: &Scenario) {
        self.notes.extend(scenario.notes.iter().cloned());
        self.notes.extend(scenario.without_effect());
        let seen = [self.never_full(), self.not_warm(), self.full_links()];
        self.notes.extend(seen.into_iter().flatten());
    }
}
