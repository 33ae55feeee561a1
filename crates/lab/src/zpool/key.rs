//! Keys of encrypted datasets: all of the lab have the same one, since nothing is kept from anybody.
//!
//! A dataset is made with a wrapping key, and after each import the key is loaded before the dataset is opened
//! (`dsl_crypto_params_create_nvlist`, `spa_keystore_load_wkey`, module/zfs/dsl_crypt.c, 2.0 to 2.4).

use super::pool::check;
use crate::LabError;
use crate::zpool::functions::{Functions, Handle};
use crate::zpool::nvlist::{NvList, text};

/// `WRAPPING_KEY_LEN` bytes.
const KEY: [u8; 32] = *b"nothing of the lab is a secret  ";
/// `DCP_CMD_NONE`.
const NOTHING_ELSE: i32 = 0;
/// `ZIO_CRYPT_AES_256_GCM` (include/sys/zio.h).
const AES_256_GCM: u64 = 8;
/// `ZFS_KEYFORMAT_RAW` (include/sys/fs/zfs.h).
const FORMAT_RAW: u64 = 1;
/// `EEXIST`: the key is there.
const IS_THERE: i32 = 17;

/// Returns the parameters of a dataset that is to be made.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(super) fn of_new_dataset(functions: &Functions) -> Result<Handle, LabError> {
    let properties = NvList::new(functions)
        .number("encryption", AES_256_GCM)
        .number("keyformat", FORMAT_RAW)
        .string("keylocation", "prompt");
    parameters(functions, properties.handle())
}

fn parameters(functions: &Functions, properties: Handle) -> Result<Handle, LabError> {
    let hidden = NvList::new(functions).bytes("wkeydata", &KEY);
    let mut key: Handle = std::ptr::null_mut();
    // SAFETY: the library is initialised; the lists are alive, and it writes the handle.
    let code = unsafe {
        (functions.key.dsl_crypto_params_create_nvlist)(
            NOTHING_ELSE,
            properties,
            hidden.handle(),
            &raw mut key,
        )
    };
    check(code, "making a key")?;
    Ok(key)
}

/// Frees parameters after a call that ended with `code`: the key itself is the library's where that went well.
pub(super) fn free(functions: &Functions, key: Handle, code: i32) {
    if !key.is_null() {
        // SAFETY: the parameters are the library's own and used no more.
        unsafe { (functions.key.dsl_crypto_params_free)(key, i32::from(code != 0)) };
    }
}

/// Loads the key of a dataset.
///
/// # Errors
/// [`LabError::Zfs`] with the library's error number.
pub(super) fn load(functions: &Functions, dataset: &str) -> Result<(), LabError> {
    let key = parameters(functions, std::ptr::null_mut())?;
    let name = text(dataset);
    // SAFETY: the library is initialised; the name is NUL-terminated.
    let code = unsafe { (functions.key.spa_keystore_load_wkey)(name.as_ptr(), key, 0) };
    free(functions, key, code);
    if code == IS_THERE { Ok(()) } else { check(code, "loading a key") }
}
