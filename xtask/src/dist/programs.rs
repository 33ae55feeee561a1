//! The programs: static ones for every target, and the lab's, which needs the C library.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _};
use object::{Endianness, Object as _};

use super::Release;
use crate::guest::program;
use crate::programs::{Program, of_workspace};

/// A program is one file that people copy.
const BYTES_MAX: usize = 10_000_000;
/// The C library of Debian 12, the oldest system that the lab's program must run on.
const GLIBC_MAX: (u32, u32) = (2, 36);

/// A kind of machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Target {
    /// Linux on x86-64.
    #[value(name = "x86_64")]
    X86_64,
    /// Linux on 64-bit ARM.
    Aarch64,
}

impl Target {
    pub(super) const ALL: [Self; 2] = [Self::X86_64, Self::Aarch64];

    /// The kind of this machine.
    const HERE: Self = if cfg!(target_arch = "aarch64") { Self::Aarch64 } else { Self::X86_64 };

    /// Returns rustc's name of it, without a C library.
    pub(super) const fn triple(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64-unknown-linux-musl",
            Self::Aarch64 => "aarch64-unknown-linux-musl",
        }
    }

    /// Returns Debian's name of it.
    pub(super) const fn debian(self) -> &'static str {
        match self {
            Self::X86_64 => "amd64",
            Self::Aarch64 => "arm64",
        }
    }

    /// Returns the name that RPM packages have for it.
    pub(super) const fn rpm(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
        }
    }

    /// Returns the target of the lab's program, where there is one.
    const fn lab(self) -> Option<&'static str> {
        match self {
            Self::X86_64 => Some("x86_64-unknown-linux-gnu"),
            Self::Aarch64 => None,
        }
    }
}

/// How well programs are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quality {
    /// To be given away.
    Release,
    /// To be tried, soon.
    Draft,
}

impl Quality {
    /// Returns the profile of the workspace.
    const fn profile(self) -> &'static str {
        match self {
            Self::Release => "dist",
            Self::Draft => "guest",
        }
    }

    /// Returns dpkg-deb's option for how hard it tries to make packages small.
    pub(super) const fn xz(self) -> &'static str {
        match self {
            Self::Release => "-z6",
            Self::Draft => "-z0",
        }
    }
}

/// What was built for a target.
#[derive(Debug)]
pub(super) struct Programs {
    /// The static program.
    pub(super) arcwright: PathBuf,
    /// The lab's, where it runs.
    pub(super) lab: Option<PathBuf>,
    /// The static program for this machine, which writes the pages.
    pub(super) own: PathBuf,
}

/// Builds the programs for `target` and looks whether they are what they should be.
pub(super) fn build(root: &Path, target: Target, release: &Release) -> anyhow::Result<Programs> {
    let build = |triple, package| cargo(root, (triple, package), release);
    let arcwright = build(target.triple(), "arcwright")?;
    check_static(&arcwright, release.quality)?;
    let lab = match (target.lab(), release.quality) {
        // As the workspace's tests have it: built already.
        (Some(_), Quality::Draft) => Some(lab_of_tests()?),
        (lab, _) => lab.map(|triple| build(triple, "arcwright-lab")).transpose()?,
    };
    if let Some(lab) = &lab {
        check_glibc(lab)?;
    }
    let own = match target {
        Target::HERE => arcwright.clone(),
        _ => build(Target::HERE.triple(), "arcwright")?,
    };
    Ok(Programs { arcwright, lab, own })
}

fn cargo(
    root: &Path,
    (triple, package): (&str, &str),
    release: &Release,
) -> anyhow::Result<PathBuf> {
    println!("builds {package} for {triple}");
    let quality = release.quality;
    let folder = match quality {
        Quality::Release => root.join("target/dist/build"),
        // Shared with the program for the guest.
        Quality::Draft => crate::target(),
    };
    let program = Program { package, triple, profile: quality.profile() };
    let mut command = program.cargo(root, &folder)?;
    if quality == Quality::Release {
        command
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTFLAGS", flags(root, triple))
            .env("SOURCE_DATE_EPOCH", release.epoch.to_string())
            .env("ARCWRIGHT_RELEASE", release.version)
            .env("ARCWRIGHT_DATE", release.day()?);
        if let Some(commit) = &release.commit {
            command.env("ARCWRIGHT_COMMIT", commit);
        }
    }
    program::run(&mut command)?;
    Ok(program.file(&folder))
}

/// Returns the lab's program as it was built with the tests of the workspace, without names for a debugger.
fn lab_of_tests() -> anyhow::Result<PathBuf> {
    const NAME: &str = "arcwright-lab";
    of_workspace()?;
    let folder = crate::target().join("debug");
    let stripped = folder.join(format!("{NAME}.stripped"));
    let mut strip = Command::new("strip");
    program::run(strip.arg("-o").arg(&stripped).arg(folder.join(NAME)))?;
    Ok(stripped)
}

/// Returns the compiler's flags: no path of this machine in the program, no tables of unwinding in a static one.
fn flags(root: &Path, triple: &str) -> OsString {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let mut flags = OsString::new();
    for (from, to) in [(Some(root.to_owned()), "/arcwright"), (home, "/cargo")] {
        if let Some(from) = from {
            flags.push("--remap-path-prefix=");
            flags.push(from);
            flags.push(format!("={to} "));
        }
    }
    // A path within the workspace, where the linker is started: the flags are part of what a build's names are made of.
    let script = "xtask/src/dist/unwinding.ld";
    match triple {
        // Linked by rust-lld itself.
        "aarch64-unknown-linux-musl" => flags.push(format!("-Clink-arg=-T{script}")),
        // Places that are moved at the start take a bit each instead of 24 bytes (DT_RELR; musl 1.2.4, binutils 2.38).
        "x86_64-unknown-linux-musl" => {
            flags.push(format!("-Clink-arg=-Wl,-T,{script} -Clink-arg=-Wl,-z,pack-relative-relocs"))
        }
        _ => {}
    }
    flags
}

/// Makes sure that a program needs nothing but the kernel, and is small enough to be copied about.
fn check_static(program: &Path, quality: Quality) -> anyhow::Result<()> {
    let bytes = fs::read(program).with_context(|| format!("no {}", program.display()))?;
    let elf = ElfFile64::<Endianness>::parse(bytes.as_slice())?;
    let endian = elf.elf_header().endian()?;
    let needs_loader = elf
        .elf_program_headers()
        .iter()
        .any(|header| header.interpreter(endian, bytes.as_slice()).is_ok_and(|it| it.is_some()));
    ensure!(!needs_loader, "{} is not static", program.display());
    ensure!(
        quality == Quality::Draft || bytes.len() <= BYTES_MAX,
        "{} has {} bytes, more than {BYTES_MAX}",
        program.display(),
        bytes.len()
    );
    ensure!(
        quality == Quality::Draft || elf.symbols().next().is_none(),
        "{} carries names for a debugger",
        program.display()
    );
    println!("  {} bytes, static", bytes.len());
    Ok(())
}

/// Makes sure that a program runs with the oldest C library that it should run with.
fn check_glibc(program: &Path) -> anyhow::Result<()> {
    let bytes = fs::read(program).with_context(|| format!("no {}", program.display()))?;
    let needed = bytes.windows(6).enumerate().filter(|(_, it)| it == b"GLIBC_");
    let newest = needed.filter_map(|(at, _)| version_at(bytes.get(at + 6..)?)).max();
    let newest = newest.context("the program names no version of the C library")?;
    if newest > GLIBC_MAX {
        let (major, minor) = newest;
        bail!("{} needs glibc {major}.{minor}; build it on Debian 12", program.display());
    }
    println!("  {} bytes, glibc {}.{} or later", bytes.len(), newest.0, newest.1);
    Ok(())
}

/// Reads `2.36` at the beginning of `text`.
fn version_at(text: &[u8]) -> Option<(u32, u32)> {
    let end = text.iter().take(8).position(|it| !it.is_ascii_digit() && *it != b'.')?;
    let mut parts = std::str::from_utf8(text.get(..end)?).ok()?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::version_at;

    #[test]
    fn a_version_of_the_c_library_is_read() {
        assert_eq!(version_at(b"2.36\0"), Some((2, 36)));
        assert_eq!(version_at(b"2.2.5\0"), Some((2, 2)));
        assert_eq!(version_at(b"PRIVATE\0"), None);
    }
}
