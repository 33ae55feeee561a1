//! What came of each combination.

use arcwright_scenario::Outcome;
use arcwright_ssd::waiting;
use schemars::JsonSchema;
use serde::Serialize;

use crate::WhatIfError;
use crate::grid::Grid;
use crate::rank;
use crate::row::Row;

/// Hours of a day.
const HOURS_A_DAY: f64 = 24.0;

/// All combinations.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhatIf {
    /// What the load is.
    pub load: String,
    /// The phases that count.
    pub phases: Vec<String>,
    /// Hours a day that the load goes on.
    pub hours_a_day: f64,
    /// What of the machine the model does not count as the machine did, in sentences; nothing where the load is one that
    /// somebody wrote down.
    pub apart: Vec<String>,
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
        rank::mark_frugal(&mut rows);
        if let Some(changed) = rows.get_mut(1..) {
            changed.sort_by(|one, other| other.saved.total_cmp(&one.saved));
        }
        Ok(Self {
            load: grid.scenario.title.clone(),
            phases: grid.phases.clone(),
            hours_a_day,
            apart: Vec::new(),
            choice: rank::chosen(&rows),
            not_tried,
            rows,
        })
    }

    /// Returns the answer with what speaks against its basis.
    #[must_use]
    pub fn with_apart(self, apart: Vec<String>) -> Self {
        Self { apart, ..self }
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
