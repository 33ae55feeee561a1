//! Shingled drives have a cliff, and idle time leads back from it.

use arcwright_device::{Completion, Device, DeviceProfile, Io, Request, profile};
use arcwright_units::{Bytes, Nanos, Rate};
use proptest::prelude::*;

use crate::driver::{FLUSH, Random, closed_loop, read, whole, write};

/// The 8 TB drive with a small cache, so that it is soon full.
fn small_cache() -> DeviceProfile {
    let text = include_str!("../../profiles/hdd-smr-8tb.toml");
    let text = text
        .replace("media_cache_bytes = 25_000_000_000", "media_cache_bytes = 100_000_000")
        .replace("media_cache_entries = 182_000", "media_cache_entries = 2_000");
    let profile =
        DeviceProfile::parse("small-cache", &text).unwrap_or_else(|error| panic!("{error}"));
    assert!(profile.is_shingled());
    profile
}

/// Writes 4 KiB at places without pattern in the first `within`, and returns how many per second.
fn random_writes(device: &mut Device, start: Nanos, count: usize, within: Bytes) -> (f64, Nanos) {
    let mut random = Random(start.0 + 3);
    let next = |_| write(random.below(within.0 / 4096) * 4096, 4096);
    let run = closed_loop(device, start, 8, count, next);
    (count as f64 / (run.end - start).as_secs_f64(), run.end)
}

#[test]
fn small_writes_fall_off_a_cliff_and_a_rest_brings_them_back() {
    let profile = small_cache();
    let mut device = whole(&profile);
    let whole_drive = profile.capacity();
    let (fast, end) = random_writes(&mut device, Nanos::ZERO, 1900, whole_drive);
    let (_, end) = random_writes(&mut device, end, 200, whole_drive);
    let (slow, end) = random_writes(&mut device, end, 50, whole_drive);
    assert!(fast > 200.0, "{fast} per second while there is room");
    assert!((0.5..8.0).contains(&slow), "{slow} per second when there is none");
    // An hour of rest: 2,000 bands at 0.6 to 1.6 s.
    let mut done = Vec::new();
    let rested = end + Nanos::secs(3600);
    device.advance(rested, &mut done);
    assert_eq!(done, [], "nobody asked for anything");
    let (again, _) = random_writes(&mut device, rested, 500, whole_drive);
    assert!(again > fast / 2.0, "{again} per second after a rest, {fast} at first");
}

#[test]
fn writes_to_few_bands_are_cleaned_together() {
    let profile = small_cache();
    let rate_full = |within: Bytes| {
        let mut device = whole(&profile);
        let (_, end) = random_writes(&mut device, Nanos::ZERO, 3000, within);
        random_writes(&mut device, end, 400, within).0
    };
    let (narrow, wide) = (rate_full(Bytes::gib(2)), rate_full(Bytes::gib(200)));
    assert!(narrow > 5.0 * wide, "{narrow} in 2 GiB, {wide} in 200 GiB");
}

#[test]
fn a_long_row_does_not_need_the_cache() {
    let profile = small_cache();
    let mut device = whole(&profile);
    let size = 1 << 20;
    // Twenty times the cache.
    let run =
        closed_loop(&mut device, Nanos::ZERO, 4, 2000, |index| write(index as u64 * size, 1 << 20));
    let rate = Rate::of(Bytes(2000 * size), run.end);
    let share = rate.0 as f64 / profile.write_rate_max().0 as f64;
    assert!(share > 0.9, "{rate}");
}

#[test]
fn what_lies_in_the_cache_is_read_from_there() {
    let profile = profile("hdd-smr-8tb").unwrap();
    let size = 128 << 10;
    let read_again = |is_rewritten: bool| {
        let mut device = whole(&profile);
        let mut start = Nanos::ZERO;
        if is_rewritten {
            // Every other 4 KiB of 64 MiB, far inside, in no order.
            let mut random = Random(5);
            let next = |_| write((1 << 42) + random.below(8192) * 8192, 4096);
            start = closed_loop(&mut device, start, 8, 4000, next).end;
            start = closed_loop(&mut device, start, 1, 1, |_| FLUSH).end;
        }
        let next = |index| read((1 << 42) + index as u64 * size, 128 << 10);
        closed_loop(&mut device, start, 1, 512, next).end - start
    };
    let (plain, scattered) = (read_again(false), read_again(true));
    assert!(
        scattered > Nanos(plain.0 * 3),
        "{plain} in bands, {scattered} with parts in the cache"
    );
}

#[test]
fn a_scaled_drive_has_its_cliff_at_the_same_place() {
    let profile = small_cache();
    // Until the cache is nearly full: a quarter of the writes, each of which takes four times as long.
    let until_full = |factor: usize| {
        let scaled = profile.scaled(factor as u64);
        let mut device = Device::new(&scaled, scaled.capacity(), 1);
        let (_, end) = random_writes(&mut device, Nanos::ZERO, 1900 / factor, scaled.capacity());
        end.as_secs_f64()
    };
    let (one, four) = (until_full(1), until_full(4));
    assert!((0.8..1.25).contains(&(four / one)), "{one} s and {four} s");
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Ask(Request),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let request = (0u64..3000, 1u32..600, any::<bool>()).prop_map(|(block, blocks, is_read)| {
        let io = if is_read { Io::Read } else { Io::Write };
        Step::Ask(Request { io, offset: block << 16, size: blocks << 12 })
    });
    prop_oneof![
        8 => request,
        1 => Just(Step::Ask(FLUSH)),
        1 => (0u64..20_000).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn everything_that_is_asked_is_done_once_and_the_drive_comes_to_rest(
        steps in prop::collection::vec(step(), 1..120),
        factor in 1u64..5,
    ) {
        let profile = small_cache().scaled(factor);
        let mut device = Device::new(&profile, Bytes::gib(1), 1);
        let mut now = Nanos::ZERO;
        let mut done: Vec<Completion> = Vec::new();
        let mut asked = 0;
        for step in steps {
            match step {
                Step::Ask(request) => {
                    device.submit(now, asked, request);
                    asked += 1;
                }
                Step::Wait(ms) => {
                    now += Nanos::millis(ms);
                    device.advance(now, &mut done);
                }
            }
        }
        // A day is enough for a gigabyte, and then there is nothing left to do.
        let mut events = 0;
        while let Some(next) = device.next_event() {
            now = now.max(next);
            device.advance(now, &mut done);
            events += 1;
            prop_assert!(events < 1_000_000, "it never comes to rest");
        }
        prop_assert!(done.is_sorted_by_key(|completion| completion.at));
        let mut tickets: Vec<u32> = done.iter().map(|completion| completion.ticket).collect();
        tickets.sort_unstable();
        prop_assert_eq!(tickets, (0..asked).collect::<Vec<_>>());
    }
}
