//! Metadata at its own limit in the ARC, told by two rows alone.
//!
//! Up to 2.1 metadata may take `arc_meta_limit`; at it, metadata is evicted although the ARC has room
//! (module/zfs/arc.c, `arc_adjust_meta`). Whether misses of metadata follow, other rows tell, and the rule
//! on metadata judges them: this is a note without a remedy of its own.

use arcwright_units::Bytes;

use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether metadata is at its limit", judge };

fn judge(view: &View<'_>) -> Judged {
    let (Ok(used), Ok(limit)) = (view.arc_now("arc_meta_used"), view.arc_now("arc_meta_limit"))
    else {
        return Ok(Verdict::Silent);
    };
    // Eviction holds it within a hundredth of the limit.
    if limit == 0 || u128::from(used) * 100 < u128::from(limit) * 99 {
        return Ok(Verdict::Silent);
    }
    let title = format!("Metadata is at its limit in the ARC: {} of {}", Bytes(used), Bytes(limit));
    let mut finding = Finding::new("metadata-at-limit", Severity::Note, Area::Metadata, title);
    finding.evidence = view.rows_now(["arc_meta_used", "arc_meta_limit", "size", "c", "c_max"]);
    finding.cause =
        "At arc_meta_limit metadata is evicted even where the ARC has room for more. It \
                     hurts if metadata is then missed (demand_metadata_misses): raise the limit \
                     (zfs_arc_meta_limit_percent, arc_meta_limit), or the ARC with it."
            .to_owned();
    finding.gain = Gain::NotEstimated("depends on the misses of metadata".to_owned());
    finding.cost = "Memory for file data within the ARC.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("arcstats, as it is now");
    finding.sources = lines(["zfs(4) zfs_arc_meta_limit_percent", "module/zfs/arc.c"]);
    Ok(Verdict::one(finding))
}
