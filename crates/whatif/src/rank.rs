//! Which combination is chosen, and which are worth a look.

use arcwright_ssd::ALIKE;

use crate::row::Row;

/// A device that lasts less long is spent on the load.
const YEARS_MIN: f64 = 1.0;

/// Returns the number of the row to choose: the one with the fewest changes, then the least hardware, of those that save
/// nearly as much as the best; the pool as it is where none saves a twentieth.
pub(crate) fn chosen(rows: &[Row]) -> usize {
    let lasts = |row: &Row| row.years.is_none_or(|years| years >= YEARS_MIN);
    let candidates = || rows.iter().enumerate().filter(|(_, row)| row.changes == 0 || lasts(row));
    let best = candidates().map(|(_, row)| row.saved).fold(0.0, f64::max);
    if best < ALIKE {
        return 0;
    }
    let good = candidates().filter(|(_, row)| row.saved >= ALIKE && row.saved > best - ALIKE);
    let order = |row: &Row| (row.changes, row.memory, row.l2arc, row.log);
    let simplest = good.min_by(|(_, one), (_, other)| {
        order(one).cmp(&order(other)).then(other.saved.total_cmp(&one.saved))
    });
    simplest.map_or(0, |(number, _)| number)
}

/// Marks rows that no other beats: none saves as much or more with no more memory, cache, log and changes, and one of
/// these less.
pub(crate) fn mark_frugal(rows: &mut [Row]) {
    let costs = |row: &Row| [row.memory.0, row.l2arc.0, row.log.0, row.changes as u64];
    let all: Vec<([u64; 4], f64)> = rows.iter().map(|row| (costs(row), row.saved)).collect();
    for (row, (own, saved)) in rows.iter_mut().zip(&all) {
        let beats = |(costs, other): &([u64; 4], f64)| {
            let no_more = costs.iter().zip(own).all(|(other, own)| other <= own);
            no_more && other >= saved && (costs != own || other > saved)
        };
        row.is_frugal = !all.iter().any(beats);
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::{Bytes, Nanos};

    use super::{chosen, mark_frugal};
    use crate::row::Row;

    fn row(changes: usize, memory: u64, l2arc: u64, saved: f64) -> Row {
        Row {
            name: format!("{memory} {l2arc}"),
            changes,
            memory: Bytes::gib(memory),
            l2arc: Bytes::gib(l2arc),
            log: Bytes::ZERO,
            phases: Vec::new(),
            saved,
            saved_range: None,
            arc_hit_ratio: None,
            arc_hit_range: None,
            l2arc_hit_ratio: None,
            disk_reads: Bytes::ZERO,
            headers: None,
            l2arc_written_per_day: Bytes::ZERO,
            years: None,
            warm_up_ns: None::<Nanos>,
            is_frugal: false,
        }
    }

    #[test]
    fn nothing_wins_ties_and_less_hardware_wins_near_ties() {
        let check = |rows: &[Row], expected: usize| assert_eq!(chosen(rows), expected, "{rows:?}");
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
    fn what_another_beats_is_not_frugal() {
        let mut rows =
            [row(0, 8, 0, 0.0), row(1, 16, 0, 0.3), row(1, 32, 0, 0.3), row(2, 16, 100, 0.6)];
        mark_frugal(&mut rows);
        assert_eq!(rows.map(|row| row.is_frugal), [true, true, false, true]);
    }
}
