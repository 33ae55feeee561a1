//! Files and other objects by the blocks of them that are in use, from the list of dbufs.
//!
//! The list has what is used now or was last, not all that the ARC holds: a block that nobody uses leaves it for the ARC.

use std::collections::BTreeMap;

use arcwright_kstat::DbufColumns;
use arcwright_units::{Bytes, visible};
use schemars::JsonSchema;
use serde::Serialize;

/// Objects that are told apart; a list names some hundred thousand blocks.
const OBJECTS_MAX: usize = 200_000;
/// Rows of a table.
const ROWS_MAX: usize = 200;

/// The list, added up by object, line by line: it may be hundreds of megabytes.
#[derive(Debug, Default)]
pub struct ObjectTotals {
    columns: Option<DbufColumns>,
    objects: BTreeMap<(String, u64, u64), Totals>,
    blocks: u64,
    unread: u64,
    left_out: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    kind: Option<u64>,
    blocks: u64,
    bytes: u64,
    hits: Option<u64>,
    ghost_hits: Option<u64>,
    l2_hits: Option<u64>,
    /// Blocks of data and other blocks that the ARC holds, and their bytes in there.
    in_arc: [(u64, u64); 2],
}

/// Objects, those first whose blocks were asked for again after they had been evicted, then the largest.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ObjectTable {
    /// The objects that are listed.
    pub rows: Vec<ObjectRow>,
    /// How many there are beyond these.
    pub more: usize,
    /// Blocks in the list.
    pub blocks: u64,
    /// Lines of it that were not understood.
    pub unread: u64,
    /// Blocks of objects beyond those that are told apart.
    pub left_out: u64,
}

/// One file, directory, volume or other object.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ObjectRow {
    /// Its pool.
    pub pool: String,
    /// Its dataset, hidden characters written out; absent where its number has no name here.
    pub dataset: Option<String>,
    /// The number of its dataset.
    pub objset: u64,
    /// Its number in there, the inode's of a file.
    pub object: u64,
    /// Its path within the dataset; absent where it was not looked up.
    pub path: Option<String>,
    /// What it is: `file`, `directory`, `volume`, `dnodes`; absent where its type is another.
    pub kind: Option<&'static str>,
    /// Blocks in use.
    pub blocks: u64,
    /// Their bytes, uncompressed.
    pub bytes: u64,
    /// How often they were found in the ARC since they came there.
    pub hits: Option<u64>,
    /// How often they were asked for after they had been evicted: misses that a larger ARC would not have had.
    pub ghost_hits: Option<u64>,
    /// How often they came from an L2ARC.
    pub l2_hits: Option<u64>,
}

impl ObjectTotals {
    /// Takes a line of the list.
    pub fn line(&mut self, line: &str) {
        let Some(columns) = &self.columns else {
            self.columns = DbufColumns::parse(line);
            return;
        };
        if line.trim().is_empty() {
            return;
        }
        let Some(row) = columns.row(line) else {
            self.unread += 1;
            return;
        };
        self.blocks += 1;
        let key = (row.pool.to_owned(), row.objset, row.object);
        if self.objects.len() >= OBJECTS_MAX && !self.objects.contains_key(&key) {
            self.left_out += 1;
            return;
        }
        let object = self.objects.entry(key).or_default();
        let add = |sum: &mut Option<u64>, count: Option<u64>| {
            *sum = count.map(|count| count.saturating_add(sum.unwrap_or_default())).or(*sum);
        };
        object.kind = row.kind.or(object.kind);
        object.blocks += 1;
        object.bytes = object.bytes.saturating_add(row.size.0);
        add(&mut object.hits, row.hits);
        add(&mut object.ghost_hits, row.ghost_hits);
        add(&mut object.l2_hits, row.l2_hits);
        let is_data = row.level == Some(0) && row.object != 0;
        if let (Some(bytes), [others, data]) = (row.in_arc, &mut object.in_arc) {
            let (count, sum) = if is_data { data } else { others };
            *count += 1;
            *sum = sum.saturating_add(bytes.0);
        }
    }

    /// Returns the mean bytes that the ARC holds an object's blocks with, by the dataset's number and its own: of data, and
    /// of its other blocks; none where the list has none of them.
    #[must_use]
    pub fn sizes(&self, pool: &str) -> BTreeMap<(u64, u64), [Option<Bytes>; 2]> {
        let ours = self.objects.iter().filter(|((of, ..), _)| of == pool);
        let sizes = ours.map(|((_, objset, object), totals)| {
            let [others, data] =
                totals.in_arc.map(|(count, sum)| sum.checked_div(count).map(Bytes));
            ((*objset, *object), [data, others])
        });
        sizes.collect()
    }

    /// Whether the line of names was there, without which nothing was read.
    #[must_use]
    pub const fn is_list(&self) -> bool {
        self.columns.is_some()
    }

    /// Returns the objects of `pool`, or of all; `dataset` names a dataset of a pool by its number.
    #[must_use]
    pub fn table(
        &self,
        pool: Option<&str>,
        dataset: &dyn Fn(&str, u64) -> Option<String>,
    ) -> ObjectTable {
        let ours = self.objects.iter().filter(|((of, ..), _)| pool.is_none_or(|pool| pool == of));
        let mut rows: Vec<(&(String, u64, u64), &Totals)> = ours.collect();
        rows.sort_by_key(|(_, totals)| {
            std::cmp::Reverse((totals.ghost_hits.unwrap_or_default(), totals.bytes))
        });
        let more = rows.len().saturating_sub(ROWS_MAX);
        let row = |((pool, objset, object), totals): (&(String, u64, u64), &Totals)| ObjectRow {
            pool: visible(pool).into_owned(),
            dataset: dataset(pool, *objset).map(|name| visible(&name).into_owned()),
            objset: *objset,
            object: *object,
            path: None,
            kind: kind(*objset, totals.kind),
            blocks: totals.blocks,
            bytes: totals.bytes,
            hits: totals.hits,
            ghost_hits: totals.ghost_hits,
            l2_hits: totals.l2_hits,
        };
        ObjectTable {
            rows: rows.into_iter().take(ROWS_MAX).map(row).collect(),
            more,
            blocks: self.blocks,
            unread: self.unread,
            left_out: self.left_out,
        }
    }
}

/// Names types of objects; the numbers are part of the format on disk (`include/sys/dmu.h`).
const fn kind(objset: u64, kind: Option<u64>) -> Option<&'static str> {
    match (objset, kind) {
        (0, _) => Some("pool's own"),
        (_, Some(10)) => Some("dnodes"),
        (_, Some(19)) => Some("file"),
        (_, Some(20)) => Some("directory"),
        (_, Some(23)) => Some("volume"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::ObjectTotals;

    const NAMES: &str = "pool objset object dbsize | mru gmru mfu gmfu l2 | dtype";

    fn totals(lines: &[&str]) -> ObjectTotals {
        let mut totals = ObjectTotals::default();
        for line in ["dbuf | arcbuf | dnode", NAMES].iter().chain(lines) {
            totals.line(line);
        }
        totals
    }

    #[test]
    fn blocks_are_added_up_and_what_came_back_stands_first() {
        let totals = totals(&[
            "tank 81 7 4096 | 1 0 2 0 0 | 19",
            "tank 81 9 512 | 1 2 0 1 4 | 20",
            "tank 81 7 4096 | 5 0 0 0 0 | 19",
            "tank 0 1 512 | 5 0 0 0 0 | 9",
            "half a line",
        ]);
        let table =
            totals.table(None, &|_, objset| (objset == 81).then(|| "tank/a\u{1b}".to_owned()));
        let shown: Vec<_> = table
            .rows
            .iter()
            .map(|row| (row.object, row.kind, row.blocks, row.bytes, row.hits, row.ghost_hits))
            .collect();
        assert_eq!(
            shown,
            [
                (9, Some("directory"), 1, 512, Some(1), Some(3)),
                (7, Some("file"), 2, 8192, Some(8), Some(0)),
                (1, Some("pool's own"), 1, 512, Some(5), Some(0)),
            ]
        );
        assert_eq!(table.rows[0].dataset.as_deref(), Some("tank/a\\x1b"));
        assert_eq!((table.blocks, table.unread, table.more), (4, 1, 0));
        assert!(totals.table(Some("other"), &|_, _| None).rows.is_empty());
    }

    #[test]
    fn a_count_that_a_release_lacks_stays_unknown() {
        let mut totals = ObjectTotals::default();
        totals.line("pool objset object dbsize");
        totals.line("tank 81 7 4096");
        let table = totals.table(None, &|_, _| None);
        let row = &table.rows[0];
        assert_eq!((row.kind, row.hits, row.ghost_hits, row.l2_hits), (None, None, None, None));
        assert!(!ObjectTotals::default().is_list());
    }
}
