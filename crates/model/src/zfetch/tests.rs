//! Worked cases of docs/model/prefetch.md.

use arcwright_scenario::System;
use arcwright_units::Nanos;

use super::{AccessKind, Counters, Zfetch};
use crate::divisor::Divisor;
use crate::versions::rules::Prefetcher;
use crate::versions::settings::{PrefetchSettings, Settings};

const READ: AccessKind = AccessKind { fetches_data: true, crowded: false };

fn settings() -> PrefetchSettings {
    settings_of("2.1.11")
}

fn settings_of(version: &str) -> PrefetchSettings {
    let system: System = serde_free_system();
    Settings::of(&system, arcwright_tunables::Version::parse(version), 1).prefetch
}

fn serde_free_system() -> System {
    let text = "title = 't'\nquestion = 'q'\n[system]\nzfs = '2.1.11'\nmemory = '1GiB'\n\
                [system.pool]\ndata = [{ disk = 'hdd-nas-7200' }]\n\
                [[file]]\nname = 'f'\nsize = '1GiB'\n[[phase]]\nname = 'p'\n\
                clients = [{ read = 'f', io = '128KiB' }]\n";
    arcwright_scenario::Scenario::parse(text, "t.toml").unwrap().system
}

fn check(rules: Prefetcher, io_blocks: u64, expected: &[(u64, u64)]) {
    let version = if rules == Prefetcher::Doubling { "2.0.7" } else { "2.1.11" };
    let mut zfetch = Zfetch::new(rules, settings_of(version), 128 << 10, 8192);
    let mut asked = Vec::new();
    let blocks_of = |access: u64| access * io_blocks..(access + 1) * io_blocks;
    for access in 0..expected.len() as u64 + 2 {
        if let Some(id) = zfetch.access(blocks_of(access), Nanos::SECOND, READ) {
            let range = zfetch.take(id, true, Divisor::of(1024)).data;
            if !range.is_empty() {
                asked.push((range.start, range.end));
            }
        }
    }
    let count = expected.len().min(asked.len());
    assert_eq!(asked[..count], expected[..count]);
    assert!(count + 1 >= expected.len(), "{asked:?}");
}

/// The vectors of docs/model/prefetch.md#worked-cases.
#[test]
fn streams_ask_for_what_the_kernel_asks_for() {
    let early = [(2, 3), (3, 5), (5, 8), (8, 13), (13, 22), (22, 39), (39, 40), (40, 41)];
    check(Prefetcher::OnEvidence, 1, &early);
    check(Prefetcher::OnEvidence, 8, &[(16, 24), (24, 40), (40, 64), (64, 72)]);
    check(Prefetcher::Reordering, 1, &early);
}

/// docs/model/prefetch.md#worked-cases: accesses ahead of a stream that stands at block 10.
#[test]
fn accesses_out_of_order_belong_to_a_stream_from_2_2_4_on() {
    let counts = |rules: Prefetcher| {
        let mut zfetch = Zfetch::new(rules, settings(), 128 << 10, 8192);
        let mut seen = Vec::new();
        for (first, count) in [(0, 10), (11, 1), (12, 2), (10, 1)] {
            let was = zfetch.counters;
            let id = zfetch.access(first..first + count, Nanos::SECOND, READ);
            let asked = id.map(|id| zfetch.take(id, true, Divisor::of(1024)).data);
            let Counters { misses, future, stride, past, .. } = zfetch.counters;
            let rows =
                [misses - was.misses, future - was.future, stride - was.stride, past - was.past];
            seen.push((rows, asked.is_some_and(|range| !range.is_empty())));
        }
        seen
    };
    let [miss, future, stride, past] = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
    let expected = [(miss, false), (future, false), (stride, true), (past, false)];
    assert_eq!(counts(Prefetcher::Reordering), expected);
    // Before, what a stream does not expect makes one of its own.
    let missed = counts(Prefetcher::OnEvidence);
    assert_eq!(
        missed.iter().map(|(rows, _)| *rows).collect::<Vec<_>>(),
        [miss, miss, [0; 4], [0; 4]]
    );
}

/// docs/model/prefetch.md#worked-cases.
#[test]
fn the_distance_doubles_up_to_8_mib_before_2_1_6() {
    let asked = [(3, 4), (4, 6), (6, 9), (9, 14), (14, 23), (23, 40), (40, 73), (73, 74), (74, 75)];
    check(Prefetcher::Doubling, 1, &asked);
}

/// Blocks of 16 KiB, eight to a read, 1024 pointers to an indirect block: the distance doubles from
/// 128 KiB with every access and is counted from where the data ahead ends.
#[test]
fn indirect_blocks_are_asked_for_ahead_of_the_data() {
    let mut zfetch = Zfetch::new(Prefetcher::OnEvidence, settings(), 16 << 10, 65_536);
    let mut asked = Vec::new();
    for access in 0..12 {
        if let Some(id) = zfetch.access(access * 8..access * 8 + 8, Nanos::SECOND, READ) {
            let range = zfetch.take(id, true, Divisor::of(1024)).indirect;
            asked.extend((!range.is_empty()).then_some((access, range.start, range.end)));
        }
    }
    assert_eq!(asked, [(8, 1, 2), (9, 2, 3), (10, 3, 5)]);
}

/// docs/model/prefetch.md#reordering: a write ahead of a stream takes it along; what lies behind is past then, and
/// no other stream begins while a file may have one.
#[test]
fn a_write_ahead_takes_the_stream_along_from_2_2_4_on() {
    let mut zfetch = Zfetch::new(Prefetcher::Reordering, settings(), 32 << 10, 384);
    let write = AccessKind { fetches_data: false, crowded: false };
    for (first, kind) in [(10, READ), (200, write), (50, READ), (250, READ)] {
        zfetch.access(first..first + 1, Nanos::SECOND, kind);
    }
    let Counters { misses, stride, past, future, hits, .. } = zfetch.counters;
    assert_eq!([misses, stride, past, future, hits], [1, 1, 1, 1, 0]);
}

/// A stream that only writes have moved has asked for no data: what is read next is prefetched as if nothing had been.
#[test]
fn writes_ask_for_no_data() {
    for rules in [Prefetcher::Doubling, Prefetcher::OnEvidence, Prefetcher::Reordering] {
        let mut zfetch = Zfetch::new(rules, settings(), 128 << 10, 8192);
        let write = AccessKind { fetches_data: false, crowded: false };
        let mut asked = Vec::new();
        for (block, kind) in (8..12).map(|block| (block, write)).chain([(12, READ)]) {
            if let Some(id) = zfetch.access(block..block + 1, Nanos::SECOND, kind) {
                let range = zfetch.take(id, true, Divisor::of(1024)).data;
                asked.extend((!range.is_empty()).then_some((block, range)));
            }
        }
        assert_eq!(asked, [(12, 13..14)], "{rules:?}");
    }
}
