//! Lock operations of each piece of work, in the order of `Work`: up to 2.1, and later. Written by `cargo xtask costs fit`,
//! not by hand; docs/model/constants.md#lock-operations says how far they are off.

use super::work::Work;

#[rustfmt::skip]
pub(super) const LOCK_OPS: [[u32; 2]; Work::ALL.len()] = [
    [14, 10], // syscall
    [105, 99], // dbuf-create
    [29, 32], // dbuf-hold
    [20, 0], // dbuf-hold-dirty
    [48, 37], // read-issue
    [25, 24], // read-column
    [69, 64], // read-done
    [76, 60], // prefetch
    [60, 60], // prefetch-hit
    [100, 100], // evict
    [47, 47], // dbuf-evict
    [67, 41], // transaction
    [9, 34], // dirty-record
    [24, 21], // partial-write
    [89, 108], // zil-commit
    [0, 68], // lwb-fill
    [200, 167], // lwb-issue
    [33, 43], // log-get-data
    [186, 266], // txg-write
    [1035, 688], // sync-pass
    [38, 33], // metadata-hold
    [0, 0], // data-hold-saving
    [49, 41], // no-indirect-saving
    [33, 29], // directory-lookup
    [23, 22], // directory-entry
    [36, 33], // dnode-create
    [2, 0], // prefetch-check
    [16, 18], // copy-transaction
    [0, 0], // copy-dirty-block
];
