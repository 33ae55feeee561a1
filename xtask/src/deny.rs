//! `cargo xtask deny`: holds the dependencies against `deny.toml`, with cargo-deny.
//!
//! The tool is built once, into the user's cache. Advisories are not among what is asked: they need a
//! database that is fetched anew each time, and a check that changes overnight says nothing of a change.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::guest;

/// The version of cargo-deny whose settings `deny.toml` has.
const VERSION: &str = "0.18.9";
/// What is locked on its own.
const WORKSPACES: [&str; 2] = ["Cargo.toml", "fuzz/Cargo.toml"];

pub(crate) fn run() -> anyhow::Result<()> {
    let tool = tool()?;
    for workspace in WORKSPACES {
        let status = Command::new(&tool)
            .args(["--workspace", "--locked", "--manifest-path"])
            .arg(crate::root().join(workspace))
            .args(["--log-level", "error", "check", "--hide-inclusion-graph", "--config"])
            .arg(crate::root().join("deny.toml"))
            .args(["licenses", "bans", "sources"])
            .status()
            .context("failed to start cargo-deny")?;
        if !status.success() {
            bail!("{workspace} has a dependency that deny.toml does not allow");
        }
    }
    Ok(())
}

/// Returns cargo-deny's program, built into the user's cache where it is not there yet.
fn tool() -> anyhow::Result<PathBuf> {
    let place = guest::tools()?.join(format!("cargo-deny-{VERSION}"));
    let tool = place.join("bin/cargo-deny");
    if tool.exists() {
        return Ok(tool);
    }
    println!("builds cargo-deny {VERSION} into {}, once", place.display());
    // Built without optimisation: it runs for seconds, and builds for minutes.
    let status = Command::new("cargo")
        .args(["install", "cargo-deny", "--version", VERSION, "--locked", "--quiet", "--debug"])
        .args(["--no-default-features", "--config", "profile.dev.debug=0", "--root"])
        .arg(&place)
        .status()
        .context("failed to start cargo")?;
    if !status.success() {
        bail!("failed to build cargo-deny {VERSION}");
    }
    Ok(tool)
}
