//! `cargo xtask dist`: what is given away, made by one command, the same to the last byte each time.
//!
//! ```text
//!   programs.rs   cargo builds: static programs for each target, arcwright-lab for glibc
//!   tree.rs       what is installed, as files below a prefix: programs, pages, completions, scenarios
//!   page.rs       the guide on scenario files as arcwright-scenario(5)
//!   sbom.rs       what is in the programs, as CycloneDX
//!   archive.rs    tree ──> NAME.tar.gz
//!   deb.rs        tree ──> Debian packages
//!   rpm.rs        tree ──> an RPM package
//!   check.rs      packages installed, used and removed in fresh Debian systems (`crate::systems`)
//!   foreign.rs    the program for ARM, run by an emulator
//! ```
//!
//! Everything lands in `target/dist`. Times are those of the commit (`SOURCE_DATE_EPOCH`), paths of the machine
//! are left out of the programs, and entries are sorted, so that anybody can build the same files.

mod archive;
mod check;
mod deb;
mod foreign;
mod page;
mod programs;
mod rpm;
mod sbom;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use sha2::{Digest as _, Sha256};

use self::programs::{Quality, Target};

/// Where it all lands, below the repository.
const FOLDER: &str = "target/dist";
/// Where drafts land.
const DRAFT: &str = "target/dist/draft";
/// Digests of all that is given away, in the form of `sha256sum`.
const SUMS: &str = "SHA256SUMS";

/// What packages say of themselves.
const SUMMARY: &str = "Explains, predicts and tunes the caches of ZFS";
const LICENCE: &str = env!("CARGO_PKG_LICENSE");
const DESCRIPTION: &str = "\
Says what the ARC, the L2ARC, prefetch and the intent log of a ZFS machine do,
what would happen if something changed, and whether it would be worth it:
findings with their evidence, predictions from a model of OpenZFS in virtual
time, and parameters that are set with a plan and can be taken back.";

/// What is made.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only for this target; all when none is named.
    #[arg(long = "target", value_enum)]
    targets: Vec<Target>,

    /// Build everything a second time in another folder, and compare.
    #[arg(long)]
    twice: bool,

    /// Install, use and remove the packages in fresh Debian systems; needs mmdebstrap.
    #[arg(long)]
    check: bool,

    /// Use the packages that are there, and build nothing.
    #[arg(long, requires = "check", conflicts_with = "twice")]
    built: bool,

    /// Build in a minute instead of ten, for checks of the packages: larger, slower, not to be given away.
    #[arg(long, conflicts_with = "twice")]
    draft: bool,
}

/// What a release says of itself.
#[derive(Debug, Clone)]
struct Release {
    version: &'static str,
    /// The commit; none outside of git.
    commit: Option<String>,
    /// Seconds since 1970 of everything that has a time.
    epoch: u64,
    quality: Quality,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let targets = match options.targets.as_slice() {
        [] => Target::ALL.to_vec(),
        some => some.to_vec(),
    };
    if options.twice && !is_as_committed()? {
        bail!("the second build is of what is committed, and the work tree has changes beside");
    }
    let folder = crate::root().join(if options.draft { DRAFT } else { FOLDER });
    if !options.built {
        let quality = if options.draft { Quality::Draft } else { Quality::Release };
        make(&crate::root(), &folder, &targets, quality)?;
    }
    if options.twice {
        compare(&folder, &targets)?;
    }
    if options.check {
        check::run(&folder)?;
    }
    Ok(())
}

/// Makes everything from the sources in `root` into `folder`.
fn make(root: &Path, folder: &Path, targets: &[Target], quality: Quality) -> anyhow::Result<()> {
    let release = Release::of(root, quality)?;
    fs::create_dir_all(folder)?;
    for target in targets {
        let programs = programs::build(root, *target, &release)?;
        let mut tree = tree::of(root, &programs, &release)?;
        let bill = sbom::write(root, folder, *target, &release)?;
        tree.put(format!("{}/sbom.cdx.json", tree::DOC), tree::read(&bill)?, 0o644);
        archive::write(folder, *target, &tree, &release)?;
        rpm::write(folder, *target, &tree, &release)?;
        if deb::is_possible() {
            deb::write(folder, *target, &tree, &release)?;
        } else {
            println!("SKIPPED  Debian packages: dpkg-deb is not on this machine");
        }
    }
    let sums = sums(folder, &release)?;
    fs::write(folder.join(SUMS), &sums)?;
    print!("{sums}");
    Ok(())
}

/// Returns the digests of every file of this release in `folder`, also of those that an earlier call made.
fn sums(folder: &Path, release: &Release) -> anyhow::Result<String> {
    let entries = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let of_release = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        path.is_file() && name.starts_with("arcwright") && name.contains(release.version)
    };
    let mut files: Vec<PathBuf> = entries.filter(of_release).collect();
    files.sort();
    let sums: Vec<String> = files.iter().map(|file| sum(file)).collect::<Result<_, _>>()?;
    Ok(sums.concat())
}

fn sum(file: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(file).with_context(|| format!("failed to read {}", file.display()))?;
    let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Ok(format!("{digest}  {name}\n"))
}

/// Says whether the work tree is what a clone of it would be.
fn is_as_committed() -> anyhow::Result<bool> {
    let status = ["status", "--porcelain"];
    let said = Command::new("git").args(status).current_dir(crate::root()).output();
    Ok(said.context("failed to start git")?.stdout.is_empty())
}

/// Makes everything again from a copy of the sources elsewhere, and compares digests.
fn compare(folder: &Path, targets: &[Target]) -> anyhow::Result<()> {
    let elsewhere = tempfile::tempdir().context("failed to make a folder")?;
    let root = elsewhere.path().join("a/folder/of/another/name");
    fs::create_dir_all(root.parent().unwrap_or(&root))?;
    let status = Command::new("git")
        .args(["clone", "--quiet", "--local"])
        .arg(crate::root())
        .arg(&root)
        .status()
        .context("failed to start git")?;
    if !status.success() {
        bail!("failed to copy the repository");
    }
    let second = root.join(FOLDER);
    make(&root, &second, targets, Quality::Release)?;
    let (one, other) = (folder.join(SUMS), second.join(SUMS));
    if fs::read(one)? != fs::read(other)? {
        bail!("two builds differ: compare {} with what was printed", folder.display());
    }
    println!("two builds in different folders are the same, byte for byte");
    Ok(())
}

impl Release {
    fn of(root: &Path, quality: Quality) -> anyhow::Result<Self> {
        let git = |arguments: &[&str]| {
            let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
            let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
            (output.status.success() && !text.is_empty()).then_some(text)
        };
        let told = std::env::var("SOURCE_DATE_EPOCH").ok();
        let epoch = told.or_else(|| git(&["log", "-1", "--format=%ct"]));
        let epoch = epoch.context("no time is known: set SOURCE_DATE_EPOCH, or build from git")?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            commit: git(&["rev-parse", "HEAD"]),
            epoch: epoch.parse().context("SOURCE_DATE_EPOCH is no number of seconds")?,
            quality,
        })
    }

    /// Returns the day, as 2026-11-23.
    fn day(&self) -> anyhow::Result<String> {
        Ok(self.time()?.strftime("%Y-%m-%d").to_string())
    }

    fn time(&self) -> anyhow::Result<jiff::Zoned> {
        let seconds = i64::try_from(self.epoch).context("a time beyond all calendars")?;
        let moment =
            jiff::Timestamp::from_second(seconds).context("a time beyond all calendars")?;
        Ok(moment.to_zoned(jiff::tz::TimeZone::UTC))
    }
}
