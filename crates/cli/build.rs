//! Writes down what is built: the commit and its day, and the target; and packs the files of the served page.
//!
//! A release says it (`ARCWRIGHT_COMMIT`, `SOURCE_DATE_EPOCH`); a package of the registry carries its
//! commit; a checkout asks git. What none of them knows is left out.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;

#[path = "src/commands/serve/files.rs"]
mod files;

fn main() -> std::io::Result<()> {
    pack()?;
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=ARCWRIGHT_COMMIT");
    println!("cargo:rerun-if-env-changed=ARCWRIGHT_DATE");
    let told = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let commit = told("ARCWRIGHT_COMMIT").or_else(packaged).or_else(|| git(&["rev-parse", "HEAD"]));
    let commit = commit.map(|commit| commit.chars().take(12).collect::<String>());
    let date = told("ARCWRIGHT_DATE").or_else(|| git(&["log", "-1", "--format=%cs"]));
    say("ARCWRIGHT_BUILD_COMMIT", commit);
    say("ARCWRIGHT_BUILD_DATE", date);
    say("ARCWRIGHT_BUILD_TARGET", told("TARGET"));
    // Written at every commit.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    Ok(())
}

/// Packs the files of the served page into one, and writes down how long each is.
fn pack() -> std::io::Result<()> {
    let out = std::env::var("OUT_DIR").map_err(std::io::Error::other)?;
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    let mut lengths = Vec::new();
    for file in files::PARTS.iter().chain(files::SERVED.iter().map(|(_, file)| file)) {
        let path = Path::new("page").join(file);
        println!("cargo:rerun-if-changed={}", path.display());
        let bytes = std::fs::read(&path)
            .map_err(|error| std::io::Error::other(format!("{}: {error}", path.display())))?;
        packed.write_all(&bytes)?;
        lengths.push(bytes.len());
    }
    let out = Path::new(&out);
    std::fs::write(out.join("page.deflate"), packed.finish()?)?;
    std::fs::write(out.join("page.lengths"), format!("{lengths:?}"))
}

fn say(name: &str, value: Option<String>) {
    if let Some(value) = value.filter(|value| value.chars().all(|c| c.is_ascii_graphic())) {
        println!("cargo:rustc-env={name}={value}");
    }
}

/// Returns the commit that a package of the registry was made from.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\": \"")?;
    rest.split('"').next().map(str::to_owned)
}

/// Asks git about the checkout that this file is in, and about no other that happens to be around it.
fn git(arguments: &[&str]) -> Option<String> {
    if !Path::new("../../xtask/Cargo.toml").exists() {
        return None;
    }
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
