//! The text that fio 2 and 3 print (`show_thread_status_normal`, fio's `stat.c`).
//!
//! ```text
//! job: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=psync, iodepth=1      what was asked
//! job: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 13 12:00:00 2026             a job's results
//!   read : io=512.0MB, bw=10741KB/s, iops=2685, runt= 48669msec                 2.x
//!   read: IOPS=2701, BW=10.6MiB/s (11.1MB/s)(514MiB/48669msec)                  3.x
//!     lat (usec): min=12, max=69760, avg=43.97, stdev=567.97
//!     clat percentiles (usec):
//!      | 99.00th=[   27], 99.50th=[   59]
//! ```
//!
//! Version 2 counts by 1024 and writes KB; version 3 writes KiB, and counts by 1000 in brackets.

use arcwright_units::Bytes;

use super::blank;
use crate::machine::Timing;
use crate::nicenum;

/// How lines begin that say nothing of interest here.
const OTHERS: [&str; 26] = [
    "fio-",
    "fio: ",
    "Starting ",
    "Jobs: ",
    "slat ",
    "clat ",
    "lat ",
    "sync ",
    "| ",
    "bw ",
    "bw(",
    "iops ",
    "cpu ",
    "IO depths",
    "submit ",
    "complete ",
    "issued ",
    "issued:",
    "latency ",
    "Run status group",
    "Disk stats",
    "fsync/fdatasync",
    "READ:",
    "WRITE:",
    "TRIM:",
    "MIXED:",
];

/// Returns whether fio prints such a line.
pub(super) fn is_line(text: &str) -> bool {
    let other = || {
        let fits = |start: &&str| text.starts_with(*start);
        // A sentence may begin with these words; fio's lines hold numbers.
        OTHERS.iter().any(fits)
            && text.contains(|c: char| c.is_ascii_digit())
            && (text.contains(['=', ':']) || text.starts_with("fio-") || starting(text))
    };
    let device = || text.split_once(": ios=").is_some_and(|(name, _)| !name.contains(' '));
    let asked = || text.contains(": (g=") || text.contains(": (groupid=");
    let layout = || text.contains(": Laying out IO file");
    let percentiles = ["clat ", "lat ", "slat ", "sync "]
        .iter()
        .any(|of| text.strip_prefix(of).is_some_and(|rest| rest.starts_with("percentiles (")));
    let stats = text.starts_with("Disk stats (") || text.starts_with("fsync/fdatasync/");
    result(text).is_some() || percentiles || stats || other() || device() || asked() || layout()
}

/// `Starting 4 processes`.
fn starting(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let counted = words.get(1).is_some_and(|word| word.parse::<u32>().is_ok());
    counted && words.iter().any(|word| word.starts_with("process") || word.starts_with("thread"))
}

/// Returns the direction of a line of results and what follows.
fn result(text: &str) -> Option<(bool, &str)> {
    let (name, rest) = text.split_once(':')?;
    let is_write = match name.trim() {
        "read" | "READ" => false,
        "write" | "WRITE" => true,
        _ => return None,
    };
    let rest = rest.trim();
    let begins = ["io=", "IOPS=", "bw=", "BW="].iter().any(|start| rest.starts_with(start));
    begins.then_some((is_write, rest))
}

/// What was read so far of a result.
#[derive(Debug, Default)]
pub(super) struct Reader {
    job: String,
    /// Bytes of a request, of reads and of writes.
    requests: [Option<u64>; 2],
    /// The timing that latencies belong to.
    current: Option<usize>,
    /// Nanoseconds of one unit of the percentiles, and whether they are of flushes.
    unit_ns: Option<f64>,
    of_flushes: bool,
    /// Whether jobs told their results, so that the sum of all would tell them again.
    told_by_jobs: bool,
    in_sum: bool,
}

impl Reader {
    pub(super) fn line(&mut self, text: &str, timings: &mut Vec<Timing>) {
        if let Some((name, rest)) = text.split_once(": (g=") {
            self.asked(name, rest);
        } else if let Some((name, _)) = text.split_once(": (groupid=") {
            self.job = name.trim().to_owned();
            self.in_sum = false;
        } else if text.starts_with("Run status group") {
            self.in_sum = true;
            self.current = None;
        } else if let Some((is_write, rest)) = result(text) {
            let sum = self.in_sum || text.starts_with(['R', 'W']);
            if !(sum && self.told_by_jobs) {
                timings.push(self.timing(is_write, rest));
                self.current = timings.len().checked_sub(1).filter(|_| !sum);
                self.told_by_jobs = !sum;
            }
        } else if let Some(timing) = self.current.and_then(|index| timings.get_mut(index)) {
            self.latency(text, timing);
        }
    }

    /// Takes what a job was asked, which begins another result.
    fn asked(&mut self, name: &str, rest: &str) {
        *self = Self { job: name.trim().to_owned(), ..Self::default() };
        let sizes = rest.split_once("bs=").map(|(_, sizes)| sizes).unwrap_or_default();
        // `4K-4K/4K-4K/4K-4K` or `(R) 4096B-4096B, (W) 4096B-4096B, (T) …`.
        let marked = sizes.trim_start().starts_with("(R)");
        let parts: Vec<&str> = match marked {
            true => sizes.split(", ").map(|part| part.get(4..).unwrap_or_default()).collect(),
            false => sizes.split(',').next().unwrap_or_default().split('/').collect(),
        };
        for (request, part) in self.requests.iter_mut().zip(parts) {
            let (least, most) = part.split_once('-').unwrap_or((part, part));
            // Requests of several sizes have no size.
            *request =
                (least == most).then(|| nicenum::binary(least).and_then(nicenum::whole)).flatten();
        }
    }

    fn timing(&self, is_write: bool, rest: &str) -> Timing {
        let value = |keys: [&str; 3]| {
            let mut parts = rest.split([',', '(', ')', ' ']);
            parts.find_map(|part| {
                let (key, value) = part.split_once('=')?;
                keys.contains(&key).then_some(value)
            })
        };
        let rate = value(["bw", "BW", "aggrb"]).and_then(|rate| size(rate.strip_suffix("/s")?));
        // Version 3 puts the bytes in brackets: `(514MiB/48669msec)`.
        let moved = || {
            let within = rest.rsplit_once('(')?.1;
            size(within.split_once('/').filter(|(_, time)| time.contains("msec"))?.0)
        };
        let bytes = value(["io", "io", "io"]).map(|io| io.split('(').next().unwrap_or(io));
        let bytes = bytes.and_then(size).or_else(moved);
        let ops = value(["iops", "IOPS", "IOPS"]).and_then(nicenum::decimal);
        let [read, write] = self.requests;
        Timing {
            what: self.job.clone(),
            is_write: Some(is_write),
            bytes: bytes.and_then(nicenum::whole).map(Bytes),
            bytes_per_s: rate,
            ops_per_s: ops,
            request: if is_write { write } else { read }.map(Bytes),
            ..blank("fio")
        }
    }

    fn latency(&mut self, text: &str, timing: &mut Timing) {
        if text.contains("percentiles (") {
            // How long a request took to be handed over is another time.
            self.of_flushes = text.starts_with("sync ");
            let of_requests = text.starts_with("clat ") || text.starts_with("lat ");
            self.unit_ns = unit_ns(text).filter(|_| of_requests || self.of_flushes);
        } else if text.starts_with("clat (") || text.starts_with("lat (") {
            let [mean, max] = ["avg=", "max="].map(|name| nanos_of(text, name));
            // All of the time counts where it is given; completion alone where it is not.
            let all = text.starts_with("lat (");
            let better =
                |new: Option<u64>, old: Option<u64>| if all { new.or(old) } else { old.or(new) };
            timing.latency_mean_ns = better(mean, timing.latency_mean_ns);
            timing.latency_max_ns = better(max, timing.latency_max_ns);
        } else if text.starts_with("sync (") {
            timing.flush_mean_ns = nanos_of(text, "avg=").or(timing.flush_mean_ns);
            timing.flush_max_ns = nanos_of(text, "max=").or(timing.flush_max_ns);
        } else if let Some((_, rest)) = text.split_once("99.00th=[") {
            let value =
                rest.split_once(']').and_then(|(value, _)| value.trim().parse::<f64>().ok());
            let known =
                value.zip(self.unit_ns).and_then(|(value, unit)| nicenum::whole(value * unit));
            let row = match self.of_flushes {
                true => &mut timing.flush_p99_ns,
                false => &mut timing.latency_p99_ns,
            };
            *row = known.or(*row);
        }
    }
}

/// Returns the nanoseconds of one unit of a row of latencies: `lat (usec): …`.
fn unit_ns(text: &str) -> Option<f64> {
    match text.split_once('(')?.1.split_once(')')?.0.trim() {
        "nsec" => Some(1.0),
        "usec" => Some(1e3),
        "msec" => Some(1e6),
        "sec" => Some(1e9),
        _ => None,
    }
}

/// Returns a value of a row of latencies: `avg=`, `max=`.
fn nanos_of(text: &str, name: &str) -> Option<u64> {
    let word = text.split_once(name)?.1.split(',').next()?.trim();
    nicenum::whole(nicenum::decimal(word)? * unit_ns(text)?)
}

/// Reads `522756KB`, `10.6MiB`, `512.0MB`: by 1024, as fio means them outside brackets.
fn size(text: &str) -> Option<f64> {
    let text = text.trim();
    text.starts_with(|c: char| c.is_ascii_digit()).then(|| nicenum::binary(text)).flatten()
}
