//! What all rules about the L2ARC start from, and others ask of it; not a rule itself.

use arcwright_machine::{Class, Vdev};
use arcwright_units::{Bytes, Ratio};

use crate::drives::leaves_of;
use crate::finding::Evidence;
use crate::format;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::{ACCESSES_MIN, View};

/// L2ARC hits of ARC misses below which it is called barely used. A cache that serves less than one
/// miss in ten leaves nine in ten of the waits to the disks: no reader sees a difference.
pub(crate) const BARELY: f64 = 0.10;

/// ARC misses below which the share that the L2ARC served says little: of 200 it is known to ± 7
/// percent points (1.96 · √(0.25 / 200)), and the shares that matter here lie 40 apart.
pub(crate) const ASKED_MIN: u64 = 200;

/// What an L2ARC did.
pub(crate) struct L2 {
    pub(crate) hits: u64,
    pub(crate) misses: u64,
}

/// What left the ARC.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left {
    /// Bytes that could have been written to the L2ARC.
    pub(crate) eligible: u64,
    /// Bytes that could not.
    pub(crate) ineligible: u64,
}

impl L2 {
    /// Returns the share of ARC misses that it served.
    pub(crate) fn ratio(&self) -> f64 {
        format::fraction(self.hits, self.hits.saturating_add(self.misses))
    }

    pub(crate) fn is_barely_used(&self) -> bool {
        self.ratio() < BARELY
    }

    /// Returns how much it is used, for a sentence.
    pub(crate) fn label(&self) -> String {
        let all = self.hits.saturating_add(self.misses);
        format!("{} of {} ARC misses", format::share(self.hits, all), format::count(all))
    }
}

/// Says whether the machine has an L2ARC; from its pools, or where they are not known its counters.
pub(crate) fn has_cache(view: &View<'_>) -> Result<bool, NotJudged> {
    let pools = &view.machine.pools;
    if pools.iter().any(|pool| !leaves_of(pool, Class::Cache).is_empty()) {
        return Ok(true);
    }
    // What lies on it now; a cache device that was taken away leaves its other counters as they were.
    const SIGNS: [&str; 3] = ["l2_size", "l2_asize", "l2_hdr_size"];
    let is_empty = is_empty(view);
    let holds =
        || !is_empty && SIGNS.iter().filter_map(|row| view.arc_now(row).ok()).any(|held| held > 0);
    let laid_out = !pools.is_empty() && pools.iter().all(|pool| !pool.vdevs.is_empty());
    match (laid_out, holds()) {
        (true, true) => Err(NotJudged::NotRead(
            "the layout of a pool was not read completely: the counters show a cache device"
                .to_owned(),
        )),
        (true, false) => Ok(false),
        (false, true) => Ok(true),
        // Nothing on it may be a cache device that nothing was written to yet.
        (false, false) => {
            // What answered is there, however little was read of it.
            if view.arc("l2_hits").is_ok_and(|hits| hits > 0) {
                return Ok(!is_empty);
            }
            SIGNS.iter().try_for_each(|row| view.arc_now(row).map(|_| ()))?;
            Ok(view.arc_now("l2_writes_sent")? > 0)
        }
    }
}

/// Returns whether it was read that nothing lies on a cache device and the ARC has no header for one. What `l2_size` has then
/// is what its sums lost (openzfs issue 5474), and other counters are of a device that was removed.
pub(crate) fn is_empty(view: &View<'_>) -> bool {
    ["l2_asize", "l2_hdr_size"].iter().all(|row| view.arc_now(row).is_ok_and(|held| held == 0))
}

/// Returns what the L2ARC did; none where there is none.
pub(crate) fn facts(view: &View<'_>) -> Result<Option<L2>, NotJudged> {
    if !has_cache(view)? {
        return Ok(None);
    }
    if is_void(view) {
        let why = "the L2ARC's hits do not count while its reads fail";
        return Err(NotJudged::Lacking(why.to_owned()));
    }
    // What it was asked for stands in its own counters; few accesses in all make them no better.
    view.enough_accesses().or_else(|why| if why.is_unread() { Ok(0) } else { Err(why) })?;
    Ok(Some(L2 { hits: view.arc("l2_hits")?, misses: view.arc("l2_misses")? }))
}

/// Failed reads among all, from which the device is of no use: a disk read takes some hundred times as
/// long as one that the SSD answers.
const VOID: f64 = 0.01;

/// Returns which share of its reads failed since the module was loaded.
pub(crate) fn failed_share(view: &View<'_>) -> Option<Ratio> {
    let read = ["l2_cksum_bad", "l2_io_error"].map(|row| view.arc_now(row));
    let bad = read.iter().flatten().fold(0u64, |sum, count| sum.saturating_add(*count));
    let hits = view.arc_now("l2_hits").ok()?;
    Some(Ratio::new(bad, hits.max(bad)))
}

/// Returns whether so many of its reads fail that what it is said to serve says nothing.
pub(crate) fn is_void(view: &View<'_>) -> bool {
    failed_share(view).is_some_and(voids)
}

/// Returns whether so large a share of failed reads makes the device useless.
pub(crate) fn voids(share: Ratio) -> bool {
    share.value().is_some_and(|share| share >= VOID)
}

/// Returns praise of what a cache device serves; where its other counters were read, those of failed reads must have been
/// too.
pub(crate) fn praise(view: &View<'_>, told: String, evidence: Vec<Evidence>) -> Judged {
    if view.arc_now("l2_rw_clash").is_ok() {
        view.arc_now("l2_cksum_bad")?;
    }
    Ok(Verdict::fine(told, evidence))
}

/// Returns the bytes on it now, as they lie there.
pub(crate) fn held(view: &View<'_>) -> Result<u64, NotJudged> {
    view.arc_now("l2_asize")
}

/// Returns the bytes written to it.
pub(crate) fn written(view: &View<'_>) -> Result<u64, NotJudged> {
    view.arc("l2_write_bytes")
}

/// Returns the bytes that left the ARC.
pub(crate) fn left(view: &View<'_>) -> Result<Left, NotJudged> {
    Ok(Left {
        eligible: view.arc("evict_l2_eligible")?,
        ineligible: view.arc("evict_l2_ineligible")?,
    })
}

/// Returns the share of misses that prefetch has.
pub(crate) fn streams(view: &View<'_>) -> Result<f64, NotJudged> {
    Ok(format::fraction(view.prefetch_misses()?, view.misses()?))
}

/// Returns what the L2ARC did when there were misses enough for it to be asked.
pub(crate) fn asked(view: &View<'_>) -> Result<Option<L2>, NotJudged> {
    let Some(l2) = facts(view)? else { return Ok(None) };
    view.enough(l2.hits.saturating_add(l2.misses), ASKED_MIN, "ARC misses looked up in the L2ARC")?;
    Ok(Some(l2))
}

/// Returns the evidence that every finding about use shows.
pub(crate) fn evidence(view: &View<'_>) -> Vec<Evidence> {
    let mut rows = view.rows(["l2_hits", "l2_misses", "l2_write_bytes"]);
    rows.extend(view.rows_now(["l2_asize"]));
    rows
}

/// Returns the pools that have cache devices, for a finding's subject.
pub(crate) fn pools(view: &View<'_>) -> Option<String> {
    let with = |pool: &&arcwright_machine::Pool| !leaves_of(pool, Class::Cache).is_empty();
    let names: Vec<String> =
        view.machine.pools.iter().filter(with).map(|pool| pool.name.clone()).collect();
    (!names.is_empty()).then(|| format::list(&names))
}

/// Returns the room of all cache devices, or that of the drives they are parts of, which is an upper
/// bound. None when one is not known.
pub(crate) fn room(view: &View<'_>) -> Option<Bytes> {
    let leaves = view.machine.pools.iter().flat_map(|pool| leaves_of(pool, Class::Cache));
    let sizes: Option<Vec<Bytes>> = leaves.map(|leaf| size_of(view, leaf)).collect();
    sizes.filter(|sizes| !sizes.is_empty()).map(|sizes| sizes.into_iter().sum())
}

/// Returns the room of all cache devices as the pools know it.
pub(crate) fn own_room(view: &View<'_>) -> Result<Bytes, NotJudged> {
    let leaves = view.machine.pools.iter().flat_map(|pool| leaves_of(pool, Class::Cache));
    let sizes: Option<Vec<Bytes>> = leaves.map(|leaf| leaf.space?.size).collect();
    let sizes = sizes.filter(|sizes| !sizes.is_empty());
    let unread = || view.not_read("the size of the cache device", "zpool-list");
    sizes.map(|sizes| sizes.into_iter().sum()).ok_or_else(unread)
}

fn size_of(view: &View<'_>, leaf: &Vdev) -> Option<Bytes> {
    let own = leaf.space.and_then(|space| space.size);
    own.or_else(|| view.machine.drive_of(&leaf.name)?.size)
}

/// Returns what so many bytes over the time judged are per day, for a sentence on wear.
pub(crate) fn per_day(view: &View<'_>, bytes: u64) -> Option<String> {
    let per_s = view.per_s(bytes)?;
    Some(tb_per_day(per_s))
}

/// Returns a rate of bytes per second in TB (10^12) per day, as endurance is rated.
pub(crate) fn tb_per_day(bytes_per_s: f64) -> String {
    format!("{:.2} TB/day", bytes_per_s * 86_400.0 / 1e12)
}

/// The memory that one block on the L2ARC takes (docs/model/l2arc.md#header-memory).
pub(crate) const HEADER: u64 = 96;

/// Part of the ARC that headers may not take: a quarter is near the third at which feeding stops (`l2arc_meta_percent`, 33).
pub(crate) const TOO_MUCH: f64 = 0.25;

/// Returns whether headers take so much that nothing else has its room.
pub(crate) fn is_too_much(view: &View<'_>) -> bool {
    let read = view.arc_now("l2_hdr_size").and_then(|headers| Ok((headers, view.arc_now("c")?)));
    read.is_ok_and(|(headers, target)| format::fraction(headers, target) >= TOO_MUCH)
}

/// Returns what headers cost for each 100 GiB of L2ARC at the mean size of blocks it holds now.
pub(crate) fn header_cost(view: &View<'_>) -> String {
    let (Ok(held), Ok(headers)) = (held(view), view.arc_now("l2_hdr_size")) else {
        return format!("{HEADER} B of memory for each block on the L2ARC");
    };
    let blocks = headers / HEADER;
    // A few blocks give no mean; a record of 128 KiB is what holds most files.
    let mean = if blocks >= ACCESSES_MIN { (held / blocks).max(512) } else { 128 << 10 };
    let memory = Bytes(Bytes::gib(100).0 / mean * HEADER);
    format!(
        "{memory} of memory for the headers of each 100 GiB on the L2ARC ({HEADER} B per block of {})",
        Bytes(mean)
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn wear_is_decimal_terabytes_a_day() {
        assert_eq!(super::tb_per_day(8.0 * 1024.0 * 1024.0), "0.72 TB/day");
        assert_eq!(super::tb_per_day(32.0 * 1024.0 * 1024.0), "2.90 TB/day");
    }
}
