//! `cargo xtask web`: the browser page, a folder of static files, and its tests.
//!
//! ```text
//!   crates/web ──cargo, wasm32──> .wasm ──wasm-bindgen──> arcwright_web.js, arcwright_web_bg.wasm ┐
//!   web/*.html, *.css, *.js, *.txt ───────────────────────────────────────copied──────────────────┴─> target/page
//! ```
//!
//! wasm-bindgen is built once, into the user's cache, in the version that crates/web names. What a browser loads
//! has limits, in bytes as a server sends them (gzip). With `--check` the page's results are held against the
//! program's, and a browser is driven through it; what cannot run here is said.

mod check;

pub(crate) use check::{serve, site as check_site};

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::guest::{self, program};
use crate::programs::provide_target;

/// Options of a chore that builds pages.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Test it as well, with a browser where there is one.
    #[arg(long)]
    pub(crate) check: bool,
    /// Serve it at this port of this machine instead, to look at it.
    #[arg(long, value_name = "PORT", conflicts_with = "check")]
    pub(crate) serve: Option<u16>,
}

const TARGET: &str = "wasm32-unknown-unknown";
/// What is copied, by ending.
const ASSETS: [&str; 4] = ["html", "css", "js", "txt"];
/// All that is loaded, as a server sends it.
const BYTES_MAX: usize = 2_000_000;
/// The same without WebAssembly.
const ASSET_BYTES_MAX: usize = 300_000;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let place = build()?;
    print_sizes(&place)?;
    if let Some(port) = options.serve {
        return serve(&place, port);
    }
    if options.check { check::run(&place) } else { Ok(()) }
}

/// Builds the page and returns its folder.
pub(crate) fn build() -> anyhow::Result<PathBuf> {
    let tool = tool()?;
    provide_target(TARGET)?;
    program::run(
        Command::new("cargo")
            .current_dir(crate::root())
            .args(["build", "--locked", "--quiet", "--package", "arcwright-web"])
            .args(["--profile", "web", "--target", TARGET, "--target-dir"])
            .arg(crate::target()),
    )?;
    // Not “web”: there cargo puts what this profile builds for this machine.
    let place = crate::target().join("page");
    if place.exists() {
        fs::remove_dir_all(&place).context("failed to remove the page of an earlier build")?;
    }
    fs::create_dir_all(&place).context("failed to make the page's folder")?;
    // Without modules, so that the page can make workers from what it has loaded already.
    program::run(
        Command::new(tool)
            .args(["--target", "no-modules", "--no-typescript", "--out-name", "arcwright_web"])
            .args(["--remove-name-section", "--remove-producers-section"])
            .arg("--out-dir")
            .arg(&place)
            .arg(crate::target().join(TARGET).join("web/arcwright_web.wasm")),
    )?;
    for entry in fs::read_dir(crate::root().join("web"))? {
        let path = entry?.path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if let (Some(name), true) = (path.file_name(), ASSETS.contains(&ending)) {
            fs::copy(&path, place.join(name)).context("failed to copy the page")?;
        }
    }
    Ok(place)
}

/// Returns wasm-bindgen's program, built into the user's cache where it is not there yet.
fn tool() -> anyhow::Result<PathBuf> {
    let version = version()?;
    let place = guest::tools()?.join(format!("wasm-bindgen-{version}"));
    let tool = place.join("bin/wasm-bindgen");
    if tool.exists() {
        return Ok(tool);
    }
    println!("builds wasm-bindgen {version} into {}, once", place.display());
    // Without its own lock file, which names releases that mirrors of the registry may not have yet.
    program::run(
        Command::new("cargo")
            .args(["install", "wasm-bindgen-cli", "--version", &version, "--quiet", "--debug"])
            .args(["--config", "profile.dev.debug=0", "--root"])
            .arg(&place),
    )?;
    Ok(tool)
}

/// Returns the version of wasm-bindgen that the crate is built with; the tool must be of the same.
fn version() -> anyhow::Result<String> {
    let path = crate::root().join("crates/web/Cargo.toml");
    let text = fs::read_to_string(path).context("failed to read the manifest of crates/web")?;
    let found = text.lines().find_map(|line| line.strip_prefix("wasm-bindgen = \"="));
    let version = found.and_then(|rest| rest.strip_suffix('"'));
    version.map(str::to_owned).context("crates/web names no exact version of wasm-bindgen")
}

fn print_sizes(place: &Path) -> anyhow::Result<()> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(place)? {
        files.push(entry?.path());
    }
    files.sort();
    let (mut all, mut assets) = (0, 0);
    println!("{:<24} {:>10} {:>10}", "file", "bytes", "gzip");
    for path in files {
        let bytes = fs::read(&path)?;
        let packed = packed_length(&bytes)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name:<24} {:>10} {packed:>10}", bytes.len());
        all += packed;
        if !name.ends_with(".wasm") {
            assets += packed;
        }
    }
    println!("{:<24} {:>10} {all:>10}", "all", "");
    println!("{:<24} {:>10} {assets:>10}", "without WebAssembly", "");
    ensure!(all <= BYTES_MAX, "the page is {all} bytes packed, it may be {BYTES_MAX}");
    ensure!(
        assets <= ASSET_BYTES_MAX,
        "the page without WebAssembly is {assets} bytes packed, it may be {ASSET_BYTES_MAX}"
    );
    Ok(())
}

fn packed_length(bytes: &[u8]) -> anyhow::Result<usize> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    Ok(packer.finish()?.len())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_of_wasm_bindgen_is_the_locked_one() {
        let lock = std::fs::read_to_string(crate::root().join("Cargo.lock")).unwrap();
        let version = super::version().unwrap();
        let entry = format!("name = \"wasm-bindgen\"\nversion = \"{version}\"");
        assert!(lock.contains(&entry), "Cargo.lock has another wasm-bindgen than {version}");
    }
}
