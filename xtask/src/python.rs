//! `cargo xtask python`: the wheel of `arcwright-zfs`, and its tests.
//!
//! ```text
//!   python/requirements.txt ──pip──> target/python (a Python of its own: maturin, numpy, Arrow, Ray, pytest, mypy)
//!   crates/python, python/arcwright_zfs ──maturin──> target/wheels/*.whl ──pip──> target/python ──> mypy, pytest
//!                                       └─cargo──> target/python-package ──────────────┘  (--check alone)
//! ```
//!
//! Maturin builds the crate alone, with other features than the workspace gives its dependencies, so that most of them are built
//! once more. A check takes what the workspace's own build makes, put together as in the wheel.
//!
//! Versions and digests of what comes from elsewhere are those of `requirements.txt`. What this machine lacks is said.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Context as _;

use crate::guest::program::{output, run as execute};

/// Options of the chore.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Build it quickly and test it: types, the same results as the program's, sweeps, the notebook.
    #[arg(long)]
    check: bool,
    /// Test the wheel itself, built and installed as it is given away.
    #[arg(long, requires = "check")]
    packed: bool,
}

/// Files that say which packages are in the environment.
const REQUIREMENTS: &str = "python/requirements.txt";
const INSTALLED: &str = "arcwright-requirements.txt";

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let place = match environment() {
        Ok(place) => place,
        Err(error) => {
            println!("SKIPPED  the Python package: {error:#}");
            return Ok(());
        }
    };
    if options.check && !options.packed {
        let package = package(&place)?;
        install(&place, Installed::Folder(&package))?;
        return check(&place);
    }
    let wheel = wheel(&place)?;
    println!("{}", wheel.display());
    if options.check {
        install(&place, Installed::Wheel(&wheel))?;
        return check(&place);
    }
    Ok(())
}

/// What is installed.
enum Installed<'a> {
    Wheel(&'a Path),
    Folder(&'a Path),
}

/// The name of the package, and of the file that leads Python to a folder with it.
const NAME: &str = "arcwright_zfs";
const LEADS: &str = "arcwright_zfs_check.pth";

/// Installs one of both, so that nothing of the other is left.
fn install(place: &Path, what: Installed<'_>) -> anyhow::Result<()> {
    let pip = || Command::new(place.join("bin/pip"));
    output(pip().args(["uninstall", "--quiet", "--yes", "arcwright-zfs"]))?;
    let asked = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let site = output(Command::new(place.join("bin/python")).args(["-c", asked]))?;
    let leads = Path::new(site.trim()).join(LEADS);
    match what {
        Installed::Folder(folder) => {
            std::fs::write(&leads, format!("{}\n", folder.display()))?;
        }
        Installed::Wheel(wheel) => {
            if leads.exists() {
                std::fs::remove_file(&leads)?;
            }
            let alone = ["install", "--quiet", "--no-deps", "--no-index", "--force-reinstall"];
            output(pip().args(alone).arg(wheel))?;
        }
    }
    Ok(())
}

/// Puts the package together from what the workspace builds; returns the folder that it is in.
fn package(place: &Path) -> anyhow::Result<PathBuf> {
    let begun = Instant::now();
    // The same selection as everywhere: cargo gives the same features then, and builds only what is missing.
    let build = ["build", "--workspace", "--lib", "--bins", "--tests", "--locked", "--quiet"];
    let mut cargo = Command::new("cargo");
    cargo.current_dir(crate::root()).args(build).arg("--target-dir").arg(crate::target());
    // As maturin has it: not linked with an interpreter.
    cargo.env("PYO3_BUILD_EXTENSION_MODULE", "1");
    output(&mut cargo)?;
    println!("the package took {} s", begun.elapsed().as_secs());
    let folder = crate::systems::empty_folder(&crate::target().join("python-package"))?;
    let (sources, into) = (crate::root().join("python"), folder.join(NAME));
    std::fs::create_dir(&into)?;
    for entry in std::fs::read_dir(sources.join(NAME))? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            std::fs::copy(&path, into.join(name)).context("failed to copy the package")?;
        }
    }
    let library = format!("{}{NAME}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    std::fs::copy(crate::target().join("debug").join(library), into.join("_core.abi3.so"))
        .context("failed to copy the library")?;
    // What the package says of itself, as maturin reads it.
    let mut says = Command::new(place.join("bin/maturin"));
    says.current_dir(&sources).args(["pep517", "write-dist-info", "--metadata-directory"]);
    output(says.arg(&folder))?;
    Ok(folder)
}

/// Returns the folder of a Python with all that is needed, made where it is not there yet.
fn environment() -> anyhow::Result<PathBuf> {
    let place = crate::target().join("python");
    let wanted = std::fs::read_to_string(crate::root().join(REQUIREMENTS))?;
    let installed = place.join(INSTALLED);
    if std::fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(place);
    }
    if place.exists() {
        std::fs::remove_dir_all(&place).context("failed to remove an older environment")?;
    }
    let mut venv = Command::new("python3");
    output(venv.args(["-m", "venv"]).arg(&place))
        .context("python3 makes no environment (on Debian: apt-get install python3-venv)")?;
    let pip = ["install", "--quiet", "--require-hashes", "--only-binary", ":all:", "--requirement"];
    output(
        Command::new(place.join("bin/pip")).current_dir(crate::root()).args(pip).arg(REQUIREMENTS),
    )
    .context("its packages could not be fetched")?;
    // Last: what names them has them all.
    std::fs::write(&installed, wanted)?;
    Ok(place)
}

/// Builds the wheel and returns its file.
fn wheel(place: &Path) -> anyhow::Result<PathBuf> {
    let folder = crate::target().join("wheels");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).context("failed to remove an older wheel")?;
    }
    let begun = Instant::now();
    // Its own words are for those who build by hand.
    output(
        Command::new(place.join("bin/maturin"))
            .current_dir(crate::root().join("python"))
            .args(["build", "--locked", "--strip", "--profile", "wheel", "--target-dir"])
            .arg(crate::target())
            .arg("--out")
            .arg(&folder),
    )?;
    println!("the wheel took {} s", begun.elapsed().as_secs());
    let mut files = std::fs::read_dir(&folder)?;
    Ok(files.next().context("maturin wrote no wheel")??.path())
}

/// Tests what is installed, not the folder of its sources.
fn check(place: &Path) -> anyhow::Result<()> {
    let tool = |name: &str| {
        let mut command = Command::new(place.join("bin").join(name));
        command.current_dir(crate::root().join("python"));
        command
    };
    execute(&mut tool("mypy"))?;
    let (program, sources) =
        (crate::target().join("debug/arcwright"), crate::root().join("python"));
    // From elsewhere: in the folder of the sources Python would find those, without what is compiled.
    let mut pytest = tool("pytest");
    pytest.current_dir(place).env("ARCWRIGHT", program).arg("--config-file");
    execute(pytest.arg(sources.join("pyproject.toml")).arg(sources.join("tests")))
}
