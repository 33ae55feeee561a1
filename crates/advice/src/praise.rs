//! Praise that a finding contradicts: what is fine by one reading is not said where another finds fault with it.
//!
//! A rule praises what its own rows show. That all devices are there is “all pools are whole” only as long as no other
//! rule finds files damaged, a pool's metadata lost, an import refused.

use arcwright_machine::Machine;

use crate::finding::Finding;
use crate::rules;
use crate::verdict::Fine;

/// What was praised, and the findings beside which it is not said.
const CONTRADICTED: [(&str, &[&str]); 1] = [(
    rules::HEALTH.about,
    &["data-errors", "data-errors-likely", "metadata-damaged", "pool-not-imported"],
)];

/// Returns what is still fine beside the findings; each has the question that its rule answers.
pub(crate) fn uncontradicted(
    machine: &Machine,
    findings: &[Finding],
    fine: Vec<(&'static str, Fine)>,
) -> Vec<Fine> {
    let is_said = |(about, _): &(&'static str, Fine)| {
        let contradicted = CONTRADICTED.iter().filter(|(praised, _)| praised == about);
        let by_id = contradicted
            .flat_map(|(_, ids)| ids.iter())
            .any(|id| findings.iter().any(|finding| finding.id == *id));
        let by_refusal = *about == rules::HEALTH.about && is_unopened(machine);
        !by_id && !by_refusal
    };
    fine.into_iter().filter(is_said).map(|(_, fine)| fine).collect()
}

/// Returns whether ZFS did not open a pool by what a command printed.
fn is_unopened(machine: &Machine) -> bool {
    machine.refusals.iter().any(|refusal| matches!(refusal.verb.as_str(), "import" | "open"))
}
