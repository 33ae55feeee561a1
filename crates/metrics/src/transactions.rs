//! Transactions that change something, and what they waited for.

use arcwright_kstat::Snapshot;

use crate::families::Families;
use crate::family::Family;
use crate::rows::{Row, row};

const ASSIGNED: Family = Family::counter(
    "arcwright_transactions_assigned",
    "Transactions that were assigned to a transaction group.",
);
const DELAYS: Family = Family::counter(
    "arcwright_transaction_delays",
    "Transactions that had to wait or to begin anew, by reason.",
);
const ERRORS: Family = Family::counter("arcwright_transaction_errors", "Transactions that failed.");

const ROWS: [Row; 13] = [
    row("dmu_tx_assigned", ASSIGNED, &[]),
    row("dmu_tx_error", ERRORS, &[]),
    delay("dmu_tx_delay", &[("reason", "group_delay")]),
    delay("dmu_tx_suspended", &[("reason", "pool_suspended")]),
    delay("dmu_tx_group", &[("reason", "group")]),
    delay("dmu_tx_memory_reserve", &[("reason", "memory_reserve")]),
    delay("dmu_tx_memory_reclaim", &[("reason", "memory_reclaim")]),
    delay("dmu_tx_dirty_throttle", &[("reason", "anonymous_data")]),
    delay("dmu_tx_dirty_delay", &[("reason", "dirty_delay")]),
    delay("dmu_tx_dirty_over_max", &[("reason", "dirty_max")]),
    delay("dmu_tx_dirty_frees_delay", &[("reason", "frees")]),
    delay("dmu_tx_wrlog_delay", &[("reason", "logged_data")]),
    delay("dmu_tx_quota", &[("reason", "quota")]),
];

const fn delay(name: &'static str, labels: crate::rows::Fixed) -> Row {
    row(name, DELAYS, labels)
}

/// Adds the transactions of the whole machine.
pub(crate) fn add(families: &mut Families, kstats: &Snapshot) {
    families.add_rows(kstats, "zfs/dmu_tx", &ROWS);
}
