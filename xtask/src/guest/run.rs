//! `cargo xtask guest run`: scripts in a guest, by hand.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};

use super::added;
use super::boot::Guest;
use super::image;
use super::job::Job;
use super::layout::GuestLayout;
use super::qemu::Qemu;

/// Options of a run by hand.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Version of OpenZFS.
    version: String,
    /// Scripts for the guest's shell, run one after the other until one fails.
    #[arg(required = true)]
    scripts: Vec<PathBuf>,
    /// Drives and memory, from vm/layouts.
    #[arg(long, default_value = "fast")]
    layout: String,
    /// Seconds that the guest may take.
    #[arg(long, default_value_t = 300)]
    limit: u64,
    /// Folder for drives, logs and what the scripts leave in /out; kept, and found again by a next
    /// run of the same layout, with the guest's /etc and /var.
    #[arg(long)]
    folder: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let folder = options.folder.clone();
    let folder = folder.unwrap_or_else(|| scratch(&format!("run-{}", std::process::id())));
    let guest = guest(&options.version, &options.layout, folder, options.limit)?;
    let job = begin(&guest)?;
    let mut line = "set -e\n".to_owned();
    for script in &options.scripts {
        let name = script.file_name().context("a script has a name")?.to_string_lossy();
        job.add(script, &format!("scripts/{name}"))?;
        line.extend(["sh scripts/", &name, "\n"]);
    }
    job.add_text(&line, "run")?;
    let answer = guest.run(&job)?;
    println!("what it left: {}", answer.out.display());
    match answer.code {
        0 => Ok(()),
        code => bail!("the scripts ended with {code}"),
    }
}

/// Returns a guest of a version with the drives of a layout.
pub(super) fn guest(
    version: &str,
    layout: &str,
    folder: PathBuf,
    limit: u64,
) -> anyhow::Result<Guest> {
    fs::create_dir_all(&folder).with_context(|| format!("failed to make {}", folder.display()))?;
    Ok(Guest {
        qemu: Qemu::provide()?,
        image: image::provide(version)?,
        layout: GuestLayout::read(layout)?,
        folder: fs::canonicalize(folder)?,
        limit: Duration::from_secs(limit),
        loud: true,
        is_traced: layout == added::TRACED,
    })
}

/// Builds the program that runs in a guest, and returns where it is.
pub(super) fn program() -> anyhow::Result<PathBuf> {
    super::arcwright::build()
}

/// Begins a job that has the program and the helpers for scripts.
pub(super) fn begin(guest: &Guest) -> anyhow::Result<Job> {
    let job = Job::begin(&guest.folder)?;
    job.add(&program()?, "root/usr/bin/arcwright")?;
    job.add(&crate::root().join("vm/lib.sh"), "lib.sh")?;
    job.add_tree(&added::PARTITIONS.provide()?, "root")?;
    if guest.is_traced {
        job.add_tree(&added::TRACER.provide()?, "root")?;
    }
    Ok(job)
}

/// Returns a folder below the build's own for a guest's drives.
pub(super) fn scratch(name: &str) -> PathBuf {
    crate::target().join("guest").join(name)
}
