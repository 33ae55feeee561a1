//! The intent log (ZIL): of the machine, of a dataset, of a pool. Rows: docs/model/counters.md.
//!
//! The rows are the same in all three places; a pool's are summed up by `pool_logs.rs`.

use arcwright_kstat::Snapshot;

use crate::families::Families;
use crate::family::{BYTES, Family};
use crate::rows::{Fixed, Row, row};

/// The families of one place.
struct Place {
    commits: Family,
    writers: Family,
    failures: Family,
    records: Family,
    records_by_form: Family,
    record_bytes: Family,
    blocks: Family,
    used: Family,
    written: Family,
    allocated: Family,
}

/// Rows of one place; the machine's, a pool's and a dataset's have the same order.
pub(crate) type Rows = [Row; 21];

/// The whole machine's rows.
const MACHINE: Rows = rows(&Place {
    commits: Family::counter("arcwright_zil_commits", COMMITS),
    writers: Family::counter("arcwright_zil_commit_writers", WRITERS),
    failures: Family::counter("arcwright_zil_commit_failures", FAILURES),
    records: Family::counter("arcwright_zil_records", RECORDS),
    records_by_form: Family::counter("arcwright_zil_write_records", WRITES),
    record_bytes: Family::counter("arcwright_zil_write_record_bytes", RECORD_BYTES).of(BYTES),
    blocks: Family::counter("arcwright_zil_blocks", BLOCKS),
    used: Family::counter("arcwright_zil_used_bytes", USED).of(BYTES),
    written: Family::counter("arcwright_zil_written_bytes", WRITTEN).of(BYTES),
    allocated: Family::counter("arcwright_zil_allocated_bytes", ALLOCATED).of(BYTES),
});

/// A dataset's rows (2.2+).
pub(crate) const DATASET: Rows = rows(&Place {
    commits: Family::counter("arcwright_dataset_zil_commits", COMMITS),
    writers: Family::counter("arcwright_dataset_zil_commit_writers", WRITERS),
    failures: Family::counter("arcwright_dataset_zil_commit_failures", FAILURES),
    records: Family::counter("arcwright_dataset_zil_records", RECORDS),
    records_by_form: Family::counter("arcwright_dataset_zil_write_records", WRITES),
    record_bytes: Family::counter("arcwright_dataset_zil_write_record_bytes", RECORD_BYTES)
        .of(BYTES),
    blocks: Family::counter("arcwright_dataset_zil_blocks", BLOCKS),
    used: Family::counter("arcwright_dataset_zil_used_bytes", USED).of(BYTES),
    written: Family::counter("arcwright_dataset_zil_written_bytes", WRITTEN).of(BYTES),
    allocated: Family::counter("arcwright_dataset_zil_allocated_bytes", ALLOCATED).of(BYTES),
});

/// A pool's rows, all datasets together (2.2+).
pub(crate) const POOL: Rows = rows(&Place {
    commits: Family::counter("arcwright_pool_zil_commits", COMMITS),
    writers: Family::counter("arcwright_pool_zil_commit_writers", WRITERS),
    failures: Family::counter("arcwright_pool_zil_commit_failures", FAILURES),
    records: Family::counter("arcwright_pool_zil_records", RECORDS),
    records_by_form: Family::counter("arcwright_pool_zil_write_records", WRITES),
    record_bytes: Family::counter("arcwright_pool_zil_write_record_bytes", RECORD_BYTES).of(BYTES),
    blocks: Family::counter("arcwright_pool_zil_blocks", BLOCKS),
    used: Family::counter("arcwright_pool_zil_used_bytes", USED).of(BYTES),
    written: Family::counter("arcwright_pool_zil_written_bytes", WRITTEN).of(BYTES),
    allocated: Family::counter("arcwright_pool_zil_allocated_bytes", ALLOCATED).of(BYTES),
});

const COMMITS: &str = "Waits of programs for stable storage.";
const WRITERS: &str = "Of these waits, those that wrote the log, for others too.";
const FAILURES: &str = "Commits that became a wait for a whole transaction group: log blocks that could not be \
    written (error) or allocated (stall), a log that was suspended on purpose, a pool that failed (crash; 2.4+).";
const RECORDS: &str = "Records of the intent log.";
const WRITES: &str = "Records of writes by how they hold their data.";
const RECORD_BYTES: &str = "Data of these records by how they hold them.";
const BLOCKS: &str =
    "Log blocks by where they went: to log devices (slog) or to the pool's disks (normal).";
const USED: &str = "Bytes of log blocks that records took, by where they went.";
const WRITTEN: &str = "Bytes of log blocks that were written, by where they went (2.2+).";
const ALLOCATED: &str = "Bytes that were allocated for log blocks, by where they went (2.2+).";

const SLOG: Fixed = &[("device", "slog")];
const NORMAL: Fixed = &[("device", "normal")];

const fn rows(of: &Place) -> Rows {
    [
        row("zil_commit_count", of.commits, &[]),
        row("zil_commit_writer_count", of.writers, &[]),
        row("zil_commit_error_count", of.failures, &[("reason", "error")]),
        row("zil_commit_stall_count", of.failures, &[("reason", "stall")]),
        row("zil_commit_suspend_count", of.failures, &[("reason", "suspend")]),
        row("zil_commit_crash_count", of.failures, &[("reason", "crash")]),
        row("zil_itx_count", of.records, &[]),
        row("zil_itx_indirect_count", of.records_by_form, &[("form", "indirect")]),
        row("zil_itx_copied_count", of.records_by_form, &[("form", "copied")]),
        row("zil_itx_needcopy_count", of.records_by_form, &[("form", "needcopy")]),
        row("zil_itx_indirect_bytes", of.record_bytes, &[("form", "indirect")]),
        row("zil_itx_copied_bytes", of.record_bytes, &[("form", "copied")]),
        row("zil_itx_needcopy_bytes", of.record_bytes, &[("form", "needcopy")]),
        row("zil_itx_metaslab_slog_count", of.blocks, SLOG),
        row("zil_itx_metaslab_normal_count", of.blocks, NORMAL),
        row("zil_itx_metaslab_slog_bytes", of.used, SLOG),
        row("zil_itx_metaslab_normal_bytes", of.used, NORMAL),
        row("zil_itx_metaslab_slog_write", of.written, SLOG),
        row("zil_itx_metaslab_normal_write", of.written, NORMAL),
        row("zil_itx_metaslab_slog_alloc", of.allocated, SLOG),
        row("zil_itx_metaslab_normal_alloc", of.allocated, NORMAL),
    ]
}

/// Adds the machine's intent log.
pub(crate) fn add(families: &mut Families, kstats: &Snapshot) {
    families.add_rows(kstats, "zfs/zil", &MACHINE);
}
