//! The daemon itself: loaded, redirected, started with its options; pools and what is mounted of them.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;

use arcwright_scenario::{PoolSpec, VdevLayout};
use arcwright_units::Nanos;

use super::nvlist::{List, Value};
use super::{aio, environment, requests, waits, wire};
use crate::LabError;
use crate::hooks::{self, Hook, threads};
use crate::schedule;
use crate::zpool::library::Library;
use crate::zpool::pool::{FileVdev, POOL};

/// How long it may take to come up, in virtual time.
const START_MAX: Nanos = Nanos::secs(60);
/// Calls without which the emulation would silently not take place.
const NEEDED: [&str; 7] = [
    "__libc_start_main",
    "syscall",
    "clock_gettime",
    "pthread_mutex_lock",
    "pthread_cond_timedwait",
    "fuse_lowlevel_new",
    "poll",
];

/// What the daemon is started with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<'a> {
    /// The program's file.
    pub(crate) program: &'a Path,
    /// Where its own files lie.
    pub(crate) folder: &'a Path,
    /// Whether the pool is being built on the machine's own files.
    pub(crate) building: bool,
    /// Its options.
    pub(crate) options: &'a [String],
}

/// The daemon's first function and its arguments.
struct Beginning {
    entry: usize,
    arguments: Vec<CString>,
}

static BEGINNING: OnceLock<Beginning> = OnceLock::new();
static OPTION_ARGUMENT: OnceLock<usize> = OnceLock::new();

thread_local! {
    static IS_FIRST: Cell<bool> = const { Cell::new(false) };
    static ROOM: Room = const { Room([1]) };
}

/// Room for the daemon's thread-local variables, at the end of this program's own.
///
/// A program finds its thread-local variables right below the thread's pointer, where those of the
/// real program are: this one. Being aligned to a page, this variable leaves the rest of one unused there
/// (`check_room`). The daemon uses four bytes of it, in threads that carry out commands.
#[repr(align(4096))]
struct Room([u8; 1]);

/// Returns whether the calling thread is the daemon's first one.
pub(super) fn is_first_thread() -> bool {
    IS_FIRST.get()
}

/// Returns the daemon's own copy of `optarg`.
pub(super) fn option_argument() -> *mut *mut c_char {
    OPTION_ARGUMENT.get().map_or(std::ptr::null_mut(), |address| *address as *mut *mut c_char)
}

/// Starts the daemon and waits until it is up.
///
/// # Errors
/// [`LabError`] when it cannot be loaded or redirected, or does not come up.
pub(crate) fn start(start: Start<'_>) -> Result<(), LabError> {
    let (library, entry) = Library::load_program(start.program)?;
    check_room(start.program)?;
    let _first = OPTION_ARGUMENT.set(library.own_address("optarg").unwrap_or(0));
    environment::set_folder(start.folder);
    install(&library)?;
    aio::start(start.building);
    let arguments = ["zfs-fuse".to_owned(), "--no-daemon".to_owned()];
    let arguments = arguments.iter().chain(start.options);
    let arguments = arguments.map(|text| CString::new(text.as_str()).unwrap_or_default()).collect();
    let _first = BEGINNING.set(Beginning { entry: entry as usize, arguments });
    // SAFETY: `first_thread` takes no argument and does not return.
    unsafe { threads::start(first_thread, std::ptr::null_mut()) };
    let deadline = schedule::now() + START_MAX;
    while !waits::daemon_is_up() {
        if schedule::now() > deadline {
            return Err(LabError::Worker { what: "saw zfs-fuse not come up".to_owned() });
        }
        schedule::sleep_until(schedule::now() + Nanos::millis(10));
    }
    Ok(())
}

fn install(library: &Library) -> Result<(), LabError> {
    let own: [fn() -> Vec<Hook>; 5] =
        [HOOKS, aio::HOOKS, requests::HOOKS, environment::HOOKS, waits::HOOKS];
    // Ours come last, since they take the place of some that suit a library.
    let all = hooks::for_zfs_fuse().into_iter().chain(own.iter().flat_map(|hooks| hooks()));
    for (name, target) in all {
        if library.redirect(name, target)? == 0 && NEEDED.contains(&name) {
            return Err(LabError::Hook { name: name.to_owned() });
        }
    }
    Ok(())
}

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
fn HOOKS() -> Vec<Hook> {
    vec![("__libc_start_main", run_main as *const c_void)]
}

/// Checks that this program leaves room where the daemon looks for its thread-local variables.
fn check_room(program: &Path) -> Result<(), LabError> {
    // So that the variable is there at all: its place is looked at, which no optimisation can know.
    ROOM.with(|room| {
        std::hint::black_box(room.0.as_ptr());
    });
    /// Bytes of the daemon's own: four that it uses and a few of its profiler, which is not on.
    const NEEDED: usize = 64;
    let unused = own_unused_room();
    if unused >= NEEDED {
        return Ok(());
    }
    Err(LabError::Library {
        path: program.to_path_buf(),
        reason: format!("{unused} bytes are left below the thread pointer, {NEEDED} are needed"),
    })
}

/// Returns how many bytes between this program's thread-local variables and the thread's pointer
/// belong to nobody.
fn own_unused_room() -> usize {
    unsafe extern "C" fn look(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        found: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader passes a description of one object, the program itself first.
        unsafe {
            let headers =
                std::slice::from_raw_parts((*info).dlpi_phdr, usize::from((*info).dlpi_phnum));
            for header in headers.iter().filter(|header| header.p_type == libc::PT_TLS) {
                let size = usize::try_from(header.p_memsz).unwrap_or(0);
                let align = usize::try_from(header.p_align).unwrap_or(1).max(1);
                found.cast::<usize>().write(size.next_multiple_of(align) - size);
            }
        }
        1
    }
    let mut found = 0usize;
    // SAFETY: the callback writes the one number that it is given.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut found).cast()) };
    found
}

extern "C" fn first_thread(_argument: *mut c_void) -> *mut c_void {
    IS_FIRST.set(true);
    if let Some(beginning) = BEGINNING.get() {
        // SAFETY: the program's entry, which takes whatever lies on the stack for its arguments and
        // hands its main function to `run_main`, which does not return.
        unsafe { std::mem::transmute::<usize, extern "C" fn()>(beginning.entry)() };
    }
    std::ptr::null_mut()
}

type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

/// Stands in for the C library's start of a program, which has been done for the worker already.
unsafe extern "C" fn run_main(main: Main) -> ! {
    let arguments = BEGINNING.get().map(|it| it.arguments.as_slice()).unwrap_or_default();
    let mut pointers: Vec<*mut c_char> =
        arguments.iter().map(|text| text.as_ptr().cast_mut()).collect();
    pointers.push(std::ptr::null_mut());
    let mut environment = [std::ptr::null_mut()];
    let count = c_int::try_from(arguments.len()).unwrap_or(0);
    // SAFETY: the program's main function with arguments that live as long as the process.
    let code = unsafe { main(count, pointers.as_mut_ptr(), environment.as_mut_ptr()) };
    let text = format!("zfs-fuse ended with {code}\n");
    // SAFETY: writes to standard error and ends the process.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        libc::_exit(3)
    }
}

/// `zfs_cmd_t` begins with names of 4096, 8192, 256 and 4096 bytes (paths have up to `PATH_MAX` on
/// Linux); numbers of eight bytes follow.
const NUMBERS: usize = 4096 + 8192 + 256 + 4096;
/// Longer than all of it.
const COMMAND_BYTES: usize = 1 << 16;
/// `ZFS_IOC_POOL_CREATE`.
const POOL_CREATE: i32 = (b'Z' as i32) << 8;

/// Makes the pool, whose root dataset holds the files.
///
/// # Errors
/// [`LabError::Zfs`] with the daemon's error number.
pub(crate) fn create_pool(vdevs: &[FileVdev], pool: &PoolSpec) -> Result<(), LabError> {
    let config = root(vdevs).pack();
    // Reading changes nothing on the disks.
    let properties = List::default()
        .with("recordsize", Value::Number(pool.recordsize.0))
        .with("compression", Value::Number(2))
        .with("atime", Value::Number(0));
    let properties = List::default().with("root-props-nvl", Value::List(properties)).pack();
    let mut command = vec![0u8; COMMAND_BYTES];
    put(&mut command, 0, POOL.as_bytes());
    // After the identifier: address and size of the configuration, then of the properties.
    let numbers = [
        0,
        config.as_ptr() as u64,
        config.len() as u64,
        properties.as_ptr() as u64,
        properties.len() as u64,
    ];
    for (place, number) in numbers.iter().enumerate() {
        put(&mut command, NUMBERS + place * size_of::<u64>(), &number.to_ne_bytes());
    }
    wire::ioctl(POOL_CREATE, &mut command, "creating the pool")
}

fn put(command: &mut [u8], place: usize, bytes: &[u8]) {
    if let Some(target) = command.get_mut(place..place + bytes.len()) {
        target.copy_from_slice(bytes);
    }
}

fn root(vdevs: &[FileVdev]) -> List {
    let children = vdevs.iter().map(top_level).collect();
    typed("root").with("children", Value::Lists(children))
}

fn top_level(vdev: &FileVdev) -> List {
    let mut files: Vec<List> = vdev
        .paths
        .iter()
        .map(|path| typed("file").with("path", Value::Text(path.to_string_lossy().into_owned())))
        .collect();
    let is_log = ("is_log", Value::Number(0));
    let parity = match vdev.layout {
        VdevLayout::Single => {
            return files.pop().unwrap_or_default().with(is_log.0, is_log.1);
        }
        VdevLayout::Mirror => {
            let mirror = typed("mirror").with(is_log.0, is_log.1);
            return mirror.with("children", Value::Lists(files));
        }
        raidz => raidz.parity(),
    };
    let raidz = typed("raidz").with(is_log.0, is_log.1).with("nparity", Value::Number(parity));
    raidz.with("children", Value::Lists(files))
}

fn typed(kind: &str) -> List {
    List::default().with("type", Value::Text(kind.to_owned()))
}

/// Mounts the pool's root dataset; a pool that is only known by its configuration is imported by it.
///
/// # Errors
/// [`LabError::Zfs`] with the daemon's error number.
pub(crate) fn mount() -> Result<(), LabError> {
    wire::mount(POOL, "/")
}
