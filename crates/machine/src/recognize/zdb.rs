//! Pasted `zdb`: the configuration (`-C`), the tables of deduplication (`-D`), blocks (`-b`), metaslabs (`-m`).
//!
//! What the traversal of all blocks ends with says how full the pool is, and what deduplication saves:
//!
//! ```text
//! bp allocated:  10663598383104      avg: 123461     compression:   0.77
//! bp deduped:                 0    ref>1:      0   deduplication:   1.00
//! Normal class:  10663598383104     used: 89.18%
//! ```

use super::clean::Line;
use super::prompt::Prompt;
use super::status::{NAME as STATUS, is_histogram};
use super::{Again, Taken, Text, joined};
use crate::nicenum;
use crate::read::status::{ENTRY_BYTES_MAX, HISTOGRAM_ALONE, SIMULATED};

/// How `zdb -S` begins.
const SIMULATION: &str = "Simulated DDT histogram:";
const PROPERTIES: &str = "commands/zpool-get";

/// Takes the configuration that `zdb` prints, or the lines of it with `ashift`.
pub(super) fn configuration(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let key = |line: &Line| line.text.trim().split_once(':').map(|(key, _)| key.to_owned());
    let first = lines.first()?.text.trim();
    let second = lines.get(1).map(|line| line.text.trim()).unwrap_or_default();
    let opens = matches!(
        first,
        "MOS Configuration:" | "Cached configuration:" | "Configuration for import:"
    ) || first.ends_with(':') && second.starts_with("version: ")
        || first.starts_with("ashift: ")
        || first.starts_with("version: ") && second.starts_with("name: '")
        // Somebody picked out one vdev.
        || first.starts_with("children[") && first.ends_with("]:") && second.starts_with("type: '");
    opens.then_some(())?;
    let is_key = |line: &&Line| {
        let word = |c: char| c.is_ascii_alphanumeric() || "_[].-:".contains(c);
        let key = key(line);
        key.is_some_and(|key| !key.is_empty() && key.chars().all(word) && key != "pool")
    };
    let titled = usize::from(first.ends_with(':'));
    let count = titled + lines.iter().skip(titled).take_while(is_key).count();
    let (name, text) = ("commands/zdb".to_owned(), joined(lines, count));
    Some(Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] })
}

/// Takes what `zdb -D` and `-DD` say of the tables of deduplication, as `zpool status -D` would, or a part of it:
/// `DDT-sha256-zap-unique: 2657 entries, size 271 on disk, 155 in core`.
pub(super) fn tables(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let is_opening = |text: &str| {
        table(text).is_some()
            || ratio(text).is_some()
            || text.starts_with("DDT histogram (")
            || text == SIMULATION
            || text.split_whitespace().eq(["bucket", "allocated", "referenced"])
    };
    is_opening(lines.first()?.text.trim()).then_some(())?;
    let is_part = |line: &&Line| is_opening(line.text.trim()) || is_histogram(&line.text);
    let count = lines.iter().take_while(is_part).count();
    let taken = lines.get(..count)?;
    let tables: Vec<[u64; 3]> = taken.iter().filter_map(|line| table(&line.text)).collect();
    let rows = taken.iter().filter(|line| is_histogram(&line.text));
    let mut rows: String = rows.map(|line| format!("{}\n", line.text)).collect();
    if rows.trim().is_empty() {
        // The tables of blocks that are referenced once have that in their names.
        let unique = taken.iter().filter(|line| line.text.contains("-unique: "));
        let unique: Vec<u64> =
            unique.filter_map(|line| table(&line.text)?.first().copied()).collect();
        let all = unique.iter().fold(0_u64, |all, one| all.saturating_add(*one));
        if !unique.is_empty() {
            rows = format!("     1  {all}  -  -  -  {all}  -  -  -\n");
        }
    }
    let name = pool(prompt);
    let mut texts = Vec::new();
    // `zdb -S` tells of the table that the pool would have, and of nothing that it has.
    if taken.iter().any(|line| line.text.trim() == SIMULATION) {
        let pool = if name.is_empty() { String::new() } else { format!("  pool: {name}\n") };
        let text = format!("{pool} {SIMULATED}: {HISTOGRAM_ALONE}\n\n{rows}\n");
        texts.push(Text { name: STATUS.to_owned(), text, again: Again::More });
        return Some(Taken { lines: count, texts });
    }
    if !tables.is_empty() || !rows.trim().is_empty() {
        let pool = if name.is_empty() { String::new() } else { format!("  pool: {name}\n") };
        let text = format!("{pool} dedup: {}\n\n{rows}\n", told(&tables));
        texts.push(Text { name: STATUS.to_owned(), text, again: Again::More });
    }
    let ratio = taken.iter().find_map(|line| ratio(&line.text));
    texts.extend(ratio.map(|ratio| property(name, "dedupratio", &format!("{ratio}x"))));
    Some(Taken { lines: count, texts })
}

/// Returns all tables together as one, as `zpool status -D` has it; without one nothing is known of its entries.
///
/// The sizes of a table are those of its object, divided by its entries: one whose entries were freed keeps its
/// length (openzfs issue 5904), and then they say nothing of an entry.
fn told(tables: &[[u64; 3]]) -> String {
    if tables.is_empty() {
        return HISTOGRAM_ALONE.to_owned();
    }
    let sum = |column: usize| {
        let all = tables.iter().filter_map(|table| table.get(column));
        all.fold(0_u64, |all, one| all.saturating_add(*one))
    };
    let entries = sum(0);
    let is_swollen = |table: &[u64; 3]| {
        let [entries, _, core] = *table;
        core.checked_div(entries).is_some_and(|core| core > ENTRY_BYTES_MAX)
    };
    if tables.iter().any(is_swollen) {
        return format!("DDT entries {entries}");
    }
    let [disk, core] = [1, 2].map(|column| sum(column).checked_div(entries).unwrap_or_default());
    format!("DDT entries {entries}, size {disk} on disk, {core} in core")
}

/// Returns the pool that the command names: `zdb -DD tank`; empty where it does not.
fn pool(prompt: &Prompt) -> &str {
    let plain = |name: &&String| {
        !name.starts_with('-')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    match prompt.arguments() {
        [program, .., name] if program.ends_with("zdb") && plain(&name) => name,
        _ => "",
    }
}

/// Returns a property of the pool; one without a name is of the only pool that was pasted.
fn property(pool: &str, name: &str, value: &str) -> Text {
    let text = format!("{pool}\t{name}\t{value}\t-\n");
    Text { name: PROPERTIES.to_owned(), text, again: Again::More }
}

/// Returns entries of a table, and what all of them take on disk and in memory.
fn table(line: &str) -> Option<[u64; 3]> {
    let (name, rest) = line.trim().split_once(": ")?;
    name.strip_prefix("DDT-")?;
    let (entries, rest) = rest.split_once(" entries")?;
    let rest = rest.trim_start_matches([',', ';']).trim().strip_prefix("size ")?;
    let (disk, rest) = rest.split_once(" on disk")?;
    let core = rest.trim_start_matches([',', ';']).trim().strip_suffix(" in core")?;
    let bytes = |text: &str| nicenum::binary(text).and_then(nicenum::whole);
    let entries: u64 = entries.parse().ok()?;
    Some([entries, entries.checked_mul(bytes(disk)?)?, entries.checked_mul(bytes(core)?)?])
}

/// Returns how much is saved, of `dedup = 1.07, compress = 1.00, copies = 1.00, …`.
fn ratio(line: &str) -> Option<&str> {
    let (ratio, rest) = line.trim().strip_prefix("dedup = ")?.split_once(", ")?;
    (rest.starts_with("compress = ") && is_ratio(ratio)).then_some(ratio)
}

/// Returns whether a text is a plain number: `1.07`, never `inf`.
fn is_ratio(text: &str) -> bool {
    const CHARS_MAX: usize = 16;
    let plain = text.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    plain && text.len() <= CHARS_MAX && text.parse::<f64>().is_ok()
}

/// Takes what `zdb -b` and `-m` print.
pub(super) fn blocks(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    is_of_blocks(&lines.first()?.text).then_some(())?;
    let is_filling = |text: &str| text.trim().chars().all(|c| matches!(c, '-' | ' '));
    let is_part = |line: &&Line| is_of_blocks(&line.text) || is_filling(&line.text);
    let mut count = lines.iter().take_while(is_part).count();
    let blank = |line: &&Line| is_filling(&line.text);
    count -= lines.get(..count)?.iter().rev().take_while(blank).count();
    let pool = pool(prompt);
    let told = lines.get(..count)?.iter().filter_map(|line| total(&line.text));
    let mut texts: Vec<Text> = told.map(|(name, value)| property(pool, name, &value)).collect();
    if texts.is_empty() {
        let (name, text) = ("commands/zdb-blocks".to_owned(), String::new());
        texts.push(Text { name, text, again: Again::More });
    }
    Some(Taken { lines: count, texts })
}

/// Returns the property that a total of `zdb -b` is.
fn total(line: &str) -> Option<(&'static str, String)> {
    let (label, rest) = line.trim().split_once(':')?;
    match label.trim() {
        // The class that holds contents; up to 0.7 there was no other.
        "Normal class" | "normal class" | "SPA allocated" => {
            let (_, used) = rest.split_once("used:")?;
            let used: f64 = used.trim().strip_suffix('%')?.parse().ok()?;
            let is_share = (0.0..=100.0).contains(&used);
            is_share.then(|| ("capacity", format!("{:.0}%", used.floor())))
        }
        "bp deduped" => {
            let (_, ratio) = rest.split_once("deduplication:")?;
            let ratio = ratio.trim();
            is_ratio(ratio).then(|| ("dedupratio", format!("{ratio}x")))
        }
        _ => None,
    }
}

/// Returns whether only these print such a line.
fn is_of_blocks(line: &str) -> bool {
    const BEGINS: [&str; 16] = [
        "Traversing all blocks",
        "loading concrete vdev ",
        "loading space map for vdev ",
        "No leaks (block sum matches",
        "block traversal size ",
        "bp count:",
        "ganged count:",
        "bp logical:",
        "bp physical:",
        "bp allocated:",
        "bp deduped:",
        "bp cloned:",
        "additional, non-pointer bps of type ",
        "Dittoed blocks ",
        "space map refcount mismatch:",
        "space map object ",
    ];
    let text = line.trim();
    let words: Vec<&str> = text.split_whitespace().take(8).collect();
    let metaslab = match words.as_slice() {
        ["Metaslabs:"] | ["metaslabs", _, "offset", "spacemap", "free"] => true,
        ["metaslab", number, "offset", ..] => number.parse::<u64>().is_ok(),
        ["vdev", number] => number.parse::<u64>().is_ok(),
        ["smp_length" | "smp_alloc", "=", value] => value.starts_with("0x"),
        ["On-disk", "histogram:", "fragmentation", ..] => true,
        [_, "completed", speed, "estimated", "time", ..] => speed.starts_with('('),
        ["Blocks", "LSIZE", "PSIZE", "ASIZE", ..] => true,
        // `41.4M  1.25T  1.02T  2.10T  51.9K    1.22    94.93    ZFS plain file`
        [sizes @ .., _] if sizes.len() >= 7 => {
            sizes.iter().take(5).all(|word| *word == "-" || nicenum::binary(word).is_some())
                && sizes
                    .iter()
                    .skip(5)
                    .take(2)
                    .all(|word| *word == "-" || word.parse::<f64>().is_ok())
                && words
                    .last()
                    .is_some_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
        }
        _ => false,
    };
    metaslab
        || total(text).is_some()
        || is_class(text)
        || BEGINS.iter().any(|begin| text.starts_with(begin))
}

/// Returns whether a line says how full a class of vdevs is: `Special class:  130678784  used:  0.14%`.
fn is_class(text: &str) -> bool {
    let label = text.split_once(':').map(|(label, _)| label.trim());
    label.is_some_and(|label| label.ends_with(" class"))
        && text.contains(" used:")
        && text.ends_with('%')
}

#[cfg(test)]
mod tests;
