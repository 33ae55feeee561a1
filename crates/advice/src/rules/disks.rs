//! What rules about disks share; not a rule itself.

use arcwright_machine::{Class, LeafIo, Pool};
use arcwright_units::Bytes;

use crate::drives::leaves_of;
use crate::finding::Evidence;
use crate::view::View;
use crate::words;

/// One disk at work.
pub(super) struct Leaf<'a> {
    pub(super) name: &'a str,
    pub(super) io: &'a LeafIo,
}

impl Leaf<'_> {
    pub(super) fn reads_per_s(&self) -> f64 {
        positive(self.io.read_ops_per_s)
    }

    pub(super) fn writes_per_s(&self) -> f64 {
        positive(self.io.write_ops_per_s)
    }

    /// Returns the mean size of its reads in bytes; none when it did not read.
    pub(super) fn mean_read(&self) -> Option<f64> {
        let rate = self.reads_per_s();
        (rate > 0.0).then(|| positive(self.io.read_bytes_per_s) / rate)
    }

    /// Returns how long the disk itself takes for a read.
    pub(super) fn read_ns(&self) -> Option<u64> {
        self.io.waits.disk_read_ns.or(self.io.waits.total_read_ns)
    }

    /// Returns how long the disk itself takes for a write.
    pub(super) fn write_ns(&self) -> Option<u64> {
        self.io.waits.disk_write_ns.or(self.io.waits.total_write_ns)
    }
}

/// Returns a figure that is one and not negative, else zero.
pub(super) fn positive(figure: Option<f64>) -> f64 {
    figure.filter(|figure| figure.is_finite() && *figure > 0.0).unwrap_or(0.0)
}

/// Returns the disks of a class of a pool that were seen at work.
///
/// Where the layout was not read, every row that is no group is taken for a data disk.
pub(super) fn at_work<'a>(view: &'a View<'_>, pool: &'a Pool, class: Class) -> Vec<Leaf<'a>> {
    let Some(io) = view.io(&pool.name) else { return Vec::new() };
    if pool.vdevs.is_empty() && class == Class::Data {
        let single = io.iter().filter(|(name, _)| **name != pool.name && !is_group(name));
        return single.map(|(name, io)| Leaf { name, io }).collect();
    }
    let leaf = |vdev: &'a arcwright_machine::Vdev| {
        let tail = vdev.name.rsplit('/').next().unwrap_or(&vdev.name);
        let io = io.get(&vdev.name).or_else(|| io.get(tail))?;
        Some(Leaf { name: &vdev.name, io })
    };
    leaves_of(pool, class).into_iter().filter_map(leaf).collect()
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
    let stem = name
        .split('-')
        .next()
        .unwrap_or(name)
        .trim_end_matches(|letter: char| letter.is_ascii_digit());
    GROUPS.contains(&stem)
}

/// Returns evidence on the pool that reads most: its reads per second and their size.
pub(super) fn busiest(view: &View<'_>) -> Vec<Evidence> {
    let pools = view.machine.pools.iter().filter_map(|pool| {
        let io = view.io(&pool.name)?.get(&pool.name)?;
        Some((pool, Leaf { name: &pool.name, io }))
    });
    let most =
        pools.max_by(|(_, one), (_, other)| one.reads_per_s().total_cmp(&other.reads_per_s()));
    let Some((pool, io)) = most else { return Vec::new() };
    let Some(mean) = io.mean_read() else { return Vec::new() };
    vec![Evidence {
        over: view.io_over(),
        ..Evidence::now(
            format!("zpool iostat {}: reads", pool.name),
            format!("{} per second of {} on average", words::per_s(io.reads_per_s()), size(mean)),
        )
    }]
}

/// Returns a mean size for a sentence.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float's range is cut, NaN is zero"
)]
pub(super) fn size(mean: f64) -> Bytes {
    let bytes = mean.max(0.0) as u64;
    // Below a KiB exact, above in whole KiB: means are not exact anyhow.
    if bytes < 1024 { Bytes(bytes) } else { Bytes(bytes / 1024 * 1024) }
}
