//! Laws that hold for any program.

use std::collections::BTreeMap;

use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use super::program::{Program, Seen, any};
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

#[test]
fn no_clock_goes_back() {
    check(|_, seen| {
        let mut clocks = BTreeMap::new();
        let back = |seen: &&Seen| clocks.insert(seen.thread, seen.now) > Some(seen.now);
        seen.iter().find(back).map(|seen| format!("{seen:?}"))
    });
}

#[test]
fn the_same_program_runs_the_same_way_again() {
    check(|program, seen| (run(program) != seen).then(|| "another order".to_owned()));
}
