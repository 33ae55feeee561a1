//! What every device keeps to, whatever it is asked.

use arcwright_device::{
    Completion, Counters, Device, DeviceClass, Io, Request, profile, profile_names,
};
use arcwright_units::{Bytes, Nanos};
use proptest::prelude::*;

use crate::driver::{named, whole};

#[derive(Debug, Clone, Copy)]
struct Step {
    pause: u64,
    request: Request,
}

fn step() -> impl Strategy<Value = Step> {
    let io = prop_oneof![5 => Just(Io::Read), 5 => Just(Io::Write), 1 => Just(Io::Flush)];
    let pause = prop_oneof![3 => Just(0), 2 => 0..200_000u64, 1 => 0..100_000_000u64];
    let place = prop_oneof![2 => 0..64u64, 1 => 0..10_000_000u64];
    (io, pause, place, 1..256u32).prop_map(|(io, pause, place, blocks)| {
        let size = if io == Io::Flush { 0 } else { blocks * 4096 };
        Step { pause, request: Request { io, offset: place * 65_536, size } }
    })
}

/// Submits all steps, waits for the end, and checks the laws of time on the way.
fn run(device: &mut Device, steps: &[Step]) -> Vec<Completion> {
    let mut now = Nanos::ZERO;
    let mut all = Vec::new();
    for (ticket, step) in (0..).zip(steps) {
        now += Nanos(step.pause);
        device.advance(now, &mut all);
        device.submit(now, ticket, step.request);
        assert!(device.next_event().is_some_and(|at| at >= now), "an event before now");
    }
    let mut idle = 0;
    while let Some(next) = device.next_event() {
        assert!(next >= now, "an event before now");
        now = next;
        let before = all.len();
        device.advance(now, &mut all);
        idle = if all.len() == before { idle + 1 } else { 0 };
        assert!(idle < 100_000, "the device goes on without end");
    }
    assert!(all.is_sorted_by_key(|completion| completion.at), "completions out of order");
    let mut tickets: Vec<_> = all.iter().map(|completion| completion.ticket).collect();
    tickets.sort_unstable();
    assert!(tickets.iter().copied().eq((0..).take(steps.len())), "each once");
    all
}

fn check_counters(counters: &Counters, steps: &[Step], end: Nanos) {
    let bytes =
        |io| steps.iter().filter(|s| s.request.io == io).map(|s| u64::from(s.request.size)).sum();
    let count = |io| steps.iter().filter(|s| s.request.io == io).count() as u64;
    assert_eq!(counters.reads, count(Io::Read));
    assert_eq!(counters.writes, count(Io::Write));
    assert_eq!(counters.flushes, count(Io::Flush));
    assert_eq!(counters.read_bytes, Bytes(bytes(Io::Read)));
    assert_eq!(counters.write_bytes, Bytes(bytes(Io::Write)));
    assert!(counters.busy <= end, "busy for longer than it ran");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn every_request_completes_once_and_in_order_and_is_counted(
        steps in proptest::collection::vec(step(), 1..120),
        factor in prop_oneof![Just(1u64), Just(32)],
    ) {
        for name in profile_names() {
            let profile = named(name).scaled(factor);
            let all = run(&mut whole(&profile), &steps);
            let mut again = whole(&profile);
            prop_assert_eq!(&run(&mut again, &steps), &all, "{} is not deterministic", name);
            let end = all.last().map_or(Nanos::ZERO, |completion| completion.at);
            check_counters(&again.counters(), &steps, end);
            if profile.class() != DeviceClass::Instant {
                let starts = steps.iter().scan(Nanos::ZERO, |now, step| {
                    *now += Nanos(step.pause);
                    Some(*now)
                });
                let starts: Vec<_> = starts.collect();
                prop_assert!(all.iter().all(|c| c.at > starts[c.ticket as usize]), "{}", name);
            }
        }
    }

    #[test]
    fn looking_rarely_changes_nothing(steps in proptest::collection::vec(step(), 1..80)) {
        for name in profile_names() {
            let mut often = Vec::new();
            let (mut now, mut device) = (Nanos::ZERO, whole(&named(name)));
            for (ticket, step) in (0..).zip(&steps) {
                let then = now + Nanos(step.pause);
                for part in 1..=4 {
                    device.advance(Nanos(now.0 + step.pause * part / 4), &mut often);
                }
                now = then;
                device.submit(now, ticket, step.request);
            }
            device.advance(Nanos::secs(100_000), &mut often);
            let (mut now, mut device, mut rarely) =
                (Nanos::ZERO, whole(&named(name)), Vec::new());
            for (ticket, step) in (0..).zip(&steps) {
                now += Nanos(step.pause);
                device.submit(now, ticket, step.request);
            }
            device.advance(Nanos::secs(100_000), &mut rarely);
            often.sort_unstable_by_key(|c| (c.at, c.ticket));
            prop_assert_eq!(&often, &rarely, "{}", name);
            prop_assert_eq!(device.next_event(), None);
        }
    }
}

#[test]
fn every_profile_is_well_formed_and_named_once() {
    let names = profile_names();
    for name in &names {
        let profile = profile(name).unwrap_or_else(|| panic!("{name} does not parse"));
        assert_eq!(profile.name(), *name);
        assert!(!profile.title().is_empty(), "{name}");
        assert!(profile.capacity() > Bytes::gib(10), "{name}: {}", profile.capacity());
        assert!(profile.read_rate_max().0 > 0 && profile.write_rate_max().0 > 0, "{name}");
        assert_eq!(profile.is_rotational(), name.starts_with("hdd-"), "{name}");
    }
    assert!(names.iter().all(|name| names.iter().filter(|other| *other == name).count() == 1));
    assert!(profile("no-such-device").is_none());
}

#[test]
fn an_instant_device_takes_no_time() {
    let mut device = whole(&named("instant"));
    let request = Request { io: Io::Write, offset: 0, size: 1 << 20 };
    device.submit(Nanos(5), 3, request);
    assert_eq!(device.next_event(), Some(Nanos(5)));
    let mut done = Vec::new();
    device.advance(Nanos(5), &mut done);
    assert_eq!(done, [Completion { ticket: 3, at: Nanos(5) }]);
    assert_eq!(device.next_event(), None);
}
