//! A log with random records, waits and groups, as it was recorded.

use arcwright_units::Nanos;

use super::{Fetched, LockHolder, LogBlock, LogPacking, Record, State, WriteState, Zil};
use crate::ids::{BlockId, DatasetId, FileId, LogId, SlotId, VdevId};
use crate::io::place::Place;
use crate::vectors::{check, in_turn, maybe, once_in, wide};

/// 64 x 16 384 steps: 1 048 576.
const STEPS: u64 = 16_384;

#[test]
fn records_fill_log_blocks_as_recorded() {
    check("zil-log", |chunk, chance, record| {
        let packing = LogPacking::of_version(if chunk % 2 == 0 { "2.1.11" } else { "2.3.2" });
        let mut zil = Zil::new(DatasetId::own(), 3, packing, 1 + chance.below(20));
        let place = Place { vdev: VdevId(0), offset: 0 };
        zil.create(place, 1);
        let most = in_turn(chunk / 2, &[8 << 10, 128 << 10, 1 << 20]);
        let (mut txg, mut full) = (1, Vec::new());
        for _ in 0..STEPS {
            full.clear();
            let file = FileId(u32::try_from(chance.below(3)).unwrap());
            let mut answers = vec![];
            let words = match chance.below(8) {
                0..=3 => {
                    let bytes = 1 + wide(chance, most);
                    let how = match chance.below(3) {
                        0 if bytes <= zil.copied_max() => WriteState::Copied,
                        0 | 1 => WriteState::CopyLater,
                        _ => WriteState::Indirect(BlockId(7)),
                    };
                    zil.add(file, Record::Write { txg, bytes, how }, None);
                    // The words of the record have plain numbers.
                    let how = match how {
                        WriteState::Indirect(block) => format!("Indirect({})", block.0),
                        how => format!("{how:?}"),
                    };
                    format!("add {} {bytes} {how}", file.0)
                }
                4 | 5 => {
                    let synced = txg.saturating_sub(2);
                    let (slot, now) = (SlotId(file.0), Nanos::ZERO);
                    zil.arrive(slot, file, now);
                    let gathered =
                        zil.gather(LockHolder { slot, now, synced }, &mut |_| place, &mut full);
                    answers.push(zil.company_span().0);
                    answers.extend([gathered.pointers, gathered.done.len() as u64]);
                    format!("commit {}", file.0)
                }
                6 if !zil.is_absent() && zil.tail().state == State::Opened => {
                    zil.close(&mut |_| place, &mut full);
                    "close".to_owned()
                }
                6 => {
                    let span = Nanos(wide(chance, 10_000_000));
                    zil.note_latency(span);
                    format!("latency {}", span.0)
                }
                _ => {
                    txg += u64::from(once_in(chance, 8));
                    zil.forget(txg.saturating_sub(2));
                    let freed = zil.free(txg.saturating_sub(2));
                    answers.push(maybe(freed.map(|block| block.bytes)));
                    "free".to_owned()
                }
            };
            for number in full.iter().copied().chain([zil.last()]) {
                answers.push(u64::from(number.number));
                answers.extend(of_block(zil.get(number).unwrap()));
            }
            for number in &full {
                let state = if once_in(chance, 4) { State::Issued } else { State::Done };
                zil.get(*number).unwrap().state = state;
            }
            // What was handed over is done in the end.
            if once_in(chance, 16) {
                all_done(&mut zil);
            }
            record.step(format_args!("{words}"), &answers);
        }
    });
}

/// Ends all blocks but the last.
fn all_done(zil: &mut Zil) {
    for number in 0..zil.last().number {
        let block = zil.get(LogId { dataset: DatasetId::own(), number });
        block.into_iter().for_each(|block| block.state = State::Done);
    }
}

/// Returns what a log block holds.
fn of_block(block: &LogBlock) -> [u64; 8] {
    let Fetched { bytes: fetched, goes } = block.fetched;
    let (waiting, blocks) = (block.waiting.len() as u64, block.blocks.len() as u64);
    let written = block.written_bytes();
    [block.size, block.used, written, fetched, goes, block.txg, waiting, blocks]
}
