//! What happened between two readings.

use std::collections::BTreeMap;

use arcwright_kstat::Delta;
use arcwright_machine::{DeviceCount, DeviceRates, Sample};
use arcwright_units::{Nanos, visible};
use serde::Serialize;

use super::series::{RATIOS, SERIES, seconds};

/// Disks that are shown each; a page with more says nothing.
const DISKS_MAX: usize = 32;

/// All counters at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveReading {
    /// Since 1970.
    pub at: Nanos,
    /// The kstats, whose own clock rates are of, with groups and states of pools.
    pub sample: Sample,
    /// The counters of disks that belong to pools.
    pub disks: Vec<DeviceCount>,
    /// Bytes that programs have read so far, where datasets do not count them and somebody else does.
    pub programs_read_bytes: Option<u64>,
    /// The same of what they have written.
    pub programs_written_bytes: Option<u64>,
}

/// What happened between two readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LivePoint {
    /// The end of the span, since 1970.
    pub at: Nanos,
    /// How long it is.
    pub seconds: f64,
    /// A value for each of [`SERIES`].
    pub values: Vec<Option<f64>>,
    /// What each disk did.
    pub disks: Vec<DiskPoint>,
    /// The state of each pool as its kstat says, hidden characters written out (2.0+).
    pub pools: BTreeMap<String, String>,
}

/// What a disk did.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DiskPoint {
    /// `sda`, hidden characters written out.
    pub name: String,
    /// What the pool uses it for.
    pub role: String,
    /// Bytes per second.
    pub read: f64,
    /// Bytes per second.
    pub write: f64,
    /// Requests per second.
    pub requests: f64,
    /// Mean nanoseconds of a request; absent without one.
    pub latency_ns: Option<f64>,
    /// Share of the time in which it had something to do.
    pub busy: Option<f64>,
}

impl LivePoint {
    /// Returns what happened between two readings; none where no time has passed.
    #[must_use]
    pub fn between(from: &LiveReading, to: &LiveReading) -> Option<Self> {
        let delta = Delta::between(&from.sample.kstats, &to.sample.kstats);
        let span = seconds(delta.span);
        if span <= 0.0 {
            return None;
        }
        let values = SERIES.iter().map(|series| series.value((from, to), (&delta, span)));
        let disks = to.disks.iter().filter_map(|disk| {
            let before = from.disks.iter().find(|before| before.name == disk.name)?;
            DeviceRates::between(before, disk, span).map(DiskPoint::of)
        });
        Some(Self {
            at: to.at,
            seconds: span,
            values: values.collect(),
            disks: disks.take(DISKS_MAX).collect(),
            pools: to.sample.pool_states.iter().map(shown).collect(),
        })
    }

    /// Returns it without what single disks did, for charts of a range.
    #[must_use]
    pub fn of_all_disks(&self) -> Self {
        Self { at: self.at, seconds: self.seconds, values: self.values.clone(), ..Self::default() }
    }

    /// Returns several as one: rates and levels are means over their time, a disk is left out.
    #[must_use]
    pub fn mean(points: &[Self]) -> Option<Self> {
        let last = points.last()?;
        if points.len() == 1 {
            return Some(last.of_all_disks());
        }
        let value = |index: usize| {
            let there = points.iter().filter_map(|point| {
                let value = point.values.get(index).copied().flatten()?;
                Some((value * point.seconds, point.seconds))
            });
            let (sum, time) = there.fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
            (time > 0.0).then(|| sum / time)
        };
        Some(Self {
            at: last.at,
            seconds: points.iter().map(|point| point.seconds).sum(),
            values: (0..SERIES.len()).map(value).collect(),
            ..Self::default()
        })
    }

    /// Returns the share of a part in a part and its rest; none where neither happened.
    #[must_use]
    pub fn ratio(&self, part: &str, rest: &str) -> Option<f64> {
        let (part, rest) = (self.named(part)?, self.named(rest)?);
        (part + rest > 0.0).then(|| part / (part + rest))
    }

    fn named(&self, id: &str) -> Option<f64> {
        let index = SERIES.iter().position(|series| series.id == id)?;
        self.values.get(index).copied().flatten()
    }

    /// Returns it as the page takes it.
    ///
    /// # Errors
    /// None that is known: all of it is numbers and texts.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            at_ms: u64,
            seconds: f64,
            values: BTreeMap<&'static str, Option<f64>>,
            disks: &'a [DiskPoint],
            pools: &'a BTreeMap<String, String>,
        }
        let values = SERIES.iter().zip(&self.values).map(|(series, value)| (series.id, *value));
        let ratios = RATIOS.iter().map(|(id, part, rest)| (*id, self.ratio(part, rest)));
        serde_json::to_string(&Shown {
            at_ms: self.at.0 / 1_000_000,
            seconds: self.seconds,
            values: values.chain(ratios).collect(),
            disks: &self.disks,
            pools: &self.pools,
        })
    }
}

fn shown((pool, state): (&String, &String)) -> (String, String) {
    (visible(pool).into_owned(), visible(state).into_owned())
}

impl DiskPoint {
    fn of(rates: DeviceRates) -> Self {
        let DeviceRates { name, role, read, write, requests, latency_ns, busy, .. } = rates;
        let (name, role) = (visible(&name).into_owned(), visible(&role).into_owned());
        Self { name, role, read, write, requests, latency_ns, busy }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_kstat::{NamedKstat, Snapshot};
    use arcwright_machine::DeviceCount;
    use arcwright_units::Nanos;

    use super::{LivePoint, LiveReading};

    /// A reading at a second of some rows of arcstats, and of a disk that has read as many bytes as `misses`.
    fn reading(second: u64, rows: &[(&str, u64)]) -> LiveReading {
        let lines: String = rows.iter().map(|(row, value)| format!("{row} 4 {value}\n")).collect();
        let text = format!(
            "13 1 0x01 {} 0 5 {}\nname type data\n{lines}",
            rows.len(),
            Nanos::secs(second).0
        );
        let kstat = NamedKstat::parse("zfs/arcstats", &text).unwrap();
        let mut reading = LiveReading { at: Nanos::secs(1000 + second), ..LiveReading::default() };
        reading.sample.kstats = Snapshot::from_kstats(Nanos::secs(second), vec![kstat]);
        let read = rows.iter().find(|(row, _)| *row == "misses").map_or(0, |(_, value)| *value);
        reading.disks = vec![DeviceCount {
            name: "sda".to_owned(),
            role: "data".to_owned(),
            reads: read,
            read_bytes: read,
            request_ns: Some(read * 1_000_000),
            ..DeviceCount::default()
        }];
        reading
    }

    #[test]
    fn rates_are_of_what_was_added_and_levels_are_of_the_end() {
        let from = reading(1, &[("hits", 100), ("misses", 50), ("size", 7)]);
        let to = reading(3, &[("hits", 190), ("misses", 60), ("size", 9)]);
        let point = LivePoint::between(&from, &to).unwrap();
        let check = |id: &str, expected: Option<f64>| assert_eq!(point.named(id), expected, "{id}");
        check("hits", Some(45.0));
        check("misses", Some(5.0));
        check("arc_size", Some(9.0));
        check("disks_read", Some(5.0));
        // What was not read is absent, never zero.
        for id in ["l2_hits", "programs_read", "commits", "dirty", "cache_read"] {
            check(id, None);
        }
        assert_eq!(point.ratio("hits", "misses"), Some(0.9));
        assert_eq!(point.disks[0].latency_ns, Some(1e6));
        assert_eq!(point.disks[0].busy, None);
    }

    #[test]
    fn counters_that_went_back_are_absent_and_no_time_is_no_point() {
        let from = reading(1, &[("hits", 100), ("misses", 50)]);
        let to = reading(3, &[("hits", 40), ("misses", 10)]);
        let point = LivePoint::between(&from, &to).unwrap();
        assert_eq!((point.named("hits"), point.named("disks_read")), (None, None));
        assert_eq!(point.ratio("hits", "misses"), None);
        assert!(point.disks.is_empty());
        assert_eq!(LivePoint::between(&to, &to), None);
    }

    #[test]
    fn a_mean_is_what_one_long_span_would_have_been() {
        let readings = [
            reading(1, &[("hits", 0), ("misses", 0)]),
            reading(2, &[("hits", 10), ("misses", 0)]),
            reading(4, &[("hits", 10), ("misses", 40)]),
        ];
        let between =
            |from: usize, to: usize| LivePoint::between(&readings[from], &readings[to]).unwrap();
        let mean = LivePoint::mean(&[between(0, 1), between(1, 2)]).unwrap();
        let whole = between(0, 2);
        for id in ["hits", "misses"] {
            let apart = (mean.named(id).unwrap() - whole.named(id).unwrap()).abs();
            assert!(apart < 1e-9, "{id}");
        }
        assert_eq!((mean.at, mean.seconds), (whole.at, whole.seconds));
        assert_eq!(LivePoint::mean(&[]), None);
    }

    #[test]
    fn a_name_hides_nothing() {
        let mut from = reading(1, &[("hits", 0)]);
        let mut to = reading(2, &[("hits", 1)]);
        for reading in [&mut from, &mut to] {
            reading.disks[0].name = "s\u{202e}da\u{1b}<b>".to_owned();
        }
        let json = LivePoint::between(&from, &to).unwrap().json().unwrap();
        assert!(!json.contains(['\u{202e}', '\u{1b}']), "{json}");
        assert!(json.contains("\"hits\":1.0"), "{json}");
        assert!(json.contains("\"l2_share\":null"), "{json}");
    }
}
