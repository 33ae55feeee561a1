//! How much of the log devices the intent log holds.
//!
//! The library's own figure (`metaslab_class_get_alloc`) moves with transaction groups only, so that a
//! log which fills and empties within one is never seen. Counted here are the blocks themselves: from
//! `zio_alloc_zil` (module/zfs/zio.c, 2.0 to 2.4), which says whether a block is on a log device, to
//! the `zio_free` of the same place, which comes when its transaction group has been written.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::LabError;
use crate::zpool::library::Library;

type Allocate =
    unsafe extern "C" fn(*mut c_void, *mut c_void, u64, *mut [u64; 16], u64, *mut c_int) -> c_int;
/// From 2.4 on, with the smallest size that will do, the largest, and whether it may be larger still.
type AllocateRange = unsafe extern "C" fn(
    *mut c_void,
    *mut c_void,
    u64,
    *mut [u64; 16],
    u64,
    u64,
    *mut c_int,
    c_int,
) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void, u64, *const [u64; 16]);

/// What `zio_alloc_zil` asks of since it takes a range of sizes.
const HAS_RANGE: &str = "metaslab_alloc_range";

static ALLOCATE: AtomicUsize = AtomicUsize::new(0);
static FREE: AtomicUsize = AtomicUsize::new(0);
/// Size by place of the blocks that are on log devices; there are as many as the log devices hold.
static BLOCKS: Mutex<BTreeMap<(u64, u64), u64>> = Mutex::new(BTreeMap::new());
static HELD: AtomicU64 = AtomicU64::new(0);
static HELD_MAX: AtomicU64 = AtomicU64::new(0);

/// Counts from now on; for a pool with log devices.
///
/// # Errors
/// [`LabError`] when a slot cannot be written.
pub(crate) fn install(library: &Library) -> Result<(), LabError> {
    ALLOCATE.store(library.address("zio_alloc_zil")? as usize, Ordering::Relaxed);
    FREE.store(library.address("zio_free")? as usize, Ordering::Relaxed);
    let allocate = match library.find(HAS_RANGE) {
        Some(_) => allocate_range as *const c_void,
        None => allocate as *const c_void,
    };
    let hooks = [("zio_alloc_zil", allocate), ("zio_free", free as *const c_void)];
    for (name, target) in hooks {
        if library.redirect(name, target)? == 0 {
            return Err(LabError::Hook { name: name.to_owned() });
        }
    }
    Ok(())
}

/// Returns the most bytes held at once since the last call.
pub(crate) fn take_max() -> u64 {
    HELD_MAX.swap(HELD.load(Ordering::Relaxed), Ordering::Relaxed)
}

unsafe extern "C" fn allocate(
    spa: *mut c_void,
    objset: *mut c_void,
    group: u64,
    pointer: *mut [u64; 16],
    size: u64,
    is_on_log: *mut c_int,
) -> c_int {
    // SAFETY: the address was taken from the library under this name; the arguments are the caller's
    // own, and the block pointer and the flag are set when the call succeeds.
    unsafe {
        let real = std::mem::transmute::<usize, Allocate>(ALLOCATE.load(Ordering::Relaxed));
        let code = real(spa, objset, group, pointer, size, is_on_log);
        count(code, pointer, is_on_log);
        code
    }
}

unsafe extern "C" fn allocate_range(
    spa: *mut c_void,
    objset: *mut c_void,
    group: u64,
    pointer: *mut [u64; 16],
    least: u64,
    most: u64,
    is_on_log: *mut c_int,
    may_be_larger: c_int,
) -> c_int {
    // SAFETY: as for `allocate`.
    unsafe {
        let real = std::mem::transmute::<usize, AllocateRange>(ALLOCATE.load(Ordering::Relaxed));
        let code = real(spa, objset, group, pointer, least, most, is_on_log, may_be_larger);
        count(code, pointer, is_on_log);
        code
    }
}

/// Takes note of a block that was allocated, if it is on a log device.
///
/// # Safety
/// The arguments of the library's call, and its error number: both are set when that is zero.
unsafe fn count(code: c_int, pointer: *const [u64; 16], is_on_log: *const c_int) {
    // SAFETY: as the caller promises.
    let (place, bytes) = unsafe {
        if code != 0 || is_on_log.is_null() || *is_on_log == 0 {
            return;
        }
        first_place(&*pointer)
    };
    blocks().insert(place, bytes);
    let held = HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
    HELD_MAX.fetch_max(held, Ordering::Relaxed);
}

unsafe extern "C" fn free(spa: *mut c_void, group: u64, pointer: *const [u64; 16]) {
    // SAFETY: as above; the block pointer is the caller's.
    unsafe {
        let (place, _) = first_place(&*pointer);
        if let Some(bytes) = blocks().remove(&place) {
            HELD.fetch_sub(bytes, Ordering::Relaxed);
        }
        let real = std::mem::transmute::<usize, Free>(FREE.load(Ordering::Relaxed));
        real(spa, group, pointer);
    }
}

/// Returns the first place that a block pointer names, and the bytes that it takes there: the lowest
/// 24 bits of its first word are its sectors (`dva_t`, include/sys/spa.h).
fn first_place(pointer: &[u64; 16]) -> ((u64, u64), u64) {
    let [first, second, ..] = *pointer;
    ((first, second), (first & 0xff_ffff) << 9)
}

fn blocks() -> std::sync::MutexGuard<'static, BTreeMap<(u64, u64), u64>> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}
