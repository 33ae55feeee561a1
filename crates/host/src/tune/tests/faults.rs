//! A file system that fails, or stops the machine, at one operation of choice.

use std::cell::Cell;
use std::io::{self, Write as _};

use super::super::{Disk, Files, Kind};
use crate::root::{Open, RootedPath};

/// What happens at the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The machine stops before it.
    StopBefore,
    /// The machine stops after it, and nobody learns that it was done.
    StopAfter,
    /// The machine stops in the middle: half of the bytes are there.
    StopWithin,
    /// It fails, and all others work.
    Fail,
    /// Half of the bytes are written, then it fails, and all others work: a disk that is full.
    FailWithin,
}

pub(super) const FAULTS: [Fault; 5] =
    [Fault::StopBefore, Fault::StopAfter, Fault::StopWithin, Fault::Fail, Fault::FailWithin];

/// The file system with a fault at one operation.
#[derive(Debug)]
pub(super) struct Faulty {
    fault: Fault,
    /// Operations until the fault.
    left: Cell<usize>,
    stopped: Cell<bool>,
    struck: Cell<bool>,
}

impl Faulty {
    pub(super) fn new(fault: Fault, at: usize) -> Self {
        let (stopped, struck) = (Cell::new(false), Cell::new(false));
        Self { fault, left: Cell::new(at), stopped, struck }
    }

    /// Says whether the operation of choice was reached.
    pub(super) fn struck(&self) -> bool {
        self.struck.get()
    }

    fn perform<T>(
        &self,
        whole: impl FnOnce() -> io::Result<T>,
        half: impl FnOnce(),
    ) -> io::Result<T> {
        let failed = || io::Error::other("a fault of the test");
        if self.stopped.get() {
            return Err(failed());
        }
        let left = self.left.get();
        self.left.set(left.wrapping_sub(1));
        if left != 0 {
            return whole();
        }
        self.struck.set(true);
        let stops = matches!(self.fault, Fault::StopBefore | Fault::StopAfter | Fault::StopWithin);
        self.stopped.set(stops);
        match self.fault {
            Fault::StopBefore | Fault::Fail => {}
            Fault::StopAfter => drop(whole()),
            Fault::StopWithin | Fault::FailWithin => half(),
        }
        Err(failed())
    }
}

fn half_of(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len() / 2]
}

/// The file system without the waits for the disk, which no test can see.
#[derive(Debug)]
pub(super) struct Quick;

impl Files for Quick {
    fn read(&self, place: &RootedPath) -> io::Result<Option<Vec<u8>>> {
        Disk.read(place)
    }

    fn kind(&self, place: &RootedPath) -> io::Result<Option<Kind>> {
        Disk.kind(place)
    }

    fn fill(&self, place: &RootedPath, bytes: &[u8], like: &RootedPath) -> io::Result<()> {
        Disk.fill(place, bytes, like)
    }

    fn append(&self, place: &RootedPath, bytes: &[u8]) -> io::Result<()> {
        place.open(Open::Append)?.write_all(bytes)
    }

    fn sync(&self, place: &RootedPath) -> io::Result<()> {
        place.told()?.map(|_| ()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn rename(&self, from: &RootedPath, to: &RootedPath) -> io::Result<()> {
        Disk.rename(from, to)
    }

    fn remove(&self, place: &RootedPath) -> io::Result<()> {
        Disk.remove(place)
    }

    fn make_folder(&self, place: &RootedPath) -> io::Result<()> {
        Disk.make_folder(place)
    }

    fn store(&self, place: &RootedPath, bytes: &[u8]) -> io::Result<()> {
        Disk.store(place, bytes)
    }
}

impl Files for Faulty {
    fn read(&self, place: &RootedPath) -> io::Result<Option<Vec<u8>>> {
        self.perform(|| Quick.read(place), || ())
    }

    fn kind(&self, place: &RootedPath) -> io::Result<Option<Kind>> {
        self.perform(|| Quick.kind(place), || ())
    }

    fn fill(&self, place: &RootedPath, bytes: &[u8], like: &RootedPath) -> io::Result<()> {
        let half = || Quick.fill(place, half_of(bytes), like).unwrap();
        self.perform(|| Quick.fill(place, bytes, like), half)
    }

    fn append(&self, place: &RootedPath, bytes: &[u8]) -> io::Result<()> {
        let half = || Quick.append(place, half_of(bytes)).unwrap();
        self.perform(|| Quick.append(place, bytes), half)
    }

    fn sync(&self, place: &RootedPath) -> io::Result<()> {
        self.perform(|| Quick.sync(place), || ())
    }

    fn rename(&self, from: &RootedPath, to: &RootedPath) -> io::Result<()> {
        self.perform(|| Quick.rename(from, to), || ())
    }

    fn remove(&self, place: &RootedPath) -> io::Result<()> {
        self.perform(|| Quick.remove(place), || ())
    }

    fn make_folder(&self, place: &RootedPath) -> io::Result<()> {
        self.perform(|| Quick.make_folder(place), || ())
    }

    fn store(&self, place: &RootedPath, bytes: &[u8]) -> io::Result<()> {
        // The kernel takes a value from one write; there is no half.
        self.perform(|| Quick.store(place, bytes), || ())
    }
}
