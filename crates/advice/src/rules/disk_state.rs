//! What rules about disks share, and others ask of them; not a rule itself.

use arcwright_machine::{Class, LeafIo, Pool};
use arcwright_units::Bytes;

use crate::drives::leaves_of;
use crate::finding::Evidence;
use crate::format;
use crate::verdict::NotJudged;
use crate::view::View;

/// One disk at work.
pub(crate) struct Leaf<'a> {
    pub(crate) name: &'a str,
    pub(crate) io: &'a LeafIo,
}

impl Leaf<'_> {
    pub(crate) fn reads_per_s(&self) -> Option<f64> {
        positive(self.io.read_ops_per_s)
    }

    pub(crate) fn writes_per_s(&self) -> Option<f64> {
        positive(self.io.write_ops_per_s)
    }

    /// Returns the mean size of its reads in bytes; none when it did not read.
    pub(crate) fn mean_read(&self) -> Option<f64> {
        let rate = self.reads_per_s().filter(|rate| *rate > 0.0)?;
        Some(positive(self.io.read_bytes_per_s)? / rate)
    }

    /// Returns how long the disk itself takes for a read.
    pub(crate) fn read_ns(&self) -> Option<u64> {
        self.io.waits.disk_read_ns.or(self.io.waits.total_read_ns)
    }

    /// Returns how long the disk itself takes for a write.
    pub(crate) fn write_ns(&self) -> Option<u64> {
        self.io.waits.disk_write_ns.or(self.io.waits.total_write_ns)
    }
}

/// Returns a figure that is one and not negative; none otherwise.
pub(crate) fn positive(figure: Option<f64>) -> Option<f64> {
    figure.filter(|figure| figure.is_finite() && *figure >= 0.0)
}

/// Returns whether the rates of a pool can hardly be means since its import: it reads, and has written nothing at all, which
/// no pool does that holds something and was not just imported.
pub(crate) fn is_no_mean(io: &LeafIo) -> bool {
    let is_none = |rate: Option<f64>| rate == Some(0.0);
    let reads = positive(io.read_ops_per_s).is_some_and(|rate| rate >= 1.0);
    reads && is_none(io.write_ops_per_s) && is_none(io.write_bytes_per_s)
}

/// Returns the disks of a class of a pool that were seen at work.
///
/// Where the layout was not read, every row that is no group is taken for a data disk.
pub(crate) fn at_work<'a>(view: &'a View<'_>, pool: &'a Pool, class: Class) -> Vec<Leaf<'a>> {
    let Some(io) = view.io(&pool.name) else { return Vec::new() };
    if pool.vdevs.is_empty() && class == Class::Data {
        let single = io.iter().filter(|(name, _)| **name != pool.name && !is_group(name));
        return single.map(|(name, io)| Leaf { name, io }).collect();
    }
    let leaf = |vdev: &'a arcwright_machine::Vdev| {
        let tail = vdev.name.rsplit('/').next();
        let io = io.get(&vdev.name).or_else(|| io.get(tail?))?;
        Some(Leaf { name: &vdev.name, io })
    };
    leaves_of(pool, class).into_iter().filter_map(leaf).collect()
}

/// Returns the disks of a class of a pool at work, when every one that the layout has was seen.
pub(crate) fn all_at_work<'a>(
    view: &'a View<'_>,
    pool: &'a Pool,
    class: Class,
) -> Result<Vec<Leaf<'a>>, NotJudged> {
    let seen = at_work(view, pool, class);
    if seen.is_empty() && view.io(&pool.name).is_none() || seen.len() < leaves_of(pool, class).len()
    {
        let what = format!("the I/O of each disk of {} was not read (zpool iostat -v)", pool.name);
        return Err(NotJudged::NotRead(what));
    }
    if let Some(name) = beside_layout(view, pool) {
        let what = format!("the position of {name} in {} was not read (zpool status)", pool.name);
        return Err(NotJudged::NotRead(what));
    }
    Ok(seen)
}

/// Returns a disk that `zpool iostat -v` shows and the layout lacks: a row of the layout was not read.
fn beside_layout<'a>(view: &'a View<'_>, pool: &'a Pool) -> Option<&'a str> {
    let known: Vec<&str> = pool
        .vdevs
        .iter()
        .flat_map(arcwright_machine::Vdev::leaves)
        .map(|leaf| leaf.name.as_str())
        .collect();
    let is_known = |name: &&str| {
        known.iter().any(|leaf| leaf == name || leaf.rsplit('/').next() == Some(name))
    };
    let rows = view.io(&pool.name)?.keys().map(String::as_str);
    let mut disks = rows.filter(|name| *name != pool.name && !is_group(name));
    if known.is_empty() { None } else { disks.find(|name| !is_known(name)) }
}

/// Says whether a row of `zpool iostat -v` is a group of disks or a heading.
fn is_group(name: &str) -> bool {
    const GROUPS: [&str; 11] = [
        "mirror",
        "raidz",
        "draid",
        "replacing",
        "spare",
        "logs",
        "cache",
        "special",
        "dedup",
        "indirect",
        "log",
    ];
    let stem = name.split('-').next();
    stem.is_some_and(|stem| GROUPS.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit())))
}

/// Returns evidence on the pool that reads most: its reads per second and their size.
pub(crate) fn busiest(view: &View<'_>) -> Vec<Evidence> {
    let pools = view.machine.pools.iter().filter_map(|pool| {
        let io = view.io(&pool.name)?.get(&pool.name)?;
        let leaf = Leaf { name: &pool.name, io };
        Some((pool, leaf.reads_per_s()?, leaf.mean_read()?))
    });
    let most = pools.max_by(|(_, one, _), (_, other, _)| one.total_cmp(other));
    let Some((pool, reads, mean)) = most else { return Vec::new() };
    vec![Evidence {
        over: view.io_over(),
        ..Evidence::now(
            format!("zpool iostat {}: reads", pool.name),
            format!("{} per second of {} on average", format::per_s(reads), size(mean)),
        )
    }]
}

/// Returns a mean size for a sentence.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float's range is cut, NaN is zero"
)]
pub(crate) fn size(mean: f64) -> Bytes {
    let bytes = mean.max(0.0) as u64;
    // Below a KiB exact, above in whole KiB: means are not exact anyhow.
    if bytes < 1024 { Bytes(bytes) } else { Bytes(bytes / 1024 * 1024) }
}

#[cfg(test)]
mod tests {
    use arcwright_machine::LeafIo;

    use super::is_no_mean;

    #[test]
    fn a_pool_that_reads_and_has_never_written_has_no_means_since_its_import() {
        for (reads, writes, bytes, expected) in [
            (Some(200.0), Some(0.0), Some(0.0), true),
            (Some(200.0), Some(0.0), Some(512.0), false),
            (Some(200.0), None, None, false),
            (Some(0.0), Some(0.0), Some(0.0), false),
        ] {
            let io = LeafIo {
                read_ops_per_s: reads,
                write_ops_per_s: writes,
                write_bytes_per_s: bytes,
                ..LeafIo::default()
            };
            assert_eq!(is_no_mean(&io), expected, "{reads:?} {writes:?} {bytes:?}");
        }
    }
}
