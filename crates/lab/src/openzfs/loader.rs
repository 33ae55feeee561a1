//! The C library that a worker is started with: the machine's own, or the one beside a newer OpenZFS.
//!
//! A library of Debian 13 does not load where the C library is that of Debian 12. A program built for an
//! older C library runs on a newer one, so the worker is started through the newer loader, from the folder
//! that the library was fetched into; nothing is installed:
//!
//! ```text
//!   <root>/2.4.4/libzpool.so.7
//!   <root>/2.4.4/runtime/{ld-linux-x86-64.so.2, libc.so.6, …}
//!
//!   runtime/ld-linux-x86-64.so.2 --library-path runtime  PROGRAM ARGUMENTS…
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::elf::ElfFile64;
use object::{Endianness, Object as _, ObjectSection as _};

/// The folder beside a library with the C library that it was linked with.
pub(super) const RUNTIME: &str = "runtime";
/// The loader in that folder.
const LOADER: &str = "ld-linux-x86-64.so.2";
/// Where a machine's own C library lies.
const C_LIBRARY: [&str; 3] =
    ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6"];
/// What the names of the C library's versions begin with.
const PREFIX: &str = "GLIBC_";

/// Returns the command that starts `program` so that it can load `library`.
pub(crate) fn start(program: &Path, library: &Path) -> Command {
    match runtime_for(library) {
        None => Command::new(program),
        Some(runtime) => {
            let mut command = Command::new(runtime.join(LOADER));
            command.arg("--library-path").arg(&runtime).arg(program);
            command
        }
    }
}

/// Returns the folder with the C library that `library` needs; none where the machine's own will do.
fn runtime_for(library: &Path) -> Option<PathBuf> {
    let runtime = library.parent()?.join(RUNTIME);
    if !runtime.join(LOADER).exists() {
        return None;
    }
    let own = C_LIBRARY.iter().find_map(|file| newest_named(Path::new(file)));
    // A machine whose C library cannot be read is one that is not known to have what is needed.
    let is_enough = own.is_some() && own >= newest_named(library);
    (!is_enough).then_some(runtime)
}

/// Returns the newest version of the C library that the file at `path` names: what it offers, or needs.
fn newest_named(path: &Path) -> Option<Vec<u32>> {
    let file = fs::read(path).ok()?;
    let elf = ElfFile64::<Endianness>::parse(&*file).ok()?;
    let names = elf.section_by_name(".dynstr")?.data().ok()?;
    names.split(|byte| *byte == 0).filter_map(version_in).max()
}

/// Reads `GLIBC_2.38`.
fn version_in(name: &[u8]) -> Option<Vec<u32>> {
    let number = std::str::from_utf8(name).ok()?.strip_prefix(PREFIX)?;
    number.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{start, version_in};

    #[test]
    fn versions_of_the_c_library_are_in_their_order() {
        let version = |text: &str| version_in(text.as_bytes());
        assert!(version("GLIBC_2.38") > version("GLIBC_2.4"));
        assert!(version("GLIBC_2.38") > version("GLIBC_2.2.5"));
        for other in ["GLIBC_PRIVATE", "GLIBCXX_3.4", "malloc", ""] {
            assert_eq!(version(other), None, "{other}");
        }
    }

    #[test]
    fn a_library_that_came_alone_is_loaded_by_the_machines_own_loader() {
        let command = start(Path::new("/usr/bin/program"), Path::new("/nowhere/libzpool.so.5"));
        assert_eq!(command.get_program(), "/usr/bin/program");
    }
}
