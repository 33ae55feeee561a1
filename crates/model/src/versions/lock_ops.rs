//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later. Written by `cargo xtask costs fit`,
//! not by hand; docs/model/constants.md#lock-operations says how far they are off.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
    [13, 16], // syscall
    [100, 93], // dbuf-create
    [27, 8], // dbuf-hold
    [8, 16], // dbuf-hold-dirty
    [40, 39], // read-issue
    [23, 18], // read-column
    [67, 55], // read-done
    [78, 59], // prefetch
    [61, 78], // prefetch-hit
    [64, 100], // evict
    [66, 60], // dbuf-evict
    [64, 57], // transaction
    [24, 43], // dirty-record
    [27, 17], // partial-write
    [70, 41], // zil-commit
    [67, 74], // lwb-fill
    [89, 85], // lwb-issue
    [46, 43], // log-get-data
    [128, 95], // txg-write
    [1, 2], // write-column
    [113, 27], // write-done
    [538, 461], // sync-pass
    [40, 34], // metadata-hold
    [0, 4], // data-hold-saving
    [48, 54], // no-indirect-saving
    [28, 33], // directory-lookup
    [18, 16], // directory-entry
    [34, 31], // dnode-create
    [3, 0], // prefetch-check
    [10, 10], // copy-transaction
    [0, 0], // copy-dirty-block
];
