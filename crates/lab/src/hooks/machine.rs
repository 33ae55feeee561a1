//! The machine that the library believes it runs on: its name, memory, processors, randomness.
//!
//! A pool's configuration and history hold the machine's name, its kernel's release and its hostid
//! (`spa_config_generate`, `spa_history_log_version`), so these decide how large both are on disk and
//! where what comes after them lies. They are the same on every machine that runs the lab.
//!
//! In user space OpenZFS invents memory pressure at random (`arc_available_memory` in
//! lib/libzpool, 2.1 and 2.3: one call in a hundred) and takes half of the memory for all of it.
//! In the kernel both are real; here they are what the scenario says, and pressure never happens
//! by chance.

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};

use std::sync::{Mutex, PoisonError};

use arcwright_workload::Stream;

use super::{Hook, threads};
use crate::schedule::Kind;

/// Threads that carry I/O to the emulated disks: as many as can be in flight on a dozen disks.
///
/// In the kernel a disk takes its requests from whoever sends them (`submit_bio` in `vdev_disk_io_start`),
/// and an interrupt ends them; here a thread sleeps for every request (`vdev_file_io_start`). Too few of them
/// would be a queue that no real machine has; and none of them takes a core or time
/// ([`crate::schedule::Kind::Disk`]).
const IO_THREADS: c_int = 128;

static MEMORY_BYTES: AtomicU64 = AtomicU64::new(0);
static PROCESSORS: AtomicI64 = AtomicI64::new(4);
static RNG: Mutex<Option<Stream>> = Mutex::new(None);
static TASKQ_CREATE: AtomicUsize = AtomicUsize::new(0);

/// Says what machine the library is to see.
pub(crate) fn set(memory_bytes: u64, processors: u32, rng: Stream) {
    *RNG.lock().unwrap_or_else(PoisonError::into_inner) = Some(rng);
    MEMORY_BYTES.store(memory_bytes, Ordering::Relaxed);
    PROCESSORS.store(i64::from(processors), Ordering::Relaxed);
}

/// Keeps the address of the library's own `taskq_create`.
pub(crate) fn set_taskq_create(address: *mut c_void) {
    TASKQ_CREATE.store(address as usize, Ordering::Relaxed);
}

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    vec![
        ("sysconf", sysconf as *const c_void),
        ("uname", uname as *const c_void),
        ("gethostid", hostid as *const c_void),
        ("get_system_hostid", hostid as *const c_void),
        ("zone_get_hostid", hostid as *const c_void),
        ("arc_available_memory", arc_available_memory as *const c_void),
        ("arc_all_memory", arc_all_memory as *const c_void),
        ("arc_free_memory", arc_all_memory as *const c_void),
        ("rand", rand as *const c_void),
        ("random_get_bytes", random_bytes as *const c_void),
        ("random_get_pseudo_bytes", random_bytes as *const c_void),
        ("taskq_create", taskq_create as *const c_void),
        ("__spl_pf_fstrans_check", has_no_wait as *const c_void),
    ]
}

unsafe extern "C" fn sysconf(name: c_int) -> c_long {
    match name {
        libc::_SC_NPROCESSORS_ONLN | libc::_SC_NPROCESSORS_CONF => {
            PROCESSORS.load(Ordering::Relaxed)
        }
        // SAFETY: sysconf has no preconditions.
        libc::_SC_PHYS_PAGES => unsafe {
            let page = libc::sysconf(libc::_SC_PAGESIZE).max(1);
            i64::try_from(MEMORY_BYTES.load(Ordering::Relaxed)).unwrap_or(i64::MAX) / page
        },
        // SAFETY: as above.
        _ => unsafe { libc::sysconf(name) },
    }
}

/// Writes what uname(2) says of the lab's machine.
unsafe extern "C" fn uname(names: *mut libc::utsname) -> c_int {
    // SAFETY: the caller owns what `names` points to, as for the function replaced.
    let names = unsafe { &mut *names };
    fill(&mut names.sysname, "Linux");
    fill(&mut names.nodename, "lab");
    fill(&mut names.release, "6.1.0");
    fill(&mut names.version, "#1");
    fill(&mut names.machine, "x86_64");
    0
}

/// Writes a text with its end into a field of fixed length.
fn fill(field: &mut [c_char], text: &str) {
    field.fill(0);
    let room = field.len().saturating_sub(1);
    for (place, byte) in field.iter_mut().take(room).zip(text.bytes()) {
        *place = c_char::from_ne_bytes([byte]);
    }
}

/// Returns the number by which a pool knows the machine that it was last used on; any but zero.
extern "C" fn hostid() -> c_ulong {
    0x6c61_6200
}

extern "C" fn arc_available_memory() -> i64 {
    i64::MAX
}

extern "C" fn arc_all_memory() -> u64 {
    MEMORY_BYTES.load(Ordering::Relaxed)
}

/// Says that whoever flushes a vdev file must not wait for it itself: up to 2.1 in user space one
/// thread would flush the disks of a mirror one after the other (`vdev_file_io_start`,
/// module/os/linux/zfs/vdev_file.c), which are flushed side by side in the kernel.
extern "C" fn has_no_wait() -> c_int {
    1
}

/// `zfs_file_pwrite` splits every write at a random sector to test crashes; at sector 0 it does not.
extern "C" fn rand() -> c_int {
    0
}

/// Random bytes come from one stream, the same in every run: identifiers of pools, spreading of blocks.
pub(crate) unsafe extern "C" fn random_bytes(target: *mut u8, size: usize) -> c_int {
    let mut rng = RNG.lock().unwrap_or_else(PoisonError::into_inner);
    #[expect(clippy::expect_used, reason = "`set` comes before any call is redirected to here")]
    let rng = rng.as_mut().expect("the library draws before its seed was set");
    // SAFETY: the caller owns `size` bytes at `target`, as for the function replaced.
    let target = unsafe { std::slice::from_raw_parts_mut(target, size) };
    for part in target.chunks_mut(size_of::<u64>()) {
        for (place, byte) in part.iter_mut().zip(rng.next_u64().to_le_bytes()) {
            *place = byte;
        }
    }
    0
}

type TaskqCreate =
    unsafe extern "C" fn(*const c_char, c_int, c_int, c_int, c_int, c_uint) -> *mut c_void;

unsafe extern "C" fn taskq_create(
    name: *const c_char,
    threads: c_int,
    priority: c_int,
    alloc_min: c_int,
    alloc_max: c_int,
    flags: c_uint,
) -> *mut c_void {
    // SAFETY: the address was taken from the library under this name, and the arguments are the
    // caller's own apart from the number of threads.
    unsafe {
        let real: TaskqCreate =
            std::mem::transmute::<usize, TaskqCreate>(TASKQ_CREATE.load(Ordering::Relaxed));
        let (kind, threads) = match std::ffi::CStr::from_ptr(name).to_bytes() {
            b"z_vdev_file" => (Kind::Disk, IO_THREADS),
            _ => (Kind::of_priority(priority), threads),
        };
        threads::of_kind(kind, || real(name, threads, priority, alloc_min, alloc_max, flags))
    }
}
