//! `arcwright --version`: this program, the module that is loaded, the libraries for the lab.

use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;

use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// What runs here; what is not there or not known is null.
#[derive(Debug, Serialize)]
struct Versions {
    arcwright: &'static str,
    commit: Option<&'static str>,
    /// The day of the commit.
    date: Option<&'static str>,
    target: &'static str,
    /// The ZFS module that is loaded.
    module: Option<String>,
    /// Versions of libzpool that the lab can load here.
    libzpool: Vec<String>,
}

pub(crate) fn version(json: bool) -> Result<Exit, Problem> {
    let versions = Versions {
        arcwright: env!("CARGO_PKG_VERSION"),
        commit: option_env!("ARCWRIGHT_BUILD_COMMIT"),
        date: option_env!("ARCWRIGHT_BUILD_DATE"),
        target: env!("ARCWRIGHT_BUILD_TARGET"),
        module: arcwright_host::module_version(Path::new("/")),
        libzpool: libraries(),
    };
    if json {
        let json = serde_json::to_string_pretty(&versions).context("failed to write JSON")?;
        output::print_json(&format!("{json}\n"))?;
    } else {
        output::print(&text(&versions))?;
    }
    Ok(Exit::Fine)
}

fn text(versions: &Versions) -> String {
    let source: Vec<&str> = [versions.commit, versions.date].into_iter().flatten().collect();
    let source = match source.as_slice() {
        [] => String::new(),
        parts => format!(" ({})", parts.join(", ")),
    };
    let libraries = match versions.libzpool.as_slice() {
        [] => "none found".to_owned(),
        found => found.join(", "),
    };
    format!(
        "arcwright {}{source}\ntarget    {}\nmodule    {}\nlibzpool  {libraries}\n",
        versions.arcwright,
        versions.target,
        versions.module.as_deref().unwrap_or("no ZFS module is loaded"),
    )
}

/// Returns the versions of the libraries that the lab would load.
#[cfg(feature = "lab")]
fn libraries() -> Vec<String> {
    arcwright_lab::openzfs::found()
}

/// There is no lab.
#[cfg(not(feature = "lab"))]
fn libraries() -> Vec<String> {
    Vec::new()
}
