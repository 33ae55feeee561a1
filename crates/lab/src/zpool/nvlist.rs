//! Name-value lists, the form in which OpenZFS takes a pool's layout.

use std::ffi::{CString, c_uint};

use crate::zpool::functions::{Functions, Handle};

/// A list under construction; the library owns the memory, which is never freed.
///
/// A worker builds a handful of lists and ends; freeing them would gain nothing.
#[derive(Clone, Copy)]
pub(crate) struct NvList<'a> {
    functions: &'a Functions,
    handle: Handle,
}

impl<'a> NvList<'a> {
    /// Returns an empty list.
    pub(crate) fn new(functions: &'a Functions) -> Self {
        // SAFETY: no preconditions.
        let handle = unsafe { (functions.list.fnvlist_alloc)() };
        Self { functions, handle }
    }

    /// Reads a list from its packed form.
    pub(crate) fn unpack(functions: &'a Functions, packed: &[u8]) -> Self {
        // SAFETY: the bytes were made by `pack` of a library of the same version.
        let handle =
            unsafe { (functions.list.fnvlist_unpack)(packed.as_ptr().cast(), packed.len()) };
        Self { functions, handle }
    }

    /// Returns the list at `handle`.
    pub(crate) fn from_handle(functions: &'a Functions, handle: Handle) -> Self {
        Self { functions, handle }
    }

    /// Returns the library's own handle.
    pub(crate) fn handle(self) -> Handle {
        self.handle
    }

    /// Adds a string.
    #[must_use]
    pub(crate) fn string(self, name: &str, value: &str) -> Self {
        let (name, value) = (text(name), text(value));
        // SAFETY: the list is alive and both strings are NUL-terminated; the library copies them.
        unsafe {
            (self.functions.list.fnvlist_add_string)(self.handle, name.as_ptr(), value.as_ptr());
        }
        self
    }

    /// Adds a number.
    #[must_use]
    pub(crate) fn number(self, name: &str, value: u64) -> Self {
        let name = text(name);
        // SAFETY: the list is alive and the name NUL-terminated.
        unsafe { (self.functions.list.fnvlist_add_uint64)(self.handle, name.as_ptr(), value) };
        self
    }

    /// Adds bytes.
    #[must_use]
    pub(crate) fn bytes(self, name: &str, bytes: &[u8]) -> Self {
        let name = text(name);
        let count = c_uint::try_from(bytes.len()).unwrap_or(0);
        // SAFETY: the list is alive, the name NUL-terminated; the library copies the bytes.
        unsafe {
            (self.functions.list.fnvlist_add_uint8_array)(
                self.handle,
                name.as_ptr(),
                bytes.as_ptr(),
                count,
            );
        }
        self
    }

    /// Adds an array of lists.
    #[must_use]
    pub(crate) fn lists(self, name: &str, lists: &[NvList<'_>]) -> Self {
        let name = text(name);
        let handles: Vec<Handle> = lists.iter().map(|list| list.handle).collect();
        let count = c_uint::try_from(handles.len()).unwrap_or(0);
        // SAFETY: the lists are alive; the library copies them.
        unsafe {
            (self.functions.list.fnvlist_add_nvlist_array)(
                self.handle,
                name.as_ptr(),
                handles.as_ptr(),
                count,
            );
        }
        self
    }

    /// Returns the packed form.
    pub(crate) fn pack(self) -> Vec<u8> {
        let mut size = 0;
        // SAFETY: the library returns `size` bytes of its own memory.
        unsafe {
            let bytes = (self.functions.list.fnvlist_pack)(self.handle, &raw mut size);
            std::slice::from_raw_parts(bytes.cast::<u8>(), size).to_vec()
        }
    }
}

/// Returns a C string; a name of ours never holds a NUL, and would end there if it did.
pub(crate) fn text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}
