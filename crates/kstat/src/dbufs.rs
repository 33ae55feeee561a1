//! The raw list of dbufs: blocks that are being used or were used last, each with what its ARC header counted.
//!
//! A line for each dbuf, below a line of column names; releases have added columns in between, so that they are found by
//! their names. Source: `module/zfs/dbuf_stats.c`, 0.7 to 2.4; the columns are on docs/model/counters.md.

use arcwright_units::Bytes;

/// Where the columns are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DbufColumns {
    count: usize,
    pool: usize,
    objset: usize,
    object: usize,
    size: usize,
    kind: Option<usize>,
    hits: [Option<usize>; 2],
    ghost_hits: [Option<usize>; 2],
    l2_hits: Option<usize>,
    level: Option<usize>,
    in_arc: Option<usize>,
}

/// One block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DbufRow<'a> {
    /// Its pool.
    pub pool: &'a str,
    /// The number of its dataset; 0 is the pool's own.
    pub objset: u64,
    /// The number of its file or other object in there; 0 are dnodes.
    pub object: u64,
    /// Its size, uncompressed.
    pub size: Bytes,
    /// The number of the object's type (`dtype`): 19 a file's contents, 20 a directory's, 23 a volume's.
    pub kind: Option<u64>,
    /// How often it was found in the ARC since its header was made.
    pub hits: Option<u64>,
    /// How often it was asked for after it had been evicted.
    pub ghost_hits: Option<u64>,
    /// How often it came from an L2ARC.
    pub l2_hits: Option<u64>,
    /// How far from the data it is: 0 is data.
    pub level: Option<u64>,
    /// The bytes that the ARC holds it with, which may be compressed.
    pub in_arc: Option<Bytes>,
}

impl DbufColumns {
    /// Reads the line of column names; none where a line is another.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let names: Vec<&str> = line.split_whitespace().collect();
        let place = |name: &str| names.iter().position(|other| *other == name);
        Some(Self {
            count: names.len(),
            pool: place("pool").filter(|place| *place == 0)?,
            objset: place("objset")?,
            object: place("object")?,
            size: place("dbsize")?,
            kind: place("dtype"),
            hits: [place("mru"), place("mfu")],
            ghost_hits: [place("gmru"), place("gmfu")],
            l2_hits: place("l2"),
            level: place("level"),
            in_arc: place("asize"),
        })
    }

    /// Reads a line; none where it is not whole.
    #[must_use]
    pub fn row<'a>(&self, line: &'a str) -> Option<DbufRow<'a>> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // A pool's name may have blanks.
        let more = fields.len().checked_sub(self.count)?;
        let number =
            |place: usize| fields.get(place + more).and_then(|text| text.parse::<u64>().ok());
        let sum = |places: [Option<usize>; 2]| {
            let counts = places.into_iter().flatten().filter_map(number);
            counts.reduce(u64::saturating_add)
        };
        let last = fields.get(self.pool + more)?;
        let end = usize::checked_sub(last.as_ptr() as usize, line.as_ptr() as usize)? + last.len();
        Some(DbufRow {
            pool: line.get(..end)?.trim(),
            objset: number(self.objset)?,
            object: number(self.object)?,
            size: Bytes(number(self.size)?),
            kind: self.kind.and_then(number),
            hits: sum(self.hits),
            ghost_hits: sum(self.ghost_hits),
            l2_hits: self.l2_hits.and_then(number),
            level: self.level.and_then(number),
            // None has no buffer at the moment.
            in_arc: self.in_arc.and_then(number).filter(|bytes| *bytes > 0).map(Bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{DbufColumns, DbufRow};
    use arcwright_units::Bytes;

    const NAMES: &str = "pool             objset   object   level    blkid    offset     dbsize   usize    meta  state dbholds dbc | list  atype flags     count  asize    access       mru    gmru   mfu    gmfu   l2     l2_dattr l2_asize l2_comp  aholds | dtype  btype  data_bs  meta_bs  bsize  lvls   dholds blocks   dsize";
    const LINE: &str = "tank             81       128      0        3        393216     131072   512      0     4     1       0   | 1     1     0x8b6d  1      131072   4294938      5      2      7      1      3      0        0        0        1      | 19     44     131072   131072   512    2      1      8        8";

    #[test]
    fn columns_are_found_by_their_names() {
        let columns = DbufColumns::parse(NAMES).unwrap();
        let expected = DbufRow {
            pool: "tank",
            objset: 81,
            object: 128,
            size: Bytes::kib(128),
            kind: Some(19),
            hits: Some(12),
            ghost_hits: Some(3),
            l2_hits: Some(3),
            level: Some(0),
            in_arc: Some(Bytes::kib(128)),
        };
        assert_eq!(columns.row(LINE), Some(expected.clone()));
        let old = NAMES.replace("usize    ", "").replace("dbc ", "");
        let columns = DbufColumns::parse(&old).unwrap();
        let line = LINE
            .replace("131072   512      0     4     1       0  ", "131072   0     4     1      ");
        assert_eq!(columns.row(&line), Some(expected));
    }

    #[test]
    fn a_pool_may_have_blanks_in_its_name() {
        let columns = DbufColumns::parse(NAMES).unwrap();
        let line = LINE.replace("tank ", "my old tank ");
        let row = columns.row(&line).unwrap();
        assert_eq!((row.pool, row.objset, row.object), ("my old tank", 81, 128));
    }

    #[test]
    fn what_is_no_line_of_the_list_is_none() {
        for line in ["", "dbuf | arcbuf | dnode", "objset object dbsize pool", "pool objset object"]
        {
            assert_eq!(DbufColumns::parse(line), None, "{line}");
        }
        let columns = DbufColumns::parse(NAMES).unwrap();
        for line in ["", "tank 81 128", NAMES, &LINE[..LINE.len() / 2]] {
            assert_eq!(columns.row(line), None, "{line}");
        }
    }
}
