//! Finds a library: by version in the known places, or by path.

use std::fs;
use std::path::{Path, PathBuf};

use arcwright_tunables::Version;

use super::{KNOWN, Library, OpenzfsError, UNKNOWN, ZFS_FUSE, ZFS_FUSE_PREFIX, trust};

/// Folders in which distributions install libraries.
const SYSTEM: [&str; 4] =
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];

/// From which version on which library is nearest; 2.3.6 is nearer to 2.3.9 than to 2.3.2.
const NEAREST: [(&str, &str); 5] =
    [("2.0", "2.0.3"), ("2.1", "2.1.11"), ("2.2", "2.3.2"), ("2.3.6", "2.3.9"), ("2.4", "2.4.4")];

/// Which library is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LibraryChoice {
    /// This version.
    Version(String),
    /// This file, or the one in this folder.
    Path(PathBuf),
    /// The nearest that can be had to a behaviour version as scenarios name it.
    NearestTo(String),
}

impl LibraryChoice {
    /// Reads what a user typed: a version, or else a path.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let is_version = text.chars().all(|c| c.is_ascii_digit() || c == '.');
        let known = KNOWN.iter().find(|known| text == **known || **known == with_version(text));
        if let Some(known) = known {
            Self::Version((*known).to_owned())
        } else if is_version {
            Self::Version(text.to_owned())
        } else {
            Self::Path(PathBuf::from(text))
        }
    }

    /// Returns the version to look for; none for a path.
    fn version(&self) -> Option<String> {
        match self {
            Self::Version(version) => Some(version.clone()),
            Self::NearestTo(text) => Some(nearest_to(text).to_owned()),
            Self::Path(_) => None,
        }
    }
}

/// Returns the version that can be had whose behaviour is nearest to that of `text`.
///
/// FreeBSD 8 and 9 ran the OpenSolaris code of zfs-fuse. What is older than 2.0 runs on 2.1.11, on which
/// the old releases' settings are checked.
pub(super) fn nearest_to(text: &str) -> &'static str {
    if text.starts_with("freebsd-8") || text.starts_with("freebsd-9") {
        return "zfs-fuse-0.7.0";
    }
    let wanted = Version::parse(text);
    let nearest = NEAREST.iter().rev().find(|(from, _)| wanted >= Version::parse(from));
    nearest.map_or("2.1.11", |(_, version)| version)
}

/// Returns the full name of the daemon when `text` is its short one.
fn with_version(text: &str) -> String {
    if text == ZFS_FUSE { format!("{ZFS_FUSE_PREFIX}0.7.0") } else { String::new() }
}

/// Returns the folders that hold fetched libraries, one folder per version in each.
#[must_use]
pub fn search_roots() -> Vec<PathBuf> {
    if let Some(only) = std::env::var_os("ARCWRIGHT_OPENZFS") {
        return vec![PathBuf::from(only)];
    }
    build_root().into_iter().chain(cache_root()).collect()
}

/// The checkout that this program was built from; a release knows none, since it runs elsewhere.
///
/// It is known when the program is built; the working directory is never trusted with code.
const CHECKOUT: Option<&str> = match option_env!("ARCWRIGHT_RELEASE") {
    Some(_) => None,
    None => Some(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")),
};

/// Returns the place in the build folder of the checkout that this program was built from.
fn build_root() -> Option<PathBuf> {
    CHECKOUT.map(|checkout| Path::new(checkout).join("target/openzfs"))
}

/// Says whether this program stands beside the project's own chores.
pub(super) fn has_chores() -> bool {
    CHECKOUT.is_some_and(|checkout| Path::new(checkout).join("xtask/Cargo.toml").exists())
}

/// Returns where a library is fetched to: the build folder of a checkout, else the user's cache.
///
/// None when the user named a place of their own, which is theirs to fill.
#[must_use]
pub fn fetch_root() -> Option<PathBuf> {
    if std::env::var_os("ARCWRIGHT_OPENZFS").is_some() {
        return None;
    }
    if has_chores() { build_root() } else { cache_root() }
}

/// Returns the user's own cache folder for libraries.
fn cache_root() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    // A relative folder would be found in the working directory, which is never trusted with code.
    let absolute = |folder: Option<PathBuf>| folder.filter(|folder| folder.is_absolute());
    absolute(cache).or_else(|| absolute(home())).map(|folder| folder.join("arcwright/openzfs"))
}

/// Finds the wanted library below `roots`, or among the system's own.
///
/// What the user names by path is loaded as it is; what is found is loaded if it can be trusted.
///
/// # Errors
/// [`OpenzfsError::NotFound`], [`OpenzfsError::NoLibraryAt`], [`OpenzfsError::Distrusted`] and
/// [`OpenzfsError::Altered`].
pub fn locate(wanted: &LibraryChoice, roots: &[PathBuf]) -> Result<Library, OpenzfsError> {
    if let LibraryChoice::Path(path) = wanted {
        let missing = || OpenzfsError::NoLibraryAt { path: path.clone() };
        let file = libzpool_at(path).ok_or_else(missing)?;
        return Ok(describe(&file));
    }
    let version = wanted.version().unwrap_or_default();
    if let Some(found) = fetched(&version, roots) {
        return found;
    }
    installed().find(|library| library.version == version).ok_or(OpenzfsError::NotFound { version })
}

/// Returns the versions that are on this machine and can be trusted.
#[must_use]
pub fn found() -> Vec<String> {
    let roots = search_roots();
    let fetched = KNOWN.iter().filter_map(|version| fetched(version, &roots)?.ok());
    let mut versions: Vec<String> = fetched.chain(installed()).map(|it| it.version).collect();
    versions.sort();
    versions.dedup();
    versions
}

/// Returns the libraries that the system itself has.
fn installed() -> impl Iterator<Item = Library> {
    let files = SYSTEM.iter().filter_map(|folder| libzpool_at(Path::new(folder)));
    files.map(|file| describe(&file))
}

/// Finds the library of `version` in its folder below `roots`, and whether it can be trusted.
pub(super) fn fetched(version: &str, roots: &[PathBuf]) -> Option<Result<Library, OpenzfsError>> {
    let file = roots.iter().find_map(|root| libzpool_at(&root.join(version)))?;
    let version = || version.to_owned();
    let check = || {
        let distrusted = |why| OpenzfsError::Distrusted { version: version(), why };
        trust::check_owners(&file).map_err(distrusted)?;
        let altered = |why| OpenzfsError::Altered { version: version(), why };
        trust::check_record(file.parent().unwrap_or(&file)).map_err(altered)
    };
    Some(check().map(|()| Library { version: version(), ..describe(&file) }))
}

/// Returns the library file at `path`, which may be a folder that holds one.
fn libzpool_at(path: &Path) -> Option<PathBuf> {
    let absolute = fs::canonicalize(path).ok()?;
    if absolute.is_file() {
        let name = absolute.file_name()?.to_str()?;
        return (name.starts_with("libzpool.so") || name == ZFS_FUSE).then_some(absolute);
    }
    let mut found: Vec<PathBuf> = fs::read_dir(&absolute)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().contains("/libzpool.so.") || path.ends_with(ZFS_FUSE))
        .collect();
    // The shortest name is the one that programs ask for: libzpool.so.5.
    found.sort_by_key(|path| path.as_os_str().len());
    found.into_iter().next()
}

fn describe(file: &Path) -> Library {
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let folder = file.parent().unwrap_or_else(|| Path::new(".")).to_path_buf();
    let named = folder.file_name().and_then(|name| name.to_str()).filter(|name| {
        let number = name.strip_prefix(ZFS_FUSE_PREFIX).unwrap_or(name);
        number.contains('.') && number.chars().all(|c| c.is_ascii_digit() || c == '.')
    });
    let version = named.map(str::to_owned).or_else(|| version_in(&fs::read(&real).ok()?));
    let version = version.unwrap_or_else(|| version_by_name(&real));
    Library { version, libzpool: file.to_path_buf(), folder }
}

/// Returns the release that a library says it is: in the line for the pool's history (`OpenZFS 2.3.2`), or
/// as what it was built from (`zfs-2.1.11-0-ge25f9131d`).
fn version_in(library: &[u8]) -> Option<String> {
    const MARKS: [&[u8]; 2] = [b"OpenZFS ", b"zfs-"];
    /// No release has a longer number.
    const LENGTH_MAX: usize = 16;
    let is_release = |text: &str| {
        let parts: Vec<&str> = text.split('.').collect();
        parts.len() == 3 && parts.iter().all(|part| part.parse::<u16>().is_ok())
    };
    MARKS.iter().find_map(|mark| {
        let mut found = library.windows(mark.len()).enumerate().filter(|(_, it)| it == mark);
        found.find_map(|(at, _)| {
            let number = library.get(at + mark.len()..)?.iter().take(LENGTH_MAX);
            let number = number.take_while(|it| it.is_ascii_digit() || **it == b'.');
            let number: String = number.map(|it| char::from(*it)).collect();
            is_release(&number).then_some(number)
        })
    })
}

/// Returns the version that a library's number stands for; releases with one number are not told
/// apart, and the newest that was seen with it is named.
fn version_by_name(file: &Path) -> String {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name == ZFS_FUSE {
        return with_version(name);
    }
    let number = name.strip_prefix("libzpool.so.").and_then(|rest| rest.split('.').next());
    let version = match number {
        Some("4") => "2.0",
        Some("5") => "2.1",
        Some("6") => "2.3",
        Some("7") => "2.4",
        _ => UNKNOWN,
    };
    version.to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{LibraryChoice, locate};

    #[test]
    fn a_version_and_a_path_are_told_apart() {
        assert_eq!(LibraryChoice::parse("2.1.11"), LibraryChoice::Version("2.1.11".to_owned()));
        let daemon = LibraryChoice::Version("zfs-fuse-0.7.0".to_owned());
        assert_eq!(LibraryChoice::parse("zfs-fuse"), daemon);
        assert_eq!(LibraryChoice::parse("zfs-fuse-0.7.0"), daemon);
        assert_eq!(LibraryChoice::parse("./lib"), LibraryChoice::Path("./lib".into()));
        // Whatever stands in the working directory: a number is a version.
        assert_eq!(LibraryChoice::parse("2.9"), LibraryChoice::Version("2.9".to_owned()));
    }

    #[test]
    fn the_nearest_library_is_of_the_same_series_where_there_is_one() {
        let check = |text: &str, expected: &str| {
            assert_eq!(super::nearest_to(text), expected, "{text}");
        };
        check("freebsd-8", "zfs-fuse-0.7.0");
        check("freebsd-10", "2.1.11");
        check("0.8.6", "2.1.11");
        check("2.0.7", "2.0.3");
        check("2.1.5", "2.1.11");
        check("2.2.0", "2.3.2");
        check("2.3", "2.3.2");
        check("2.3.8", "2.3.9");
        check("2.4", "2.4.4");
        check("master", "2.4.4");
    }

    #[test]
    fn a_library_is_found_below_a_root_by_version() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("9.9.9");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("libzpool.so.5"), b"").unwrap();
        let roots = [root.path().to_path_buf()];
        let library = locate(&LibraryChoice::Version("9.9.9".to_owned()), &roots).unwrap();
        assert_eq!(library.version, "9.9.9");
        assert!(library.libzpool.ends_with("9.9.9/libzpool.so.5"));
    }

    #[test]
    fn a_library_says_which_release_it_is() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(super::version_in(text.as_bytes()).as_deref(), expected, "{text}");
        };
        check("x\0OpenZFS 2.3.2\0y", Some("2.3.2"));
        check("zfs-kmod\0zfs-2.1.11-0-ge25f9131d-dist\0", Some("2.1.11"));
        check("zfs-auto\0OpenZFS on\0zfs-2.", None);
        check("", None);
    }

    #[test]
    fn nothing_is_looked_for_in_the_working_directory() {
        for root in super::search_roots().into_iter().chain(super::fetch_root()) {
            assert!(root.is_absolute(), "{}", root.display());
        }
    }

    #[test]
    fn a_library_where_others_can_write_is_refused_unless_it_is_named() {
        use std::os::unix::fs::PermissionsExt as _;
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("9.9.9");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("libzpool.so.5"), b"").unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        let roots = [root.path().to_path_buf()];
        let error = locate(&LibraryChoice::Version("9.9.9".to_owned()), &roots).unwrap_err();
        assert!(error.to_string().contains("9.9.9 can be written by every user"), "{error}");
        assert!(error.hint().contains("--openzfs PATH"));
        locate(&LibraryChoice::Path(folder), &[]).unwrap();
    }

    #[test]
    fn a_missing_library_names_the_one_command_that_brings_it() {
        let error = locate(&LibraryChoice::Version("2.1.99".to_owned()), &[]).unwrap_err();
        assert!(error.to_string().contains("2.1.99"));
        assert!(error.hint().contains("cargo xtask openzfs"));
    }
}
