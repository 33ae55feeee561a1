//! `zpool status`: the tree of vdevs, states and errors of every pool.
//!
//! ```text
//!   pool: tank
//!  state: ONLINE
//!   scan: scrub repaired 0B in 02:11:04 with 0 errors
//! config:
//!         NAME          STATE   READ WRITE CKSUM      the tree: see `tree.rs`
//!         tank          ONLINE     0     0     0
//! errors: No known data errors
//!
//!  dedup: DDT entries 4, size 512B on disk, 320B in core      with -D
//! ```
//!
//! A label begins a field, what follows belongs to it. A text without its first lines is read as well:
//! the pool's own row names it.

mod all_well;
mod before;
mod block;
mod damage;
mod dedup;
mod ends;
mod gaps;
mod levels;
mod names;
mod order;
mod picked;
mod progress;
mod row;
mod since;
mod tree;

pub(crate) use dedup::{ENTRY_BYTES_MAX, HISTOGRAM_ALONE, SIMULATED};
pub(crate) use names::class_of;
pub(crate) use names::is_group;
pub(super) use names::{layout_of, members_missing};
pub use row::is_state;
pub(crate) use row::{is_row, is_titles, is_torn};

use super::properties::pool_named;
use crate::dedup::DedupTables;
use crate::machine::Machine;
use crate::nicenum;
use crate::pool::{Offer, Pool, UNNAMED_POOL, tells_of_ill};
use crate::sources::Sources;
use block::Block;
use damage::{common_pool, damage};

const TEXT: &str = "commands/zpool-status";
/// The heading of what Oracle's Solaris says of devices below the tree.
pub(crate) const DETAILS: &str = "device details:";
/// What stands before a command, or a line about a scan, that came after the output about a pool.
pub(crate) const SINCE: &str = "since:";
/// What stands before a command there that no prompt shows to have been typed.
pub(crate) const WRITTEN: &str = "written: ";
/// What stands there before a command that hangs in the kernel.
pub(crate) const HANGS: &str = "hangs: ";
/// What stands there before how far a scan is.
pub(crate) const PROGRESS: &str = "progress: ";
/// What stands before the time of a mail whose status stands below.
pub(crate) const MAILED: &str = "mailed:";
/// Rows of it that were pasted alone.
pub(crate) const ROWS: &str = "commands/zpool-status-rows";
/// What a field of `zpool status` may be called; `scrub` is what tools before 2010 called `scan`.
pub const LABELS: [&str; 15] = [
    "pool",
    "id",
    "state",
    "status",
    "action",
    "see",
    "comment",
    "scan",
    "scrub",
    "remove",
    "checkpoint",
    "expand",
    "errors",
    "dedup",
    dedup::SIMULATED,
];

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    collect_text(sources, machine);
    picked::collect(sources, machine);
}

fn collect_text(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(TEXT) else { return };
    let healthy = all_well::take(machine, text);
    let mut blocks = blocks(text);
    order::by_scan(&mut blocks);
    let says_none = text.contains("no pools available") || text.trim().is_empty();
    if blocks.is_empty() && !says_none && !healthy {
        machine.garbled(TEXT, "there is no line “pool: NAME”");
    }
    for block in &blocks {
        for problem in take(machine, block) {
            machine.garbled(TEXT, problem);
        }
        for words in &block.since {
            since::add(machine, words);
        }
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut in_config, mut in_details) = (false, false);
    let mut mailed: Option<String> = None;
    for (index, line) in text.lines().enumerate() {
        // What Oracle's Solaris says of each device once more, below the tree, has labels of its own.
        in_details |= line.trim() == DETAILS;
        let ends = |label: &str| line.trim_start().starts_with(label);
        if let Some(time) = line.strip_prefix(MAILED) {
            mailed = Some(time.trim().to_owned());
            (in_config, in_details) = (false, false);
            continue;
        }
        if let Some(words) = line.strip_prefix(SINCE) {
            blocks.extend(Some(Block::default()).filter(|_| blocks.is_empty()));
            if let Some(block) = blocks.last_mut() {
                block.since.push(words.trim().to_owned());
            }
            (in_config, in_details) = (false, false);
            continue;
        }
        in_details &= !["errors:", "pool:", "dedup:"].into_iter().any(ends);
        if in_details {
            continue;
        }
        let label = line.split_once(':').filter(|(label, _)| LABELS.contains(&label.trim()));
        let bare = line.trim_start().starts_with("DDT entries ");
        let label = label.or(bare.then_some(("dedup", line)));
        // A path in `config` may hold a colon; a label stands at the line's beginning.
        if let Some((label, value)) = label.filter(|(label, _)| !in_config || label.len() < 12) {
            in_config = false;
            let label = label.trim();
            // The line “pool:” of this one is missing when another state follows, or what stands above a list stands below one.
            let is_head = ["state", "status", "action", "scan", "scrub"].contains(&label);
            let another = blocks.last().is_none_or(|last| {
                label == "state" && last.has("state") || is_head && last.has_devices()
            });
            if label == "pool" || another {
                blocks.push(Block { mailed: mailed.take(), ..Block::default() });
            }
            // `  pool: tank     id: 6815`, two lines that became one.
            let (value, id) = match value.split_once(" id: ").filter(|_| label == "pool") {
                Some((value, id)) => (value, Some(("id".to_owned(), vec![id.trim().to_owned()]))),
                None => (value, None),
            };
            let field = (label.to_owned(), vec![value.trim().to_owned()]);
            if let Some(block) = blocks.last_mut() {
                block.fields.extend(std::iter::once(field).chain(id));
            }
        } else if line.trim() == "config:" || is_titles(line) {
            // A second table below the first is of another pool, whose first lines are missing.
            if blocks.last().is_none_or(|block| is_titles(line) && block.has_devices()) {
                blocks.push(Block::default());
            }
            in_config = true;
            if let Some(block) = blocks.last_mut() {
                block.config.push((index + 1, line.replace('\t', "        ")));
            }
        } else if let Some(block) = blocks.last_mut() {
            if in_config {
                block.config.push((index + 1, line.replace('\t', "        ")));
            } else if let Some((_, lines)) = block.fields.last_mut() {
                lines.extend(Some(line.trim().to_owned()).filter(|line| !line.is_empty()));
            }
        }
    }
    blocks
}

/// Notes a text of no pool: it is of the only one there is, or of another, and what was said of that one may be over.
fn nameless(machine: &mut Machine) -> Vec<String> {
    if let [pool] = machine.pools.as_mut_slice() {
        take_words(pool, &Block::default());
        pool.errors_beside.lacks_lines = true;
    }
    vec!["there is no line “pool: NAME”".to_owned()]
}

fn take(machine: &mut Machine, block: &Block) -> Vec<String> {
    let tables =
        dedup::read_tables(|label| block.lines(label), machine.zfs.and_then(dedup::is_total));
    if block.is_of_dedup() {
        let name = only_pool(machine);
        if let Some(pool) = pool_named(&mut machine.pools, &name) {
            dedup::add(tables, pool);
        }
        return block.other_table().into_iter().collect();
    }
    if block.is_tail() {
        return tail(machine, block, tables);
    }
    let told = block.field("pool");
    let form = tree::Form {
        is_open: !block.has("errors"),
        is_offer: block.has("id"),
        is_ill: block.field("status").as_deref().is_some_and(tells_of_ill),
    };
    let tree = tree::read(&block.config, told.as_deref(), form);
    let mut problems = tree.problems;
    problems.extend(tree::scripted(&block.config));
    problems.extend(block.other_table());
    let only = || (machine.pools.len() == 1 && block.config.is_empty()).then(|| only_pool(machine));
    let Some(name) = told.clone().or(tree.pool).or_else(only) else {
        return nameless(machine);
    };
    if told.is_none() {
        problems.push(format!("the line “pool: {name}” is missing"));
    }
    let offer = offer(block);
    let lacks_lines = !problems.is_empty() || lacks_fields(block, offer.is_some());
    let Some(pool) = pool_named(&mut machine.pools, &name) else { return Vec::new() };
    if let Some(why) = offer.as_ref().and_then(|offer| another(pool, offer)) {
        return vec![why];
    }
    // A second text that ends before its devices and finds the pool as it was says less than the first, and may be cut in a word.
    let is_known = !pool.vdevs.is_empty() || !pool.strays.is_empty();
    let lacks_devices = tree.vdevs.is_empty() && tree.strays.is_empty();
    let differs = |state: &String| is_state(state) && Some(state) != pool.state.as_ref();
    let is_other = block.field("state").as_ref().is_some_and(differs);
    if is_known && lacks_devices && block.config.is_empty() && !is_other {
        return vec![again(pool, block)];
    }
    // The pool's own row has its state too.
    let told = match block.field("state").map(|state| state.replace(" (DESTROYED)", "")) {
        Some(state) if !is_state(&state) => {
            problems.push(format!("the state “{state}” of {name} is not known"));
            None
        }
        told => told,
    };
    let state_before = pool.state.take();
    pool.state = told.or(tree.state).or_else(|| state_before.clone());
    pool.offer = offer;
    pool.errors_beside.lacks_lines |= lacks_lines;
    pool.errors_beside.own = tree.own_errors;
    take_words(pool, block);
    dedup::add(tables, pool);
    if pool.offer.is_none() {
        before::remember(pool);
        before::notice_again(pool, &tree.vdevs);
    }
    pool.errors_beside.begin_anew();
    pool.errors_beside.mailed.clone_from(&block.mailed);
    // A later text that ends before the devices says how the pool is, not what it is made of; how they were is known of a
    // pool that is as it was.
    let is_same = state_before == pool.state;
    if !is_known || !lacks_devices || !is_same {
        pool.vdevs = tree.vdevs;
        pool.strays = tree.strays;
    }
    problems
}

/// Takes what a second text that names no devices says of a pool: how its scan ended, and what is damaged by now.
fn again(pool: &mut Pool, block: &Block) -> String {
    since::of_scan(pool, block.field("scan").as_deref());
    if block.errors().len() > 1 {
        damage::take(pool, block.errors());
    }
    format!("a second text about {} has no devices: they are those of the other one", pool.name)
}

/// Returns whether a line is missing that stands in every text about a pool: its state, the titles of its tree, what is
/// damaged. `zpool import` has the tree without titles, and says nothing of damage.
fn lacks_fields(block: &Block, is_offer: bool) -> bool {
    let is_titled = || block.config.iter().any(|(_, line)| row::titles(line).is_some());
    // A reason and what to do about it stand together.
    let is_torn = block.has("action") != block.has("status");
    let has_end = is_offer || block.has("errors") && is_titled();
    is_torn || !block.has("state") || !has_end
}

/// Takes what a block says of a pool in words.
fn take_words(pool: &mut Pool, block: &Block) {
    let scan = block.field("scan").or_else(|| block.field("scrub"));
    pool.scan = scan.map(|words| nicenum::with_points(&words));
    pool.status = block.field("status");
    pool.action = block.field("action");
    pool.expansion = block.field("expand");
    let errors = block.errors();
    pool.errors = errors.first().filter(|line| !line.is_empty()).cloned();
    damage::take(pool, errors);
}

/// Returns what `zpool import` says of a pool: it tells its number, which `zpool status` does not.
fn offer(block: &Block) -> Option<Offer> {
    let id = block.field("id")?;
    let is_destroyed = block.field("state").is_some_and(|state| state.ends_with("(DESTROYED)"));
    let lacks_devices = block.config.iter().any(|(_, line)| is_on_more_devices(line));
    Some(Offer { id, is_destroyed, lacks_devices })
}

/// Returns why an offered pool is another one than that of its name: the first is kept, or the one in use.
fn another(known: &Pool, offer: &Offer) -> Option<String> {
    let is_new = known.state.is_none() && known.vdevs.is_empty();
    let same = known.offer.as_ref().is_some_and(|known| known.id == offer.id);
    let what = if offer.is_destroyed { "a destroyed pool" } else { "another pool" };
    let name = &known.name;
    (!is_new && !same).then(|| format!("{what} is called {name} too: it is left out"))
}

/// Returns whether a line below the tree of `zpool import` says that there are more devices.
pub(crate) fn is_on_more_devices(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("Additional devices are known to be part of this pool")
        || line.ends_with("configuration cannot be determined.")
}

/// Takes the end of a pool's output, whose first lines are missing: what is damaged says which pool it is of,
/// where it names datasets. That nothing is damaged there is of a pool that nobody can name.
fn tail(machine: &mut Machine, block: &Block, tables: DedupTables) -> Vec<String> {
    let errors = block.errors();
    let (count, damaged) = damage(errors);
    let is_damaged = !damaged.is_empty() || errors.iter().any(|line| line.starts_with("Permanent"));
    let told = block.field("pool").or_else(|| common_pool(&damaged));
    let name = told.unwrap_or_else(|| only_pool(machine));
    let expansion = block.field("expand");
    if !is_damaged && tables == DedupTables::default() && expansion.is_none() {
        return Vec::new();
    }
    let Some(pool) = pool_named(&mut machine.pools, &name) else { return Vec::new() };
    dedup::add(tables, pool);
    pool.expansion = expansion.or_else(|| pool.expansion.take());
    let is_named = block.field("pool").is_some();
    if is_damaged || is_named && !errors.is_empty() {
        pool.errors = errors.first().cloned();
        (pool.data_errors, pool.damaged) = (count, damaged);
    }
    // The table alone is what zdb prints.
    let is_whole = !is_damaged && pool.expansion.is_none();
    if is_whole { Vec::new() } else { vec![format!("the first lines about {name} are missing")] }
}

/// What a pool is called whose name was not read, as in commands.
pub(crate) const UNNAMED: &str = UNNAMED_POOL;

/// Returns the name of the only pool that was read, or the word that stands for one in commands.
pub(super) fn only_pool(machine: &Machine) -> String {
    match machine.pools.as_slice() {
        [pool] => pool.name.clone(),
        _ => UNNAMED.to_owned(),
    }
}

#[cfg(test)]
mod tests;
