//! The model with every core at work: arms do not know of each other, so each may run on its own.
//!
//! As many arms run as there are cores, until no more than twice as many are left: those run all at once
//! and share the cores, so that none is idle while the last arm goes on. With three arms of a second each,
//! two cores are done after one and a half. Who follows the counters follows one arm after the other.
//!
//! An arm may take minutes and be in the middle of anything. Whoever asks for an end has it within a
//! second: what arms have ended by then is kept, the others are left to end with the program. Hence threads of their
//! own: scoped threads, and those of a pool, would be waited for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arcwright_model::{Model, Need};
use arcwright_scenario::{
    Arm, Engine, EngineError, Event, Outcome, RunRequest, Scenario, Unwatched, Watch,
};
use arcwright_units::{Bytes, Nanos};

/// How often the user's wish to stop is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long an arm may take to end once an end was asked for.
const PATIENCE: Duration = Duration::from_millis(300);
/// Readings on their way to whoever follows them.
const ON_THE_WAY: usize = 16;
/// How many arms for each core share it at the end.
const LAST_PER_CORE: usize = 2;

/// The model on all cores. What comes out is what one core would have made.
#[derive(Debug)]
pub(crate) struct Parallel {
    pub(crate) model: Model,
    /// Memory that all arms which run at once may take.
    pub(crate) memory_max: Bytes,
}

/// The number of an arm, and what came of it.
type Part = (usize, Result<Outcome, EngineError>);

impl Engine for Parallel {
    fn name(&self) -> &'static str {
        self.model.name()
    }

    fn check(&self, scenario: &Scenario) -> Result<(), EngineError> {
        self.model.check(scenario)?;
        let request = RunRequest { scenario: scenario.clone(), repeats: 1 };
        fitting(&self.model.needs(&request), self.memory_max, cores()).map(|_| ())
    }

    fn run(&mut self, request: &RunRequest, watch: &mut dyn Watch) -> Result<Outcome, EngineError> {
        self.model.check(&request.scenario)?;
        let cores = cores();
        let width = fitting(&self.model.needs(request), self.memory_max, cores)?;
        put_together(request, run_all(&self.model, request, (cores, width), watch))
    }
}

/// Returns how many cores there are.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Returns how many arms may run at once in `memory_max`, whichever they are.
///
/// # Errors
/// [`EngineError::TooLarge`] when not even the largest one may alone.
pub(crate) fn fitting(
    needs: &[Need],
    memory_max: Bytes,
    cores: usize,
) -> Result<usize, EngineError> {
    let mut sorted: Vec<&Need> = needs.iter().collect();
    sorted.sort_by_key(|need| std::cmp::Reverse(need.memory_max));
    let mut taken: Bytes = needs.iter().map(|need| need.kept).sum();
    let mut width = 0;
    for need in sorted.iter().take(cores.saturating_mul(LAST_PER_CORE)) {
        taken += need.memory_max;
        if taken > memory_max {
            break;
        }
        width += 1;
    }
    match sorted.first() {
        Some(largest) if width == 0 => Err(too_large(largest, taken, memory_max)),
        _ => Ok(width.max(1)),
    }
}

fn too_large(need: &Need, taken: Bytes, memory_max: Bytes) -> EngineError {
    let what = if need.memory_max > memory_max {
        format!("an arm needs up to {}, most of it for {}", need.memory_max, need.largest)
    } else {
        format!("an arm and all results need up to {taken}")
    };
    let enough = (taken.0 >> 20).saturating_add(1);
    EngineError::TooLarge {
        what: format!("this run needs more memory than allowed: {what}; the limit is {memory_max}"),
        hint: format!(
            "reduce that, scale the experiment down (--scale 16), or allow more (--max-memory \
             {enough}MiB)"
        ),
    }
}

/// Returns how long an arm that was asked to end is waited for: the system takes back the memory of a process at
/// some 20 GiB a second while little else runs, and that counts as well.
fn patience(at_once: usize, needs: &[Need]) -> Duration {
    const PER_GIB: Duration = Duration::from_millis(50);
    let largest = needs.iter().map(|need| need.memory_max.0).max().unwrap_or(0);
    let gib = largest.saturating_mul(at_once as u64).div_ceil(1 << 30);
    PATIENCE.saturating_sub(
        PER_GIB.saturating_mul(u32::try_from(gib.saturating_sub(1)).unwrap_or(u32::MAX)),
    )
}

/// What an arm's thread says.
enum Said {
    /// Something for whoever watches.
    Event(Event),
    /// Its end.
    Part(Box<Part>),
}

/// Runs all arms, telling the user and listening to them meanwhile; returns what came of them in order.
fn run_all(
    model: &Model,
    request: &RunRequest,
    (cores, width): (usize, usize),
    watch: &mut dyn Watch,
) -> Vec<Part> {
    let arms = request.scenario.arms.len();
    let every = watch.reading_every();
    let request = Arc::new(request.clone());
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::sync_channel(ON_THE_WAY);
    let mut waiting = 0..arms;
    let mut parts: Vec<Part> = Vec::new();
    let mut begun = 0;
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    let mut asked: Option<Instant> = None;
    let patience = patience(cores.min(width), &model.needs(&request));
    loop {
        if watch.stop() {
            stop.store(true, Ordering::Relaxed);
            if asked.get_or_insert_with(Instant::now).elapsed() > patience {
                break;
            }
        }
        let wanted = match every {
            Some(_) => 1,
            None => at_once(arms - parts.len(), cores).min(width),
        };
        let free = wanted.saturating_sub(begun - parts.len());
        for number in waiting.by_ref().take(if asked.is_some() { 0 } else { free }) {
            let follower = Follower { sender: sender.clone(), stop: Arc::clone(&stop), every };
            let (request, model) = (Arc::clone(&request), model.clone());
            threads.push(std::thread::spawn(move || follower.follow(number, model, &request)));
            begun += 1;
        }
        if parts.len() == begun {
            break;
        }
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok(Said::Event(event)) => watch.event(event),
            Ok(Said::Part(part)) => {
                parts.push(*part);
                let (done, total) = (parts.len() as u64, arms as u64);
                watch.event(Event::Progress { done, total, left: None });
            }
            // A thread that ended without a word has panicked.
            Err(_) if threads.iter().all(JoinHandle::is_finished) => break,
            Err(_) => {}
        }
        // What has ended is let go of at once: of a thousand arms few are there at a time.
        join_finished(&mut threads);
    }
    join_finished(&mut threads);
    parts.sort_by_key(|(number, _)| *number);
    parts
}

/// Joins the threads that have ended, and passes on their panics.
fn join_finished(threads: &mut Vec<JoinHandle<()>>) {
    for thread in threads.extract_if(.., |thread| thread.is_finished()) {
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Follows one arm in its thread and passes on what whoever watches wants to know.
struct Follower {
    sender: mpsc::SyncSender<Said>,
    stop: Arc<AtomicBool>,
    every: Option<Nanos>,
}

impl Follower {
    fn follow(mut self, number: usize, mut model: Model, request: &RunRequest) {
        let Some(arm) = request.scenario.arms.get(number) else { return };
        let outcome = match self.every {
            Some(_) => run_one(&mut model, request, arm, &mut self),
            None => run_one(&mut model, request, arm, &mut Unwatched),
        };
        self.say(Said::Part(Box::new((number, outcome))));
    }

    /// Says something; once nobody listens any more the program is about to end.
    fn say(&self, said: Said) {
        drop(self.sender.send(said));
    }
}

impl Watch for Follower {
    fn event(&mut self, event: Event) {
        // How far the whole is the thread of this one cannot know.
        if !matches!(event, Event::Progress { .. }) {
            self.say(Said::Event(event));
        }
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn reading_every(&self) -> Option<Nanos> {
        self.every
    }
}

/// Returns how many arms run at once when `left` have not ended.
fn at_once(left: usize, cores: usize) -> usize {
    if left <= cores * LAST_PER_CORE { left } else { cores }
}

fn run_one(
    model: &mut Model,
    request: &RunRequest,
    arm: &Arm,
    watch: &mut dyn Watch,
) -> Result<Outcome, EngineError> {
    let scenario = request.scenario.alone(arm);
    let mut outcome = model.run(&RunRequest { scenario, repeats: request.repeats }, watch)?;
    // The whole has the experiment once; a copy for each of a thousand arms would be felt.
    outcome.scenario.phases = Vec::new();
    outcome.scenario.files = Vec::new();
    Ok(outcome)
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
        EngineError::Failed { what: "stopped before any arm finished".to_owned(), hint: None };
    let mut whole = whole.filter(|whole| !whole.arms.is_empty() || arms == 0).ok_or(stopped)?;
    whole.scenario = request.scenario.clone();
    whole.interrupted = whole.arms.len() < arms;
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use arcwright_model::{Model, Need};
    use arcwright_scenario::{
        Engine as _, EngineError, Event, RunRequest, Scenario, Unwatched, Watch,
    };
    use arcwright_units::{Bytes, Nanos};

    use super::{Parallel, at_once, fitting};

    fn parallel(model: Model) -> Parallel {
        Parallel { model, memory_max: Bytes::gib(4) }
    }

    #[test]
    fn as_many_arms_run_at_once_as_fit_into_memory() {
        let fits = |arms: &[u64], max: u64| {
            let need = |mib: &u64| Need {
                memory_min: Bytes::ZERO,
                memory_max: Bytes::mib(*mib),
                kept: Bytes::mib(1),
                time: Nanos::ZERO,
                largest: "the file".to_owned(),
            };
            let needs: Vec<Need> = arms.iter().map(need).collect();
            fitting(&needs, Bytes::mib(max), 2).map_err(|error| error.to_string())
        };
        assert_eq!(fits(&[10; 9], 1000), Ok(4));
        assert_eq!(fits(&[10; 9], 39), Ok(3));
        assert_eq!(fits(&[10, 100, 10], 113), Ok(2));
        assert_eq!(fits(&[10, 100, 10], 112), Ok(1));
        assert!(fits(&[10, 100, 10], 99).unwrap_err().contains("the file"));
        assert!(fits(&[10; 9], 18).unwrap_err().contains("results"));
        assert!(fits(&[u64::MAX >> 20; 9], u64::MAX >> 20).is_err());
        assert_eq!(fits(&[], 0), Ok(1));
    }

    #[test]
    fn a_run_that_does_not_fit_is_refused_with_its_key() {
        let text = include_str!("../../../scenarios/steam-library.toml");
        let scenario = Scenario::parse(text, "steam-library.toml").unwrap();
        let mut engine = Parallel { model: Model::default(), memory_max: Bytes::mib(16) };
        let request = RunRequest { scenario, repeats: 1 };
        let error = engine.run(&request, &mut Unwatched).unwrap_err();
        assert!(matches!(error, EngineError::TooLarge { .. }), "{error}");
        assert!(error.to_string().contains("size = "), "{error}");
    }

    #[test]
    fn the_last_arms_share_the_cores() {
        let of_two = [7, 5, 4, 3, 1].map(|left| at_once(left, 2));
        assert_eq!(of_two, [2, 2, 4, 3, 1]);
        assert_eq!([33, 32].map(|left| at_once(left, 16)), [16, 32]);
    }

    /// Wants an end at once.
    struct Hasty;

    impl Watch for Hasty {
        fn event(&mut self, _: Event) {}

        fn stop(&self) -> bool {
            true
        }
    }

    #[test]
    fn nobody_waits_for_an_arm_that_does_not_end() {
        let text = include_str!("../../../scenarios/steam-library.toml");
        let scenario = Scenario::parse(text, "steam-library.toml").unwrap();
        let request = RunRequest { scenario, repeats: 1 };
        let error = parallel(Model::default()).run(&request, &mut Hasty).unwrap_err();
        assert!(error.to_string().contains("stopped before any arm finished"), "{error}");
    }

    #[test]
    fn all_cores_make_what_one_makes() {
        let text = include_str!("../../../scenarios/steam-library.toml");
        let scenario = Scenario::parse(text, "steam-library.toml").unwrap();
        let request = RunRequest { scenario, repeats: 1 };
        let model = Model { scale: Some(32), ..Model::default() };
        let one = model.clone().run(&request, &mut Unwatched).unwrap();
        let all = parallel(model).run(&request, &mut Unwatched).unwrap();
        assert_eq!(all, one);
    }
}
