//! The model with every core at work: arms do not know of each other, so each may run on its own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use arcwright_model::Model;
use arcwright_scenario::{
    Engine, EngineError, Event, Outcome, RunRequest, Scenario, Unwatched, Watch,
};

/// How often the user's wish to stop is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The model, one arm per core at a time. What comes out is what one core would have made.
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
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let parts = std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..cores.min(arms) {
                let (sender, mut model) = (sender.clone(), self.0.clone());
                let (next, stop) = (&next, &stop);
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(arm) = request.scenario.arms.get(number) else { return };
                        if stop.load(Ordering::Relaxed) {
                            return;
                        }
                        let arms = vec![arm.clone()];
                        let scenario = Scenario { arms, ..request.scenario.clone() };
                        let one = RunRequest { scenario, repeats: request.repeats };
                        // The receiver lives until all senders are gone.
                        let _sent = sender.send((number, model.run(&one, &mut Unwatched)));
                    }
                });
            }
            drop(sender);
            collected(&receiver, &stop, arms, watch)
        });
        put_together(request, parts)
    }
}

/// Takes in what the cores have made, telling the user and listening to them meanwhile.
fn collected(
    receiver: &Receiver<Part>,
    stop: &AtomicBool,
    arms: usize,
    watch: &mut dyn Watch,
) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    loop {
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok(part) => {
                parts.push(part);
                let (done, total) = (parts.len() as u64, arms as u64);
                watch.event(Event::Progress { done, total, left: None });
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
        if watch.stop() {
            stop.store(true, Ordering::Relaxed);
        }
    }
    parts.sort_by_key(|(number, _)| *number);
    parts
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

    use super::ByCore;

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
