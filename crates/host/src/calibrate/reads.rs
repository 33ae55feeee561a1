//! A disk or file as a target of a probe: reads of whole pages into memory of its own, timed one by one.
//!
//! It is open for reading alone, so that nothing here can change it.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use arcwright_device::probe::{ProbeError, ProbeRead, ProbeTarget, ReadTime};
use arcwright_units::{Bytes, Nanos};

use super::look::{DeviceLook, LookError};

/// Is told what is measured and which part of the whole is done.
pub type ReadProgress = Box<dyn FnMut(&str, f64) + Send>;

/// What ends a probe early.
#[derive(Debug, Clone)]
pub struct ReadLimits {
    /// Set when the user wants an end.
    pub stop: Arc<AtomicBool>,
    /// The time after which there is no result.
    pub time: Duration,
}

/// A disk or file that is measured.
pub struct ProbedDevice {
    open: Open,
    size: Bytes,
    is_direct: bool,
    reads: u64,
    progress: ReadProgress,
}

/// What threads share.
struct Open {
    file: File,
    begin: Instant,
    limits: ReadLimits,
}

/// Reads past the page cache begin and end at pages, in memory and on the disk.
const PAGE: usize = 4096;

impl ProbedDevice {
    /// Opens it; `progress` is told what is measured and which part is done.
    ///
    /// # Errors
    /// [`LookError`].
    pub fn open(
        look: &DeviceLook,
        limits: ReadLimits,
        progress: ReadProgress,
    ) -> Result<Self, LookError> {
        let (file, size, is_direct) = look.open()?;
        let open = Open { file, begin: Instant::now(), limits };
        Ok(Self { open, size, is_direct, reads: 0, progress })
    }

    /// Says whether reads go past the page cache.
    #[must_use]
    pub const fn is_direct(&self) -> bool {
        self.is_direct
    }

    /// Returns how many reads there were.
    #[must_use]
    pub const fn reads(&self) -> u64 {
        self.reads
    }
}

impl Open {
    fn ask(&self) -> Result<(), ProbeError> {
        if self.limits.stop.load(Ordering::Relaxed) {
            return Err(ProbeError::Stopped);
        }
        match self.begin.elapsed() > self.limits.time {
            true => Err(ProbeError::TimeOver),
            false => Ok(()),
        }
    }

    /// Reads once.
    fn timed(&self, read: ProbeRead, memory: &mut Memory) -> Result<ReadTime, ProbeError> {
        self.ask()?;
        let begin = self.now();
        let done = self.file.read_exact_at(memory.of(read.size), read.offset);
        let end = self.now();
        let failed = |error: std::io::Error| ProbeError::Read {
            offset: read.offset,
            reason: error.to_string(),
        };
        done.map(|()| ReadTime { begin, end }).map_err(failed)
    }

    fn now(&self) -> Nanos {
        Nanos(u64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    /// Reads with several threads, each of which takes the next read that nobody has.
    fn side_by_side(&self, reads: &[ProbeRead], depth: usize) -> Result<Vec<ReadTime>, ProbeError> {
        let next = AtomicUsize::new(0);
        let size = reads.iter().map(|read| read.size).max().unwrap_or_default();
        let work = || {
            let mut memory = Memory::new(size);
            let mut times: Vec<(usize, ReadTime)> = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(read) = reads.get(index) else { return Ok(times) };
                match self.timed(*read, &mut memory) {
                    Ok(time) => times.push((index, time)),
                    Err(error) => {
                        next.store(reads.len(), Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
        };
        let strange = |what: &str| ProbeError::Strange { what: what.to_owned() };
        let done: Vec<Result<Vec<(usize, ReadTime)>, ProbeError>> = thread::scope(|scope| {
            let start = || thread::Builder::new().spawn_scoped(scope, work);
            let threads: Vec<_> = (0..depth.min(reads.len())).map(|_| start()).collect();
            let join = |thread: std::io::Result<thread::ScopedJoinHandle<'_, _>>| match thread {
                Ok(thread) => thread.join().unwrap_or_else(|_| Err(strange("a thread died"))),
                Err(error) => Err(strange(&format!("no thread could be started: {error}"))),
            };
            threads.into_iter().map(join).collect()
        });
        let mut times: Vec<(usize, ReadTime)> = Vec::with_capacity(reads.len());
        for part in done {
            times.extend(part?);
        }
        times.sort_unstable_by_key(|(index, _)| *index);
        Ok(times.into_iter().map(|(_, time)| time).collect())
    }
}

impl ProbeTarget for ProbedDevice {
    fn size(&self) -> Bytes {
        self.size
    }

    fn read(&mut self, reads: &[ProbeRead], depth: usize) -> Result<Vec<ReadTime>, ProbeError> {
        self.reads += reads.len() as u64;
        if depth > 1 {
            return self.open.side_by_side(reads, depth);
        }
        let size = reads.iter().map(|read| read.size).max().unwrap_or_default();
        let mut memory = Memory::new(size);
        reads.iter().map(|read| self.open.timed(*read, &mut memory)).collect()
    }

    fn progress(&mut self, stage: &str, share: f64) {
        (self.progress)(stage, share);
    }
}

/// Memory that begins at a page: a page more than is needed, from its first boundary on.
struct Memory {
    bytes: Vec<u8>,
    first: usize,
}

impl Memory {
    fn new(size: u32) -> Self {
        let bytes = vec![0; size as usize + PAGE];
        let first = bytes.as_ptr().align_offset(PAGE).min(PAGE);
        Self { bytes, first }
    }

    /// Returns so much of it.
    fn of(&mut self, size: u32) -> &mut [u8] {
        self.bytes.get_mut(self.first..self.first + size as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use arcwright_device::probe::{ProbeError, ProbeRead, ProbeTarget as _};

    use super::{DeviceLook, Memory, ProbedDevice, ReadLimits};

    fn opened(pages: usize, stop: bool, time: Duration) -> ProbedDevice {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, vec![7; pages * 4096]).unwrap();
        let limits = ReadLimits { stop: Arc::new(AtomicBool::new(stop)), time };
        let look = DeviceLook::at(&path).unwrap();
        ProbedDevice::open(&look, limits, Box::new(|_, _| {})).unwrap()
    }

    const LONG: Duration = Duration::from_secs(60);

    fn reads(count: u64) -> Vec<ProbeRead> {
        (0..count).map(|number| ProbeRead { offset: number * 4096, size: 4096 }).collect()
    }

    #[test]
    fn each_read_has_its_time_in_order() {
        let mut device = opened(64, false, LONG);
        for depth in [1, 2, 16, 100] {
            let times = device.read(&reads(64), depth).unwrap();
            assert_eq!(times.len(), 64);
            assert!(times.iter().all(|time| time.begin <= time.end), "{depth}");
        }
        assert_eq!(device.reads(), 4 * 64);
        assert_eq!(device.size().0, 64 * 4096);
    }

    #[test]
    fn what_goes_wrong_ends_it() {
        for depth in [1, 8] {
            let error = opened(4, false, LONG).read(&reads(9), depth).unwrap_err();
            assert!(
                matches!(&error, ProbeError::Read { offset, .. } if *offset >= 4 * 4096),
                "{error}"
            );
            let error = opened(4, true, LONG).read(&reads(4), depth).unwrap_err();
            assert_eq!(error, ProbeError::Stopped);
            let error = opened(4, false, Duration::ZERO).read(&reads(4), depth).unwrap_err();
            assert_eq!(error, ProbeError::TimeOver);
        }
    }

    #[test]
    fn memory_begins_at_a_page() {
        for size in [4096, 1 << 20] {
            let mut memory = Memory::new(size);
            let bytes = memory.of(size);
            assert_eq!((bytes.len(), bytes.as_ptr().align_offset(4096)), (size as usize, 0));
        }
    }
}
