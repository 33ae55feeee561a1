//! What hardware costs, so that what a change brings stands beside its price.
//!
//! Prices are of one currency, whichever it is. A row costs what it adds to the pool as it is; where the price of something
//! that it adds was not given, what it costs is not known.
//!
//! ```text
//!   memory 4 a GiB, l2arc 0.1 a GiB
//!     32 GiB of memory instead of 16                     64
//!     the same, L2ARC of 200 GiB                         84
//!     log on nvme-plp                                    not known
//! ```

use arcwright_units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::row::Row;

/// What hardware costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Prices {
    /// A GiB of memory; absent where it was not given.
    pub memory_gib: Option<f64>,
    /// A GiB of the SSD that an L2ARC lies on; absent where it was not given.
    pub l2arc_gib: Option<f64>,
    /// A log device; absent where it was not given.
    pub log_device: Option<f64>,
    /// The most that may be spent; absent where nobody said.
    pub budget: Option<f64>,
}

impl Prices {
    /// Returns what a row adds to `base` costs; none where the price of a part of it was not given.
    pub(crate) fn of(&self, row: &Row, base: &Row) -> Option<f64> {
        let added =
            |own: Bytes, before: Bytes| own.saturating_sub(before).0 as f64 / f64::from(1 << 30);
        let priced = |count: f64, price: Option<f64>| match count > 0.0 {
            true => Some(count * price?),
            false => Some(0.0),
        };
        let logs = if row.log > base.log { 1.0 } else { 0.0 };
        Some(
            priced(added(row.memory, base.memory), self.memory_gib)?
                + priced(added(row.l2arc, base.l2arc), self.l2arc_gib)?
                + priced(logs, self.log_device)?,
        )
    }

    /// Says whether a row may be bought: one whose price is not known may not where there is a budget.
    pub(crate) fn allow(&self, row: &Row) -> bool {
        self.budget.is_none_or(|most| row.price.is_some_and(|price| price <= most))
    }
}
