//! The line of `zpool status -D` about the table of deduplication.
//!
//! ```text
//! dedup: DDT entries 4096, size 512B on disk, 320B in core              up to 2.2: of one entry
//! dedup: DDT entries 4096, size 2.00M on disk, 1.25M in core            2.3+: of all of them
//! ```
//!
//! Up to 2.2 `ddt_get_dedup_object_stats` divides by the entries (`ddt_stats.c`, 2.1.11 and 2.2.7), from
//! 2.3 on it does not. Where the version is not known the size in memory tells: an entry takes some
//! hundred bytes. The row `Total` of the table below tells what is stored (DSIZE of `allocated`) and what
//! would be without it (DSIZE of `referenced`).

use arcwright_tunables::Version;
use arcwright_units::Bytes;

use crate::dedup::{DedupTable, DedupTables};
use crate::nicenum;
use crate::pool::Pool;

/// What one entry takes in memory at most, with room: `ddt_entry_t` has some 400 bytes.
pub(crate) const ENTRY_BYTES_MAX: u64 = 1024;
/// What one entry takes in memory at least.
const ENTRY_BYTES_MIN: u64 = 64;

/// What stands in the place of the line where only the table below it was pasted, which tells no sizes of entries.
pub(crate) const HISTOGRAM_ALONE: &str = "DDT histogram alone";

/// What stands in the place of `dedup` before the table of a simulation, which no command prints there.
pub(crate) const SIMULATED: &str = "simulated dedup";

/// Reads the tables from the lines of their fields; `is_total` says whether sizes are of the whole table, where that
/// is known.
pub(super) fn read_tables<'a>(
    lines: impl Fn(&str) -> Option<&'a [String]>,
    is_total: Option<bool>,
) -> DedupTables {
    let read = |label: &str| lines(label).and_then(|lines| read_all(lines, is_total));
    DedupTables { own: read("dedup"), simulated: read(SIMULATED) }
}

/// Adds tables to what is known of a pool.
pub(super) fn add(tables: DedupTables, pool: &mut Pool) {
    pool.dedup.own = both(tables.own, pool.dedup.own);
    pool.dedup.simulated = both(tables.simulated, pool.dedup.simulated);
}

/// Returns whether a version prints sizes of the whole table.
pub(super) fn is_total(version: Version) -> Option<bool> {
    Some(version >= Version::parse("2.3")?)
}

/// Reads the line and the table below it.
fn read_all(lines: &[String], is_total: Option<bool>) -> Option<DedupTable> {
    let (first, rest) = lines.split_first()?;
    let mut table = match first == HISTOGRAM_ALONE {
        true => DedupTable::default(),
        false => read(first, is_total)?,
    };
    table.unique = rest.iter().find_map(|line| unique(line));
    table.saved_by_rows = saved(rest);
    let total = rest.iter().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let sizes = total.into_iter().find_map(|words| match words.as_slice() {
        ["Total", blocks, _, _, allocated, _, _, _, referenced] => {
            // Rounded, and used where no exact number stands above.
            table.entries =
                table.entries.or_else(|| nicenum::binary(blocks).and_then(nicenum::whole));
            Some([*allocated, *referenced])
        }
        _ => None,
    });
    let bytes = |text: &str| nicenum::binary(text).and_then(nicenum::whole).map(Bytes);
    if let Some([Some(allocated), Some(referenced)]) = sizes.map(|sizes| sizes.map(bytes)) {
        (table.allocated, table.referenced) = (Some(allocated), Some(referenced));
    }
    Some(table)
}

/// Returns what two readings of one table say together, the first where both do.
fn both(one: Option<DedupTable>, other: Option<DedupTable>) -> Option<DedupTable> {
    let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
    let same = one.entries.is_none() || other.entries.is_none() || one.entries == other.entries;
    if !same {
        return Some(one);
    }
    Some(DedupTable {
        entries: one.entries.or(other.entries),
        entry_size_on_disk: one.entry_size_on_disk.or(other.entry_size_on_disk),
        entry_size_in_core: one.entry_size_in_core.or(other.entry_size_in_core),
        allocated: one.allocated.or(other.allocated),
        referenced: one.referenced.or(other.referenced),
        saved_by_rows: one.saved_by_rows.or(other.saved_by_rows),
        unique: one.unique.or(other.unique),
    })
}

/// Returns what is to be said where lines are of tables of different lengths: the first is used.
pub(super) fn another<'a>(lines: impl Iterator<Item = &'a String>) -> Option<String> {
    let mut entries = lines.filter_map(|line| read(line, None)?.entries);
    let first = entries.next()?;
    let other = entries.find(|entries| *entries != first)?;
    Some(format!(
        "a second table of deduplication, of {other} entries: the first, of {first}, is used"
    ))
}

/// Returns what the blocks that are referenced more than once save: each row tells what they take, and what they would take.
fn saved(lines: &[String]) -> Option<Bytes> {
    let bytes = |text: &str| nicenum::binary(text).and_then(nicenum::whole);
    let of_row = |line: &String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [bucket, _, _, _, allocated, _, _, _, referenced] = words.as_slice() else {
            return None;
        };
        let is_bucket = bucket.starts_with(|c: char| c.is_ascii_digit()) && *bucket != "1";
        is_bucket.then_some(())?;
        bytes(referenced)?.checked_sub(bytes(allocated)?)
    };
    let mut rows = lines.iter().filter_map(of_row).peekable();
    rows.peek()?;
    Some(Bytes(rows.fold(0, u64::saturating_add)))
}

/// Returns how many blocks the row of those that are referenced once tells of.
fn unique(line: &str) -> Option<u64> {
    const COLUMNS: usize = 9;
    let words: Vec<&str> = line.split_whitespace().take(COLUMNS + 1).collect();
    let [first, blocks, ..] = words.as_slice() else { return None };
    let is_row = *first == "1" && words.len() == COLUMNS;
    is_row.then(|| nicenum::binary(blocks).and_then(nicenum::whole))?
}

/// Reads the line; `is_total` says whether its sizes are of the whole table, where that is known.
pub(super) fn read(line: &str, is_total: Option<bool>) -> Option<DedupTable> {
    if line.starts_with("no DDT entries") {
        return Some(DedupTable { entries: Some(0), ..DedupTable::default() });
    }
    let mut parts = line.strip_prefix("DDT entries ")?.split(", ");
    let entries: u64 = parts.next()?.trim().parse().ok()?;
    let size = |text: &str| nicenum::binary(text.trim()).and_then(nicenum::whole);
    let on_disk = parts
        .next()
        .and_then(|part| size(part.trim().strip_prefix("size ")?.strip_suffix(" on disk")?));
    let in_core = parts.next().and_then(|part| size(part.trim().strip_suffix(" in core")?));
    // What has no unit was printed before sizes of the whole table were.
    let bare = line
        .strip_suffix(" in core")
        .is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
    let by_form = || bare.then_some(false);
    let by_size = || in_core.and_then(|bytes| told_by_size(bytes, entries));
    let is_total = is_total.or_else(by_size).or_else(by_form);
    let of_one = |bytes: Option<u64>| match is_total? {
        true => bytes?.checked_div(entries).map(Bytes),
        false => bytes.map(Bytes),
    };
    Some(DedupTable {
        entries: Some(entries),
        entry_size_on_disk: of_one(on_disk),
        entry_size_in_core: of_one(in_core),
        ..DedupTable::default()
    })
}

/// Returns whether a size in memory is that of all entries; none where it may be either.
fn told_by_size(bytes: u64, entries: u64) -> Option<bool> {
    let plausible = |bytes: u64| (ENTRY_BYTES_MIN..=ENTRY_BYTES_MAX).contains(&bytes);
    let all = bytes.checked_div(entries)?;
    match (plausible(bytes), plausible(all)) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        // One entry: both are the same.
        (true, true) if entries == 1 => Some(false),
        // A table whose entries were freed keeps its length (openzfs issue 5904); a share of it is no entry.
        (false, false) if all < ENTRY_BYTES_MIN && bytes > ENTRY_BYTES_MAX => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    fn check(line: &str, is_total: Option<bool>, expected: (u64, Option<u64>, Option<u64>)) {
        let table = read(line, is_total).unwrap();
        let bytes = |size: Option<arcwright_units::Bytes>| size.map(|bytes| bytes.0);
        let found = (bytes(table.entry_size_on_disk), bytes(table.entry_size_in_core));
        assert_eq!((table.entries, found), (Some(expected.0), (expected.1, expected.2)), "{line}");
    }

    #[test]
    fn sizes_of_an_entry_are_told_from_those_of_the_table() {
        let old = "DDT entries 1234567, size 512 on disk, 160 in core";
        check(old, None, (1_234_567, Some(512), Some(160)));
        check(old, Some(false), (1_234_567, Some(512), Some(160)));
        let of_all = "DDT entries 1048576, size 512M on disk, 320M in core, 64M cached (20.00%)";
        check(of_all, None, (1 << 20, Some(512), Some(320)));
        check(of_all, Some(true), (1 << 20, Some(512), Some(320)));
        check("DDT entries 3, size 1.5K on disk, 960B in core", None, (3, None, None));
        let swollen = "DDT entries 2261986, size 63529 on disk, 8239 in core";
        check(swollen, None, (2_261_986, Some(63529), Some(8239)));
        check(
            "DDT entries 3, size 1.5K on disk, 960B in core",
            Some(true),
            (3, Some(512), Some(320)),
        );
        check("DDT entries 1, size 2.34G on disk, 1.2G in core", None, (1, None, None));
        check(
            "DDT entries 4000000, size 30.0K on disk, 4.00K in core",
            None,
            (4_000_000, Some(30_720), Some(4096)),
        );
        check("no DDT entries", None, (0, None, None));
        check("DDT entries 5, size", None, (5, None, None));
        assert_eq!(read("what is it", None), None);
    }
}
