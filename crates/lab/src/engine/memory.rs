//! How much memory a worker may take, so that a run which does not fit is refused before it starts.
//!
//! A worker's disks are memory: those of the pool are private copies of files, of which only what is written
//! takes memory of its own; cache and log devices begin empty.

use arcwright_scenario::{ArcLimits, Disk, Phase, Scenario, System, TreeSpec};
use arcwright_tunables::Version;
use arcwright_units::Bytes;

use super::space::stored;

/// The library itself, its threads and what it keeps beside the ARC.
const OWN: Bytes = Bytes::mib(384);
/// In user space each page of a buffer is allocated by itself, with a header before it that takes a page too
/// (`abd_alloc_chunks`, lib/libzpool/abd_os.c, 2.0 to 2.4).
const PER_BYTE: u64 = 2;
/// A worker that builds a pool: an ARC of a GiB, and what is on its way to the disks.
const BUILDER: Bytes = Bytes::gib(3);
/// No client of a phase with a time limit writes more in a second.
const WRITTEN_PER_SECOND: u64 = 1 << 30;
/// A cache device holds what is read, and while its ring goes round as much again of what was.
const ROUNDS: u64 = 2;

/// Returns the most memory that a worker of an experiment may take, one arm after the other.
#[must_use]
pub fn memory(scenario: &Scenario) -> Bytes {
    let scale = scenario.lab.scale;
    let small = scenario.scaled(scale);
    let arms = scenario.arms.iter().zip(&small.arms);
    let most = arms.map(|(arm, small_arm)| {
        let full = scenario.system_of(arm);
        let arc = ArcLimits::of(&full, Version::parse(&full.zfs)).scaled(scale).max;
        arc.saturating_mul(PER_BYTE) + of_disks(&small, &small.system_of(small_arm))
    });
    let builder = data(&small).saturating_mul(PER_BYTE).min(BUILDER);
    most.max().unwrap_or(Bytes::ZERO).max(builder) + OWN
}

/// Returns the bytes of a file or tree.
fn size_of(small: &Scenario, name: &str) -> Bytes {
    let file = small.files.iter().find(|file| file.name == name).map(|file| file.size);
    let tree = small.trees.iter().find(|tree| tree.name == name);
    let mean = |tree: &TreeSpec| Bytes(tree.size_min.0.midpoint(tree.size_max.0));
    let tree = tree.map(|tree| mean(tree).saturating_mul(tree.files));
    file.or(tree).unwrap_or(Bytes::ZERO)
}

/// Returns the bytes of all files and trees.
fn data(small: &Scenario) -> Bytes {
    let trees = small.trees.iter().map(|tree| size_of(small, &tree.name));
    small.files.iter().map(|file| file.size).chain(trees).sum()
}

/// Returns what the clients of a phase write at most.
fn written_in(phase: &Phase, small: &Scenario) -> Bytes {
    let writers = phase.clients.iter().filter(|client| client.action.writes());
    let all: Bytes =
        writers.map(|client| client.amount.unwrap_or(size_of(small, &client.file))).sum();
    let most = phase.limit.map_or(Bytes(u64::MAX), |limit| {
        let per_second = Bytes(WRITTEN_PER_SECOND / small.lab.scale.max(1));
        per_second.saturating_mul(limit.0.div_ceil(1_000_000_000))
    });
    all.min(most)
}

/// Returns what the disks of a scaled system may take.
fn of_disks(small: &Scenario, system: &System) -> Bytes {
    let written: Bytes = small.phases.iter().map(|phase| written_in(phase, small)).sum();
    let data = data(small) + written;
    let sizes = |disks: &[Disk]| -> Bytes { disks.iter().filter_map(|disk| disk.size).sum() };
    let cache = sizes(&system.pool.cache).min(data.saturating_mul(ROUNDS));
    let logs = system.pool.log.iter().map(|vdev| sizes(&vdev.disks)).sum::<Bytes>();
    let log = logs.min(written.saturating_mul(ROUNDS));
    let pool = system.pool.data.iter().map(|vdev| stored(written, vdev, &system.pool)).max();
    cache + log + pool.unwrap_or(Bytes::ZERO)
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Scenario;
    use arcwright_units::Bytes;

    use super::memory;

    fn check(text: &str, expected: Bytes) {
        let head = "title = \"t\"\nquestion = \"q\"\n[system]\nzfs = \"2.3.2\"\nos = \"linux\"\n\
            memory = \"16GiB\"\n[system.tunables]\nzfs_arc_max = \"2GiB\"\n";
        let scenario = Scenario::parse(&format!("{head}{text}"), "t.toml").unwrap();
        assert_eq!(memory(&scenario), expected, "{text}");
    }

    #[test]
    fn the_arc_counts_and_what_is_written_and_what_a_cache_device_may_hold() {
        let reads = "[[file]]\nname = \"f\"\nsize = \"8GiB\"\n\
            [[phase]]\nname = \"p\"\nclients = [{ read = \"f\", io = \"1MiB\" }]\n";
        let writes = reads.replace("read", "write");
        let plain = "[system.pool]\ndata = [{ mirror = [\"hdd-nas-7200\", \"hdd-nas-7200\"] }]\n";
        let cached =
            format!("{plain}cache = [{{ device = \"nvme-consumer\", size = \"32GiB\" }}]\n");
        let own = Bytes::mib(384);
        check(&format!("{plain}{reads}"), Bytes::gib(4) + own);
        check(&format!("{plain}{writes}"), Bytes::gib(4 + 16) + own);
        check(&format!("{cached}{reads}"), Bytes::gib(4 + 16) + own);
        check(&format!("{cached}{reads}[lab]\nscale = 4\n"), Bytes::gib(1 + 4) + own);
        let timed = writes.replace("clients", "limit = \"2s\"\nclients");
        check(&format!("{plain}{timed}"), Bytes::gib(4 + 4) + own);
    }
}
