//! Which use is chosen: the one that is easiest to live with of those that save nearly as much as the best.
//!
//! A log and a cache can be taken out at any time. A special vdev holds a part of the pool, so it counts twice.

use crate::found::Use;
use crate::trials::ALIKE;

/// An SSD that lasts less long is spent on it.
const YEARS_MIN: f64 = 1.0;
/// A difference of this share is worth a sentence.
const WORTH_SAYING: f64 = 0.01;
/// One that lasts less long is worth a sentence.
const YEARS_SHORT: f64 = 3.0;

/// Returns the number of the use to choose; that of nothing where no other saves a twentieth.
pub(crate) fn chosen(uses: &[Use]) -> usize {
    let may = |one: &Use| one.refused.is_none() && one.years.is_none_or(|years| years >= YEARS_MIN);
    let candidates =
        || uses.iter().enumerate().filter(|(_, one)| one.roles.count() == 0 || may(one));
    let best = candidates().map(|(_, one)| one.saved).fold(0.0, f64::max);
    if best < ALIKE {
        return 0;
    }
    let good = candidates().filter(|(_, one)| one.saved > best - ALIKE);
    let weight = |one: &Use| one.roles.count() + usize::from(one.roles.special);
    let order = |one: &Use| (weight(one), -one.saved);
    let simplest = good.min_by(|(_, one), (_, other)| {
        let ((count, saved), (other_count, other_saved)) = (order(one), order(other));
        count.cmp(&other_count).then(saved.total_cmp(&other_saved))
    });
    simplest.map_or(0, |(number, _)| number)
}

/// Returns why it was chosen, and why others were not, in sentences.
pub(crate) fn reasons(uses: &[Use], chosen: usize, hours_a_day: f64) -> Vec<String> {
    let mut all = Vec::new();
    let Some(one) = uses.get(chosen) else { return all };
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    if one.roles.count() == 0 {
        let best = uses.iter().filter(|other| other.roles.count() > 0);
        let best = best.max_by(|one, other| one.saved.total_cmp(&other.saved));
        all.push(match best {
            Some(best) if best.saved >= ALIKE => {
                "No use that gains something can be recommended; the reasons are below.".to_owned()
            }
            Some(best) if best.saved >= WORTH_SAYING => format!(
                "No use of it lets clients wait a twentieth less; the best is {}, with {} less.",
                best.name,
                percent(best.saved)
            ),
            Some(_) => "No use of it lets clients wait less.".to_owned(),
            None => "Nothing in this load could use it.".to_owned(),
        });
    } else {
        let saved = percent(one.saved);
        all.push(format!("As {} it lets clients wait {saved} less under this load.", one.name));
        all.extend(short_life(one, hours_a_day));
    }
    for other in uses.iter().filter(|other| other.saved - one.saved >= WORTH_SAYING) {
        let gains = format!("{} would save {}", other.name, percent(other.saved));
        match (&other.refused, other.years) {
            (Some(why), _) => all.push(format!("{gains}, but {why}.")),
            (None, Some(years)) if years < YEARS_MIN => all.push(format!(
                "{gains}, but such a load wears the SSD out in {:.0} days.",
                years * 365.25
            )),
            _ => all.push(format!("{gains}: too little more for what it adds.")),
        }
    }
    all.extend(contention(uses, one));
    all
}

/// Returns how long it lasts where that is not long, in a sentence.
fn short_life(chosen: &Use, hours_a_day: f64) -> Option<String> {
    let years = chosen.years.filter(|years| *years < YEARS_SHORT)?;
    Some(format!(
        "With this load for {hours_a_day} h a day it is worn out in {:.0} months.",
        years * 12.0
    ))
}

/// Says what the roles cost each other on one SSD, where the one of them alone does better than with the other.
fn contention(uses: &[Use], chosen: &Use) -> Option<String> {
    let both = uses.iter().find(|one| one.roles.log && one.roles.cache && !one.roles.special)?;
    let log = uses.iter().find(|one| one.roles.log && one.roles.count() == 1)?;
    let worse = log.saved - both.saved;
    (worse >= WORTH_SAYING && chosen.roles.log).then(|| {
        format!(
            "Log and cache on one SSD are {:.0} points worse than the log alone: what the feed writes to the cache, \
             the log waits for.",
            worse * 100.0
        )
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{ALIKE, YEARS_MIN, chosen, reasons};
    use crate::found::Use;
    use crate::roles::Roles;

    /// Returns all uses with what they save, and how many years they last.
    fn uses(saved: [f64; 8], years: [f64; 8]) -> Vec<Use> {
        let all = Roles::ALL.into_iter().zip(saved).zip(years);
        let one = |((roles, saved), years): ((Roles, f64), f64)| Use {
            name: roles.name(),
            roles,
            saved: if roles.count() > 0 { saved } else { 0.0 },
            years: (roles.count() > 0).then_some(years),
            ..Use::default()
        };
        all.map(one).collect()
    }

    #[test]
    fn the_easiest_to_live_with_of_nearly_the_best_is_chosen() {
        let check = |saved: [f64; 8], years: f64, expected: &str| {
            let uses = uses(saved, [years; 8]);
            assert_eq!(uses[chosen(&uses)].name, expected, "{saved:?}");
        };
        //     nothing, log, cache, log|cache, log+cache, special, special+cache, all
        check([0.0, 0.04, 0.03, 0.04, 0.04, 0.04, 0.04, 0.04], 9.0, "nothing");
        check([0.0, 0.30, 0.05, 0.31, 0.28, 0.0, 0.05, 0.32], 9.0, "log");
        check([0.0, 0.30, 0.20, 0.50, 0.41, 0.0, 0.2, 0.5], 9.0, "log, cache");
        check([0.0, 0.0, 0.23, 0.23, 0.23, 0.27, 0.27, 0.27], 9.0, "cache");
        check([0.0, 0.0, 0.10, 0.10, 0.10, 0.40, 0.42, 0.42], 9.0, "special");
        check([0.0, 0.30, 0.05, 0.31, 0.28, 0.0, 0.05, 0.32], 0.5, "nothing");
    }

    #[test]
    fn what_is_refused_is_not_chosen_and_the_reason_is_told() {
        let mut uses = uses([0.0, 0.1, 0.0, 0.1, 0.1, 0.6, 0.6, 0.6], [9.0; 8]);
        for one in uses.iter_mut().filter(|one| one.roles.special) {
            one.refused = Some("it needs two".to_owned());
        }
        let chosen = chosen(&uses);
        assert_eq!(uses[chosen].name, "log");
        let told = reasons(&uses, chosen, 1.0).join("\n");
        assert!(told.contains("special would save 60 %, but it needs two."), "{told}");
    }

    proptest! {
        #[test]
        fn what_is_chosen_may_be_and_is_nearly_the_best(
            saved in prop::array::uniform8(-1.0..1.0f64),
            years in prop::array::uniform8(0.0..30.0f64),
        ) {
            let uses = uses(saved, years);
            let one = &uses[chosen(&uses)];
            let may = |one: &&Use| one.years.is_none_or(|years| years >= YEARS_MIN);
            prop_assert!(may(&one));
            let best = uses.iter().filter(may).map(|one| one.saved).fold(0.0, f64::max);
            prop_assert!(one.saved > best - ALIKE || best < ALIKE, "{} of {best}", one.saved);
            prop_assert_eq!(one.roles.count() == 0, best < ALIKE);
        }
    }
}
