//! The index of the L2ARC eats the ARC.
//!
//! Every block on the L2ARC that is not in the ARC too takes 96 bytes of it (docs/model/l2arc.md#header-memory);
//! feeding stops at `l2arc_meta_percent` of the target.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::l2arc_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "how much of the ARC the L2ARC's headers take", judge };

/// A tenth of the ARC is what an L2ARC of some ten times its size may cost to be worth it.
const MUCH: f64 = 0.10;

/// The kernel's cache of headers of blocks that only the L2ARC has, and what of it is worth a sentence.
const SLAB: &str = "arc_buf_hdr_t_l2only";
const SLAB_MIN: u64 = 256 << 20;
/// So much is worth a sentence where the ARC's size was not read.
const ALONE_MIN: u64 = 4 << 30;

/// Returns the note where it is known what they take, and not of how much: `row` is the counter.
fn alone(view: &View<'_>, headers: Bytes, row: &str) -> Finding {
    let memory = view.machine.memory.map(|memory| memory.total);
    let of = memory.map_or_else(String::new, |total| format!(" of {total}"));
    let title = format!("The L2ARC's headers take {headers}{of} of memory");
    let mut finding = Finding::new("l2arc-headers", Severity::Note, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = vec![Evidence::exactly(row, headers.0, headers.to_string())];
    finding.evidence.extend(view.settings(["l2arc_meta_percent"]));
    finding.cause = format!(
        "Each of {} blocks on the L2ARC costs {} B of memory, which is not given back while it is there. It is \
         worth it as long as it is a small part of the ARC; the ARC's size was not read.",
        format::count(headers.0 / l2arc_state::HEADER),
        l2arc_state::HEADER
    );
    let commands = lines([
        "grep -E '^(l2_hdr_size|l2_size|l2_hits|l2_misses|size|c) ' /proc/spl/kstat/zfs/arcstats",
        "zfs set secondarycache=metadata DATASET   # of datasets with small blocks",
    ]);
    let what = "hold it against the ARC's size; where it is a tenth or more, make the L2ARC smaller or keep \
                datasets with small blocks out of it";
    finding.remedy = Some(changes::by_hand(what, &commands));
    finding.gain = Gain::NotEstimated("depends on what the L2ARC serves".to_owned());
    finding.cost = "What is taken off the L2ARC is read from the disks.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = crate::finding::Confidence::read("a counter, as it is now");
    finding.sources =
        lines(["module/zfs/arc.c (size of an L2-only header)", "openzfs issue 11702"]);
    finding
}

fn judge(view: &View<'_>) -> Judged {
    if !l2arc_state::has_cache(view)? {
        return Ok(Verdict::Silent);
    }
    let headers = view.arc_now("l2_hdr_size");
    let slab = view.machine.slabs.get(SLAB).filter(|bytes| headers.is_err() && bytes.0 >= SLAB_MIN);
    if let Some(bytes) = slab {
        return Ok(Verdict::one(alone(view, *bytes, &format!("slabinfo: {SLAB}"))));
    }
    let (headers, target) = (headers?, view.arc_now("c"));
    if target.is_err() && headers >= ALONE_MIN {
        return Ok(Verdict::one(alone(view, Bytes(headers), "l2_hdr_size")));
    }
    let target = target?;
    let share = format::fraction(headers, target);
    let evidence = view.rows_now(["l2_hdr_size", "c", "l2_asize"]);
    if share < MUCH {
        let what = format!(
            "The L2ARC's headers take {} of memory, {} of the ARC's target",
            Bytes(headers),
            format::share(headers, target)
        );
        return Ok(Verdict::fine(what, evidence));
    }
    let title =
        format!("The L2ARC's headers take {} of the ARC's target", format::share(headers, target));
    let severity =
        if share >= l2arc_state::TOO_MUCH { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("l2arc-headers", severity, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = evidence;
    finding.evidence.extend(view.rows(["l2_abort_lowmem", "l2_hits", "l2_misses"]));
    finding.evidence.extend(view.settings(["l2arc_meta_percent"]));
    let blocks = (headers / l2arc_state::HEADER).max(1);
    let mean = l2arc_state::held(view)
        .map_or_else(|_| String::new(), |held| format!(" of {} on average", Bytes(held / blocks)));
    finding.cause = format!(
        "Each block on the L2ARC costs {} B of memory; there are {}{mean}. Memory is some hundred \
         times faster than an SSD, so an oversized L2ARC makes reads slower.",
        l2arc_state::HEADER,
        format::count(blocks)
    );
    let commands = lines([
        "zfs set secondarycache=metadata DATASET   # of datasets with small blocks",
        "zpool remove POOL DEVICE && zpool add POOL cache SMALLER-PARTITION",
    ]);
    let mut remedy =
        changes::by_hand("make the L2ARC smaller: a smaller device, or fewer datasets", &commands);
    remedy.verify = lines(["arcwright doctor   # l2_hdr_size against c"]);
    remedy.undo = lines(["zfs inherit secondarycache DATASET", "zpool remove POOL DEVICE"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::Counted(format!("frees up to {} of memory for the ARC", Bytes(headers)));
    finding.cost =
        "The L2ARC's present contents are lost and must be read from the disks again.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = crate::finding::Confidence::read("arcstats, as it is now");
    finding.sources =
        lines(["module/zfs/arc.c (size of an L2-only header)", "openzfs issue 11702"]);
    Ok(Verdict::one(finding))
}
