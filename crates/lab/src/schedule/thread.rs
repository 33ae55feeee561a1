//! A thread's number, and the turn that it waits for.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use arcwright_units::Nanos;

/// Number of a thread, in the order of their beginnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ThreadId(pub(super) u32);

impl ThreadId {
    /// The thread that started the schedule.
    pub(crate) const MAIN: Self = Self(0);

    /// Returns a number that is never zero, for lock words in which zero means nobody.
    pub(crate) fn word(self) -> u32 {
        self.0 + 1
    }

    /// Returns the thread of a lock word that is not zero.
    pub(crate) fn of_word(word: u32) -> Self {
        Self(word.saturating_sub(1))
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The right to run, given by one thread to another together with the time at which it begins.
#[derive(Debug, Default)]
pub(super) struct Turn {
    given: Mutex<Option<Nanos>>,
    wake: Condvar,
}

impl Turn {
    /// Returns a turn that nobody has been given.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Gives the turn.
    pub(super) fn give(&self, at: Nanos) {
        *self.given.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
        self.wake.notify_one();
    }

    /// Waits for the turn and returns when it begins.
    pub(super) fn wait(&self) -> Nanos {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(at) = given.take() {
                return at;
            }
            given = self.wake.wait(given).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
