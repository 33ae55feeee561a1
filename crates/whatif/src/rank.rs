//! Which combination is chosen, and which are worth a look.

use arcwright_ssd::ALIKE;

use crate::price::Prices;
use crate::row::Row;

/// A device that lasts less long is spent on the load.
const YEARS_MIN: f64 = 1.0;
/// Shares that differ by less are printed alike.
const SAVED_ALIKE: f64 = 0.0005;

/// Returns the number of the row to choose: the one with the fewest changes, then the least hardware, of those that save
/// nearly as much as the best; the pool as it is where none saves a twentieth. With prices it is the cheapest of them that may be bought.
pub(crate) fn chosen(rows: &[Row], prices: Option<&Prices>) -> usize {
    let may = |row: &Row| may_be_bought(row) && prices.is_none_or(|prices| prices.allow(row));
    let candidates = || rows.iter().enumerate().filter(|(_, row)| row.changes == 0 || may(row));
    let best = candidates().map(|(_, row)| row.saved).fold(0.0, f64::max);
    if best < ALIKE {
        return 0;
    }
    let good = candidates().filter(|(_, row)| row.saved >= ALIKE && row.saved > best - ALIKE);
    let order = |row: &Row| (row.changes, row.memory, row.l2arc, row.log);
    let simplest = good.min_by(|(_, one), (_, other)| {
        let price = |row: &Row| prices.map_or(0.0, |_| row.price.unwrap_or(f64::INFINITY));
        let cheaper = price(one).total_cmp(&price(other));
        cheaper.then(order(one).cmp(&order(other))).then(other.saved.total_cmp(&one.saved))
    });
    simplest.map_or(0, |(number, _)| number)
}

/// Says whether a row's SSD lasts long enough to be worth its money.
pub(crate) fn may_be_bought(row: &Row) -> bool {
    row.years.is_none_or(|years| years >= YEARS_MIN)
}

/// Marks rows that no other beats: none saves as much or more with no more memory, cache, log and changes, and one of
/// these less; with prices, for no more money and changes.
pub(crate) fn mark_frugal(rows: &mut [Row], prices: Option<&Prices>) {
    let changes = |row: &Row| row.changes as f64;
    let costs = |row: &Row| match prices {
        Some(_) => [row.price.unwrap_or(f64::INFINITY), changes(row), 0.0, 0.0],
        None => [row.memory.0 as f64, row.l2arc.0 as f64, row.log.0 as f64, changes(row)],
    };
    let all: Vec<([f64; 4], f64)> = rows.iter().map(|row| (costs(row), row.saved)).collect();
    for (row, (own, saved)) in rows.iter_mut().zip(&all) {
        let beats = |(costs, other): &([f64; 4], f64)| {
            let no_more = costs.iter().zip(own).all(|(other, own)| other <= own);
            match costs.map(f64::to_bits) == own.map(f64::to_bits) {
                true => other > saved,
                false => no_more && other + SAVED_ALIKE >= *saved,
            }
        };
        row.is_frugal = !all.iter().any(beats);
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;

    use super::{chosen, mark_frugal};
    use crate::price::Prices;
    use crate::row::Row;

    fn row(changes: usize, memory: u64, l2arc: u64, saved: f64) -> Row {
        Row {
            name: format!("{memory} {l2arc}"),
            changes,
            memory: Bytes::gib(memory),
            l2arc: Bytes::gib(l2arc),
            saved,
            ..Row::default()
        }
    }

    #[test]
    fn nothing_wins_ties_and_less_hardware_wins_near_ties() {
        let check =
            |rows: &[Row], expected: usize| assert_eq!(chosen(rows, None), expected, "{rows:?}");
        let base = || row(0, 8, 0, 0.0);
        check(&[base(), row(1, 16, 0, 0.04)], 0);
        check(&[base(), row(1, 64, 0, 0.5), row(1, 32, 0, 0.47), row(1, 16, 0, 0.2)], 2);
        check(&[base(), row(1, 16, 0, 0.048), row(2, 32, 0, 0.065)], 2);
        check(&[base(), row(2, 16, 100, 0.5), row(1, 64, 0, 0.46)], 2);
        check(&[base(), row(1, 16, 0, -0.5)], 0);
        let worn = Row { years: Some(0.2), ..row(1, 8, 100, 0.9) };
        check(&[base(), worn, row(1, 16, 0, 0.3)], 2);
    }

    #[test]
    fn with_prices_the_cheapest_of_nearly_the_best_within_the_budget_wins() {
        let check = |prices: Prices, expected: usize, costs: [Option<f64>; 4]| {
            // Memory saves a little more than a cache, and costs more.
            let rows =
                [row(0, 8, 0, 0.0), row(1, 40, 0, 0.33), row(1, 8, 200, 0.3), row(2, 40, 200, 0.5)];
            let mut rows = rows.to_vec();
            let base = rows[0].clone();
            rows.iter_mut().for_each(|row| row.price = prices.of(row, &base));
            let found: Vec<Option<f64>> = rows.iter().map(|row| row.price).collect();
            assert_eq!(found, costs);
            assert_eq!(chosen(&rows, Some(&prices)), expected, "{prices:?}");
        };
        let prices = |memory, l2arc, budget| Prices {
            memory_gib: memory,
            l2arc_gib: l2arc,
            log_device: None,
            budget,
        };
        let both = [Some(0.0), Some(128.0), Some(50.0), Some(178.0)];
        check(prices(Some(4.0), Some(0.25), None), 3, both);
        check(prices(Some(4.0), Some(0.25), Some(150.0)), 2, both);
        check(prices(Some(4.0), Some(0.25), Some(20.0)), 0, both);
        // What is not known is not bought.
        let memory = [Some(0.0), Some(128.0), None, None];
        check(prices(Some(4.0), None, Some(500.0)), 1, memory);
        check(prices(Some(4.0), None, None), 3, memory);
    }

    #[test]
    fn what_another_beats_is_not_frugal() {
        let mut rows =
            [row(0, 8, 0, 0.0), row(1, 16, 0, 0.3), row(1, 32, 0, 0.3), row(2, 16, 100, 0.6)];
        mark_frugal(&mut rows, None);
        assert_eq!(rows.each_ref().map(|row| row.is_frugal), [true, true, false, true]);
        // What nobody sees is no reason to buy more.
        rows[3].saved = 0.3004;
        mark_frugal(&mut rows, None);
        assert_eq!(rows.each_ref().map(|row| row.is_frugal), [true, true, false, false]);
        // With prices it is what costs more that is beaten, not what has more memory.
        rows[2].price = Some(10.0);
        rows[1].price = Some(20.0);
        mark_frugal(&mut rows, Some(&Prices::default()));
        assert_eq!(rows.map(|row| row.is_frugal), [true, false, true, false]);
    }
}
