//! One named kstat: a table of rows.

use arcwright_units::Nanos;
use serde::{Deserialize, Serialize};

use crate::value::KstatValue;

/// A table of named values, as `/proc/spl/kstat/<module>/<name>` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedKstat {
    /// `zfs`, or `zfs/tank` for the kstats of a pool.
    pub module: String,
    /// `arcstats`, `iostats`, `objset-0x36`.
    pub name: String,
    /// `misc` or `dataset`; the text form does not carry it, so a parsed one says `misc`.
    pub class: String,
    /// The kernel's number of it.
    pub kid: u32,
    /// `KSTAT_TYPE_*`; 1 is a named kstat.
    pub kind: u8,
    /// `KSTAT_FLAG_*`.
    pub flags: u8,
    /// When it was created.
    pub crtime: Nanos,
    /// When it was read.
    pub snaptime: Nanos,
    /// Names and values in the kernel's order, unknown ones too.
    pub rows: Vec<(String, KstatValue)>,
}

impl NamedKstat {
    /// The type number of named kstats (`KSTAT_TYPE_NAMED`).
    pub const KIND_NAMED: u8 = 1;
    /// The type number of I/O counts (`KSTAT_TYPE_IO`), such as a pool's `io` of 0.6 to 2.0.
    pub const KIND_IO: u8 = 3;

    /// Returns a kstat of which only the rows are known: no kernel gave it a number or a time.
    #[must_use]
    pub fn of_rows(path: &str, rows: Vec<(String, KstatValue)>) -> Self {
        let (module, name) = path.rsplit_once('/').unwrap_or(("zfs", path));
        Self {
            module: module.to_owned(),
            name: name.to_owned(),
            class: "misc".to_owned(),
            kid: 0,
            kind: Self::KIND_NAMED,
            flags: 0,
            crtime: Nanos::ZERO,
            snaptime: Nanos::ZERO,
            rows,
        }
    }

    /// Returns where it stands below `/proc/spl/kstat`: `zfs/arcstats`, `zfs/tank/iostats`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}/{}", self.module, self.name)
    }

    /// Returns the value of `row`; none when there is no such row.
    #[must_use]
    pub fn value(&self, row: &str) -> Option<&KstatValue> {
        self.rows.iter().find(|(name, _)| name == row).map(|(_, value)| value)
    }

    /// Returns `row` as text; none when there is no such row or it is not one.
    #[must_use]
    pub fn text(&self, row: &str) -> Option<&str> {
        match self.value(row)? {
            KstatValue::Text(text) | KstatValue::Char(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it counts a dataset (0.8 and later).
    #[must_use]
    pub fn is_dataset(&self) -> bool {
        self.name.starts_with("objset-")
    }

    /// Returns the name of the dataset that it counts; none where it counts something else, or does not name it.
    #[must_use]
    pub fn dataset(&self) -> Option<&str> {
        self.text("dataset_name").filter(|_| self.is_dataset())
    }

    /// Returns `row` as a counter; none when there is no such row or it is not one.
    #[must_use]
    pub fn get(&self, row: &str) -> Option<u64> {
        self.value(row)?.as_u64()
    }
}
