//! Brings a library from the machine's own Debian package sources, without root or installation.
//!
//! ```text
//!   the machine's sources ──> archive address, signing key
//!   private sources.list:  the releases that hold it (archive.rs) · main contrib
//!   apt-get update, download (state and cache in a private folder) ──> .deb files
//!   dpkg-deb -x ──> the shared libraries alone ──> <root>/<version>/
//!                   the C library that it needs ──> <root>/<version>/runtime/ (loader.rs)
//! ```
//!
//! Work is done in a folder beside the destination, which is renamed into place at the end: there
//! is a whole library or none.

use std::fs;
use std::path::{Path, PathBuf};

use super::apt::{Apt, files_in, unpack};
use super::archive::{Packaged, packaged};
use super::loader::RUNTIME;
use super::locate::fetched;
use super::{Library, OpenzfsError, ZFS_FUSE, ZFS_FUSE_PREFIX, trust};

/// Libraries kept of each package; never `libzfs`, see `zpool::library`.
const KEPT: [&str; 5] =
    ["libzpool.so.", "libnvpair.so.", "libuutil.so.", "libzfs_core.so.", "libfuse.so.2"];
/// System libraries that OpenZFS needs, and the packages that hold them where they are missing.
const SYSTEM: [(&str, &str); 13] = [
    ("libcrypto.so.3", "libssl3"),
    ("libtirpc.so.3", "libtirpc3"),
    ("libgssapi_krb5.so.2", "libgssapi-krb5-2"),
    ("libkrb5.so.3", "libkrb5-3"),
    ("libk5crypto.so.3", "libk5crypto3"),
    ("libkrb5support.so.0", "libkrb5support0"),
    ("libcom_err.so.2", "libcom-err2"),
    ("libkeyutils.so.1", "libkeyutils1"),
    ("libblkid.so.1", "libblkid1"),
    ("libudev.so.1", "libudev1"),
    ("libuuid.so.1", "libuuid1"),
    ("libz.so.1", "zlib1g"),
    ("libssl.so.3", "libssl3"),
];

/// Brings `version` into a folder of its own below `root`; does nothing when it is there as it was
/// fetched, and fetches again what is damaged.
///
/// # Errors
/// [`OpenzfsError::Unknown`] for a version that Debian does not have, [`OpenzfsError::Fetch`]
/// when a program is missing, the archive cannot be reached, or the disk is full.
pub fn fetch(
    version: &str,
    root: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<Library, OpenzfsError> {
    let packaged =
        packaged(version).ok_or_else(|| OpenzfsError::Unknown { version: version.to_owned() })?;
    let roots = [root.to_owned()];
    match fetched(version, &roots) {
        Some(Ok(library)) => {
            say(&format!("OpenZFS {version} is already in {}", library.folder.display()));
            return Ok(library);
        }
        Some(Err(OpenzfsError::Altered { why, .. })) => say(&format!("{why}; it is fetched again")),
        Some(Err(error)) => return Err(error),
        None => {}
    }
    let failed = |reason: String| OpenzfsError::Fetch { version: version.to_owned(), reason };
    fs::create_dir_all(root).map_err(|error| failed(format!("{}: {error}", root.display())))?;
    let work = root.join(format!(".{version}-{}", std::process::id()));
    // Left behind by a killed run with the same process number.
    let _gone = fs::remove_dir_all(&work);
    let result = bring(packaged, &work, say).and_then(|folder| {
        let (place, old) = (root.join(version), work.join("old"));
        let moved = if place.exists() { fs::rename(&place, &old) } else { Ok(()) };
        moved.and_then(|()| fs::rename(&folder, &place)).map_err(|error| error.to_string())?;
        trust::close(&place)
    });
    // The parts are of no use to anyone; what matters has been renamed away.
    let _gone = fs::remove_dir_all(&work);
    // Where this run failed somebody else may have brought it meanwhile.
    match (fetched(version, &roots), result) {
        (Some(Ok(library)), _) => Ok(library),
        (_, Err(reason)) => Err(failed(reason)),
        (Some(Err(error)), Ok(())) => Err(error),
        (None, Ok(())) => Err(failed("no library was in its packages".to_owned())),
    }
}

/// Downloads and unpacks; returns the folder with the libraries.
fn bring(packaged: &Packaged, work: &Path, say: &mut dyn FnMut(&str)) -> Result<PathBuf, String> {
    let suites = packaged.suites;
    say(&format!("reading the package lists of {} (nothing is installed)", suites.join(", ")));
    let apt = Apt::new(work, suites)?;
    let mut own = Vec::new();
    let version = packaged.version.strip_prefix(ZFS_FUSE_PREFIX).unwrap_or(packaged.version);
    for package in packaged.packages {
        own.push(match *package {
            // It goes by a version of its own; any will do.
            "libfuse2" => (*package).to_owned(),
            _ => format!("{package}={}", apt.full_version(package, &format!("{version}-"))?),
        });
    }
    if packaged.runtime.is_empty() {
        let missing = SYSTEM.iter().filter(|(library, _)| !is_on_system(library));
        own.extend(missing.map(|(_, package)| (*package).to_owned()));
        own.dedup();
    }
    let runtime: Vec<String> = packaged.runtime.iter().map(|name| (*name).to_owned()).collect();
    let folder = work.join("libraries");
    unpack_into(&apt, &own, &folder, say)?;
    unpack_into(&apt, &runtime, &folder.join(RUNTIME), say)?;
    let names = [own, runtime].concat().join("\n");
    let source = format!("OpenZFS {}\nDebian packages, unpacked:\n{names}\n", packaged.version);
    fs::write(folder.join(trust::SOURCE), source).map_err(|error| error.to_string())?;
    trust::record(&folder)?;
    Ok(folder)
}

/// Brings the libraries of the packages `names` into `folder`.
fn unpack_into(
    apt: &Apt,
    names: &[String],
    folder: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<(), String> {
    if names.is_empty() {
        return Ok(());
    }
    say(&format!("downloading {}", names.join(", ")));
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let is_kept = if folder.ends_with(RUNTIME) { is_shared } else { is_openzfs };
    let unpacked = folder.with_extension("unpacked");
    for package in apt.download(names)? {
        unpack(&package, &unpacked)?;
        collect(&unpacked, folder, is_kept)?;
        fs::remove_dir_all(&unpacked).map_err(|error| error.to_string())?;
        fs::remove_file(&package).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Returns whether the system's loader knows the library.
fn is_on_system(library: &str) -> bool {
    let folders = ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib"];
    folders.iter().any(|folder| Path::new(folder).join(library).exists())
}

/// Copies those files of an unpacked package into `folder` that are kept, links as links.
fn collect(unpacked: &Path, folder: &Path, is_kept: fn(&Path) -> bool) -> Result<(), String> {
    for path in files_below(unpacked).iter().filter(|path| is_kept(path)) {
        let target = folder.join(path.file_name().unwrap_or_default());
        let copied = match fs::read_link(path) {
            // Links of libraries lead to their own folder; the loader's, to where it is installed.
            Ok(link) if link.components().count() > 1 => continue,
            Ok(link) => std::os::unix::fs::symlink(link, &target),
            Err(_) => fs::copy(path, &target).map(|_| ()),
        };
        copied.map_err(|error| format!("{}: {error}", target.display()))?;
    }
    Ok(())
}

/// Of OpenZFS's own packages and what this machine lacks: the libraries named above, and the daemon.
fn is_openzfs(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_system = SYSTEM.iter().any(|(library, _)| name.starts_with(library));
    let is_program = name == ZFS_FUSE && path.parent().is_some_and(|it| it.ends_with("sbin"));
    is_system || is_program || KEPT.iter().any(|kept| name.starts_with(kept))
}

/// Of the C library's packages: the loader and every library beside it.
fn is_shared(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let beside = path.parent().is_some_and(|folder| folder.ends_with("lib/x86_64-linux-gnu"));
    beside && name.contains(".so.") && (name.starts_with("lib") || name.starts_with("ld-"))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (folders, mut files): (Vec<PathBuf>, Vec<PathBuf>) =
        files_in(folder).into_iter().partition(|path| path.is_dir() && !path.is_symlink());
    files.extend(folders.iter().flat_map(|folder| files_below(folder)));
    files
}
