//! Why the model is off where it is.

use super::board::Line;

/// Why cases are off, as far as it is known, by how their names begin; `fidelity/OPEN.md` says more.
const REASONS: [(&str, &str); 8] = [
    (
        "sync-16k-deep",
        "four requests that wait go into one log block, or take turns in two: a run stays with either",
    ),
    (
        "rewrite-mirror-2.1",
        "a run of 1.3 s, in which 33 reads of indirect blocks take longer in the lab",
    ),
    ("prefetch-switch", "without prefetch the model's heads move 3 to 11 % more often"),
    ("drawn-26", "two readers share a stream; which of them leads differs"),
    ("drawn-01", "how much one request to a disk reads depends on how many wait"),
    ("drawn-25", "how much one request to a disk reads depends on how many wait"),
    ("crowd-", "locks that several threads want at once are not modelled"),
    ("sync-128k", "2.1 copies into log blocks under a lock, which is not modelled"),
];

/// Returns why a line is off.
pub(super) fn reason(line: &Line) -> &'static str {
    if line.is_noise_known() && line.noise_pct >= line.throughput_pct.abs() {
        return "within the lab's own noise";
    }
    let known = REASONS.iter().find(|(start, _)| line.case.starts_with(start));
    known.map_or("not explained", |(_, why)| why)
}
