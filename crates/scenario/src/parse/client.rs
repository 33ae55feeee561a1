//! One client of a phase, or several alike.

use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Action, Client, Durability, Link, Pattern};

use super::files::Contents;
use super::section::Section;
use super::tree::{Kind, Node};
use crate::error::Checked;

/// What a client can do; exactly one of them is its first key.
const ACTIONS: [&str; 9] =
    ["read", "write", "sync-write", "mixed", "tree-stat", "tree-read", "tree-copy", "fio", "trace"];
pub(crate) const KEYS: [&str; 24] = [
    "read",
    "write",
    "sync-write",
    "mixed",
    "tree-stat",
    "tree-read",
    "tree-copy",
    "fio",
    "trace",
    "io",
    "io_max",
    "depth",
    "sync",
    "fsync",
    "scan_first",
    "pattern",
    "zipf",
    "amount",
    "start",
    "think",
    "rate",
    "link",
    "read_pct",
    "count",
];
const PATTERNS: [(&str, Pattern); 5] = [
    ("sequential", Pattern::Sequential),
    ("sequential-apart", Pattern::SequentialApart),
    ("random", Pattern::Random),
    ("shuffled", Pattern::Shuffled),
    ("zipf", Pattern::Zipf { exponent: 1.0 }),
];
/// No program asks for more at once.
const IO_MAX: Bytes = Bytes::gib(1);
/// Most requests that one client keeps under way.
const DEPTH_MAX: u64 = 1024;
/// Most clients of one phase.
pub(crate) const CLIENTS_MAX: u64 = 1024;
/// Most clients of all phases.
pub(crate) const CLIENTS_OF_ALL_PHASES_MAX: usize = 65_536;

/// Returns whether an entry of `clients` has a key: that of a job file, or of a trace.
pub(crate) fn has(node: &Node, key: &str) -> bool {
    matches!(&node.kind, Kind::Table(entries) if entries.iter().any(|entry| entry.name == key))
}

/// Reads one entry of `clients` and adds as many clients as it says.
pub(crate) fn read(node: &Node, contents: &Contents, clients: &mut Vec<Client>) -> Checked<()> {
    let section = node.section("a client", &KEYS)?;
    let (action, file) = action(&section, contents)?;
    let count = section.maybe("count", Node::whole_above_zero)?.unwrap_or(1);
    if count > CLIENTS_MAX || clients.len() as u64 + count > CLIENTS_MAX {
        let place = section.get("count").unwrap_or(node);
        return Err(place.fault(format!("a phase has at most {CLIENTS_MAX} clients")));
    }
    let client = Client {
        durability: durability(&section, &action)?,
        depth: depth(&section, &action)?,
        pattern: pattern(&section, &action)?,
        action,
        file,
        more_files: Vec::new(),
        label: None,
        io: section.maybe("io", io)?.unwrap_or(Bytes::kib(128)),
        io_max: io_max(&section)?,
        amount: section.maybe("amount", Node::size_above_zero)?,
        start: section.maybe("start", Node::time)?.unwrap_or(Nanos::ZERO),
        think: section.maybe("think", Node::time)?.unwrap_or(Nanos::ZERO),
        rate: section.maybe("rate", Node::rate)?,
        link: section.maybe("link", link)?,
    };
    clients.extend((0..count).map(|_| client.clone()));
    Ok(())
}

fn action(section: &Section<'_>, contents: &Contents) -> Checked<(Action, String)> {
    let named = |entry: &&Node| ACTIONS.contains(&entry.name.as_str());
    let mut found = section.entries().iter().filter(named);
    let Some(node) = found.next() else {
        let fault = section.fault("this client does nothing");
        return Err(fault.help(format!("it needs one of: {}", ACTIONS.join(", "))));
    };
    if let Some(second) = found.next() {
        let message = format!("a client does one thing, “{}” or “{}”", node.name, second.name);
        return Err(second.fault(message).help("write two clients instead"));
    }
    let name = node.name_text()?;
    let action = match node.name.as_str() {
        "read" => Action::Read,
        "write" | "sync-write" => Action::Write,
        "mixed" => Action::Mixed { read_pct: read_pct(section)? },
        "tree-stat" => Action::TreeStat,
        "tree-read" => Action::TreeRead,
        "tree-copy" => {
            let scan_first = section.maybe("scan_first", Node::flag)?.unwrap_or(false);
            Action::TreeCopy { scan_first }
        }
        // Traces are read elsewhere.
        _ => Action::Fio { job: name.to_owned() },
    };
    if let Some(share) = section.get("read_pct")
        && !matches!(action, Action::Mixed { .. })
    {
        return Err(share.fault("“read_pct” is only for “mixed” clients"));
    }
    if let Some(scan) = section.get("scan_first")
        && !matches!(action, Action::TreeCopy { .. })
    {
        return Err(scan.fault("“scan_first” is only for “tree-copy” clients"));
    }
    match action {
        Action::Fio { .. } => Ok((action, String::new())),
        _ if action.is_on_tree() => known_tree(node, name, contents).map(|file| (action, file)),
        _ => known_file(node, name, contents).map(|file| (action, file)),
    }
}

/// Reads when the client waits for stable storage.
fn durability(section: &Section<'_>, action: &Action) -> Checked<Durability> {
    let sync = section.maybe("sync", Node::flag)?.unwrap_or(false);
    let fsync = section.maybe("fsync", Node::whole_above_zero)?;
    let is_sync_write = section.get("sync-write").is_some();
    if let Some(node) = section.get("fsync").or_else(|| section.get("sync"))
        && !action.writes()
    {
        return Err(node.fault(format!("“{}” is only for clients that write", node.name)));
    }
    match (sync || is_sync_write, fsync, section.get("fsync")) {
        (true, Some(_), Some(node)) => {
            Err(node.fault("every write is synchronous already, so “fsync” has no effect"))
        }
        (true, _, _) => Ok(Durability::EachWrite),
        (false, Some(count), _) => Ok(Durability::Every(u32::try_from(count).unwrap_or(u32::MAX))),
        (false, None, _) => Ok(Durability::Later),
    }
}

/// Reads how many requests are under way at once.
fn depth(section: &Section<'_>, action: &Action) -> Checked<u32> {
    let Some(node) = section.get("depth") else { return Ok(1) };
    if action.is_on_tree() {
        return Err(node
            .fault("a client processes a tree file by file")
            .help("write count = … instead"));
    }
    depth_of(node)
}

/// Reads a number of requests under way.
pub(super) fn depth_of(node: &Node) -> Checked<u32> {
    let depth = node.whole_above_zero()?;
    if depth > DEPTH_MAX {
        return Err(node.must(&format!("not be above {DEPTH_MAX}")));
    }
    Ok(u32::try_from(depth).unwrap_or(1))
}

/// Reads the largest request, which is a multiple of the smallest.
fn io_max(section: &Section<'_>) -> Checked<Option<Bytes>> {
    let Some(node) = section.get("io_max") else { return Ok(None) };
    let least = section.maybe("io", io)?.unwrap_or(Bytes::kib(128));
    let most = io(node)?;
    if most < least || !most.0.is_multiple_of(least.0) {
        return Err(node.must(&format!("be a multiple of “io”, {least}")));
    }
    Ok(Some(most))
}

fn read_pct(section: &Section<'_>) -> Checked<u8> {
    let node = section.need("read_pct", "read_pct = 70")?;
    let share = u8::try_from(node.whole()?).ok().filter(|share| *share <= 100);
    share.ok_or_else(|| node.must("be from 0 to 100"))
}

fn known_file(node: &Node, name: &str, contents: &Contents) -> Checked<String> {
    if contents.files.iter().any(|file| file.name == name) {
        return Ok(name.to_owned());
    }
    if contents.trees.iter().any(|tree| tree.name == name) {
        let fault = node.fault(format!("“{name}” is a tree, but “{}” needs a file", node.name));
        return Err(fault.help(format!("write tree-copy = \"{name}\"")));
    }
    let known: Vec<&str> = contents.files.iter().map(|file| file.name.as_str()).collect();
    Err(node.fault(format!("no [[file]] is called “{name}”")).nearest(name, &known))
}

fn known_tree(node: &Node, name: &str, contents: &Contents) -> Checked<String> {
    if contents.trees.iter().any(|tree| tree.name == name) {
        return Ok(name.to_owned());
    }
    let known: Vec<&str> = contents.trees.iter().map(|tree| tree.name.as_str()).collect();
    Err(node.fault(format!("no [[tree]] is called “{name}”")).nearest(name, &known))
}

fn io(node: &Node) -> Checked<Bytes> {
    let size = node.size_above_zero()?;
    if size <= IO_MAX { Ok(size) } else { Err(node.must(&format!("not be above {IO_MAX}"))) }
}

fn pattern(section: &Section<'_>, action: &Action) -> Checked<Pattern> {
    let chosen = section.maybe("pattern", |node| node.choice(&PATTERNS))?;
    let exponent = section.maybe("zipf", Node::number_above_zero)?;
    if let (Some(Pattern::Zipf { .. }), Some(node)) = (chosen, section.get("pattern"))
        && action.is_on_tree()
    {
        let fault = node.fault("a client that walks a tree visits all files equally");
        return Err(fault.help("write pattern = \"random\" for the order of hashes"));
    }
    match (chosen.unwrap_or(Pattern::Sequential), exponent, section.get("zipf")) {
        (Pattern::Zipf { .. }, Some(exponent), _) => Ok(Pattern::Zipf { exponent }),
        (_, _, Some(node)) => {
            let fault = node.fault("“zipf” is only for the zipf pattern");
            Err(fault.help("add pattern = \"zipf\""))
        }
        (pattern, _, None) => Ok(pattern),
    }
}

pub(crate) fn link(node: &Node) -> Checked<Link> {
    let section = node.section("a link", &["rate", "round_trip"])?;
    Ok(Link {
        rate: section.need("rate", "rate = \"1Gbit/s\"")?.rate()?,
        round_trip: section.maybe("round_trip", Node::time)?.unwrap_or(Nanos::ZERO),
    })
}
