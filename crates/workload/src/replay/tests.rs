//! What replays ask for, whatever the trace.

use arcwright_units::{Bytes, Nanos};
use proptest::prelude::*;

use super::{RecordSizes, Recorded, Replay};
use crate::traces::{Addressing, Request, RequestKind};

const RECORD: Bytes = Bytes::kib(128);

fn request((second, volume, place, bytes): (u64, u32, u64, u32), kind: RequestKind) -> Request {
    Request { time: Nanos(second * Nanos::SECOND.0), place, bytes, volume, kind }
}

fn read(one: (u64, u32, u64, u32)) -> Request {
    request(one, RequestKind::Read)
}

fn played(requests: &[Request], source: (Addressing, bool)) -> Replay {
    let mut recorded = Recorded::with_room(1000);
    recorded.add(requests).unwrap();
    recorded.replay(source, RECORD).unwrap()
}

/// What a replay asks for: second, file, offset, bytes.
fn asked(replay: &Replay) -> Vec<(u64, u16, u64, u32)> {
    let all = (0..replay.requests().len()).filter_map(|number| replay.get(number));
    all.map(|one| (one.at.0 / Nanos::SECOND.0, one.file, one.offset, one.size)).collect()
}

#[test]
fn large_volumes_have_files_of_what_was_touched() {
    const FAR: u64 = 7 << 30;
    let requests = [
        read((1, 0, FAR, 4096)),
        read((2, 0, 100, 8192)),
        read((3, 0, FAR + (1 << 20) - 4096, 8192)),
    ];
    let replay = played(&requests, (Addressing::Bytes, true));
    let sizes: Vec<Bytes> = replay.files().iter().map(|file| file.size).collect();
    assert_eq!(sizes, [Bytes::mib(2) + RECORD]);
    let expected = [(1, 0, 1 << 20, 4096), (2, 0, 100, 8192), (3, 0, (2 << 20) - 4096, 8192)];
    assert_eq!(asked(&replay), expected);
}

#[test]
fn files_have_the_records_of_their_datasets() {
    let mut records = RecordSizes::all(RECORD);
    [None, Some(Bytes::kib(16)), Some(Bytes::mib(1))]
        .into_iter()
        .for_each(|size| records.next(size));
    let requests: Vec<Request> = (0..4)
        .flat_map(|volume| [read((0, volume, 0, 4096)), read((0, volume, 200_000, 4096))])
        .collect();
    let mut recorded = Recorded::with_room(1000);
    recorded.add(&requests).unwrap();
    let replay = recorded.replay_with((Addressing::Bytes, false), &records).unwrap();
    let found: Vec<_> = replay.files().iter().map(|file| (file.size, file.recordsize)).collect();
    // The last was met after the sizes were asked for; what fits into a record of a mebibyte has one that holds it.
    let usual = (Bytes::kib(256), None);
    let expected = [
        usual,
        (Bytes::kib(208), Some(Bytes::kib(16))),
        usual,
        (Bytes::kib(256), Some(Bytes::kib(256))),
    ];
    assert_eq!((found.as_slice(), replay.named()), (expected.as_slice(), 2));
}

#[test]
fn small_files_and_objects_have_records_of_their_size() {
    let files = [read((0, 0, 0, 3000)), read((0, 1, 1000, 3000)), read((0, 2, 0, 100 << 10))];
    let replay = played(&files, (Addressing::Bytes, false));
    let found: Vec<_> = replay.files().iter().map(|file| (file.size, file.recordsize)).collect();
    let shared = (Bytes::kib(8), Some(Bytes::kib(4)));
    assert_eq!(found, [shared, (RECORD, None)]);
    let objects = [read((0, 0, 77, 3000)), read((0, 0, 5, 300 << 10)), read((0, 0, 77, 4000))];
    let replay = played(&objects, (Addressing::Objects, false));
    let found: Vec<_> = replay.files().iter().map(|file| (file.size, file.recordsize)).collect();
    assert_eq!(found, [(Bytes::kib(384), None), (Bytes::kib(4), Some(Bytes::kib(4)))]);
    // An object is read as a whole, as large as it ever was.
    assert_eq!(asked(&replay), [(0, 1, 0, 4000), (0, 0, 0, 300 << 10), (0, 1, 0, 4000)]);
}

#[test]
fn a_flush_makes_the_write_before_it_wait() {
    let requests = [
        request((0, 0, 0, 512), RequestKind::Write),
        request((0, 1, 0, 512), RequestKind::Write),
        read((0, 0, 0, 512)),
        request((0, 0, 0, 0), RequestKind::Flush),
        request((0, 2, 0, 0), RequestKind::Flush),
        request((0, 0, 0, 512), RequestKind::Trim),
    ];
    let replay = played(&requests, (Addressing::Bytes, false));
    let found: Vec<_> = replay.requests().iter().map(|one| (one.write, one.flush)).collect();
    assert_eq!(found, [(true, true), (true, false), (false, false)]);
}

#[test]
fn a_time_of_it_begins_anew() {
    let requests: Vec<Request> = (0..10).map(|second| read((second, 0, 0, 4096))).collect();
    let whole = played(&requests, (Addressing::Bytes, true));
    let seconds = |replay: &Replay| -> Vec<u64> {
        asked(replay).into_iter().map(|(second, ..)| second).collect()
    };
    let at = |seconds: u64| Nanos(seconds * Nanos::SECOND.0);
    let check = |replay: Replay, expected: &[u64]| assert_eq!(seconds(&replay), expected);
    check(whole.between(at(7), None), &[0, 1, 2]);
    check(whole.between(at(2), Some(at(4))), &[0, 1]);
    check(whole.between(at(2), None).between(at(6), None), &[0, 1]);
    check(whole.between(at(20), None), &[]);
    check(whole.share(0.0, 0.2), &[0, 1]);
    check(whole.share(0.8, 1.0), &[0, 1]);
    check(whole.clone().unpaced().share(0.8, 1.0), &[0, 0]);
    assert_eq!(whole.between(at(2), None).duration(), at(7));
}

#[test]
fn what_cannot_be_played_is_refused() {
    let refusal = |requests: &[Request], room: usize| {
        let mut recorded = Recorded::with_room(room);
        let added = recorded.add(requests);
        added.and_then(|()| recorded.replay((Addressing::Bytes, false), RECORD)).unwrap_err()
    };
    let many = [read((0, 0, 0, 512)); 3];
    assert!(refusal(&many, 2).starts_with("the trace has more than 2 requests"));
    let far = [read((0, 0, u64::MAX, 512))];
    assert_eq!(refusal(&far, 9), format!("byte {} lies beyond what a file can hold", u64::MAX));
    // Each for 4 GiB, all over: neither memory nor time goes into them.
    let vast: Vec<Request> = (0..5000).map(|at| read((0, 0, at << 33, u32::MAX))).collect();
    assert!(refusal(&vast, 5000).starts_with("the trace touches more than 16 TiB"));
    assert!(refusal(&vec![read((0, 0, 0, u32::MAX)); 100], 200).contains("no memory"));
    let trims = [request((0, 0, 0, 512), RequestKind::Trim)];
    assert_eq!(refusal(&trims, 9), "the trace neither reads nor writes");
}

fn any_request() -> impl Strategy<Value = Request> {
    let place = prop_oneof![0..(1u64 << 22), 0..(1u64 << 40), Just(0)];
    (0..9u64, 0..5u32, place, 0..(40u32 << 20), 0..4usize).prop_map(
        |(time, volume, place, bytes, kind)| {
            request((time, volume, place, bytes), RequestKind::ALL[kind])
        },
    )
}

fn any_replay() -> impl Strategy<Value = Replay> {
    let source = (prop_oneof![Just(Addressing::Bytes), Just(Addressing::Objects)], any::<bool>());
    (prop::collection::vec(any_request(), 1..40), source).prop_filter_map(
        "nothing",
        |(all, source)| {
            let mut recorded = Recorded::with_room(1000);
            recorded.add(&all).ok()?;
            recorded.replay(source, RECORD).ok()
        },
    )
}

fn check_within(replay: &Replay) {
    let mut before = Nanos::ZERO;
    for number in 0..replay.requests().len() {
        let one = replay.get(number).unwrap();
        let file = replay.files()[usize::from(one.file)];
        assert!(
            one.size > 0 && one.offset + u64::from(one.size) <= file.size.0,
            "{one:?} {file:?}"
        );
        assert!(one.at >= before);
        before = one.at;
    }
}

proptest! {
    #[test]
    fn every_request_lies_in_its_file(replay in any_replay(), factor in 1u64..50) {
        check_within(&replay);
        check_within(&replay.thinned(factor));
        let (one, two) = (replay.share(0.0, 0.5), replay.share(0.5, 1.0));
        prop_assert_eq!(one.requests().len() + two.requests().len(), replay.requests().len());
        // Both halves are thinned alike: they play on the same files.
        let (one, two) = (one.thinned(factor), two.thinned(factor));
        prop_assert_eq!(one.files(), two.files());
        let count = one.requests().len() + two.requests().len();
        prop_assert!(count.abs_diff(replay.thinned(factor).requests().len()) <= replay.requests().len());
    }

    #[test]
    fn what_is_the_same_stays_the_same(places in prop::collection::vec(0..64u64, 2..60), factor in 1u64..8) {
        // Records of 128 KiB in a row: two requests meet in the replay just where they met in the trace.
        let all: Vec<Request> =
            places.iter().map(|place| read((0, 0, place * RECORD.0 * 8, 131_072))).collect();
        let thin = played(&all, (Addressing::Bytes, false)).thinned(factor);
        let distinct = |offsets: Vec<u64>| {
            let mut offsets = offsets;
            offsets.sort_unstable();
            offsets.dedup();
            offsets.len() as u64
        };
        let found = distinct(thin.requests().iter().map(|one| one.offset).collect());
        prop_assert!(found * (1 << 20) <= thin.files()[0].size.0 + (1 << 20));
    }
}

#[test]
fn a_replay_is_sent_to_another_process_whole() {
    let requests = [read((1, 0, 9000, 4096)), request((2, 0, 0, 512), RequestKind::Write)];
    let replay = played(&requests, (Addressing::Bytes, true)).between(Nanos::SECOND, None);
    let text = serde_json::to_string(&replay).unwrap();
    assert_eq!(serde_json::from_str::<Replay>(&text).unwrap(), replay);
}
