//! Writes waited because memory was short (`memory_throttle_count`).
//!
//! A transaction that would dirty more than the machine can spare is put off (`arc_memory_throttle`,
//! module/os/linux/zfs/arc_os.c and module/os/freebsd/zfs/arc_os.c, 0.6 to 2.4). Reports of the ARC call an ARC
//! THROTTLED from the first time on; a few since the start are no matter.

use crate::changes;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether writes waited for memory", judge };

/// Fewer are no matter.
const MANY: u64 = 100;

fn judge(view: &View<'_>) -> Judged {
    let count = view.arc("memory_throttle_count")?;
    if count < MANY {
        return Ok(Verdict::Silent);
    }
    let title = format!("Writes waited for memory {} times {}", format::count(count), view.when());
    let mut finding = Finding::new("memory-throttled", Severity::Note, Area::Arc, title);
    finding.evidence = view.rows(["memory_throttle_count"]);
    finding.evidence.extend(view.rows_now(["size", "c", "c_max"]));
    finding.cause = "A write is put off when the machine has too little memory free for what it would dirty: programs, \
                     or an ARC that gives back too slowly, had taken it. How often that happens now, a window tells."
        .to_owned();
    let commands = match view.is_freebsd() {
        true => lines([
            "top -o res",
            "sysctl kstat.zfs.misc.arcstats.memory_throttle_count   # and again later",
        ]),
        false => lines([
            "free -m",
            "grep memory_throttle_count /proc/spl/kstat/zfs/arcstats   # and again later",
        ]),
    };
    finding.remedy = Some(changes::by_hand(
        "see whether it still grows; if so, give programs less memory, or the ARC a smaller maximum",
        &commands,
    ));
    finding.gain = Gain::NotEstimated("writes that need not wait".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("arcstats");
    finding.sources = lines(["module/os/linux/zfs/arc_os.c, arc_memory_throttle"]);
    Ok(Verdict::one(finding))
}
