//! Where texts belong, whatever folder people copied them from.
//!
//! Our own archives, `/proc/spl/kstat/zfs` with or without the folders above it, several such trees
//! (`before/`, `after/`) and files named after commands all end in the names that [`Sources`] has.

use std::collections::BTreeMap;

use arcwright_machine::{Source, Sources};

/// What may stand at the root of a tree of sources.
const ROOTS: [&str; 14] = [
    "proc",
    "sys",
    "etc",
    "boot",
    "usr",
    "lib",
    "run",
    "var",
    "modes",
    "commands",
    "links",
    "markers",
    "manifest.json",
    "home",
];
/// The folders above are taken off as long as there is but one; deeper than this nobody nests.
const DEPTH_MAX: usize = 8;
const KSTATS: &str = "proc/spl/kstat/zfs/";
/// Folders above copies of kstats.
const KSTATS_DEPTH_MAX: usize = 32;

/// Files that people make from commands, by part of their name without its ending.
const COMMANDS: [(&str, &str); 12] = [
    ("zpool-status", "commands/zpool-status"),
    ("zpool-list", "commands/zpool-list"),
    ("zpool-get", "commands/zpool-get"),
    ("zfs-get", "commands/zfs-get"),
    ("lsblk", "commands/lsblk"),
    ("uname", "commands/uname"),
    ("zfs-version", "commands/zfs-version"),
    ("meminfo", "proc/meminfo"),
    ("os-release", "etc/os-release"),
    ("mounts", "proc/mounts"),
    ("cmdline", "proc/cmdline"),
    ("geom-disk-list", "commands/geom-disk-list"),
];

/// Brings texts to the names of sources; what no name tells stays to be recognised by its content.
pub(crate) fn arrange(texts: Vec<(String, Source)>) -> (Sources, Vec<(String, String)>) {
    let mut texts: Vec<(String, Source)> =
        texts.into_iter().map(|(name, text)| (tidy(&name), text)).collect();
    for _ in 0..DEPTH_MAX {
        if !strip_folder(&mut texts) {
            break;
        }
    }
    place_kstats(&mut texts);
    let (mut sources, mut others) = (Sources::default(), Vec::new());
    for (name, text) in texts {
        match (known(&name), text) {
            (Some(name), text) => {
                sources.texts.insert(name, text);
            }
            (None, Source::Text(text)) => others.push((name, text)),
            (None, unreadable) => {
                sources.texts.insert(name, unreadable);
            }
        }
    }
    (sources, others)
}

fn tidy(name: &str) -> String {
    let parts = name.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.collect::<Vec<_>>().join("/")
}

/// Takes off the one folder that all names begin with, unless it is one of ours.
fn strip_folder(texts: &mut [(String, Source)]) -> bool {
    // What could not be read, a folder beside the tree, does not say where the tree begins.
    let read = texts.iter().filter(|(_, source)| matches!(source, Source::Text(_)));
    let mut firsts = read.map(|(name, _)| name.split_once('/').map(|(first, _)| first));
    let Some(Some(folder)) = firsts.next() else { return false };
    if is_root(folder) || folder == "zfs" || !firsts.all(|first| first == Some(folder)) {
        return false;
    }
    let above = format!("{folder}/");
    for (name, _) in texts.iter_mut() {
        if let Some(rest) = name.strip_prefix(&above) {
            *name = rest.to_owned();
        }
    }
    true
}

/// Returns whether a folder stands at the root of a tree of sources.
#[must_use]
pub fn is_root(folder: &str) -> bool {
    ROOTS.contains(&folder) || folder.starts_with("sample-")
}

/// Brings copies of the kstat folder to where they belong: one sample for each, oldest first.
fn place_kstats(texts: &mut [(String, Source)]) {
    let folders: Vec<(u64, String)> = texts
        .iter()
        .filter_map(|(name, text)| {
            let folder = name.strip_suffix("arcstats")?;
            let placed = folder.starts_with(KSTATS) || folder.starts_with("sample-");
            let whole = folder.is_empty() || folder.ends_with('/');
            let Source::Text(text) = text else { return None };
            (whole && !placed).then(|| (snaptime(text), folder.to_owned()))
        })
        .collect();
    let mut folders = folders;
    folders.sort();
    let several = folders.len() > 1;
    let numbers: BTreeMap<String, usize> =
        folders.into_iter().zip(0..).map(|((_, folder), number)| (folder, number)).collect();
    for (name, _) in texts.iter_mut() {
        let Some((number, rest)) = kstats_folder(name, &numbers) else { continue };
        let sample = if several { format!("sample-{number}/") } else { String::new() };
        *name = format!("{sample}{KSTATS}{rest}");
    }
}

/// Returns the number of the oldest folder of kstats that a file belongs to, and its name below it. Each of
/// the folders above the file is looked up once, however many folders there are.
fn kstats_folder<'a>(name: &'a str, numbers: &BTreeMap<String, usize>) -> Option<(usize, &'a str)> {
    let ends = name.match_indices('/').map(|(slash, _)| slash + 1).take(KSTATS_DEPTH_MAX);
    let within = std::iter::once(0).chain(ends).filter_map(|end| {
        let (folder, rest) = name.split_at_checked(end)?;
        let number = *numbers.get(folder)?;
        // The machine's other files may lie beside `proc`: only what is below is of this sample.
        let is_other =
            is_root(rest.split('/').next().unwrap_or_default()) || looks_like_command(rest);
        (!is_other).then_some((number, rest))
    });
    within.min_by_key(|(number, _)| *number)
}

/// The kernel's time at which a kstat was read, the last number of its first line.
fn snaptime(text: &str) -> u64 {
    let first = text.lines().next().unwrap_or_default();
    first.split_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn looks_like_command(name: &str) -> bool {
    name.ends_with(".txt")
        || name.ends_with(".log")
        || name.ends_with(".json")
        || name.ends_with(".md")
}

/// Returns the name of a text that its path tells.
fn known(name: &str) -> Option<String> {
    let first = name.split('/').next()?;
    if is_root(first) {
        return Some(name.to_owned());
    }
    let file = name.rsplit('/').next()?;
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem).replace(['_', ' '], "-");
    let command = COMMANDS.iter().find(|(part, _)| stem == *part).map(|(_, name)| *name)?;
    // “zpool-status.json” is another form of the same.
    let json = file.ends_with(".json")
        && ["zpool-status", "zpool-get", "zfs-get"].contains(&stem.as_str());
    Some(if json { format!("{command}-json") } else { command.to_owned() })
}

/// Returns how many texts there are below each first folder, for an error.
pub(crate) fn summary(texts: &[(String, Source)]) -> String {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in texts {
        *folders.entry(name.split('/').next().unwrap_or_default()).or_default() += 1;
    }
    let words = folders.iter().take(4).map(|(folder, count)| format!("{folder} ({count})"));
    words.collect::<Vec<_>>().join(", ")
}
