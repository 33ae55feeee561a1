//! Log blocks of single clients and of several, and when their room is free again.

use arcwright_units::Nanos;

use super::commit::Gathered;
use super::{LockHolder, LogLock, LogPacking, Record, State, WriteState, Zil};
use crate::ids::{BlockId, DatasetId, FileId, LogId, SlotId, VdevId};
use crate::io::place::Place;

const OLD: &str = "2.1.11";
const NEW: &str = "2.3.2";

fn write(bytes: u64, how: WriteState) -> Record {
    Record::Write { txg: 1, bytes, how }
}

/// Lets a slot come and put everything into blocks at `now`.
fn commit(zil: &mut Zil, slot: u32, now: u64, full: &mut Vec<LogId>) -> Gathered {
    let place = Place { vdev: VdevId(0), offset: 0 };
    zil.arrive(SlotId(slot), FileId(0), Nanos(now));
    let holder = LockHolder { slot: SlotId(slot), now: Nanos(now), synced: 0 };
    zil.gather(holder, &mut |_| place, full)
}

/// One client writes and waits, again and again; returns the size of the last block and what of it was
/// written.
fn alone(version: &str, bytes: u64, how: WriteState) -> (u64, u64) {
    let mut zil = Zil::new(DatasetId::own(), 1, LogPacking::of_version(version), 5);
    let place = Place { vdev: VdevId(0), offset: 0 };
    zil.create(place, 1);
    let mut seen = (0, 0);
    for _ in 0..20 {
        zil.add(FileId(0), write(bytes, how), None);
        let mut full = Vec::new();
        commit(&mut zil, 0, 0, &mut full);
        let last = *full.last().unwrap();
        for number in full {
            zil.get(number).unwrap().state = State::Done;
        }
        let block = zil.get(last).unwrap();
        assert_eq!(block.waiting, [SlotId(0)]);
        seen = (block.size, block.written_bytes());
    }
    seen
}

#[test]
fn blocks_are_as_large_as_each_version_makes_them() {
    let kib = |size: u64| size << 10;
    assert_eq!(alone(OLD, kib(4), WriteState::Copied), (kib(12), kib(8)));
    assert_eq!(alone(OLD, kib(16), WriteState::Copied), (kib(36), kib(20)));
    assert_eq!(alone("2.2.3", kib(16), WriteState::CopyLater), (kib(36), kib(20)));
    // 128 KiB and three headers of 192 bytes: two blocks of 68 KiB, the second with the rest of 63 KiB; or one that is
    // full, and the rest in another.
    assert_eq!(alone("2.2.2", kib(128), WriteState::CopyLater), (kib(68), kib(64)));
    assert_eq!(alone("2.2.3", kib(128), WriteState::CopyLater), (kib(128), kib(4)));
    assert_eq!(alone("2.2.4", kib(16), WriteState::CopyLater), (kib(20), kib(20)));
    assert_eq!(alone(NEW, kib(4), WriteState::Copied), (kib(8), kib(8)));
    assert_eq!(alone(NEW, kib(16), WriteState::CopyLater), (kib(20), kib(20)));
    assert_eq!(alone(NEW, kib(128), WriteState::Indirect(BlockId(3))), (kib(4), kib(4)));
}

/// docs/model/zil.md#waiting-for-company
#[test]
fn a_program_that_is_alone_waits_for_nobody_from_2_1_10_on() {
    let check = |version: &str, expected: bool| {
        let mut zil = Zil::new(DatasetId::own(), 1, LogPacking::of_version(version), 5);
        zil.create(Place { vdev: VdevId(0), offset: 0 }, 1);
        zil.add(FileId(0), write(1024, WriteState::Copied), None);
        let mut full = Vec::new();
        commit(&mut zil, 0, 0, &mut full);
        assert_eq!(!full.is_empty(), expected, "{version}");
    };
    for version in ["0.8.6", "2.0.3", "2.1.9"] {
        check(version, false);
    }
    for version in ["2.1.10", "2.2.0", "2.2.3", "2.2.4", "2.3.2"] {
        check(version, true);
    }
}

#[test]
fn a_block_is_free_when_its_group_is_on_the_disks() {
    let mut zil = Zil::new(DatasetId::own(), 1, LogPacking::of_version(NEW), 10);
    let place = Place { vdev: VdevId(0), offset: 0 };
    zil.create(place, 1);
    zil.add(FileId(0), write(4096, WriteState::Copied), None);
    let mut full = Vec::new();
    commit(&mut zil, 7, 0, &mut full);
    assert_eq!(zil.free(1), None);
    for number in full {
        zil.get(number).unwrap().state = State::Done;
    }
    assert_eq!(zil.free(0), None);
    assert_eq!(zil.free(1).map(|block| block.bytes), Some(4096));
    let more = std::iter::from_fn(|| zil.free(1)).count();
    assert_eq!((more, zil.is_absent()), (1, false));
}

#[test]
fn who_commits_takes_what_is_there_of_others_and_they_wait_for_its_block() {
    for version in [OLD, NEW] {
        let mut zil = Zil::new(DatasetId::own(), 1, LogPacking::of_version(version), 10);
        zil.create(Place { vdev: VdevId(0), offset: 0 }, 1);
        let record = || write(512, WriteState::Copied);
        for (at, _) in [(10, "own"), (20, "of one that is about to wait"), (40, "too late")] {
            zil.add(FileId(0), record(), Some(Nanos(at)));
        }
        let mut full = Vec::new();
        commit(&mut zil, 1, 30, &mut full);
        let [first] = full[..] else { panic!("{version}: {full:?}") };
        assert_eq!(zil.counters.records, 2, "{version}");
        // The second finds nothing to do: the first has logged its record, and it waits with it.
        zil.get(first).unwrap().state = State::Issued;
        let gathered = commit(&mut zil, 2, 35, &mut full);
        assert_eq!((full.len(), gathered.done.len()), (1, 0), "{version}");
        assert_eq!(zil.get(first).unwrap().waiting, [SlotId(1), SlotId(2)], "{version}");
        // What is on the disks needs no wait at all.
        zil.get(first).unwrap().state = State::Done;
        assert_eq!(commit(&mut zil, 3, 38, &mut full).done, [SlotId(3)], "{version}");
        commit(&mut zil, 4, 40, &mut full);
        assert_eq!((full.len(), zil.counters.records), (2, 3), "{version}");
    }
}

#[test]
fn the_lock_goes_to_who_waited_longest() {
    let mut lock = LogLock::default();
    assert_eq!([1, 2, 3].map(|slot| lock.take(SlotId(slot))), [true, false, false]);
    assert_eq!([(); 3].map(|()| lock.release()), [Some(SlotId(2)), Some(SlotId(3)), None]);
    assert!(lock.take(SlotId(4)));
}
