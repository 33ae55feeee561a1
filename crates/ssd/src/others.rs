//! What an SSD brings by the other loads that a machine's counters do not tell apart.

use crate::found::{OtherUse, reach};
use crate::plan::SsdPlan;
use crate::trials::ALIKE;

impl SsdPlan {
    /// Returns the plan with what plans of the same SSDs for the other loads say.
    #[must_use]
    pub fn with_others(self, others: &[Self]) -> Self {
        let checked_by = |other: &Self, name: &str| {
            other.uses.iter().find(|one| one.name == name)?.saved_checked
        };
        let saved_by = |other: &Self, name: &str| {
            other.uses.iter().find(|one| one.name == name).map(|one| one.saved)
        };
        let mut uses = self.uses.clone();
        for one in uses.iter_mut().filter(|one| one.roles.count() > 0) {
            let saved: Vec<f64> =
                others.iter().filter_map(|other| saved_by(other, &one.name)).collect();
            let checked = others.iter().filter_map(|other| checked_by(other, &one.name));
            one.saved_checked = one.saved_checked.map(|own| checked.fold(own, reach));
            let all = |range, saved: &f64| reach(range, [*saved; 2]);
            one.saved_range = (!saved.is_empty()).then(|| saved.iter().fold([one.saved; 2], all));
        }
        let chosen = self.chosen().name.clone();
        let better = others.iter().filter_map(|other| {
            let theirs = other.chosen();
            let ours = saved_by(other, &chosen).unwrap_or_default();
            (theirs.saved - ours >= ALIKE)
                .then(|| OtherUse { name: theirs.name.clone(), saved: theirs.saved })
        });
        let better = better.max_by(|one, other| one.saved.total_cmp(&other.saved));
        Self { uses, better_by_another: better, other_loads: others.len(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use crate::found::Use;
    use crate::plan::SsdPlan;
    use crate::plan::tests::database;
    use crate::roles::Roles;

    /// Returns a plan in which uses save so much, and one of them is chosen.
    fn plan(uses: &[(&str, f64)], choice: usize) -> SsdPlan {
        let used = |(name, saved): &(&str, f64)| {
            let roles = Roles::ALL.into_iter().find(|roles| roles.name() == *name).unwrap();
            Use { name: (*name).to_owned(), roles, saved: *saved, ..Use::default() }
        };
        let (trials, outcome) = database();
        let plan = SsdPlan::of(&trials, &outcome, 1.0).unwrap();
        SsdPlan { uses: uses.iter().map(used).collect(), choice, ..plan }
    }

    #[test]
    fn other_loads_give_a_range_and_name_what_is_better_by_them() {
        let check = |others: &[SsdPlan], ranges: [Option<[f64; 2]>; 3], better: Option<&str>| {
            let ours = plan(&[("nothing", 0.0), ("log", 0.3), ("cache", 0.1)], 1);
            let told = ours.with_others(others);
            let found: Vec<_> = told.uses.iter().map(|one| one.saved_range).collect();
            assert_eq!(found, ranges);
            assert_eq!(told.better_by_another.map(|other| other.name).as_deref(), better);
            assert_eq!(told.other_loads, others.len());
        };
        check(&[], [None; 3], None);
        let alike = plan(&[("nothing", 0.0), ("log", 0.28), ("cache", 0.12)], 1);
        check(&[alike], [None, Some([0.28, 0.3]), Some([0.1, 0.12])], None);
        // Nothing is read in this one, so no cache was tried, and a log brings nothing.
        let idle = plan(&[("nothing", 0.0), ("log", 0.01)], 0);
        let reads = plan(&[("nothing", 0.0), ("log", 0.0), ("cache", 0.5)], 2);
        check(&[idle, reads], [None, Some([0.0, 0.3]), Some([0.1, 0.5])], Some("cache"));
    }
}
