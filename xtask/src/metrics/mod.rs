//! `cargo xtask metrics`: what `arcwright metrics` prints, read by the programs that it is for.
//!
//! ```text
//!   check.rs   promtool, Prometheus's Python library and node_exporter read it; promtool tests the alert rules
//!   load.rs    so many scrapes a second, and what they cost
//! ```

mod check;
mod load;

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

/// What of it.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Measure so many scrapes per second instead, against a release build.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    scrapes: Option<u32>,
    /// For so many seconds.
    #[arg(long, value_name = "N", default_value_t = 30, requires = "scrapes")]
    seconds: u32,
    /// The program to measure; by default target/release/arcwright.
    #[arg(long, value_name = "FILE", requires = "scrapes")]
    program: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let Some(scrapes) = options.scrapes else {
        return check::run(&built("debug")?);
    };
    let program = match &options.program {
        Some(program) => program.clone(),
        None => built("release")?,
    };
    load::run(&program, scrapes, options.seconds)
}

/// Returns the program as it was built last.
fn built(profile: &str) -> anyhow::Result<PathBuf> {
    let program = crate::target().join(profile).join("arcwright");
    if !program.exists() {
        bail!("there is no {}; build it first", program.display());
    }
    Ok(program)
}
