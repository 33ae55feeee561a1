//! From the spaces in front of rows to levels of the tree, or from their names where the spaces are gone.

use std::collections::BTreeSet;

use super::names::{class_of, is_group, layout_of};
use super::row::Row;
use crate::pool::Layout;

const TOO_FAR: &str = "the rows stand too far to the right: a line seems to be missing";

/// Turns spaces into levels; why they are none.
pub(super) fn levels(rows: &mut [Row], base: usize) -> Option<String> {
    const SPACES_OF_A_LEVEL: usize = 2;
    let inner = |rows: &[Row]| {
        let offsets = rows.iter().map(|row| row.indent - base).filter(|offset| *offset > 0);
        offsets.min()
    };
    // Somebody moved the rows by hand: how far is of no account, only what stands further in.
    if rows.iter().any(|row| !(row.indent - base).is_multiple_of(SPACES_OF_A_LEVEL)) {
        let is_crooked = straighten(rows);
        // Of rows that stand crooked and far in nobody can tell whether that of their group is missing.
        let unit = inner(rows);
        let is_first = |row: &&Row| Some(row.indent - base) == unit;
        let has_group = rows.iter().filter(is_first).any(|row| is_group(&row.name));
        if is_crooked && unit.is_some_and(|unit| unit > SPACES_OF_A_LEVEL) && !has_group {
            return Some(TOO_FAR.to_owned());
        }
        let offsets: BTreeSet<usize> = rows.iter().map(|row| row.indent - base).collect();
        for row in rows.iter_mut() {
            row.indent = base + offsets.range(..row.indent - base).count();
        }
    }
    let Some(unit) = inner(rows) else {
        // The pool's own row alone.
        rows.iter_mut().for_each(|row| row.indent = 0);
        return None;
    };
    let first = |row: &&Row| row.indent - base == unit;
    let is_whole_group =
        |row: &Row| is_group(&row.name) && layout_of(&row.name) != Layout::Replacing;
    let grouped = rows.iter().filter(first).any(is_whole_group);
    if unit > SPACES_OF_A_LEVEL && !grouped {
        return Some(TOO_FAR.to_owned());
    }
    let (mut above, mut too_far): (Option<&Row>, Option<usize>) = (None, None);
    for row in rows.iter_mut() {
        let offset = row.indent - base;
        let heading = row.state.is_none();
        row.indent = offset / unit;
        let before = above.map_or(0, |above| above.indent);
        // In texts of old tools the devices of a replacement may stand a level too far in.
        let swaps =
            |above: &Row| is_group(&above.name) && layout_of(&above.name) == Layout::Replacing;
        if row.indent == before + 2 && above.is_some_and(swaps) {
            too_far = Some(row.indent);
        }
        too_far = too_far.filter(|level| row.indent >= *level);
        row.indent -= usize::from(too_far == Some(row.indent));
        let holds = above.is_none_or(|above| above.indent == 0 || is_group(&above.name));
        let deeper = row.indent > before;
        let out = !offset.is_multiple_of(unit)
            || row.indent > before + 1
            || deeper && !holds
            || heading && offset > 0;
        if out {
            return Some(format!("{} stands out of place: a line seems to be missing", row.name));
        }
        above = Some(row);
    }
    None
}

/// Puts a row that stands a blank further in than the device above it beside that one, as nothing stands below a device;
/// whether there was one.
fn straighten(rows: &mut [Row]) -> bool {
    let mut above: Option<(usize, bool)> = None;
    let mut is_crooked = false;
    for row in rows.iter_mut() {
        let is_device = row.state.is_some() && !is_group(&row.name) && above.is_some();
        if let Some((indent, true)) = above.filter(|(indent, _)| row.indent == indent + 1) {
            row.indent = indent;
            is_crooked = true;
        }
        above = Some((row.indent, is_device));
    }
    is_crooked
}

/// Gives rows that lost their indentation the one that their names suggest; why that cannot be.
pub(super) fn indent_by_names(rows: &mut [Row]) -> Option<String> {
    // Two disks and more of a pool stand in a group, or the row of one is missing.
    let is_grouped = |row: &Row| is_group(&row.name) && layout_of(&row.name) != Layout::Replacing;
    let data: Vec<&Row> = rows.iter().skip(1).take_while(|row| row.state.is_some()).collect();
    if data.len() > 1 && !data.into_iter().any(is_grouped) {
        return Some("without indentation and groups, how the disks stand together".to_owned());
    }
    let (mut group, mut inner, mut single) = (false, 0_u8, false);
    for (index, row) in rows.iter_mut().enumerate() {
        let heading = row.state.is_none() && class_of(&row.name).is_some();
        let layout = if is_group(&row.name) { layout_of(&row.name) } else { Layout::Leaf };
        row.indent = match layout {
            _ if index == 0 || heading => {
                (group, single) = (false, false);
                0
            }
            Layout::Replacing => {
                inner = 2;
                if group { 2 } else { 1 }
            }
            Layout::Leaf if inner > 0 => {
                inner -= 1;
                if group { 3 } else { 2 }
            }
            Layout::Leaf => {
                single |= !group;
                if group { 2 } else { 1 }
            }
            _ => {
                if single {
                    // The row of a group may have stood above them.
                    return Some(format!("without indentation, what stands above {}", row.name));
                }
                group = true;
                1
            }
        };
    }
    None
}
