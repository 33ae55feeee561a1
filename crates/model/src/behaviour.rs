//! What differs between versions, chosen once (openzfs-model.md §0).

use arcwright_tunables::Version;

/// How the ARC decides what stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArcRules {
    /// One target `p` between MRU and MFU, metadata under a limit (0.7 to 2.1).
    Target,
    /// Three fractions, moved by ghost hits (2.2 and later).
    Fractions,
}

/// How sequential readers are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefetcher {
    /// Distance doubles on every hit up to 8 MiB (0.7 to 2.1.5).
    Doubling,
    /// 4 MiB by itself, up to 64 MiB on evidence (2.1.6 to 2.2.3).
    OnEvidence,
    /// As before, and out-of-order accesses are followed (2.2.4 and later).
    Reordering,
}

/// A version's behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Behaviour {
    pub(crate) arc: ArcRules,
    pub(crate) prefetcher: Prefetcher,
    /// Whether a prefetch is refused by the L2ARC while `l2arc_noprefetch` is set (up to 2.1).
    pub(crate) prefetch_avoids_l2arc: bool,
    /// Whether a request longer than `zfetch_array_rd_sz` bypasses the prefetcher (up to 2.1).
    pub(crate) long_reads_bypass_prefetch: bool,
    /// Whether the vdev queue sorts within buckets of half a second (2.2 and later).
    pub(crate) queue_buckets: bool,
    /// Whether a pass of the feed counts its log blocks (2.1.13, 2.2 and later).
    pub(crate) feed_counts_log: bool,
    /// Bytes of a full ARC header.
    pub(crate) header_bytes: u64,
}

impl Behaviour {
    /// Returns the behaviour of `version`; a version that is not known behaves like the newest.
    pub(crate) fn of(version: Option<Version>) -> Self {
        let from = |text: &str| version.is_none_or(|version| Version::parse(text) <= Some(version));
        let prefetcher = match () {
            () if from("2.2.4") => Prefetcher::Reordering,
            () if from("2.1.6") => Prefetcher::OnEvidence,
            () => Prefetcher::Doubling,
        };
        let modern = from("2.2");
        Self {
            arc: if modern { ArcRules::Fractions } else { ArcRules::Target },
            prefetcher,
            prefetch_avoids_l2arc: !modern,
            long_reads_bypass_prefetch: !modern,
            queue_buckets: modern,
            feed_counts_log: from("2.1.13"),
            header_bytes: if modern { 240 } else { 328 },
        }
    }
}
