//! A thread: its number, what the schedule knows of it, and the turn that it waits for.

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

    /// Returns the thread of a lock word; of zero one that there is not.
    pub(crate) fn of_word(word: u32) -> Self {
        Self(word.wrapping_sub(1))
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the schedule knows of a thread.
pub(super) struct Thread {
    pub(super) turn: Arc<RunToken>,
    /// Counts the waits of this thread, so that a timer of an earlier wait is recognised.
    pub(super) wait: u32,
    pub(super) queue: Option<usize>,
    pub(super) kind: Kind,
    /// The core that it stays on; none ([`NO_CORE`]) for a disk's thread.
    pub(super) core: usize,
    pub(super) presence: Presence,
    /// When it began to wait.
    pub(super) since: Nanos,
    /// Whether it waits for a lock without leaving its core.
    pub(super) spins: bool,
    /// Whether it was woken for the lock that it waits for, and came too late.
    pub(super) insists: bool,
    /// Whether it has left its core to somebody else, with work left to do.
    pub(super) gave_way: bool,
    pub(super) wait_end: WaitEnd,
    pub(super) ended: bool,
    pub(super) joiners: Vec<ThreadId>,
}

impl Thread {
    /// Returns a thread that waits for its first turn.
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            turn: RunToken::new(),
            wait: 0,
            queue: None,
            kind,
            core: NO_CORE,
            presence: Presence::Away,
            since: Nanos::ZERO,
            spins: false,
            insists: false,
            gave_way: false,
            wait_end: WaitEnd::Woken,
            ended: false,
            joiners: Vec::new(),
        }
    }
}

/// The place of no core.
pub(super) const NO_CORE: usize = usize::MAX;

/// What a thread stands for. Those before it in this order take the core of a processor's thread that finds none free, as a
/// kernel lets threads of another priority do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A thread that carries requests on: `z_rd_int`, `z_wr_int` and the like, of the highest priority below real time.
    Pipeline,
    /// One that computes what a write needs (`z_wr_iss`), a step below.
    WriteIssue,
    /// Any other work of a processor: clients, and what OpenZFS does at the priority of a program or below.
    Processor,
    /// A request at a disk. In a kernel the disk does it by itself: the thread needs no core, nobody has to
    /// switch to it, and its work takes no time.
    Disk,
}

impl Kind {
    /// How many there are that need a core.
    pub(super) const ON_CORES: usize = 3;

    /// Returns the kind of a thread that the library makes with this priority, which is Linux' nice value.
    ///
    /// `spa_taskqs_init` gives -20 to its threads and -19 to those that write; others have 0 or 19 (module/zfs/spa.c 2.0.3 to
    /// 2.4.4; FreeBSD's are in the same order).
    pub(crate) fn of_priority(nice: i32) -> Self {
        match nice {
            ..=-20 => Self::Pipeline,
            -19..=-1 => Self::WriteIssue,
            0.. => Self::Processor,
        }
    }

    /// Returns its place among those that need a core.
    pub(super) fn rank(self) -> usize {
        match self {
            Self::Pipeline => 0,
            Self::WriteIssue => 1,
            Self::Processor | Self::Disk => 2,
        }
    }
}

/// Whether a thread has a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// It waits, or is ready.
    Away,
    /// It is at work, or waits for a lock on its core.
    OnCore,
    /// It stays on its core while others catch up.
    Stays,
}

/// How the wait of a thread that is in a queue ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitEnd {
    /// It has not ended, or somebody has ended it.
    Woken,
    TimedOut,
    /// Somebody has ended it before it began: the thread was in the queue and had not waited yet.
    WokenEarly,
}

/// The right to run, given by one thread to another together with the time at which it begins.
#[derive(Debug, Default)]
pub(super) struct RunToken {
    given: Mutex<Option<Nanos>>,
    wake: Condvar,
}

impl RunToken {
    /// Returns a token that nobody has been given.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Gives the token.
    pub(super) fn give(&self, at: Nanos) {
        *self.given.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
        self.wake.notify_one();
    }

    /// Waits for the token and returns when it begins.
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
