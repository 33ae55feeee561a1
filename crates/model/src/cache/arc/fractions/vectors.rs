//! Shares after random ghost hits, as they were recorded.

use super::Hits;
use super::tests::after;
use crate::vectors::{check, once_in, one_of, wide};

const ONE: u64 = 1 << 32;

/// 64 x 32 768 steps: 2 097 152.
const STEPS: u64 = 32_768;

#[test]
fn shares_move_as_recorded() {
    check("arc-shares", |_, chance, record| {
        for _ in 0..STEPS {
            let share = match chance.below(4) {
                0 => wide(chance, ONE),
                1 => ONE - wide(chance, ONE),
                _ => chance.below(ONE + 1),
            };
            let most = one_of(chance, &[1 << 10, 1 << 40, u64::MAX]);
            let total = wide(chance, most);
            let hits_max = if once_in(chance, 2) { total } else { u64::MAX };
            let up = wide(chance, hits_max / 4);
            let down = wide(chance, hits_max / 4);
            let balance = if once_in(chance, 2) { 100 } else { wide(chance, 5000) };
            let answer = after(share, total, Hits { up, down }, balance);
            record.step(
                format_args!("share {share} total {total} up {up} down {down} balance {balance}"),
                &[answer],
            );
        }
    });
}
