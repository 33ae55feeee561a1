//! A loaded `libzpool`: symbols by name, their sizes, and the slots through which it calls out.
//!
//! The library is loaded by path with its companions, so nothing needs to be installed. Names,
//! sizes and relocations are read from the file itself with the `object` crate; the kernel's
//! dynamic loader is asked only for addresses. No OpenZFS header is used anywhere.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_void};
use std::fs;
use std::io::Write as _;
use std::os::fd::{FromRawFd as _, IntoRawFd as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use object::elf::{DF_1_PIE, DT_FLAGS_1};
use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _, ProgramHeader as _};
use object::{
    Endianness, Object as _, ObjectSymbol as _, ObjectSymbolTable as _, RelocationTarget,
};

use crate::LabError;

/// Companions of `libzpool`, loaded first from the same folder when they are there.
///
/// Never `libzfs`: it holds its own copy of the feature table, which would take the place of
/// `libzpool`'s and finds no feature supported where no kernel module is loaded.
const COMPANIONS: [&str; 3] = ["libnvpair", "libuutil", "libzfs_core"];

/// A loaded library with its symbol table.
#[derive(Debug)]
pub(crate) struct Library {
    handle: *mut c_void,
    base: usize,
    sizes: BTreeMap<String, Symbol>,
    slots: Vec<Slot>,
}

#[derive(Debug, Clone, Copy)]
struct Symbol {
    size: u64,
    address: u64,
}

/// A place in the library's memory through which it calls a function by name.
#[derive(Debug, Clone)]
struct Slot {
    name: String,
    offset: usize,
}

impl Library {
    /// Loads `libzpool` at `path` and reads its symbol table.
    ///
    /// # Errors
    /// [`LabError`] when the file is missing, not a library, or lacks something it needs.
    pub(crate) fn load(path: &Path) -> Result<Self, LabError> {
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        for companion in companions_in(folder) {
            // A companion that cannot be loaded shows itself when libzpool misses it.
            let _handle = open(&companion);
        }
        let handle =
            open(path).map_err(|reason| LabError::Library { path: path.to_path_buf(), reason })?;
        let file = fs::read(path).map_err(|error| LabError::Library {
            path: path.to_path_buf(),
            reason: error.to_string(),
        })?;
        let (symbols, slots) = read_tables(&file).map_err(|error| LabError::Library {
            path: path.to_path_buf(),
            reason: format!("its symbol table cannot be read: {error}"),
        })?;
        let mut library = Self {
            handle,
            base: 0,
            sizes: symbols.iter().map(|s| (s.0.clone(), s.1)).collect(),
            slots,
        };
        let (name, _, address) = symbols
            .iter()
            .find(|(name, _, _)| name == "kernel_init")
            .ok_or_else(|| LabError::Symbol { name: "kernel_init".to_owned() })?;
        library.base = library.address(name)? as usize - word(*address);
        Ok(library)
    }

    /// Loads the program at `path` as if it were a library, with the libraries beside it.
    ///
    /// The loader refuses programs by one bit of their dynamic section. It is cleared in a copy in
    /// memory; the code is the one of the file.
    ///
    /// # Errors
    /// [`LabError`] when the file is missing, not a program, or lacks something it needs.
    pub(crate) fn load_program(path: &Path) -> Result<(Self, *const c_void), LabError> {
        let failed = |reason: String| LabError::Library { path: path.to_path_buf(), reason };
        for companion in companions_in(path.parent().unwrap_or_else(|| Path::new("."))) {
            let _handle = open(&companion);
        }
        let mut file = fs::read(path).map_err(|error| failed(error.to_string()))?;
        let (symbols, slots) = read_tables(&file).map_err(|error| failed(error.to_string()))?;
        let entry = clear_program_bit(&mut file).map_err(|error| failed(error.to_string()))?;
        let copy = memory_file(&file).map_err(|error| failed(error.to_string()))?;
        let handle = open(&copy).map_err(failed)?;
        let sizes = symbols.iter().map(|s| (s.0.clone(), s.1)).collect();
        let mut library = Self { handle, base: 0, sizes, slots };
        // A program's own variable, which nobody else offers under this handle before it.
        let (name, _, address) = symbols
            .iter()
            .find(|(name, _, _)| name == "__cyg_profile_func_enter")
            .ok_or_else(|| LabError::Symbol { name: "__cyg_profile_func_enter".to_owned() })?;
        library.base = library.address(name)? as usize - word(*address);
        let entry = library.base + word(entry);
        Ok((library, entry as *const c_void))
    }

    /// Returns the address of `name`, in this library or the ones it brought along.
    ///
    /// # Errors
    /// [`LabError::Symbol`] when there is no such name.
    pub(crate) fn address(&self, name: &str) -> Result<*mut c_void, LabError> {
        self.find(name).ok_or_else(|| LabError::Symbol { name: name.to_owned() })
    }

    /// Returns the address of `name`, or `None`.
    pub(crate) fn find(&self, name: &str) -> Option<*mut c_void> {
        let text = CString::new(name).ok()?;
        // SAFETY: the handle stays valid, as the library is never unloaded.
        let address = unsafe { libc::dlsym(self.handle, text.as_ptr()) };
        (!address.is_null()).then_some(address)
    }

    /// Returns the address of this very library's `name`, or `None`.
    pub(crate) fn own_address(&self, name: &str) -> Option<usize> {
        let symbol = self.sizes.get(name)?;
        Some(self.base + word(symbol.address))
    }

    /// Returns the size in bytes of the variable `name`, or `None` when the library lacks it.
    pub(crate) fn size_of(&self, name: &str) -> Option<u64> {
        self.sizes.get(name).map(|symbol| symbol.size)
    }

    /// Lets every call that the library makes to `name` go to `target`; returns how many slots did.
    ///
    /// Only calls of this library are redirected, not those of the rest of the process.
    ///
    /// # Errors
    /// [`LabError`] when the memory cannot be made writable.
    pub(crate) fn redirect(&self, name: &str, target: *const c_void) -> Result<usize, LabError> {
        let mut count = 0;
        for slot in self.slots.iter().filter(|slot| slot.name == name) {
            let place = (self.base + slot.offset) as *mut *const c_void;
            write_protected(place, target)?;
            count += 1;
        }
        Ok(count)
    }
}

/// Clears the mark of a program (`DF_1_PIE`) and returns where the program begins.
fn clear_program_bit(file: &mut [u8]) -> Result<u64, object::Error> {
    let (entry, flags) = {
        let elf = ElfFile64::<Endianness>::parse(&*file)?;
        let endian = elf.elf_header().endian()?;
        let mut flags = None;
        for segment in elf.elf_program_headers() {
            let Some(entries) = segment.dynamic(endian, &*file)? else { continue };
            let place = entries.iter().position(|it| it.d_tag(endian) == u64::from(DT_FLAGS_1));
            let start = segment.p_offset(endian);
            let size = size_of::<object::elf::Dyn64<Endianness>>() as u64;
            flags = flags.or(place.map(|place| start + place as u64 * size + size / 2));
        }
        (elf.entry(), flags)
    };
    let place = flags.and_then(|flags| usize::try_from(flags).ok());
    if let Some(word) = place.and_then(|place| file.get_mut(place..place + size_of::<u64>())) {
        let value = u64::from_le_bytes(word.try_into().unwrap_or_default());
        word.copy_from_slice(&(value & !u64::from(DF_1_PIE)).to_le_bytes());
    }
    Ok(entry)
}

/// Puts `contents` into a file that is only in memory and returns a path to it.
fn memory_file(contents: &[u8]) -> std::io::Result<PathBuf> {
    // SAFETY: the name is NUL-terminated; the descriptor belongs to nobody else.
    let file = unsafe {
        match libc::memfd_create(c"program".as_ptr(), 0) {
            -1 => return Err(std::io::Error::last_os_error()),
            fd => fs::File::from_raw_fd(fd),
        }
    };
    (&file).write_all(contents)?;
    // It stays open for as long as the process lives.
    Ok(PathBuf::from(format!("/proc/self/fd/{}", file.into_raw_fd())))
}

fn companions_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    let is = |path: &Path, stem: &str| {
        path.file_name()
            .and_then(|name| name.to_str())
            .and_then(|name| name.strip_prefix(stem))
            .is_some_and(|rest| {
                rest.strip_prefix(".so.").is_some_and(|version| !version.contains('.'))
            })
    };
    let mut system: Vec<PathBuf> = Vec::new();
    for companion in COMPANIONS {
        system.extend(names.iter().filter(|path| is(path, companion)).cloned());
    }
    // Everything else in a private folder is a system library that this machine lacks; the
    // order among them does not matter, since loading is tried until nothing more succeeds.
    let private = folder.join("SOURCE.txt").exists();
    if private {
        let others = names.iter().filter(|path| {
            path.to_string_lossy().contains(".so.")
                && !path.to_string_lossy().contains("libzpool")
                && !path.to_string_lossy().contains("libzfs.so")
                && !system.contains(path)
        });
        let mut rest: Vec<PathBuf> = others.cloned().collect();
        rest.sort();
        for _ in 0..rest.len() {
            rest.retain(|path| open(path).is_err());
        }
    }
    system
}

fn open(path: &Path) -> Result<*mut c_void, String> {
    let text =
        CString::new(path.as_os_str().as_bytes()).map_err(|_| "path holds a NUL".to_owned())?;
    // SAFETY: dlopen takes a NUL-terminated path; the library's constructors are OpenZFS's own.
    let handle = unsafe { libc::dlopen(text.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if handle.is_null() {
        // SAFETY: dlerror returns a string valid until the next dl call of this thread.
        let message = unsafe { libc::dlerror() };
        if message.is_null() {
            return Err("unknown loader error".to_owned());
        }
        // SAFETY: checked not null above.
        return Err(unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned());
    }
    Ok(handle)
}

const _: () = assert!(size_of::<usize>() == size_of::<u64>(), "the libraries are of 64 bits");

/// Returns an address or an offset of the library's file as one in memory.
fn word(of_file: u64) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "asserted above: both have 64 bits")]
    let word = of_file as usize;
    word
}

type Tables = (Vec<(String, Symbol, u64)>, Vec<Slot>);

fn read_tables(file: &[u8]) -> Result<Tables, object::Error> {
    let elf = ElfFile64::<Endianness>::parse(file)?;
    let _ = elf.elf_header().endian()?;
    let mut symbols = Vec::new();
    for symbol in elf.dynamic_symbols().filter(object::ObjectSymbol::is_definition) {
        let name = symbol.name()?.to_owned();
        let (size, address) = (symbol.size(), symbol.address());
        symbols.push((name, Symbol { size, address }, address));
    }
    let mut slots = Vec::new();
    let table = elf.dynamic_symbol_table();
    for (offset, relocation) in elf.dynamic_relocations().into_iter().flatten() {
        let (RelocationTarget::Symbol(index), Some(table)) = (relocation.target(), &table) else {
            continue;
        };
        let name = table.symbol_by_index(index)?.name()?.to_owned();
        slots.push(Slot { name, offset: word(offset) });
    }
    Ok((symbols, slots))
}

/// Writes a pointer into memory that the loader has made read-only.
///
/// # Errors
/// [`LabError::Protect`] when the memory cannot be made writable.
pub(crate) fn write_protected(
    place: *mut *const c_void,
    value: *const c_void,
) -> Result<(), LabError> {
    // SAFETY: sysconf has no preconditions.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let start = place as usize / page * page;
    let failed = || LabError::Protect { reason: std::io::Error::last_os_error().to_string() };
    // SAFETY: the page holds a relocation slot of the loaded library; it is made writable for the
    // moment of one aligned pointer store and stays readable throughout.
    unsafe {
        if libc::mprotect(start as *mut c_void, page, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            return Err(failed());
        }
        place.write(value);
    }
    Ok(())
}
