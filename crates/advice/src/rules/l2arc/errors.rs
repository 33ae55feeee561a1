//! The cache device returns what was not written to it, or nothing.
//!
//! What the L2ARC returns is checked against the block's checksum; when that fails (`l2_cksum_bad`) or
//! the read does (`l2_io_error`), the pool's disks are read instead (arc.c, `l2arc_read_done`). A
//! device of which some percent of the reads end so costs more waits than it saves.

use crate::changes;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::l2arc_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether the cache device works without errors", judge };

fn judge(view: &View<'_>) -> Judged {
    if !l2arc_state::has_cache(view)? {
        return Ok(Verdict::Silent);
    }
    // Since the module was loaded, whatever the window: an error once is an error.
    const ROWS: [&str; 3] = ["l2_cksum_bad", "l2_io_error", "l2_writes_error"];
    let read = ROWS.map(|row| view.arc_now(row));
    let errors = read.iter().flatten().fold(0u64, |sum, count| sum.saturating_add(*count));
    if errors == 0 {
        for row in read {
            row?;
        }
        return Ok(Verdict::Silent);
    }
    let share = l2arc_state::failed_share(view);
    let void = share.is_some_and(l2arc_state::voids);
    let of_reads = share.filter(|share| share.value().is_some_and(|share| share > 0.0));
    let title = match (of_reads, void) {
        (Some(share), true) => {
            format!("{share} of the L2ARC's reads fail: it costs more than it saves")
        }
        _ => format!(
            "The cache device had {} errors since the module was loaded",
            format::count(errors)
        ),
    };
    let severity = if void { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("l2arc-errors", severity, Area::L2arc, title);
    finding.subject = l2arc_state::pools(view);
    finding.evidence = view.rows_now(ROWS);
    finding.evidence.extend(view.rows_now(["l2_hits"]));
    finding.cause =
        "Its data did not match the checksum, or a request failed; the pool's disks served those \
         reads. No data was lost: the L2ARC holds copies."
            .to_owned();
    // A device that has answered every request holds something else than what ZFS takes to be there.
    let [_, failed_reads, failed_writes] = &read;
    let answers = matches!((failed_reads, failed_writes), (Ok(0), Ok(0)));
    let (what, commands, cost) = match answers {
        true => (
            "remove it and add it again, which begins with an empty one: the device has answered every request; look at its \
             health and cable if the errors come back",
            ["zpool remove POOL DEVICE", "zpool add POOL cache DEVICE"],
            "The L2ARC fills anew.",
        ),
        false => (
            "check the device's health and cable; replace it",
            ["smartctl -a DEVICE", "zpool remove POOL DEVICE"],
            "A device.",
        ),
    };
    finding.remedy = Some(changes::by_hand(what, &lines(commands)));
    finding.gain = Gain::NotEstimated("each error costs one more read".to_owned());
    finding.cost = cost.to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = crate::finding::Confidence::read("arcstats, since the module was loaded");
    finding.sources = lines(["module/zfs/arc.c"]);
    Ok(Verdict::one(finding))
}
