//! Programs of a few threads, and what is seen of them.
//!
//! Thread 0 starts the others one by one, with something of its own between. Its last act is to wake everybody
//! in every queue, again and again, until the others have ended, so that no program hangs.

use arcwright_scenario::Costs;
use arcwright_units::Nanos;
use proptest::prelude::*;

use crate::schedule::Kind;

/// Queues in which threads wait, locks that they take, and devices that they ask.
pub(super) const QUEUES: usize = 2;
pub(super) const LOCKS: usize = 2;
pub(super) const DEVICES: usize = 2;
/// What a thread does with a lock before it sleeps: more steps than it may be ahead of others.
pub(super) const STEPS_LOCKED: usize = 40;
/// How long thread 0 lets the others run before it wakes them once more.
pub(super) const ROUND: u64 = 5_000;

/// Something that a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    /// Works for so long without looking up.
    Spend(u64),
    /// Does so many lock operations, each of which may let somebody else go first.
    Steps(u8),
    Sleep(u64),
    /// Waits in a queue, for ever or for so long.
    Wait(usize, Option<u64>),
    /// Waits in a queue that it has joined some lock operations earlier, as a condition's user does.
    JoinThenWait(usize, Option<u64>),
    Wake(usize),
    Broadcast(usize),
    /// Takes a lock, works for so long, lets it go.
    Critical(usize, u64),
    /// Takes a lock, does some steps and sleeps for so long with it, lets it go.
    SleepLocked(usize, u64),
    /// Takes all locks in their order, works for so long, lets them go.
    AllLocks(u64),
    /// Asks a device for something that takes so long.
    Request(usize, u64),
    /// Waits for the end of the thread so many places before it.
    Join(usize),
    /// Leaves its core to somebody who finds none.
    GiveWay,
}

/// What all threads do; thread 0 comes first.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) rules: Rules,
    pub(super) threads: Vec<Vec<Op>>,
    /// The places of threads that stand for requests at disks.
    pub(super) disks: Vec<usize>,
}

impl Program {
    /// Returns what a thread stands for.
    pub(super) fn kind(&self, thread: usize) -> Kind {
        if self.disks.contains(&thread) { Kind::Disk } else { Kind::Processor }
    }
}

/// The machine that they run on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) cores: u32,
    pub(super) switch: u64,
    pub(super) step: u64,
}

impl Rules {
    pub(super) fn costs(self) -> Costs {
        Costs {
            switch: Nanos(self.switch),
            step: Nanos(self.step),
            checksum_ns_per_byte: 0.0,
            cipher_ns_per_byte: 0.0,
            copy_ns_per_byte: 0.0,
            call: Nanos::ZERO,
        }
    }
}

/// A thread is done with an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) thread: usize,
    /// Place of the operation in its program.
    pub(super) place: usize,
    pub(super) now: u64,
    pub(super) end: End,
}

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Done,
    TimedOut,
    /// It woke this thread, or nobody.
    Woke(Option<usize>),
}

/// Times are few and small, so that many are equal.
fn span() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(10), Just(100), 0u64..2_000]
}

fn op() -> impl Strategy<Value = Op> {
    let patience = || proptest::option::weighted(0.7, span());
    prop_oneof![
        span().prop_map(Op::Spend),
        (1u8..6).prop_map(Op::Steps),
        span().prop_map(Op::Sleep),
        (0..QUEUES, patience()).prop_map(|(queue, patience)| Op::Wait(queue, patience)),
        (0..QUEUES, patience()).prop_map(|(queue, patience)| Op::JoinThenWait(queue, patience)),
        (0..QUEUES).prop_map(Op::Wake),
        (0..QUEUES).prop_map(Op::Broadcast),
        (0..LOCKS, span()).prop_map(|(lock, span)| Op::Critical(lock, span)),
        (0..LOCKS, span()).prop_map(|(lock, span)| Op::SleepLocked(lock, span)),
        span().prop_map(Op::AllLocks),
        (0..DEVICES, span()).prop_map(|(device, span)| Op::Request(device, span)),
        (1usize..4).prop_map(Op::Join),
        Just(Op::GiveWay),
    ]
}

/// Returns any program of two to six threads on one to four cores, some of them of disks.
pub(super) fn any() -> impl Strategy<Value = Program> {
    let rules = (1u32..5, prop_oneof![Just(0), Just(50), 0u64..500], 0u64..60)
        .prop_map(|(cores, switch, step)| Rules { cores, switch, step });
    let ops = proptest::collection::vec(op(), 0..10);
    let disks = proptest::sample::subsequence(vec![1, 2, 3, 4, 5, 6], 0..3);
    let threads = proptest::collection::vec(ops, 2..7);
    (rules, threads, disks).prop_map(|(rules, mut threads, disks)| {
        threads.iter_mut().take(1).flatten().for_each(limit);
        Program { rules, threads, disks }
    })
}

/// Lets a wait end by itself: thread 0, which wakes the others in the end, must get there.
fn limit(op: &mut Op) {
    if let Op::Wait(_, patience) | Op::JoinThenWait(_, patience) = op {
        *patience = patience.or(Some(ROUND));
    }
}
