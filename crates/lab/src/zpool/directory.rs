//! Directories: names looked up and listed by the library's own ZAP calls.

use std::ffi::c_int;

use crate::LabError;
use crate::zpool::functions::{Functions, Handle};
use crate::zpool::nvlist::text;
use crate::zpool::pool::check;
use crate::zpool::znode::Znode;

/// `ENOENT`, and what the ZAP says at the end of a directory.
const NO_ENTRY: c_int = 2;
/// The object's number in a directory entry; the type stands above it (`ZFS_DIRENT_OBJ`).
const NUMBER: u64 = (1 << 48) - 1;

/// Room for a `zap_cursor_t`, which is opaque and 56 bytes long.
type Cursor = [u64; 16];
/// Room for a `zap_attribute_t` as it was before 2.3: 24 bytes and a name of up to 256.
type Attribute = [u64; 64];
/// Where the first number of an entry stands in a `zap_attribute_t` (include/sys/zap.h).
const FIRST_INTEGER: usize = 2;

impl Znode<'_> {
    /// Returns the object that this directory calls `name`, or `None`.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn lookup(&self, name: &str) -> Result<Option<u64>, LabError> {
        let name = text(name);
        let mut entry = 0u64;
        let lookup = self.dataset.functions.zap.zap_lookup;
        let place = (&raw mut entry).cast();
        // SAFETY: the dataset is owned, the name NUL-terminated, and there is room for one number.
        let code = unsafe { lookup(self.dataset.objset, self.number, name.as_ptr(), 8, 1, place) };
        if code == NO_ENTRY {
            return Ok(None);
        }
        check(code, "looking up a name")?;
        Ok(Some(entry & NUMBER))
    }

    /// Reads the names from where `from` left off, at most `most` of them, and hands the objects to
    /// `hear`; returns where to go on, or `None` at the end. 0 is the beginning.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn list(
        &self,
        from: u64,
        most: usize,
        hear: &mut dyn FnMut(u64),
    ) -> Result<Option<u64>, LabError> {
        let functions = self.dataset.functions;
        let mut cursor: Cursor = [0; 16];
        let cursor: Handle = cursor.as_mut_ptr().cast();
        let entry = Entry::new(functions);
        // SAFETY: the dataset is owned; the cursor has room enough and is ended below.
        unsafe {
            match from {
                0 => (functions.zap.zap_cursor_init)(cursor, self.dataset.objset, self.number),
                place => (functions.zap.zap_cursor_init_serialized)(
                    cursor,
                    self.dataset.objset,
                    self.number,
                    place,
                ),
            }
        }
        let mut result = Ok(None);
        for count in 0.. {
            // SAFETY: the cursor was begun above; the entry has room for any name.
            let code = unsafe { (functions.zap.zap_cursor_retrieve)(cursor, entry.place) };
            if code != 0 {
                let end = code == NO_ENTRY;
                result = if end { Ok(None) } else { check(code, "listing").map(|()| None) };
                break;
            }
            if count == most {
                // SAFETY: the cursor was begun above.
                result = Ok(Some(unsafe { (functions.zap.zap_cursor_serialize)(cursor) }));
                break;
            }
            hear(entry.number());
            // SAFETY: the cursor was begun above and stands at an entry.
            unsafe { (functions.zap.zap_cursor_advance)(cursor) };
        }
        // SAFETY: the cursor was begun above and is not used any more.
        unsafe { (functions.zap.zap_cursor_fini)(cursor) };
        result
    }
}

/// Room for one entry; the library makes it itself where it can (2.3).
struct Entry<'a> {
    functions: &'a Functions,
    place: Handle,
    own: Option<Box<Attribute>>,
}

impl<'a> Entry<'a> {
    fn new(functions: &'a Functions) -> Self {
        match functions.zap.zap_attribute_alloc {
            // SAFETY: no preconditions.
            Some(alloc) => Self { functions, place: unsafe { alloc() }, own: None },
            None => {
                let mut own: Box<Attribute> = Box::new([0; 64]);
                Self { functions, place: own.as_mut_ptr().cast(), own: Some(own) }
            }
        }
    }

    /// Returns the object that was read last.
    fn number(&self) -> u64 {
        // SAFETY: the library has written an entry, which is longer than its first numbers.
        let entry = unsafe { self.place.cast::<u64>().add(FIRST_INTEGER).read_volatile() };
        entry & NUMBER
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        if let (None, Some(free)) = (&self.own, self.functions.zap.zap_attribute_free) {
            // SAFETY: the library made it, and it is not used any more.
            unsafe { free(self.place) };
        }
    }
}
