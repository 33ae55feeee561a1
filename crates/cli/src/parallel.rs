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
use arcwright_scenario::{Arm, Engine, EngineError, Event, Outcome, RunRequest, Scenario, Watch};
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
    /// How far the arm of this number is: so much, of how much.
    Done(usize, u64, u64),
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
    let needs = model.needs(&request);
    let patience = patience(cores.min(width), &needs);
    let mut progress = Shares::of(&needs);
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
            let follower = Follower {
                number,
                sender: sender.clone(),
                stop: Arc::clone(&stop),
                every,
                told: None,
            };
            let (request, model) = (Arc::clone(&request), model.clone());
            threads.push(std::thread::spawn(move || follower.follow(model, &request)));
            begun += 1;
        }
        if parts.len() == begun {
            break;
        }
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok(Said::Event(event)) => watch.event(event),
            Ok(Said::Done(number, done, total)) => watch.event(progress.at(number, done, total)),
            Ok(Said::Part(part)) => {
                if asked.is_none() {
                    watch.event(progress.at(part.0, 1, 1));
                }
                parts.push(*part);
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

/// How far each arm is, weighed by the time that it is reckoned to take.
struct Shares {
    arms: Vec<(f64, u64)>,
}

impl Shares {
    fn of(needs: &[Need]) -> Self {
        Self { arms: needs.iter().map(|need| (0.0, need.time.0.max(1))).collect() }
    }

    /// Takes how far an arm is, and returns how far all are.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "shares from 0 to 1 of times"
    )]
    fn at(&mut self, number: usize, done: u64, total: u64) -> Event {
        if let Some((share, _)) = self.arms.get_mut(number) {
            *share = share.max(done as f64 / total.max(1) as f64).clamp(0.0, 1.0);
        }
        let weighed = |(share, time): &(f64, u64)| (share * *time as f64) as u64;
        let done = self.arms.iter().map(weighed).fold(0, u64::saturating_add);
        let total = self.arms.iter().fold(0, |sum: u64, (_, time)| sum.saturating_add(*time));
        Event::Progress { done, total, left: None }
    }
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
    number: usize,
    sender: mpsc::SyncSender<Said>,
    stop: Arc<AtomicBool>,
    every: Option<Nanos>,
    /// When it was last told how far the arm is.
    told: Option<Instant>,
}

impl Follower {
    fn follow(mut self, mut model: Model, request: &RunRequest) {
        let Some(arm) = request.scenario.arms.get(self.number) else { return };
        let outcome = run_one(&mut model, request, arm, &mut self);
        self.say(Said::Part(Box::new((self.number, outcome))));
    }

    /// Says something; once nobody listens any more the program is about to end.
    fn say(&self, said: Said) {
        drop(self.sender.send(said));
    }
}

impl Watch for Follower {
    fn event(&mut self, event: Event) {
        match event {
            // How far the whole is the thread of this one cannot know.
            Event::Progress { done, total, .. } => {
                let is_soon = |told: Instant| told.elapsed() < LOOK_EVERY;
                if !self.told.is_some_and(is_soon) {
                    self.told = Some(Instant::now());
                    self.say(Said::Done(self.number, done, total));
                }
            }
            event => self.say(Said::Event(event)),
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
mod tests;
