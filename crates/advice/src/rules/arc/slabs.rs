//! The kernel's caches of ZFS's objects take far more memory than the ARC counts.
//!
//! A slab holds many objects and goes back as a whole: one object that stays keeps it. When blocks of many sizes
//! come and go, most of the slabs are such (`/proc/spl/kmem/slab`, `slabtop`: `zio_buf_16384` with 70 GiB
//! beside an ARC of 20). From 0.7 buffers are single pages (ABD, module/os/linux/zfs/abd_os.c), so that it
//! happens to few of them.

use arcwright_machine::ALL_OF_SPL;
use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether slabs keep memory from the machine", judge };

/// How the names of ZFS's caches begin.
pub(super) const OF_ZFS: [&str; 9] = [
    "zio_buf_",
    "zio_data_buf_",
    "abd_",
    "arc_buf_",
    "dmu_buf_",
    "dnode_t",
    "sa_cache",
    "zfs_znode_",
    "zio_cache",
];
/// More than the ARC counts, from which it is worth a sentence.
const BEYOND_MIN: u64 = 1 << 30;
/// The largest caches that are shown.
const SHOWN_MAX: usize = 4;

fn judge(view: &View<'_>) -> Judged {
    // Where their sum was read, they are not added once more.
    let in_all = view.machine.slabs.contains_key(ALL_OF_SPL);
    let of_zfs = |name: &str| match in_all {
        true => name == ALL_OF_SPL,
        false => OF_ZFS.iter().any(|start| name.starts_with(start)),
    };
    let mut caches: Vec<(&String, Bytes)> = view
        .machine
        .slabs
        .iter()
        .filter(|(name, _)| of_zfs(name))
        .map(|(name, bytes)| (name, *bytes))
        .collect();
    let all = caches.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(bytes.0));
    if all < BEYOND_MIN {
        return Ok(Verdict::Silent);
    }
    let size = view.arc_now("size")?;
    let beyond = all.saturating_sub(size);
    if beyond < BEYOND_MIN || beyond < size {
        return Ok(Verdict::Silent);
    }
    caches.sort_by_key(|(_, bytes)| std::cmp::Reverse(bytes.0));
    let title = format!(
        "ZFS's objects take {} of memory in slabs, the ARC counts {}: the rest is not given back",
        Bytes(all),
        Bytes(size)
    );
    let mut finding = Finding::new("slabs-beyond-arc", Severity::WorthALook, Area::Arc, title);
    let row = |(name, bytes): &(&String, Bytes)| Evidence {
        exact: Some(bytes.0),
        ..Evidence::now(format!("slabs: {name}"), bytes.to_string())
    };
    finding.evidence = caches.iter().take(SHOWN_MAX).map(row).collect();
    finding.evidence.extend(view.rows_now(["size", "c", "c_max"]));
    finding.cause = "A slab goes back to the machine when none of its objects is used. After blocks of many \
                     sizes came and went, a few objects keep most of the slabs. The ARC's limits do not count \
                     them, so the machine may run out of memory while the ARC is small."
        .to_owned();
    let early = view.is_from("0.7.0") == Some(false);
    let what = match early {
        true => {
            "update to 0.7 or later, whose buffers are single pages; until then a lower zfs_arc_max leaves room, \
                 and the memory comes back when the pools are exported"
        }
        false => {
            "see which caches they are and whether they shrink when the load ends; do not raise zfs_arc_max \
                  meanwhile"
        }
    };
    let commands = lines([
        "sort -k3,3nr /proc/spl/kmem/slab | head   # size, and what of it is allocated",
        "slabtop -o -s c | head -n 20",
    ]);
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = lines(["slabtop -o -s c | head -n 20   # the caches of zio_buf shrink"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated(format!("up to {} of memory", Bytes(beyond)));
    finding.cost = "None to look.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("the kernel's caches of objects, beside arcstats");
    finding.sources =
        lines(["module/os/linux/spl/spl-kmem-cache.c", "openzfs/spl issue 373", "slabtop(1)"]);
    Ok(Verdict::one(finding))
}
