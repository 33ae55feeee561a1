//! All combinations as the arms of one experiment.

use arcwright_scenario::{Arm, Scenario, System};
use arcwright_ssd::{Ssd, comparisons, counted_phases, reference_arm};

use crate::WhatIfError;
use crate::axis::Axis;

/// Combinations that are tried at most.
const COMBINATIONS_MAX: usize = 256;
/// What the first arm is called.
pub(crate) const AS_IT_IS: &str = "as it is";

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIfQuestion {
    /// The pool and its load.
    pub scenario: Scenario,
    /// The arm that is the pool as it is; the first without it.
    pub arm: Option<String>,
    /// The phases that matter; those that the scenario itself asks about without them.
    pub phases: Vec<String>,
    /// What may be changed.
    pub axes: Vec<Axis>,
}

/// The experiment, ready for an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The scenario to run; its first arm is the pool as it is.
    pub scenario: Scenario,
    pub(crate) base: System,
    pub(crate) phases: Vec<String>,
    /// The SSD of the L2ARC, where one is tried.
    pub(crate) ssd: Option<Ssd>,
    /// How many changes each arm has.
    pub(crate) changes: Vec<usize>,
}

impl Grid {
    /// Returns the experiment that answers what is asked.
    ///
    /// # Errors
    /// [`WhatIfError`] when there is nothing to try, or too much, or no such arm or phase.
    pub fn of(question: WhatIfQuestion) -> Result<Self, WhatIfError> {
        let WhatIfQuestion { mut scenario, arm, phases, axes } = question;
        if axes.iter().all(|axis| axis.count() == 0) {
            return Err(WhatIfError::Nothing);
        }
        let all = axes.iter().try_fold(1usize, |all, axis| all.checked_mul(axis.count() + 1));
        let count = all.unwrap_or(usize::MAX);
        if count > COMBINATIONS_MAX {
            return Err(WhatIfError::TooMany { count, most: COMBINATIONS_MAX });
        }
        let base_arm = reference_arm(&scenario, arm.as_deref())?.clone();
        let phases = counted_phases(&scenario, phases)?;
        let base = scenario.system_of(&base_arm);
        let arms = (0..count).map(|number| combination(number, &axes, (&base_arm, &base)));
        let (arms, changes): (Vec<Arm>, Vec<usize>) = arms.unzip();
        let names: Vec<&str> = arms.iter().skip(1).map(|arm| arm.name.as_str()).collect();
        scenario.answers = comparisons(&scenario, &phases, (&names, AS_IT_IS));
        scenario.arms = arms;
        scenario.reported = None;
        let ssd = axes.into_iter().find_map(|axis| match axis {
            Axis::L2arc(ssd, _) => Some(*ssd),
            _ => None,
        });
        Ok(Self { scenario, base, phases, ssd, changes })
    }

    /// Returns the same changes under each of some loads: one, and those that a machine's counters do not tell from it.
    ///
    /// # Errors
    /// [`WhatIfError`] where there is nothing to try, or too much, or no such phase.
    pub fn under_each<'a>(
        scenarios: impl IntoIterator<Item = &'a Scenario>,
        phases: &[String],
        axes: &[Axis],
    ) -> Result<Vec<Self>, WhatIfError> {
        let questions = scenarios.into_iter().map(|scenario| {
            let (scenario, phases, axes) = (scenario.clone(), phases.to_vec(), axes.to_vec());
            WhatIfQuestion { scenario, arm: None, phases, axes }
        });
        questions.map(Self::of).collect()
    }
}

/// Returns the arm of a number, whose digits are the values of the axes; 0 is the value that is there already.
fn combination(number: usize, axes: &[Axis], (base_arm, base): (&Arm, &System)) -> (Arm, usize) {
    let mut arm = base_arm.clone();
    let mut names = Vec::new();
    let mut rest = number;
    for axis in axes {
        let values = axis.count() + 1;
        let digit = rest % values;
        rest /= values;
        let value = digit.checked_sub(1);
        names.extend(value.and_then(|value| axis.put(value, &mut arm, base)));
    }
    let changes = names.len();
    arm.name = if names.is_empty() { AS_IT_IS.to_owned() } else { names.join(", ") };
    (arm, changes)
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Scenario;
    use arcwright_units::Bytes;

    use super::{Grid, WhatIfQuestion};
    use crate::{Axis, WhatIfError};

    const FILE: &str = r#"
title = "t"
system = { zfs = "2.3.2", memory = "4GiB", pool = { data = ["hdd-nas-7200"] }, tunables = { zfs_arc_max = 3221225472 } }
file = [{ name = "f", size = "64MiB" }]
phase = [{ name = "p", clients = [{ read = "f", io = "1MiB" }] }]
"#;

    fn grid(axes: Vec<Axis>) -> Result<Grid, WhatIfError> {
        let scenario = Scenario::parse(FILE, "t.toml").unwrap();
        Grid::of(WhatIfQuestion { scenario, arm: None, phases: vec![], axes })
    }

    #[test]
    fn every_combination_is_an_arm() {
        let axes = vec![
            Axis::Memory(vec![Bytes::gib(8), Bytes::gib(2)]),
            Axis::Parameter("zfs_prefetch_disable".to_owned(), vec![1]),
        ];
        let grid = grid(axes).unwrap();
        let names: Vec<&str> = grid.scenario.arms.iter().map(|arm| arm.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "as it is",
                "8 GiB of memory",
                "2 GiB of memory",
                "zfs_prefetch_disable=1",
                "8 GiB of memory, zfs_prefetch_disable=1",
                "2 GiB of memory, zfs_prefetch_disable=1",
            ]
        );
        assert_eq!(grid.changes, [0, 1, 1, 1, 2, 2]);
        // What is not the ARC's stays as it is; with less memory the ARC is as much smaller.
        let limits =
            grid.scenario.arms.iter().map(|arm| arm.tunables.first().map(|one| one.value >> 20));
        assert_eq!(limits.take(3).collect::<Vec<_>>(), [None, Some(7 << 10), Some(1536)]);
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        assert_eq!(grid(vec![]).unwrap_err(), WhatIfError::Nothing);
        let many = |count| Axis::Parameter("zfs_dirty_data_max".to_owned(), (1..=count).collect());
        assert_eq!(
            grid(vec![many(15), many(16)]).unwrap_err().to_string(),
            "272 combinations; at most 256 are tried"
        );
    }
}
