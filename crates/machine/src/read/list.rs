//! `zpool list` with its titles or without (`-H`), with vdevs (`-v`), with columns that somebody chose
//! (`-o`), and as JSON (2.3+): the space of pools and vdevs.
//!
//! Titles say which column is which; without them only the forms that known versions print are read:
//!
//! ```text
//!  7  NAME SIZE USED AVAIL CAP HEALTH ALTROOT                                   before deduplication
//!  8  NAME SIZE ALLOC FREE CAP DEDUP HEALTH ALTROOT                             0.6.0 to 0.6.3
//! 10  NAME SIZE ALLOC FREE EXPANDSZ FRAG CAP DEDUP HEALTH ALTROOT               0.6.4 to 0.7
//! 11  NAME SIZE ALLOC FREE CKPOINT EXPANDSZ FRAG CAP DEDUP HEALTH ALTROOT       0.8+
//! ```
//!
//! FreeBSD 10 had FRAG and EXPANDSZ the other way round, so without titles neither is read of ten. A
//! vdev's line is indented, or begins with a tab; where a forum took that away, it has no DEDUP.

mod titles;

use std::collections::BTreeMap;

use arcwright_units::{Bytes, visible};
use serde_json::Value;

use super::list_layout;
use super::properties::{plain, pool_named};
use super::status::{class_of, is_group, is_state};
use crate::machine::Machine;
use crate::nicenum;
use crate::pool::{Class, Pool, Space, Vdev, VdevNames};
use crate::sources::Sources;
pub(crate) use titles::{is_bare, is_rest, is_telling, titles};
use titles::{of_count, title};

pub(crate) const TEXT: &str = "commands/zpool-list";
const JSON: &str = "commands/zpool-list-json";
/// A size from which it is a count that fell below zero (2^64 less something): 4 EiB.
const WRAPPED: f64 = (1_u64 << 62) as f64;
/// Most rows that are read: each takes two kilobytes.
const ROWS_MAX: usize = 50_000;

/// A row: of a pool, or of a vdev in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) pool: String,
    /// Counts the titles above it: a later table is a later look.
    pub(super) table: usize,
    /// None for the pool's own row.
    pub(super) vdev: Option<String>,
    pub(super) class: Class,
    /// Cells by property, `-` left out.
    pub(super) cells: BTreeMap<String, String>,
}

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let (rows, strays) = rows_and_strays(sources.text(TEXT).unwrap_or_default());
    if let Some(stray) = strays.first() {
        let more = if strays.len() > 1 {
            format!(", and {} more rows", strays.len() - 1)
        } else {
            String::new()
        };
        machine.garbled(TEXT, format!("a row does not fit its titles: {}{more}", visible(stray)));
    }
    if rows.len() >= ROWS_MAX {
        machine.garbled(TEXT, format!("more than {ROWS_MAX} rows, the others are left out"));
    }
    let names: Vec<Option<String>> =
        (0..rows.len()).map(|at| numbered(machine, &rows, at)).collect();
    let mut of_vdevs: BTreeMap<&str, Vec<(&str, Space)>> = BTreeMap::new();
    for (row, name) in rows.iter().zip(&names) {
        let Some(known) = pool_named(&mut machine.pools, &row.pool) else { break };
        let space = space(&row.cells);
        match &row.vdev {
            None => {
                let health = row.cells.get("health").cloned();
                known.state = known.state.take().or(health);
                add_properties(&mut known.properties, &row.cells, space);
            }
            Some(vdev) => {
                let vdev = name.as_ref().unwrap_or(vdev);
                of_vdevs.entry(&row.pool).or_default().push((vdev, space));
            }
        }
    }
    for pool in &mut machine.pools {
        let Some(told) = of_vdevs.get(pool.name.as_str()) else { continue };
        let names = VdevNames::new(told.iter().map(|(name, _)| *name));
        pool.vdevs.iter_mut().for_each(|vdev| fill(vdev, &names, told));
    }
    list_layout::add(machine, &rows);
    call_out(machine, TEXT, &rows);
    if let Some(name) = torn(sources.text(TEXT).unwrap_or_default()) {
        machine.garbled(TEXT, format!("the text ends within the row of {name}"));
    }
    // Without a pool the tool prints nothing.
    if let Some(text) = sources.text(JSON).filter(|text| !text.trim().is_empty()) {
        match super::json(text) {
            Ok(json) => add_json(machine, &json),
            Err(error) => machine.garbled(JSON, error),
        }
    }
}

/// Returns the name of a group that an older list calls by its kind alone, `raidz1`: that of the group which is known to
/// have the first device below it.
fn numbered(machine: &Machine, rows: &[Row], at: usize) -> Option<String> {
    let row = rows.get(at)?;
    let kind = row.vdev.as_deref().filter(|kind| is_group(kind) && !kind.contains('-'))?;
    let below = rows.get(at + 1)?;
    let first = below.vdev.as_deref().filter(|_| below.pool == row.pool)?;
    let pool = machine.pools.iter().find(|pool| pool.name == row.pool)?;
    let has_first = |vdev: &&Vdev| vdev.leaves().iter().any(|leaf| leaf.name == first);
    let vdev = pool.vdevs.iter().find(has_first)?;
    vdev.name.starts_with(kind).then(|| vdev.name.clone())
}

/// Returns the rows of a text.
pub(super) fn rows(text: &str) -> Vec<Row> {
    rows_and_strays(text).0
}

/// Rows above a pool's own among which it is looked for again.
const AGAIN_MAX: usize = 256;

/// Returns the rows of a text, and lines below titles that they do not fit.
fn rows_and_strays(text: &str) -> (Vec<Row>, Vec<String>) {
    let (mut rows, mut strays): (Vec<Row>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut columns, mut base, mut class): (Vec<String>, Option<usize>, Class) =
        (Vec::new(), None, Class::Data);
    let (mut titled, mut table) = (false, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if rows.len() >= ROWS_MAX {
            break;
        }
        let indent = line.len() - line.trim_start().len();
        if let Some(found) = titles(line) {
            (columns, base, titled, table) = (found, Some(indent), true, table + 1);
            continue;
        }
        let cells: Vec<&str> = match line.contains('\t') {
            true => line.trim_start().split('\t').map(str::trim).collect(),
            false => line.split_whitespace().collect(),
        };
        let inner = indent > *base.get_or_insert(indent);
        if let Some(heading) = heading(&cells) {
            class = heading;
            continue;
        }
        if !titled && !inner {
            columns = of_count(cells.len()).unwrap_or_default();
        }
        if titled && is_rest(line) {
            // Titles that were broken go on; the rest of a row tells nothing that is needed.
            columns.extend(cells.iter().filter_map(|cell| title(cell)));
            continue;
        }
        let Some(cells) = by_property(&columns, &cells) else {
            strays.push(line.trim().to_owned());
            continue;
        };
        let Some(name) = cells.get("name").cloned() else { continue };
        let dedup =
            !columns.iter().any(|name| name == "dedupratio") || cells.contains_key("dedupratio");
        if !inner && dedup {
            class = Class::Data;
            // A pool that comes again begins another list, whose titles are missing.
            let is_again = |row: &Row| row.table == table && row.vdev.is_none() && row.pool == name;
            table += usize::from(rows.iter().rev().take(AGAIN_MAX).any(is_again));
            rows.push(Row { pool: name, table, vdev: None, class, cells });
        } else if let Some(pool) = rows.last().map(|row| row.pool.clone()) {
            rows.push(Row { pool, table, vdev: Some(name), class, cells });
        }
    }
    (latest(rows), strays)
}

/// Returns of each pool what its last table says, and what only those above say of the pool as a whole.
fn latest(rows: Vec<Row>) -> Vec<Row> {
    let mut wholes: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for row in &rows {
        match &row.vdev {
            None => {
                let told = row.cells.iter().map(|(name, cell)| (name.clone(), cell.clone()));
                let whole = wholes.entry(row.pool.clone()).or_default();
                // A row of all columns has “-” where there is nothing any more.
                if ["health", "size", "free"].iter().all(|name| row.cells.contains_key(*name)) {
                    ["expandsize", "checkpoint"].iter().for_each(|name| drop(whole.remove(*name)));
                }
                whole.extend(told);
            }
            Some(_) => drop(last.insert(row.pool.clone(), row.table)),
        }
    }
    let of_last = |mut row: Row| match row.vdev {
        None => {
            row.cells = wholes.remove(&row.pool)?;
            Some(row)
        }
        Some(_) => (last.get(&row.pool) == Some(&row.table)).then_some(row),
    };
    rows.into_iter().filter_map(of_last).collect()
}

/// Returns whose row a list ends within: the last line lacks columns that all rows of vdevs above it have.
fn torn(text: &str) -> Option<&str> {
    let count = |line: &str| line.split_whitespace().count();
    let mut vdevs =
        text.lines().rev().filter(|line| line.starts_with([' ', '\t']) && count(line) > 1);
    let last = vdevs.next().filter(|last| text.trim_end().ends_with(last.trim()))?;
    let fewest = vdevs.map(count).min()?;
    (count(last) < fewest).then(|| last.split_whitespace().next()).flatten()
}

/// Returns the class whose heading a row is: `cache  -  -  -`.
fn heading(cells: &[&str]) -> Option<Class> {
    let (name, rest) = cells.split_first()?;
    rest.iter().all(|cell| *cell == "-").then(|| class_of(name)).flatten()
}

/// Returns cells by their property; none where they are not what their titles say. A name may hold spaces where all others are
/// there; where the titles lack their last words, the cells behind those that are left are of no title.
fn by_property(columns: &[String], cells: &[&str]) -> Option<BTreeMap<String, String>> {
    let more = cells.len().saturating_sub(columns.len());
    let is_named = columns.first().is_some_and(|name| name == "name");
    let words = [Some(more).filter(|more| is_named && *more > 0), Some(0)];
    let with_name_of = |more: usize| {
        let name = cells.get(..=more).filter(|_| is_named).map(|parts| parts.join(" "));
        let rest = cells.iter().skip(more);
        let named =
            columns.iter().zip(rest).map(|(column, cell)| (column.clone(), (*cell).to_owned()));
        let mut cells: BTreeMap<String, String> =
            named.filter(|(column, cell)| !column.is_empty() && cell != "-").collect();
        cells.extend(name.map(|name| ("name".to_owned(), name)));
        cells
    };
    words
        .into_iter()
        .flatten()
        .map(with_name_of)
        .find(|cells| cells.iter().all(|(property, cell)| is_of(property, cell)))
}

/// Says whether a cell may be a property's.
fn is_of(property: &str, cell: &str) -> bool {
    let number = |end: char| cell.trim_end_matches(end).parse::<f64>().is_ok();
    match property {
        "size" | "allocated" | "free" | "checkpoint" | "expandsize" => {
            nicenum::binary(cell).is_some()
        }
        "capacity" | "fragmentation" => number('%'),
        "dedupratio" => number('x'),
        "health" => is_state(cell),
        _ => true,
    }
}

pub(super) fn space(cells: &BTreeMap<String, String>) -> Space {
    let bytes = |name: &str| {
        let bytes = cells.get(name).and_then(|text| nicenum::binary(text));
        bytes.filter(|bytes| *bytes < WRAPPED).and_then(nicenum::whole).map(Bytes)
    };
    Space {
        size: bytes("size"),
        allocated: bytes("allocated"),
        free: bytes("free"),
        fragmentation_pct: percent(cells, "fragmentation"),
    }
}

/// Calls out a size that no pool has, once per text.
pub(super) fn call_out(machine: &mut Machine, text: &str, rows: &[Row]) {
    let wrapped = |row: &Row| {
        // A device that is gone is called by its number, which is as large.
        let mut cells = row.cells.iter().filter(|(property, _)| *property != "name");
        let found =
            cells.find(|(_, value)| nicenum::binary(value).is_some_and(|n| n >= WRAPPED))?;
        let name = row.vdev.as_deref().unwrap_or(&row.pool);
        Some(format!(
            "not used: {} of {name}, {}, is impossible: a negative number shown as a very large one",
            found.0, found.1
        ))
    };
    if let Some(words) = rows.iter().find_map(wrapped) {
        machine.garbled(text, words);
    }
}

fn percent(cells: &BTreeMap<String, String>, name: &str) -> Option<u64> {
    cells.get(name)?.trim_end_matches('%').parse().ok()
}

/// A list pasted without `zpool get` still tells how full the pool is.
fn add_properties(
    properties: &mut BTreeMap<String, String>,
    cells: &BTreeMap<String, String>,
    space: Space,
) {
    let Space { size, allocated, free, fragmentation_pct } = space;
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            properties.entry(name.to_owned()).or_insert(value);
        }
    };
    let bytes = |bytes: Option<Bytes>| bytes.map(|bytes| bytes.0.to_string());
    add("size", bytes(size));
    add("allocated", bytes(allocated));
    add("free", bytes(free));
    add("fragmentation", fragmentation_pct.map(|pct| pct.to_string()));
    let full = allocated.zip(size).and_then(|(used, size)| percent_of(used.0, size.0));
    add("capacity", percent(cells, "capacity").or(full).map(|pct| pct.to_string()));
    let more =
        cells.get("expandsize").and_then(|text| nicenum::binary(text)).and_then(nicenum::whole);
    add("expandsize", more.map(|more| more.to_string()));
    let known = ["name", "size", "allocated", "free", "fragmentation", "capacity", "expandsize"];
    for (name, value) in cells.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
        add(name, Some(value.clone()));
    }
}

/// Returns how many percent of a size are used, rounded down as zpool(8) does.
///
/// Sizes of a table are cut to whole bytes: of 9.10 of 10 TiB a byte is missing to 91 %, which that is.
fn percent_of(used: u64, size: u64) -> Option<u64> {
    const MILLION: u128 = 1_000_000;
    let millionths = (u128::from(used) * MILLION).checked_div(u128::from(size))?;
    u64::try_from((millionths + 1) * 100 / MILLION).ok()
}

/// Takes how full pools are from the rows of `zpool iostat`, where no list told the size of any pool: its
/// values are rounded more, and beside a list they would only differ.
pub(super) fn add_fullness(machine: &mut Machine, rows: &[Row]) {
    let is_told =
        |pool: &Pool| ["capacity", "size"].iter().any(|name| pool.properties.contains_key(*name));
    if machine.pools.iter().any(is_told) {
        return;
    }
    for row in rows.iter().filter(|row| row.vdev.is_none()) {
        let Space { allocated, free, .. } = space(&row.cells);
        let (Some(used), Some(free)) = (allocated, free) else { continue };
        let all = used.0.checked_add(free.0);
        let full = all.and_then(|all| percent_of(used.0, all));
        let pool = machine.pools.iter_mut().find(|pool| pool.name == row.pool);
        if let (Some(pool), Some(full)) = (pool, full) {
            let told = [("capacity", full), ("allocated", used.0), ("free", free.0)];
            let told = told.map(|(name, value)| (name.to_owned(), value.to_string()));
            pool.properties.extend(told);
        }
    }
}

/// Gives a vdev and those below it what the last row of theirs tells.
fn fill(vdev: &mut Vdev, names: &VdevNames<'_>, told: &[(&str, Space)]) {
    let row = names.all(&vdev.name).max().and_then(|place| told.get(place));
    vdev.space = row.map(|(_, space)| *space).or(vdev.space);
    vdev.children.iter_mut().for_each(|child| fill(child, names, told));
}

/// Reads the JSON form, which knows no more than the text.
fn add_json(machine: &mut Machine, json: &Value) {
    let cells = |entry: &Value| -> BTreeMap<String, String> {
        let properties = entry.get("properties").and_then(Value::as_object).into_iter().flatten();
        let told =
            properties.filter_map(|(name, what)| Some((name.clone(), plain(what.get("value")?))));
        told.filter(|(_, value)| value != "-").collect()
    };
    for (key, entry) in json.get("pools").and_then(Value::as_object).into_iter().flatten() {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or(key);
        let Some(known) = pool_named(&mut machine.pools, name) else { break };
        let own = cells(entry);
        known.state = known.state.take().or_else(|| own.get("health").cloned());
        add_properties(&mut known.properties, &own, space(&own));
    }
}

#[cfg(test)]
mod tests;
