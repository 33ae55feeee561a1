//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later. Written by `cargo xtask costs fit`,
//! not by hand; docs/model/constants.md#lock-operations says how far they are off.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
    [27, 20], // syscall
    [97, 94], // dbuf-create
    [31, 31], // dbuf-hold
    [1, 3], // dbuf-hold-dirty
    [44, 36], // read-issue
    [23, 17], // read-column
    [52, 54], // read-done
    [74, 61], // prefetch
    [66, 60], // prefetch-hit
    [59, 100], // evict
    [67, 59], // dbuf-evict
    [77, 83], // transaction
    [25, 36], // dirty-record
    [10, 0], // partial-write
    [30, 27], // zil-commit
    [20, 18], // lwb-fill
    [79, 73], // lwb-issue
    [64, 58], // log-get-data
    [57, 45], // lwb-written
    [29, 30], // lwb-flushed
    [72, 85], // txg-write
    [21, 17], // write-column
    [214, 121], // write-done
    [1294, 7], // sync-pass
    [41, 36], // metadata-hold
    [0, 0], // data-hold-saving
    [43, 43], // no-indirect-saving
    [22, 21], // directory-lookup
    [20, 18], // directory-entry
    [36, 32], // dnode-create
    [4, 2], // prefetch-check
    [5, 2], // copy-transaction
    [0, 0], // copy-dirty-block
];
