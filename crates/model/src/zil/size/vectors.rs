//! Sizes of log blocks over random bursts, as they were recorded.

use super::{LogPacking, RecordBytes, Sizes};
use crate::vectors::{check, in_turn, once_in, wide};

/// 64 x 32 768 steps: 2 097 152.
const STEPS: u64 = 32_768;

#[test]
fn log_blocks_are_as_large_as_recorded() {
    check("zil-sizes", |chunk, chance, record| {
        let packing = LogPacking::of_version(if chunk % 4 == 0 { "2.1.11" } else { "2.3.2" });
        let mut sizes = Sizes::new(packing);
        // Bytes of the largest record: small bursts, those around a block, and any.
        let most = in_turn(chunk / 4, &[4 << 10, 64 << 10, 256 << 10, 1 << 40]);
        for _ in 0..STEPS {
            let mut answers = [0; 3];
            let words = match chance.below(12) {
                0 | 1 => {
                    let records: Vec<(u64, u64)> = (0..chance.below(9))
                        .map(|_| {
                            let whole = wide(chance, most);
                            (whole, if once_in(chance, 2) { whole } else { whole.min(192) })
                        })
                        .collect();
                    let bytes =
                        |(whole, own): &(u64, u64)| RecordBytes { whole: *whole, own: *own };
                    sizes.begin(records.iter().map(bytes));
                    format!("begin {records:?}")
                }
                2 => {
                    let bytes = wide(chance, most);
                    sizes.leave(bytes);
                    format!("leave {bytes}")
                }
                3 | 4 => {
                    let bytes = wide(chance, most);
                    sizes.use_bytes(bytes);
                    format!("use {bytes}")
                }
                5 => {
                    let (is_open, is_quiet) = (once_in(chance, 4), once_in(chance, 2));
                    sizes.note_other_writers(is_open, is_quiet);
                    format!("parallel {is_open} {is_quiet}")
                }
                6 if once_in(chance, 4) => {
                    sizes.expect_company();
                    "crowded".to_owned()
                }
                6..=8 => {
                    sizes.end_burst();
                    "end".to_owned()
                }
                _ => {
                    answers[0] = sizes.next();
                    "next".to_owned()
                }
            };
            answers[1] = u64::from(sizes.expects_others());
            answers[2] = sizes.waste_max(130_688);
            record.step(format_args!("{words}"), &answers);
        }
    });
}
