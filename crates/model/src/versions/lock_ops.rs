//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later; where each comes from is in
//! docs/model/constants.md#lock-operations.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
    [13, 13], // call
    [102, 102], // hold-new
    [45, 45], // hold-there
    [14, 5], // hold-dirty
    [35, 24], // send
    [26, 20], // column
    [60, 60], // finish
    [98, 71], // prefetch
    [60, 60], // found
    [100, 100], // evict
    [48, 48], // transaction
    [29, 29], // change
    [14, 14], // part
    [80, 80], // commit
    [60, 60], // gather
    [160, 160], // issue
    [80, 80], // fetch
    [150, 150], // write
    [850, 440], // round
    [47, 41], // hold-metadata
    [10, 10], // less-for-data
    [27, 27], // less-under-dnode
    [21, 21], // lookup
    [4, 4], // entry
    [26, 26], // dnode
    [5, 5], // look
    [60, 60], // copy-transaction
    [40, 40], // copy-change
];
