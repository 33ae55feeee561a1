//! Most of what ZFS's caches of objects take is empty: few of their objects are in use.
//!
//! A slab is given back when none of its objects is used, so a few that stay keep the memory of many
//! (`/proc/spl/kmem/slab`: `size` beside `alloc`; `slabinfo(5)`: `num_objs` beside `active_objs`). The kernel's own
//! count of objects in use is never too low: slabs that a processor has for itself count as used (mm/slub.c).

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::rules::arc::slabs::OF_ZFS;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether slabs are mostly empty", judge };

/// Empty memory from which it is worth a sentence.
const EMPTY_MIN: u64 = 1 << 30;
/// The largest caches that are shown.
const SHOWN_MAX: usize = 4;

fn judge(view: &View<'_>) -> Judged {
    let machine = view.machine;
    let of_zfs = |name: &str| OF_ZFS.iter().any(|start| name.starts_with(start));
    // Of a cache that does not tell it, nothing is known.
    let told = machine.slabs.iter().filter(|(name, _)| of_zfs(name));
    let told = told.filter_map(|(name, all)| Some((name, *all, *machine.slabs_used.get(name)?)));
    let mut caches: Vec<(&String, Bytes, Bytes)> =
        told.filter(|(_, all, used)| used.0 < all.0).collect();
    let sum = |of: fn(&(&String, Bytes, Bytes)) -> u64| {
        caches.iter().map(of).fold(0u64, u64::saturating_add)
    };
    let (all, used) = (sum(|cache| cache.1.0), sum(|cache| cache.2.0));
    let empty = all.saturating_sub(used);
    if empty < EMPTY_MIN || used > empty {
        return Ok(Verdict::Silent);
    }
    caches.sort_by_key(|(_, all, used)| std::cmp::Reverse(all.0.saturating_sub(used.0)));
    let title = format!(
        "ZFS's slabs hold {} and use {} of it: the rest is kept by few objects",
        Bytes(all),
        Bytes(used)
    );
    let mut finding = Finding::new("slabs-mostly-empty", Severity::WorthALook, Area::Arc, title);
    let row = |(name, all, used): &(&String, Bytes, Bytes)| {
        Evidence::exactly(format!("slabs: {name}"), all.0, format!("{all}, of which {used} in use"))
    };
    finding.evidence = caches.iter().take(SHOWN_MAX).map(row).collect();
    finding.evidence.extend(view.rows_now(["size", "c", "c_max"]));
    finding.cause = "A slab goes back to the machine when none of its objects is in use. After many objects \
                     came and went, a few that stayed keep nearly empty slabs: the memory is free for ZFS's next \
                     objects of the same size, and for nothing else."
        .to_owned();
    let files = ["dnode_t", "sa_cache", "zfs_znode_", "dmu_buf_"];
    let first = caches.first().map(|cache| cache.0.as_str());
    let is_of_files = first.is_some_and(|name| files.iter().any(|start| name.starts_with(start)));
    let (what, trial) = match is_of_files {
        true => (
            "as a trial let the kernel drop its inodes, so that the last objects go; if the memory comes back, look for \
             what walks through so many files (backup, locate, virus scanner)",
            "sync; echo 2 > /proc/sys/vm/drop_caches   # inodes and names are read again",
        ),
        false => (
            "as a trial lower zfs_arc_max for some minutes, so that the last buffers go; what does not come back then \
             does so when the pools are exported or the machine is restarted",
            "cat /sys/module/zfs/parameters/zfs_arc_max   # what to go back to after the trial",
        ),
    };
    let commands = lines([trial, "slabtop -o -s c | head -n 20   # before and after"]);
    finding.remedy = Some(changes::by_hand(what, &commands));
    finding.gain = Gain::Counted(format!("up to {} of memory", Bytes(empty)));
    finding.cost = "What is dropped is read again when it is next used.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("the kernel's caches of objects");
    finding.sources = lines([
        "module/os/linux/spl/spl-kmem-cache.c",
        "openzfs/spl issue 373",
        "slabinfo(5), slabtop(1)",
    ]);
    Ok(Verdict::one(finding))
}
