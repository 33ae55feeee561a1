//! A latency histogram with 32 buckets per power of two, so that a percentile is right within 3 %,
//! filled without allocation.

use arcwright_units::Nanos;

use crate::outcome::{Bucket, Latency};

const STEPS_BITS: u32 = 5;
const STEPS: usize = 1 << STEPS_BITS;
const BUCKETS: usize = 64 * STEPS;

/// Counts latencies.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: [u64; BUCKETS],
    count: u64,
    sum: u128,
    min: Nanos,
    max: Nanos,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// Returns an empty histogram.
    #[must_use]
    pub fn new() -> Self {
        Self { counts: [0; BUCKETS], count: 0, sum: 0, min: Nanos::MAX, max: Nanos::ZERO }
    }

    /// Counts one latency.
    #[inline]
    pub fn record(&mut self, latency: Nanos) {
        if let Some(count) = self.counts.get_mut(bucket_of(latency)) {
            *count += 1;
        }
        self.count += 1;
        self.sum += u128::from(latency.0);
        self.min = self.min.min(latency);
        self.max = self.max.max(latency);
    }

    /// Adds what another histogram counted.
    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Returns the distribution; percentiles are upper bounds of their buckets, never above the max.
    #[must_use]
    pub fn summary(&self) -> Latency {
        if self.count == 0 {
            return Latency::default();
        }
        let mean = self.sum / u128::from(self.count);
        Latency {
            count: self.count,
            min_ns: self.min,
            mean_ns: Nanos(u64::try_from(mean).unwrap_or(u64::MAX)),
            p50_ns: self.percentile(50),
            p95_ns: self.percentile(95),
            p99_ns: self.percentile(99),
            max_ns: self.max,
            buckets: self.buckets(),
        }
    }

    fn percentile(&self, percent: u64) -> Nanos {
        let wanted = (self.count * percent).div_ceil(100).max(1);
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return bound_of(index).min(self.max);
            }
        }
        self.max
    }

    fn buckets(&self) -> Vec<Bucket> {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(index, count)| Bucket { below_ns: bound_of(index), count: *count }).collect()
    }
}

/// Returns the bucket of a latency: its power of two, then the next bits.
fn bucket_of(latency: Nanos) -> usize {
    let value = latency.0.max(1);
    let power = value.ilog2();
    let step = match power.checked_sub(STEPS_BITS) {
        Some(shift) => value >> shift & (STEPS as u64 - 1),
        None => (value << (STEPS_BITS - power)) & (STEPS as u64 - 1),
    };
    power as usize * STEPS + usize::try_from(step).unwrap_or(0)
}

/// Returns the first latency that is no longer in the bucket.
fn bound_of(index: usize) -> Nanos {
    let (power, step) = (index / STEPS, index % STEPS);
    let bound = (STEPS + step + 1) as u128 * (1u128 << power) / STEPS as u128;
    Nanos(u64::try_from(bound).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{Histogram, bound_of, bucket_of};

    #[test]
    fn every_latency_lies_below_its_buckets_bound_and_not_below_the_one_before() {
        for value in (32..10_000).chain([u64::MAX / 3, 1 << 40, (1 << 40) - 1]) {
            let bucket = bucket_of(Nanos(value));
            assert!(Nanos(value) < bound_of(bucket), "{value}");
            assert!(Nanos(value) >= bound_of(bucket - 1), "{value}");
        }
    }

    #[test]
    fn percentiles_are_ordered_and_within_three_percent() {
        let mut histogram = Histogram::new();
        (1..=1000).for_each(|micros| histogram.record(Nanos::micros(micros)));
        let latency = histogram.summary();
        assert_eq!((latency.count, latency.min_ns), (1000, Nanos::micros(1)));
        assert!(latency.p50_ns >= Nanos::micros(500) && latency.p50_ns <= Nanos::micros(516));
        assert!(latency.p50_ns <= latency.p95_ns && latency.p95_ns <= latency.p99_ns);
        assert!(latency.p99_ns <= latency.max_ns);
    }
}
