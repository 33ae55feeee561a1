//! What changed between two snapshots.
//!
//! Rows are differences with a sign: gauges such as `size` and `c` go both ways. Whether a row is
//! a counter only its reader knows; a counter that went down was reset, see [`Delta::counted`].
//! Counters of a kstat that was made anew in between have no difference at all, see `reset.rs`.

use std::collections::BTreeMap;

use arcwright_units::Nanos;
use serde::{Deserialize, Serialize};

use crate::named::NamedKstat;
use crate::reset::{Reset, is_gauge, made_anew, resets, wrapped_difference};
use crate::snapshot::Snapshot;
use crate::value::KstatValue;

/// The kstat whose age is that of the module's counters.
const ARCSTATS: &str = "zfs/arcstats";

/// The differences of one kstat's rows, by row.
pub type KstatDelta = BTreeMap<String, i64>;

/// The differences of two snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delta {
    /// Time between the snapshots.
    pub span: Nanos,
    /// By path, what stands in both snapshots and is a number.
    pub kstats: BTreeMap<String, KstatDelta>,
    /// Counters that did not count on from where they stood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resets: Vec<Reset>,
}

impl Delta {
    /// Returns what changed from `earlier` to `later`.
    ///
    /// What stands in only one of them has no difference and is left out: a pool exported in
    /// between, a row that another module version does not have.
    #[must_use]
    pub fn between(earlier: &Snapshot, later: &Snapshot) -> Self {
        let both = later.kstats.iter().filter_map(|(path, new)| {
            let old = earlier.kstats.get(path)?;
            Some((path, old, new))
        });
        let resets = both.clone().flat_map(|(path, old, new)| resets(path, old, new)).collect();
        let kstats = both.map(|(path, old, new)| (path.clone(), rows_between(old, new)));
        Self { span: later.at.saturating_sub(earlier.at), kstats: kstats.collect(), resets }
    }

    /// Returns what was counted from zero to a snapshot, over the time since `arcstats` was made; a row beyond what a
    /// counter can reach is left out.
    #[must_use]
    pub fn since_load(now: &Snapshot) -> Self {
        let kstats = now.kstats.iter().map(|(path, kstat)| {
            let row = |(name, value): &(String, KstatValue)| {
                Some((name.clone(), i64::try_from(value.as_i128()?).ok()?))
            };
            (path.clone(), kstat.rows.iter().filter_map(row).collect())
        });
        let arc = now.kstats.get(ARCSTATS).filter(|arc| arc.crtime > Nanos::ZERO);
        let span = arc.map_or(Nanos::ZERO, |arc| arc.snaptime.saturating_sub(arc.crtime));
        Self { span, kstats: kstats.collect(), resets: Vec::new() }
    }

    /// Returns the difference of a row; none when it is absent.
    #[must_use]
    pub fn get(&self, kstat: &str, row: &str) -> Option<i64> {
        self.kstats.get(kstat)?.get(row).copied()
    }

    /// Returns the difference of a row that is a counter; none when absent or reset in between.
    #[must_use]
    pub fn counted(&self, kstat: &str, row: &str) -> Option<u64> {
        self.get(kstat, row).and_then(|difference| u64::try_from(difference).ok())
    }

    /// Returns all rows by short path: `arcstats`, `tank/iostats`.
    #[must_use]
    pub fn rows(&self) -> BTreeMap<String, KstatDelta> {
        let short = |path: &String| path.strip_prefix("zfs/").unwrap_or(path).to_owned();
        self.kstats.iter().map(|(path, rows)| (short(path), rows.clone())).collect()
    }
}

fn rows_between(old: &NamedKstat, new: &NamedKstat) -> KstatDelta {
    let anew = made_anew(old, new);
    let old: BTreeMap<&str, &KstatValue> =
        old.rows.iter().map(|(name, value)| (name.as_str(), value)).collect();
    let rows = new.rows.iter().filter(|(name, _)| !anew || is_gauge(name));
    let rows = rows.filter_map(|(name, value)| {
        let old = old.get(name.as_str())?;
        let plain = value.as_i128()? - old.as_i128()?;
        let wrapped = wrapped_difference(old, value).filter(|_| !is_gauge(name));
        Some((name.clone(), saturated(wrapped.unwrap_or(plain))))
    });
    rows.collect()
}

/// Returns `number`, or the nearest end of the range of i64.
fn saturated(number: i128) -> i64 {
    let bounded = number.clamp(i64::MIN.into(), i64::MAX.into());
    i64::try_from(bounded).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::Delta;
    use crate::{KstatValue, NamedKstat, Snapshot};

    fn snapshot(at: u64, rows: &[(&str, KstatValue)]) -> Snapshot {
        let rows = rows.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Snapshot::from_kstats(
            Nanos::secs(at),
            vec![NamedKstat {
                module: "zfs".to_owned(),
                name: "arcstats".to_owned(),
                class: "misc".to_owned(),
                kid: 1,
                kind: NamedKstat::KIND_NAMED,
                flags: 1,
                crtime: Nanos::ZERO,
                snaptime: Nanos::secs(at),
                rows,
            }],
        )
    }

    #[test]
    fn gauges_may_go_down_and_absent_rows_stay_absent() {
        let old = snapshot(1, &[("size", KstatValue::U64(9)), ("p", KstatValue::U64(1))]);
        let new = snapshot(
            5,
            &[
                ("size", KstatValue::U64(4)),
                ("meta", KstatValue::U64(1)),
                ("state", KstatValue::Text("on".to_owned())),
            ],
        );
        let delta = Delta::between(&old, &new);
        assert_eq!(delta.span, Nanos::secs(4));
        assert_eq!(delta.get("zfs/arcstats", "size"), Some(-5));
        assert_eq!(delta.counted("zfs/arcstats", "size"), None);
        assert_eq!(delta.get("zfs/arcstats", "p"), None);
        assert_eq!(delta.get("zfs/arcstats", "meta"), None);
        assert_eq!(delta.rows()["arcstats"].len(), 1);
        assert_eq!(new.get("zfs/arcstats", "size"), Some(4));
    }

    #[test]
    fn the_widest_difference_does_not_wrap() {
        let old = snapshot(0, &[("x", KstatValue::U64(0)), ("size", KstatValue::U64(u64::MAX))]);
        let new = snapshot(1, &[("x", KstatValue::U64(u64::MAX)), ("size", KstatValue::U64(0))]);
        let delta = Delta::between(&old, &new);
        assert_eq!(delta.get("zfs/arcstats", "x"), Some(i64::MAX));
        assert_eq!(delta.get("zfs/arcstats", "size"), Some(i64::MIN));
    }

    #[test]
    fn counters_of_a_kstat_made_anew_have_no_difference() {
        let old = snapshot(1, &[("hits", KstatValue::U64(1)), ("size", KstatValue::U64(9))]);
        let mut new = snapshot(5, &[("hits", KstatValue::U64(7)), ("size", KstatValue::U64(4))]);
        assert_eq!(Delta::between(&old, &new).counted("zfs/arcstats", "hits"), Some(6));
        new.kstats.get_mut("zfs/arcstats").unwrap().crtime = Nanos(3);
        let mut old = old;
        old.kstats.get_mut("zfs/arcstats").unwrap().crtime = Nanos(2);
        let delta = Delta::between(&old, &new);
        assert_eq!(delta.counted("zfs/arcstats", "hits"), None);
        assert_eq!(delta.get("zfs/arcstats", "size"), Some(-5));
        assert_eq!(delta.resets[0].rows, ["hits"]);
    }

    #[test]
    fn a_wrapped_counter_has_its_true_difference() {
        let old = snapshot(0, &[("hits", KstatValue::U64(u64::MAX - 1))]);
        let new = snapshot(1, &[("hits", KstatValue::U64(3))]);
        assert_eq!(Delta::between(&old, &new).counted("zfs/arcstats", "hits"), Some(5));
    }
}
