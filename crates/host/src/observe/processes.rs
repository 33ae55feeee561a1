//! Processes at two moments, and who waited in between, from `/proc` of Linux.
//!
//! Who waits is looked at a few times a second: a thread in the state `D` waits for a device, whosever it is. Another
//! user's bytes are root's to see; names and states are everybody's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use arcwright_machine::{ProcessCount, ProcessMoment};

use crate::plain::read_head;

/// Time between two looks at who waits.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// A pause is at least so many times as long as the look before it, so that a machine of many threads is not kept busy by it.
const PAUSE_TIMES: u32 = 9;
/// Threads that a look goes through; more than this is no machine that one would look at this way.
const THREADS_MAX: usize = 50_000;
/// Files of `/proc` that are read here are no longer.
const BYTES_MAX: u64 = 4096;
/// The flag of threads of the kernel in `stat`: what they do, they do for others.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// Waits of processes that are kept; beyond them those of processes that ended are forgotten.
const WAITS_MAX: usize = 4096;

/// Looks at processes until it is ended or dropped.
#[derive(Debug)]
pub struct ProcessWatch {
    place: PathBuf,
    seen: Arc<Mutex<Seen>>,
    end: Arc<AtomicBool>,
}

/// Who was seen waiting.
#[derive(Debug, Default)]
struct Seen {
    waits: BTreeMap<(u32, u64), u64>,
    looks: u64,
}

impl ProcessWatch {
    /// Begins to look; none where there is no `/proc` of Linux below `root`.
    #[must_use]
    pub fn begin(root: &Path) -> Option<Self> {
        let place = root.join("proc");
        place.join("self/stat").exists().then_some(())?;
        let (end, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::default()));
        let watching = thread::Builder::new().name("processes".to_owned());
        let (is_over, shared, folder) = (Arc::clone(&end), Arc::clone(&seen), place.clone());
        // It is not waited for: it sleeps, and leaves nothing behind.
        let _watching = watching.spawn(move || watch(&folder, &shared, &is_over)).ok()?;
        Some(Self { place, seen, end })
    }

    /// Returns the processes now, and who was seen waiting since it began.
    #[must_use]
    pub fn moment(&self) -> ProcessMoment {
        let processes = processes(&self.place, true);
        let seen = known(&self.seen);
        ProcessMoment { processes, waits: seen.waits.clone(), looks: seen.looks }
    }

    /// Returns the same once it was looked at least once.
    #[must_use]
    pub fn moment_after_a_look(&self) -> ProcessMoment {
        while known(&self.seen).looks == 0 {
            thread::sleep(LOOK_EVERY / 4);
        }
        self.moment()
    }
}

impl Drop for ProcessWatch {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
    }
}

fn watch(place: &Path, seen: &Mutex<Seen>, is_over: &AtomicBool) {
    let mut pause = LOOK_EVERY;
    while !is_over.load(Ordering::Relaxed) {
        thread::sleep(pause);
        let begun = Instant::now();
        let processes = processes(place, false);
        pause = LOOK_EVERY.max(begun.elapsed().saturating_mul(PAUSE_TIMES));
        let mut seen = known(seen);
        for process in processes.iter().filter(|process| process.waiting > 0) {
            let waits = seen.waits.entry((process.pid, process.started)).or_default();
            *waits += u64::from(process.waiting);
        }
        seen.looks += 1;
        if seen.waits.len() > WAITS_MAX {
            let there: BTreeSet<(u32, u64)> =
                processes.iter().map(|process| (process.pid, process.started)).collect();
            seen.waits.retain(|process, _| there.contains(process));
        }
    }
}

/// Returns who was seen; a look that failed half-way leaves counts that are as good as before.
fn known(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns all processes that are no threads of the kernel, with their bytes where they are wanted.
fn processes(place: &Path, with_bytes: bool) -> Vec<ProcessCount> {
    let mut threads = 0;
    numbers(place).filter_map(|(pid, path)| process(pid, &path, with_bytes, &mut threads)).collect()
}

/// Returns what is in a folder whose names are numbers.
fn numbers(place: &Path) -> impl Iterator<Item = (u32, PathBuf)> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
}

fn process(pid: u32, path: &Path, with_bytes: bool, threads: &mut usize) -> Option<ProcessCount> {
    let stat = Stat::parse(&text(&path.join("stat"))?)?;
    if stat.flags & KERNEL_THREAD != 0 {
        return None;
    }
    let mut waiting = 0;
    if !with_bytes {
        for (_, thread) in numbers(&path.join("task")) {
            *threads += 1;
            if *threads > THREADS_MAX {
                break;
            }
            let stat = text(&thread.join("stat")).and_then(|text| Stat::parse(&text));
            waiting += u32::from(stat.is_some_and(|stat| stat.state == 'D'));
        }
    }
    let bytes = with_bytes.then(|| text(&path.join("io"))).flatten();
    let count = |name: &str| {
        let line = bytes.as_deref()?.lines().find_map(|line| line.strip_prefix(name))?;
        line.strip_prefix(':')?.trim().parse().ok()
    };
    let (read, written) = (count("rchar"), count("wchar"));
    Some(ProcessCount { pid, started: stat.started, name: stat.name, read, written, waiting })
}

fn text(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&read_head(path, BYTES_MAX)?).into_owned())
}

/// What `stat` says of a process or a thread.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    name: String,
    state: char,
    flags: u64,
    started: u64,
}

impl Stat {
    /// Reads it; the name, in parentheses, may hold anything, parentheses and line ends too.
    fn parse(text: &str) -> Option<Self> {
        let (begin, end) = (text.find('(')?, text.rfind(')')?);
        let fields: Vec<&str> = text.get(end + 1..)?.split_whitespace().collect();
        Some(Self {
            name: text.get(begin + 1..end)?.to_owned(),
            state: fields.first()?.chars().next()?,
            flags: fields.get(6)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ProcessWatch, Stat, processes};
    use std::fs;

    const STAT: &str = "7 (a) b\n) D 1 7 7 0 -1 4194560 5 0 0 0 1 2 0 0 20 0 1 0 4242 9 9";

    #[test]
    fn a_name_may_hold_anything() {
        let stat = Stat::parse(STAT).unwrap();
        let expected =
            Stat { name: "a) b\n".to_owned(), state: 'D', flags: 4_194_560, started: 4242 };
        assert_eq!(stat, expected);
        for end in 0..40 {
            assert_eq!(Stat::parse(&STAT[..end]), None, "{end}");
        }
    }

    #[test]
    fn a_machine_of_files_has_its_processes() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("proc");
        for (pid, flags) in [("7", "4194560"), ("2", "2129984")] {
            let folder = place.join(pid);
            fs::create_dir_all(folder.join("task").join(pid)).unwrap();
            let stat = STAT.replace("4194560", flags);
            fs::write(folder.join("stat"), &stat).unwrap();
            fs::write(folder.join("task").join(pid).join("stat"), &stat).unwrap();
        }
        fs::write(place.join("7/io"), "rchar: 4096\nwchar: 0\nread_bytes: 9\n").unwrap();
        let found = processes(&place, true);
        let shown: Vec<_> = found.iter().map(|it| (it.pid, it.read, it.written)).collect();
        assert_eq!(shown, [(7, Some(4096), Some(0))], "a thread of the kernel is no process");
        assert_eq!(processes(&place, false)[0].waiting, 1);
        fs::remove_file(place.join("7/io")).unwrap();
        assert_eq!(processes(&place, true)[0].read, None, "not read is not zero");
        assert!(ProcessWatch::begin(root.path()).is_none(), "no machine's own /proc");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_seen() {
        let watch = ProcessWatch::begin("/".as_ref()).unwrap();
        let now = watch.moment_after_a_look();
        let own = std::process::id();
        assert!(now.processes.iter().any(|process| process.pid == own && process.read.is_some()));
        assert!(now.looks > 0);
    }
}
