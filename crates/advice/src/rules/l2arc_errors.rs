//! The cache device returns what was not written to it, or nothing.

use crate::changes;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::rules::l2arc;
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::View;

pub(super) const RULE: Rule = Rule { about: "whether the cache device is sound", judge };

fn judge(view: &View<'_>) -> Judged {
    if !l2arc::has_cache(view)? {
        return Ok(Verdict::Silent);
    }
    // Since the module was loaded, whatever the window: an error once is an error.
    const ROWS: [&str; 3] = ["l2_cksum_bad", "l2_io_error", "l2_writes_error"];
    let errors: u64 = ROWS.iter().filter_map(|row| view.arc_now(row).ok()).sum();
    if errors == 0 {
        return Ok(Verdict::Silent);
    }
    let title = format!("The SSD cache made {errors} errors since the module was loaded");
    let mut finding = Finding::new("l2arc-errors", Severity::WorthALook, Area::L2arc, title);
    finding.subject = l2arc::pools(view);
    finding.evidence = view.rows_now(ROWS);
    finding.cause =
        "What it returned did not match its checksum, or it failed to answer; the pool's \
                     disks answered instead. No data was lost, the L2ARC is a copy."
            .to_owned();
    let commands = lines(["smartctl -a DEVICE", "zpool remove POOL DEVICE"]);
    finding.remedy =
        Some(changes::by_hand("look at the device's health and its cable; replace it", &commands));
    finding.gain = Gain::NotEstimated("an error costs one more read".to_owned());
    finding.cost = "A device.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = crate::finding::Confidence::read("arcstats, since the module was loaded");
    finding.sources = lines(["module/zfs/arc.c"]);
    Ok(Verdict::one(finding))
}
