//! The plan: all uses with what they bring, the one to choose, what it needs, and what it risks.

use arcwright_scenario::{Kernel, Outcome};
use arcwright_units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::SsdError;
use crate::choice;
use crate::commands::Commands;
use crate::device::Ssd;
use crate::doubts::Doubts;
use crate::found::{OtherUse, Use, waiting};
use crate::line::Target;
use crate::log_size::LogSize;
use crate::pool::Redundancy;
use crate::risk;
use crate::trials::Trials;

/// Hours of a day.
const HOURS_A_DAY: f64 = 24.0;

/// What the SSDs should be.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SsdPlan {
    /// What the load is.
    pub load: String,
    /// The phases that count.
    pub phases: Vec<String>,
    /// The SSDs.
    pub ssds: Vec<Ssd>,
    /// What the pool survives.
    pub redundancy: Redundancy,
    /// Hours a day that the load goes on.
    pub hours_a_day: f64,
    /// What speaks against the load.
    #[serde(flatten)]
    pub doubts: Doubts,
    /// The uses that were tried; the first is none.
    pub uses: Vec<Use>,
    /// The number of the use to choose.
    pub choice: usize,
    /// How many other loads the counters of the machine fit as well; nothing where the load is known.
    pub other_loads: usize,
    /// What is better by one of those by a twentieth; absent where nothing is.
    pub better_by_another: Option<OtherUse>,
    /// Why, in sentences.
    pub reasons: Vec<String>,
    /// What is lost when an SSD of that use dies, in sentences.
    pub losses: Vec<String>,
    /// What was not tried, and why.
    pub not_tried: Vec<String>,
    /// How large a log has to be.
    pub log_size: LogSize,
    /// How much metadata the pool has; absent where nobody counted.
    pub metadata: Option<Bytes>,
}

impl SsdPlan {
    /// Returns the plan that an outcome of the trials gives, of a load that goes on for so many hours a day.
    ///
    /// # Errors
    /// [`SsdError::Unfinished`] where the pool as it is, or every use, did not end.
    pub fn of(trials: &Trials, outcome: &Outcome, hours_a_day: f64) -> Result<Self, SsdError> {
        let uses = trials.trials.iter().filter_map(|trial| Use::of(trials, trial, outcome));
        let mut uses: Vec<Use> = uses.collect();
        let base = uses.first().filter(|one| one.roles.count() == 0).ok_or(SsdError::Unfinished)?;
        if uses.len() < trials.trials.len().min(2) {
            return Err(SsdError::Unfinished);
        }
        let missing = trials.trials.iter().map(|trial| trial.roles.name());
        let missing = missing.filter(|name| uses.iter().all(|one| one.name != *name));
        let missing = missing.map(|name| format!("{name}: the run was stopped before"));
        let not_tried = trials.not_tried.iter().cloned().chain(missing).collect();
        let base = base.phases.clone();
        uses.iter_mut().for_each(|one| one.waiting_s = waiting(&one.phases, &base));
        let whole = uses.first().map(|one| one.waiting_s).unwrap_or_default();
        for one in uses.iter_mut().filter(|one| one.roles.count() > 0) {
            one.saved = if whole > 0.0 { (whole - one.waiting_s) / whole } else { 0.0 };
            let a_day = one.written_per_hour.0 as f64 * hours_a_day.clamp(0.0, HOURS_A_DAY);
            let lasting = trials.ssds.iter().map(|ssd| ssd.years(a_day));
            let shortest = lasting
                .min_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
            one.years = shortest.flatten().filter(|_| one.written_per_hour > Bytes::ZERO);
            one.refused = risk::refused(one.roles, &trials.ssds, trials.redundancy);
        }
        let choice = choice::chosen(&uses);
        let roles = uses.get(choice).map(|one| one.roles).unwrap_or_default();
        Ok(Self {
            load: trials.scenario.title.clone(),
            phases: trials.phases.clone(),
            reasons: choice::reasons(&uses, choice, hours_a_day),
            losses: risk::losses(roles, &trials.ssds, trials.redundancy),
            ssds: trials.ssds.clone(),
            redundancy: trials.redundancy,
            hours_a_day,
            doubts: Doubts::default(),
            other_loads: 0,
            better_by_another: None,
            not_tried,
            log_size: trials.log_size.clone(),
            metadata: trials.metadata,
            choice,
            uses,
        })
    }

    /// Returns the plan with what speaks against the load.
    #[must_use]
    pub fn with_doubts(self, doubts: Doubts) -> Self {
        Self { doubts, ..self }
    }

    /// Returns the use to choose.
    ///
    /// # Panics
    /// Never: a plan has at least the use of none.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "chosen among the uses, of which there is at least one"
    )]
    pub fn chosen(&self) -> &Use {
        &self.uses[self.choice]
    }

    /// Returns the commands that carry it out on a pool.
    #[must_use]
    pub fn commands(&self, pool: &str, kernel: Kernel, ashift: u8) -> Commands {
        let target = Target { pool: pool.to_owned(), kernel, ashift, redundancy: self.redundancy };
        let paths: Vec<Option<String>> = self.ssds.iter().map(|ssd| ssd.path.clone()).collect();
        let chosen = self.chosen();
        Commands::of(&target, chosen.roles, chosen.split, &paths)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use arcwright_model::Model;
    use arcwright_scenario::{Engine as _, Outcome, RunRequest, Scenario, Unwatched};

    use super::SsdPlan;
    use crate::trials::{SsdQuestion, Trials};
    use crate::{Ssd, SsdError};

    const FILE: &str = r#"
title = "A database"
system = { zfs = "2.3.2", memory = "4GiB", pool = { data = [{ mirror = ["2 x hdd-nas-7200"] }] } }
file = [{ name = "table", size = "64MiB" }]
phase = [{ name = "work", clients = [{ sync-write = "table", io = "16KiB", pattern = "random", amount = "4MiB" }] }]
"#;

    /// Returns trials of an SSD under a database that waits, and what the model found.
    pub(crate) fn database() -> (Trials, Outcome) {
        let question = SsdQuestion {
            scenario: Scenario::parse(FILE, "database.toml").unwrap(),
            arm: None,
            ssds: vec![Ssd::of_profile("nvme-plp", None).unwrap()],
            phases: Vec::new(),
            special: None,
            waits_are_known: true,
        };
        let trials = Trials::of(question).unwrap();
        let request = RunRequest { scenario: trials.scenario.clone(), repeats: 1 };
        let outcome = Model::default().run(&request, &mut Unwatched).unwrap();
        (trials, outcome)
    }

    #[test]
    fn a_run_that_was_stopped_says_nothing_of_what_did_not_end() {
        let (trials, mut outcome) = database();
        let plan = SsdPlan::of(&trials, &outcome, 1.0).unwrap();
        assert_eq!(plan.chosen().name, "log");
        outcome.arms.truncate(1);
        assert_eq!(SsdPlan::of(&trials, &outcome, 1.0).unwrap_err(), SsdError::Unfinished);
        outcome.arms.clear();
        assert_eq!(SsdPlan::of(&trials, &outcome, 1.0).unwrap_err(), SsdError::Unfinished);
    }
}
