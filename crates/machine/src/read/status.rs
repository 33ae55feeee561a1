//! `zpool status`: the tree of vdevs, states and errors of every pool.
//!
//! ```text
//!   pool: tank
//!  state: ONLINE
//!   scan: scrub repaired 0B in 02:11:04 with 0 errors
//! config:
//!         NAME          STATE   READ WRITE CKSUM
//!         tank          ONLINE     0     0     0     the pool: the level of NAME
//!           mirror-0    ONLINE     0     0     0     one level is two spaces
//!             sda1      ONLINE     0     0     0
//!         cache                                      a class: a word without a state
//!           nvme0n1p2   ONLINE     0     0     0
//! errors: No known data errors
//! ```
//!
//! Texts from forums may have lost their indentation: then names tell what is a group, and a leaf
//! belongs to the group above it.

use super::properties::pool_named;
use crate::machine::Machine;
use crate::nice;
use crate::pool::{Class, Layout, Vdev};
use crate::sources::Sources;

const TEXT: &str = "commands/zpool-status";
const STATES: [&str; 10] = [
    "ONLINE", "DEGRADED", "FAULTED", "OFFLINE", "UNAVAIL", "REMOVED", "AVAIL", "INUSE", "SPLIT",
    "HEALTHY",
];
const LABELS: [&str; 7] = ["pool", "id", "state", "status", "action", "scan", "errors"];

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(TEXT) else { return };
    let mut blocks = blocks(text);
    if blocks.is_empty() && !text.contains("no pools available") && !text.trim().is_empty() {
        machine.garbled(TEXT, "there is no line “pool: NAME”");
    }
    for block in &mut blocks {
        let problems = take(machine, block);
        for problem in problems {
            machine.garbled(TEXT, problem);
        }
    }
}

/// One pool's part of the output.
#[derive(Debug, Default)]
struct Block {
    fields: Vec<(String, String)>,
    /// Lines of `config:` with their number.
    config: Vec<(usize, String)>,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut in_config = false;
    for (index, line) in text.lines().enumerate() {
        let label = line.split_once(':').filter(|(label, _)| LABELS.contains(&label.trim()));
        // A path in `config` may hold a colon; a label stands at the line's beginning.
        if let Some((label, value)) = label.filter(|(label, _)| !in_config || label.len() < 8) {
            in_config = false;
            if label.trim() == "pool" {
                blocks.push(Block::default());
            }
            let field = (label.trim().to_owned(), value.trim().to_owned());
            if let Some(block) = blocks.last_mut() {
                block.fields.push(field);
            }
        } else if line.trim() == "config:" {
            in_config = true;
        } else if let Some(block) = blocks.last_mut() {
            if in_config {
                block.config.push((index + 1, line.replace('\t', "        ")));
            } else if let Some((_, value)) = block.fields.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        }
    }
    blocks
}

fn take(machine: &mut Machine, block: &Block) -> Vec<String> {
    let field = |label: &str| {
        let found = block.fields.iter().find(|(name, _)| name == label);
        found.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let Some(name) = field("pool") else {
        return vec!["a line “pool:” without a name".to_owned()];
    };
    let (vdevs, problems) = tree(&block.config);
    let pool = pool_named(&mut machine.pools, &name);
    pool.state = field("state").or_else(|| pool.state.take());
    pool.scan = field("scan");
    pool.status = field("status");
    pool.errors = field("errors");
    pool.vdevs = vdevs;
    problems
}

/// One line of the tree.
struct Row {
    indent: usize,
    name: String,
    state: Option<String>,
    errors: Option<[u64; 3]>,
}

/// Returns the top-level vdevs below the pool's own row, and what could not be read.
fn tree(config: &[(usize, String)]) -> (Vec<Vdev>, Vec<String>) {
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for (number, line) in config.iter().filter(|(_, line)| !line.trim().is_empty()) {
        match row(line) {
            Some(row) if row.name == "NAME" => {}
            Some(row) => rows.push(row),
            None => {
                problems.push(format!("line {number}: expected a vdev, found “{}”", line.trim()));
            }
        }
    }
    if rows.is_empty() {
        return (Vec::new(), problems);
    }
    let base = rows.iter().map(|row| row.indent).min().unwrap_or(0);
    if rows.iter().all(|row| row.indent == base) {
        indent_by_names(&mut rows);
    }
    (top_levels(&rows), problems)
}

fn row(line: &str) -> Option<Row> {
    let indent = line.len() - line.trim_start().len();
    let line = line.trim();
    if line.starts_with("NAME") && line.contains("STATE") {
        return Some(Row { indent, name: "NAME".to_owned(), state: None, errors: None });
    }
    // A file vdev's path may hold spaces: the name ends where a state stands.
    let mut from = 0;
    for word in line.split_whitespace() {
        let at = line.get(from..)?.find(word)? + from;
        from = at + word.len();
        if STATES.contains(&word) && at > 0 {
            let name = line.get(..at)?.trim_end().to_owned();
            let mut numbers = line.get(from..)?.split_whitespace().map(error_count);
            let errors =
                (numbers.next().flatten(), numbers.next().flatten(), numbers.next().flatten());
            let errors = match errors {
                (Some(read), Some(write), Some(checksum)) => Some([read, write, checksum]),
                _ => None,
            };
            return Some(Row { indent, name, state: Some(word.to_owned()), errors });
        }
    }
    class_of(line).map(|_| Row { indent, name: line.to_owned(), state: None, errors: None })
}

fn error_count(word: &str) -> Option<u64> {
    nice::binary(word).and_then(nice::whole)
}

/// Returns the class whose heading a word is.
pub(super) fn class_of(word: &str) -> Option<Class> {
    match word.trim() {
        "logs" | "log" => Some(Class::Log),
        "cache" | "l2cache" => Some(Class::Cache),
        "special" => Some(Class::Special),
        "dedup" => Some(Class::Dedup),
        "spares" | "spare" => Some(Class::Spare),
        _ => None,
    }
}

/// Returns how a vdev of that name is built: `raidz2-0`, `draid1:4d:6c:1s-0`, `mirror-3`.
pub(super) fn layout_of(name: &str) -> Layout {
    let kind = name.split(['-', ':']).next().unwrap_or_default();
    let parity = |kind: &str, start: &str| -> Option<u8> {
        match kind.strip_prefix(start)? {
            "" => Some(1),
            digits => digits.parse().ok().filter(|parity| (1..=3).contains(parity)),
        }
    };
    // A distributed spare is called `draid1-0-0`: three parts, and it is a leaf.
    let parts = name.split('-').count();
    match kind {
        "mirror" => Layout::Mirror,
        "replacing" | "spare" => Layout::Replacing,
        _ => match (parity(kind, "raidz"), parity(kind, "draid")) {
            (Some(parity), _) => Layout::Raidz { parity },
            (_, Some(parity)) if parts < 3 => Layout::Draid { parity },
            _ => Layout::Leaf,
        },
    }
}

/// Gives rows that lost their indentation the one that their names suggest.
fn indent_by_names(rows: &mut [Row]) {
    let (mut group, mut inner) = (false, 0_u8);
    for (index, row) in rows.iter_mut().enumerate() {
        let heading = row.state.is_none() && class_of(&row.name).is_some();
        let layout = layout_of(&row.name);
        row.indent = match layout {
            _ if index == 0 || heading => {
                group = false;
                0
            }
            Layout::Replacing => {
                inner = 2;
                if group { 4 } else { 2 }
            }
            Layout::Leaf if inner > 0 => {
                inner -= 1;
                if group { 6 } else { 4 }
            }
            Layout::Leaf => {
                if group {
                    4
                } else {
                    2
                }
            }
            _ => {
                group = true;
                2
            }
        };
    }
}

fn top_levels(rows: &[Row]) -> Vec<Vdev> {
    let base = rows.iter().map(|row| row.indent).min().unwrap_or(0);
    let mut class = Class::Data;
    let mut all: Vec<Vdev> = Vec::new();
    let mut rest = rows;
    while let Some((row, below)) = rest.split_first() {
        rest = below;
        if row.indent <= base {
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

/// Returns the vdev of `row` with what is indented below it, and the rows after that.
fn vdev<'a>(row: &Row, below: &'a [Row], class: Class) -> (Vdev, &'a [Row]) {
    let mut children = Vec::new();
    let mut rest = below;
    while let Some((next, after)) = rest.split_first().filter(|(next, _)| next.indent > row.indent)
    {
        let (child, remaining) = vdev(next, after, class);
        children.push(child);
        rest = remaining;
    }
    let layout = if children.is_empty() { Layout::Leaf } else { layout_of(&row.name) };
    let Row { name, state, errors, .. } = row;
    let vdev = Vdev {
        name: name.clone(),
        class,
        layout,
        state: state.clone(),
        errors: *errors,
        children,
        ..Vdev::default()
    };
    (vdev, rest)
}

#[cfg(test)]
mod tests;
