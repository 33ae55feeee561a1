//! The load that a prediction needs, found once for all who ask: finding it cannot be broken off, so nobody waits for one that
//! is not wanted, and whoever asks next takes up the one that is under way.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use arcwright_machine::Machine;

use crate::commands::server::spawned;
use crate::commands::ssd::MachineLoad;
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
    /// None while it is being found.
    found: Option<Result<Arc<MachineLoad>, String>>,
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
        find: impl Fn(&Machine, Option<&str>) -> Result<MachineLoad, String> + Clone + Send + 'static,
    ) -> Result<Option<Arc<MachineLoad>>, Problem> {
        let mut last = self.lock();
        while is_wanted() {
            let is_ours = |fit: &&Fit| fit.pool.as_deref() == pool && fit.begun.elapsed() < FRESH;
            match last.as_ref() {
                Some(Fit { found: None, .. }) => {}
                Some(fit) if is_ours(&fit) => match &fit.found {
                    Some(Ok(load)) => return Ok(Some(Arc::clone(load))),
                    // What failed once may work with what is recorded by now.
                    Some(Err(why)) => {
                        let why = why.clone();
                        *last = None;
                        return Err(Problem::Failed(anyhow!(why)));
                    }
                    None => {}
                },
                _ => {
                    let pool = pool.map(str::to_owned);
                    *last = Some(Fit { pool: pool.clone(), begun: Instant::now(), found: None });
                    self.begin(machine.clone(), pool, find.clone())?;
                }
            }
            let waited = self.ended.wait_timeout(last, LOOK_EVERY);
            last = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(None)
    }

    /// Finds a load in a thread of its own.
    fn begin(
        self: &Arc<Self>,
        machine: Machine,
        pool: Option<String>,
        find: impl Fn(&Machine, Option<&str>) -> Result<MachineLoad, String> + Send + 'static,
    ) -> Result<(), Problem> {
        let ending = Ending(Arc::clone(self));
        let work = move || {
            let found = find(&machine, pool.as_deref()).map(Arc::new);
            if let Some(fit) = ending.0.lock().as_mut() {
                fit.found = Some(found);
            }
            drop(ending);
        };
        spawned("load", work).map(|_| ()).map_err(Problem::Failed)
    }
}

/// Wakes whoever waits, however the search ends.
struct Ending(Arc<Fits>);

impl Drop for Ending {
    fn drop(&mut self) {
        let mut last = self.0.lock();
        if let Some(fit) = last.as_mut().filter(|fit| fit.found.is_none()) {
            fit.found = Some(Err("finding the load stopped; that is a bug".to_owned()));
        }
        drop(last);
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Condvar, Mutex};

    use arcwright_machine::Machine;
    use arcwright_scenario::Scenario;

    use super::Fits;
    use crate::commands::ssd::MachineLoad;

    const SMALL: &str = "title = \"a\"\n[system]\nzfs = \"2.3.2\"\nmemory = \"4GiB\"\n[system.pool]\n\
        data = [\"hdd-nas-7200\"]\n[[file]]\nname = \"f\"\nsize = \"1GiB\"\n[[phase]]\nname = \"p\"\n\
        clients = [{ read = \"f\" }]\n";

    fn load() -> MachineLoad {
        MachineLoad {
            also: Vec::new(),
            scenario: Scenario::parse(SMALL, "a.toml").unwrap(),
            phases: Vec::new(),
            apart: Vec::new(),
            waits_are_known: true,
            left_out: Vec::new(),
        }
    }

    static BEGUN: AtomicUsize = AtomicUsize::new(0);
    static MAY_END: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

    #[test]
    fn a_search_that_nobody_wants_holds_nobody_up_and_is_taken_up_again() {
        let find = |_: &Machine, _: Option<&str>| {
            BEGUN.fetch_add(1, Ordering::AcqRel);
            let (may_end, changed) = &MAY_END;
            drop(changed.wait_while(may_end.lock().unwrap(), |may| !*may).unwrap());
            Ok(load())
        };
        let (fits, machine) = (Arc::new(Fits::default()), Machine::default());
        // The page goes as soon as the search has begun.
        let is_wanted = || BEGUN.load(Ordering::Acquire) == 0;
        let gone = fits.load((&machine, None), is_wanted, find);
        assert!(matches!(gone, Ok(None)));
        // Another one comes; what it waits for ends.
        let (may_end, changed) = &MAY_END;
        *may_end.lock().unwrap() = true;
        changed.notify_all();
        let found = fits.load((&machine, None), || true, find);
        assert!(matches!(found, Ok(Some(_))));
        assert!(matches!(fits.load((&machine, None), || true, find), Ok(Some(_))));
        assert_eq!(BEGUN.load(Ordering::Acquire), 1, "one search for all");
        // Another pool's load is another one.
        assert!(matches!(fits.load((&machine, Some("b")), || true, find), Ok(Some(_))));
        assert_eq!(BEGUN.load(Ordering::Acquire), 2);
    }

    #[test]
    fn what_failed_is_said_once_and_tried_again() {
        let failing = |_: &Machine, _: Option<&str>| Err("too little is recorded".to_owned());
        let (fits, machine) = (Arc::new(Fits::default()), Machine::default());
        let said = fits.load((&machine, None), || true, failing).unwrap_err();
        assert!(said.to_string().contains("too little"));
        let working = |_: &Machine, _: Option<&str>| Ok(load());
        assert!(matches!(fits.load((&machine, None), || true, working), Ok(Some(_))));
        let stopping = |_: &Machine, _: Option<&str>| -> Result<MachineLoad, String> {
            std::panic::resume_unwind(Box::new("a bug"))
        };
        let said = fits.load((&machine, Some("b")), || true, stopping).unwrap_err();
        assert!(said.to_string().contains("that is a bug"));
    }
}
