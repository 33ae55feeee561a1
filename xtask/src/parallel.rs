//! Work on all cores of the machine, in threads that end before the work is returned.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Returns how many cores there are.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs `work` in so many threads at once and waits for all of them.
pub(crate) fn in_threads(count: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| (0..count).for_each(|_| drop(scope.spawn(&work))));
}

/// Returns what `work` makes of each item, in the items' order, whichever thread it was.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let made = Mutex::new(Vec::with_capacity(items.len()));
    in_threads(cores(), || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let one = (index, work(item));
            made.lock().unwrap_or_else(PoisonError::into_inner).push(one);
        }
    });
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.sort_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn what_comes_out_is_in_the_order_of_what_went_in() {
        let items: Vec<u64> = (0..1000).collect();
        let squares: Vec<u64> = items.iter().map(|item| item * item).collect();
        assert_eq!(map(&items, |item| item * item), squares);
        assert_eq!(map(&[], |item: &u64| *item), Vec::<u64>::new());
    }
}
