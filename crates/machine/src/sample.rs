//! One reading of everything that counts.

use std::collections::BTreeMap;

use arcwright_kstat::{Snapshot, Txg};

/// Everything that counts, at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// The kstats, and when they were read.
    pub kstats: Snapshot,
    /// The last transaction groups of each pool, oldest first.
    pub txgs: BTreeMap<String, Vec<Txg>>,
    /// The state of each pool as its kstat says: `ONLINE`, `SUSPENDED` (2.0+).
    pub pool_states: BTreeMap<String, String>,
    /// What `zpool iostat` says of vdevs over the time *before* this sample, by pool and vdev name
    /// (`tank` itself, `mirror-0`, `sda1`); of the first sample since the pool was imported.
    pub vdevs: BTreeMap<String, BTreeMap<String, LeafIo>>,
    /// Whether `vdevs` counts since import instead of over the window.
    pub vdevs_since_import: bool,
}

/// What one vdev did; what was not asked is empty. Capacities stand in the pool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeafIo {
    /// Read operations per second.
    pub read_ops_per_s: Option<f64>,
    /// Write operations per second.
    pub write_ops_per_s: Option<f64>,
    /// Bytes read per second.
    pub read_bytes_per_s: Option<f64>,
    /// Bytes written per second.
    pub write_bytes_per_s: Option<f64>,
    /// Mean waits (`zpool iostat -l`); none where there was no such I/O or it was not asked.
    pub waits: QueueWaits,
    /// Requests waiting and in service by queue (`-q`): `syncq_read` → (pending, active).
    pub queues: BTreeMap<String, (u64, u64)>,
    /// Latencies in buckets by column of `-w`: `total_read`, `disk_write`.
    pub latency: BTreeMap<String, BucketCounts>,
    /// Request sizes in buckets by column of `-r`: `sync_read_ind`.
    pub sizes: BTreeMap<String, BucketCounts>,
}

/// Mean waits in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueWaits {
    /// From the queue's door to the answer, of reads.
    pub total_read_ns: Option<u64>,
    /// The same of writes.
    pub total_write_ns: Option<u64>,
    /// At the disk alone, of reads.
    pub disk_read_ns: Option<u64>,
    /// At the disk alone, of writes.
    pub disk_write_ns: Option<u64>,
    /// Synchronous reads waiting for the disk's turn.
    pub syncq_read_ns: Option<u64>,
    /// Synchronous writes waiting for the disk's turn.
    pub syncq_write_ns: Option<u64>,
    /// Asynchronous reads waiting.
    pub asyncq_read_ns: Option<u64>,
    /// Asynchronous writes waiting.
    pub asyncq_write_ns: Option<u64>,
    /// Reads of a scrub waiting.
    pub scrub_ns: Option<u64>,
    /// Trims waiting (0.8+).
    pub trim_ns: Option<u64>,
    /// Rebuilds waiting (2.0+).
    pub rebuild_ns: Option<u64>,
}

/// Counts in buckets, by the lower end of each (nanoseconds or bytes), ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BucketCounts(pub Vec<(u64, u64)>);

impl BucketCounts {
    /// Returns how many there are in all buckets.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Returns the bucket of the value below which a share of all are: its beginning, and its end, which is twice that.
    /// None where nothing was counted.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<(u64, u64)> {
        let wanted = share.clamp(0.0, 1.0) * self.count() as f64;
        let mut below = 0_u64;
        self.0.iter().filter(|(_, count)| *count > 0).find_map(|(first, count)| {
            below = below.saturating_add(*count);
            (below as f64 >= wanted).then(|| (*first, first.saturating_mul(2)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BucketCounts;

    #[test]
    fn a_quantile_is_a_bucket() {
        let counts = BucketCounts(vec![(512, 0), (1024, 50), (2048, 40), (4096, 10)]);
        let check = |share, expected| assert_eq!(counts.quantile(share), Some(expected), "{share}");
        check(0.0, (1024, 2048));
        check(0.5, (1024, 2048));
        check(0.51, (2048, 4096));
        check(0.9, (2048, 4096));
        check(1.0, (4096, 8192));
        for empty in [vec![], vec![(512, 0)]] {
            assert_eq!(BucketCounts(empty).quantile(0.5), None);
        }
        let huge = BucketCounts(vec![(1 << 63, u64::MAX), (u64::MAX, u64::MAX)]);
        assert_eq!((huge.count(), huge.quantile(0.5)), (u64::MAX, Some((1 << 63, u64::MAX))));
    }
}
