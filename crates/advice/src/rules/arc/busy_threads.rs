//! The ARC's own threads are busy: they look for what may be evicted, or ask for inodes to be dropped, and find little.
//!
//! `arc_reclaim` up to 0.7, `arc_evict` since 0.8 evict; `arc_prune` asks the kernel to drop inodes and what they hold,
//! where metadata or dnodes are above their limit (module/zfs/arc.c, module/os/linux/zfs/zpl_super.c). In rest none of them
//! takes time.

use arcwright_machine::BusyThreads;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the ARC's threads are busy", judge };

/// Percent of one processor, all of them together: less is what evicting takes on a busy machine.
const BUSY: f64 = 50.0;

fn judge(view: &View<'_>) -> Judged {
    let threads = &view.machine.top.busy_threads;
    let all: f64 = threads.iter().map(|kind| kind.percent).sum();
    if all < BUSY {
        return Ok(Verdict::Silent);
    }
    let kinds: Vec<String> = threads.iter().map(told).collect();
    let title =
        format!("The ARC's own threads take {all:.0} % of a processor: {}", format::list(&kinds));
    let mut finding = Finding::new("arc-threads-busy", Severity::WorthALook, Area::Arc, title);
    let row = |kind: &BusyThreads| {
        Evidence::now(
            kind.name.clone(),
            format!("{} threads, {:.1} % of a processor", kind.count, kind.percent),
        )
    };
    finding.evidence = threads.iter().map(row).collect();
    finding.cause = "They look for blocks that may be evicted, or ask for inodes to be dropped, again and again: mostly \
                     because what is to go is held by files in use, or because memory is asked back all the time."
        .to_owned();
    let commands = match view.is_freebsd() {
        true => {
            lines(["sysctl kstat.zfs.misc.arcstats | grep -E 'size|arc_meta|dnode|evict|prune'"])
        }
        false => lines([
            "grep -E '^(size|c|c_max|arc_meta_used|arc_meta_limit|dnode_size|arc_prune|evict_) ' /proc/spl/kstat/zfs/arcstats",
            "free -m; slabtop -o -s c | head -20",
        ]),
    };
    finding.remedy = Some(changes::by_hand(
        "see what it is: metadata above its limit, dnodes above theirs, or memory that is short; change no limit before that",
        &commands,
    ));
    finding.gain = Gain::NotEstimated("what these threads take".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("top, at one moment");
    finding.sources = lines(["module/zfs/arc.c, arc_prune_async", "openzfs issues 7559, 14005"]);
    Ok(Verdict::one(finding))
}

fn told(kind: &BusyThreads) -> String {
    match kind.count {
        1 => format!("{} {:.0} %", kind.name, kind.percent),
        count => format!("{count} of {} {:.0} %", kind.name, kind.percent),
    }
}
