//! Memory of the library when time goes by events: a heap of its own, at the same address in every process.
//!
//! OpenZFS hashes and orders by address in places (the dbuf table hashes that of its object set), so where
//! its memory lies decides small things that others follow from. On the process's own heap that hung on
//! everything that the program itself allocates, and so on its build. Here it depends on the library's own
//! calls alone, whose order the schedule decides.
//!
//! What the C library hands out (`strdup`, `getline`) stays on the heap of the process; `free` and
//! `realloc` tell the two by address.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use dlmalloc::{Allocator, Dlmalloc};

use super::Hook;

/// Where the heap begins: above where a program and its own heap may lie (up to `0x5655_…`, also at random
/// addresses), far below libraries and stacks, and where the thread sanitizer lets a program have memory.
const START: usize = 0x5800_0000_0000;
/// How much address space it may take; the limits of the run are reached long before.
const MOST: usize = 1 << 40;
/// By how much it grows at least.
const STEP: usize = 4 << 20;
/// What the C library aligns every allocation to.
const ALIGNMENT: usize = 16;

static HEAP: Mutex<Dlmalloc<Growing>> = Mutex::new(
    const {
        let mut heap = Dlmalloc::new_with_allocator(Growing { end: AtomicUsize::new(START) });
        assert!(heap.set_granularity(STEP));
        heap
    },
);

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    vec![
        ("malloc", malloc as *const c_void),
        ("calloc", calloc as *const c_void),
        ("realloc", realloc as *const c_void),
        ("free", free as *const c_void),
        ("memalign", memalign as *const c_void),
        ("aligned_alloc", memalign as *const c_void),
        ("posix_memalign", posix_memalign as *const c_void),
    ]
}

/// Keeps the heap's whole address space from others, before disks of terabytes are mapped: what the C library maps
/// there would be taken for the heap's own. Says whether it is the heap's.
pub(crate) fn reserve() -> bool {
    static IS_OURS: OnceLock<bool> = OnceLock::new();
    *IS_OURS.get_or_init(|| {
        let place = START as *mut c_void;
        let flags = libc::MAP_PRIVATE
            | libc::MAP_ANONYMOUS
            | libc::MAP_NORESERVE
            | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: maps anew, and takes the place of nothing that is mapped.
        let got = unsafe { libc::mmap(place, MOST, libc::PROT_NONE, flags, -1, 0) };
        if got != place && got != libc::MAP_FAILED {
            // A kernel before 4.17 takes the place for a wish.
            // SAFETY: just mapped, and known to nobody.
            unsafe { libc::munmap(got, MOST) };
        }
        got == place
    })
}

/// One piece of address space that grows upwards and never shrinks.
struct Growing {
    end: AtomicUsize,
}

// SAFETY: the pieces handed out are fresh mappings that touch each other and nobody else's.
unsafe impl Allocator for Growing {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let refused = (null_mut(), 0, 0);
        let end = self.end.load(Ordering::Relaxed);
        if size > (START + MOST).saturating_sub(end) {
            return refused;
        }
        if !reserve() {
            return refused;
        }
        let place = end as *mut c_void;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: takes the place of what was reserved for it, and of nothing else.
        let got = unsafe { libc::mmap(place, size, access, flags, -1, 0) };
        if got == place {
            self.end.store(end + size, Ordering::Relaxed);
            return (got.cast(), size, 0);
        }
        refused
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        4096
    }
}

/// Calls `act` with the heap.
fn with<T>(act: impl FnOnce(&mut Dlmalloc<Growing>) -> T) -> T {
    act(&mut HEAP.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Says whether `pointer` is of this heap.
fn is_ours(pointer: *mut c_void) -> bool {
    (START..START + MOST).contains(&(pointer as usize))
}

/// Returns how many bytes may be used at `pointer`, at least as many as were asked for.
///
/// # Safety
/// `pointer` must be an allocation of the library that is not freed yet.
pub(super) unsafe fn usable_size(pointer: *mut c_void) -> usize {
    if !is_ours(pointer) {
        // SAFETY: an allocation of the C library's heap.
        return unsafe { libc::malloc_usable_size(pointer) };
    }
    // SAFETY: a chunk of the heap begins with its size, whose three lowest bits are marks, in the word before
    // what is handed out; the test below holds that against the heap.
    let chunk = unsafe { pointer.cast::<usize>().sub(1).read() } & !7;
    chunk - size_of::<usize>()
}

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY: takes any size.
    with(|heap| unsafe { heap.c_malloc(size) }).cast()
}

unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(size) = count.checked_mul(size) else { return null_mut() };
    // SAFETY: takes any size; the alignment is a power of two.
    with(|heap| unsafe { heap.calloc(size, ALIGNMENT) }).cast()
}

unsafe extern "C" fn realloc(pointer: *mut c_void, size: usize) -> *mut c_void {
    if !pointer.is_null() && !is_ours(pointer) {
        // SAFETY: the caller's own pointer, of the C library's heap.
        return unsafe { libc::realloc(pointer, size) };
    }
    // SAFETY: null, or of this heap and, as for the function replaced, not yet freed.
    with(|heap| unsafe { heap.c_realloc(pointer.cast(), size) }).cast()
}

unsafe extern "C" fn free(pointer: *mut c_void) {
    if is_ours(pointer) {
        // SAFETY: of this heap and, as for the function replaced, not yet freed.
        with(|heap| unsafe { heap.c_free(pointer.cast()) });
    } else {
        // SAFETY: the caller's own pointer, of the C library's heap or null.
        unsafe { libc::free(pointer) };
    }
}

unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    if !alignment.is_power_of_two() {
        return null_mut();
    }
    // SAFETY: takes any size; the alignment is a power of two.
    with(|heap| unsafe { heap.c_memalign(alignment, size) }).cast()
}

unsafe extern "C" fn posix_memalign(
    target: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    // SAFETY: as for the function called.
    let pointer = unsafe { memalign(alignment, size) };
    if pointer.is_null() {
        return if alignment.is_power_of_two() { libc::ENOMEM } else { libc::EINVAL };
    }
    // SAFETY: the caller owns what `target` points to, as for the function replaced.
    unsafe { target.write(pointer) };
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, since the heap is the process's one.
    #[test]
    fn memory_lies_where_the_calls_before_put_it_and_what_is_not_ours_goes_back_to_the_c_library() {
        // SAFETY: every pointer is used while it is valid, and freed once.
        unsafe {
            let first = malloc(100);
            assert!(is_ours(first) && (first as usize) < START + STEP);
            let zeros = calloc(10, 10).cast::<u8>();
            assert!((0..100).all(|place| zeros.add(place).read() == 0));
            zeros.write_bytes(7, 100);
            let grown = realloc(zeros.cast(), 100_000).cast::<u8>();
            assert!((0..100).all(|place| grown.add(place).read() == 7));
            free(grown.cast());
            let mut page = null_mut();
            assert_eq!(posix_memalign(&raw mut page, 4096, 4096), 0);
            assert!(is_ours(page) && (page as usize).is_multiple_of(4096));
            assert_eq!(posix_memalign(&raw mut page, 24, 4096), libc::EINVAL);
            free(page);
            free(first);
            assert_eq!(malloc(100), first);
            free(first);
            for size in [1, 24, 25, 4096, 5000, 1 << 20] {
                let pointer = malloc(size);
                let usable = usable_size(pointer);
                assert!((size..size + 48).contains(&usable), "{usable} of {size}");
                pointer.cast::<u8>().write_bytes(1, usable);
                free(pointer);
            }
            assert!(malloc(usize::MAX / 2).is_null());
            assert!(calloc(usize::MAX, 2).is_null());

            let theirs = libc::strdup(c"of the C library".as_ptr());
            assert!(!is_ours(theirs.cast()));
            let theirs = realloc(theirs.cast(), 1000);
            assert!(usable_size(theirs) >= 1000);
            assert!(!is_ours(theirs));
            free(theirs);
            free(null_mut());
        }
    }
}
