//! Several texts about one pool, brought into the order of time.
//!
//! A mail that came before often stands below what was asked after it. Each text about a pool names its last scan, whose
//! date never goes back:
//!
//! ```text
//! scan: scrub repaired 0B … on Sat Aug 17 16:27:50 2024     the later one, which counts
//! scan: resilvered 268M … on Thu Aug 15 23:03:10 2024       pasted below it, from a mail
//! ```
//!
//! Texts keep their order where one of the pool has no date.

use std::collections::BTreeMap;

use super::Block;
use super::since::{ScanDate, of_scan_line};

/// Brings the texts about each pool into the order of their scans, in the places that they have together.
pub(super) fn by_scan(blocks: &mut [Block]) {
    let mut of_pools: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, block) in blocks.iter().enumerate() {
        if let Some(name) = whole(block) {
            of_pools.entry(name).or_default().push(at);
        }
    }
    for places in of_pools.into_values() {
        let dates: Option<Vec<ScanDate>> =
            places.iter().map(|at| blocks.get(*at).and_then(date)).collect();
        let Some(dates) = dates.filter(|dates| !dates.is_sorted()) else { continue };
        let mut dated: Vec<(ScanDate, Block)> = Vec::new();
        for (at, date) in places.iter().zip(dates) {
            dated.extend(blocks.get_mut(*at).map(|block| (date, std::mem::take(block))));
        }
        dated.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (at, (_, block)) in places.into_iter().zip(dated) {
            if let Some(place) = blocks.get_mut(at) {
                *place = block;
            }
        }
    }
}

/// Returns the pool of a text that lists its devices.
fn whole(block: &Block) -> Option<String> {
    block.field("pool").filter(|_| !block.config.is_empty())
}

fn date(block: &Block) -> Option<ScanDate> {
    of_scan_line(block.lines("scan").or_else(|| block.lines("scrub"))?.first()?)
}
