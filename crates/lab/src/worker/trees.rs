//! Clients that walk trees of small files: file by file, directory by directory.
//!
//! What the kernel's file system does for them is in [`crate::zpool::znode`]; here is what programs ask
//! for. A directory that is entered is looked up in the root and listed with `getdents`; it stays open
//! while the program works in it. Each of its files is looked up and its dnode held (`stat`), then read,
//! or read and written into a new file. What is closed is let go: the inodes and names that a kernel
//! keeps of files used before are left out, since they would take more memory than a scaled machine
//! has, and the ARC asks for them back when metadata is short.
//!
//! ```text
//!   stat   lookup ─ hold dnode
//!   read   lookup ─ hold dnode ─ read … read ─ close
//!   copy   lookup ─ hold dnode ─ lookup of the target (none) ─ create ─ read, write … ─ close both
//! ```

use std::sync::atomic::Ordering;

use arcwright_scenario::Tally;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::{Action, Client, TreeFiles};

use super::clients::{Shared, SlotRun};
use crate::LabError;
use crate::schedule::{self, Clock};
use crate::zpool::znode::{Dataset, Kind, Location, Znode};

/// What `getdents` returns at once: 32 KiB of records, 40 bytes for a name of ours.
const NAMES_PER_CALL: usize = (32 << 10) / 40;

/// A tree, and who walks it how.
pub(super) struct Walk<'a> {
    /// The client.
    pub(super) client: &'a Client,
    /// What tells the client's random stream from the others.
    pub(super) name: String,
    /// Seed of every random stream.
    pub(super) seed: u64,
    /// The tree.
    pub(super) tree: &'a PopulatedTree<'a>,
    /// The dataset's `recordsize`.
    pub(super) recordsize: Bytes,
}

/// A tree in a dataset.
#[derive(Debug)]
pub(crate) struct PopulatedTree<'a> {
    /// What is in it.
    pub(crate) files: TreeFiles,
    /// The object of its root.
    pub(crate) root: u64,
    /// Where it lies.
    pub(crate) dataset: Dataset<'a>,
}

/// Runs a client that works on a tree to the end.
///
/// A scan that comes first takes part of the client's time, but only copies are counted as operations.
///
/// # Errors
/// [`LabError::Zfs`] when OpenZFS refuses something.
pub(super) fn run(
    walk: &Walk<'_>,
    (shared, progress): (&Shared, &(dyn Fn(u64) + Sync)),
) -> Result<SlotRun, LabError> {
    let client = walk.client;
    let clock = Clock::get();
    clock.sleep_until(shared.start + client.start);
    let began = clock.now();
    let mut done = Tally::default();
    let result = visit_all(walk, &mut done, (shared, progress));
    if result.is_err() {
        shared.failed.store(true, Ordering::Relaxed);
    }
    result.map(|()| SlotRun { done, began, end: clock.now() })
}

fn visit_all(
    walk: &Walk<'_>,
    done: &mut Tally,
    (shared, progress): (&Shared, &(dyn Fn(u64) + Sync)),
) -> Result<(), LabError> {
    let (client, clock) = (walk.client, Clock::get());
    let began = clock.now();
    let scan_first = client.action == Action::TreeCopy { scan_first: true };
    if scan_first {
        let mut walker = Walker::new(walk)?;
        for file in walk.tree.files.visits(client, walk.seed, &walk.name) {
            if shared.is_over(clock) {
                return Ok(());
            }
            walker.enter(file, true)?;
            drop(walker.open(file)?);
        }
    }
    let mut walker = Walker::new(walk)?;
    for file in walk.tree.files.visits(client, walk.seed, &walk.name) {
        if shared.is_over(clock) {
            break;
        }
        let asked = clock.now();
        walker.enter(file, !scan_first)?;
        let size = match client.action {
            Action::TreeRead => walker.read(file)?,
            Action::TreeCopy { .. } => walker.copy(file)?,
            _ => walker.open(file).map(|_| Bytes::ZERO)?,
        };
        done.count(size, clock.now() - asked);
        if matches!(client.action, Action::TreeCopy { .. }) {
            shared.samples.wrote(size);
        }
        shared.moved(size, progress);
        clock.sleep(client.think);
        if let Some(rate) = client.rate {
            clock.sleep_until(began + rate.time_for(done.bytes));
        }
    }
    Ok(())
}

/// A program on its way through a tree.
struct Walker<'a> {
    walk: &'a Walk<'a>,
    root: Znode<'a>,
    /// Where a copy goes, when there is one.
    target: Option<Znode<'a>>,
    /// The directory it works in.
    here: Option<Here<'a>>,
    buffer: Vec<u8>,
}

struct Here<'a> {
    number: u64,
    source: Znode<'a>,
    target: Option<Znode<'a>>,
}

impl<'a> Walker<'a> {
    fn new(walk: &'a Walk<'a>) -> Result<Self, LabError> {
        let root = walk.tree.dataset.open(walk.tree.root)?;
        let buffer = vec![0u8; usize::try_from(walk.client.io.0).unwrap_or(0)];
        Ok(Self { walk, root, target: None, here: None, buffer })
    }

    /// Goes to the directory of `file` unless it is there already, and lists it on the way.
    fn enter(&mut self, file: u64, list: bool) -> Result<(), LabError> {
        let number = self.walk.tree.files.directory_of(file);
        if self.here.as_ref().is_some_and(|here| here.number == number) {
            return Ok(());
        }
        self.here = None;
        let name = TreeFiles::directory_name(number);
        let source = found(self.root.lookup(&name)?, &name)?;
        let source = self.walk.tree.dataset.open(source)?;
        self.call(Bytes::ZERO);
        if list {
            self.list(&source)?;
        }
        self.here = Some(Here { number, source, target: None });
        Ok(())
    }

    /// Lists a directory. The lookup that opened it has set its flag for prefetching dnodes, and the
    /// first `getdents` clears it (`zfs_readdir`).
    fn list(&self, directory: &Znode<'_>) -> Result<(), LabError> {
        let dataset = self.walk.tree.dataset;
        let mut place = 0;
        loop {
            let mut names = 0;
            let next = directory.list(place, NAMES_PER_CALL, &mut |number| {
                names += 1;
                if place == 0 {
                    dataset.prefetch(number);
                }
            })?;
            self.call(Bytes(names * 40));
            match next {
                Some(next) => place = next,
                None => return Ok(()),
            }
        }
    }

    /// Looks a file up and holds its dnode.
    fn open(&self, file: u64) -> Result<Znode<'a>, LabError> {
        let name = TreeFiles::file_name(file);
        let number = match &self.here {
            Some(here) => found(here.source.lookup(&name)?, &name)?,
            None => found(None, &name)?,
        };
        let open = self.walk.tree.dataset.open(number)?;
        self.call(Bytes::ZERO);
        Ok(open)
    }

    fn read(&mut self, file: u64) -> Result<Bytes, LabError> {
        let source = self.open(file)?;
        let size = self.walk.tree.files.size(file);
        let mut offset = 0;
        while offset < size.0 {
            offset += self.read_part(&source, offset, size)?;
        }
        drop(source);
        self.call(Bytes::ZERO);
        Ok(size)
    }

    fn copy(&mut self, file: u64) -> Result<Bytes, LabError> {
        let source = self.open(file)?;
        let target = self.create(file)?;
        let size = self.walk.tree.files.size(file);
        let mut offset = 0;
        while offset < size.0 {
            let part = self.read_part(&source, offset, size)?;
            let (bytes, _) = self.buffer.split_at(usize::try_from(part).unwrap_or(0));
            target.append(offset, bytes, self.walk.recordsize, Clock::get().now().0)?;
            self.call(Bytes(part));
            offset += part;
        }
        drop((source, target));
        self.call(Bytes::ZERO);
        self.call(Bytes::ZERO);
        Ok(size)
    }

    /// Reads the next part of a file into the buffer and returns its size.
    fn read_part(&mut self, source: &Znode<'_>, offset: u64, size: Bytes) -> Result<u64, LabError> {
        let part = self.walk.client.io.0.min(size.0 - offset);
        let (target, _) = self.buffer.split_at_mut(usize::try_from(part).unwrap_or(0));
        source.read(offset, target)?;
        self.call(Bytes(part));
        Ok(part)
    }

    /// Creates the copy of `file`, and the directories it needs. The name is looked up twice in vain: to
    /// see whether it is there, and by the file system when it creates it.
    fn create(&mut self, file: u64) -> Result<Znode<'a>, LabError> {
        let dataset = self.walk.tree.dataset;
        let time = Clock::get().now().0;
        if self.target.is_none() {
            self.target = Some(dataset.create(Kind::Directory, None, time)?);
        }
        if let (Some(here), Some(root)) = (&mut self.here, &self.target)
            && here.target.is_none()
        {
            let name = TreeFiles::directory_name(here.number);
            let made = match root.lookup(&name)? {
                Some(number) => dataset.open(number)?,
                None => dataset.create(
                    Kind::Directory,
                    Some(Location { parent: root, name: &name }),
                    time,
                )?,
            };
            here.target = Some(made);
        }
        let directory = self.here.as_ref().and_then(|here| here.target.as_ref());
        let name = TreeFiles::file_name(file);
        let lost = || LabError::Worker { what: "lost its target directory".to_owned() };
        let directory = directory.ok_or_else(lost)?;
        if directory.lookup(&name)?.is_some() {
            // It goes round, and the next copy is a tree of its own.
            self.target = None;
            self.here.iter_mut().for_each(|here| here.target = None);
            return self.create(file);
        }
        directory.lookup(&name)?;
        let made =
            dataset.create(Kind::File, Some(Location { parent: directory, name: &name }), time)?;
        self.call(Bytes::ZERO);
        Ok(made)
    }

    /// Spends what a system call costs that carries `size`, and waits for the link.
    fn call(&self, size: Bytes) {
        schedule::spend_on_call(usize::try_from(size.0).unwrap_or(0));
        let link = self.walk.client.link;
        Clock::get().sleep(link.map_or(Nanos::ZERO, |link| link.time(size)));
    }
}

fn found(number: Option<u64>, name: &str) -> Result<u64, LabError> {
    number.ok_or_else(|| LabError::Worker { what: format!("misses “{name}” in its tree") })
}
