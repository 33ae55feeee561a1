//! Log blocks of single clients, and when their room is free again.

use super::{LogPlanning, Record, State, WriteState, Zil};
use crate::ids::{BlockId, FileId, SlotId};
use crate::io::place::Place;

fn write(bytes: u64, how: WriteState) -> Record {
    Record::Write { group: 1, bytes, how }
}

/// One client writes and waits, again and again; returns the size of the last block and what of it was
/// written.
fn alone(planning: LogPlanning, bytes: u64, how: WriteState) -> (u64, u64) {
    let mut zil = Zil::new(1, planning, 5);
    let place = Place { vdev: 0, offset: 0 };
    zil.create(place, 1);
    let mut seen = (0, 0);
    for _ in 0..20 {
        zil.add(FileId(0), write(bytes, how));
        let mut full = Vec::new();
        zil.commit((SlotId(0), FileId(0)), 0, &mut |_| place, &mut full);
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
    assert_eq!(alone(LogPlanning::Buckets, kib(4), WriteState::Copied), (kib(12), kib(8)));
    assert_eq!(alone(LogPlanning::Buckets, kib(16), WriteState::Copied), (kib(36), kib(20)));
    assert_eq!(alone(LogPlanning::Bursts, kib(4), WriteState::Copied), (kib(8), kib(8)));
    assert_eq!(alone(LogPlanning::Bursts, kib(16), WriteState::CopyLater), (kib(20), kib(20)));
    assert_eq!(
        alone(LogPlanning::Bursts, kib(128), WriteState::Indirect(BlockId(3))),
        (kib(4), kib(4))
    );
}

#[test]
fn a_block_is_free_when_its_group_is_on_the_disks() {
    let mut zil = Zil::new(1, LogPlanning::Bursts, 10);
    let place = Place { vdev: 0, offset: 0 };
    zil.create(place, 1);
    zil.add(FileId(0), write(4096, WriteState::Copied));
    let mut full = Vec::new();
    zil.commit((SlotId(7), FileId(0)), 0, &mut |_| place, &mut full);
    assert_eq!(zil.free(1), None);
    for number in full {
        zil.get(number).unwrap().state = State::Done;
    }
    assert_eq!(zil.free(0), None);
    assert_eq!(zil.free(1).map(|(_, bytes)| bytes), Some(4096));
    let more = std::iter::from_fn(|| zil.free(1)).count();
    assert_eq!((more, zil.is_absent()), (1, false));
}
