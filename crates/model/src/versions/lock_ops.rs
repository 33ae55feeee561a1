//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later. Written by `cargo xtask costs fit`,
//! not by hand; docs/model/constants.md#lock-operations says how far they are off.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
    [14, 10], // call
    [105, 99], // hold-new
    [29, 32], // hold-there
    [20, 0], // hold-dirty
    [48, 37], // send
    [25, 24], // column
    [69, 64], // finish
    [76, 60], // prefetch
    [60, 60], // found
    [100, 100], // evict
    [67, 41], // transaction
    [9, 34], // change
    [24, 21], // part
    [89, 108], // commit
    [0, 68], // gather
    [200, 167], // issue
    [33, 43], // fetch
    [186, 266], // write
    [1035, 688], // round
    [38, 33], // hold-metadata
    [0, 0], // less-for-data
    [49, 41], // less-under-dnode
    [33, 29], // lookup
    [23, 22], // entry
    [36, 33], // dnode
    [2, 0], // look
    [16, 18], // copy-transaction
    [0, 0], // copy-change
];
