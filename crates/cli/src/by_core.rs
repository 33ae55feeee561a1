//! The model with every core at work: arms do not know of each other, so each may run on its own.
//!
//! As many arms run as there are cores, until no more than twice as many are left: those run all at once
//! and share the cores, so that none is idle while the last arm goes on. With three arms of a second each,
//! two cores are done after one and a half.

use std::sync::mpsc;
use std::time::Duration;

use arcwright_model::Model;
use arcwright_scenario::{
    Arm, Engine, EngineError, Event, Outcome, RunRequest, Scenario, Unwatched, Watch,
};

/// How often the user's wish to stop is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How many arms for each core share it at the end.
const LAST_PER_CORE: usize = 2;

/// The model on all cores. What comes out is what one core would have made.
#[derive(Debug)]
pub(crate) struct ByCore(pub(crate) Model);

/// The number of an arm, and what came of it.
type Part = (usize, Result<Outcome, EngineError>);

impl Engine for ByCore {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn check(&self, scenario: &Scenario) -> Result<(), EngineError> {
        self.0.check(scenario)
    }

    fn run(&mut self, request: &RunRequest, watch: &mut dyn Watch) -> Result<Outcome, EngineError> {
        self.check(&request.scenario)?;
        let arms = request.scenario.arms.len();
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        // Who follows the counters follows one arm after the other.
        if arms < 2 || cores < 2 || watch.reading_every().is_some() {
            return self.0.run(request, watch);
        }
        put_together(request, run_all(&self.0, request, cores, watch))
    }
}

/// Runs all arms, telling the user and listening to them meanwhile; returns what came of them in order.
fn run_all(model: &Model, request: &RunRequest, cores: usize, watch: &mut dyn Watch) -> Vec<Part> {
    let arms = request.scenario.arms.len();
    let mut parts: Vec<Part> = Vec::new();
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let mut waiting = request.scenario.arms.iter().enumerate();
        let mut begun = Vec::new();
        loop {
            let free = at_once(arms - parts.len(), cores).saturating_sub(begun.len() - parts.len());
            let stop = watch.stop();
            for (number, arm) in waiting.by_ref().take(if stop { 0 } else { free }) {
                let (sender, model) = (sender.clone(), model.clone());
                // The receiver lives longer than the thread.
                let work = move || sender.send((number, run_one(model, request, arm))).is_ok();
                begun.push(scope.spawn(work));
            }
            if parts.len() == begun.len() {
                break;
            }
            // A thread that ended without a word has panicked, of which the scope tells.
            let are_over = begun.iter().all(std::thread::ScopedJoinHandle::is_finished);
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(part) => {
                    parts.push(part);
                    let (done, total) = (parts.len() as u64, arms as u64);
                    watch.event(Event::Progress { done, total, left: None });
                }
                Err(_) if are_over => break,
                Err(_) => {}
            }
        }
    });
    parts.sort_by_key(|(number, _)| *number);
    parts
}

/// Returns how many arms run at once when `left` have not ended.
fn at_once(left: usize, cores: usize) -> usize {
    if left <= cores * LAST_PER_CORE { left } else { cores }
}

fn run_one(mut model: Model, request: &RunRequest, arm: &Arm) -> Result<Outcome, EngineError> {
    let scenario = request.scenario.alone(arm);
    model.run(&RunRequest { scenario, repeats: request.repeats }, &mut Unwatched)
}

fn put_together(request: &RunRequest, parts: Vec<Part>) -> Result<Outcome, EngineError> {
    let arms = request.scenario.arms.len();
    let mut whole: Option<Outcome> = None;
    for (_, part) in parts {
        let part = part?;
        match &mut whole {
            Some(whole) => whole.arms.extend(part.arms),
            None => whole = Some(part),
        }
    }
    let stopped =
        EngineError::Failed { what: "stopped before any arm ended".to_owned(), hint: None };
    let mut whole = whole.ok_or(stopped)?;
    whole.scenario = request.scenario.clone();
    whole.interrupted = whole.arms.len() < arms;
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use arcwright_model::Model;
    use arcwright_scenario::{Engine as _, RunRequest, Scenario, Unwatched};

    use super::{ByCore, at_once};

    #[test]
    fn the_last_arms_share_the_cores() {
        let of_two = [7, 5, 4, 3, 1].map(|left| at_once(left, 2));
        assert_eq!(of_two, [2, 2, 4, 3, 1]);
        assert_eq!([33, 32].map(|left| at_once(left, 16)), [16, 32]);
    }

    #[test]
    fn all_cores_make_what_one_makes() {
        let text = include_str!("../../../scenarios/steam-library.toml");
        let scenario = Scenario::parse(text, "steam-library.toml").unwrap();
        let request = RunRequest { scenario, repeats: 1 };
        let model = Model { scale: Some(32), ..Model::default() };
        let one = model.clone().run(&request, &mut Unwatched).unwrap();
        let all = ByCore(model).run(&request, &mut Unwatched).unwrap();
        assert_eq!(all, one);
    }
}
