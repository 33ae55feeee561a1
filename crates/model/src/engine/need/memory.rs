//! Memory of a run, part by part.

use arcwright_scenario::{FileSpec, Phase, Scenario, System, TreeSpec, VdevLayout};
use arcwright_units::Bytes;
use arcwright_workload::{Action, Client as Spec, Pattern};

use crate::cache::arc::Cell;
use crate::client::{Client, IoSlot};
use crate::ids::BlockId;
use crate::io::REQUEST_BYTES;
use crate::io::place::Packed;
use crate::pool::blocks::File;
use crate::pool::trees::Directory;

use crate::zfetch::Zfetch;

/// A block as it is laid out: its size, place, parent and cell.
const BLOCK_MIN: u64 =
    bytes_of::<u32>() + bytes_of::<Packed>() + bytes_of::<BlockId>() + bytes_of::<Cell>();
/// One that was used: its links in the ARC and in the dbuf cache, holds of its dbuf, who brings it, whether
/// it was filled, and its dirty marks.
const BLOCK_MAX: u64 = BLOCK_MIN + 2 * bytes_of::<[u32; 2]>() + 2 * bytes_of::<u32>() + 2;
/// With a cache device: its place there, and an entry in the ring, which grows by doubling.
const BLOCK_IN_L2: u64 = bytes_of::<Packed>() + 2 * 16;
/// With writers: an entry in the list of what is dirty, in that of its group, and in the order in which the
/// group is written.
const BLOCK_WRITTEN: u64 = 2 * bytes_of::<BlockId>() + 12;
/// A block of metadata has its length before compression, twice.
const METADATA: u64 = 2 * bytes_of::<u32>();
/// A file beside its blocks, with its three copies in the scenario and its name; measured as 3.1 KiB.
const FILE: u64 = bytes_of::<File>() + bytes_of::<Zfetch>() + (3 << 10);
/// A name of a tree while its directory is drawn: the text with its allocation, its hash, and its entry in
/// a leaf, in vectors that grow by doubling.
const NAME: u64 = bytes_of::<String>() + 32 + 8 + 2 * 16;
/// An entry of a large directory: its leaf, its place in the listing, and its share of leaves.
const ENTRY: u64 = 10;
/// A file of a tree: its size, twice for a copy's sake, and its first block.
const TREE_FILE: u64 = 8 + bytes_of::<BlockId>();
/// A file that a client visits: its number in the order and in the visits.
const VISIT: u64 = 16;
/// A write in the intent log's lists until its group is on the disks, in a vector that grows by doubling.
const RECORD: u64 = 48;
/// A disk: its queue, its zones, its buffer; measured as 27 KiB.
const DISK: u64 = 32 << 10;
/// A phase of a result: some 300 counters by name, latencies, devices; and what each client adds. Measured
/// as 17 KiB, and twice that once it is printed as JSON.
const PHASE: u64 = 48 << 10;
const PHASE_CLIENT: u64 = 768;
/// The program itself.
const PROGRAM: u64 = 12 << 20;

const fn bytes_of<T>() -> u64 {
    size_of::<T>() as u64
}

/// Something that takes memory.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) what: String,
    pub(super) memory_min: u64,
    pub(super) memory_max: u64,
}

/// How many blocks and files there will be.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Blocks of each file, with those that point to them.
    files: Vec<u64>,
    /// The same of each tree and of each copy that clients make of it.
    trees: Vec<Planted>,
}

/// A tree as blocks.
#[derive(Debug)]
pub(super) struct Planted {
    pub(super) data: u64,
    pub(super) metadata: u64,
    pub(super) directories: u64,
    /// How often it is there: once, and once for each client that copies it.
    pub(super) times: u64,
}

impl Contents {
    /// Counts what is in an experiment that is scaled already; `pointers` are those of an indirect block.
    pub(crate) fn of(scenario: &Scenario, system: &System, pointers: u64) -> Self {
        let record = system.pool.recordsize;
        let clients = || scenario.phases.iter().flat_map(|phase| &phase.clients);
        let copies = |tree: &TreeSpec| {
            let copy = |client: &&Spec| {
                matches!(client.action, Action::TreeCopy { .. }) && client.file == tree.name
            };
            clients().filter(copy).count() as u64
        };
        let planted = |tree: &TreeSpec| planted(tree, record, 1 + copies(tree));
        Self {
            files: scenario
                .files
                .iter()
                .map(|file| blocks_of(file, system.pool.properties_of(file).recordsize, pointers))
                .collect(),
            trees: scenario.trees.iter().map(planted).collect(),
        }
    }

    /// Returns how many blocks there are.
    pub(crate) fn blocks(&self) -> u64 {
        let trees = self
            .trees
            .iter()
            .map(|tree| tree.times.saturating_mul(tree.data.saturating_add(tree.metadata)));
        sum(self.files.iter().copied().chain(trees))
    }
}

/// Returns the blocks of a file, at least and within a few.
fn blocks_of(file: &FileSpec, record: Bytes, pointers: u64) -> u64 {
    let record = record.0.max(512);
    let data = file.size.0.div_ceil(record);
    data.saturating_add(data / pointers.max(1) + 1)
}

fn planted(tree: &TreeSpec, record: Bytes, times: u64) -> Planted {
    /// More names than these make a directory of many blocks, of which each holds a hundred at least.
    const MICRO_MAX: u64 = 2047;
    const LEAF_MIN: u64 = 100;
    /// Objects whose dnodes are one block.
    const DNODES: u64 = 32;
    let record = record.0.max(512);
    let is_split = tree.size_max.0 > record;
    let mean = tree.size_min.0.midpoint(tree.size_max.0);
    let of_file = if is_split { mean / record + 1 } else { 1 };
    let directories = tree.files.div_ceil(tree.files_per_directory.max(1));
    let names = tree.files_per_directory.min(tree.files);
    let leaves = |names: u64| if names > MICRO_MAX { names / LEAF_MIN + 3 } else { 1 };
    let objects = tree.files.saturating_add(directories);
    let metadata = [
        if is_split { tree.files } else { 0 },
        objects / DNODES + objects / DNODES / DNODES + 2,
        directories.saturating_mul(leaves(names)),
        leaves(directories),
    ];
    Planted {
        data: tree.files.saturating_mul(of_file),
        metadata: sum(metadata),
        directories,
        times,
    }
}

/// Returns everything that takes memory while an arm runs; what it is called has the figures of life.
pub(super) fn parts(
    full: &Scenario,
    small: &Scenario,
    system: &System,
    contents: &Contents,
) -> Vec<Part> {
    let writes = small.phases.iter().any(|phase| phase.clients.iter().any(changes));
    let per_block = BLOCK_MAX
        + if system.pool.cache.is_empty() { 0 } else { BLOCK_IN_L2 }
        + if writes { BLOCK_WRITTEN } else { 0 };
    let disks = disks_of(system);
    let mut parts = vec![Part {
        what: format!("{disks} disks in system.pool"),
        memory_min: 4 << 20,
        memory_max: PROGRAM.saturating_add(disks.saturating_mul(DISK)),
    }];
    parts.extend(full.files.iter().zip(&contents.files).map(|(file, blocks)| Part {
        what: format!("the [[file]] “{}” with size = {}", file.name, file.size),
        memory_min: blocks.saturating_mul(BLOCK_MIN),
        memory_max: FILE.saturating_add(blocks.saturating_mul(per_block)),
    }));
    let trees = full.trees.iter().zip(&small.trees).zip(&contents.trees);
    parts.extend(trees.map(|((full, small), planted)| of_tree(full, small, planted, per_block)));
    let readable = Readable { columns: columns_of(system), blocks: contents.blocks() };
    let phases = full.phases.iter().zip(&small.phases);
    let phases = phases.map(|(full, phase)| of_phase(full, phase, small, readable));
    // One phase's clients make room for the next one's.
    parts.extend(phases.max_by_key(|part| part.memory_max));
    parts
}

/// Returns the memory of an arm's result.
pub(super) fn kept(scenario: &Scenario, system: &System, repeats: u32) -> Bytes {
    let devices = disks_of(system).saturating_mul(256);
    let phases = scenario.phases.iter().map(|phase| {
        let clients = (phase.clients.len() as u64).saturating_mul(PHASE_CLIENT);
        PHASE.saturating_add(clients).saturating_add(devices)
    });
    Bytes(sum(phases).saturating_mul(u64::from(repeats.max(1)) + 1))
}

fn of_tree(full: &TreeSpec, small: &TreeSpec, planted: &Planted, per_block: u64) -> Part {
    let names = small.files_per_directory.min(small.files).max(planted.directories);
    let drawn = names.saturating_mul(NAME);
    let held = [
        small.files.saturating_mul(TREE_FILE),
        small.files.saturating_add(planted.directories).saturating_mul(ENTRY),
        planted.directories.saturating_mul(bytes_of::<Directory>()),
    ];
    let of = |per_block: u64| {
        let data = planted.data.saturating_mul(per_block);
        let metadata = planted.metadata.saturating_mul(per_block + METADATA);
        sum([data, metadata].into_iter().chain(held)).saturating_mul(planted.times)
    };
    let files = format!("the [[tree]] “{}” with files = {}", full.name, full.files);
    let what = match planted.times - 1 {
        0 => files,
        copies => format!("{files}, copied {copies} times"),
    };
    Part { what, memory_min: of(BLOCK_MIN).max(drawn), memory_max: of(per_block).max(drawn) }
}

/// What there is to be read, and in how many parts a request for a block may be.
#[derive(Clone, Copy)]
struct Readable {
    columns: u64,
    blocks: u64,
}

fn of_phase(full: &Phase, phase: &Phase, scenario: &Scenario, readable: Readable) -> Part {
    let Readable { columns, blocks } = readable;
    let clients = (phase.clients.len() as u64).saturating_mul(2 * bytes_of::<Client>() + (1 << 10));
    let slots = sum(phase.clients.iter().map(|client| u64::from(client.depth.max(1))));
    let asked = sum(phase.clients.iter().map(|client| {
        let io = client.io_max.unwrap_or(client.io).0;
        let record = scenario.recordsize_of(client, &scenario.system).0.max(512);
        u64::from(client.depth.max(1)).saturating_mul(io / record + 2)
    }));
    // A block is brought once, whoever waits for it.
    let requests = asked.min(blocks.saturating_mul(2));
    let visits = sum(phase.clients.iter().map(|client| visits(client, scenario)));
    let slots_bytes = slots.saturating_mul(bytes_of::<IoSlot>() + 64);
    let records = records(phase, scenario);
    let held_min = [clients, slots_bytes, visits.saturating_mul(VISIT / 2)];
    let more = [
        requests.saturating_mul(REQUEST_BYTES * (1 + columns)),
        asked.saturating_mul(8),
        records.saturating_mul(RECORD),
    ];
    let visiting = visits.saturating_mul(VISIT);
    let (name, of_slots) = (&full.name, sum([clients, slots_bytes].into_iter().chain(more)));
    let what = if visiting > of_slots {
        format!("the {visits} files that clients of the [[phase]] “{name}” visit (amount, count)")
    } else {
        format!("the {slots} concurrent requests of the [[phase]] “{name}” (depth, count)")
    };
    Part { what, memory_min: sum(held_min), memory_max: of_slots.saturating_add(visiting) }
}

/// Returns how many files of a tree a client visits, as a list that is made when it begins.
pub(super) fn visits(client: &Spec, scenario: &Scenario) -> u64 {
    let tree = scenario.trees.iter().find(|tree| tree.name == client.file);
    let Some(tree) = tree.filter(|_| client.action.is_on_tree()) else { return 0 };
    let mean = tree.size_min.0.midpoint(tree.size_max.0).max(1);
    tree.files.max(client.amount.map_or(0, |amount| amount.0 / mean + 1))
}

/// Returns how many writes are in groups that are not on the disks yet, at most: three groups, each of which
/// ends after a fifth of what may be dirty, whoever wrote it. Writes to the same places again make nothing
/// more dirty; then a group ends after five seconds, of a million writes each.
fn records(phase: &Phase, scenario: &Scenario) -> u64 {
    const ANYWHERE_MAX: u64 = 15_000_000;
    let dirty = (scenario.system.memory.0 / 10).min(Bytes::gib(4).0);
    let writers =
        || phase.clients.iter().filter(|client| changes(client) && !client.action.is_on_tree());
    let asked =
        writers().map(|client| super::time::moved(client, scenario) / client.io.0.max(1) + 1);
    let at_once = writers().map(|client| match client.pattern {
        Pattern::Sequential | Pattern::SequentialApart => dirty / 5 * 3 / client.io.0.max(1),
        Pattern::Random | Pattern::Shuffled | Pattern::Zipf { .. } => ANYWHERE_MAX,
    });
    sum(asked).min(at_once.max().unwrap_or(0).saturating_add(phase.clients.len() as u64))
}

fn disks_of(system: &System) -> u64 {
    let pool = &system.pool;
    let vdevs = pool.data.iter().chain(&pool.special).chain(&pool.log);
    let disks: usize = vdevs.map(|vdev| vdev.disks.len()).sum();
    (disks + pool.cache.len()) as u64
}

/// Returns the most parts that a request for a block has, on as many disks.
fn columns_of(system: &System) -> u64 {
    let sectors = system.pool.recordsize.0 >> system.pool.ashift;
    let columns = system.pool.data.iter().map(|vdev| match vdev.layout {
        VdevLayout::Single => 1,
        VdevLayout::Mirror => vdev.disks.len() as u64,
        VdevLayout::Raidz1 | VdevLayout::Raidz2 | VdevLayout::Raidz3 => {
            (vdev.disks.len() as u64).min(sectors.saturating_mul(2) + 3)
        }
        // A block that reaches into the next group has as many there.
        VdevLayout::Draid { parity, data, .. } => 2 * (u64::from(parity) + u64::from(data)),
    });
    columns.fold(1, u64::max)
}

fn changes(client: &Spec) -> bool {
    client.action.writes()
}

/// Returns the sum, or the largest number there is.
pub(super) fn sum(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0, u64::saturating_add)
}
