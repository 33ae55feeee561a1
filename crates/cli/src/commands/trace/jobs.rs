//! Work of many jobs on all cores, in the order of the jobs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::interrupt::Interrupt;
use crate::parallel::cores;

/// Does jobs until all are done or an end is asked for; those that were not begun are none.
pub(super) fn all<J: Copy + Sync, R: Send>(
    jobs: &[J],
    interrupt: &Interrupt,
    run: impl Fn(J) -> Option<R> + Sync,
) -> Vec<Option<R>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new(jobs.iter().map(|_| None).collect());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index).filter(|_| !interrupt.asked()) else { return };
            let result = run(*job);
            if let Ok(mut results) = results.lock()
                && let Some(slot) = results.get_mut(index)
            {
                *slot = result;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..cores() {
            scope.spawn(work);
        }
    });
    results.into_inner().unwrap_or_default()
}
