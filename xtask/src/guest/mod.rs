//! `cargo xtask guest`: the real OpenZFS kernel module in an emulated machine.
//!
//! ```text
//!   build    kernel, module and root of one version, kept in the user's cache     (image)
//!   run      boot, run scripts, bring back what they leave                        (boot, job)
//!   fixture  the machine's texts in a known situation, kept in fixtures/          (cases)
//!   check    everything in vm/checks, in one boot or two                          (checks)
//! ```
//!
//! What happens inside is data in `vm/`: init, layouts of drives, scripts.

mod added;
mod arcwright;
mod boot;
mod cache;
mod cases;
mod checks;
mod cpio;
mod image;
mod job;
mod layout;
mod modules;
mod packages;
pub(crate) mod program;
mod qemu;
mod root;
mod run;

pub(crate) use cache::tools;
use clap::Subcommand;

/// What to do with the guest.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Build kernel, module and root into the user's cache; does nothing when they are there.
    Build {
        /// Versions of OpenZFS; all that are known when none is named.
        versions: Vec<String>,
    },
    /// Boot a guest and run scripts in it, one after the other.
    Run(run::Options),
    /// Write fixtures/machines/guest-VERSION-CASE.txt: what a machine says of itself in a known situation.
    Fixture {
        /// Version of OpenZFS.
        version: String,
        /// Cases, as they are named in vm/cases; all when none is named.
        cases: Vec<String>,
    },
    /// Run all of vm/checks in a guest of each version.
    Check {
        /// Versions of OpenZFS; all that are known when none is named.
        versions: Vec<String>,
        /// Only the checks whose name holds this text.
        #[arg(long, default_value = "")]
        only: String,
        /// Also the checks that take long and are run on one version otherwise.
        #[arg(long)]
        every: bool,
    },
}

pub(crate) fn run(verb: &Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Build { versions } => build(versions),
        Verb::Run(options) => run::run(options),
        Verb::Fixture { version, cases } => cases::capture(version, cases),
        Verb::Check { versions, only, every } => {
            checks::check(&named_or_all(versions), only, *every)
        }
    }
}

fn named_or_all(versions: &[String]) -> Vec<String> {
    if versions.is_empty() { image::known() } else { versions.to_vec() }
}

fn build(versions: &[String]) -> anyhow::Result<()> {
    qemu::Qemu::provide()?;
    for version in named_or_all(versions) {
        let image = image::provide(&version)?;
        println!("guest with OpenZFS {version}: {}", image.kernel.with_file_name("").display());
    }
    Ok(())
}
