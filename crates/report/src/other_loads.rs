//! What other loads say: those that a machine's counters do not tell apart, or other places of a trace.

use arcwright_scenario::{Outcome, Phase};
use arcwright_ssd::{ALIKE, Doubts};
use arcwright_whatif::{Row, WhatIf};
use arcwright_workload::Action;

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

/// Says what a choice saves by how far such predictions were off.
pub(crate) fn checked_range(range: [f64; 2], doubts: &Doubts) -> String {
    let [least, most] = range;
    let less = format!("{} to {} less", percent(least).trim_end_matches(" %"), percent(most));
    let places = doubts.one_place_in.map_or("", |_| "other places of the trace and ");
    if least >= ALIKE {
        return format!(
            "By {places}how far such predictions were off when they were checked, it is {less}."
        );
    }
    format!(
        "By {places}how far such predictions were off when they were checked, it may bring next to nothing ({less})."
    )
}

/// Says what ranges are that come of checks, below a table; `name` is that of their column.
pub(crate) fn checked_legend(name: &str, doubts: &Doubts) -> String {
    let places = doubts.one_place_in.map_or(String::new(), |one| {
        format!(", with other places of the trace, of which one in {one} is simulated (--scale)")
    });
    format!(
        " {name}: where it lay in four of five checks of such predictions against the real OpenZFS{places}."
    )
}

/// Says in what a load is outside of all that was checked; nothing where there are ranges, or checks do not count.
pub(crate) fn no_range(outcome: &Outcome, phases: &[String]) -> Option<String> {
    let is_of_traces = |phase: &&Phase| {
        phases.contains(&phase.name)
            && phase.clients.iter().any(|client| matches!(client.action, Action::Trace { .. }))
    };
    let phase = outcome.scenario.phases.iter().find(is_of_traces)?;
    let ranges = outcome.ranges.as_ref()?;
    let arm = outcome.arms.first()?;
    let outside = &ranges.of(&arm.name, &phase.name)?.outside;
    (!outside.is_empty())
        .then(|| format!("No range: outside of what was checked: {}.", outside.join("; ")))
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

/// Returns between which the wait changes by checks of such predictions, or by the loads that fit a machine's counters; nothing
/// where the load is known and nothing was checked.
pub(crate) fn saved_range(row: &Row) -> String {
    row.shown_range().filter(|_| row.changes > 0).map_or_else(String::new, wait_range)
}

/// Returns a range of what is saved as one of the wait.
pub(crate) fn wait_range([least, most]: [f64; 2]) -> String {
    format!("{:.0} to {:.0} %", -most * 100.0, -least * 100.0).replace("-0 ", "0 ")
}
