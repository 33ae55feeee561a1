//! `cargo xtask python`: the wheel of `arcwright-zfs`, and its tests.
//!
//! ```text
//!   python/requirements.txt ──pip──> target/python (a Python of its own: maturin, numpy, Arrow, Ray, pytest, mypy)
//!   crates/python, python/arcwright_zfs ──maturin──> target/wheels/*.whl ──pip──> target/python ──> mypy, pytest
//! ```
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
    // What is given away is small and quick; what is tested is built quickly.
    let wheel = wheel(&place, if options.check { "dev" } else { "wheel" })?;
    println!("{}", wheel.display());
    if options.check { check(&place, &wheel) } else { Ok(()) }
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
fn wheel(place: &Path, profile: &str) -> anyhow::Result<PathBuf> {
    let folder = crate::target().join("wheels").join(profile);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).context("failed to remove an older wheel")?;
    }
    let begun = Instant::now();
    // Its own words are for those who build by hand.
    output(
        Command::new(place.join("bin/maturin"))
            .current_dir(crate::root().join("python"))
            .args(["build", "--locked", "--strip", "--profile", profile, "--target-dir"])
            .arg(crate::target())
            .arg("--out")
            .arg(&folder),
    )?;
    println!("the wheel took {} s", begun.elapsed().as_secs());
    let mut files = std::fs::read_dir(&folder)?;
    Ok(files.next().context("maturin wrote no wheel")??.path())
}

/// Tests the installed wheel, not the folder of its sources.
fn check(place: &Path, wheel: &Path) -> anyhow::Result<()> {
    let tool = |name: &str| {
        let mut command = Command::new(place.join("bin").join(name));
        command.current_dir(crate::root().join("python"));
        command
    };
    let install = ["install", "--quiet", "--no-deps", "--no-index", "--force-reinstall"];
    output(tool("pip").args(install).arg(wheel))?;
    execute(&mut tool("mypy"))?;
    let (program, sources) =
        (crate::target().join("debug/arcwright"), crate::root().join("python"));
    // From elsewhere: in the folder of the sources Python would find those, without what is compiled.
    let mut pytest = tool("pytest");
    pytest.current_dir(place).env("ARCWRIGHT", program).arg("--config-file");
    execute(pytest.arg(sources.join("pyproject.toml")).arg(sources.join("tests")))
}
