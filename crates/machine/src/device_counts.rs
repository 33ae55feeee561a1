//! What a disk of a pool has done, whoever counted it, and how fast it went between two counts.

use crate::disks::DiskCounts;

/// What a disk has done since some beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceCount {
    /// `sda`, `data-0-1`.
    pub name: String,
    /// What it is, shown where there is room: a model, a profile; empty when unknown.
    pub detail: String,
    /// What the pool uses it for: `data`, `log`, `cache`; empty when unknown.
    pub role: String,
    /// Requests.
    pub reads: u64,
    /// Requests.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Nanoseconds that requests took, one after the other; none when not measured.
    pub request_ns: Option<u64>,
    /// Nanoseconds in which it had something to do.
    pub busy_ns: Option<u64>,
}

/// What a disk did between two counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeviceRates {
    /// Its name.
    pub name: String,
    /// What it is; empty when unknown.
    pub detail: String,
    /// What the pool uses it for; empty when unknown.
    pub role: String,
    /// Bytes read per second.
    pub read: f64,
    /// Bytes written per second.
    pub write: f64,
    /// Requests per second.
    pub requests: f64,
    /// Mean nanoseconds of a request; none without one, or when not measured.
    pub latency_ns: Option<f64>,
    /// Share of the time in which it had something to do; none when not measured.
    pub busy: Option<f64>,
}

impl DeviceCount {
    /// Returns what the kernel counts of a disk that a pool uses for something.
    #[must_use]
    pub fn of_kernel(role: String, counts: DiskCounts) -> Self {
        const NS_PER_MS: u64 = 1_000_000;
        Self {
            name: counts.name,
            detail: String::new(),
            role,
            reads: counts.reads,
            writes: counts.writes,
            read_bytes: counts.read_bytes,
            write_bytes: counts.write_bytes,
            request_ns: Some(counts.request_ms.saturating_mul(NS_PER_MS)),
            busy_ns: Some(counts.busy_ms.saturating_mul(NS_PER_MS)),
        }
    }
}

impl DeviceRates {
    /// Returns what a disk did in so many seconds; none where no time passed, or its counters went back.
    #[must_use]
    pub fn between(from: &DeviceCount, to: &DeviceCount, seconds: f64) -> Option<Self> {
        if seconds <= 0.0 {
            return None;
        }
        let requests =
            to.reads.checked_sub(from.reads)?.saturating_add(to.writes.checked_sub(from.writes)?);
        let per_s = |from: u64, to: u64| Some(float(to.checked_sub(from)?) / seconds);
        let more = |from: Option<u64>, to: Option<u64>| to?.checked_sub(from?);
        let time = more(from.request_ns, to.request_ns).filter(|_| requests > 0);
        let busy = more(from.busy_ns, to.busy_ns);
        Some(Self {
            name: to.name.clone(),
            detail: to.detail.clone(),
            role: to.role.clone(),
            read: per_s(from.read_bytes, to.read_bytes)?,
            write: per_s(from.write_bytes, to.write_bytes)?,
            requests: float(requests) / seconds,
            latency_ns: time.map(|time| float(time) / float(requests)),
            busy: busy.map(|time| (float(time) / 1e9 / seconds).min(1.0)),
        })
    }
}

/// Returns a number as a float; above 2^53 the last digits are lost, which no figure here shows.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(crate) const fn float(number: u64) -> f64 {
    number as f64
}
