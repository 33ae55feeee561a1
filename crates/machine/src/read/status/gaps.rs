//! What stands around rows that somebody left out.
//!
//! ```text
//!         tank          ONLINE
//!           raidz2-0    ONLINE     whole: another group follows
//!             da0 … da5
//!           raidz2-2    ONLINE     rows of it may be among those left out
//!             da3
//!         ~~~ trimmed ~~~
//!             da9       ONLINE     of a group that nobody knows
//!         logs
//!           nvd0        ONLINE     known: its heading stands above it
//! ```

use super::names::{class_of, is_group};
use super::row::Row;
use super::tree::{is_too_deep, leaf, misfit, vdev};
use crate::pool::{Class, Vdev};

/// Returns the groups that are whole, those within which rows were left out, and the devices whose group is not known; none
/// where the rows do not fit together.
pub(super) fn around(rows: &[Row]) -> Option<Vec<Vdev>> {
    (!is_too_deep(rows)).then_some(())?;
    let (pool, rows) = rows.split_first()?;
    let deeper = rows.iter().map(|row| row.indent).filter(|indent| *indent > pool.indent);
    let top = deeper.min()?;
    let mut class = Class::Data;
    let mut vdevs: Vec<Vdev> = Vec::new();
    let mut rest = rows;
    while let Some((row, below)) = rest.split_first() {
        // Whatever was left out, it may have been of the group above.
        if row.is_after_cut
            && let Some(above) = vdevs.last_mut()
        {
            above.is_cut = !above.children.is_empty();
        }
        rest = below;
        if row.state.is_none() {
            class = class_of(&row.name)?;
            continue;
        }
        if row.indent != top {
            // Deeper, below a row that is not there.
            vdevs.extend((!is_group(&row.name)).then(|| Vdev { class, ..leaf(row) }));
            continue;
        }
        let (found, after) = vdev(row, below, class);
        rest = after;
        let is_torn = is_group(&row.name) && rest.first().is_none_or(|next| next.is_after_cut);
        if !is_torn && misfit(&found).is_some() {
            return None;
        }
        // A group without a row below it says only that there is one.
        if !is_group(&row.name) || !found.children.is_empty() {
            vdevs.push(found);
        }
    }
    // Where nothing follows what was left out, it was of the last one.
    if !rows.iter().any(|row| row.is_after_cut) {
        let last = vdevs.last_mut()?;
        last.is_cut = !last.children.is_empty();
    }
    Some(vdevs)
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::pool::{Class, Vdev};
    use crate::sources::Sources;

    /// Checks the groups and devices with their class, how many members each has, and whether rows of it may lack.
    fn check(rows: &str, expected: &[(&str, Class, usize, bool)]) {
        let head = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE READ WRITE CKSUM\n\ttank  ONLINE 0 0 0\n";
        let text = format!("{head}{rows}\nerrors: No known data errors\n");
        let machine = Machine::read(&Sources::recognize(&text));
        let told = |vdev: &Vdev| (vdev.name.clone(), vdev.class, vdev.children.len(), vdev.is_cut);
        let told: Vec<_> = machine.pools[0].strays.iter().map(told).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, class, members, is_cut)| ((*name).to_owned(), *class, *members, *is_cut))
            .collect();
        assert_eq!(told, expected, "{text}: {:?}", machine.problems);
    }

    #[test]
    fn groups_around_rows_that_were_left_out_are_known() {
        let pair = |number: usize| {
            format!(
                "\t  mirror-{number}  ONLINE 0 0 0\n\t    sd{number}a  ONLINE 0 0 0\n\t    sd{number}b  ONLINE 0 0 0\n"
            )
        };
        let logs = "\tlogs\n\t  nvd0  ONLINE 0 0 0\n\tspares\n\t  da27  AVAIL\n";
        for cut in ["~~~~~~ Trimmmed for brevity ~~~~~~", "[...]", "..."] {
            check(
                &format!("{}{}\t{cut}\n{logs}", pair(0), pair(1)),
                &[
                    ("mirror-0", Class::Data, 2, false),
                    ("mirror-1", Class::Data, 2, true),
                    ("nvd0", Class::Log, 0, false),
                    ("da27", Class::Spare, 0, false),
                ],
            );
        }
        check(
            &format!("{}\t...\n\t    sd7b  ONLINE 0 0 0\n{}", pair(0), pair(8)),
            &[
                ("mirror-0", Class::Data, 2, true),
                ("sd7b", Class::Data, 0, false),
                ("mirror-8", Class::Data, 2, false),
            ],
        );
        check(&format!("{}\t...\n", pair(0)), &[("mirror-0", Class::Data, 2, true)]);
    }
}
