//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later. Written by `cargo xtask costs fit`,
//! not by hand; docs/model/constants.md#lock-operations says how far they are off.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
    [22, 12], // syscall
    [98, 94], // dbuf-create
    [15, 0], // dbuf-hold
    [9, 0], // dbuf-hold-dirty
    [44, 37], // read-issue
    [23, 18], // read-column
    [59, 59], // read-done
    [75, 59], // prefetch
    [68, 38], // prefetch-hit
    [70, 100], // evict
    [66, 59], // dbuf-evict
    [69, 81], // transaction
    [50, 55], // dirty-record
    [17, 2], // partial-write
    [96, 87], // zil-commit
    [23, 75], // lwb-fill
    [85, 23], // lwb-issue
    [25, 31], // log-get-data
    [126, 111], // txg-write
    [4, 8], // write-column
    [154, 103], // write-done
    [1740, 157], // sync-pass
    [38, 32], // metadata-hold
    [0, 9], // data-hold-saving
    [55, 56], // no-indirect-saving
    [34, 34], // directory-lookup
    [22, 19], // directory-entry
    [36, 31], // dnode-create
    [1, 0], // prefetch-check
    [15, 7], // copy-transaction
    [0, 0], // copy-dirty-block
];
