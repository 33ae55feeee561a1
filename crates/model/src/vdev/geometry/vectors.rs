//! Columns of random blocks, as they were recorded.

use arcwright_scenario::VdevLayout;

use super::{Column, Shape};
use crate::vectors::{check, once_in, one_of, wide};

/// 64 x 16 384 steps: 1 048 576.
const STEPS: u64 = 16_384;

#[test]
fn blocks_lie_on_disks_as_recorded() {
    check("raidz-columns", |_, chance, record| {
        let mut columns: Vec<Column> = Vec::new();
        let mut answers = Vec::new();
        for _ in 0..STEPS {
            let (layout, disks_min) = one_of(
                chance,
                &[
                    (VdevLayout::Single, 1),
                    (VdevLayout::Mirror, 2),
                    (VdevLayout::Raidz1, 2),
                    (VdevLayout::Raidz1, 3),
                    (VdevLayout::Raidz2, 3),
                    (VdevLayout::Raidz3, 4),
                ],
            );
            let disks = if disks_min == 1 { 1 } else { disks_min + wide(chance, 60) };
            let ashift = 9 + u8::try_from(chance.below(8)).unwrap();
            let shape = Shape { layout, disks, ashift };
            let offset = wide(chance, 1 << 48) >> ashift << ashift;
            let offset =
                offset + if once_in(chance, 16) { wide(chance, (1 << ashift) - 1) } else { 0 };
            let bytes = match chance.below(4) {
                0 => wide(chance, 1 << 31),
                1 => 512 << chance.below(16),
                _ => wide(chance, 16 << 20),
            };
            answers.clear();
            answers.extend([shape.parity(), shape.data_disks(), shape.room(offset)]);
            answers.push(shape.allocated(bytes));
            columns.clear();
            shape.read_columns(offset, bytes, &mut columns);
            answers.push(columns.len() as u64);
            shape.write_columns(offset, bytes, &mut columns);
            for column in &columns {
                answers.extend([u64::from(column.disk), column.offset, u64::from(column.size)]);
            }
            record.step(format_args!("{shape:?} {bytes} bytes at {offset}"), &answers);
        }
    });
}
