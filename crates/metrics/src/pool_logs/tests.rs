//! Sums of pools over datasets that come and go.

use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_units::Nanos;
use proptest::prelude::*;

use super::PoolLogs;
use crate::families::Families;
use crate::text::TextFormat;

/// Returns a reading in which datasets of `tank` have so many commits each.
fn reading(commits: &[(u64, u64)]) -> Snapshot {
    let kstat = |(id, count): &(u64, u64)| {
        let rows = vec![
            ("dataset_name".to_owned(), KstatValue::Text(format!("tank/{id}"))),
            ("zil_commit_count".to_owned(), KstatValue::U64(*count)),
        ];
        NamedKstat::of_rows(&format!("zfs/tank/objset-0x{id:x}"), rows)
    };
    // The pool itself is there, whether a dataset is mounted or not.
    let pool = NamedKstat::of_rows("zfs/tank/iostats", Vec::new());
    Snapshot::from_kstats(Nanos::ZERO, commits.iter().map(kstat).chain([pool]).collect())
}

fn total(logs: &PoolLogs) -> Option<u64> {
    let mut families = Families::default();
    logs.add(&mut families);
    let text = families.text(TextFormat::Plain);
    let line = text.lines().find(|line| line.starts_with("arcwright_pool_zil_commits_total{"))?;
    line.split(' ').nth(1)?.parse().ok()
}

#[test]
fn a_pool_goes_on_counting_when_a_dataset_is_unmounted() {
    let check = |readings: &[&[(u64, u64)]], expected: Option<u64>| {
        let mut logs = PoolLogs::default();
        readings.iter().for_each(|commits| logs.take(&reading(commits)));
        assert_eq!(total(&logs), expected, "{readings:?}");
    };
    check(&[], None);
    check(&[&[]], None);
    check(&[&[(1, 100), (2, 50)]], Some(150));
    check(&[&[(1, 100), (2, 50)], &[(1, 110), (2, 55)]], Some(165));
    check(&[&[(1, 100), (2, 50)], &[(2, 55)], &[(2, 62)]], Some(162));
    // Mounted again: its kstat began anew.
    check(&[&[(1, 100)], &[], &[(1, 3)]], Some(103));
    check(&[&[(1, 100)], &[(1, 3)]], Some(103));
}

#[test]
fn a_pool_that_is_exported_is_gone() {
    let mut logs = PoolLogs::default();
    logs.take(&reading(&[(1, 100)]));
    logs.take(&Snapshot::default());
    assert_eq!(total(&logs), None);
    logs.take(&reading(&[(1, 7)]));
    assert_eq!(total(&logs), Some(7));
}

#[test]
fn a_kstat_that_was_made_anew_counts_from_zero() {
    let mut logs = PoolLogs::default();
    let mut first = reading(&[(1, 100)]);
    first.kstats.values_mut().for_each(|kstat| kstat.crtime = Nanos(1));
    let mut second = reading(&[(1, 120)]);
    second.kstats.values_mut().for_each(|kstat| kstat.crtime = Nanos(2));
    logs.take(&first);
    logs.take(&second);
    assert_eq!(total(&logs), Some(220));
}

proptest! {
    #[test]
    fn a_pool_never_counts_down(readings in prop::collection::vec(
        prop::collection::vec((0_u64..4, 0_u64..100), 0..4), 1..12,
    )) {
        let mut logs = PoolLogs::default();
        let mut before = None;
        for commits in readings {
            logs.take(&reading(&commits));
            let now = total(&logs);
            prop_assert!(now >= before, "{before:?} {now:?}");
            before = now;
        }
    }
}
