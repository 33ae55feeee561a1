//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later. Written by `cargo xtask costs fit`,
//! not by hand; docs/model/constants.md#lock-operations says how far they are off.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
    [20, 19], // syscall
    [99, 94], // dbuf-create
    [1, 4], // dbuf-hold
    [4, 0], // dbuf-hold-dirty
    [42, 39], // read-issue
    [25, 20], // read-column
    [63, 48], // read-done
    [76, 56], // prefetch
    [69, 35], // prefetch-hit
    [42, 100], // evict
    [67, 61], // dbuf-evict
    [24, 72], // transaction
    [84, 38], // dirty-record
    [18, 5], // partial-write
    [0, 113], // zil-commit
    [118, 23], // lwb-fill
    [46, 61], // lwb-issue
    [62, 12], // log-get-data
    [231, 194], // txg-write
    [754, 222], // sync-pass
    [36, 32], // metadata-hold
    [0, 0], // data-hold-saving
    [68, 64], // no-indirect-saving
    [36, 32], // directory-lookup
    [26, 22], // directory-entry
    [35, 32], // dnode-create
    [1, 0], // prefetch-check
    [57, 45], // copy-transaction
    [0, 0], // copy-dirty-block
];
