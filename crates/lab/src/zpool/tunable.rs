//! Tunables by name: plain variables of the library, written before it starts and read back.
//!
//! The kernel's parameter files check ranges; a variable does not, so only what the library has
//! under the parameter's own name is written, in the variable's own width.

use crate::LabError;
use crate::zpool::library::Library;

/// Sets the tunable `name` and returns the value read back.
///
/// # Errors
/// [`LabError::Tunable`] when the library lacks it, [`LabError::TunableValue`] when the value does
/// not fit the variable.
pub(crate) fn set(
    library: &Library,
    version: &str,
    name: &str,
    value: u64,
) -> Result<u64, LabError> {
    let missing = || LabError::Tunable { name: name.to_owned(), version: version.to_owned() };
    let size = library.size_of(name).ok_or_else(missing)?;
    let place = library.find(name).ok_or_else(missing)?;
    let unfit = || LabError::TunableValue {
        name: name.to_owned(),
        value,
        version: version.to_owned(),
        size,
    };
    match size {
        4 => {
            let value = u32::try_from(value).map_err(|_| unfit())?;
            // SAFETY: the symbol table says that this is a variable of four bytes.
            unsafe {
                place.cast::<u32>().write_volatile(value);
                Ok(u64::from(place.cast::<u32>().read_volatile()))
            }
        }
        // SAFETY: the symbol table says that this is a variable of eight bytes.
        8 => unsafe {
            place.cast::<u64>().write_volatile(value);
            Ok(place.cast::<u64>().read_volatile())
        },
        _ => Err(missing()),
    }
}

/// Returns the value that the library itself gives the tunable `name`, or `None` when it lacks it.
pub(crate) fn get(library: &Library, name: &str) -> Option<u64> {
    let place = library.find(name)?;
    match library.size_of(name)? {
        // SAFETY: the symbol table says that this is a variable of four bytes.
        4 => Some(u64::from(unsafe { place.cast::<u32>().read_volatile() })),
        // SAFETY: the symbol table says that this is a variable of eight bytes.
        8 => Some(unsafe { place.cast::<u64>().read_volatile() }),
        _ => None,
    }
}

/// Lets the pointer variable `name` point to a text that lives as long as the process.
///
/// # Errors
/// [`LabError::Symbol`] when the library lacks it.
pub(crate) fn set_text(library: &Library, name: &str, value: &str) -> Result<(), LabError> {
    let place = library.address(name)?.cast::<*const std::ffi::c_char>();
    let text = super::nvlist::text(value).into_raw();
    // SAFETY: the variable is a `char *`; the text is leaked on purpose.
    unsafe { place.write_volatile(text.cast_const()) };
    Ok(())
}
