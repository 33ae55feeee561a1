//! The catalogue itself: data files embedded in the program, read once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use arcwright_units::{likeness, nearest_by};
use serde::Deserialize;

use crate::Entry;

const TEXTS: [&str; 10] = [
    include_str!("../catalogue/arc.toml"),
    include_str!("../catalogue/l2arc.toml"),
    include_str!("../catalogue/dbuf.toml"),
    include_str!("../catalogue/zfetch.toml"),
    include_str!("../catalogue/dio.toml"),
    include_str!("../catalogue/zil.toml"),
    include_str!("../catalogue/write.toml"),
    include_str!("../catalogue/vdev.toml"),
    include_str!("../catalogue/metaslab.toml"),
    include_str!("../catalogue/memory.toml"),
];

/// A test reads every file, so that none is ever left out here for being malformed.
static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| TEXTS.iter().flat_map(|text| read(text).unwrap_or_default()).collect());

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    family: String,
    tunable: Vec<Entry>,
}

fn read(text: &str) -> Result<Vec<Entry>, toml::de::Error> {
    let File { family, tunable } = toml::from_str::<File>(text)?;
    Ok(tunable.into_iter().map(|entry| Entry { family: family.clone(), ..entry }).collect())
}

/// Returns every parameter, grouped by subsystem.
#[must_use]
pub fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// Returns the parameter called `name`, be it the Linux name or one of the FreeBSD names.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static Entry> {
    static BY_NAME: LazyLock<BTreeMap<&str, &Entry>> = LazyLock::new(|| {
        let mut by_name = BTreeMap::new();
        for entry in entries() {
            for name in entry.names() {
                by_name.entry(name).or_insert(entry);
            }
        }
        by_name
    });
    BY_NAME.get(name).copied()
}

/// Returns the known name most like `name`; none when nothing is alike.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    nearest_of(name, &|_| true)
}

/// Returns the known name most like `name` among the entries that `fit`.
pub(crate) fn nearest_of(name: &str, fit: &dyn Fn(&Entry) -> bool) -> Option<&'static str> {
    let sorted = sorted_words(name);
    let known = entries().iter().filter(|entry| fit(entry)).flat_map(Entry::names);
    nearest_by(known, |known| alike((name, &sorted), known))
}

/// Returns how alike two names are, where a forgotten `zfs_` or another order of words counts little;
/// none when they are not a slip of the finger apart. The first comes with its words sorted.
fn alike((name, sorted): (&str, &str), known: &str) -> Option<f64> {
    const ALIKE: f64 = 0.8;
    let bare = known.strip_prefix("zfs_").unwrap_or(known);
    let score = |one: &str, other: &str, less: f64| {
        likeness(one, other, ALIKE + less).map(|score| score - less)
    };
    let reordered = score(sorted, &sorted_words(known), 0.02);
    [score(name, known, 0.0), score(name, bare, 0.01), reordered]
        .into_iter()
        .flatten()
        .max_by(f64::total_cmp)
}

fn sorted_words(name: &str) -> String {
    let mut words: Vec<&str> = name.split(['_', '.']).collect();
    words.sort_unstable();
    words.join("_")
}

#[cfg(test)]
mod against_modules;
#[cfg(test)]
mod tests;
