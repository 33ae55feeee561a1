//! Swap that is nearly full, whoever filled it.

use arcwright_machine::Memory;
use arcwright_units::Bytes;

use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether swap has room", judge };

/// Less in use is no matter.
pub(super) const USED_MIN: u64 = 1 << 30;
/// Of which less than a fifth is left.
const LEFT: u64 = 5;

/// Returns what is in use of all swap, where that is nearly all of it.
pub(super) fn nearly_all(memory: Memory) -> Option<(Bytes, Bytes)> {
    let (used, all) = (memory.swap_used?, memory.swap_total?);
    let is_full = used.0 >= USED_MIN && all.0.saturating_sub(used.0) < all.0 / LEFT;
    is_full.then_some((used, all))
}

fn judge(view: &View<'_>) -> Judged {
    let Some((used, all)) = view.machine.memory.and_then(nearly_all) else {
        return Ok(Verdict::Silent);
    };
    let title = format!("Swap is nearly full: {used} of {all}");
    let mut finding = Finding::new("swap-full", Severity::Note, Area::Arc, title);
    let row = |name: &str, bytes: Bytes| Evidence {
        exact: Some(bytes.0),
        ..Evidence::now(name, bytes.to_string())
    };
    finding.evidence = vec![row("swap used", used), row("swap", all)];
    finding.evidence.extend(
        view.machine.memory.and_then(|memory| memory.free).map(|free| row("memory free", free)),
    );
    finding.cause = "Memory was short at some time. What was swapped out stays there until it is asked for, also while \
                     memory is free again; when swap is full and memory is short, the kernel kills programs."
        .to_owned();
    finding.gain = Gain::Nothing;
    finding.confidence = Confidence::read("the memory, as it is now");
    finding.sources = lines(["proc_meminfo(5)", "swapinfo(8)"]);
    Ok(Verdict::one(finding))
}
