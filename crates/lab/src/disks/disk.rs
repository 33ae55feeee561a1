//! One emulated disk: its contents in memory, its speed from a device model.
//!
//! The contents are a mapping: private on top of the pool's image for a data disk, so that every
//! arm starts from the very same state and leaves no trace; plain memory for a fresh cache or log
//! device. The time of a request is asked of its device ([`arcwright_device::DeviceGroup`]), which other disks
//! may share, at its virtual arrival, and the calling thread waits until the model says it is done: by events in the schedule
//! ([`crate::schedule`]), by the real clock asleep.
//!
//! ```text
//!   real clock:
//!   thread ── submit(now) ──> Device          several threads wait on one disk; the one with the
//!          <── next_event ──                  earliest event sleeps with a deadline, the others
//!          ── sleep … advance(now) ──>        until they are woken
//!          <── completions: wakes the others
//! ```

use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arcwright_device::{Io, Request};
use arcwright_scenario::{DeviceFacts, DeviceRun, Role};

use super::device::EmulatedDevice;
use super::durable::DurableImage;
use super::mapping::Mapping;
use super::{Contents, DiskSpec};
use crate::LabError;

/// A disk of the lab.
#[derive(Debug)]
pub(crate) struct EmulatedDisk {
    /// Its name: `data-0-1`, `cache-0`.
    pub(crate) name: String,
    /// Its role in the pool.
    pub(crate) role: Role,
    /// Name of its profile.
    pub(crate) profile: String,
    path: PathBuf,
    rotational: bool,
    armed: AtomicBool,
    memory: Mapping,
    durable: Option<DurableImage>,
    device: Arc<EmulatedDevice>,
    /// Which part of the device it is.
    part: usize,
    part_of: Option<String>,
    /// The link that it is behind.
    link: Option<String>,
}

impl EmulatedDisk {
    /// Maps the contents; the disk is a part of `device`.
    ///
    /// # Errors
    /// [`LabError`] when the file cannot be opened or mapped.
    pub(super) fn new(spec: DiskSpec, device: Arc<EmulatedDevice>) -> Result<Self, LabError> {
        let memory = Mapping::new(&spec)?;
        let is_kept = spec.contents == Contents::Durable;
        let durable = is_kept.then(|| DurableImage::new(&spec)).transpose()?;
        Ok(Self {
            rotational: spec.profile.is_rotational(),
            profile: spec.profile.name().to_owned(),
            armed: AtomicBool::new(false),
            memory,
            durable,
            device,
            part: spec.on.member,
            part_of: spec.part_of,
            link: spec.link.map(|link| link.name),
            name: spec.name,
            role: spec.role,
            path: spec.path,
        })
    }

    /// Returns the path of its file as the library names it.
    pub(crate) fn path_bytes(&self) -> &[u8] {
        self.path.as_os_str().as_bytes()
    }

    /// Returns whether it turns.
    pub(crate) fn is_rotational(&self) -> bool {
        self.rotational
    }

    /// From now on requests take time and are counted; before, the pool is only being imported.
    pub(crate) fn arm(&self) {
        self.armed.store(true, Ordering::Release);
    }

    /// Returns what it has done so far.
    pub(crate) fn run(&self) -> DeviceRun {
        let counters = self.device.counters(self.part);
        let facts = DeviceFacts {
            name: &self.name,
            role: self.role,
            profile: &self.profile,
            part_of: self.part_of.as_deref(),
            link: self.link.as_deref(),
        };
        DeviceRun::of(facts, counters, self.device.link_counters())
    }

    /// Reads into `target` and returns how many bytes there were, once the device is done.
    pub(crate) fn read(&self, offset: u64, target: &mut [u8]) -> usize {
        let Some(part) = self.memory.part(offset, target.len()) else { return 0 };
        let ticket = self.submit(Io::Read, offset, part.size());
        part.read(target);
        self.device.wait(ticket);
        part.size()
    }

    /// Writes `source` and returns how many bytes fitted, once the device is done.
    pub(crate) fn write(&self, offset: u64, source: &[u8]) -> usize {
        let Some(part) = self.memory.part(offset, source.len()) else { return 0 };
        let size = part.size();
        let ticket = self.submit(Io::Write, offset, size);
        part.write(source);
        self.device.wait(ticket);
        if let Some(durable) = &self.durable {
            let is_armed = self.armed.load(Ordering::Acquire);
            durable.written(offset, source.get(..size).unwrap_or(source), is_armed);
        }
        size
    }

    /// Waits until everything written is stable. What other disks wrote to a device that they share is only
    /// stable by flushes of their own: the hard case.
    pub(crate) fn flush(&self) {
        let mark = self.durable.as_ref().map(DurableImage::mark);
        let ticket = self.submit(Io::Flush, 0, 0);
        self.device.wait(ticket);
        if let (Some(durable), Some(mark)) = (&self.durable, mark) {
            durable.flushed(mark);
        }
    }

    /// Hands a request to the device; `None` when it took no time.
    fn submit(&self, io: Io, offset: u64, size: usize) -> Option<u32> {
        #[expect(clippy::expect_used, reason = "OpenZFS joins reads and writes up to 16 MiB")]
        let size = u32::try_from(size).expect("a request of 4 GiB or more");
        if !self.armed.load(Ordering::Acquire) {
            return None;
        }
        self.device.submit(self.part, Request { io, offset, size })
    }
}
