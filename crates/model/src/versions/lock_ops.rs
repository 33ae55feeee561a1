//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later. Written by `cargo xtask costs fit`,
//! not by hand; docs/model/constants.md#lock-operations says how far they are off.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
    [22, 14], // syscall
    [98, 95], // dbuf-create
    [1, 0], // dbuf-hold
    [4, 0], // dbuf-hold-dirty
    [45, 34], // read-issue
    [24, 20], // read-column
    [57, 59], // read-done
    [74, 61], // prefetch
    [67, 34], // prefetch-hit
    [51, 100], // evict
    [66, 60], // dbuf-evict
    [128, 54], // transaction
    [0, 64], // dirty-record
    [2, 6], // partial-write
    [34, 86], // zil-commit
    [86, 82], // lwb-fill
    [42, 0], // lwb-issue
    [61, 31], // log-get-data
    [221, 185], // txg-write
    [0, 0], // sync-pass
    [36, 31], // metadata-hold
    [0, 0], // data-hold-saving
    [67, 69], // no-indirect-saving
    [35, 33], // directory-lookup
    [26, 23], // directory-entry
    [36, 31], // dnode-create
    [1, 0], // prefetch-check
    [55, 46], // copy-transaction
    [0, 0], // copy-dirty-block
];
