//! Jobs on several threads, in the order of the jobs; whoever waits for them hears Ctrl-C.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use crate::error::Problem;
use crate::interrupt::Interrupt;

/// How often the user's wish to stop is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Returns how many threads work: as many as asked for, else one for each core.
pub(crate) fn threads(asked: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    asked.unwrap_or_else(cores).max(1)
}

/// Does all jobs; those that a stop left undone are none, and then there is a problem.
pub(crate) fn all<J: Copy + Sync, R: Send>(
    jobs: &[J],
    threads: usize,
    run: impl Fn(J, &Interrupt) -> Option<R> + Sync,
) -> Result<Vec<Option<R>>, Problem> {
    let interrupt = Interrupt::default();
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new(jobs.iter().map(|_| None).collect());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index).filter(|_| !interrupt.is_asked()) else { return };
            let result = run(*job, &interrupt);
            if let Ok(mut results) = results.lock()
                && let Some(slot) = results.get_mut(index)
            {
                *slot = result;
            }
        }
    };
    let mut looked = Ok(());
    std::thread::scope(|scope| {
        // Once no worker is left the channel has no sender.
        let (alive, ended) = sync_channel::<()>(0);
        for _ in 0..threads.min(jobs.len()) {
            let alive = alive.clone();
            scope.spawn(move || {
                let _alive = alive;
                work();
            });
        }
        drop(alive);
        while looked.is_ok() && ended.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            looked = interrupt.look();
        }
    });
    looked?;
    Ok(results.into_inner().unwrap_or_default())
}
