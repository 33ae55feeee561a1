//! Members that hold the last copy of what a vdev has, on drives that fail; not a rule itself.
//!
//! A mirror of which one side is gone reads everything from the other one, and so does a raidz without parity left from all of
//! its members. Where the drive of such a one reports that it fails, order is all: copy first, then replace what is gone, and the
//! failing one only after that resilver.

use arcwright_machine::{Drive, Machine, Pool, Vdev};

use crate::rules::pool_state::{is_out, may_fail, read_vdevs};

/// A member with the last copy on a failing drive, and one of its group that is gone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastCopy<'a> {
    pub(crate) vdev: &'a Vdev,
    pub(crate) failing: &'a Vdev,
    pub(crate) gone: &'a Vdev,
}

/// Returns the first of them in a pool.
pub(crate) fn of<'a>(machine: &Machine, pool: &'a Pool) -> Option<LastCopy<'a>> {
    read_vdevs(pool).find_map(|vdev| {
        let members = || vdev.children.iter().filter(|child| child.children.is_empty());
        let mut gone = members().filter(|leaf| is_out(leaf)).peekable();
        let first = gone.peek().copied()?;
        if may_fail(vdev).is_none_or(|most| gone.count() < most) {
            return None;
        }
        let failing = members().find(|leaf| !is_out(leaf) && is_failing(machine, leaf))?;
        Some(LastCopy { vdev, failing, gone: first })
    })
}

/// Returns whether the drive of a member says itself that it fails.
fn is_failing(machine: &Machine, leaf: &Vdev) -> bool {
    let says = |drive: &Drive| drive.smart_passed == Some(false) || drive.is_silent;
    machine.drive_of(&leaf.name).is_some_and(says)
}

#[cfg(test)]
mod tests {
    use arcwright_machine::{Machine, Sources};

    use super::of;

    fn check(rows: &[(&str, &str, &str)], failing: &str, expected: Option<(&str, &str)>) {
        let rows: String = rows
            .iter()
            .map(|(indent, name, state)| format!("\t{indent}{name:12}{state:10}0     0     0\n"))
            .collect();
        let text = format!(
            "  pool: tank\n state: DEGRADED\nconfig:\n\n\tNAME          STATE     READ WRITE CKSUM\n\
             \ttank          DEGRADED  0     0     0\n{rows}\nerrors: No known data errors\n"
        );
        let mut machine = Machine::read(&Sources::recognize(&text));
        machine.drives.push(arcwright_machine::Drive {
            name: failing.to_owned(),
            smart_passed: Some(false),
            ..arcwright_machine::Drive::default()
        });
        let found = machine.pools.first().and_then(|pool| of(&machine, pool));
        let found = found.map(|last| (last.gone.name.as_str(), last.failing.name.as_str()));
        assert_eq!(found, expected, "{rows}");
    }

    #[test]
    fn the_last_copy_is_where_a_group_has_no_redundancy_left_and_another_member_fails() {
        let mirror =
            [("  ", "mirror-0", "DEGRADED"), ("    ", "sda", "FAULTED"), ("    ", "sdb", "ONLINE")];
        check(&mirror, "sdb", Some(("sda", "sdb")));
        // The one that is gone is no copy.
        check(&mirror, "sda", None);
        let raidz2 = [
            ("  ", "raidz2-0", "DEGRADED"),
            ("    ", "sda", "UNAVAIL"),
            ("    ", "sdb", "ONLINE"),
            ("    ", "sdc", "ONLINE"),
            ("    ", "sdd", "ONLINE"),
        ];
        check(&raidz2, "sdb", None);
        let mut less = raidz2;
        less[3].2 = "REMOVED";
        check(&less, "sdb", Some(("sda", "sdb")));
    }
}
