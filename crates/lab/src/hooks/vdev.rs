//! Tells the library which of its file vdevs turn.
//!
//! OpenZFS takes every file vdev for a solid-state device (`vdev_file_open`, 2.0 to 2.4), and so
//! merges reads up to 128 KiB instead of 1 MiB and weighs mirror reads without seeks. The flag
//! `vdev_nonrot` has no setter and its place in `vdev_t` differs by version. It is found by
//! watching: `vdev_file_open` of a fresh vdev turns exactly two flags from 0 to 1, `vdev_nonrot`
//! and, further behind in every version (include/sys/vdev_impl.h), `vdev_has_trim`.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::memory;
use crate::LabError;
use crate::zpool::library::{Library, write_protected};

/// Bytes of `vdev_t` that are watched at most; the flags lie within.
const WATCHED_BYTES_MAX: usize = 16 * 1024;
const WORD: usize = size_of::<u32>();

static REAL_OPEN: AtomicUsize = AtomicUsize::new(0);
/// Offset of `vdev_nonrot`, plus one; zero while it is not known.
static NONROT_OFFSET: AtomicUsize = AtomicUsize::new(0);
/// Whether the vdev at an address turns; asked again when the library reopens it.
static TURNING: Mutex<BTreeMap<usize, bool>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// Whether the disk that this thread opened last turns.
    static LAST_OPENED: Cell<Option<bool>> = const { Cell::new(None) };
}

/// `open` is the first of the functions that a file vdev has. In `vdev_ops_t` it stands first (2.0), or behind `init` and
/// `fini` (2.1 and later), of which file vdevs have none.
const OPEN_INDEX_MAX: usize = 2;

type Open = unsafe extern "C" fn(*mut c_void, *mut u64, *mut u64, *mut u64, *mut u64) -> c_int;

/// Stands between the library and its own `vdev_file_open`.
///
/// # Errors
/// [`LabError`] when the library has no `vdev_file_ops`, or that no function to open a vdev.
pub(super) fn install(library: &Library) -> Result<(), LabError> {
    let ops = library.address("vdev_file_ops")?.cast::<usize>();
    // SAFETY: the table is an array of function pointers, longer than this; nothing runs yet.
    let entries =
        (0..=OPEN_INDEX_MAX).map(|index| unsafe { (ops.add(index), ops.add(index).read()) });
    let Some((place, real)) = entries.into_iter().find(|(_, real)| *real != 0) else {
        return Err(LabError::Hook { name: "vdev_file_open".to_owned() });
    };
    REAL_OPEN.store(real, Ordering::Release);
    write_protected(place.cast(), open as *const c_void)
}

/// Returns whether the place of the flag was found, so that disks are seen as turning.
pub(crate) fn knows_rotation() -> bool {
    NONROT_OFFSET.load(Ordering::Acquire) != 0
}

/// Takes note of the disk that this thread is opening.
pub(super) fn opened(turns: bool) {
    LAST_OPENED.set(Some(turns));
}

unsafe extern "C" fn open(
    vdev: *mut c_void,
    size: *mut u64,
    size_max: *mut u64,
    logical: *mut u64,
    physical: *mut u64,
) -> c_int {
    LAST_OPENED.set(None);
    // SAFETY: `vdev` is an allocation of its own (a `vdev_t`); the arguments are handed on.
    unsafe {
        let before = contents(vdev);
        let real: Open = std::mem::transmute::<usize, Open>(REAL_OPEN.load(Ordering::Acquire));
        let result = real(vdev, size, size_max, logical, physical);
        if result == 0 {
            learn_offset(&before, &contents(vdev));
            mark(vdev);
        }
        result
    }
}

fn learn_offset(before: &[u32], after: &[u32]) {
    let flags = before.iter().zip(after).enumerate();
    let raised: Vec<usize> =
        flags.filter(|(_, pair)| *pair == (&0, &1)).map(|(index, _)| index).collect();
    if let [nonrot, _has_trim] = raised.as_slice() {
        NONROT_OFFSET.store(nonrot * WORD + 1, Ordering::Release);
    }
}

/// Clears `vdev_nonrot` of a vdev whose disk turns.
unsafe fn mark(vdev: *mut c_void) {
    let mut turning = TURNING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(turns) = LAST_OPENED.get() {
        turning.insert(vdev as usize, turns);
    }
    let offset = NONROT_OFFSET.load(Ordering::Acquire);
    if offset != 0 && turning.get(&(vdev as usize)) == Some(&true) {
        // SAFETY: the offset was found inside this structure, and holds a 32-bit flag.
        unsafe { vdev.byte_add(offset - 1).cast::<u32>().write(0) };
    }
}

/// Returns what a vdev holds, word by word; nothing where the kernel does not give it.
///
/// The allocation may be larger than a `vdev_t`, and its end was never written. The kernel hands out bytes
/// of this process whatever they are, which a slice over such memory may not.
unsafe fn contents(vdev: *mut c_void) -> Vec<u32> {
    // SAFETY: the library allocated it, and it is open.
    let usable = unsafe { memory::usable_size(vdev) }.min(WATCHED_BYTES_MAX);
    let mut bytes = vec![0; usable / WORD * WORD];
    let memory = File::open("/proc/self/mem");
    match memory.and_then(|memory| memory.read_exact_at(&mut bytes, vdev.addr() as u64)) {
        Ok(()) => bytes.as_chunks().0.iter().copied().map(u32::from_ne_bytes).collect(),
        Err(_) => Vec::new(),
    }
}
