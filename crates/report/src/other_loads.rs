//! What the loads say that a machine's counters do not tell apart.

use arcwright_ssd::ALIKE;
use arcwright_whatif::{Row, WhatIf};

use crate::figures::change;

/// Returns a share as it is said, without a plus.
pub(crate) fn percent(share: f64) -> String {
    change(share * 100.0).trim_start_matches('+').to_owned()
}

/// Says what a choice saves by the loads that a machine's counters do not tell apart.
pub(crate) fn by_other_loads([least, most]: [f64; 2]) -> String {
    let range = format!("{} to {} less", percent(least).trim_end_matches(" %"), percent(most));
    match least >= ALIKE {
        true => format!(
            "By the other loads that the counters of the machine fit as well it is {range}."
        ),
        false => format!(
            "By other loads that the counters of the machine fit as well it may bring next to nothing ({range})."
        ),
    }
}

/// Says what a load takes as given.
pub(crate) fn taken_as_given(what: &str) -> String {
    format!("Taken as given: {what}.")
}

/// Says what something else would save by a load that the counters do not tell from the one that fits best.
pub(crate) fn by_another_load(what: &str, saved: f64) -> String {
    format!(
        "By another load that the counters of the machine fit as well, {what} would save {}: a longer record tells more.",
        percent(saved)
    )
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
