//! The daemon's FUSE operations, called as libfuse would call them.
//!
//! A call runs in the thread of the client that makes it, as a system call does on FreeBSD; whole reads
//! of any size go in at once, since no kernel stands in front that would cut them to pieces.

use std::ffi::{CString, c_char, c_int};
use std::sync::Mutex;

use arcwright_kstat::{KstatValue, NamedKstat};
use arcwright_units::Nanos;

use super::requests::{FileInfo, Mount, Request, mounted};
use crate::LabError;
use crate::schedule::Clock;
use crate::zpool::file::OpenFile;

/// Number of the root folder.
const ROOT: u64 = 1;
/// `O_LARGEFILE` as the kernel sends it on this platform.
const LARGE_FILE: c_int = 0o100_000;
/// Places of operations in `struct fuse_lowlevel_ops`.
const LOOKUP: usize = 2;
const OPEN: usize = 14;
const READ: usize = 15;
const WRITE: usize = 16;
const READDIR: usize = 21;
const CREATE: usize = 30;

type LookupOperation = unsafe extern "C" fn(*mut Request, u64, *const c_char);
type OpenOperation = unsafe extern "C" fn(*mut Request, u64, *mut FileInfo);
type ReadOperation = unsafe extern "C" fn(*mut Request, u64, usize, i64, *mut FileInfo);
type WriteOperation = unsafe extern "C" fn(*mut Request, u64, *const u8, usize, i64, *mut FileInfo);
type CreateOperation = unsafe extern "C" fn(*mut Request, u64, *const c_char, u32, *mut FileInfo);

impl Mount {
    /// Returns the operation at `place` of the table, as a function of type `F`.
    ///
    /// # Safety
    /// `F` must be the type of that operation.
    unsafe fn operation<F: Copy>(self, place: usize) -> F {
        // SAFETY: the table has more than thirty pointers, and lives as long as the daemon.
        unsafe { std::mem::transmute_copy(&*(self.operations as *const usize).add(place)) }
    }

    fn request(self) -> Request {
        Request::new(self.user_data)
    }

    fn lookup(self, parent: u64, name: &str) -> Result<u64, LabError> {
        let mut request = self.request();
        let text = CString::new(name).unwrap_or_default();
        // SAFETY: the operation's own type; the request and the name outlive the call.
        unsafe {
            self.operation::<LookupOperation>(LOOKUP)(&raw mut request, parent, text.as_ptr());
        };
        check(&request, &format!("looking up {name}"))?;
        if request.inode == 0 {
            return Err(LabError::Zfs { call: format!("looking up {name}"), code: libc::ENOENT });
        }
        Ok(request.inode)
    }

    fn names(self, folder: u64) -> Vec<String> {
        const ROOM: usize = 1 << 20;
        let (mut request, mut file) = (self.request(), FileInfo::default());
        // SAFETY: the operation's own type; names are kept, and nothing is written elsewhere.
        unsafe {
            self.operation::<ReadOperation>(READDIR)(
                &raw mut request,
                folder,
                ROOM,
                0,
                &raw mut file,
            );
        }
        request.names.retain(|name| name != "." && name != "..");
        request.names
    }

    fn read(self, inode: u64, file: FileInfo, offset: u64, target: &mut [u8]) -> Request {
        let (mut request, mut file) = (self.request(), file);
        request.target = Some((target.as_mut_ptr(), target.len()));
        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        // SAFETY: the operation's own type; the target is the caller's and outlives the call.
        unsafe {
            self.operation::<ReadOperation>(READ)(
                &raw mut request,
                inode,
                target.len(),
                offset,
                &raw mut file,
            );
        }
        request
    }
}

fn check(request: &Request, call: &str) -> Result<(), LabError> {
    match request.error {
        0 => Ok(()),
        code => Err(LabError::Zfs { call: call.to_owned(), code }),
    }
}

/// An open file of the mounted dataset.
#[derive(Debug)]
pub(crate) struct File {
    mount: Mount,
    inode: u64,
    file: FileInfo,
}

impl File {
    fn mount() -> Result<Mount, LabError> {
        let missing =
            || LabError::Zfs { call: "finding the dataset".to_owned(), code: libc::ENXIO };
        mounted(true).ok_or_else(missing)
    }

    /// Opens the file `name`.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the daemon's error number.
    pub(crate) fn open(name: &str) -> Result<Self, LabError> {
        let mount = Self::mount()?;
        let inode = mount.lookup(ROOT, name)?;
        let mut request = mount.request();
        let mut file = FileInfo::with_flags(libc::O_RDWR | LARGE_FILE);
        // SAFETY: the operation's own type; request and file outlive the call.
        unsafe { mount.operation::<OpenOperation>(OPEN)(&raw mut request, inode, &raw mut file) };
        check(&request, &format!("opening {name}"))?;
        Ok(Self { mount, inode, file: request.file })
    }

    /// Makes the file `name` and opens it.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the daemon's error number.
    pub(crate) fn create(name: &str) -> Result<Self, LabError> {
        let mount = Self::mount()?;
        let mut request = mount.request();
        let flags = libc::O_RDWR | libc::O_CREAT | LARGE_FILE;
        let mut file = FileInfo::with_flags(flags);
        let text = CString::new(name).unwrap_or_default();
        let mode = libc::S_IFREG | 0o644;
        // SAFETY: the operation's own type; request, name and file outlive the call.
        unsafe {
            mount.operation::<CreateOperation>(CREATE)(
                &raw mut request,
                ROOT,
                text.as_ptr(),
                mode,
                &raw mut file,
            );
        }
        check(&request, &format!("making {name}"))?;
        Ok(Self { mount, inode: request.inode, file: request.file })
    }
}

impl OpenFile for File {
    fn read(&self, offset: u64, target: &mut [u8]) -> Result<(), LabError> {
        let wanted = target.len();
        let request = self.mount.read(self.inode, self.file, offset, target);
        check(&request, "reading a file")?;
        if request.size == wanted {
            return Ok(());
        }
        Err(LabError::Zfs { call: "reading a file to its end".to_owned(), code: libc::EIO })
    }

    fn write(&self, offset: u64, source: &[u8]) -> Result<(), LabError> {
        let (mut request, mut file) = (self.mount.request(), self.file);
        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        // SAFETY: the operation's own type; the source is the caller's and outlives the call.
        unsafe {
            self.mount.operation::<WriteOperation>(WRITE)(
                &raw mut request,
                self.inode,
                source.as_ptr(),
                source.len(),
                offset,
                &raw mut file,
            );
        }
        check(&request, "writing a file")
    }
}

/// Reads every statistic, as from the files below `/zfs-kstat`.
pub(crate) fn kstats() -> Vec<NamedKstat> {
    // The daemon keeps the text of a value in one place for everybody.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let Some(mount) = mounted(false) else { return Vec::new() };
    let _turn = ONE_AT_A_TIME.lock();
    let now = Clock::get().now();
    let mut found = Vec::new();
    for module in mount.names(ROOT).into_iter().filter(|name| name == "zfs") {
        let Ok(folder) = mount.lookup(ROOT, &module) else { continue };
        for name in mount.names(folder) {
            let Ok(inode) = mount.lookup(folder, &name) else { continue };
            found.push(kstat(mount, (&module, &name), inode, now));
        }
    }
    found
}

fn kstat(mount: Mount, (module, name): (&str, &str), folder: u64, now: Nanos) -> NamedKstat {
    // `KSTAT_TYPE_NAMED`
    const NAMED: u8 = 1;
    let rows = mount.names(folder).into_iter().filter_map(|row| {
        let inode = mount.lookup(folder, &row).ok()?;
        let mut text = [0u8; 80];
        let size = mount.read(inode, FileInfo::default(), 0, &mut text).size;
        let text = std::str::from_utf8(text.get(..size)?).ok()?;
        Some((row, KstatValue::U64(text.trim().parse().ok()?)))
    });
    NamedKstat {
        module: module.to_owned(),
        name: name.to_owned(),
        class: "misc".to_owned(),
        kid: 0,
        kind: NAMED,
        flags: 0,
        crtime: Nanos::ZERO,
        snaptime: now,
        rows: rows.collect(),
    }
}
