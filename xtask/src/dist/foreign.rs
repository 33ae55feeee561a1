//! The program for 64-bit ARM, run here by an emulator of that processor.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use flate2::read::GzDecoder;

use super::programs::Target;
use crate::systems::tool;

/// Debian's package of emulators that need nothing beside them.
const PACKAGE: &str = "qemu-user-static";
const PROGRAM: &str = "qemu-aarch64-static";

/// What is tried: the words, and what is to be found in the answer.
const TRIED: [(&[&str], &str); 4] = [
    (&["--version"], "aarch64-unknown-linux-musl"),
    (&["scenarios"], "steam-library"),
    (&["run", "steam-library", "--scale", "32"], "second read"),
    (&["run", "steam-library", "--engine", "lab", "--check"], "scratch folder"),
];

/// Runs the program of the archive in `folder`; says so where there is none.
pub(super) fn run(folder: &Path, capture: &Path) -> anyhow::Result<()> {
    let archive = archive(folder);
    let Some(archive) = archive else {
        println!("SKIPPED  the program for 64-bit ARM: it was not built");
        return Ok(());
    };
    let scratch = tempfile::tempdir()?;
    let program = scratch.path().join("arcwright");
    extract(&archive, &program)?;
    let emulator = tool::provide(PROGRAM, PACKAGE)?;
    let capture = capture.display().to_string();
    let judged: &[&str] = &["doctor", "--from", &capture];
    for (words, expected) in TRIED.into_iter().chain([(judged, "l2arc")]) {
        let output = Command::new(&emulator).arg(&program).args(words).output();
        let output = output.with_context(|| format!("failed to start {}", emulator.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        ensure!(
            text.contains(expected),
            "on ARM, {words:?} does not say “{expected}”:\n{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        println!("ok: on ARM, arcwright {}", words.join(" "));
    }
    Ok(())
}

fn archive(folder: &Path) -> Option<PathBuf> {
    let ending = format!("-{}.tar.gz", Target::Aarch64.triple());
    let mut entries = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    entries.find(|path| path.to_str().is_some_and(|path| path.ends_with(&ending)))
}

/// Takes the program out of the archive.
fn extract(archive: &Path, program: &Path) -> anyhow::Result<()> {
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(archive)?));
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()?.ends_with("bin/arcwright") {
            entry.unpack(program)?;
            return Ok(());
        }
    }
    anyhow::bail!("the archive holds no program")
}
