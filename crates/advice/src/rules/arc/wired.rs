//! Most of what the kernel of FreeBSD holds is not the ARC.
//!
//! Wired memory is all that the kernel cannot swap out; on a machine with ZFS most of it is the ARC. What its allocator
//! keeps beyond that (UMA, `vmstat -z`: free items of `zio_buf_…` and `abd_chunk`), guests of bhyve and buffers of the
//! network are no part of what `vfs.zfs.arc.max` limits.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether wired memory is the ARC", judge };

/// Less than this beside the ARC is what any machine has.
const LEAST: u64 = 8 << 30;

fn judge(view: &View<'_>) -> Judged {
    let Some((memory, wired)) = view.machine.memory.and_then(|it| Some((it, it.wired?))) else {
        return Ok(Verdict::Silent);
    };
    let size = view.arc_now("size")?;
    let beside = wired.0.saturating_sub(size);
    if beside < LEAST || beside < memory.total.0 / 2 {
        return Ok(Verdict::Silent);
    }
    let title = format!(
        "The kernel holds {wired} of {} of memory, and the ARC is only {} of that",
        memory.total,
        Bytes(size)
    );
    let mut finding = Finding::new("wired-beside-arc", Severity::Note, Area::Arc, title);
    let row = |name: &str, bytes: Bytes| Evidence {
        exact: Some(bytes.0),
        ..Evidence::now(name, bytes.to_string())
    };
    finding.evidence = view.rows_now(["size"]);
    finding.evidence.extend([row("wired", wired), row("memory", memory.total)]);
    finding.cause = format!(
        "{} are something else of the kernel: free items that its allocator keeps after the ARC shrank, memory of \
         guests (bhyve), buffers. A limit of the ARC does not change that.",
        Bytes(beside)
    );
    finding.remedy = Some(changes::by_hand(
        "see who has it; what the allocator keeps goes back by itself when memory is asked for, or after a restart",
        &lines(["vmstat -z   # size, used and free items of each zone", "vmstat -m"]),
    ));
    finding.gain = Gain::NotEstimated("depends on who has it".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the memory and arcstats, as they are now");
    finding.sources = lines(["vmstat(8) -z", "top(1), Wired"]);
    Ok(Verdict::one(finding))
}
