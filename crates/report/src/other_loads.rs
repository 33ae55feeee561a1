//! What other loads say: those that a machine's counters do not tell apart, or other places of a trace.

use arcwright_ssd::{ALIKE, Doubts};
use arcwright_whatif::{Row, WhatIf};

use crate::figures::change;

/// Returns a share as it is said, without a plus.
pub(crate) fn percent(share: f64) -> String {
    change(share * 100.0).trim_start_matches('+').to_owned()
}

/// What other loads are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherLoads {
    /// Loads that the counters of the machine fit as well.
    OfCounters,
    /// Other places of a trace, of which one in so many is simulated.
    OfTrace(u64),
}

impl OtherLoads {
    pub(crate) fn of(doubts: &Doubts) -> Self {
        doubts.one_place_in.map_or(Self::OfCounters, Self::OfTrace)
    }

    /// Says what a choice saves by the other loads.
    pub(crate) fn range(self, [least, most]: [f64; 2]) -> String {
        let range = format!("{} to {} less", percent(least).trim_end_matches(" %"), percent(most));
        match (self, least >= ALIKE) {
            (Self::OfTrace(_), true) if percent(least) == percent(most) => {
                "By other places of the trace it is as much.".to_owned()
            }
            (Self::OfCounters, true) => format!(
                "By the other loads that the counters of the machine fit as well it is {range}."
            ),
            (Self::OfCounters, false) => format!(
                "By other loads that the counters of the machine fit as well it may bring next to nothing ({range})."
            ),
            (Self::OfTrace(_), true) => format!("By other places of the trace it is {range}."),
            (Self::OfTrace(_), false) => {
                format!("By other places of the trace it may bring next to nothing ({range}).")
            }
        }
    }

    /// Says what something else would save by another load.
    pub(crate) fn better(self, what: &str, saved: f64) -> String {
        let saved = percent(saved);
        match self {
            Self::OfCounters => format!(
                "By another load that the counters of the machine fit as well, {what} would save {saved}: a longer record tells \
                 more."
            ),
            Self::OfTrace(_) => {
                format!(
                    "By other places of the trace, {what} would save {saved}: --scale 1 simulates all."
                )
            }
        }
    }

    /// Says what ranges are, below a table; `name` is that of their column.
    pub(crate) fn legend(self, name: &str) -> String {
        match self {
            Self::OfCounters => format!(
                " {name}: what it is with other loads that the machine's counters do not tell from this one."
            ),
            Self::OfTrace(one) => format!(
                " {name}: what it is with other places of the trace, of which one in {one} is simulated (--scale)."
            ),
        }
    }
}

/// Says what a load takes as given.
pub(crate) fn taken_as_given(what: &str) -> String {
    format!("Taken as given: {what}.")
}

/// Returns the row that saves most by some load that fits a machine's counters, and how much; none where none saves a twentieth.
pub(crate) fn most_by_other_loads(answer: &WhatIf) -> Option<(&Row, f64)> {
    let most = answer.rows.iter().skip(1).filter_map(|row| Some((row, row.saved_range?[1])));
    // Of those that are alike the first, which is simpler or ranked higher.
    let most = most.reduce(|best, row| if row.1 > best.1 + 0.005 { row } else { best });
    most.filter(|(_, saved)| *saved >= ALIKE)
}

/// Returns between which the wait changes by the loads that fit a machine's counters; nothing where the load is known.
pub(crate) fn saved_range(row: &Row) -> String {
    row.saved_range.filter(|_| row.changes > 0).map_or_else(String::new, wait_range)
}

/// Returns a range of what is saved as one of the wait.
pub(crate) fn wait_range([least, most]: [f64; 2]) -> String {
    format!("{:.0} to {:.0} %", -most * 100.0, -least * 100.0).replace("-0 ", "0 ")
}
