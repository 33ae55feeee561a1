//! Which parts the screen has, in which order keys go through them, and the columns of those that are tables.

use crate::table::Column;

/// A part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Panel {
    Throughput,
    Arc,
    Memory,
    L2arc,
    Writes,
    Pools,
    Datasets,
    Devices,
    Findings,
    Processes,
}

const ORDER: [Panel; 10] = [
    Panel::Throughput,
    Panel::Arc,
    Panel::Memory,
    Panel::L2arc,
    Panel::Writes,
    Panel::Pools,
    Panel::Datasets,
    Panel::Devices,
    Panel::Findings,
    Panel::Processes,
];

/// Those whose rows are sorted and scrolled.
pub(crate) const TABLES: [Panel; 4] =
    [Panel::Pools, Panel::Datasets, Panel::Processes, Panel::Devices];

const fn column(title: &'static str, wide: usize, rank: u8) -> Column {
    Column { title, wide, rank }
}

const NAME: Column = column("name", 0, u8::MAX);
const RATE: usize = 10;

const POOLS: [Column; 6] = [
    NAME,
    column("state", 10, 5),
    column("read", RATE, 8),
    column("written", RATE, 7),
    column("disks read", 11, 4),
    column("disks written", 14, 3),
];
const DATASETS: [Column; 6] = [
    NAME,
    column("read", RATE, 8),
    column("reads", 8, 6),
    column("written", RATE, 7),
    column("writes", 8, 5),
    column("share", 17, 1),
];
const PROCESSES: [Column; 5] = [
    NAME,
    column("count", 6, 2),
    column("read", RATE, 8),
    column("written", RATE, 7),
    column("waiting", 8, 6),
];
const DEVICES: [Column; 8] = [
    NAME,
    column("kind", 16, 1),
    column("use", 7, 4),
    column("read", RATE, 8),
    column("written", RATE, 7),
    column("requests", 9, 3),
    column("latency", 8, 6),
    column("busy", 8, 5),
];

impl Panel {
    /// Returns the columns of a table.
    pub(crate) fn columns(self) -> &'static [Column] {
        match self {
            Self::Pools => &POOLS,
            Self::Datasets => &DATASETS,
            Self::Processes => &PROCESSES,
            Self::Devices => &DEVICES,
            _ => &[],
        }
    }

    /// Returns the one that fills the screen after `focus`; none when all share it again.
    pub(crate) fn after(focus: Option<Self>) -> Option<Self> {
        let next = focus.map_or(0, |panel| panel.number() + 1);
        ORDER.get(next).copied()
    }

    pub(crate) fn before(focus: Option<Self>) -> Option<Self> {
        match focus {
            None => ORDER.last().copied(),
            Some(panel) => ORDER.get(panel.number().checked_sub(1)?).copied(),
        }
    }

    /// Returns the one with the number on the screen; 0 stands for all.
    pub(crate) fn numbered(digit: char) -> Option<Self> {
        let number = usize::try_from(digit.to_digit(10)?).ok()?;
        ORDER.get(number.checked_sub(1)?).copied()
    }

    fn number(self) -> usize {
        ORDER.iter().position(|panel| *panel == self).unwrap_or(0)
    }

    /// Returns where its state as a table is kept; none where it is no table.
    pub(crate) fn table(self) -> Option<usize> {
        TABLES.iter().position(|panel| *panel == self)
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Throughput => "1 throughput",
            Self::Arc => "2 ARC",
            Self::Memory => "3 memory",
            Self::L2arc => "4 L2ARC",
            Self::Writes => "5 txgs and log",
            Self::Pools => "6 pools",
            Self::Datasets => "7 datasets",
            Self::Devices => "8 devices",
            Self::Findings => "9 findings",
            Self::Processes => "processes",
        }
    }
}
