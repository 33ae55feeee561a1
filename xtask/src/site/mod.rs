//! `cargo xtask site`: the guides, the field's stories, the model's pages and the board as a site of static files.
//!
//! ```text
//!   site/SUMMARY.md, the pages that it names, their pictures ──links──> target/site/pages ──mdBook──> target/site/html
//!   target/page (the browser page) ───────────────────────────────────────────copied──────────────> target/site/html/try
//! ```
//!
//! A link to a page of the site stays one; any other file of the repository is a link to where the repository is published.
//! Every page of `docs` is in the summary, and every link of the site leads to a file and a place that are there.
//! mdBook is built once, into the user's cache. With `--check` a browser looks at the site as well.

mod links;
mod pages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::guest::{self, program};
use crate::web;

const MDBOOK: &str = "0.5.4";

pub(crate) fn run(options: &web::Options) -> anyhow::Result<()> {
    let html = build()?;
    if let Some(port) = options.serve {
        return web::serve(&html, port);
    }
    if options.check { web::check_site(&html) } else { Ok(()) }
}

/// Builds the site and returns its folder.
fn build() -> anyhow::Result<PathBuf> {
    let tool = tool()?;
    let place = crate::target().join("site");
    if place.exists() {
        fs::remove_dir_all(&place).context("failed to remove an earlier site")?;
    }
    let pages = pages::stage(&crate::root(), &place.join("pages"))?;
    for name in ["book.toml", "site.css", "site.js"] {
        fs::copy(crate::root().join("site").join(name), place.join(name)).context(name)?;
    }
    program::run(Command::new(tool).arg("build").arg(&place))?;
    let html = place.join("html");
    copy(&web::build()?, &html.join("try"))?;
    let links = links::check(&html)?;
    println!(
        "{pages} pages, {links} links that lead somewhere: {}",
        html.join("index.html").display()
    );
    Ok(html)
}

/// Returns mdBook's program, built into the user's cache where it is not there yet.
fn tool() -> anyhow::Result<PathBuf> {
    let place = guest::tools()?.join(format!("mdbook-{MDBOOK}"));
    let tool = place.join("bin/mdbook");
    if !tool.exists() {
        println!("builds mdBook {MDBOOK} into {}, once", place.display());
        program::run(
            Command::new("cargo")
                .args(["install", "mdbook", "--version", MDBOOK, "--quiet", "--debug"])
                .args(["--no-default-features", "--features", "search"])
                .args(["--config", "profile.dev.debug=0", "--root"])
                .arg(&place),
        )?;
    }
    Ok(tool)
}

/// Copies the files of a folder that has no folders.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        fs::copy(&path, to.join(path.file_name().unwrap_or_default()))?;
    }
    Ok(())
}
