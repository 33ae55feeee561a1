//! Charges the checksum of a block where the library computes it.
//!
//! OpenZFS reaches its checksums through a table of functions (`zio_checksum_table`, module/zfs/zio_checksum.c,
//! 2.0 to 2.4): once for each block that is written, whatever number of disks it goes to, and once for each
//! block that is read. The pool's own kinds are charged: fletcher4, which "on" means and the intent log has,
//! and fletcher2. Labels have SHA-256; they are few and small.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::LabError;
use crate::schedule;
use crate::zpool::library::Library;

/// Of a buffer, its size, a template of the checksum and the place of the result.
type Checksum = unsafe extern "C" fn(*mut c_void, u64, *const c_void, *mut [u64; 4]);

/// The functions, and where the library has them.
const NAMES: [&str; 4] = [
    "abd_fletcher_4_native",
    "abd_fletcher_4_byteswap",
    "abd_fletcher_2_native",
    "abd_fletcher_2_byteswap",
];
static REAL: [AtomicUsize; NAMES.len()] = [const { AtomicUsize::new(0) }; NAMES.len()];

/// Takes the place of the library's checksums.
///
/// # Errors
/// [`LabError`] when the library has no place for the checksum that pools use, or it cannot be written.
pub(super) fn install(library: &Library) -> Result<(), LabError> {
    let hooks: [Checksum; NAMES.len()] = [charged::<0>, charged::<1>, charged::<2>, charged::<3>];
    for ((name, hook), real) in NAMES.iter().zip(hooks).zip(&REAL) {
        let Some(address) = library.find(name) else { continue };
        real.store(address as usize, Ordering::Relaxed);
        let count = library.redirect(name, hook as *const c_void)?;
        if count == 0 && *name == "abd_fletcher_4_native" {
            return Err(LabError::Hook { name: (*name).to_owned() });
        }
    }
    Ok(())
}

/// Computes the checksum at place `N` of [`NAMES`], and charges its time.
unsafe extern "C" fn charged<const N: usize>(
    buffer: *mut c_void,
    size: u64,
    template: *const c_void,
    result: *mut [u64; 4],
) {
    schedule::spend_on_checksum(size);
    let real = REAL.get(N).map_or_else(|| 0, |real| real.load(Ordering::Relaxed));
    // SAFETY: nobody comes here before `install` has kept the library's own function of this name; the
    // arguments are the caller's.
    unsafe { std::mem::transmute::<usize, Checksum>(real)(buffer, size, template, result) };
}
