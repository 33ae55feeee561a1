//! The program under test, as the guest can run it: static, so that it needs no library there.

use std::path::PathBuf;

use anyhow::Context as _;

use super::program::output;
use crate::programs::Program;

/// Quick to build, quick enough to run; drafts of packages hold the same.
const PROGRAM: Program<'_> =
    Program { package: "arcwright", triple: "x86_64-unknown-linux-musl", profile: "guest" };

/// Builds the program and returns its file.
pub(super) fn build() -> anyhow::Result<PathBuf> {
    let folder = crate::target();
    let mut command = PROGRAM.cargo(&crate::root(), &folder)?;
    output(&mut command).context("failed to build the static program for the guest")?;
    Ok(PROGRAM.file(&folder))
}
