//! The list of dbufs, read line by line, and names of files that are open.
//!
//! The kernel walks its whole table of dbufs for the list: it takes seconds on a large ARC, and only root may ask. A block
//! knows its file's number alone. `zdb` would find the name, in 2.3 only by going through all of the file's blocks; who
//! has the file open knows it too.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use arcwright_machine::{ObjectTotals, Reason};

use super::files::reason;

/// The list.
const LIST: &str = "proc/spl/kstat/zfs/dbufs";
/// What it may say: some ten million blocks.
const BYTES_MAX: u64 = 4 << 30;
/// Open files of all processes that are looked at.
const HANDLES_MAX: usize = 1_000_000;
/// A line has some three hundred letters.
const LINE_MAX: u64 = 4096;

/// Reads the list of this machine.
///
/// # Errors
/// Why it was not read.
pub fn read_objects(root: &Path) -> Result<ObjectTotals, Reason> {
    let file = File::open(root.join(LIST)).map_err(|error| reason(&error))?;
    let mut list = BufReader::with_capacity(1 << 16, file.take(BYTES_MAX));
    let mut totals = ObjectTotals::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        match list.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => totals.line(String::from_utf8_lossy(&line).trim_end()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(reason(&error)),
        }
    }
    match totals.is_list() {
        true => Ok(totals),
        false => Err(Reason::Garbled("it has no line of column names".to_owned())),
    }
}

/// Returns files that are open now below a mount point of a file system, by their numbers; other users' need root.
#[must_use]
pub fn open_files(mount: &Path) -> BTreeMap<u64, PathBuf> {
    let mut files = BTreeMap::new();
    let Ok(device) = fs::metadata(mount).map(|metadata| metadata.dev()) else { return files };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_number =
        |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.parse::<u32>().is_ok());
    let processes = processes.filter(|entry| is_number(&entry.file_name()));
    let handles =
        processes.flat_map(|entry| fs::read_dir(entry.path().join("fd")).into_iter().flatten());
    for handle in handles.flatten().take(HANDLES_MAX) {
        // A link that leads to the file itself, also where its name is gone. What hangs is not asked: this device alone.
        let Ok(path) = fs::read_link(handle.path()) else { continue };
        if !path.starts_with(mount) {
            continue;
        }
        let metadata = fs::metadata(handle.path()).ok().filter(|metadata| metadata.dev() == device);
        if let (Some(metadata), Ok(below)) = (metadata, path.strip_prefix(mount)) {
            files.insert(metadata.ino(), below.to_owned());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::PathBuf;

    use arcwright_machine::Reason;

    use super::{LIST, open_files, read_objects};

    #[test]
    fn a_list_is_read_and_what_is_none_is_said() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(read_objects(root.path()).unwrap_err(), Reason::Absent);
        let path = root.path().join(LIST);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "something else\n").unwrap();
        assert!(matches!(read_objects(root.path()), Err(Reason::Garbled(_))));
        fs::write(&path, "dbuf\npool objset object dbsize\ntank 5 7 512\n\u{1b}[2J\n").unwrap();
        let table = read_objects(root.path()).unwrap().table(None, &|_, _| None);
        assert_eq!((table.rows.len(), table.blocks, table.unread), (1, 1, 1));
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(LIST);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("pool objset object dbsize\n{}", "x".repeat(100_000))).unwrap();
        let table = read_objects(root.path()).unwrap().table(None, &|_, _| None);
        assert_eq!((table.rows.len(), table.unread), (0, 25));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_that_is_open_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        fs::create_dir(folder.join("films")).unwrap();
        let file = fs::File::create(folder.join("films/one two.mkv")).unwrap();
        let number = file.metadata().unwrap().ino();
        assert_eq!(open_files(&folder).get(&number), Some(&PathBuf::from("films/one two.mkv")));
        drop(file);
        assert_eq!(open_files(&folder).get(&number), None);
        assert!(open_files(&folder.join("nowhere")).is_empty());
    }
}
