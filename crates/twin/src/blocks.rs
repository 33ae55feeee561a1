//! How large the blocks are that disks read, where that is much less than the property of the dataset says: small files, and files
//! that were written before the property was changed.
//!
//! `zpool iostat -r` counts requests by size. Reads for which somebody waits and that were not joined with others (`sync_read`, `ind`)
//! are of one block each, or of a disk's part of it on raidz.
//!
//! ```text
//!   recordsize 128K, compressed 1.0x, mirror      reads of 16 to 32 KiB: blocks of 16 KiB
//!   recordsize 128K, raidz1 of 5 disks            reads of 32 to 64 KiB, by four: blocks of 128 KiB, as the property says
//! ```

use arcwright_machine::{BucketCounts, Class, Machine, Pool, Vdev};
use arcwright_units::Bytes;

use crate::load::Traffic;
use crate::window::in_window;

/// The column of reads that are of one block each.
const COLUMN: &str = "sync_read_ind";
/// Fewer requests a second tell no size.
const REQUESTS_MIN: u64 = 10;
/// Blocks that are smaller than the property says by less are as it says.
const SMALLER_MIN: u64 = 4;
/// A dataset from which this part of all is read is the one whose blocks are seen.
const MOST: f64 = 0.9;

/// Gives the dataset from which nearly all is read the size of the blocks that disks read; what is said of it.
pub(crate) fn as_read(
    machine: &Machine,
    pool: &Pool,
    data_disks: u64,
    traffic: &mut [Traffic],
) -> Option<String> {
    let all: f64 = traffic.iter().map(|one| one.read.bytes).sum();
    let one = traffic.iter_mut().find(|one| one.read.bytes >= MOST * all && all > 0.0)?;
    let property = one.record();
    let ratio = crate::datasets::ratio(one).and_then(|ratio| ratio.parse().ok());
    let stored = mean(&columns(machine, pool)?)? * data_disks.max(1) as f64;
    let block = power_of_two(stored * ratio.unwrap_or(1.0))?;
    if block.0.saturating_mul(SMALLER_MIN) > property.0 {
        return None;
    }
    let name = if one.is_volume() { "volblocksize" } else { "recordsize" };
    one.properties.insert(name.to_owned(), block.0.to_string());
    let dataset = arcwright_units::visible(&one.name).into_owned();
    Some(format!(
        "Blocks of {dataset}: {block}, as disks read them (zpool iostat -r), though its {name} is {property}: small files, or files from \
         before it was set."
    ))
}

/// Returns the sizes of reads of single blocks, of each disk with data.
fn columns<'a>(machine: &'a Machine, pool: &Pool) -> Option<Vec<&'a BucketCounts>> {
    let vdevs = in_window(machine, pool)?;
    let leaves = pool.of_class(Class::Data).flat_map(Vdev::leaves);
    leaves.map(|leaf| vdevs.get(&leaf.name)?.sizes.get(COLUMN)).collect()
}

/// Returns the mean of sizes, each taken to lie in the middle of its bucket; none of few requests.
fn mean(columns: &[&BucketCounts]) -> Option<f64> {
    let buckets = || columns.iter().flat_map(|column| &column.0);
    let count: u64 = columns.iter().map(|column| column.count()).sum();
    let logarithms: f64 =
        buckets().map(|(first, n)| ((*first).max(1) as f64).log2() * *n as f64).sum();
    (count >= REQUESTS_MIN).then(|| (logarithms / count as f64 + 0.5).exp2())
}

/// Returns the power of two that is nearest; none that no block has.
fn power_of_two(bytes: f64) -> Option<Bytes> {
    // Half of a bucket is more than half of a step: rounded down where it lies between.
    let exponent = (bytes.log2() - 0.01).round();
    (9.0..=24.0).contains(&exponent).then(|| Bytes::of_f64(exponent.exp2()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arcwright_machine::{BucketCounts, LeafIo, Machine, Pool, Sample, Vdev};

    use super::as_read;
    use crate::load::{Flow, Traffic};

    #[test]
    fn blocks_that_disks_read_are_those_that_there_are() {
        let check = |property: &str, ratio: &str, sizes: &[(u64, u64)], disks, expected: &str| {
            let sizes = [("sync_read_ind".to_owned(), BucketCounts(sizes.to_vec()))];
            let io = LeafIo { sizes: sizes.into(), ..LeafIo::default() };
            let vdevs = BTreeMap::from([("tank".to_owned(), [("sda".to_owned(), io)].into())]);
            let samples = vec![Sample { vdevs, ..Sample::default() }];
            let machine = Machine { samples, ..Machine::default() };
            let vdev = Vdev { name: "sda".to_owned(), ..Vdev::default() };
            let pool = Pool { name: "tank".to_owned(), vdevs: vec![vdev], ..Pool::default() };
            let set = [("recordsize", property), ("compression", "lz4"), ("compressratio", ratio)];
            let properties = set.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            let read = Flow { requests: 1.0, bytes: 1e6 };
            let name = "tank/a".to_owned();
            let mut traffic = [Traffic { name, properties, read, ..Traffic::default() }];
            let said = as_read(&machine, &pool, disks, &mut traffic);
            assert_eq!(said.is_some(), !expected.is_empty(), "{said:?}");
            let size = traffic[0].record().to_string();
            assert_eq!(size, if expected.is_empty() { "128 KiB" } else { expected });
        };
        check("131072", "1.00x", &[(8192, 0), (16384, 300)], 1, "16 KiB");
        check("131072", "1.00x", &[(4096, 300)], 1, "4 KiB");
        check("131072", "2.00x", &[(8192, 300)], 1, "16 KiB");
        // As the property says: compressed, on raidz of four disks with data, a little smaller.
        check("131072", "1.30x", &[(65536, 300)], 1, "");
        check("131072", "1.00x", &[(32768, 300)], 4, "");
        check("131072", "1.00x", &[(65536, 300)], 1, "");
        // Too few to tell.
        check("131072", "1.00x", &[(16384, 9)], 1, "");
        check("131072", "1.00x", &[], 1, "");
    }
}
