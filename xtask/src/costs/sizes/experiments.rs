//! The experiments: each finds one or two constants from what counters differ by, on pools that are no case of the board.
//!
//! ```text
//!   in memory    hdr_size, dbuf_size, dnode_size over how many there are
//!   compressed   compressed_size over the blocks that came into the ARC; in sectors of 512 bytes, or of 4 KiB where the blocks of
//!                dnodes take one each and only the others tell them apart
//!   a group      what the disk wrote and the ARC counted while one change was written, less what comes without one
//! ```

use anyhow::{Context as _, ensure};

use super::readings::{INSTANT, Phase, ROOT_ALONE, Reading, Setup, file, run, tree};
use super::{Size, groups, size};

const KIB: f64 = 1024.0;
/// Bytes of a block of dnodes, of a leaf, of a directory's header.
const BLOCK: f64 = 16.0 * KIB;
const DNODES: f64 = 32.0;
/// The smallest sector, and what an indirect block above a large directory takes for each of its blocks; with so few, in a
/// whole number of these sectors, a byte more or less makes no difference.
const SECTOR: f64 = 512.0;
const POINTER: f64 = 43.0;

/// Returns every constant as a library has it.
pub(super) fn all(version: &str) -> anyhow::Result<Vec<Size>> {
    let experiments = [headers, dnodes, pointers, large_roots, dnodes_of_small_directories];
    let mut sizes = Vec::new();
    for experiment in experiments {
        sizes.extend(experiment(version)?);
    }
    let entry = small_directories(version)?;
    sizes.extend(leaves(version, &entry)?);
    sizes.push(entry);
    sizes.extend(groups::all(version)?);
    Ok(sizes)
}

/// Reads a file once, and a record of it when the library has let go of what it does not keep.
fn read_once(version: &str, ashift: u8, record: &str, size: &str) -> anyhow::Result<Reading> {
    let contents = file("f", size);
    let again =
        format!("{{ read = \"f\", io = \"{record}\", amount = \"{record}\", start = \"20s\" }}");
    let phases = vec![Phase::of(format!("{{ read = \"f\", io = \"128KiB\" }}, {again}"))];
    first(run(version, &Setup { disk: INSTANT, ashift, record, contents, phases })?)
}

fn first(readings: Vec<Reading>) -> anyhow::Result<Reading> {
    readings.into_iter().next().context("the run has no phase")
}

/// Headers and dbufs: files that the dbuf cache holds and does not hold. A block that it holds has an ARC buffer
/// too, which `hdr_size` counts with the header; two files tell the two apart.
fn headers(version: &str) -> anyhow::Result<Vec<Size>> {
    let mut counts = Vec::new();
    for size in ["8MiB", "64MiB", "256MiB"] {
        let reading = read_once(version, 12, "16KiB", size)?;
        let dbufs = reading.row("dbufstats", "hash_elements")?;
        counts.push(InMemory {
            blocks: reading.arc("hash_elements")?,
            dbufs,
            header_bytes: reading.arc("hdr_size")?,
            dbuf_bytes: reading.arc("dbuf_size")?,
        });
    }
    let (small, large) = counts.split_first().context("no file was read")?;
    let headers: Vec<f64> = large.iter().map(|one| one.header_beside(small)).collect();
    let dbufs: Vec<f64> = counts.iter().map(|one| one.dbuf_bytes / one.dbufs).collect();
    let run = "hdr_size over blocks: files of 8 and 64 and 256 MiB read once";
    Ok(vec![
        size("versions/costs.rs: HEADER_IN_USER_SPACE", version, &headers, run),
        size(
            "versions/costs.rs: DBUF_IN_USER_SPACE",
            version,
            &dbufs,
            "dbuf_size over dbufs: the same files",
        ),
    ])
}

/// What is in memory behind a read.
struct InMemory {
    blocks: f64,
    dbufs: f64,
    header_bytes: f64,
    dbuf_bytes: f64,
}

impl InMemory {
    /// Returns the bytes of a header: `hdr_size` is so much for each block and a buffer for each dbuf.
    fn header_beside(&self, other: &Self) -> f64 {
        (self.header_bytes * other.dbufs - other.header_bytes * self.dbufs)
            / (self.blocks * other.dbufs - other.blocks * self.dbufs)
    }
}

/// Dnodes in memory: trees of 1000, 2000 and 3000 files, one directory each.
fn dnodes(version: &str) -> anyhow::Result<Vec<Size>> {
    let mut before = None;
    let mut slopes = Vec::new();
    for files in [1000, 2000, 3000] {
        let contents = tree("t", files, files);
        let phases = vec![Phase::stat("t", None)];
        let setup = Setup { disk: INSTANT, ashift: 12, record: "128KiB", contents, phases };
        let bytes = first(run(version, &setup)?)?.arc("dnode_size")?;
        slopes.extend(before.map(|before| (bytes - before) / 1000.0));
        before = Some(bytes);
    }
    let run = "dnode_size over files: directories of 1000 and 2000 and 3000 looked through";
    Ok(vec![size("versions/costs.rs: DNODE_IN_USER_SPACE", version, &slopes, run)])
}

/// Pointers to blocks of a file: what was compressed less the data, which does not compress.
fn pointers(version: &str) -> anyhow::Result<Vec<Size>> {
    let mut sizes = Vec::new();
    for (ashift, run) in [
        (9, "compressed_size less data over blocks: full indirect blocks in sectors of 512 B"),
        (12, "the same in sectors of 4 KiB"),
    ] {
        let mut each = Vec::new();
        for (record, size, bytes) in [("16KiB", "16MiB", 16.0), ("128KiB", "128MiB", 128.0)] {
            let reading = read_once(version, ashift, record, size)?;
            each.push((reading.arc("compressed_size")? - bytes * KIB * KIB) / 1024.0);
        }
        sizes.push(size("pool/layout.rs: POINTER_BYTES", version, &each, run));
    }
    Ok(sizes)
}

/// What a phase brought into the ARC.
struct Blocks {
    /// How many of 16 KiB.
    count: f64,
    /// Their bytes compressed.
    packed: f64,
}

/// Reads the blocks of 16 KiB of a phase; a small directory of one sector beside them does not compress.
fn blocks(reading: &Reading) -> anyhow::Result<Blocks> {
    let length = reading.arc("uncompressed_size")?;
    let count = (length / BLOCK).floor();
    let packed = reading.arc("compressed_size")? - (length - count * BLOCK);
    Ok(Blocks { count, packed })
}

/// A tree whose root is a large directory, looked at file by file: first the root is opened, which reads the indirect
/// blocks above the dnodes; the first file reads the root's header, a leaf and a block of dnodes; further ones
/// a leaf or not, and a block of dnodes.
struct LargeRoot {
    /// Blocks of dnodes.
    dnode_blocks: f64,
    opened_bytes: f64,
    header_low: f64,
    header_high: f64,
    dnodes: Vec<f64>,
    leaves: Vec<f64>,
}

/// Directories in a root. Its leaves are filled evenly, and hold at most 212 short names each
/// (docs/model/metadata.md#worked-cases).
const ROOTS: [u64; 3] = [3000, 6000, 12_000];
const LEAF_MAX: u64 = 212;
/// What tells a leaf from a block of dnodes, which takes less.
const LEAF_LEAST: f64 = BLOCK / 4.0;

fn large_root(version: &str, directories: u64) -> anyhow::Result<LargeRoot> {
    let leaves = directories.div_ceil(LEAF_MAX).next_power_of_two() as f64;
    let mut phases = vec![Phase::stat("t", Some(ROOT_ALONE))];
    phases.extend((0..20).map(|_| Phase::stat_one("t")));
    let contents = tree("t", directories, 1);
    let setup = Setup { disk: INSTANT, ashift: 9, record: "128KiB", contents, phases };
    let readings = run(version, &setup)?;
    let [opened, first, others @ ..] = readings.as_slice() else {
        anyhow::bail!("the run has too few phases");
    };
    let (mut dnodes, mut both) = (Vec::new(), Vec::new());
    for reading in others {
        let Blocks { count, packed } = blocks(reading)?;
        if count > 1.0 {
            both.push(packed);
        } else if count > 0.0 && packed < LEAF_LEAST {
            dnodes.push(packed);
        }
    }
    let dnode = dnodes.iter().sum::<f64>() / dnodes.len() as f64;
    let leaf = both.iter().map(|both| both - dnode).filter(|leaf| *leaf > LEAF_LEAST);
    let leaf: Vec<f64> = leaf.collect();
    ensure!(!dnodes.is_empty() && !leaf.is_empty(), "no block was read alone");
    let [low, high] = ends(&leaf);
    // The root's indirect block holds a pointer to the header and to each leaf.
    let indirect = ((1.0 + leaves) * POINTER / SECTOR).ceil() * SECTOR;
    let rest = first.arc("compressed_size")? - dnode - indirect;
    Ok(LargeRoot {
        dnode_blocks: (2.0 * directories as f64 / DNODES).ceil(),
        opened_bytes: opened.arc("compressed_size")?,
        header_low: rest - high,
        header_high: rest - low,
        dnodes,
        leaves: leaf.iter().map(|leaf| leaf * leaves / directories as f64).collect(),
    })
}

fn ends(values: &[f64]) -> [f64; 2] {
    let size = size("", "", values, "");
    [size.low, size.high]
}

fn large_roots(version: &str) -> anyhow::Result<Vec<Size>> {
    let mut roots = Vec::new();
    for directories in ROOTS {
        roots.push(large_root(version, directories)?);
    }
    let pointers: Vec<f64> = roots
        .iter()
        .zip(roots.iter().skip(1))
        .map(|(fewer, more)| {
            (more.opened_bytes - fewer.opened_bytes) / (more.dnode_blocks - fewer.dnode_blocks)
        })
        .collect();
    let headers: Vec<f64> =
        roots.iter().flat_map(|root| [root.header_low, root.header_high]).collect();
    let dnodes: Vec<f64> =
        roots.iter().flat_map(|root| &root.dnodes).map(|block| block / DNODES).collect();
    let leaves: Vec<f64> = roots.iter().flat_map(|root| root.leaves.clone()).collect();
    Ok(vec![
        size(
            "pool/trees/populate.rs: POINTER_PACKED",
            version,
            &pointers,
            "compressed_size over blocks of dnodes: opening roots of 3000 and 6000 and 12000 directories",
        ),
        size(
            "pool/trees/mod.rs: HEADER_PACKED",
            version,
            &headers,
            "the first lookup in each of these roots less a leaf and its indirect block",
        ),
        size(
            "pool/trees/mod.rs: DNODE_PACKED",
            version,
            &dnodes,
            "a block of them: one file of a directory after the other",
        ),
        size(
            "pool/trees/mod.rs: LEAF_PACKED",
            version,
            &leaves,
            "a leaf of these roots: names of 12 letters",
        ),
    ])
}

/// Blocks of the dnodes of directories of seven files, which take one sector whole.
fn dnodes_of_small_directories(version: &str) -> anyhow::Result<Vec<Size>> {
    let mut phases = vec![Phase::stat("t", Some(ROOT_ALONE)), Phase::stat_one("t")];
    phases.extend((0..40).map(|_| Phase::stat_one("t")));
    let contents = tree("t", 3500, 7);
    let setup = Setup { disk: INSTANT, ashift: 9, record: "128KiB", contents, phases };
    let mut each = Vec::new();
    for reading in run(version, &setup)?.iter().skip(2) {
        let Blocks { count, packed } = blocks(reading)?;
        each.extend((count > 0.0).then_some(packed / count / DNODES));
    }
    let run = "a block of them: one directory of seven files after the other";
    Ok(vec![size("pool/trees/mod.rs: DNODE_PACKED", version, &each, run)])
}

/// Entries of small directories: with sectors of 4 KiB a block of dnodes takes one, and the rest is the directory. How
/// many entries fit into so many sectors, and how many do not any more, bounds what one takes.
fn small_directories(version: &str) -> anyhow::Result<Size> {
    let counts: Vec<u64> = (7..=20).map(|hundreds| 100 * hundreds).collect();
    let mut phases = vec![Phase::stat("t700", Some(ROOT_ALONE))];
    phases.extend(counts.iter().map(|count| Phase::stat(&format!("t{count}"), None)));
    let contents: String =
        counts.iter().map(|count| tree(&format!("t{count}"), *count, *count)).collect();
    let setup = Setup { disk: INSTANT, ashift: 12, record: "128KiB", contents, phases };
    let readings = run(version, &setup)?;
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let sector = 4.0 * KIB;
    for (count, reading) in counts.iter().zip(readings.iter().skip(1)) {
        let others = reading.arc("hash_elements")? - 1.0;
        let directory = reading.arc("compressed_size")? - others * sector;
        let entries = ((*count + 1).div_ceil(8) * 8) as f64;
        low = low.max((directory - sector) / entries);
        high = high.min(directory / entries);
    }
    let run = "sectors of 4 KiB that directories of 700 to 2000 files take";
    let name = "pool/trees/mod.rs: MICRO_PACKED_TENTHS";
    Ok(size(name, version, &[low * 10.0, high * 10.0], run))
}

/// Leaves with names of 16 letters: as many files in small directories and in a large one. The blocks of dnodes are alike;
/// what more the large one takes, and what the small ones do, are its leaves, its header and the indirect block.
fn leaves(version: &str, entry: &Size) -> anyhow::Result<Vec<Size>> {
    let mut each = Vec::new();
    for (files, small) in [(4000, 2.0), (6000, 3.0)] {
        let mut bytes = Vec::new();
        for per_directory in [2000, files] {
            let contents = tree("t", files, per_directory);
            let phases = vec![Phase::stat("t", Some(ROOT_ALONE)), Phase::stat("t", None)];
            let setup = Setup { disk: INSTANT, ashift: 9, record: "128KiB", contents, phases };
            let readings = run(version, &setup)?;
            let looked = readings.get(1).context("the run has one phase")?;
            bytes.push(looked.arc("compressed_size")?);
        }
        let [in_small, in_large] = bytes.as_slice() else { anyhow::bail!("two trees") };
        // 32 leaves and a header of three sectors, more or less one, below an indirect block of three.
        let others = 6.0 * SECTOR;
        let directory = |tenths: f64| small * 2008.0 * tenths / 10.0;
        each.extend(
            [entry.low, entry.high]
                .map(|tenths| (in_large - in_small + directory(tenths) - others) / files as f64),
        );
    }
    let run = "4000 and 6000 files in a large directory less the same in small ones: 125 and 188 names of 16 letters in a leaf";
    Ok(vec![size("pool/trees/mod.rs: LEAF_PACKED", version, &each, run)])
}
