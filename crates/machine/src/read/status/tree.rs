//! From rows to vdevs, by indentation; and whether a line seems to be missing.
//!
//! ```text
//!         NAME          STATE   READ WRITE CKSUM
//!         tank          ONLINE     0     0     0     the pool: the level of NAME
//!           mirror-0    ONLINE     0     0     0     one level is two spaces
//!             sda1      ONLINE     0     0     0
//!         cache                                      a class: a word without a state
//!           nvme0n1p2   ONLINE     0     0     0
//! ```
//!
//! Texts from forums may have lost their indentation: then names tell what is a group, and a leaf
//! belongs to the group above it. A tree that lost a line would be another layout; where that shows
//! (a member without its group, a mirror of one) there is no layout rather than a wrong one.

use std::collections::BTreeSet;

use super::levels::{indent_by_names, levels};
use super::names::{class_of, is_group, layout_of, members_missing, swallowed};
use super::row::{self, Row, Titles};
use super::{ends, gaps, is_on_more_devices};
use crate::cut::is_left_out;
use crate::pool::{Class, Layout, Vdev};

/// What the rows of `config:` say.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// What the pool's own row calls it.
    pub(super) pool: Option<String>,
    /// The state in that row.
    pub(super) state: Option<String>,
    /// The errors in that row.
    pub(super) own_errors: Option<[u64; 3]>,
    /// Top-level vdevs; none where the layout is in doubt.
    pub(super) vdevs: Vec<Vdev>,
    /// The devices where it is in doubt.
    pub(super) strays: Vec<Vdev>,
    pub(super) problems: Vec<String>,
}

/// What is known of the text around the rows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Form {
    /// Nothing stands below them, so that their end may be torn off.
    pub(super) is_open: bool,
    /// They are of `zpool import`, which says no state of caches and spares.
    pub(super) is_offer: bool,
    /// The words above them are of a device that does not work.
    pub(super) is_ill: bool,
}

/// The state of a row that has none and is no heading.
const UNTOLD: &str = "";

/// Reads the rows; `pool` is what the pool is called, where that was said.
pub(super) fn read(config: &[(usize, String)], pool: Option<&str>, form: Form) -> Tree {
    let (mut rows, mut problems) = rows(config, form.is_offer);
    let Some(first) = rows.first() else { return Tree { problems, ..Tree::default() } };
    let own = Some(first).filter(|row| row.state.is_some() && !is_group(&row.name));
    let named = own.filter(|row| pool.is_none_or(|pool| pool == row.name));
    let mut tree = Tree {
        pool: own.map(|row| row.name.clone()),
        state: named.and_then(|row| row.state.clone()),
        own_errors: own.and_then(|row| row.errors),
        ..Tree::default()
    };
    let base = rows.iter().map(|row| row.indent).min().unwrap_or(first.indent);
    let flat =
        rows.len() > 1 && (rows.iter().all(|row| row.indent == base) || is_torn(&rows, base));
    let cut = config.iter().find(|(_, line)| is_left_out(line));
    let cut = cut.map(|(number, _)| format!("lines were left out at line {number}"));
    let mut doubt = pool_row(&rows, pool, flat);
    let is_around = doubt.is_none() && cut.is_some() && !flat;
    let around = is_around.then(|| gaps::around(&rows)).flatten();
    doubt = doubt.or(cut);
    if flat {
        doubt = doubt.or_else(|| indent_by_names(&mut rows));
    } else {
        doubt = doubt.or_else(|| levels(&mut rows, base));
    }
    if doubt.is_none() {
        let is_cut = form.is_open && !form.is_offer;
        let torn = ends::torn_off(config).filter(|_| is_cut);
        let vdevs = top_levels(&rows);
        doubt = torn.or_else(|| vdevs.iter().find_map(misfit)).or_else(|| swallowed(&vdevs));
        let hidden = || ends::hides_ill(tree.state.as_deref(), form.is_ill, &vdevs);
        doubt = doubt.or_else(|| hidden().filter(|_| is_cut));
        match doubt {
            None => tree.vdevs = vdevs,
            Some(_) if form.is_open => tree.strays = above_torn(vdevs),
            Some(_) => {}
        }
    }
    if let Some(why) = doubt {
        problems.push(format!("the layout is not known: {why}"));
        if let Some(around) = around {
            tree.strays = around;
        } else if tree.strays.is_empty() {
            tree.strays =
                rows.iter().filter(|row| is_device(row, tree.pool.as_deref())).map(leaf).collect();
        }
    }
    let above = |(heading, next): (&Row, Option<&Row>)| {
        let is_empty = next.is_none_or(|next| next.state.is_none());
        (heading.state.is_none() && is_empty).then(|| heading.name.clone())
    };
    let next = rows.iter().skip(1).map(Some).chain([None]);
    if let Some(heading) = rows.iter().zip(next).find_map(above) {
        problems.push(format!("no device stands below “{heading}”: a line seems to be missing"));
    }
    tree.problems = problems;
    tree
}

/// Returns the vdevs above a torn end, and the torn one with its members; none where another has lost a line too.
fn above_torn(mut vdevs: Vec<Vdev>) -> Vec<Vdev> {
    let Some(last) = vdevs.pop().filter(|_| !vdevs.iter().any(|vdev| misfit(vdev).is_some()))
    else {
        return Vec::new();
    };
    let class = last.class;
    let is_group_of = !matches!(last.layout, Layout::Leaf | Layout::Replacing);
    if is_group_of && last.children.iter().any(|child| !is_group(&child.name)) {
        vdevs.push(Vdev { is_cut: true, ..last });
        return vdevs;
    }
    let (end, above) = last.children.split_last().unwrap_or((&last, &[]));
    // A replacement whose both devices stand above the end is known too.
    let (kept, others) =
        above.iter().partition::<Vec<&Vdev>, _>(|child| child.layout == Layout::Replacing);
    vdevs.extend(kept.into_iter().map(|child| Vdev { class, ..child.clone() }));
    vdevs.extend(others.into_iter().flat_map(|child| devices_of(child, class)));
    vdevs.extend(devices_of(end, class));
    vdevs
}

/// Returns the devices below a vdev, or itself, as those of a class.
fn devices_of(vdev: &Vdev, class: Class) -> Vec<Vdev> {
    let devices = vdev.leaves().into_iter().filter(|leaf| !is_group(&leaf.name));
    devices.map(|leaf| Vdev { class, ..leaf.clone() }).collect()
}

/// Returns which columns of scripts (`-c`) are not read.
pub(super) fn scripted(config: &[(usize, String)]) -> Option<String> {
    let titles = config.iter().find_map(|(_, line)| row::titles(line))?;
    let columns: Vec<&str> = titles.scripted().collect();
    (!columns.is_empty())
        .then(|| format!("the columns {} of scripts are not read", columns.join(", ")))
}

/// Returns whether a row is of a device, wherever it belongs.
fn is_device(row: &Row, pool: Option<&str>) -> bool {
    row.state.is_some() && !is_group(&row.name) && pool != Some(row.name.as_str())
}

pub(super) fn leaf(row: &Row) -> Vdev {
    let Row { name, state, errors, slow_ios, note, .. } = row;
    Vdev {
        name: name.clone(),
        state: state.clone().filter(|state| state != UNTOLD),
        errors: *errors,
        slow_ios: *slow_ios,
        note: note.clone(),
        ..Vdev::default()
    }
}

fn rows(config: &[(usize, String)], is_offer: bool) -> (Vec<Row>, Vec<String>) {
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    let mut titles = Titles::default();
    let lines = config.iter().filter(|(_, line)| !line.trim().is_empty());
    let mut lines = lines.filter(|(_, line)| line.trim() != "config:").peekable();
    let mut is_after_cut = false;
    while let Some((number, line)) = lines.next() {
        if let Some(found) = row::titles(line) {
            titles = found;
            continue;
        }
        // What a removed vdev leaves behind has no device.
        if is_left_out(line) || is_on_more_devices(line) || row::is_indirect(line) {
            is_after_cut |= is_left_out(line);
            continue;
        }
        // `zpool import` says of a cache device or a spare only what it is called.
        let below_heading = is_offer
            && rows.last().is_some_and(|above: &Row| {
                let within = above.state.is_none() && class_of(&above.name).is_some();
                within || above.state.as_deref() == Some(UNTOLD)
            });
        if below_heading && line.split_whitespace().count() == 1 && class_of(line).is_none() {
            let indent = line.len() - line.trim_start().len();
            let (name, state) = (line.trim().to_owned(), Some(UNTOLD.to_owned()));
            rows.push(Row { indent, name, state, ..Row::default() });
            continue;
        }
        let heading = class_of(line).map(|_| Row {
            indent: line.len() - line.trim_start().len(),
            name: line.trim().to_owned(),
            ..Row::default()
        });
        // A long name may have been broken from its state.
        let broken =
            |next: &&(usize, String)| next.1.split_whitespace().next().is_some_and(row::is_state);
        let joined = || {
            let (_, next) = lines.next_if(|next| broken(next))?;
            row::read(&format!("{line} {}", next.trim()), &titles)
        };
        match row::read(line, &titles).or(heading).or_else(joined) {
            Some(row) => {
                let row = Row { is_after_cut: std::mem::take(&mut is_after_cut), ..row };
                if let Some(state) = row.state.as_deref().filter(|state| !row::is_state(state)) {
                    problems
                        .push(format!("line {number}: {} has the unknown state {state}", row.name));
                }
                rows.push(row);
            }
            None => {
                problems.push(format!("line {number}: expected a vdev, found “{}”", line.trim()));
            }
        }
    }
    (rows, problems)
}

/// Returns why the first row is not the pool's own.
fn pool_row(rows: &[Row], pool: Option<&str>, flat: bool) -> Option<String> {
    let (first, rest) = rows.split_first()?;
    let named = pool.is_none_or(|pool| pool == first.name) && first.state.is_some();
    // Somebody who hides the pool's name may do so in one place.
    let above = !flat && rest.first().is_none_or(|next| next.indent > first.indent);
    let is_pool = named || above && !is_group(&first.name) && first.state.is_some();
    (!is_pool).then(|| format!("the pool's own row is missing above {}", first.name))
}

/// Returns whether the indentation says nothing any more: a group stands where only the pool may.
fn is_torn(rows: &[Row], base: usize) -> bool {
    let group = |row: &Row| row.indent == base && row.state.is_some() && is_group(&row.name);
    rows.iter().skip(1).any(group)
}

fn top_levels(rows: &[Row]) -> Vec<Vdev> {
    let mut class = Class::Data;
    let mut all: Vec<Vdev> = Vec::new();
    let mut rest = rows;
    while let Some((row, below)) = rest.split_first() {
        rest = below;
        if row.indent == 0 {
            // The pool itself opens the list, headings of classes follow.
            class = class_of(&row.name).filter(|_| row.state.is_none()).unwrap_or(Class::Data);
            continue;
        }
        let (vdev, after) = vdev(row, below, class);
        rest = after;
        all.push(vdev);
    }
    all
}

/// Says whether rows stand so deep in each other as no tree of the tool does: a pool, its groups, replacements in them, spares
/// in these.
pub(super) fn is_too_deep(rows: &[Row]) -> bool {
    const INDENTS_MAX: usize = 8;
    let indents: BTreeSet<usize> = rows.iter().map(|row| row.indent).collect();
    indents.len() > INDENTS_MAX
}

/// Returns the vdev of `row` with what is indented below it, and the rows after that.
pub(super) fn vdev<'a>(row: &Row, below: &'a [Row], class: Class) -> (Vdev, &'a [Row]) {
    let mut children = Vec::new();
    let mut rest = below;
    let is_below = |next: &Row| next.indent > row.indent && !next.is_after_cut;
    while let Some((next, after)) = rest.split_first().filter(|(next, _)| is_below(next)) {
        let (child, remaining) = vdev(next, after, class);
        children.push(child);
        rest = remaining;
    }
    let layout = match children.is_empty() && !is_group(&row.name) {
        true => Layout::Leaf,
        false => layout_of(&row.name),
    };
    (Vdev { class, layout, children, ..leaf(row) }, rest)
}

/// Returns why a vdev cannot be what its row and those around it say.
pub(super) fn misfit(vdev: &Vdev) -> Option<String> {
    let Vdev { name, class, layout, children, .. } = vdev;
    let state = vdev.state.as_deref().unwrap_or_default();
    let is_untold = vdev.state.is_none() && *class == Class::Spare;
    let spare_state = matches!(state, "AVAIL" | "INUSE") || is_untold;
    let grouped = match class {
        Class::Cache | Class::Spare => *layout != Layout::Leaf,
        Class::Log => matches!(layout, Layout::Raidz { .. } | Layout::Draid { .. }),
        Class::Data | Class::Special | Class::Dedup => false,
    };
    let as_spare = (*class == Class::Spare) != spare_state
        && !(*class == Class::Spare && matches!(state, "FAULTED" | "UNAVAIL" | "REMOVED"));
    if grouped || as_spare {
        return Some(format!(
            "{name} cannot be a {} device: a line seems to be missing",
            class.name()
        ));
    }
    members_missing(name, *layout, children.len()).or_else(|| children.iter().find_map(misfit))
}
