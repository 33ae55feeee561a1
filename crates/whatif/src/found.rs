//! What came of each combination.

use arcwright_scenario::Outcome;
use arcwright_ssd::{ALIKE, Doubts, waiting};
use schemars::JsonSchema;
use serde::Serialize;

use crate::WhatIfError;
use crate::grid::Grid;
use crate::price::Prices;
use crate::rank;
use crate::row::Row;

/// Hours of a day.
const HOURS_A_DAY: f64 = 24.0;

/// All combinations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct WhatIf {
    /// What the load is.
    pub load: String,
    /// The phases that count.
    pub phases: Vec<String>,
    /// Hours a day that the load goes on.
    pub hours_a_day: f64,
    /// What hardware costs; absent where nobody said.
    pub prices: Option<Prices>,
    /// What speaks against the load.
    #[serde(flatten)]
    pub doubts: Doubts,
    /// How many other loads were tried that the machine's counters do not tell from this one.
    pub other_loads: usize,
    /// The combinations: first the pool as it is, then those that save most.
    pub rows: Vec<Row>,
    /// The number of the one to choose; 0 where no change saves a twentieth.
    pub choice: usize,
    /// What was not tried to its end.
    pub not_tried: Vec<String>,
}

impl WhatIf {
    /// Returns what an outcome of the grid says, of a load that goes on for so many hours a day.
    ///
    /// # Errors
    /// [`WhatIfError::Unfinished`] where the pool as it is, or every change, did not end.
    pub fn of(grid: &Grid, outcome: &Outcome, hours_a_day: f64) -> Result<Self, WhatIfError> {
        let arms = grid.scenario.arms.iter().zip(&grid.changes);
        let hours = hours_a_day.clamp(0.0, HOURS_A_DAY);
        let rows = arms.filter_map(|(arm, changes)| {
            let found = outcome.arms.iter().find(|found| found.name == arm.name)?;
            Row::of(grid, found, (outcome, *changes, hours))
        });
        let mut rows: Vec<Row> = rows.collect();
        let base = rows.first().filter(|row| row.changes == 0).ok_or(WhatIfError::Unfinished)?;
        if rows.len() < 2 {
            return Err(WhatIfError::Unfinished);
        }
        let base = base.phases.clone();
        let whole = waiting(&base, &base);
        for row in rows.iter_mut().skip(1) {
            let here = waiting(&row.phases, &base);
            row.saved = if whole > 0.0 { (whole - here) / whole } else { 0.0 };
        }
        let missing =
            grid.scenario.arms.iter().filter(|arm| rows.iter().all(|row| row.name != arm.name));
        let not_tried =
            missing.map(|arm| format!("{}: the run was stopped before", arm.name)).collect();
        rank::mark_frugal(&mut rows, None);
        if let Some(changed) = rows.get_mut(1..) {
            changed.sort_by(|one, other| other.saved.total_cmp(&one.saved));
        }
        Ok(Self {
            load: grid.scenario.title.clone(),
            phases: grid.phases.clone(),
            hours_a_day,
            prices: None,
            doubts: Doubts::default(),
            other_loads: 0,
            choice: rank::chosen(&rows, None),
            not_tried,
            rows,
        })
    }

    /// Returns the answer with what speaks against the load.
    #[must_use]
    pub fn with_doubts(self, doubts: Doubts) -> Self {
        Self { doubts, ..self }
    }

    /// Returns the answer with ranges that reach as far as what comes of the same changes under other loads.
    #[must_use]
    pub fn with_other_loads(self, others: &[Self]) -> Self {
        let widened = |row: &Row| {
            let same = others.iter().filter_map(|other| other.row(&row.name));
            same.fold(row.clone(), |row, other| row.widened(other))
        };
        let rows = self.rows.iter().map(widened).collect();
        Self { rows, other_loads: others.len(), ..self }
    }

    /// Returns the answer with what rows cost: the cheapest of those that save nearly as much as the best is chosen, within the
    /// budget where there is one.
    #[must_use]
    pub fn with_prices(self, prices: Prices) -> Self {
        let mut rows = self.rows;
        if let Some(base) = rows.first().cloned() {
            rows.iter_mut().for_each(|row| row.price = prices.of(row, &base));
        }
        rank::mark_frugal(&mut rows, Some(&prices));
        Self { choice: rank::chosen(&rows, Some(&prices)), rows, prices: Some(prices), ..self }
    }

    /// Returns the combination that would be chosen without the budget, where it saves a twentieth more; none where the budget
    /// is no hindrance, or there is none.
    #[must_use]
    pub fn beyond_budget(&self) -> Option<&Row> {
        let prices = self.prices.filter(|prices| prices.budget.is_some())?;
        let free = Prices { budget: None, ..prices };
        let row = self.rows.get(rank::chosen(&self.rows, Some(&free)))?;
        (row.saved - self.chosen().saved >= ALIKE && !prices.allow(row)).then_some(row)
    }

    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// Returns the combination to choose.
    ///
    /// # Panics
    /// Never: there is at least the pool as it is.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "chosen among the rows, of which there are at least two"
    )]
    pub fn chosen(&self) -> &Row {
        &self.rows[self.choice]
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;

    use super::WhatIf;
    use crate::row::Row;

    fn answer(saved: f64, hits: Option<f64>, range: Option<[f64; 2]>) -> WhatIf {
        let row = |name: &str, saved: f64| Row {
            name: name.to_owned(),
            changes: 1,
            memory: Bytes::gib(8),
            saved,
            arc_hit_ratio: hits,
            arc_hit_range: range,
            ..Row::default()
        };
        WhatIf {
            hours_a_day: 24.0,
            rows: vec![row("as it is", 0.0), row("more", saved)],
            choice: 1,
            ..WhatIf::default()
        }
    }

    #[test]
    fn ranges_reach_as_far_as_the_loads_that_fit() {
        let check = |others: &[WhatIf], saved: Option<[f64; 2]>, hits: Option<[f64; 2]>| {
            let whole = answer(0.2, Some(0.7), Some([0.65, 0.75])).with_other_loads(others);
            assert_eq!(whole.other_loads, others.len());
            assert_eq!((whole.rows[1].saved_range, whole.rows[1].arc_hit_range), (saved, hits));
        };
        check(&[], None, Some([0.65, 0.75]));
        check(&[answer(0.3, Some(0.8), None)], Some([0.2, 0.3]), Some([0.65, 0.8]));
        let both = [answer(0.1, Some(0.6), Some([0.5, 0.66])), answer(0.3, None, None)];
        check(&both, Some([0.1, 0.3]), Some([0.5, 0.75]));
    }
}
