//! Brings a library from the machine's own Debian package sources, without root or installation.
//!
//! ```text
//!   the machine's sources ──> archive address, signing key
//!   private sources.list:  bookworm, bookworm-backports · main contrib
//!   apt-get update, download (state and cache in a private folder) ──> .deb files
//!   dpkg-deb -x ──> the shared libraries alone ──> <root>/<version>/
//! ```
//!
//! Work is done in a folder beside the destination, which is renamed into place at the end: there
//! is a whole library or none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{KNOWN, Library, OpenzfsError, Wanted, ZFS_FUSE, ZFS_FUSE_PREFIX, locate};

/// Debian releases with the versions known, and the components that hold them.
const SUITES: [&str; 2] = ["bookworm", "bookworm-backports"];
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
/// Lines of a failed program that are shown.
const LAST_LINES: usize = 6;

/// Brings `version` into a folder of its own below `root`; does nothing when it is there.
///
/// # Errors
/// [`OpenzfsError::Unknown`] for a version that Debian 12 does not have, [`OpenzfsError::Fetch`]
/// when a program is missing, the archive cannot be reached, or the disk is full.
pub fn fetch(
    version: &str,
    root: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<Library, OpenzfsError> {
    let packages = packages_of(version)
        .ok_or_else(|| OpenzfsError::Unknown { version: version.to_owned() })?;
    let wanted = Wanted::Path(root.join(version));
    if let Ok(library) = locate(&wanted, &[]) {
        say(&format!("OpenZFS {version} is already in {}", library.folder.display()));
        return Ok(library);
    }
    let failed = |reason: String| OpenzfsError::Fetch { version: version.to_owned(), reason };
    fs::create_dir_all(root).map_err(|error| failed(format!("{}: {error}", root.display())))?;
    let work = root.join(format!(".{version}-{}", std::process::id()));
    // Left behind by a killed run with the same process number.
    let _gone = fs::remove_dir_all(&work);
    let result = bring(version, packages, &work, say).and_then(|folder| {
        fs::rename(&folder, root.join(version)).map_err(|error| error.to_string())
    });
    // The parts are of no use to anyone; what matters has been renamed away.
    let _gone = fs::remove_dir_all(&work);
    match result {
        Ok(()) => locate(&wanted, &[]),
        // Somebody else may have brought it meanwhile.
        Err(reason) => locate(&wanted, &[]).map_err(|_| failed(reason)),
    }
}

fn packages_of(version: &str) -> Option<&'static [&'static str]> {
    let index = KNOWN.iter().position(|known| *known == version)?;
    let all: [&[&str]; 3] = [
        &["libzpool5linux", "libnvpair3linux", "libuutil3linux", "libzfs4linux"],
        &["libzpool6linux", "libnvpair3linux"],
        &["zfs-fuse", "libfuse2"],
    ];
    all.get(index).copied()
}

/// Downloads and unpacks; returns the folder with the libraries.
fn bring(
    version: &str,
    packages: &[&str],
    work: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<PathBuf, String> {
    let apt = Apt::new(work)?;
    say("reading the package lists of Debian 12 (a private copy, nothing is installed)");
    apt.run("apt-get", &["update"])?;
    let mut names = Vec::new();
    let own = version.strip_prefix(ZFS_FUSE_PREFIX).unwrap_or(version);
    for package in packages {
        names.push(match *package {
            // It goes by a version of its own; any will do.
            "libfuse2" => (*package).to_owned(),
            _ => format!("{package}={}", apt.full_version(package, own)?),
        });
    }
    let missing = SYSTEM.iter().filter(|(library, _)| !is_on_system(library));
    names.extend(missing.map(|(_, package)| (*package).to_owned()));
    names.dedup();
    say(&format!("downloading {}", names.join(", ")));
    let mut arguments = vec!["download"];
    arguments.extend(names.iter().map(String::as_str));
    apt.run("apt-get", &arguments)?;
    let folder = work.join("libraries");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for package in files_in(&apt.downloads) {
        let unpacked = work.join("unpacked");
        let target = unpacked.to_string_lossy().into_owned();
        run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&target))?;
        collect(&unpacked, &folder)?;
        fs::remove_dir_all(&unpacked).map_err(|error| error.to_string())?;
    }
    let source = format!("OpenZFS {version}\nDebian packages, unpacked:\n{}\n", names.join("\n"));
    fs::write(folder.join("SOURCE.txt"), source).map_err(|error| error.to_string())?;
    Ok(folder)
}

/// The package programs with a private state.
struct Apt {
    options: Vec<String>,
    downloads: PathBuf,
}

impl Apt {
    fn new(work: &Path) -> Result<Self, String> {
        let (state, cache, downloads) = (work.join("state"), work.join("cache"), work.join("debs"));
        for folder in [&state.join("lists/partial"), &cache.join("archives/partial"), &downloads] {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        let list = work.join("sources.list");
        fs::write(&list, sources()?).map_err(|error| error.to_string())?;
        let option = |name: &str, path: &Path| format!("{name}={}", path.display());
        let options = [
            option("Dir::Etc::sourcelist", &absolute(&list)),
            option("Dir::Etc::sourceparts", Path::new("/dev/null")),
            option("Dir::State", &absolute(&state)),
            option("Dir::Cache", &absolute(&cache)),
            "Debug::NoLocking=1".to_owned(),
            // The downloads' folder belongs to whoever asks, not to apt's own user.
            "APT::Sandbox::User=".to_owned(),
        ];
        let options = options.into_iter().flat_map(|option| ["-o".to_owned(), option]).collect();
        Ok(Self { options, downloads: absolute(&downloads) })
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new(program);
        run(command.args(&self.options).args(arguments).current_dir(&self.downloads))
    }

    /// Returns the package version that begins with `version`.
    fn full_version(&self, package: &str, version: &str) -> Result<String, String> {
        let table = self.run("apt-cache", &["madison", package])?;
        let versions = table.lines().filter_map(|line| line.split('|').nth(1)).map(str::trim);
        let wanted = format!("{version}-");
        let mut matching = versions.filter(|full| full.starts_with(&wanted));
        matching
            .next()
            .map(str::to_owned)
            .ok_or_else(|| format!("the archive has no {package} of version {version}"))
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .env("LC_ALL", "C")
        .output()
        .map_err(|error| format!("{name} cannot be started: {error} (is this a Debian?)"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default();
    Err(format!("{name} failed: {}", last.join(" · ")))
}

/// Returns the private list of package sources, made from the machine's own.
fn sources() -> Result<String, String> {
    let (address, key) = machine_source().ok_or_else(|| {
        "this machine names no Debian archive in /etc/apt; the libraries of another distribution \
         can be used by path"
            .to_owned()
    })?;
    let signed = key.map(|key| format!("[signed-by={key}] ")).unwrap_or_default();
    let line = |suite: &&str| format!("deb {signed}{address} {suite} main contrib\n");
    Ok(SUITES.iter().map(line).collect())
}

/// Finds the address of the Debian archive and its key among the machine's sources.
fn machine_source() -> Option<(String, Option<String>)> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    files.extend(files_in(Path::new("/etc/apt/sources.list.d")));
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    let mut found = texts.filter_map(|text| deb822_source(&text).or_else(|| line_source(&text)));
    found.next()
}

/// Reads the `Name: value` form; the first paragraph of a Debian archive, not its security one.
fn deb822_source(text: &str) -> Option<(String, Option<String>)> {
    text.split("\n\n").find_map(|paragraph| {
        let value = |name: &str| {
            let mut lines = paragraph.lines().filter(|line| !line.starts_with('#'));
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
        };
        let is_debian = value("URIs")?.trim_end_matches('/').ends_with("/debian");
        let release = value("Suites")?.split_whitespace().any(|suite| !suite.contains('/'));
        let address = value("URIs")?.split_whitespace().next()?.to_owned();
        (is_debian && release).then(|| (address, value("Signed-By").map(str::to_owned)))
    })
}

/// Reads the one-line form: `deb [options] address suite components…`.
fn line_source(text: &str) -> Option<(String, Option<String>)> {
    text.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("deb ")?.trim();
        let (options, rest) = match rest.strip_prefix('[') {
            Some(inner) => inner.split_once(']')?,
            None => ("", rest),
        };
        let address = rest.split_whitespace().next()?.to_owned();
        let key = options.split_whitespace().find_map(|word| word.strip_prefix("signed-by="));
        let is_debian = address.trim_end_matches('/').ends_with("/debian");
        is_debian.then(|| (address, key.map(str::to_owned)))
    })
}

/// Returns whether the system's loader knows the library.
fn is_on_system(library: &str) -> bool {
    let folders = ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib"];
    folders.iter().any(|folder| Path::new(folder).join(library).exists())
}

/// Copies the shared libraries of an unpacked package into `folder`, links as links.
fn collect(unpacked: &Path, folder: &Path) -> Result<(), String> {
    for path in files_below(unpacked) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let is_system = SYSTEM.iter().any(|(library, _)| name.starts_with(library));
        let is_program = name == ZFS_FUSE && path.parent().is_some_and(|it| it.ends_with("sbin"));
        if !(is_system || is_program || KEPT.iter().any(|kept| name.starts_with(kept))) {
            continue;
        }
        let target = folder.join(&name);
        let copied = match fs::read_link(&path) {
            Ok(link) => std::os::unix::fs::symlink(link, &target),
            Err(_) => fs::copy(&path, &target).map(|_| ()),
        };
        copied.map_err(|error| format!("{}: {error}", target.display()))?;
    }
    Ok(())
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (folders, mut files): (Vec<PathBuf>, Vec<PathBuf>) =
        files_in(folder).into_iter().partition(|path| path.is_dir() && !path.is_symlink());
    files.extend(folders.iter().flat_map(|folder| files_below(folder)));
    files
}

#[cfg(test)]
mod tests {
    use super::{deb822_source, line_source};

    #[test]
    fn the_archive_is_found_in_both_forms_and_security_is_passed_over() {
        let modern = "Types: deb\nURIs: http://a.example/debian-security\nSuites: bookworm-security\n\
                      \nTypes: deb\n# x\nURIs: http://a.example/debian\nSuites: bookworm\n\
                      Signed-By: /k.gpg";
        let expected = ("http://a.example/debian".to_owned(), Some("/k.gpg".to_owned()));
        assert_eq!(deb822_source(modern), Some(expected.clone()));
        let classic =
            "# c\ndeb [arch=amd64 signed-by=/k.gpg] http://a.example/debian bookworm main";
        assert_eq!(line_source(classic), Some(expected));
        assert_eq!(line_source("deb http://a.example/ubuntu jammy main"), None);
    }
}
