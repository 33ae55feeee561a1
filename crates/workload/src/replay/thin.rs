//! A part of a replay: some places with all that is asked of them, so that what an `n`th of the memory finds there is what all of it
//! would find.
//!
//! Places are drawn evenly by how often they are asked for: in the order of their popularity every `n`th is kept, so that
//! the few that are asked for most are represented as the many are that are asked for once. (Places drawn by a hash alone, as SHARDS
//! draws them — Waldspurger et al., FAST 2015 —, lack the most popular one by chance, and all of its hits.)

use std::cmp::Reverse;
use std::sync::{Arc, PoisonError};

use arcwright_units::Bytes;

use super::{Data, Replay, ReplayFile, ReplayRequest, SharedRequests};
use crate::shuffle::mixed;

/// Thinned replays that are kept.
const KEPT_MAX: usize = 8;

/// How a replay is thinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Thinning {
    factor: u64,
    sample: u32,
}

impl Replay {
    /// Returns the replay with one in `factor` of the parts of its files, and the requests for them, shortened to what is
    /// kept. Times are kept.
    #[must_use]
    pub fn thinned(&self, factor: u64) -> Self {
        if factor <= 1 {
            return self.clone();
        }
        let data = &self.data.0;
        let thin = thin(data, Thinning { factor, sample: self.sample });
        // Times decide where there are some; else the same share of the requests.
        let place = |number: usize| {
            let of = number as u128 * thin.0.requests.len() as u128;
            usize::try_from(of / data.requests.len().max(1) as u128).unwrap_or(0)
        };
        let at = |number: usize| match data.requests.get(number) {
            Some(request) if data.is_timed => {
                thin.0.requests.partition_point(|other| other.at < request.at)
            }
            Some(_) => place(number),
            None => thin.0.requests.len(),
        };
        let (from, to) = (at(self.from), at(self.to));
        Self { data: thin, from, to: to.max(from), ..self.clone() }
    }

    /// Returns the same, of which other places are kept when it is thinned: 0 for the usual ones, then 1, 2 …
    #[must_use]
    pub fn with_sample(&self, sample: u32) -> Self {
        Self { sample, ..self.clone() }
    }
}

/// Thins requests, or returns them as they were thinned before.
fn thin(data: &Data, thinning: Thinning) -> SharedRequests {
    let mut kept = data.thin.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = kept.iter().find(|(known, _)| *known == thinning) {
        return known.clone();
    }
    let thin = of(data, thinning);
    if kept.len() >= KEPT_MAX {
        kept.remove(0);
    }
    kept.push((thinning, thin.clone()));
    thin
}

fn of(data: &Data, thinning: Thinning) -> SharedRequests {
    let kept = kept_of(data, thinning);
    let ranks: Vec<Vec<u32>> = kept.iter().map(|kept| ranks(kept)).collect();
    let files = data.files.iter().zip(&ranks).zip(&data.parts).map(|((file, ranks), part)| {
        let count = u64::from(ranks.last().copied().unwrap_or(0)).max(1);
        ReplayFile { size: Bytes((count * part).min(file.size.0)), ..*file }
    });
    let requests = data.requests.iter().filter_map(|request| {
        let file = usize::from(request.file);
        shortened(request, ranks.get(file)?, *data.parts.get(file)?)
    });
    let (files, requests) = (files.collect(), requests.collect());
    let (parts, is_timed, record) = (data.parts.clone(), data.is_timed, data.record);
    let (sharing, named) = (data.sharing, data.named);
    let thin = Data { files, parts, requests, is_timed, record, sharing, named, ..Data::default() };
    SharedRequests(Arc::new(thin))
}

/// Returns for each part of each file whether it is kept: of the parts of one size, by popularity, every `factor`th.
fn kept_of(data: &Data, Thinning { factor, sample }: Thinning) -> Vec<Vec<bool>> {
    let counts = counts_of(data);
    let mut kept: Vec<Vec<bool>> = counts.iter().map(|file| vec![false; file.len()]).collect();
    let mut sizes: Vec<u64> = data.parts.clone();
    sizes.sort_unstable();
    sizes.dedup();
    for size in sizes {
        let mut order = Vec::new();
        for (file, counts) in counts.iter().enumerate() {
            if data.parts.get(file) != Some(&size) {
                continue;
            }
            let of = |(part, count): (usize, &u32)| {
                let drawn = mixed(part as u64 ^ mixed(file as u64));
                (Reverse(*count), drawn, (file, part))
            };
            order.extend(counts.iter().enumerate().map(of));
        }
        order.sort_unstable();
        for (_, _, (file, part)) in order
            .into_iter()
            .skip(first_of(factor, sample))
            .step_by(usize::try_from(factor).unwrap_or(usize::MAX))
        {
            let place = kept.get_mut(file).and_then(|file| file.get_mut(part));
            place.into_iter().for_each(|place| *place = true);
        }
    }
    kept
}

/// Returns which of the first `factor` places is kept: the middle one, then those a third before and behind, and so on.
fn first_of(factor: u64, sample: u32) -> usize {
    // Thirds of thirds, from the middle on.
    let (mut at, mut width, mut rest) = (factor / 2, factor, u64::from(sample));
    while rest > 0 && width >= 3 {
        width = width.div_ceil(3);
        match rest % 3 {
            1 => at = at.saturating_sub(width),
            2 => at = (at + width).min(factor - 1),
            _ => {}
        }
        rest /= 3;
    }
    usize::try_from(at).unwrap_or(0)
}

/// Returns how many requests each part of each file has.
fn counts_of(data: &Data) -> Vec<Vec<u32>> {
    let parts = data.files.iter().zip(&data.parts);
    let parts = parts.map(|(file, part)| file.size.0.div_ceil((*part).max(1)));
    let mut counts: Vec<Vec<u32>> =
        parts.map(|parts| vec![0; usize::try_from(parts).unwrap_or(0)]).collect();
    for request in &data.requests {
        let file = usize::from(request.file);
        let (Some(counts), Some(part)) = (counts.get_mut(file), data.parts.get(file)) else {
            continue;
        };
        let part = (*part).max(1);
        let end = request.offset + u64::from(request.size);
        for number in request.offset / part..end.div_ceil(part) {
            let count = usize::try_from(number).ok().and_then(|number| counts.get_mut(number));
            count.into_iter().for_each(|count| *count = count.saturating_add(1));
        }
    }
    counts
}

/// Returns, for each part of a file and its end, how many before it are kept.
fn ranks(kept: &[bool]) -> Vec<u32> {
    let mut count = 0;
    let before = kept.iter().map(|is_kept| {
        let rank = count;
        count += u32::from(*is_kept);
        rank
    });
    let mut ranks: Vec<u32> = before.collect();
    ranks.push(count);
    ranks
}

/// Returns what is left of a request; none where nothing is. What is kept of it lies in a row again.
fn shortened(request: &ReplayRequest, ranks: &[u32], part: u64) -> Option<ReplayRequest> {
    let part = part.max(1);
    let (begin, end) = (request.offset, request.offset + u64::from(request.size));
    let (first, last) = (begin / part, end.saturating_sub(1) / part);
    let rank = |number: u64| ranks.get(usize::try_from(number).ok()?).copied();
    let (from, to) = (rank(first)?, rank(last + 1)?);
    if from == to {
        return None;
    }
    let is_kept = |number: u64| rank(number).zip(rank(number + 1)).is_some_and(|(a, b)| a < b);
    let skipped = if is_kept(first) { begin % part } else { 0 };
    let cut = if is_kept(last) { (last + 1) * part - end } else { 0 };
    let size = u64::from(to - from) * part - skipped - cut;
    let offset = u64::from(from) * part + skipped;
    Some(ReplayRequest { offset, size: u32::try_from(size).ok()?, ..*request })
}

#[cfg(test)]
mod tests {
    use super::first_of;

    #[test]
    fn samples_begin_in_the_middle_and_spread() {
        let check = |factor: u64, expected: &[usize]| {
            let found: Vec<usize> = (0..4).map(|sample| first_of(factor, sample)).collect();
            assert_eq!(found, expected, "{factor}");
        };
        check(2, &[1, 1, 1, 1]);
        check(3, &[1, 0, 2, 1]);
        check(30, &[15, 5, 25, 11]);
        assert!((0..100).all(|sample| first_of(30, sample) < 30));
    }
}
