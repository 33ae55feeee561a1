//! One plan of purchases for several machines: which combination each of them gets, so that all clients together wait least within a
//! budget.
//!
//! ```text
//!   machine   waiting at a time   may get
//!   a         10                  memory for 100, saves 50 %; an L2ARC for 40, saves 40 %
//!   b         1                   a parameter, free, saves 20 %; memory for 60, saves 50 %
//!   budget 110:  a the L2ARC and b memory for 100 saves 4.5; a memory and b the parameter for 100 saves 5.2, and is bought
//! ```
//!
//! Machine after machine is added to a list of plans that no other beats, by price and by what it saves. Where it gets long, of those
//! that cost nearly the same the best stays, so that a thousand machines take no longer than a thousand lists.

use schemars::JsonSchema;
use serde::Serialize;

use arcwright_ssd::ALIKE;

use crate::WhatIf;
use crate::rank::may_be_bought;

/// Plans that are kept while machines are added.
const PLANS_MAX: usize = 4096;
/// Of plans that save as much but for this share the cheapest is taken.
const NEARLY: f64 = 0.01;

/// What several machines get.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Purchases {
    /// The number of the combination that each machine gets, in the order of the machines; 0 is the pool as it is.
    pub choices: Vec<usize>,
    /// What all of it costs.
    pub price: f64,
    /// How many requests fewer wait at a time, of all machines together.
    pub fewer_waiting: f64,
    /// How many wait at a time now.
    pub waiting: f64,
    /// The most that may be spent; absent where nobody said.
    pub budget: Option<f64>,
}

/// What a machine may get.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Offer {
    row: usize,
    price: f64,
    /// How many requests fewer wait at a time.
    worth: f64,
}

/// A plan for the machines so far: what it costs and saves, and from which plan it was made.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plan {
    price: f64,
    worth: f64,
    before: u32,
    row: u32,
}

impl Purchases {
    /// Returns what machines get whose rows have prices, within a budget where there is one.
    #[must_use]
    pub fn of(machines: &[&WhatIf], budget: Option<f64>) -> Self {
        let start = Plan { price: 0.0, worth: 0.0, before: 0, row: 0 };
        // A list for no machine, for the first, for the first two: each plan is found back through those before.
        let mut lists: Vec<Vec<Plan>> = vec![vec![start]];
        for machine in machines {
            let before = lists.last().map_or(&[] as &[Plan], Vec::as_slice);
            lists.push(with(before, &offers(machine), budget));
        }
        let plans = lists.last().map_or(&[] as &[Plan], Vec::as_slice);
        let best = plans.iter().map(|plan| plan.worth).fold(0.0, f64::max);
        // By price, so that the first which saves nearly as much as the best is the cheapest.
        let place = plans.iter().position(|plan| plan.worth >= best * (1.0 - NEARLY));
        let chosen = place.and_then(|place| plans.get(place)).copied();
        let (mut next, mut choices) = (chosen, Vec::with_capacity(machines.len()));
        for before in lists.iter().rev().skip(1) {
            let Some(plan) = next else { break };
            choices.push(plan.row as usize);
            next = before.get(plan.before as usize).copied();
        }
        choices.reverse();
        Self {
            choices,
            price: chosen.map_or(0.0, |plan| plan.price),
            fewer_waiting: chosen.map_or(0.0, |plan| plan.worth),
            waiting: machines.iter().map(|machine| waiting(machine)).sum(),
            budget,
        }
    }
}

/// Returns how many requests of a machine wait at a time, by Little's law: as many a second as each takes seconds.
#[must_use]
pub fn waiting(machine: &WhatIf) -> f64 {
    let phases = machine.rows.iter().take(1).flat_map(|row| &row.phases);
    let waiting = phases.map(|phase| phase.operations_per_sec * phase.wait_ns.as_secs_f64());
    waiting.fold(0.0, |sum, one| sum + one)
}

/// Returns what a machine may get, the pool as it is first.
fn offers(machine: &WhatIf) -> Vec<Offer> {
    let waiting = waiting(machine);
    let rows = machine.rows.iter().enumerate();
    let rows = rows.filter_map(|(row, one)| match one.changes {
        0 => Some(Offer { row, price: 0.0, worth: 0.0 }),
        _ if one.saved < ALIKE || !may_be_bought(one) => None,
        _ => Some(Offer { row, price: one.price?, worth: one.saved * waiting }),
    });
    rows.collect()
}

/// Returns the plans with one machine more: those that no other beats, by price.
fn with(plans: &[Plan], offers: &[Offer], budget: Option<f64>) -> Vec<Plan> {
    let plan = |(before, plan): (usize, &Plan), offer: &Offer| {
        let before = u32::try_from(before).ok()?;
        let (price, worth) = (plan.price + offer.price, plan.worth + offer.worth);
        let is_bought = budget.is_none_or(|most| price <= most);
        is_bought.then_some(Plan { price, worth, before, row: u32::try_from(offer.row).ok()? })
    };
    let numbered = plans.iter().enumerate();
    let mut all: Vec<Plan> = numbered
        .flat_map(|before| offers.iter().filter_map(move |offer| plan(before, offer)))
        .collect();
    let order = |one: &Plan, other: &Plan| {
        one.price.total_cmp(&other.price).then(other.worth.total_cmp(&one.worth))
    };
    all.sort_by(order);
    let mut kept: Vec<Plan> = Vec::new();
    for plan in all {
        if kept.last().is_none_or(|last| plan.worth > last.worth) {
            kept.push(plan);
        }
    }
    thinned(kept)
}

/// Returns plans, of those that cost nearly the same only the last, which saves most.
fn thinned(plans: Vec<Plan>) -> Vec<Plan> {
    let most = plans.last().map_or(0.0, |plan| plan.price);
    if plans.len() <= PLANS_MAX {
        return plans;
    }
    let step = |plan: &Plan| (plan.price / most * (PLANS_MAX - 2) as f64).ceil();
    let mut kept: Vec<Plan> = Vec::with_capacity(PLANS_MAX);
    for plan in plans {
        match kept.last_mut() {
            Some(last) if step(last).total_cmp(&step(&plan)).is_eq() => *last = plan,
            _ => kept.push(plan),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use arcwright_ssd::PhaseOfUse;
    use arcwright_units::{Bytes, Nanos};
    use proptest::prelude::*;

    use super::{Plan, Purchases, thinned};
    use crate::row::Row;
    use crate::{Prices, WhatIf};

    /// A machine of which so many requests wait at a time, with what it may get: its price and what it saves.
    fn machine(waiting: f64, offers: &[(f64, f64)]) -> WhatIf {
        let phase = PhaseOfUse {
            name: "load".to_owned(),
            is_paced: true,
            operations_per_sec: waiting * 1000.0,
            requests: 1000,
            wait_ns: Nanos::millis(1),
            ..PhaseOfUse::default()
        };
        let row = |(number, (price, saved)): (usize, (f64, f64))| Row {
            name: format!("{number}"),
            changes: usize::from(number > 0),
            memory: Bytes::gib(8),
            phases: vec![phase.clone()],
            saved,
            price: Some(price),
            is_frugal: true,
            ..Row::default()
        };
        let all = std::iter::once((0.0, 0.0)).chain(offers.iter().copied());
        WhatIf {
            phases: vec!["load".to_owned()],
            hours_a_day: 24.0,
            prices: Some(Prices::default()),
            rows: all.enumerate().map(row).collect(),
            ..WhatIf::default()
        }
    }

    #[test]
    fn as_much_as_possible_is_saved_within_the_budget() {
        let machines =
            [machine(10.0, &[(100.0, 0.5), (40.0, 0.4)]), machine(1.0, &[(0.0, 0.2), (60.0, 0.5)])];
        let machines: Vec<&WhatIf> = machines.iter().collect();
        let check = |budget: Option<f64>, choices: &[usize], price: f64| {
            let bought = Purchases::of(&machines, budget);
            assert_eq!((bought.choices.as_slice(), bought.price), (choices, price), "{budget:?}");
        };
        check(Some(110.0), &[1, 1], 100.0);
        check(Some(99.0), &[2, 1], 40.0);
        check(Some(100.0), &[1, 1], 100.0);
        check(None, &[1, 2], 160.0);
        // What is free is taken even without money.
        check(Some(0.0), &[0, 1], 0.0);
        assert_eq!(Purchases::of(&[], Some(1.0)).choices, Vec::<usize>::new());
    }

    #[test]
    fn money_is_not_spent_on_what_is_hardly_more() {
        let one = machine(1.0, &[(50.0, 0.5), (500.0, 0.503), (10.0, 0.04)]);
        assert_eq!(Purchases::of(&[&one], None).choices, [1]);
    }

    #[test]
    fn a_list_of_plans_stays_short_and_keeps_the_best() {
        let plan = |number: u32| Plan {
            price: f64::from(number),
            worth: f64::from(number),
            before: number,
            row: 0,
        };
        let kept = thinned((0..100_000).map(plan).collect());
        assert!(kept.len() <= super::PLANS_MAX, "{}", kept.len());
        assert_eq!((kept[0], *kept.last().unwrap()), (plan(0), plan(99_999)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

        /// Against all plans of a few machines: within the budget, and nearly the best.
        #[test]
        fn no_other_plan_within_the_budget_saves_more(
            all in prop::collection::vec(
                (0.1..9.0_f64, prop::collection::vec((0.0..100.0_f64, 0.05..0.9_f64), 1..4)),
                1..5,
            ),
            budget in 0.0..250.0_f64,
        ) {
            let machines: Vec<WhatIf> = all.iter().map(|(waiting, offers)| machine(*waiting, offers)).collect();
            let bought = Purchases::of(&machines.iter().collect::<Vec<_>>(), Some(budget));
            prop_assert_eq!(bought.choices.len(), machines.len());
            let total = |choices: &[usize]| {
                let each = choices.iter().zip(&all).map(|(choice, (waiting, offers))| match choice {
                    0 => (0.0, 0.0),
                    choice => (offers[choice - 1].0, offers[choice - 1].1 * waiting),
                });
                each.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
            };
            let (price, worth) = total(&bought.choices);
            prop_assert!(price <= budget + 1e-9 && (price - bought.price).abs() < 1e-9);
            prop_assert!((worth - bought.fewer_waiting).abs() < 1e-9);
            let counts: Vec<usize> = all.iter().map(|(_, offers)| offers.len() + 1).collect();
            let plans: usize = counts.iter().product();
            for number in 0..plans {
                let mut rest = number;
                let choices: Vec<usize> = counts.iter().map(|count| {
                    let digit = rest % count;
                    rest /= count;
                    digit
                }).collect();
                let (price, other) = total(&choices);
                prop_assert!(price > budget || other <= worth / 0.99 + 1e-9, "{choices:?}");
            }
        }
    }
}
