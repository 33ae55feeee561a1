//! Single cases: what each thread does, and which operations are done when.

use super::program::{End, Op, Program, Rules};
use super::run;

/// Four cores, and nothing costs anything by itself.
const FREE: Rules = Rules { cores: 4, switch: 0, step: 0 };
const ONE_CORE: Rules = Rules { cores: 1, ..FREE };

/// Checks who is done with which operation when; thread 0 does nothing, so the first of `threads` is 1.
#[track_caller]
fn check(rules: Rules, threads: &[&[Op]], expected: &[(usize, usize, u64)]) {
    let done = |(thread, place, now): &(usize, usize, u64)| (*thread, *place, *now);
    let seen: Vec<_> =
        seen(rules, threads).iter().map(|seen| (seen.thread, seen.place, seen.now)).collect();
    assert_eq!(seen, expected.iter().map(done).collect::<Vec<_>>());
}

fn seen(rules: Rules, threads: &[&[Op]]) -> Vec<super::Seen> {
    let threads = threads.iter().map(|ops| ops.to_vec());
    let threads = std::iter::once(Vec::new()).chain(threads).collect();
    run(&Program { rules, threads, disks: Vec::new() })
}

/// Checks how the operations of thread 1 ended.
#[track_caller]
fn check_ends(threads: &[&[Op]], expected: &[End]) {
    let all = seen(FREE, threads);
    let ends: Vec<End> = all.iter().filter(|seen| seen.thread == 1).map(|seen| seen.end).collect();
    assert_eq!(ends, expected);
}

#[test]
fn who_became_ready_first_goes_first_and_equal_instants_go_in_the_order_of_their_making() {
    let work: &[Op] = &[Op::Spend(10)];
    check(FREE, &[work, work, work], &[(1, 0, 10), (2, 0, 10), (3, 0, 10)]);
    check(ONE_CORE, &[work, work, work], &[(1, 0, 10), (2, 0, 20), (3, 0, 30)]);
    let later = |span: u64| [Op::Sleep(span), Op::Spend(1)];
    let (a, b, c) = (later(30), later(20), later(30));
    let expected = [(2, 0, 20), (2, 1, 21), (1, 0, 30), (1, 1, 31), (3, 0, 30), (3, 1, 31)];
    check(FREE, &[&a, &b, &c], &expected);
}

#[test]
fn time_passes_only_when_nobody_can_run() {
    // While thread 2 has work, the other's second comes no nearer; then it is there at once.
    let expected = [(2, 0, 5), (2, 1, 15), (2, 2, 15), (1, 0, 1000)];
    check(FREE, &[&[Op::Sleep(1000)], &[Op::Spend(5), Op::Sleep(10), Op::Spend(0)]], &expected);
}

#[test]
fn a_switch_takes_its_time_whenever_a_thread_begins_to_run() {
    let rules = Rules { switch: 7, ..FREE };
    check(rules, &[&[Op::Spend(10), Op::Sleep(100)]], &[(1, 0, 17), (1, 1, 124)]);
}

#[test]
fn a_wait_ends_when_somebody_wakes_it_or_at_its_deadline() {
    let wait: &[Op] = &[Op::Wait(0, Some(100))];
    check_ends(&[wait, &[Op::Sleep(99), Op::Wake(0)]], &[End::Done]);
    check_ends(&[wait, &[Op::Sleep(101), Op::Wake(0)]], &[End::TimedOut]);
    // Both at one instant: deadlines come before threads.
    check_ends(&[wait, &[Op::Sleep(100), Op::Wake(0)]], &[End::TimedOut]);
    check_ends(&[&[Op::Sleep(99), Op::Wake(0)], wait], &[End::Done, End::Woke(Some(2))]);
    check_ends(&[&[Op::Sleep(100), Op::Wake(0)], wait], &[End::Done, End::Woke(None)]);
    // Who is not there any more cannot be woken.
    check_ends(&[&[Op::Sleep(101), Op::Wake(0)], wait], &[End::Done, End::Woke(None)]);
    let twice = [Op::Wait(0, Some(100)), Op::Wait(0, Some(100))];
    let waker = [Op::Sleep(10), Op::Wake(0)];
    // The first wait's deadline, at 100, means nothing to the second.
    check(FREE, &[&twice, &waker], &[(2, 0, 10), (2, 1, 10), (1, 0, 10), (1, 1, 110)]);
}

#[test]
fn a_wake_up_takes_the_first_in_the_queue_and_a_broadcast_all_in_their_order() {
    let wait: &[Op] = &[Op::Wait(0, None)];
    let one = [Op::Sleep(10), Op::Wake(0), Op::Sleep(10), Op::Broadcast(0)];
    let expected =
        [(4, 0, 10), (4, 1, 10), (1, 0, 10), (4, 2, 20), (4, 3, 20), (2, 0, 20), (3, 0, 20)];
    check(FREE, &[wait, wait, wait, &one], &expected);
    let other_queue: &[Op] = &[Op::Wait(1, Some(50))];
    check_ends(&[other_queue, &one], &[End::TimedOut]);
}

#[test]
fn who_waits_for_a_thread_goes_on_at_its_end() {
    let (long, joiner) = ([Op::Sleep(30), Op::Spend(5)], [Op::Join(1), Op::Spend(1)]);
    let expected = [(1, 0, 30), (1, 1, 35), (2, 0, 35), (2, 1, 36)];
    check(FREE, &[&long, &joiner], &expected);
    // One that has ended is waited for by nobody.
    let late = [Op::Sleep(50), Op::Join(1)];
    check(FREE, &[&[Op::Spend(5)], &late], &[(1, 0, 5), (2, 0, 50), (2, 1, 50)]);
}

#[test]
fn a_lock_goes_to_those_who_wait_in_their_order_and_never_earlier_than_it_was_let_go() {
    let work: &[Op] = &[Op::Critical(0, 100)];
    check(FREE, &[work, work, work], &[(1, 0, 100), (2, 0, 200), (3, 0, 300)]);
    check(ONE_CORE, &[work, work, work], &[(1, 0, 100), (2, 0, 200), (3, 0, 300)]);
    let other: &[Op] = &[Op::Critical(1, 100)];
    // Before it lets its lock go, 1 sees that 2 is behind, and lets it catch up.
    check(FREE, &[work, other], &[(2, 0, 100), (1, 0, 100)]);
}

#[test]
fn a_lock_that_a_sleeper_waits_for_is_free_until_it_looks() {
    // 1 sleeps with the lock, so 2, which wants it, sleeps too. 1 lets it go at 1120 and has it again before 2 is at work at 1220.
    // 2 then insists: it has the lock from 1340 on, and 1, which wants it at 1350, waits until 2 lets it go.
    let rules = Rules { cores: 2, switch: 100, step: 10 };
    let sleeper = [Op::SleepLocked(0, 500), Op::Critical(0, 200), Op::Critical(0, 200)];
    let waiter = [Op::Spend(300), Op::Critical(0, 50)];
    let expected = [(2, 0, 400), (1, 0, 1120), (1, 1, 1340), (2, 1, 1400), (1, 2, 1610)];
    check(rules, &[&sleeper, &waiter], &expected);
}

#[test]
fn one_that_waits_for_a_lock_on_its_core_leaves_it_to_those_who_are_ready() {
    // 1 sleeps with lock 1. 2 has lock 0, and waits for lock 1 on its core as long as nobody needs that:
    // 3 waits for lock 0 on the other one, and 4 is ready.
    let rules = Rules { cores: 2, switch: 0, step: 10 };
    let (sleeper, both) = ([Op::SleepLocked(1, 1000)], Op::AllLocks(0));
    let both = [Op::Spend(165), both];
    // 2 waits from 185 on, while 1 is at its steps until 410. 4 takes the core from when 2 began to wait on it.
    let expected = [(2, 0, 165), (4, 0, 190), (1, 0, 1420), (2, 1, 1440), (3, 0, 1440)];
    check(rules, &[&sleeper, &both, &[Op::Critical(0, 0)], &[Op::Spend(5)]], &expected);
}

#[test]
fn devices_finish_before_deadlines_and_deadlines_before_threads_of_the_same_instant() {
    let (request, sleep) = ([Op::Request(0, 100)], [Op::Sleep(100)]);
    check(FREE, &[&sleep, &request], &[(2, 0, 100), (1, 0, 100)]);
    let ready = [Op::Sleep(100), Op::Wake(0)];
    // 3 is ready at 100, as 2 is by then; the timer of 1 comes before 3 begins to run.
    let expected = [(1, 0, 100), (2, 0, 100), (2, 1, 100), (3, 0, 100)];
    check(FREE, &[&sleep, &ready, &[Op::Wait(0, None)]], &expected);
}

#[test]
fn a_device_finishes_its_requests_at_their_instants_beside_other_devices() {
    let (slow, quick) = ([Op::Request(0, 100)], [Op::Request(0, 10)]);
    let other = [Op::Request(1, 10), Op::Request(1, 10)];
    let expected = [(3, 0, 10), (3, 1, 20), (1, 0, 100), (2, 0, 110)];
    check(FREE, &[&slow, &quick, &other], &expected);
}

#[test]
fn a_lock_operation_lets_those_go_first_who_became_ready_well_before() {
    let rules = Rules { cores: 2, switch: 20, step: 10 };
    // Both begin at 20. After three operations 1 is at 50 and 2 still at 20: further behind than it
    // takes to start a thread, so it catches up.
    let expected = [(2, 0, 50), (1, 0, 60)];
    check(rules, &[&[Op::Steps(4)], &[Op::Steps(3)]], &expected);
}

#[test]
fn one_that_is_woken_between_joining_a_queue_and_waiting_goes_on_once() {
    let rules = Rules { cores: 2, switch: 0, step: 100 };
    // 1 joins the queue; in the lock operation after that 2 goes first and wakes it.
    let waiter = [Op::JoinThenWait(0, Some(1000)), Op::Sleep(10), Op::Sleep(10)];
    let waker = [Op::Spend(50), Op::Wake(0)];
    let expected = [(2, 0, 50), (2, 1, 50), (1, 0, 100), (1, 1, 110), (1, 2, 120)];
    check(rules, &[&waiter, &waker], &expected);
}

#[test]
fn one_that_is_woken_by_somebody_who_is_behind_goes_on_when_it_began_to_wait() {
    let (ahead, behind) = ([Op::Spend(100), Op::Wait(0, None)], [Op::Spend(34), Op::Wake(0)]);
    let expected = [(1, 0, 100), (2, 0, 34), (2, 1, 34), (1, 1, 100)];
    check(FREE, &[&ahead, &behind], &expected);
}

#[test]
fn whoever_gives_way_leaves_its_core_to_those_who_find_none_and_needs_no_switch_to_go_on() {
    let client: &[Op] = &[Op::Spend(10), Op::GiveWay, Op::Spend(10)];
    let rules = Rules { cores: 1, switch: 2, step: 0 };
    // 2 is ready at 0 and finds the core taken; 1 goes on when it is done.
    let expected = [(1, 0, 12), (2, 0, 15), (1, 1, 15), (1, 2, 25)];
    check(rules, &[client, &[Op::Spend(1)]], &expected);
    // With a core for each, nobody waits.
    let expected = [(1, 0, 12), (1, 1, 12), (1, 2, 22), (2, 0, 3)];
    let mut seen = self::seen(Rules { cores: 4, ..rules }, &[client, &[Op::Spend(1)]]);
    seen.sort_by_key(|seen| (seen.thread, seen.place));
    let seen: Vec<_> = seen.iter().map(|seen| (seen.thread, seen.place, seen.now)).collect();
    assert_eq!(seen, expected);
}

#[test]
fn a_thread_of_a_disk_needs_no_core_no_switch_and_no_time() {
    let rules = Rules { cores: 1, switch: 7, step: 5 };
    let threads = [Vec::new(), vec![Op::Spend(100)], vec![Op::Request(0, 30), Op::Steps(3)]];
    let program = Program { rules, threads: threads.to_vec(), disks: vec![2] };
    let seen: Vec<_> =
        run(&program).iter().map(|seen| (seen.thread, seen.place, seen.now)).collect();
    // Thread 1 has the only core from 7 to 107 and does not look up; the request ends at 30 all the same.
    assert_eq!(seen, [(1, 0, 107), (2, 0, 30), (2, 1, 30)]);
}
