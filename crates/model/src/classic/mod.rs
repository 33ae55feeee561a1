//! Textbook policies, for the traces of others: what peers compute, computed the same way.
//!
//! They count pages, not bytes, and know no time, prefetch or second level. OpenZFS's own ARC is
//! another thing: byte-sized lists, ghosts by kind, metadata apart; see [`crate::PlainArc`] for it on a
//! plain trace.

mod arc;
mod lru;
mod s3_fifo;

pub use arc::ClassicArc;
pub use lru::Lru;
pub use s3_fifo::S3Fifo;

/// A cache of pages under some policy.
pub trait Policy {
    /// Accesses a page; returns whether it was there. Afterwards it is.
    fn access(&mut self, page: u32) -> bool;

    /// Touches the state of pages that are accessed next, so that the processor fetches it for all of
    /// them at once. What is returned says nothing; it keeps the loads from being dropped.
    fn warm(&self, _pages: &[u32]) -> u64 {
        0
    }
}

/// Accesses whose state is fetched together: enough to keep the memory busy, few enough to stay in
/// the processor's nearest cache.
const AHEAD: usize = 64;

/// Replays a trace and returns how many accesses found their page.
pub fn replay(policy: &mut impl Policy, accesses: &[u32]) -> u64 {
    let mut hits = 0;
    for pages in accesses.chunks(AHEAD) {
        std::hint::black_box(policy.warm(pages));
        hits += pages.iter().map(|page| u64::from(policy.access(*page))).sum::<u64>();
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::{ClassicArc, Lru, Policy, S3Fifo, replay};

    fn check(policy: &mut impl Policy, accesses: &[u32], hits: u64) {
        assert_eq!(replay(policy, accesses), hits, "{accesses:?}");
    }

    #[test]
    fn a_cache_that_holds_everything_misses_each_page_once() {
        let accesses: Vec<u32> = (0..400).map(|n| n * n % 97).collect();
        let distinct = accesses.iter().collect::<std::collections::BTreeSet<_>>().len() as u64;
        check(&mut Lru::new(97, 97), &accesses, 400 - distinct);
        check(&mut ClassicArc::new(97, 97), &accesses, 400 - distinct);
        check(&mut S3Fifo::new(97, 97), &accesses, 400 - distinct);
    }

    #[test]
    fn a_loop_longer_than_the_cache_never_hits() {
        let accesses: Vec<u32> = (0..60).map(|n| n % 6).collect();
        check(&mut Lru::new(5, 6), &accesses, 0);
    }

    /// A scan pushes out what LRU holds; ARC keeps what was used twice.
    #[test]
    fn arc_resists_a_scan() {
        let mut accesses = vec![0, 1, 0, 1];
        accesses.extend(10..20);
        accesses.extend([0, 1]);
        check(&mut Lru::new(4, 20), &accesses, 2);
        check(&mut ClassicArc::new(4, 20), &accesses, 4);
    }

    /// Of ten pages room one is for what is new: what was used three times stays, and what comes back in time.
    #[test]
    fn s3_fifo_keeps_what_was_used_and_what_comes_back() {
        let mut accesses = vec![0, 0, 0, 1, 2];
        accesses.extend(10..18);
        // Now 1 has left, and 0 is in the main queue: both hit, the first after it was missed once.
        accesses.extend([0, 1, 1, 30, 31, 1]);
        check(&mut S3Fifo::new(10, 40), &accesses, 5);
        check(&mut S3Fifo::new(0, 40), &accesses, 0);
        check(&mut S3Fifo::new(1, 40), &[7, 7, 8, 8, 7], 2);
    }

    /// A larger LRU has every page that a smaller one has.
    #[test]
    fn more_room_never_hurts_an_lru() {
        let accesses: Vec<u32> =
            (0..5000u32).map(|n| n.wrapping_mul(2_654_435_761) >> 24).collect();
        let hits: Vec<u64> =
            (1..200).step_by(7).map(|c| replay(&mut Lru::new(c, 256), &accesses)).collect();
        assert!(hits.is_sorted(), "{hits:?}");
    }
}
