//! Tools that failed, in a pasted text: `program<tab>what it said`, a line each.

use crate::machine::{Machine, Problem, Reason};
use crate::sources::Sources;

pub(crate) const NAME: &str = "commands/failed";
/// More are not named.
const FAILURES_MAX: usize = 20;
/// Of what a tool said no more is reported.
const SAID_CHARS_MAX: usize = 160;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    for line in sources.text(NAME).unwrap_or_default().lines().take(FAILURES_MAX) {
        let Some((program, said)) = line.split_once('\t') else { continue };
        let shown: String = said.chars().take(SAID_CHARS_MAX).collect();
        // These tools ask for counters by name; another version of the module has others.
        let is_row = said.starts_with("KeyError")
            && ["arcstat", "arc_summary"].iter().any(|tool| program.contains(tool));
        let why = match is_row {
            true => format!(
                "{shown}: it is of another version than the module; read /proc/spl/kstat/zfs/arcstats or sysctl \
                 kstat.zfs.misc.arcstats instead"
            ),
            false => shown,
        };
        machine.problems.push(Problem { source: program.to_owned(), reason: Reason::Failed(why) });
    }
}
