//! The page of twins.

use std::fmt::Write as _;

use super::cases::OF_A_BLOCK;
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

    /// Says whether what the lab found is in the range of the loads that the counters do not tell apart.
    fn is_in_range(&self) -> bool {
        let [low, high] = self.range;
        (low - NONE..=high + NONE).contains(&self.lab)
    }

    /// Says whether it has the right size.
    fn is_near(&self) -> bool {
        self.is_of_size(self.model)
    }

    /// The same of the model of the known load.
    fn is_known_near(&self) -> bool {
        self.is_of_size(self.of_known_load)
    }

    fn is_of_size(&self, left: f64) -> bool {
        let off = (left - self.lab).abs();
        off <= NONE || off <= SIZE * (1.0 - self.lab).abs()
    }
}

/// Returns how far the model of known loads is off with a share, in three quarters of the cases.
fn apart(
    found: &[Found],
    of: impl Fn(&Found) -> [Option<f64>; 2],
    far: impl Fn(f64, f64) -> f64,
) -> f64 {
    let apart = found.iter().filter_map(|one| match of(one) {
        [Some(lab), Some(model)] => Some(far(lab, model)),
        _ => None,
    });
    let mut apart: Vec<f64> = apart.collect();
    apart.sort_by(f64::total_cmp);
    apart.get(apart.len() * 3 / 4).copied().unwrap_or(f64::NAN)
}

pub(super) fn page(found: &[Found]) -> String {
    let mut page = String::from(
        "# Twins\n\nMade by `cargo xtask twins`. Each case is a machine with a load that chance drew, run in the lab; its counters \
         are what `arcwright scenario` gets. The scenario that comes of them runs on the model. The first columns say whether it \
         counts what the lab counted: demand accesses to data that hit, bytes per second that the disks read and write. The \
         others say which part of the reads is left with twice the memory and with a cache device, in the lab, by the model of the \
         scenario, and by the model of the load that was really run, which tells what the fit is off from what the model is. The range is of the loads that the counters do not tell apart.\n\n\
         The first two blocks of cases were looked at while the fit was made; the third was drawn and recorded when it was done, and nothing was \
         changed because of it.\n\n",
    );
    for (said, block) in blocks(found) {
        // Writing into a string cannot fail.
        let _ = writeln!(page, "{said}: {}", sums(block));
    }
    page.push_str(
        "| case | hits, lab | model | read, lab | model | written, lab | model | twice the memory, lab | model | range | if the load is known | a cache device, lab | model | range | if the load is known |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for one in found {
        page.push_str(&line(one));
    }
    page
}

/// Returns the blocks of cases that were found, each with what it is.
pub(super) fn blocks(found: &[Found]) -> impl Iterator<Item = (&'static str, &[Found])> {
    let said = ["Seen while the fit was made", "Seen since", "Never seen"];
    said.into_iter().zip(found.chunks(OF_A_BLOCK))
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
    let known = changes.iter().filter(|change| change.is_known_near()).count();
    let inside = changes.iter().filter(|change| change.is_in_range()).count();
    format!(
        "Of {} machines: hits of data within 3 points in {}, bytes read within 15 % in {}, bytes written in {}. Of {} predicted \
         effects of a change {right} have the right direction, {near} the right size (within a quarter of what it saves, or \
         {:.0} points); {inside} are within the range of the loads that the counters do not tell apart, or as near. If the load were \
         known, {known} would have the right size. In three quarters of the cases the model that knows the load is off by {:.1} points with the share of ghost hits, and by \
         {:.2} with the natural logarithm of the share of the MRU's hits.\n",
        found.len(),
        compared("accesses to data"),
        compared("disks read"),
        compared("disks write"),
        changes.len(),
        NONE * 100.0,
        apart(found, |one| one.ghosts, |lab, model| 100.0 * (lab - model).abs()),
        apart(found, |one| one.recent, |lab, model| ((lab + 0.005) / (model + 0.005)).ln().abs())
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
                let Change { lab, model, range: [low, high], of_known_load, .. } = change;
                write!(
                    line,
                    " {lab:.2} | {model:.2}{mark} | {low:.2} to {high:.2} | {of_known_load:.2} |"
                )
            }
            None => write!(line, " - | - | - | - |"),
        };
    }
    line + "\n"
}
