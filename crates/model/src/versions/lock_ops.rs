//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later. Written by `cargo xtask costs fit`,
//! not by hand; docs/model/constants.md#lock-operations says how far they are off.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
    [31, 27], // syscall
    [96, 92], // dbuf-create
    [25, 21], // dbuf-hold
    [1, 0], // dbuf-hold-dirty
    [45, 38], // read-issue
    [22, 17], // read-column
    [47, 47], // read-done
    [72, 59], // prefetch
    [57, 55], // prefetch-hit
    [54, 100], // evict
    [66, 61], // dbuf-evict
    [65, 82], // transaction
    [59, 54], // dirty-record
    [11, 0], // partial-write
    [50, 102], // zil-commit
    [0, 48], // lwb-fill
    [141, 11], // lwb-issue
    [25, 30], // log-get-data
    [141, 117], // txg-write
    [1, 14], // write-column
    [123, 45], // write-done
    [2326, 291], // sync-pass
    [41, 35], // metadata-hold
    [0, 0], // data-hold-saving
    [46, 46], // no-indirect-saving
    [22, 22], // directory-lookup
    [21, 20], // directory-entry
    [36, 32], // dnode-create
    [4, 2], // prefetch-check
    [21, 18], // copy-transaction
    [0, 0], // copy-dirty-block
];
