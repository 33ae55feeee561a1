//! The read history of a pool: switched on for a while, and off again whatever happens.
//!
//! It is off by default since each read of the ARC then costs more, and since a read ahead may touch memory that is freed
//! (openzfs#15068). Switching it off means: no more records, the old setting of hits, and an empty list, as the kernel goes
//! on recording while the list has any. A process of its own does that ([`ReadHistory::guard`]), so that a recorder that
//! is killed leaves nothing behind.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use crate::plain::read_file;

/// Records that the kernel keeps; a tenth of a kilobyte each.
const RECORDS: u32 = 16_384;
/// What the list may say.
const LIST_BYTES_MAX: u64 = 64 << 20;
const LENGTH: &str = "sys/module/zfs/parameters/zfs_read_history";
const HITS: &str = "sys/module/zfs/parameters/zfs_read_history_hits";

/// Why reads were not recorded.
#[derive(Debug, Error)]
pub enum ReadHistoryError {
    /// This system or this version has no such list.
    #[error("{} is not there: Linux with OpenZFS 0.7 or later has a read history", .0.display())]
    Absent(PathBuf),
    /// Only root may.
    #[error("only root may read and write {}", .0.display())]
    Denied(PathBuf),
    /// It is on already.
    #[error("zfs_read_history is {0} already: somebody else records; set it to 0 if nobody does")]
    IsOn(String),
    /// The kernel refused, or took something else.
    #[error("{}: {}", .0.display(), .1)]
    Failed(PathBuf, String),
}

/// A pool's list and its switches.
#[derive(Debug, Clone)]
pub struct ReadHistory {
    length: PathBuf,
    hits: PathBuf,
    list: PathBuf,
}

impl ReadHistory {
    /// Returns that of a pool below `root`; the name is one component of a path.
    ///
    /// # Errors
    /// [`ReadHistoryError::Absent`].
    pub fn of_pool(root: &Path, pool: &str) -> Result<Self, ReadHistoryError> {
        let place = root.join("proc/spl/kstat/zfs").join(pool);
        let list = place.join("reads");
        let is_name = !pool.is_empty() && !pool.contains('/') && !pool.starts_with('.');
        if !is_name || !list.exists() {
            return Err(ReadHistoryError::Absent(list));
        }
        Ok(Self { length: root.join(LENGTH), hits: root.join(HITS), list })
    }

    /// Says whether it may be switched on, and returns what is to be restored: whether hits were recorded.
    ///
    /// # Errors
    /// [`ReadHistoryError`].
    pub fn before(&self) -> Result<String, ReadHistoryError> {
        let length = value(&self.length)?;
        if length != "0" {
            return Err(ReadHistoryError::IsOn(length));
        }
        // Opened for writing alone: what may not be cleared afterwards is not begun.
        fs::OpenOptions::new()
            .write(true)
            .open(&self.list)
            .map_err(|error| of(&self.list, &error))?;
        value(&self.hits)
    }

    /// Switches it on.
    ///
    /// # Errors
    /// [`ReadHistoryError`]; what was done is not taken back, the guard does that.
    pub fn switch_on(&self) -> Result<(), ReadHistoryError> {
        set(&self.hits, "1")?;
        set(&self.length, &RECORDS.to_string())
    }

    /// Returns what the list has at the moment.
    ///
    /// # Errors
    /// [`ReadHistoryError::Denied`], [`ReadHistoryError::Failed`].
    pub fn read(&self) -> Result<String, ReadHistoryError> {
        let bytes = read_file(&self.list, LIST_BYTES_MAX)
            .map_err(|error| ReadHistoryError::Failed(self.list.clone(), error.to_string()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Switches it off and empties the list; every step is tried whatever the others did.
    ///
    /// # Errors
    /// The first step's that failed.
    pub fn switch_off(&self, hits: &str) -> Result<(), ReadHistoryError> {
        let steps = [
            set(&self.length, "0"),
            set(&self.hits, hits),
            fs::write(&self.list, "0").map_err(|error| of(&self.list, &error)),
        ];
        steps.into_iter().collect()
    }

    /// Waits until `input` ends, which it does when the recorder ends or is killed, or until the time is over, and switches
    /// it off.
    ///
    /// # Errors
    /// Those of [`ReadHistory::switch_off`].
    pub fn guard(
        &self,
        hits: &str,
        mut input: impl Read + Send + 'static,
        time: Duration,
    ) -> Result<(), ReadHistoryError> {
        let (tell, told) = channel::<()>();
        let _waits = thread::spawn(move || {
            let mut byte = [0];
            while input.read(&mut byte).is_ok_and(|count| count > 0) {}
            drop(tell);
        });
        // Nothing is ever sent: the end of the other side is what is waited for.
        let (Ok(()) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected)) =
            told.recv_timeout(time);
        self.switch_off(hits)
    }
}

fn value(path: &Path) -> Result<String, ReadHistoryError> {
    let text = fs::read_to_string(path).map_err(|error| of(path, &error))?;
    Ok(text.trim().to_owned())
}

/// Sets a parameter and looks whether the kernel took it.
fn set(path: &Path, text: &str) -> Result<(), ReadHistoryError> {
    fs::write(path, text).map_err(|error| of(path, &error))?;
    match value(path)? {
        taken if taken == text => Ok(()),
        taken => {
            let why = format!("the kernel made {taken} of {text}");
            Err(ReadHistoryError::Failed(path.to_owned(), why))
        }
    }
}

fn of(path: &Path, error: &std::io::Error) -> ReadHistoryError {
    let path = path.to_owned();
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => ReadHistoryError::Denied(path),
        std::io::ErrorKind::NotFound => ReadHistoryError::Absent(path),
        _ => ReadHistoryError::Failed(path, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::{HITS, LENGTH, ReadHistory, ReadHistoryError};

    fn machine(length: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [
            (LENGTH, length),
            (HITS, "0\n"),
            ("proc/spl/kstat/zfs/my tank/reads", "UID start\n1 2 0x0 3 0 4 0x12 5 cat\n"),
        ] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn state(root: &std::path::Path) -> [String; 3] {
        [LENGTH, HITS, "proc/spl/kstat/zfs/my tank/reads"]
            .map(|path| fs::read_to_string(root.join(path)).unwrap().trim().to_owned())
    }

    #[test]
    fn the_guard_takes_back_what_was_switched_on() {
        let root = machine("0\n");
        let history = ReadHistory::of_pool(root.path(), "my tank").unwrap();
        let hits = history.before().unwrap();
        history.switch_on().unwrap();
        assert_eq!(state(root.path())[..2], ["16384", "1"]);
        assert!(history.read().unwrap().contains("cat"));
        history.guard(&hits, std::io::empty(), Duration::from_secs(3600)).unwrap();
        assert_eq!(state(root.path()), ["0", "0", "0"]);
    }

    #[test]
    fn the_guard_does_not_wait_for_ever() {
        let root = machine("16384\n");
        let history = ReadHistory::of_pool(root.path(), "my tank").unwrap();
        // A pipe whose other side never ends.
        let (input, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        history.guard("0", input, Duration::from_millis(10)).unwrap();
        assert_eq!(state(root.path()), ["0", "0", "0"]);
    }

    #[test]
    fn what_somebody_else_switched_on_stays() {
        let root = machine("100\n");
        let history = ReadHistory::of_pool(root.path(), "my tank").unwrap();
        assert!(matches!(history.before(), Err(ReadHistoryError::IsOn(length)) if length == "100"));
        for name in ["", ".", "..", "../arcstats", "other"] {
            let found = ReadHistory::of_pool(root.path(), name);
            assert!(matches!(found, Err(ReadHistoryError::Absent(_))), "{name}");
        }
    }
}
