//! What encryption costs: the library encrypts and decrypts for real, and its threads spend the time that the
//! scenario's processor takes for it.
//!
//! Everything goes through `spa_do_crypt_abd` (module/zfs/dsl_crypt.c, 2.0 to 2.4): blocks that are written and read, those
//! of the intent log, and what the L2ARC's feed encrypts again.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::LabError;
use crate::schedule;
use crate::zpool::library::Library;

/// Its arguments, each as wide as a register: pointers, numbers and flags. The tenth is the length of the data.
type Crypt = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
) -> i32;

static CRYPT: AtomicUsize = AtomicUsize::new(0);

/// Charges from now on.
///
/// # Errors
/// [`LabError`] when a slot cannot be written.
pub(super) fn install(library: &Library) -> Result<(), LabError> {
    const NAME: &str = "spa_do_crypt_abd";
    CRYPT.store(library.address(NAME)? as usize, Ordering::Relaxed);
    match library.redirect(NAME, crypt as *const std::ffi::c_void)? {
        0 => Err(LabError::Hook { name: NAME.to_owned() }),
        _ => Ok(()),
    }
}

unsafe extern "C" fn crypt(
    encrypt: usize,
    spa: usize,
    bookmark: usize,
    object_type: usize,
    dedup: usize,
    bswap: usize,
    salt: usize,
    iv: usize,
    mac: usize,
    length: usize,
    plain: usize,
    cipher: usize,
    no_crypt: usize,
) -> i32 {
    // SAFETY: the address was taken from the library under this name; the arguments are the caller's own.
    let code = unsafe {
        let real = std::mem::transmute::<usize, Crypt>(CRYPT.load(Ordering::Relaxed));
        real(
            encrypt,
            spa,
            bookmark,
            object_type,
            dedup,
            bswap,
            salt,
            iv,
            mac,
            length,
            plain,
            cipher,
            no_crypt,
        )
    };
    // The length is an `unsigned int`; what else is in its register or place on the stack is not said.
    schedule::spend_on_cipher(length & 0xffff_ffff);
    code
}
