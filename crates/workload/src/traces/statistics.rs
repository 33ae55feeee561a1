//! What a trace holds, counted while it is read.

use std::collections::BTreeMap;

use arcwright_units::Nanos;

use super::{Request, RequestKind};

/// Sizes that are told apart; later ones are counted together.
const SIZES_MAX: usize = 1 << 14;

/// Requests and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// How many.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, bytes: u32) {
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(u64::from(bytes));
    }
}

/// Counts of one trace.
#[derive(Debug, Clone, Default)]
pub struct TraceStatistics {
    /// By kind, in the order of [`RequestKind::ALL`].
    pub kinds: [Amount; 4],
    /// By device or file.
    pub volumes: Vec<Amount>,
    /// The time of the last request.
    pub last: Nanos,
    /// Requests that begin where the one before on the same device or file ended.
    pub sequential: u64,
    sizes: BTreeMap<u32, u64>,
    other_sizes: u64,
    /// Where the last request to each device or file ended.
    ends: Vec<u64>,
}

impl TraceStatistics {
    /// Counts requests.
    pub fn add(&mut self, requests: &[Request]) {
        for request in requests {
            let kind = RequestKind::ALL.iter().position(|kind| *kind == request.kind);
            if let Some(amount) = kind.and_then(|kind| self.kinds.get_mut(kind)) {
                amount.add(request.bytes);
            }
            self.last = self.last.max(request.time);
            if matches!(request.kind, RequestKind::Read | RequestKind::Write) {
                self.add_access(request);
            }
        }
    }

    fn add_access(&mut self, request: &Request) {
        let volume = request.volume as usize;
        if volume >= self.volumes.len() {
            self.volumes.resize(volume + 1, Amount::default());
            self.ends.resize(volume + 1, u64::MAX);
        }
        if let (Some(amount), Some(end)) = (self.volumes.get_mut(volume), self.ends.get_mut(volume))
        {
            amount.add(request.bytes);
            self.sequential += u64::from(*end == request.place);
            *end = request.place.saturating_add(u64::from(request.bytes));
        }
        let many = self.sizes.len() >= SIZES_MAX;
        match self.sizes.get_mut(&request.bytes) {
            Some(count) => *count += 1,
            None if many => self.other_sizes += 1,
            None => {
                self.sizes.insert(request.bytes, 1);
            }
        }
    }

    /// Returns the counts of a kind.
    #[must_use]
    pub fn kind(&self, kind: RequestKind) -> Amount {
        let kind = RequestKind::ALL.iter().position(|known| *known == kind);
        kind.and_then(|kind| self.kinds.get(kind)).copied().unwrap_or_default()
    }

    /// Returns reads and writes together.
    #[must_use]
    pub fn accesses(&self) -> Amount {
        let (reads, writes) = (self.kind(RequestKind::Read), self.kind(RequestKind::Write));
        Amount {
            requests: reads.requests + writes.requests,
            bytes: reads.bytes.saturating_add(writes.bytes),
        }
    }

    /// Returns the most frequent sizes of reads and writes with their counts, at most `count` of them.
    #[must_use]
    pub fn usual_sizes(&self, count: usize) -> Vec<(u32, u64)> {
        let mut sizes: Vec<(u32, u64)> = self.sizes.iter().map(|(size, n)| (*size, *n)).collect();
        sizes.sort_by_key(|(size, n)| (std::cmp::Reverse(*n), *size));
        sizes.truncate(count);
        sizes
    }
}
