//! Laws that hold for any program.

use std::collections::BTreeMap;

use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use super::program::{End, Op, Program, Seen, any};
use super::{reference, run};

/// The seed of all random programs; proptest prints the smallest program that fails.
const SEED: u64 = 22;
/// Under Miri a program takes seconds.
const PROGRAMS: u32 = if cfg!(miri) { 6 } else { 400 };

/// Runs random programs and checks what their threads did; `wrong` says what is not as it should be.
fn check(wrong: impl Fn(&Program, &[Seen]) -> Option<String>) {
    let config = Config {
        cases: PROGRAMS,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&any(), |program| {
        let wrong = wrong(&program, &run(&program));
        wrong.map_or(Ok(()), |wrong| Err(TestCaseError::fail(wrong)))
    });
    result.unwrap_or_else(|error| panic!("seed {SEED}: {error}"));
}

/// That exactly one thread has the turn is asserted while they run (`threads`).
#[test]
fn threads_have_their_turns_in_the_order_of_the_reference() {
    check(|program, seen| {
        let expected = reference::run(program);
        let place = expected.iter().zip(seen).position(|(expected, seen)| expected != seen);
        let place = place.unwrap_or(expected.len().min(seen.len()));
        (expected != seen).then(|| {
            format!("at {place}: {:?}, expected {:?}", seen.get(place), expected.get(place))
        })
    });
}

#[test]
fn nobody_is_passed_over_for_ever() {
    check(|program, seen| {
        let done = |thread: usize| {
            let places = seen.iter().filter(|seen| seen.thread == thread).map(|seen| seen.place);
            places.collect::<Vec<usize>>()
        };
        let all = program.threads.iter().enumerate();
        all.map(|(thread, ops)| (thread, (0..ops.len()).collect::<Vec<usize>>(), done(thread)))
            .find(|(_, expected, done)| expected != done)
            .map(|(thread, _, done)| format!("thread {thread} did {done:?}"))
    });
}

/// Known and wrong: one that was ahead when it began to wait goes on at the time of a thread behind it that
/// wakes it (`cases`). Work, sleeps, deadlines and devices never take time back.
#[test]
fn a_clock_goes_back_only_when_somebody_who_is_behind_ends_a_wait() {
    check(|program, seen| {
        let mut clocks = BTreeMap::new();
        let back = |seen: &&Seen| clocks.insert(seen.thread, seen.now) > Some(seen.now);
        let is_woken = |seen: &Seen| match program.threads[seen.thread][seen.place] {
            Op::Wait(..) | Op::JoinThenWait(..) => seen.end == End::Done,
            Op::Join(_) | Op::Critical(..) | Op::SleepLocked(..) | Op::AllLocks(_) => true,
            _ => false,
        };
        let wrong = seen.iter().filter(back).find(|seen| !is_woken(seen));
        wrong.map(|seen| format!("{seen:?}"))
    });
}

#[test]
fn the_same_program_runs_the_same_way_again() {
    check(|program, seen| (run(program) != seen).then(|| "another order".to_owned()));
}
