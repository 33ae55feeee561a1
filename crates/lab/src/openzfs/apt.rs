//! The machine's own Debian package sources, with a private state: nothing is installed.
//!
//! ```text
//!   the machine's sources ──> archive address, signing key
//!   private sources.list:  the releases wanted · main contrib
//!   apt-get update, download (state and cache in a private folder) ──> .deb files
//! ```

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use thiserror::Error;

/// Debian 12 and its backports.
pub const BOOKWORM: [&str; 2] = ["bookworm", "bookworm-backports"];
/// Lines of a failed program that are shown.
const LAST_LINES: usize = 6;

/// What a package program said, in its last lines.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct AptError(String);

impl From<AptError> for String {
    fn from(error: AptError) -> Self {
        error.0
    }
}

/// The package programs with a private state.
#[derive(Debug)]
pub struct Apt {
    options: Vec<String>,
    downloads: PathBuf,
}

impl Apt {
    /// Reads the package lists of the Debian releases `suites` into the folder `work`.
    ///
    /// # Errors
    /// When the machine names no Debian archive, lacks `apt-get`, or the archive cannot be reached.
    pub fn new(work: &Path, suites: &[&str]) -> Result<Self, AptError> {
        let apt = Self::prepare(work, suites).map_err(AptError)?;
        match apt.run("apt-get", &["update"]) {
            Ok(_) => Ok(apt),
            Err(AptError(why)) => {
                Err(AptError(format!("the package archive could not be read: {why}")))
            }
        }
    }

    fn prepare(work: &Path, suites: &[&str]) -> Result<Self, String> {
        let (state, cache, downloads) = (work.join("state"), work.join("cache"), work.join("debs"));
        for folder in [&state.join("lists/partial"), &cache.join("archives/partial"), &downloads] {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        let list = work.join("sources.list");
        fs::write(&list, sources(suites)?).map_err(|error| error.to_string())?;
        let option = |name: &str, path: &Path| format!("{name}={}", path.display());
        let options = [
            option("Dir::Etc::sourcelist", &absolute(&list)),
            option("Dir::Etc::sourceparts", Path::new("/dev/null")),
            option("Dir::State", &absolute(&state)),
            option("Dir::Cache", &absolute(&cache)),
            "Debug::NoLocking=1".to_owned(),
            // A list that cannot be had is an error, not a warning beside an empty list.
            "APT::Update::Error-Mode=any".to_owned(),
            // The downloads' folder belongs to whoever asks, not to apt's own user.
            "APT::Sandbox::User=".to_owned(),
        ];
        let options = options.into_iter().flat_map(|option| ["-o".to_owned(), option]).collect();
        Ok(Self { options, downloads: absolute(&downloads) })
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<String, AptError> {
        let mut command = Command::new(program);
        let command = command.args(&self.options).args(arguments).current_dir(&self.downloads);
        run(command).map_err(AptError)
    }

    /// Returns the newest package version that begins with `version`.
    ///
    /// # Errors
    /// When the archive has none.
    pub fn full_version(&self, package: &str, version: &str) -> Result<String, AptError> {
        let table = self.run("apt-cache", &["madison", package])?;
        let mut versions = table.lines().filter_map(|line| line.split('|').nth(1)).map(str::trim);
        let found = versions.find(|full| full.starts_with(version)).map(str::to_owned);
        let missing = || format!("the archive has no {package} of version {version}…");
        found.ok_or_else(|| AptError(missing()))
    }

    /// Returns what `package=version` depends on directly, by name.
    ///
    /// # Errors
    /// When the archive does not have it.
    pub fn dependencies(&self, package: &str) -> Result<Vec<String>, AptError> {
        let table = self.run("apt-cache", &["show", package])?;
        let line = table.lines().find_map(|line| line.strip_prefix("Depends:"));
        let names = line.unwrap_or_default().split(',');
        Ok(names.filter_map(|name| name.split_whitespace().next()).map(str::to_owned).collect())
    }

    /// Returns what this machine would have to install for `packages`, as `name=version`.
    ///
    /// # Errors
    /// When the archive lacks a package, or they do not go together.
    pub fn missing(&self, packages: &[String]) -> Result<Vec<String>, AptError> {
        let mut arguments = vec!["--simulate", "--no-install-recommends", "install"];
        arguments.extend(packages.iter().map(String::as_str));
        Ok(to_install(&self.run("apt-get", &arguments)?))
    }

    /// Downloads `packages`, each a name or `name=version`, and returns the files.
    ///
    /// # Errors
    /// When the archive lacks one or cannot be reached, or the disk is full.
    pub fn download(&self, packages: &[String]) -> Result<Vec<PathBuf>, AptError> {
        let mut arguments = vec!["download"];
        arguments.extend(packages.iter().map(String::as_str));
        self.run("apt-get", &arguments)?;
        Ok(files_in(&self.downloads))
    }
}

/// Unpacks a package's files into `folder`.
///
/// # Errors
/// When the file is broken or the disk is full.
pub fn unpack(package: &Path, folder: &Path) -> Result<(), AptError> {
    let mut command = Command::new("dpkg-deb");
    run(command.arg("-x").arg(package).arg(folder)).map_err(AptError)?;
    Ok(())
}

/// Reads the lines `Inst name (version …)` of a simulated installation.
fn to_install(simulation: &str) -> Vec<String> {
    let line = |line: &str| {
        let (name, rest) = line.strip_prefix("Inst ")?.split_once(' ')?;
        let version = rest.split('(').nth(1)?.split_whitespace().next()?;
        Some(format!("{name}={version}"))
    };
    simulation.lines().filter_map(line).collect()
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Runs a program and returns what it printed.
fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .env("LC_ALL", "C")
        .env("PATH", absolute_path(&std::env::var_os("PATH").unwrap_or_default()))
        .output()
        .map_err(|error| format!("{name} cannot be started: {error} (is this Debian?)"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default();
    Err(format!("{name} failed: {}", last.join(" · ")))
}

/// Returns a search path without what would be the current directory, which may hold anybody's programs.
fn absolute_path(path: &OsStr) -> OsString {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    std::env::join_paths(folders).unwrap_or_default()
}

/// Returns the private list of package sources, made from the machine's own.
fn sources(suites: &[&str]) -> Result<String, String> {
    let (address, key) = archive().ok_or_else(|| {
        "/etc/apt names no Debian archive; libraries of other distributions can be used by path"
            .to_owned()
    })?;
    let signed = key.map(|key| format!("[signed-by={key}] ")).unwrap_or_default();
    let line = |suite: &&str| format!("deb {signed}{address} {suite} main contrib\n");
    Ok(suites.iter().map(line).collect())
}

/// Finds the address of the Debian archive and its key among the machine's sources.
#[must_use]
pub fn archive() -> Option<(String, Option<String>)> {
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

pub(super) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::{deb822_source, line_source, to_install};

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

    #[test]
    fn what_would_be_installed_is_read_with_its_version() {
        let text = "Reading package lists...\nInst a (1:2 Debian:12 [amd64])\n\
                    Inst b [1.0] (1.1~x Debian:12 [all]) []\nConf a (1:2 Debian:12 [amd64])\n";
        assert_eq!(to_install(text), ["a=1:2", "b=1.1~x"]);
    }
}
