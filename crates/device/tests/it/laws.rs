//! What every device keeps to, whatever it is asked.

use arcwright_device::{
    Completion, Counters, Device, DeviceClass, DeviceGroup, DeviceLink, DeviceSpan, GroupMember,
    Io, Request, SharedDevice, profile, profile_names,
};
use arcwright_units::{Bytes, Nanos, Rate};
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

/// Submits steps to parts of a device in turns, each at the place where the whole device has it; returns what is done.
fn run_in_parts(shared: &mut SharedDevice, parts: &[usize], steps: &[Step]) -> Vec<Completion> {
    let mut now = Nanos::ZERO;
    let mut all = Vec::new();
    for ((ticket, step), part) in (0..).zip(steps).zip(parts.iter().cycle()) {
        now += Nanos(step.pause);
        shared.submit(now, ticket, *part, step.request);
    }
    shared.advance(Nanos::secs(100_000), &mut all);
    all
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20,
        failure_persistence: None,
        ..Default::default()
    })]

    /// To a device it does not matter whose request it serves.
    #[test]
    fn parts_share_one_device(steps in proptest::collection::vec(step(), 1..80)) {
        for name in profile_names() {
            let profile = named(name);
            let size = Bytes::gib(700);
            let sizes = [size, size, Bytes::gib(1)].map(Into::into);
            // An empty part more makes it one in parts, too.
            let mut whole = SharedDevice::new(&profile, &[Bytes(size.0 * 2 + (1 << 30)).into(), Bytes(0).into()], 1);
            let moved: Vec<Step> = (0..).zip(&steps).map(|(number, step): (u64, _)| {
                let request = Request { offset: step.request.offset + number % 2 * size.0, ..step.request };
                Step { request, ..*step }
            }).collect();
            let expected = run_in_parts(&mut whole, &[0], &moved);
            let mut shared = SharedDevice::new(&profile, &sizes, 1);
            let found = run_in_parts(&mut shared, &[0, 1], &steps);
            prop_assert_eq!(&found, &expected, "{}", name);
            let whole = whole.counters(0);
            let parts = [0, 1, 2].map(|part| shared.counters(part));
            let sum = |of: fn(&Counters) -> u64| parts.iter().map(of).sum::<u64>();
            prop_assert_eq!(sum(|it| it.reads), whole.reads, "{}", name);
            prop_assert_eq!(sum(|it| it.writes), whole.writes, "{}", name);
            prop_assert_eq!(sum(|it| it.flushes), whole.flushes, "{}", name);
            prop_assert_eq!(sum(|it| it.read_bytes.0), whole.read_bytes.0, "{}", name);
            prop_assert_eq!(sum(|it| it.write_bytes.0), whole.write_bytes.0, "{}", name);
            prop_assert_eq!(parts.map(|it| (it.busy, it.seeks)), [(whole.busy, whole.seeks); 3]);
            prop_assert_eq!(parts[2].reads + parts[2].writes + parts[2].flushes, 0);
        }
    }

    /// What lies in front of a part moves its requests, and nothing else.
    #[test]
    fn a_part_behind_others_is_at_its_place(steps in proptest::collection::vec(step(), 1..80)) {
        for name in profile_names() {
            let profile = named(name);
            let (before, size) = (Bytes::gib(300), Bytes::gib(700));
            let mut whole = SharedDevice::new(&profile, &[Bytes(before.0 + size.0).into()], 1);
            let moved: Vec<Step> = steps.iter().map(|step| {
                let request = Request { offset: step.request.offset + before.0, ..step.request };
                Step { request, ..*step }
            }).collect();
            let expected = run_in_parts(&mut whole, &[0], &moved);
            let mut part = SharedDevice::new(&profile, &[DeviceSpan { before, size }], 1);
            prop_assert_eq!(run_in_parts(&mut part, &[0], &steps), expected, "{}", name);
            prop_assert_eq!(part.counters(0), whole.counters(0), "{}", name);
        }
    }
}

/// A write of one part beside reads of another: on SATA it waits for their way over the link, on PCIe it does not.
#[test]
fn a_sata_link_carries_one_direction_at_a_time() {
    let waits = |name: &str, parts: usize| {
        let sizes = vec![Bytes::gib(10).into(); parts];
        let mut shared = SharedDevice::new(&named(name), &sizes, 1);
        let request = |io| Request { io, offset: 0, size: 1 << 20 };
        for ticket in 0..8 {
            shared.submit(Nanos::ZERO, ticket, parts - 1, request(Io::Read));
        }
        shared.submit(Nanos::ZERO, 8, 0, request(Io::Write));
        let mut done = Vec::new();
        shared.advance(Nanos::secs(1), &mut done);
        done.iter().find(|it| it.ticket == 8).unwrap().at
    };
    // Eight reads of 1 MiB at 540 MB/s.
    assert!(waits("ssd-sata-plp", 2) > waits("ssd-sata-plp", 1) + Nanos::millis(15));
    assert_eq!(waits("nvme-plp", 2), waits("nvme-plp", 1));
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

const fn megabytes(count: u64) -> Rate {
    Rate(count * 1_000_000)
}

/// Longer than any request takes, and what a device does by itself afterwards.
const APART: u64 = 60_000_000_000;
const WIDE: DeviceLink =
    DeviceLink { rate: Rate(1 << 40), one_way: false, requests_max: None, factor: 1 };

/// Lets a group do steps, disk after disk in turns, looking at each event; returns what is done.
fn run_in_group(group: &mut DeviceGroup, disks: usize, steps: &[Step]) -> Vec<Completion> {
    let mut now = Nanos::ZERO;
    let mut all = Vec::new();
    let mut look = |group: &mut DeviceGroup, until: Nanos| {
        while let Some(next) = group.next_event().filter(|next| *next <= until) {
            group.advance(next, &mut all);
        }
    };
    for ((ticket, step), disk) in (0..).zip(steps).zip((0..disks).cycle()) {
        now += Nanos(step.pause);
        look(group, now);
        group.submit(now, ticket, disk, step.request);
    }
    look(group, Nanos::MAX);
    all
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20,
        failure_persistence: None,
        ..Default::default()
    })]

    /// A link loses nothing, is not busy for longer than it runs, and makes no request quicker that is alone.
    #[test]
    fn a_link_delays_and_loses_nothing(
        steps in proptest::collection::vec(step(), 1..80),
        one_way in any::<bool>(),
        requests_max in prop_oneof![Just(None), (1u32..6).prop_map(Some)],
    ) {
        for name in profile_names() {
            let profile = named(name);
            let member = |seed| GroupMember {
                profile: &profile, span: Bytes::gib(700).into(), part_of: None, seed,
            };
            let members = [member(1), member(2), member(3)];
            let narrow = DeviceLink { rate: megabytes(50), one_way, requests_max, factor: 1 };
            let run = |link: DeviceLink, steps: &[Step]| {
                let mut group = DeviceGroup::new(&members, Some(link)).unwrap();
                let done = run_in_group(&mut group, members.len(), steps);
                let counted: Vec<Counters> = (0..3).map(|disk| group.counters(disk)).collect();
                (done, counted, group.link_counters().unwrap())
            };
            let (done, counted, carried) = run(narrow, &steps);
            prop_assert!(done.is_sorted_by_key(|completion| completion.at), "{}", name);
            let mut tickets: Vec<u32> = done.iter().map(|completion| completion.ticket).collect();
            tickets.sort_unstable();
            prop_assert!(tickets.iter().copied().eq((0..).take(steps.len())), "{}", name);
            let sum = |of: fn(&Counters) -> u64| counted.iter().map(of).sum::<u64>();
            prop_assert_eq!(sum(|it| it.read_bytes.0), carried.read_bytes.0);
            prop_assert_eq!(sum(|it| it.write_bytes.0), carried.write_bytes.0);
            let end = done.last().map_or(Nanos::ZERO, |completion| completion.at);
            let busy = match one_way {
                true => carried.read_busy + carried.write_busy,
                false => carried.read_busy.max(carried.write_busy),
            };
            prop_assert!(busy <= end, "{}: busy for longer than it ran", name);
            if requests_max.is_none() {
                // Alone each is there as early behind a wide link, or earlier. In a queue it need not be: what waits for
                // the link keeps its place in the device, so that the device takes others in another order.
                let alone: Vec<Step> =
                    steps.iter().map(|step| Step { pause: APART, ..*step }).collect();
                let ((done, _, _), (wide, _, _)) = (run(narrow, &alone), run(WIDE, &alone));
                let at = |all: &[Completion], ticket: u32| all.iter().find(|it| it.ticket == ticket).unwrap().at;
                for ticket in tickets {
                    prop_assert!(at(&wide, ticket) <= at(&done, ticket), "{}", name);
                }
            }
        }
    }
}

#[test]
fn a_wide_link_changes_nothing() {
    for name in profile_names() {
        let profile = named(name);
        let member =
            GroupMember { profile: &profile, span: Bytes::gib(700).into(), part_of: None, seed: 1 };
        let request = |at: u64| Request { io: Io::Read, offset: at << 30, size: 1 << 16 };
        let steps: Vec<Step> =
            (0..40).map(|at| Step { pause: 100_000, request: request(at * 7 % 40) }).collect();
        let link = DeviceLink { rate: Rate(u64::MAX), ..WIDE };
        let linked = run_in_group(&mut DeviceGroup::new(&[member], Some(link)).unwrap(), 1, &steps);
        let alone = run_in_group(&mut DeviceGroup::new(&[member], None).unwrap(), 1, &steps);
        assert_eq!(linked, alone, "{name}");
    }
}

/// Disks behind a link move together what it carries, and one that is asked by one request at a time serves one disk.
#[test]
fn disks_behind_a_link_share_its_rate() {
    let check = |link: DeviceLink, disks: u32, expected_ms: std::ops::Range<u64>| {
        let profile = named("hdd-nas-7200");
        let member = |seed| GroupMember {
            profile: &profile,
            span: Bytes::gib(700).into(),
            part_of: None,
            seed,
        };
        let members: Vec<GroupMember<'_>> = (0..u64::from(disks)).map(member).collect();
        let mut group = DeviceGroup::new(&members, Some(link)).unwrap();
        for ticket in 0..64 * disks {
            let offset = u64::from(ticket / disks) << 20;
            let request = Request { io: Io::Read, offset, size: 1 << 20 };
            group.submit(Nanos::ZERO, ticket, (ticket % disks) as usize, request);
        }
        let mut done = Vec::new();
        while let Some(next) = group.next_event() {
            group.advance(next, &mut done);
        }
        let last = done.last().unwrap().at.0 / 1_000_000;
        assert!(expected_ms.contains(&last), "{link:?} {disks}: {last} ms");
    };
    // 64 MiB of each disk, which reads some 260 MB/s at its beginning.
    check(WIDE, 1, 240..340);
    check(WIDE, 4, 240..340);
    // 256 MiB at 200 MB/s.
    check(DeviceLink { rate: megabytes(200), ..WIDE }, 4, 1340..1400);
    // Twice as slow, twice as long.
    check(DeviceLink { rate: megabytes(200), factor: 2, ..WIDE }, 4, 2680..2800);
    // One request at a time: the disks take turns, though what comes next is in their buffers by then.
    check(DeviceLink { requests_max: Some(1), ..WIDE }, 4, 450..4000);
}
