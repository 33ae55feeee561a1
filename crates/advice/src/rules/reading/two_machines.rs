//! An ARC that does not fit into the memory that was read: the texts are of two machines, or of two moments.

use arcwright_units::Bytes;

use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the texts can be of one machine", judge };

fn judge(view: &View<'_>) -> Judged {
    let (Some(memory), Ok(size)) = (view.machine.memory, view.arc_now("size")) else {
        return Ok(Verdict::Silent);
    };
    if size <= memory.total.0 {
        return Ok(Verdict::Silent);
    }
    let title = format!(
        "These texts are not of one machine: an ARC of {} does not fit into {} of memory",
        Bytes(size),
        memory.total
    );
    let mut finding = Finding::new("two-machines", Severity::Note, Area::Reading, title);
    finding.evidence = view.rows_now(["size"]);
    finding.evidence.push(Evidence::now("memory", memory.total.to_string()));
    finding.cause = "The memory and the ARC's counters were read on two machines, or at two times between which the memory \
                     was changed. What is said of one beside the other does not hold."
        .to_owned();
    finding.gain = Gain::Nothing;
    finding.confidence = Confidence::read("the memory and arcstats");
    Ok(Verdict::one(finding))
}
