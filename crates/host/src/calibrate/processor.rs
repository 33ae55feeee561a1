//! What a processor takes for the kinds of work that the engines charge.
//!
//! | value | what is timed |
//! |---|---|
//! | checksum | Fletcher's four sums over records of 128 KiB from 64 MiB; where ZFS is loaded, its own benchmark |
//! | copy | the same records into a buffer of one record |
//! | cipher | the same records encrypted with AES-256-GCM, in a buffer of one record |
//! | call | a read of 64 bytes of a cached page of this program's file |
//! | switch | half of a turn of two threads that wake each other |
//! | step | a lock that nobody wants, and the record behind it changed; every second time at a random place of 32 MiB |
//!
//! The last one stands for what the engines count, an operation on a lock *with the work around it*. OpenZFS's own code
//! cannot run here; its place takes what such code does most. It takes the lock of a structure that is not in the
//! processor's caches, reads it and lets go, and comes back to change it. That half of the operations find their
//! structure in a cache is an assumption.

use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::cipher::Cipher;
use super::fletcher::{Fletcher4, chosen};
use super::rounds::seconds_each;
use crate::plain::read_text;

/// A value with what rounds differ by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Half of the rounds are below.
    pub median: f64,
    /// A quarter of the rounds is below.
    pub low: f64,
    /// A quarter of the rounds is above.
    pub high: f64,
}

impl Spread {
    /// Returns the spread of values; none of nothing.
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let at = |quarter: usize| values.get(values.len().saturating_sub(1) * quarter / 4).copied();
        Some(Self { median: at(2)?, low: at(1)?, high: at(3)? })
    }

    /// Returns how far apart the quarters are, as a share of the median.
    #[must_use]
    pub fn width(&self) -> f64 {
        (self.high - self.low) / self.median.max(f64::MIN_POSITIVE)
    }
}

/// What was measured of a processor.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessorCosts {
    /// Logical processors that are online.
    pub cores: u32,
    /// What the system calls it; none where it does not say.
    pub model: Option<String>,
    /// Checksums of one core, bytes per second.
    pub checksum: Spread,
    /// The routine that OpenZFS chose, when the rate is from its own benchmark.
    pub checksum_routine: Option<String>,
    /// Copies of one core, bytes per second.
    pub copy: Spread,
    /// Encryption by one core, bytes per second.
    pub cipher: Spread,
    /// A system call that reads a cached page, seconds.
    pub call: Spread,
    /// From waking a thread until it runs, seconds.
    pub switch: Spread,
    /// A lock operation with the work around it, seconds.
    pub step: Spread,
    /// Rounds of each.
    pub rounds: usize,
}

/// Rounds of each kind of work.
const ROUNDS: usize = 21;
const RECORD: usize = 128 << 10;
/// More than processors have of caches for one core.
const RECORDS_BYTES: usize = 64 << 20;

/// Measures the processor in a few seconds; none when `stop` was set meanwhile. `progress` is told which part is done.
///
/// # Errors
/// The system's own, where the program's file cannot be read or no thread started.
pub fn measure_processor(
    stop: &AtomicBool,
    mut progress: impl FnMut(f64),
) -> std::io::Result<Option<ProcessorCosts>> {
    let mut records = vec![0_u8; RECORDS_BYTES];
    let mut draw = 1_u64;
    records.iter_mut().for_each(|byte| *byte = next(&mut draw).to_le_bytes()[7]);
    let own = File::open(std::env::current_exe()?)?;
    let mut step = Steps::new();
    let mut times: [Vec<f64>; 6] = Default::default();
    for round in 0..ROUNDS {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        progress(round as f64 / ROUNDS as f64);
        let round = [
            checksum(&records),
            copy(&records),
            cipher(&records),
            call(&own)?,
            switch()?,
            seconds_each(|times| step.take(times)),
        ];
        times.iter_mut().zip(round).for_each(|(times, time)| times.push(time));
    }
    let [checksum, copy, cipher, call, switch, step] = times;
    let rates = |times: Vec<f64>| {
        Spread::of(times.into_iter().map(|time| RECORD as f64 / time.max(1e-12)).collect())
    };
    let bench = read_text(Path::new("/proc/spl/kstat/zfs/fletcher_4_bench"), TEXT_BYTES_MAX).ok();
    let of_module = bench.as_deref().and_then(chosen);
    let by_module = of_module.map(|(_, rate)| Spread { median: rate, low: rate, high: rate });
    let found = || {
        Some(ProcessorCosts {
            cores: cores(),
            model: model(),
            checksum: by_module.or_else(|| rates(checksum))?,
            checksum_routine: of_module.map(|(name, _)| name.to_owned()),
            copy: rates(copy)?,
            cipher: rates(cipher)?,
            call: Spread::of(call)?,
            switch: Spread::of(switch)?,
            step: Spread::of(step)?,
            rounds: ROUNDS,
        })
    };
    Ok(found())
}

/// Returns the next number without pattern (`SplitMix64`'s step, whose high bits are good enough here).
fn next(draw: &mut u64) -> u64 {
    *draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *draw
}

/// Returns the seconds of a checksum of one record.
fn checksum(records: &[u8]) -> f64 {
    let mut sums = Fletcher4::default();
    let mut all = records.chunks_exact(RECORD).cycle();
    let time =
        seconds_each(|times| (0..times).for_each(|_| sums.add(all.next().unwrap_or_default())));
    black_box(sums);
    time
}

/// Returns the seconds of a copy of one record.
fn copy(records: &[u8]) -> f64 {
    let mut target = vec![0_u8; RECORD];
    let mut all = records.chunks_exact(RECORD).cycle();
    seconds_each(|times| {
        for _ in 0..times {
            if let Some(record) = all.next() {
                target.copy_from_slice(record);
                black_box(&mut target);
            }
        }
    })
}

/// Returns the seconds of the encryption of one record.
fn cipher(records: &[u8]) -> f64 {
    let cipher = Cipher::new();
    let mut record = records.get(..RECORD).unwrap_or_default().to_vec();
    seconds_each(|times| {
        for _ in 0..times {
            black_box(cipher.encrypt(&mut record));
        }
    })
}

/// Returns the seconds of a system call that reads a little of a cached page.
fn call(file: &File) -> std::io::Result<f64> {
    const PAGES: u64 = 64;
    let pages = (file.metadata()?.len() / 4096).clamp(1, PAGES);
    let mut little = [0_u8; 64];
    let mut failed = Ok(());
    let time = seconds_each(|times| {
        for number in 0..times {
            if let Err(error) = file.read_at(&mut little, number % pages * 4096) {
                failed = Err(error);
            }
        }
    });
    black_box(little);
    failed.map(|()| time)
}

/// Returns the seconds from waking a thread until it runs.
fn switch() -> std::io::Result<f64> {
    let turn = AtomicBool::new(false);
    let over = AtomicBool::new(false);
    let here = thread::current();
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, || {
            while !over.load(Ordering::Acquire) {
                thread::park();
                turn.store(false, Ordering::Release);
                here.unpark();
            }
        })?;
        let time = seconds_each(|times| {
            for _ in 0..times {
                turn.store(true, Ordering::Release);
                other.thread().unpark();
                while turn.load(Ordering::Acquire) {
                    thread::park();
                }
            }
        });
        over.store(true, Ordering::Release);
        other.thread().unpark();
        Ok(time / 2.0)
    })
}

/// Structures behind locks, more than the caches of a core hold.
struct Steps {
    all: Vec<Mutex<[u64; 15]>>,
    draw: u64,
}

impl Steps {
    fn new() -> Self {
        const COUNT: usize = (32 << 20) / size_of::<Mutex<[u64; 15]>>();
        Self { all: (0..COUNT).map(|_| Mutex::new([1; 15])).collect(), draw: 1 }
    }

    /// Takes so many locks, two at each place, which depends on what was found behind the one before.
    fn take(&mut self, times: u64) {
        let count = self.all.len() as u64;
        for _ in 0..times.div_ceil(2) {
            let index = usize::try_from((next(&mut self.draw) >> 20) % count).unwrap_or(0);
            let Some(structure) = self.all.get(index) else { continue };
            if let Ok(held) = structure.lock() {
                let [.., last] = &*held;
                self.draw = self.draw.wrapping_add(*last & 1);
            }
            if let Ok(mut held) = structure.lock() {
                let [first, .., last] = &mut *held;
                *last = last.wrapping_add(*first);
            }
        }
    }
}

/// No such text is longer: a hundred lines for each of some thousand processors.
const TEXT_BYTES_MAX: u64 = 8 << 20;

/// Returns how many logical processors are online, whatever this program may use of them.
fn cores() -> u32 {
    let online = read_text(Path::new("/sys/devices/system/cpu/online"), TEXT_BYTES_MAX).ok();
    let usable = || thread::available_parallelism().ok()?.get().try_into().ok();
    online.and_then(|text| count_of(&text)).or_else(usable).unwrap_or(1)
}

/// Returns how many numbers a list such as `0-3,8` has; none when it is no such list.
fn count_of(list: &str) -> Option<u32> {
    let part = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        last.checked_sub(first)?.checked_add(1)
    };
    list.trim().split(',').try_fold(0_u32, |sum, text| sum.checked_add(part(text)?))
}

/// Returns what the processor is called.
fn model() -> Option<String> {
    let text = read_text(Path::new("/proc/cpuinfo"), TEXT_BYTES_MAX).ok()?;
    let row = text.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(row.trim_start_matches([' ', '\t', ':']).trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::{Spread, count_of, measure_processor};

    #[test]
    fn what_is_online_is_counted() {
        let check = |list, expected| assert_eq!(count_of(list), expected, "{list}");
        check("0-3\n", Some(4));
        check("0", Some(1));
        check("0-3,8,10-11\n", Some(7));
        for broken in ["", "a", "3-0", "0-", "0,,1", "0-4294967295"] {
            check(broken, None);
        }
    }

    #[test]
    fn the_spread_is_that_of_the_middle_half() {
        let spread = Spread::of((1..=21).map(f64::from).collect()).unwrap();
        assert_eq!(spread, Spread { median: 11.0, low: 6.0, high: 16.0 });
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn nobody_waits_who_wants_to_stop() {
        assert_eq!(measure_processor(&AtomicBool::new(true), |_| {}).unwrap(), None);
    }
}
