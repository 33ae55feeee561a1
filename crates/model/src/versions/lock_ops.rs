//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later. Written by `cargo xtask costs fit`,
//! not by hand; docs/model/constants.md#lock-operations says how far they are off.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
    [24, 16], // syscall
    [99, 94], // dbuf-create
    [9, 0], // dbuf-hold
    [5, 12], // dbuf-hold-dirty
    [42, 38], // read-issue
    [24, 17], // read-column
    [57, 56], // read-done
    [75, 59], // prefetch
    [62, 73], // prefetch-hit
    [71, 100], // evict
    [63, 59], // dbuf-evict
    [78, 96], // transaction
    [42, 51], // dirty-record
    [26, 2], // partial-write
    [38, 63], // zil-commit
    [0, 70], // lwb-fill
    [160, 0], // lwb-issue
    [51, 64], // log-get-data
    [161, 92], // txg-write
    [13, 12], // write-column
    [97, 75], // write-done
    [1959, 321], // sync-pass
    [37, 32], // metadata-hold
    [0, 7], // data-hold-saving
    [58, 56], // no-indirect-saving
    [34, 33], // directory-lookup
    [21, 19], // directory-entry
    [35, 31], // dnode-create
    [2, 0], // prefetch-check
    [35, 9], // copy-transaction
    [0, 0], // copy-dirty-block
];
