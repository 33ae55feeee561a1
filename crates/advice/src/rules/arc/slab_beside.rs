//! The kernel's objects on Linux take far more memory than the ARC counts, by `SUnreclaim` of `/proc/meminfo` alone.
//!
//! The ARC's headers, dnodes and dbufs are such objects, and what it counts of them is in its size: what is beyond
//! that is not in the ARC, and none of its limits applies to it (openzfs issue 10255).

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether the kernel's objects beside the ARC take memory", judge };

/// Of the memory, from which what is beside the ARC is no matter of course: a tenth.
const MUCH: f64 = 0.1;
/// And in bytes.
const LEAST: u64 = 2 << 30;

fn judge(view: &View<'_>) -> Judged {
    let Some((memory, held)) = view.machine.memory.and_then(|it| Some((it, it.slab_held?))) else {
        return Ok(Verdict::Silent);
    };
    let size = view.arc_now("size")?;
    let beside = held.0.saturating_sub(size);
    // Less than the ARC again may be its own objects, counted a moment apart.
    if beside < LEAST.max(size) || format::fraction(beside, memory.total.0) < MUCH {
        return Ok(Verdict::Silent);
    }
    let title = format!(
        "The kernel's objects take {held} that it cannot drop, and the ARC counts {} in all: at least {} are beside it",
        Bytes(size),
        Bytes(beside)
    );
    let mut finding = Finding::new("slab-beside-arc", Severity::WorthALook, Area::Arc, title);
    finding.evidence = vec![
        Evidence::exactly("SUnreclaim", held.0, held.to_string()),
        Evidence::exactly("MemTotal", memory.total.0, memory.total.to_string()),
    ];
    finding.evidence.extend(view.rows_now(["size", "c", "c_max"]));
    finding.cause = "This memory counts as used and is in no limit of the ARC. It may be slabs of ZFS of which a few \
                     objects keep the rest, or belong to another part of the kernel (network, file systems, a \
                     driver that leaks): the list of caches tells which."
        .to_owned();
    let commands = lines([
        "slabtop -o -s c | head -n 20   # the largest caches, and how many of their objects are active",
        "sort -k3,3nr /proc/spl/kmem/slab | head   # those of ZFS that Linux does not list",
    ]);
    let mut remedy = changes::by_hand(
        "see which caches they are before any limit of the ARC is changed: a lower one does not reach this memory",
        &commands,
    );
    remedy.verify = lines(["grep SUnreclaim /proc/meminfo"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on whose objects they are".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("the memory and arcstats, as they are now");
    finding.sources = lines(["proc_meminfo(5) SUnreclaim", "slabinfo(5)", "openzfs issue 10255"]);
    Ok(Verdict::one(finding))
}
