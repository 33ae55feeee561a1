//! Errors that a mirror or raidz counts and none of its disks does: what they mean, by their kind.
//!
//! A block that a mirror reads wrong from each side, or that a raidz can put together from none of the combinations that
//! its parity allows, counts at the group and at no disk: nobody knows which of them is wrong
//! (`raidz_checksum_verify`, module/zfs/vdev_raidz.c). A request that ends in an error there without one of a disk found
//! no device that took it.

use arcwright_machine::{Layout, Pool, Vdev};

use crate::changes;
use crate::finding::Remedy;
use crate::format;

/// Returns whether what was read was wrong; otherwise requests failed.
pub(super) fn are_wrong(groups: &[&Vdev]) -> bool {
    groups.iter().any(|group| group.errors.is_some_and(|[.., wrong]| wrong > 0))
}

pub(super) fn title(pool: &Pool, groups: &[&Vdev]) -> String {
    let names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
    let (kind, suspect) = match are_wrong(groups) {
        true => ("errors", "suspect memory or the controller"),
        false => ("read or write errors", "suspect what they share, not a disk"),
    };
    format!(
        "{} of {} has {kind} that none of its disks made: {suspect}",
        format::list(&names),
        pool.name
    )
}

pub(super) fn cause(groups: &[&Vdev]) -> String {
    if !are_wrong(groups) {
        return "A request ended in an error for the group as a whole, and no disk of it counts one: its devices were \
                not reachable for a moment, all at once, or their counts began anew when they came back. A \
                controller, a backplane, a cable or the power that they share does that, a single disk does not."
            .to_owned();
    }
    let is_mirror = |group: &&Vdev| group.layout == Layout::Mirror;
    let (mirror, raidz) = (groups.iter().any(is_mirror), !groups.iter().all(is_mirror));
    let sides = if mirror { "Every side of the mirror reads back equally wrong. " } else { "" };
    let columns = match raidz {
        true => "More columns are wrong than the parity can put right, on no disk in particular. ",
        false => "",
    };
    format!(
        "{sides}{columns}So the blocks were most likely corrupted before they reached the disks: by memory without ECC \
         or with a fault, a controller, an overclocked processor. Such blocks cannot be repaired from another copy."
    )
}

/// Returns what is to be looked at where requests failed.
pub(super) fn look_at_links(pool: &Pool) -> Remedy {
    let status = format!("zpool status -v {}", format::shell(&pool.name));
    let log =
        "dmesg -T | grep -iE 'reset|offline|timeout|link'   # which devices went away, and when";
    let mut remedy = changes::by_hand(
        "see in the kernel's log which devices went away together; check controller, cables and power before any disk",
        &[log.to_owned(), status.clone()],
    );
    remedy.verify = vec![status];
    remedy
}

#[cfg(test)]
mod tests {
    use arcwright_machine::{Layout, Vdev};

    use super::cause;

    #[test]
    fn errors_above_disks_are_explained_by_their_kind_and_layout() {
        let mirror = Layout::Mirror;
        let raidz = Layout::Raidz { parity: 1 };
        for (layout, errors, part, other) in [
            (mirror, [0, 0, 24], "Every side of the mirror", "columns"),
            (raidz, [0, 0, 24], "More columns are wrong than the parity", "mirror"),
            (mirror, [8, 0, 0], "not reachable for a moment", "reads back"),
            (raidz, [0, 3, 0], "not reachable for a moment", "corrupted"),
        ] {
            let group = Vdev { layout, errors: Some(errors), ..Vdev::default() };
            let said = cause(&[&group]);
            assert!(said.contains(part) && !said.contains(other), "{said}");
        }
    }
}
