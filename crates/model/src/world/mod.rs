//! The whole stack at work: what each event does.
#![expect(
    clippy::indexing_slicing,
    reason = "indices are numbers made here: blocks, leaves, requests"
)]

mod background;
mod changes;
mod log;
mod memory;
mod reads;
mod sync;

use arcwright_device::Completion;
use arcwright_scenario::{Costs, Role};
use arcwright_units::{Bytes, Nanos};

use crate::arc::Arc;
use crate::behaviour::{ArcRules, Behaviour};
use crate::blocks::{Block, Blocks};
use crate::client::{Client, Lane};
use crate::cores::Cores;
use crate::dbufs::Dbufs;
use crate::dirty::Dirty;
use crate::events::{Event, Events};
use crate::l2arc::{L2arc, Pass};
use crate::settings::Settings;
use crate::throttle::Throttle;
use crate::txg::Groups;
use crate::vdev::geometry::{Column, Shape};
use crate::vdev::leaf::Leaf;
use crate::vdev::queue::{Class, Waiting};
use crate::zfetch::Zfetch;
use crate::zil::Zil;
pub(crate) use log::{LogRules, LogVdevs};
use sync::Sync;

const NONE: u32 = u32::MAX;
/// Lock operations from a request's last part to the thread that waits for it.
const STEPS_TO_FINISH: u64 = 60;
/// `zfs_vdev_write_gap_limit`.
const WRITE_GAP: u64 = 4096;
/// How long before the first pass of the feed the pool's last group began to be written, in the lab.
const BEFORE_FEED: Nanos = Nanos::secs(3);

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// A block is read from the pool or the L2ARC.
    Read { block: Block, from_l2: bool },
    /// The feed writes a batch.
    Feed,
    /// A changed block is written with its group.
    Write { block: Block, vdev: u32 },
    /// What a group writes for itself, and the flushes at its end.
    Group,
    /// A block of the intent log, or one that it points to.
    Log { number: u32 },
    /// The flushes for a block of the intent log.
    LogFlush { number: u32 },
}

/// A read or write of a block, in as many parts as it has columns.
#[derive(Debug)]
struct RequestState {
    purpose: Purpose,
    class: Class,
    pending: u32,
    /// Somebody waits for it.
    demanded: bool,
    clients: Vec<u32>,
    /// What a stream asked for, when it is a prefetch.
    prefetch: Option<Prefetch>,
    ios: Vec<u32>,
}

/// A block of a file that a stream asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefetch {
    pub(crate) file: u32,
    pub(crate) stream: u32,
    /// The block's number in the file, or one that no reader reaches when it is an indirect block.
    pub(crate) index: u32,
}

/// A part of a request on one disk.
#[derive(Debug, Clone, Copy)]
struct IoState {
    request: u32,
    leaf: u32,
    waiting: Waiting,
    queued: bool,
}

/// Memory of a request without its parts, or of a part: its state, its lists, its places in a queue, and an
/// event.
pub(crate) const REQUEST_BYTES: u64 =
    (size_of::<RequestState>() + size_of::<IoState>() + 64) as u64;

/// The stack.
pub(crate) struct World {
    pub(crate) blocks: Blocks,
    pub(crate) arc: Arc,
    pub(crate) dbufs: Dbufs,
    pub(crate) zfetches: Vec<Zfetch>,
    pub(crate) l2arc: L2arc,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) events: Events,
    pub(crate) costs: Costs,
    pub(crate) cores: Cores,
    pub(crate) clients: Vec<Client>,
    pub(crate) lanes: Vec<Lane>,
    /// How many of them have not come to their end.
    pub(crate) lanes_at_work: usize,
    pub(crate) now: Nanos,
    /// Prefetches of data blocks under way.
    pub(crate) prefetches: u64,
    /// Data blocks to prefetch once an indirect block is there.
    behind: Vec<(Block, Prefetch)>,
    pub(crate) behaviour: Behaviour,
    pub(crate) settings: Settings,
    /// The trees that copies make, in the order in which clients come to them.
    pub(crate) copies: std::ops::Range<usize>,
    /// Which dnodes of each block of dnodes are made.
    pub(crate) dnodes: Vec<u32>,
    /// Whether data and metadata stay in memory after use (`primarycache`).
    pub(crate) kept: [bool; 2],
    /// Whether sequential readers of data are followed.
    pub(crate) prefetches_data: bool,
    pub(crate) dirty: Dirty,
    pub(crate) throttle: Throttle,
    pub(crate) groups: Groups,
    pub(crate) zil: Zil,
    pub(crate) log: LogVdevs,
    pub(crate) log_rules: LogRules,
    sync: Sync,
    /// When the next group is written if nobody asks; never, while nothing is dirty.
    timeout: Nanos,
    shapes: Vec<Shape>,
    /// The first leaf of each top-level vdev.
    bases: Vec<u32>,
    requests: Vec<RequestState>,
    free_requests: Vec<u32>,
    ios: Vec<IoState>,
    free_ios: Vec<u32>,
    /// The complement of the request that is bringing a block: zero, which is free to have, where there is
    /// none.
    bringing: Vec<u32>,
    /// Which blocks were filled and not written since: there is one copy of them, the dbuf's.
    filled: Vec<bool>,
    pass: Option<Pass>,
    columns: Vec<Column>,
    done: Vec<Completion>,
    /// Which disk wants to be asked first, and when.
    first_due: (u32, Nanos),
}

/// The parts that a world is put together from.
pub(crate) struct Parts {
    pub(crate) blocks: Blocks,
    pub(crate) arc: Arc,
    pub(crate) l2arc: L2arc,
    pub(crate) zfetches: Vec<Zfetch>,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) bases: Vec<u32>,
    pub(crate) costs: Costs,
    pub(crate) behaviour: Behaviour,
    pub(crate) settings: Settings,
    pub(crate) kept: [bool; 2],
    pub(crate) memory: Bytes,
    pub(crate) cores: u32,
    pub(crate) log: LogVdevs,
    pub(crate) log_rules: LogRules,
}

impl World {
    pub(crate) fn new(parts: Parts, epoch: Nanos, first_feed: Nanos) -> Self {
        let (count, files) = (parts.blocks.len(), parts.blocks.files.len());
        let dnodes = parts.blocks.dnode_blocks();
        let copies = parts.blocks.copies();
        let settings = parts.settings;
        let dirty = Dirty::new(count, &settings, parts.behaviour, parts.memory);
        // Just before the first phase, as in the lab: the pool's last group ended when it was opened.
        let opened = Nanos(first_feed.0.saturating_sub(BEFORE_FEED.0));
        let timeout = Nanos::secs(settings.txg_timeout_secs);
        let mut world = Self {
            dbufs: Dbufs::new(count),
            events: Events::default(),
            clients: Vec::new(),
            lanes: Vec::new(),
            lanes_at_work: 0,
            now: epoch,
            prefetches: 0,
            behind: Vec::new(),
            requests: Vec::new(),
            free_requests: Vec::new(),
            ios: Vec::new(),
            free_ios: Vec::new(),
            bringing: vec![!NONE; count],
            filled: vec![false; count],
            pass: None,
            columns: Vec::new(),
            done: Vec::new(),
            first_due: (0, Nanos::MAX),
            blocks: parts.blocks,
            arc: parts.arc,
            zfetches: parts.zfetches,
            l2arc: parts.l2arc,
            leaves: parts.leaves,
            costs: parts.costs,
            cores: Cores::new(parts.cores),
            behaviour: parts.behaviour,
            kept: parts.kept,
            dnodes: vec![0; dnodes],
            copies,
            // Up to 2.1 what is not kept is not prefetched (`dbuf_read`).
            prefetches_data: parts.kept[0] || parts.behaviour.arc == ArcRules::Fractions,
            settings,
            dirty,
            throttle: Throttle::new(settings.delay_scale),
            groups: Groups::new(timeout, opened),
            zil: Zil::new(files, parts.behaviour.log_planning, settings.commit_timeout_percent),
            log: parts.log,
            log_rules: parts.log_rules,
            sync: Sync::new(parts.cores),
            timeout: Nanos::MAX,
            shapes: parts.shapes,
            bases: parts.bases,
        };
        for leaf in world.leaves.iter_mut().filter(|leaf| leaf.role != Role::Cache) {
            leaf.queue.keep_least();
        }
        for (base, shape) in world.bases.iter().zip(&world.shapes) {
            // A block that is not a multiple of what the geometry hands out leaves a sector between.
            let leaves = *base..*base + u32::try_from(shape.disks).unwrap_or(0);
            for leaf in leaves.filter(|_| shape.parity() > 0) {
                world.leaves[leaf as usize].queue.fill_gaps(WRITE_GAP);
            }
        }
        if !world.l2arc.is_empty() {
            world.events.push(first_feed, Event::Feed);
        }
        world
    }

    /// Works off events until `over` says so, or nothing is left to happen.
    pub(crate) fn run(&mut self, over: &dyn Fn(&Self) -> bool) {
        while !over(self) && self.step(Nanos::MAX) {}
    }

    /// Lets time pass until `over` says so, or until `instant`.
    pub(crate) fn run_to(&mut self, over: &dyn Fn(&Self) -> bool, instant: Nanos) {
        while !over(self) {
            if !self.step(instant) {
                self.now = self.now.max(instant);
                return;
            }
        }
    }

    /// Lets time pass until `instant`.
    pub(crate) fn run_until(&mut self, instant: Nanos) {
        self.run_to(&|_| false, instant);
    }

    /// Does what happens next, if that is by `end`; says whether there was something.
    fn step(&mut self, end: Nanos) -> bool {
        let (leaf, due) = self.first_due;
        // At one instant disks come first.
        if let Some((at, event)) = self.events.pop_before(due.min(end + Nanos(1))) {
            self.now = self.now.max(at);
            self.handle(event);
        } else if due <= end && due < Nanos::MAX {
            self.now = self.now.max(due);
            self.device_event(leaf);
        } else {
            return false;
        }
        true
    }

    /// Notes that a lane has come to its end.
    pub(crate) fn end_lane(&mut self, number: u32, now: Nanos) {
        if self.lanes[number as usize].end.replace(now).is_none() {
            self.lanes_at_work -= 1;
        }
    }

    /// Returns when something happens next.
    pub(crate) fn next_event(&self) -> Nanos {
        self.events.next().min(self.first_due.1)
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Client(number) => crate::client::go_on(self, number, true),
            Event::GoOn(number) => crate::client::go_on(self, number, false),
            Event::Enqueue(request) => self.arrive(request),
            Event::Queue(request) => self.enqueue(request),
            Event::Done { leaf, slot } => self.batch_done(leaf, slot),
            Event::Evict => self.evict(),
            Event::Feed => self.feed(),
            Event::Resume(lane) => crate::client::resume(self, lane),
            Event::Commit(lane) => crate::client::wait_for_log(self, lane),
            Event::Timeout => self.group_timeout(),
            Event::Sync => self.begin_sync(),
            Event::Write => self.write_on(),
            Event::Stage => self.next_stage(),
            Event::Log(number) => self.write_log(number),
            Event::WriteAhead { block, number } => self.write_ahead(block, number),
            Event::LogTimeout(number) => self.log_timeout(number),
        }
    }

    /// Returns the time that `steps` lock operations take.
    pub(crate) fn steps(&self, steps: u64) -> Nanos {
        Nanos(self.costs.step.0 * steps)
    }

    /// Hands to a disk what its queue lets go.
    fn pump(&mut self, number: u32, is_done: bool) {
        let Self { leaves, ios, .. } = self;
        let leaf = &mut leaves[number as usize];
        if leaf.queue.is_empty() {
            return;
        }
        let (writes, least) = (self.dirty.active_writes(), self.settings.active_max[3]);
        leaf.queue.look(is_done);
        let mut is_busier = false;
        leaf.queue.allow_writes(if leaf.role.holds_pool() { writes } else { least });
        while let Some(batch) = leaf.queue.pick() {
            is_busier = true;
            for io in &batch.ios {
                ios[*io as usize].queued = false;
            }
            leaf.issue(self.now, batch);
        }
        if is_busier {
            self.expect_device(number);
        }
    }

    /// Takes note of when a disk wants to be asked next, after something was done to it.
    fn expect_device(&mut self, number: u32) {
        let leaf = &mut self.leaves[number as usize];
        leaf.due = leaf.next_event().unwrap_or(Nanos::MAX);
        let (first, due) = self.first_due;
        if leaf.due < due {
            self.first_due = (number, leaf.due);
            return;
        }
        if number > first || (number < first && leaf.due > due) {
            // Another disk is the first, as before.
            return;
        }
        self.first_due = (0, Nanos::MAX);
        for (leaf, number) in self.leaves.iter().zip(0..) {
            if leaf.due < self.first_due.1 {
                self.first_due = (number, leaf.due);
            }
        }
    }

    fn device_event(&mut self, number: u32) {
        let Self { leaves, done, events, costs, cores, .. } = self;
        let leaf = &mut leaves[number as usize];
        done.clear();
        leaf.advance(self.now, done);
        for completion in done {
            let slot = completion.ticket;
            let checksum = costs.checksum(leaf.checked_bytes(slot));
            let checked = cores.work(completion.at, costs.switch + checksum);
            events.push(checked, Event::Done { leaf: number, slot });
        }
        self.expect_device(number);
    }

    fn batch_done(&mut self, number: u32, slot: u32) {
        let Some(batch) = self.leaves[number as usize].finish(slot) else { return };
        for io in &batch.ios {
            let request = self.ios[*io as usize].request;
            self.free_ios.push(*io);
            let state = &mut self.requests[request as usize];
            state.pending -= 1;
            if state.pending == 0 {
                self.request_done(request);
            }
        }
        self.leaves[number as usize].queue.take_back(batch.ios);
        self.pump(number, true);
    }
}
