//! The load that a prediction needs, found once for all who ask: whoever asks next takes up the search that is under way, and
//! one that nobody waits for any more ends.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use arcwright_machine::Machine;

use crate::commands::loads::Load;
use crate::commands::server::spawned;
use crate::problem::Problem;

/// How long a load is taken for what the machine does now.
const FRESH: Duration = Duration::from_secs(60);
/// How often somebody who waits looks whether it is still wanted.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The load that was found last, or is being found.
#[derive(Debug, Default)]
pub(super) struct Fits {
    last: Mutex<Option<Fit>>,
    ended: Condvar,
}

#[derive(Debug)]
struct Fit {
    /// The pool whose load it is; none where the machine has one.
    pool: Option<String>,
    begun: Instant,
    /// How many wait for it.
    waiting: Arc<AtomicUsize>,
    /// None while it is being found.
    found: Option<Result<Arc<Load>, String>>,
}

/// One who waits for a search.
struct Waiting(Arc<AtomicUsize>);

impl Waiting {
    fn begin(waiting: &Arc<AtomicUsize>) -> Self {
        waiting.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(waiting))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Finds the load of a machine's pool, as long as it is wanted.
pub(super) trait FindLoad:
    Fn(&Machine, Option<&str>, &dyn Fn() -> bool) -> Result<Load, String> + Send + 'static
{
}

impl<F> FindLoad for F where
    F: Fn(&Machine, Option<&str>, &dyn Fn() -> bool) -> Result<Load, String> + Send + 'static
{
}

impl Fits {
    fn lock(&self) -> MutexGuard<'_, Option<Fit>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the load of a machine's pool, which `find` finds; none once it is not wanted any more.
    pub(super) fn load(
        self: &Arc<Self>,
        (machine, pool): (&Machine, Option<&str>),
        is_wanted: impl Fn() -> bool,
        find: impl FindLoad + Clone,
    ) -> Result<Option<Arc<Load>>, Problem> {
        let mut waiting: Option<Waiting> = None;
        let mut last = self.lock();
        while is_wanted() {
            let is_ours = |fit: &Fit| fit.pool.as_deref() == pool && fit.begun.elapsed() < FRESH;
            match last.as_ref() {
                Some(fit @ Fit { found: None, .. }) if fit.pool.as_deref() == pool => {
                    let is_there = |it: &Waiting| Arc::ptr_eq(&it.0, &fit.waiting);
                    if !waiting.as_ref().is_some_and(is_there) {
                        waiting = Some(Waiting::begin(&fit.waiting));
                    }
                }
                // Two searches at a time would take the machine from those who use it.
                Some(Fit { found: None, .. }) => {}
                Some(fit @ Fit { found: Some(Ok(load)), .. }) if is_ours(fit) => {
                    return Ok(Some(Arc::clone(load)));
                }
                Some(fit @ Fit { found: Some(Err(why)), .. }) if is_ours(fit) => {
                    let why = why.clone();
                    // What failed once may work with what is recorded by now.
                    *last = None;
                    return Err(Problem::Failed(anyhow!(why)));
                }
                _ => {
                    let now = Arc::new(AtomicUsize::new(0));
                    waiting = Some(Waiting::begin(&now));
                    let pool = pool.map(str::to_owned);
                    let (begun, fits) = (Instant::now(), Arc::clone(self));
                    let ending = Ending { fits, waiting: Arc::clone(&now) };
                    *last = Some(Fit { pool: pool.clone(), begun, waiting: now, found: None });
                    // Without the lock, which the ending takes where no thread can be started.
                    drop(last);
                    begin((machine.clone(), pool), ending, find.clone())?;
                    last = self.lock();
                }
            }
            let waited = self.ended.wait_timeout(last, LOOK_EVERY);
            last = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(None)
    }
}

/// Finds a load in a thread of its own.
fn begin(
    (machine, pool): (Machine, Option<String>),
    ending: Ending,
    find: impl FindLoad,
) -> Result<(), Problem> {
    let work = move || {
        let is_stopped = Cell::new(false);
        let is_wanted = || {
            let is_waited_for = ending.waiting.load(Ordering::Acquire) > 0;
            is_stopped.set(is_stopped.get() || !is_waited_for);
            !is_stopped.get()
        };
        let found = find(&machine, pool.as_deref(), &is_wanted).map(Arc::new);
        // Whoever comes after a stop begins anew.
        ending.end((!is_stopped.get()).then_some(found));
    };
    spawned("load", work).map(|_| ()).map_err(Problem::Failed)
}

/// Wakes whoever waits, however the search ends.
struct Ending {
    fits: Arc<Fits>,
    /// Those who wait for this search.
    waiting: Arc<AtomicUsize>,
}

impl Ending {
    /// Writes down what this search found, once; none where it was stopped.
    fn end(&self, found: Option<Result<Arc<Load>, String>>) {
        let mut last = self.fits.lock();
        let is_ours = |fit: &&mut Fit| Arc::ptr_eq(&fit.waiting, &self.waiting);
        if let Some(fit) = last.as_mut().filter(is_ours).filter(|fit| fit.found.is_none()) {
            match found {
                Some(found) => fit.found = Some(found),
                None => *last = None,
            }
        }
        drop(last);
        self.fits.ended.notify_all();
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.end(Some(Err("finding the load stopped; that is a bug".to_owned())));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use arcwright_machine::Machine;
    use arcwright_scenario::Scenario;

    use super::Fits;
    use crate::commands::loads::Load;
    use arcwright_ssd::Doubts;

    const SMALL: &str = "title = \"a\"\n[system]\nzfs = \"2.3.2\"\nmemory = \"4GiB\"\n[system.pool]\n\
        data = [\"hdd-nas-7200\"]\n[[file]]\nname = \"f\"\nsize = \"1GiB\"\n[[phase]]\nname = \"p\"\n\
        clients = [{ read = \"f\" }]\n";

    fn load() -> Load {
        Load {
            also: Vec::new(),
            scenario: Scenario::parse(SMALL, "a.toml").unwrap(),
            phases: Vec::new(),
            doubts: Doubts::default(),
            waits_are_known: true,
            left_out: Vec::new(),
        }
    }

    static BEGUN: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn a_search_is_for_all_who_wait_and_ends_when_nobody_does() {
        // The first takes until nobody wants it.
        let find = |_: &Machine, _: Option<&str>, is_wanted: &dyn Fn() -> bool| {
            let number = BEGUN.fetch_add(1, Ordering::AcqRel);
            while number == 0 && is_wanted() {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(load())
        };
        let (fits, machine) = (Arc::new(Fits::default()), Machine::default());
        // The page goes as soon as the search has begun.
        let is_wanted = || BEGUN.load(Ordering::Acquire) == 0;
        let gone = fits.load((&machine, None), is_wanted, find);
        assert!(matches!(gone, Ok(None)));
        while fits.lock().is_some() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(matches!(fits.load((&machine, None), || true, find), Ok(Some(_))));
        assert_eq!(BEGUN.load(Ordering::Acquire), 2, "the first was ended");
        assert!(matches!(fits.load((&machine, None), || true, find), Ok(Some(_))));
        assert_eq!(BEGUN.load(Ordering::Acquire), 2, "one search for all");
        // Another pool's load is another one.
        assert!(matches!(fits.load((&machine, Some("b")), || true, find), Ok(Some(_))));
        assert_eq!(BEGUN.load(Ordering::Acquire), 3);
    }

    #[test]
    fn what_failed_is_said_once_and_tried_again() {
        let failing = |_: &Machine, _: Option<&str>, _: &dyn Fn() -> bool| {
            Err("too little is recorded".to_owned())
        };
        let (fits, machine) = (Arc::new(Fits::default()), Machine::default());
        let said = fits.load((&machine, None), || true, failing).unwrap_err();
        assert!(said.to_string().contains("too little"));
        let working = |_: &Machine, _: Option<&str>, _: &dyn Fn() -> bool| Ok(load());
        assert!(matches!(fits.load((&machine, None), || true, working), Ok(Some(_))));
        let stopping =
            |_: &Machine, _: Option<&str>, _: &dyn Fn() -> bool| -> Result<Load, String> {
                std::panic::resume_unwind(Box::new("a bug"))
            };
        let said = fits.load((&machine, Some("b")), || true, stopping).unwrap_err();
        assert!(said.to_string().contains("that is a bug"));
    }
}
