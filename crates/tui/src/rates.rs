//! The rows that the dashboard shows, and what they say of the time between two readings.
//!
//! Row names: docs/model/counters.md. A row that is absent, or a counter that went back, is none.

use arcwright_kstat::Snapshot;
use arcwright_machine::{DeviceCount, DeviceRates};
use arcwright_units::Nanos;

use crate::sample::DashboardSample;

/// The four classes of accesses, as the kernel names them and as people do.
pub(crate) const KINDS: [(&str, &str); 4] = [
    ("demand_data", "demand data"),
    ("demand_metadata", "demand metadata"),
    ("prefetch_data", "prefetch data"),
    ("prefetch_metadata", "prefetch metadata"),
];

type Count = Option<u64>;

/// The rows of a reading that are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) at: Nanos,
    pub(crate) place: String,
    pub(crate) activity: String,
    /// Found and not found, by class; found on its way counts as found.
    kinds: [(Count, Count); 4],
    ghost_hits: Count,
    l2_hits: Count,
    l2_misses: Count,
    l2_read_bytes: Count,
    l2_write_bytes: Count,
    pub(crate) size: Count,
    pub(crate) target: Count,
    pub(crate) target_max: Count,
    pub(crate) metadata: Count,
    pub(crate) l2_size: Count,
    pub(crate) l2_allocated: Count,
    pub(crate) l2_headers: Count,
    commits: Count,
    log_normal: Count,
    log_slog: Count,
    read_bytes: Count,
    devices: Vec<DeviceCount>,
}

impl Counts {
    pub(crate) fn of(moment: &DashboardSample) -> Self {
        let kstats = &moment.kstats;
        let arc = |row: &str| kstats.get("zfs/arcstats", row);
        let zil = |row: &str| kstats.get("zfs/zil", row);
        let first = |rows: [&str; 2]| rows.into_iter().find_map(zil);
        Self {
            at: kstats.at,
            place: moment.place.clone(),
            activity: moment.activity.clone(),
            kinds: KINDS.map(|(kind, _)| accesses(kstats, kind)),
            ghost_hits: sum(arc("mru_ghost_hits"), arc("mfu_ghost_hits")),
            l2_hits: arc("l2_hits"),
            l2_misses: arc("l2_misses"),
            l2_read_bytes: arc("l2_read_bytes"),
            l2_write_bytes: arc("l2_write_bytes"),
            size: arc("size"),
            target: arc("c"),
            target_max: arc("c_max"),
            metadata: arc("arc_meta_used"),
            l2_size: arc("l2_size"),
            l2_allocated: arc("l2_asize"),
            l2_headers: arc("l2_hdr_size"),
            commits: zil("zil_commit_count"),
            log_normal: first(["zil_itx_metaslab_normal_write", "zil_itx_metaslab_normal_bytes"]),
            log_slog: first(["zil_itx_metaslab_slog_write", "zil_itx_metaslab_slog_bytes"]),
            read_bytes: moment.read_bytes,
            devices: moment.devices.clone(),
        }
    }
}

fn accesses(kstats: &Snapshot, kind: &str) -> (Count, Count) {
    let row = |what: &str| kstats.get("zfs/arcstats", &format!("{kind}_{what}"));
    let hits = row("hits").map(|hits| hits.saturating_add(row("iohits").unwrap_or(0)));
    (hits, row("misses"))
}

fn sum(one: Count, other: Count) -> Count {
    Some(one?.saturating_add(other?))
}

/// What happened between two readings of one place.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rates {
    /// Time between them.
    pub(crate) seconds: f64,
    /// Accesses and the share that was found, by class.
    pub(crate) kinds: [Accesses; 4],
    /// Misses per second that a ghost list remembers.
    pub(crate) ghost_hits: Option<f64>,
    pub(crate) l2: Accesses,
    pub(crate) l2_read: Option<f64>,
    pub(crate) l2_write: Option<f64>,
    /// Commits of the intent log per second, and bytes logged on the pool and on log devices.
    pub(crate) commits: Option<f64>,
    pub(crate) log_normal: Option<f64>,
    pub(crate) log_slog: Option<f64>,
    /// What programs have read.
    pub(crate) read: Option<f64>,
    pub(crate) devices: Vec<DeviceRates>,
}

/// Accesses of one class.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Accesses {
    pub(crate) per_s: Option<f64>,
    pub(crate) hit_ratio: Option<f64>,
}

impl Rates {
    pub(crate) fn between(from: &Counts, to: &Counts) -> Self {
        let seconds = float(to.at.saturating_sub(from.at).0) / 1e9;
        let per_s = |from: Count, to: Count| {
            let more = more(from, to)?;
            (seconds > 0.0).then(|| float(more) / seconds)
        };
        let accesses = |(hits, misses): (Count, Count)| Accesses {
            per_s: sum(hits, misses)
                .and_then(|count| (seconds > 0.0).then(|| float(count) / seconds)),
            hit_ratio: hits.and_then(|hits| ratio(hits, sum(Some(hits), misses)?)),
        };
        let pair = |from: (Count, Count), to: (Count, Count)| {
            accesses((more(from.0, to.0), more(from.1, to.1)))
        };
        let mut kinds = [Accesses::default(); 4];
        for ((kind, from), to) in kinds.iter_mut().zip(&from.kinds).zip(&to.kinds) {
            *kind = pair(*from, *to);
        }
        Self {
            seconds,
            kinds,
            ghost_hits: per_s(from.ghost_hits, to.ghost_hits),
            l2: pair((from.l2_hits, from.l2_misses), (to.l2_hits, to.l2_misses)),
            l2_read: per_s(from.l2_read_bytes, to.l2_read_bytes),
            l2_write: per_s(from.l2_write_bytes, to.l2_write_bytes),
            commits: per_s(from.commits, to.commits),
            log_normal: per_s(from.log_normal, to.log_normal),
            log_slog: per_s(from.log_slog, to.log_slog),
            read: per_s(from.read_bytes, to.read_bytes),
            devices: devices(from, to, seconds),
        }
    }

    /// Returns what disks that hold the pool have read per second.
    pub(crate) fn disks_read(&self) -> Option<f64> {
        let of_pool = |device: &&DeviceRates| !matches!(device.role.as_str(), "cache" | "log");
        let mut found = self.devices.iter().filter(of_pool).peekable();
        found.peek()?;
        Some(found.map(|device| device.read).sum())
    }
}

fn devices(from: &Counts, to: &Counts, seconds: f64) -> Vec<DeviceRates> {
    let rates = to.devices.iter().filter_map(|new| {
        let old = from.devices.iter().find(|old| old.name == new.name)?;
        DeviceRates::between(old, new, seconds)
    });
    rates.collect()
}

fn more(from: Count, to: Count) -> Count {
    to?.checked_sub(from?)
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| float(part) / float(whole))
}

/// Returns a number as a float; above 2^53 the last digits are lost, which no figure here shows.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use arcwright_machine::DeviceCount;
    use arcwright_units::Nanos;

    use super::{Counts, Rates};

    fn counts(second: u64, hits: u64, misses: u64) -> Counts {
        let disk = DeviceCount {
            name: "sda".to_owned(),
            reads: misses,
            read_bytes: misses * 1000,
            request_ns: Some(misses * 5_000_000),
            busy_ns: Some(second * 250_000_000),
            ..DeviceCount::default()
        };
        Counts {
            at: Nanos::secs(second),
            kinds: [(Some(hits), Some(misses)); 4],
            devices: vec![disk],
            ..Counts::default()
        }
    }

    #[test]
    fn rates_are_of_what_was_added() {
        let rates = Rates::between(&counts(1, 100, 50), &counts(3, 190, 60));
        assert_eq!(rates.kinds[0].per_s, Some(50.0));
        assert_eq!(rates.kinds[0].hit_ratio, Some(0.9));
        assert_eq!(rates.disks_read(), Some(5000.0));
        let disk = &rates.devices[0];
        assert_eq!((disk.latency_ns, disk.busy), (Some(5e6), Some(0.25)));
        assert_eq!(rates.l2_read, None, "there is no such row");
    }

    #[test]
    fn counters_that_went_back_are_absent() {
        let rates = Rates::between(&counts(1, 100, 50), &counts(3, 40, 10));
        assert_eq!((rates.kinds[0].per_s, rates.kinds[0].hit_ratio), (None, None));
        assert!(rates.devices.is_empty());
    }

    #[test]
    fn nothing_asked_has_no_ratio() {
        let rates = Rates::between(&counts(1, 100, 50), &counts(2, 100, 50));
        assert_eq!(rates.kinds[0].per_s, Some(0.0));
        assert_eq!(rates.kinds[0].hit_ratio, None);
        assert_eq!(rates.devices[0].latency_ns, None);
    }
}
