//! Random readers of the oldest prefetcher, as they were recorded.

use arcwright_units::Nanos;

use super::{BlockRead, BlockStreams};
use crate::vectors::{check, index, index_of, once_in, one_of, wide};

/// 64 x 16 384 steps: 1 048 576.
const STEPS: u64 = 16_384;

#[test]
fn blocks_are_fetched_as_recorded() {
    check("zfetch-blocks", |chunk, chance, record| {
        let mut streams = BlockStreams::default();
        let last = if chunk % 8 == 0 { wide(chance, 1 << 40) } else { wide(chance, 1 << 16) };
        // Readers with a place and a stride each, and how often one of them jumps.
        let mut readers = [(0u64, 1i64); 5];
        let (jump, late) = (2 + wide(chance, 200), 1 + wide(chance, 60));
        let (mut now, mut wanted, mut answers) = (Nanos::SECOND, Vec::new(), Vec::new());
        for _ in 0..STEPS {
            let reader = &mut readers[index(chance, 5).min(index_of(chunk, 5))];
            if once_in(chance, jump) {
                let stride = one_of(chance, &[1, 1, -1, 2, 7, -3, 300]);
                *reader = (wide(chance, last), stride);
            } else if !once_in(chance, 12) {
                reader.0 = reader.0.saturating_add_signed(reader.1).min(last);
            }
            let block = if once_in(chance, 3000) { wide(chance, 1 << 50) } else { reader.0 };
            let prefetched = !once_in(chance, late);
            let pause = if once_in(chance, 64) { 6_000_000_000 } else { 50_000_000 };
            now += Nanos(wide(chance, pause));
            wanted.clear();
            let read = BlockRead { block, is_there: prefetched, last };
            streams.access(read, now, &mut wanted);
            answers.clear();
            answers.extend([streams.hits, streams.misses]);
            wanted.iter().for_each(|range| answers.extend([range.start, range.end]));
            record.step(
                format_args!("{block} of {last} prefetched {prefetched} at {}", now.0),
                &answers,
            );
        }
    });
}
