//! What `zdb -Lbbbs POOL` counts: how much of a pool is metadata, and how much lies in small blocks.
//!
//! ```text
//! Blocks  LSIZE   PSIZE   ASIZE     avg    comp   %Total  Type
//!   100K   3.1G    800M    2.5G     26K    4.00     0.50  DMU dnode
//!  12.1K   193M   48.2M    145M   12.0K    4.01     0.03      L1 ZFS plain file
//!  3.83M   490G    488G    488G    128K    1.00    99.47      L0 ZFS plain file
//!  3.84M   490G    488G    488G    128K    1.00    99.50  ZFS plain file
//! ...
//!   block   psize                lsize                asize
//!    size   Count   Size   Cum.  Count   Size   Cum.  Count   Size   Cum.
//!     4K:  2.63M  11.6G  15.6G   963K  5.31G  9.25G      0      0      0
//! ```
//!
//! Figures for people have three digits, so metadata is added up from its own rows and not what is left of all.
//!
//! Source: `dump_block_stats`, cmd/zdb/zdb.c, `OpenZFS` 0.8 (types and levels), 2.0 (sizes) to 2.4. Everything that is no
//! contents of a file or a volume (level 0) goes to a special vdev; `special_small_blocks` compares the size that a
//! block has on disk (psize).

use arcwright_units::{Bytes, visible};
use schemars::JsonSchema;
use serde::Serialize;

/// Types with contents; their rows above level 0 are metadata, as all others are.
const CONTENTS: [&str; 2] = ["ZFS plain file", "zvol object"];
/// The row of all metadata, in releases that have it.
const METADATA: &str = "Metadata Total";
/// Cells before the type of a row.
const CELLS: usize = 7;

/// What a pool consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Blocks {
    /// Metadata, with all its copies.
    pub metadata: Bytes,
    /// Contents of files and volumes, with copies or parity.
    pub contents: Bytes,
    /// Blocks up to a size, metadata among them; smallest first, empty where the sizes were not listed.
    pub small: Vec<SmallBlocks>,
}

/// Blocks up to a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SmallBlocks {
    /// The largest of them.
    pub largest: Bytes,
    /// What they take together, one copy of each.
    pub together: Bytes,
}

/// Why a text is no statistics of blocks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlocksError {
    /// There is no table.
    #[error(
        "no table of blocks (a head with LSIZE, PSIZE and ASIZE) in it; zdb -Lbbbs POOL prints one"
    )]
    NoTable,
    /// The table does not tell levels.
    #[error("the table does not tell levels (L0, L1); zdb -Lbbbs POOL does, with three b")]
    NoLevels,
    /// The sum is missing: the table is torn off.
    #[error("the table has no row “Total”: its end is missing")]
    NoTotal,
    /// A figure that is none.
    #[error("line {line}: “{cell}” is no size")]
    NoSize {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        cell: String,
    },
    /// Figures that contradict each other.
    #[error("line {line}: contents of {contents} in a pool of {total}")]
    Absurd {
        /// The line, from 1.
        line: usize,
        /// Contents so far.
        contents: Bytes,
        /// The sum.
        total: Bytes,
    },
}

impl Blocks {
    /// Reads what zdb printed, in numbers for people or exact ones (`-P`).
    ///
    /// # Errors
    /// [`BlocksError`] with the line.
    pub fn parse(text: &str) -> Result<Self, BlocksError> {
        let mut lines = text.lines().enumerate();
        let is_head =
            |line: &str| ["LSIZE", "PSIZE", "ASIZE"].iter().all(|word| line.contains(word));
        if !lines.any(|(_, line)| is_head(line)) {
            return Err(BlocksError::NoTable);
        }
        let mut sums = Sums::default();
        for (number, line) in lines.by_ref() {
            // The table ends where its rows do.
            if line.trim().is_empty() {
                break;
            }
            if let Some((allocated, kind)) = row(line) {
                sums.add(number + 1, allocated, &kind)?;
            }
        }
        let Sums { contents, metadata, has_levels, .. } = sums;
        let (line, total) = sums.total.ok_or(BlocksError::NoTotal)?;
        if !has_levels {
            return Err(BlocksError::NoLevels);
        }
        // Rounded figures may be larger by half of their last digit.
        if contents.0 > total.0 / 100 * 101 {
            return Err(BlocksError::Absurd { line, contents, total });
        }
        let metadata = sums.own.unwrap_or(metadata);
        let small = lines.filter_map(|(_, line)| up_to(line)).collect();
        Ok(Self { metadata, contents, small })
    }

    /// Returns what would lie on a special vdev with `special_small_blocks` up to so much, at most; none where the sizes
    /// of blocks were not listed.
    #[must_use]
    pub fn on_special(&self, small_blocks: Bytes) -> Option<Bytes> {
        if small_blocks == Bytes::ZERO {
            return Some(self.metadata);
        }
        let small = self.small.iter().rfind(|row| row.largest <= small_blocks)?;
        Some(Bytes(self.metadata.0.saturating_add(small.together.0)))
    }
}

/// What the rows add up to.
#[derive(Debug, Default)]
struct Sums {
    contents: Bytes,
    metadata: Bytes,
    has_levels: bool,
    /// The row of all blocks, with its line.
    total: Option<(usize, Bytes)>,
    /// The row of all metadata.
    own: Option<Bytes>,
}

impl Sums {
    fn add(&mut self, line: usize, allocated: &str, kind: &str) -> Result<(), BlocksError> {
        let level = kind.split_once(' ').filter(|(level, _)| is_level(level));
        self.has_levels |= level.is_some();
        let size = || {
            let cell = || visible(allocated).into_owned();
            of_zdb(allocated).ok_or_else(|| BlocksError::NoSize { line, cell: cell() })
        };
        let add = |sum: &mut Bytes, size: Bytes| *sum = Bytes(sum.0.saturating_add(size.0));
        match (level, kind) {
            (None, "Total") => self.total = Some((line, size()?)),
            (None, METADATA) => self.own = Some(size()?),
            (Some(("L0", kind)), _) if CONTENTS.contains(&kind) => add(&mut self.contents, size()?),
            (Some((_, kind)), _) if CONTENTS.contains(&kind) => add(&mut self.metadata, size()?),
            (Some(_), _) => {}
            (None, kind) if CONTENTS.contains(&kind) => {}
            (None, _) => add(&mut self.metadata, size()?),
        }
        Ok(())
    }
}

/// Says whether a word is a level: `L0`, `L1`.
fn is_level(word: &str) -> bool {
    let number = word.strip_prefix('L');
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()))
}

/// Returns the allocated size and the type of a row, without the indent of its level.
fn row(line: &str) -> Option<(&str, String)> {
    let cells: Vec<&str> = line.split_whitespace().collect();
    let kind = cells.get(CELLS..).filter(|kind| !kind.is_empty())?.join(" ");
    let allocated = *cells.get(3)?;
    // A type of which there is nothing.
    (allocated != "-").then_some((allocated, kind))
}

/// Returns a row of the table of sizes: its size, and all blocks up to it.
fn up_to(line: &str) -> Option<SmallBlocks> {
    let cells: Vec<&str> = line.split_whitespace().collect();
    // Exact figures stand without the colon.
    let [size, _, _, together, _, _, _, _, _, _] = cells.as_slice() else { return None };
    let size = size.strip_suffix(':').unwrap_or(size);
    Some(SmallBlocks { largest: of_zdb(size)?, together: of_zdb(together)? })
}

/// Returns a size as zdb writes it: `490G`, `12.1K`, `512`, `0`.
fn of_zdb(text: &str) -> Option<Bytes> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(end)?;
    let shift = match unit {
        "" | "B" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        "P" => 50,
        "E" => 60,
        _ => return None,
    };
    let number: f64 = digits.parse().ok()?;
    let bytes = number * 2f64.powi(shift);
    (bytes < 2f64.powi(63)).then(|| Bytes::of_f64(bytes))
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;
    use proptest::prelude::*;

    use super::{Blocks, BlocksError, SmallBlocks};

    const TEXT: &str = "
Traversing all blocks ...

Blocks\tLSIZE\tPSIZE\tASIZE\t  avg\t comp\t%Total\tType
     -\t    -\t    -\t    -\t    -\t    -\t     -\tunallocated
  100K\t 3.1G\t 800M\t 2.5G\t  26K\t 4.00\t  0.50\tDMU dnode
 3.83M\t 490G\t 488G\t 488G\t 128K\t 1.00\t 99.50\t    L0 ZFS plain file
 12.1K\t 193M\t48.2M\t 512M\t12.0K\t 4.01\t  0.03\t    L1 ZFS plain file
 3.84M\t 490G\t 488G\t 488.5G\t 128K\t 1.00\t 99.53\tZFS plain file
   10K\t   1G\t   1G\t   1G\t 100K\t 1.00\t  0.20\t    L0 zvol object
 3.96M\t 494G\t 490G\t 492G\t 127K\t 1.00\t100.00\tTotal

Block Size Histogram

  block   psize                lsize                asize
   size   Count   Size   Cum.  Count   Size   Cum.  Count   Size   Cum.
    512:   833K   416M   416M   833K   416M   416M      0      0      0
     4K:  2.63M  11.6G  15.6G   963K  5.31G  9.25G      0      0      0
";

    #[test]
    fn metadata_is_all_but_contents() {
        let blocks = Blocks::parse(TEXT).unwrap();
        assert_eq!(blocks.contents, Bytes::gib(489));
        assert_eq!(blocks.metadata, Bytes::gib(3));
        let together = Bytes::of_f64(15.6 * 2f64.powi(30));
        assert_eq!(blocks.small[1], SmallBlocks { largest: Bytes::kib(4), together });
        assert_eq!(blocks.on_special(Bytes::ZERO), Some(Bytes::gib(3)));
        assert_eq!(blocks.on_special(Bytes::kib(5)), Some(Bytes::gib(3) + together));
        assert_eq!(blocks.on_special(Bytes(1)), None);
    }

    #[test]
    fn what_zdb_printed_for_people_is_what_it_printed_exactly() {
        let exact = Blocks::parse(include_str!("../tests/zdb/guest-2.3.2-exact.txt")).unwrap();
        let rounded = Blocks::parse(include_str!("../tests/zdb/guest-2.3.2.txt")).unwrap();
        let apart = |one: Bytes, other: Bytes| one.0.abs_diff(other.0) as f64 / other.0 as f64;
        assert!(apart(rounded.metadata, exact.metadata) < 0.01, "{rounded:?}, {exact:?}");
        assert!(apart(rounded.contents, exact.contents) < 0.01, "{rounded:?}, {exact:?}");
        assert_eq!(rounded.small.len(), exact.small.len());
        // Without the row of all metadata, as older releases print it, the rows give the same.
        let without = include_str!("../tests/zdb/guest-2.3.2-exact.txt");
        let without = without.lines().filter(|line| !line.ends_with("Metadata Total"));
        let summed = Blocks::parse(&without.collect::<Vec<_>>().join("\n")).unwrap();
        // But for the row of what has no type, which zdb leaves out.
        assert_eq!(summed.metadata, exact.metadata + Bytes(86016));
    }

    #[test]
    fn what_is_no_table_says_so() {
        let check = |text: &str, expected: &BlocksError| {
            assert_eq!(&Blocks::parse(text).unwrap_err(), expected, "{text}");
        };
        check("", &BlocksError::NoTable);
        check(&TEXT.replace("    L", "    K"), &BlocksError::NoLevels);
        check(&TEXT.replace("Total\n", "Tot\n"), &BlocksError::NoTotal);
        let broken = TEXT.replace("\t 488G\t 128K\t 1.00\t 99.50", "\t 48?G\t 128K\t 1.00\t 99.50");
        check(&broken, &BlocksError::NoSize { line: 7, cell: "48?G".to_owned() });
        let more = TEXT.replace("492G", "2G");
        let (contents, total) = (Bytes::gib(489), Bytes::gib(2));
        check(&more, &BlocksError::Absurd { line: 11, contents, total });
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,300}", cut in 0usize..900) {
            let _any = Blocks::parse(&text);
            let part: String = TEXT.chars().take(cut).collect();
            let _part = Blocks::parse(&part);
        }
    }
}
