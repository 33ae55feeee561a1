//! Random readers of the prefetchers with streams, as they were recorded.

use arcwright_units::Nanos;
use arcwright_workload::Stream as Chance;

use super::{AccessKind, Counters, Zfetch};
use crate::divisor::Divisor;
use crate::ids::StreamId;
use crate::vectors::{check, in_turn, index, index_of, maybe, once_in, one_of, wide};
use crate::versions::rules::Prefetcher;
use crate::versions::settings::Settings;

/// 64 x 16 384 steps: 1 048 576.
const STEPS: u64 = 16_384;
/// Readers of a file.
const READERS: usize = 12;

fn zfetch(chunk: u64, chance: &mut Chance) -> Zfetch {
    let rules = [Prefetcher::Doubling, Prefetcher::OnEvidence, Prefetcher::Reordering];
    let mut settings = Settings::defaults(None).prefetch;
    let or_any = |chance: &mut Chance, usual: u64, most: u64| {
        if once_in(chance, 2) { usual } else { wide(chance, most) }
    };
    let usual = one_of(chance, &[8 << 20, 64 << 20]);
    settings.max_distance = or_any(chance, usual, 1 << 40);
    settings.max_idistance = or_any(chance, 64 << 20, 1 << 40);
    settings.min_distance = or_any(chance, 4 << 20, 64 << 20);
    settings.max_streams = or_any(chance, 8, 40);
    settings.disable = chunk == 63;
    let block_bytes = [4 << 10, 128 << 10, 1 << 20, 1 + wide(chance, 16 << 20)];
    let blocks = [4096, 1 << 16, wide(chance, 1 << 32), wide(chance, 64)];
    Zfetch::new(
        in_turn(chunk, &rules),
        settings,
        one_of(chance, &block_bytes),
        one_of(chance, &blocks),
    )
}

/// Draws a number of blocks, and where the next access of a reader begins: where the last one ended, a
/// little before or behind that, or elsewhere.
fn access(chance: &mut Chance, reader: &mut u64, zfetch: &Zfetch) -> (u64, u64) {
    let count = if once_in(chance, 4) { wide(chance, 300) } else { 1 + chance.below(8) };
    let first = match chance.below(24) {
        0 => wide(chance, zfetch.last),
        1 => reader.saturating_sub(wide(chance, 40)),
        2 | 3 => *reader + wide(chance, 12),
        4 => *reader + wide(chance, 5000),
        5 => *reader - (*reader).min(1),
        _ => *reader,
    };
    *reader = if first + count > zfetch.last + 2 { 0 } else { first + count };
    (first, count)
}

#[test]
fn streams_are_followed_as_recorded() {
    check("zfetch-streams", |chunk, chance, record| {
        let mut zfetch = zfetch(chunk, chance);
        let odd = 1 + wide(chance, 3000);
        let pointers = Divisor::of(one_of(chance, &[1024, 128, odd]));
        let crowd = 1 + wide(chance, 30);
        let (mut readers, mut now, mut id) = ([0u64; READERS], Nanos::SECOND, None);
        for _ in 0..STEPS {
            let pause = if once_in(chance, 64) { 5_000_000_000 } else { 40_000_000 };
            now += Nanos(wide(chance, pause));
            let mut answers = [0; 5];
            let number = id.map_or(0, StreamId::number);
            let words = match chance.below(8) {
                0 => {
                    zfetch.sent(id);
                    format!("sent {number}")
                }
                1 if once_in(chance, 4) => {
                    zfetch.landed(id);
                    format!("landed {number}")
                }
                1 => {
                    let block = one_of(chance, &readers);
                    let block = block.saturating_add_signed(chance.below(40).cast_signed() - 20);
                    zfetch.arrived(id, Some(block));
                    format!("arrived {number} {block}")
                }
                _ => {
                    // Some chunks have one reader, some all.
                    let place = index(chance, READERS).min(index_of(chunk, READERS));
                    let reader = &mut readers[place];
                    let access = access(chance, reader, &zfetch);
                    let crowded = once_in(chance, crowd);
                    let blocks = access.0..access.0 + access.1;
                    let fetches_data = !once_in(chance, 4);
                    let kind = AccessKind { fetches_data, crowded };
                    let found = zfetch.access(blocks, now, kind);
                    answers[0] = maybe(found.map(|found| u64::from(found.number())));
                    let missed = once_in(chance, 9);
                    if let Some(found) = found
                        && !once_in(chance, 10)
                    {
                        id = Some(found);
                        let asked = zfetch.take(found, missed, pointers);
                        answers[1..3].copy_from_slice(&[asked.data.start, asked.data.end]);
                        answers[3..5].copy_from_slice(&[asked.indirect.start, asked.indirect.end]);
                    }
                    format!("access {access:?} at {} {kind:?} missed {missed}", now.0)
                }
            };
            let Counters { hits, misses, max_streams, io_issued, future, stride, past } =
                zfetch.counters;
            let [found, from, to, above_from, above_to] = answers;
            record.step(
                format_args!("{:?} {words}", zfetch.rules),
                &[
                    [found, from, to, above_from, above_to, hits].as_slice(),
                    &[misses, max_streams, io_issued, future, stride, past],
                ]
                .concat(),
            );
        }
    });
}
