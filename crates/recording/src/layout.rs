//! What the numbers of a reading mean: the tables and their rows, said once for many readings.

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_units::Nanos;
use serde::{Deserialize, Serialize};

/// The tables of a reading without their numbers; the same for readings that follow each other, as a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Layout {
    tables: Vec<Table>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Table {
    module: String,
    name: String,
    class: String,
    kid: u32,
    kind: u8,
    flags: u8,
    crtime_ns: u64,
    rows: Vec<(String, Cell)>,
}

/// What a row holds: a number of a type, which stands elsewhere, or a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Cell {
    I32,
    U32,
    I64,
    U64,
    Long,
    ULong,
    Char(String),
    Text(String),
}

/// A table as a reading has it: what it is of, and where its numbers stand among those of the reading.
#[derive(Debug, Clone)]
pub(crate) struct TableRows<'a> {
    /// `zfs/arcstats`.
    pub(crate) path: String,
    /// When it was made, on the kernel's clock.
    pub(crate) created: Nanos,
    /// The dataset that it counts; none of anything else.
    pub(crate) dataset: Option<&'a str>,
    pub(crate) rows: Vec<(&'a str, usize)>,
}

impl Layout {
    /// Returns all tables.
    pub(crate) fn tables(&self) -> Vec<TableRows<'_>> {
        let mut place = 0;
        self.tables.iter().map(|table| table.rows_from(&mut place)).collect()
    }

    /// Returns the layout of a reading, and its numbers in order: of each table the time at which it was read, and its rows.
    pub(crate) fn of(reading: &Snapshot) -> (Self, Vec<u64>) {
        let mut numbers = Vec::new();
        let tables = reading.kstats.values().map(|kstat| {
            numbers.push(kstat.snaptime.0);
            let rows = kstat.rows.iter().map(|(name, value)| {
                let (cell, number) = split(value);
                numbers.extend(number);
                (name.clone(), cell)
            });
            let rows = rows.collect();
            Table {
                module: kstat.module.clone(),
                name: kstat.name.clone(),
                class: kstat.class.clone(),
                kid: kstat.kid,
                kind: kstat.kind,
                flags: kstat.flags,
                crtime_ns: kstat.crtime.0,
                rows,
            }
        });
        let layout = Self { tables: tables.collect() };
        (layout, numbers)
    }

    /// Returns how many numbers a reading has.
    pub(crate) fn width(&self) -> usize {
        let numbers =
            |table: &Table| 1 + table.rows.iter().filter(|(_, cell)| cell.is_number()).count();
        self.tables.iter().map(numbers).sum()
    }

    /// Returns the reading of these numbers; missing ones end it early.
    pub(crate) fn reading(&self, at: Nanos, numbers: impl Iterator<Item = u64>) -> Snapshot {
        let mut numbers = numbers;
        let mut kstats = Vec::with_capacity(self.tables.len());
        for table in &self.tables {
            let Some(snaptime) = numbers.next() else { break };
            let rows = table.rows.iter().map_while(|(name, cell)| {
                let value = cell.joined(if cell.is_number() { numbers.next()? } else { 0 });
                Some((name.clone(), value))
            });
            let rows = rows.collect();
            kstats.push(NamedKstat {
                module: table.module.clone(),
                name: table.name.clone(),
                class: table.class.clone(),
                kid: table.kid,
                kind: table.kind,
                flags: table.flags,
                crtime: Nanos(table.crtime_ns),
                snaptime: Nanos(snaptime),
                rows,
            });
        }
        Snapshot::from_kstats(at, kstats)
    }

    /// Returns when a kstat was made, on the kernel's clock.
    pub(crate) fn created(&self, kstat: &str) -> Option<Nanos> {
        self.tables.iter().find(|table| table.is_at(kstat)).map(|table| Nanos(table.crtime_ns))
    }

    /// Returns where the number of a row stands among those of a reading; none where there is no such number.
    pub(crate) fn place(&self, kstat: &str, row: &str) -> Option<usize> {
        let mut place = 0;
        for table in &self.tables {
            let own = table.is_at(kstat);
            place += 1;
            for (name, cell) in &table.rows {
                if own && name == row {
                    return cell.is_number().then_some(place);
                }
                place += usize::from(cell.is_number());
            }
        }
        None
    }
}

impl Table {
    /// Returns it as a reading has it, whose numbers begin at a place.
    fn rows_from(&self, place: &mut usize) -> TableRows<'_> {
        *place += 1;
        let (mut rows, mut dataset) = (Vec::new(), None);
        for (name, cell) in &self.rows {
            match cell {
                Cell::Char(text) | Cell::Text(text) => {
                    if name == "dataset_name" && self.name.starts_with("objset-") {
                        dataset = Some(text.as_str());
                    }
                }
                _ => {
                    rows.push((name.as_str(), *place));
                    *place += 1;
                }
            }
        }
        let path = format!("{}/{}", self.module, self.name);
        TableRows { path, created: Nanos(self.crtime_ns), dataset, rows }
    }

    fn is_at(&self, path: &str) -> bool {
        let rest = path.strip_prefix(self.module.as_str()).and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|name| name == self.name)
    }
}

impl Cell {
    const fn is_number(&self) -> bool {
        !matches!(self, Self::Char(_) | Self::Text(_))
    }

    /// Returns the value again.
    fn joined(&self, number: u64) -> KstatValue {
        let signed = number.cast_signed();
        // What does not fit was never written so; the bits that do are as good as any.
        let low = |number: u64| u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default();
        match self {
            Self::I32 => KstatValue::I32(low(number).cast_signed()),
            Self::U32 => KstatValue::U32(low(number)),
            Self::I64 => KstatValue::I64(signed),
            Self::U64 => KstatValue::U64(number),
            Self::Long => KstatValue::Long(signed),
            Self::ULong => KstatValue::ULong(number),
            Self::Char(text) => KstatValue::Char(text.clone()),
            Self::Text(text) => KstatValue::Text(text.clone()),
        }
    }
}

/// Takes the number out of a value.
fn split(value: &KstatValue) -> (Cell, Option<u64>) {
    match value {
        KstatValue::I32(number) => (Cell::I32, Some(i64::from(*number).cast_unsigned())),
        KstatValue::U32(number) => (Cell::U32, Some(u64::from(*number))),
        KstatValue::I64(number) => (Cell::I64, Some(number.cast_unsigned())),
        KstatValue::U64(number) => (Cell::U64, Some(*number)),
        KstatValue::Long(number) => (Cell::Long, Some(number.cast_unsigned())),
        KstatValue::ULong(number) => (Cell::ULong, Some(*number)),
        KstatValue::Char(text) => (Cell::Char(text.clone()), None),
        KstatValue::Text(text) => (Cell::Text(text.clone()), None),
    }
}
