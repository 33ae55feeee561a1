//! The page's tests: Node compares results with the program's, Playwright drives a browser of this machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::guest::program;
use crate::programs::of_workspace;

/// Names of browsers that Playwright can drive, in the order of preference.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Files of `web/vendor`, and where packages have them.
const VENDORED: [(&str, &str); 3] = [
    ("uPlot.iife.min.js", "uplot/dist/uPlot.iife.min.js"),
    ("uPlot.min.css", "uplot/dist/uPlot.min.css"),
    ("uPlot.LICENSE", "uplot/LICENSE"),
];

/// Runs what can be run on this machine, and says what cannot.
pub(super) fn run(page: &Path) -> anyhow::Result<()> {
    if found("node").is_none() {
        println!("SKIPPED  the browser page: node is not on this machine");
        return Ok(());
    }
    let folder = tests()?;
    of_workspace()?;
    node(page, &folder, "same.test.mjs", None)?;
    let Some(browser) = browser("the browser page", &folder)? else { return Ok(()) };
    vendored(&folder)?;
    node(page, &folder, "report.test.mjs", Some(&browser))?;
    node(page, &folder, "page.test.mjs", Some(&browser))?;
    node(page, &folder, "served.test.mjs", Some(&browser))
}

/// Looks at the site with a browser, where there is one.
pub(crate) fn site(site: &Path) -> anyhow::Result<()> {
    let folder = tests()?;
    let Some(browser) = browser("the site", &folder)? else { return Ok(()) };
    node(site, &folder, "site.test.mjs", Some(&browser))
}

/// Returns a browser that a test can drive, with what drives it in `folder`; what is missing is said.
fn browser(what: &str, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let named = env::var_os("ARCWRIGHT_BROWSER").map(PathBuf::from);
    let Some(browser) = named.or_else(|| BROWSERS.iter().find_map(|name| found(name))) else {
        let names = BROWSERS.join(", ");
        println!("SKIPPED  {what} in a browser: none of {names} is on this machine");
        return Ok(None);
    };
    if found("npm").is_none() || found("node").is_none() {
        println!("SKIPPED  {what} in a browser: node and npm are not on this machine");
        return Ok(None);
    }
    program::run(Command::new("npm").current_dir(folder).args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--silent",
    ]))?;
    Ok(Some(browser))
}

/// Holds what the page of `arcwright serve` has of others against the packages that are locked.
fn vendored(folder: &Path) -> anyhow::Result<()> {
    for (ours, theirs) in VENDORED {
        let read = |path: PathBuf| {
            fs::read(&path).with_context(|| format!("failed to read {}", path.display()))
        };
        let ours = read(crate::root().join("web/vendor").join(ours))?;
        let theirs = read(folder.join("node_modules").join(theirs))?;
        ensure!(ours == theirs, "web/vendor differs from the locked package");
    }
    Ok(())
}

/// Serves the page until somebody ends it.
pub(crate) fn serve(page: &Path, port: u16) -> anyhow::Result<()> {
    println!("http://localhost:{port}/ until you press Ctrl-C");
    program::run(
        Command::new("node")
            .arg(crate::root().join("web/tests/serve.mjs"))
            .arg(page)
            .arg(port.to_string()),
    )
}

/// Copies the tests to where packages may be put beside them, and returns that folder.
fn tests() -> anyhow::Result<PathBuf> {
    let folder = crate::target().join("web-tests");
    fs::create_dir_all(&folder).context("failed to make the folder of the page's tests")?;
    for entry in fs::read_dir(crate::root().join("web/tests"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, folder.join(name)).context("failed to copy the page's tests")?;
    }
    Ok(folder)
}

fn node(page: &Path, folder: &Path, test: &str, browser: Option<&Path>) -> anyhow::Result<()> {
    let mut command = Command::new("node");
    command
        .current_dir(folder)
        .args(["--test", "--test-reporter=spec", test])
        .env("ARCWRIGHT_PAGE", page)
        .env("ARCWRIGHT_ROOT", crate::root())
        .env("ARCWRIGHT_PROGRAM", crate::target().join("debug/arcwright"))
        .env("ARCWRIGHT_PICTURES", crate::target().join("web-pictures"));
    if let Some(browser) = browser {
        command.env("ARCWRIGHT_BROWSER", browser);
    }
    program::run(&mut command)
}

/// Returns where a program is, if it is.
fn found(name: &str) -> Option<PathBuf> {
    let paths = env::var_os("PATH")?;
    env::split_paths(&paths).map(|folder| folder.join(name)).find(|file| file.is_file())
}
