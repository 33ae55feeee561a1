//! A row of a kstat becomes one series: none where the row is absent, and never another one's.

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};

use crate::families::Families;
use crate::family::{Family, MetricKind, Number};

/// Labels that a row always has.
pub(crate) type Fixed = &'static [(&'static str, &'static str)];

/// Which series a row becomes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) row: &'static str,
    pub(crate) family: Family,
    pub(crate) labels: Fixed,
}

/// Returns the series of a row.
pub(crate) const fn row(row: &'static str, family: Family, labels: Fixed) -> Row {
    Row { row, family, labels }
}

impl Families {
    /// Adds the rows of the kstat at `path`, where there is one.
    pub(crate) fn add_rows(&mut self, kstats: &Snapshot, path: &str, rows: &[Row]) {
        if let Some(kstat) = kstats.kstats.get(path) {
            self.add_kstat(kstat, rows, &[]);
        }
    }

    /// Adds the rows of a kstat, with labels that say whose it is.
    pub(crate) fn add_kstat(
        &mut self,
        kstat: &NamedKstat,
        rows: &[Row],
        whose: &[(&'static str, &str)],
    ) {
        for row in rows {
            let number = kstat.value(row.row).and_then(|value| number(value, row.family.kind));
            let labels: Vec<(&'static str, &str)> =
                whose.iter().chain(row.labels).copied().collect();
            self.add_some(&row.family, &labels, number);
        }
    }
}

/// Returns a row's value; none for a text, and none for a counter below zero, which counts nothing.
fn number(value: &KstatValue, kind: MetricKind) -> Option<Number> {
    let digits = value.as_i128()?;
    (kind == MetricKind::Gauge || digits >= 0).then(|| Number::integer(digits))
}
