//! The page of twins.

use std::fmt::Write as _;

use super::{Change, Found};

/// Up to this part a change is none.
const NONE: f64 = 0.05;
/// Predictions are of the right size when they are off by no more of what a change saves, or by this part of all.
const SIZE: f64 = 0.25;

impl Change {
    /// Says whether the prediction has the right direction.
    fn is_right(&self) -> bool {
        let direction = |left: f64| match left {
            left if left < 1.0 - NONE => -1,
            left if left > 1.0 + NONE => 1,
            _ => 0,
        };
        direction(self.lab) == direction(self.model)
    }

    /// Says whether it has the right size.
    fn is_near(&self) -> bool {
        let off = (self.model - self.lab).abs();
        off <= NONE || off <= SIZE * (1.0 - self.lab).abs()
    }
}

pub(super) fn page(found: &[Found]) -> String {
    let mut page = String::from(
        "# Twins\n\nMade by `cargo xtask twins`. Each case is a machine with a load that chance drew, run in the lab; its counters \
         are what `arcwright scenario` gets. The scenario that comes of them runs on the model. The first columns say whether it \
         counts what the lab counted: demand accesses to data that hit, bytes per second that the disks read and write. The \
         others say which part of the reads is left with twice the memory and with a cache device, in the lab and by \
         the model of the scenario. Nothing was fitted on these cases.\n\n",
    );
    page.push_str(&sums(found));
    page.push_str(
        "\n| case | hits, lab | model | read, lab | model | written, lab | model | twice the memory, lab | model | a cache device, lab | model |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for one in found {
        page.push_str(&line(one));
    }
    page
}

/// Returns how many are right.
pub(super) fn sums(found: &[Found]) -> String {
    let compared = |what: &str| {
        let all = found.iter().flat_map(|one| &one.twin.check.compared);
        let all: Vec<_> = all.filter(|one| one.what.contains(what)).collect();
        format!("{} of {}", all.iter().filter(|one| one.agrees).count(), all.len())
    };
    let changes: Vec<&Change> = found.iter().flat_map(|one| &one.changes).collect();
    let right = changes.iter().filter(|change| change.is_right()).count();
    let near = changes.iter().filter(|change| change.is_near()).count();
    format!(
        "Of {} machines: hits of data within 3 points in {}, bytes read within 15 % in {}, bytes written in {}. Of {} predicted \
         effects of a change {right} have the right direction, {near} the right size (within a quarter of what it saves, or \
         {:.0} points).\n",
        found.len(),
        compared("accesses to data"),
        compared("disks read"),
        compared("disks write"),
        changes.len(),
        NONE * 100.0
    )
}

/// Returns a case as a line of the table.
pub(super) fn line(found: &Found) -> String {
    let mut line = format!("| {} |", found.name);
    for what in ["accesses to data", "disks read", "disks write"] {
        let one = found.twin.check.compared.iter().find(|one| one.what.contains(what));
        // Writing into a string cannot fail.
        let _ = match one {
            Some(one) => {
                let mark = if one.agrees { "" } else { " !" };
                write!(line, " {} | {}{mark} |", one.machine, one.model)
            }
            None => write!(line, " - | - |"),
        };
    }
    for arm in [super::MEMORY, super::CACHE] {
        let change = found.changes.iter().find(|change| change.arm == arm);
        let _ = match change {
            Some(change) => {
                let mark = if change.is_right() && change.is_near() { "" } else { " !" };
                write!(line, " {:.2} | {:.2}{mark} |", change.lab, change.model)
            }
            None => write!(line, " - | - |"),
        };
    }
    line + "\n"
}
