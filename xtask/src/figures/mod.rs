//! `cargo xtask figures`: figures in README and the guides, from the runs that they name.
//!
//! ```text
//!   <!-- output: run a.toml; from Answer to Notes -->      the code block behind it is written
//!   <!-- quote: run a.toml; from As installed -->      likewise, as a quotation without the command
//!   <!-- figures: run scenarios/a.toml; also 20 ms -->     sentences and tables behind it are held
//!   <!-- /figures -->                                      against what the run prints
//! ```
//!
//! A figure with a unit outside of these marks is a finding, unless its section is on a report.
//!
//! A command is one of arcwright's, or `page FILE` for figures that another chore writes. Runs in the lab
//! take minutes: what they printed is kept in `docs/figures/`, and made anew with `--lab`.
//! With `--check` nothing is written, and what would be is a failure.

mod command;
mod page;
mod pictures;
mod strays;
mod terminal;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::parallel;

/// Options of the chore.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only say what is stale.
    #[arg(long)]
    check: bool,
    /// Run the lab as well, instead of taking what it printed before.
    #[arg(long)]
    lab: bool,
    /// Only pages whose name holds this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut runs = Runs { lab: options.lab, printed: BTreeMap::new() };
    let mut stale = Vec::new();
    let (mut held, mut drawn) = (0, pictures::Drawn::default());
    let mut texts = Vec::new();
    for path in pages()? {
        let name = path.strip_prefix(crate::root()).unwrap_or(&path).display().to_string();
        if options.only.as_deref().is_none_or(|only| name.contains(only)) {
            let text = fs::read_to_string(&path);
            texts.push((path, text.with_context(|| format!("failed to read {name}"))?, name));
        }
    }
    let mut parsed = Vec::new();
    for (path, text, name) in &texts {
        let page = page::Page::parse(text).with_context(|| name.clone())?;
        parsed.push((path, text, name, page));
    }
    runs.begin(parsed.iter().flat_map(|(_, _, _, page)| page.commands()))?;
    for (path, text, name, page) in parsed {
        let checked = page.against(&mut |command: &str| runs.printed(command))?;
        held += checked.held;
        stale.extend(checked.stale.iter().map(|line| format!("{name}:{line}")));
        for picture in pictures::of_page(text).with_context(|| name.clone())? {
            let is_stale =
                drawn.update(path, &picture, options.check).with_context(|| name.clone())?;
            if is_stale && options.check {
                stale.push(format!("{name}: {} is not what the runs draw", picture.path));
            } else if is_stale {
                println!("{name}: {} drawn", picture.path);
            }
        }
        if checked.text != *text && options.check {
            stale.push(format!("{name}: its blocks are not what the runs print"));
        } else if checked.text != *text {
            fs::write(path, &checked.text).with_context(|| format!("failed to write {name}"))?;
            println!("{name}: blocks written");
        }
    }
    if !stale.is_empty() {
        bail!("{} places are stale:\n{}", stale.len(), stale.join("\n"));
    }
    println!(
        "{held} figures and blocks are as {} runs print them, {} pictures as runs draw them",
        runs.printed.len(),
        drawn.len(),
    );
    Ok(())
}

/// Returns README, the site's first page and all guides.
fn pages() -> anyhow::Result<Vec<PathBuf>> {
    let root = crate::root();
    let mut pages = vec![root.join("README.md"), root.join("docs/index.md")];
    let mut folders = vec![root.join("docs/guide")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// What runs of the program print, each run once.
struct Runs {
    lab: bool,
    printed: BTreeMap<String, String>,
}

impl Runs {
    /// Starts what pages need of the model, all cores at a time.
    fn begin<'a>(&mut self, commands: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
        let of_model =
            |command: &&str| !command.starts_with("page ") && !command.contains("--engine lab");
        let commands: BTreeSet<&str> = commands.filter(of_model).collect();
        let commands: Vec<&str> = commands.into_iter().collect();
        let printed = parallel::map(&commands, |command| started(command));
        for (command, printed) in commands.into_iter().zip(printed) {
            self.printed.insert(command.to_owned(), printed?);
        }
        Ok(())
    }

    fn printed(&mut self, command: &str) -> anyhow::Result<String> {
        if let Some(printed) = self.printed.get(command) {
            return Ok(printed.clone());
        }
        let printed = if let Some(page) = command.strip_prefix("page ") {
            fs::read_to_string(crate::root().join(page)).with_context(|| page.to_owned())?
        } else if command.contains("--engine lab") {
            let kept = crate::root().join("docs/figures").join(file_name(command));
            if self.lab {
                let printed = started(command)?;
                fs::create_dir_all(crate::root().join("docs/figures"))?;
                fs::write(&kept, format!("$ arcwright {command}\n{printed}"))?;
            }
            read_kept(&kept, command)?
        } else {
            started(command)?
        };
        self.printed.insert(command.to_owned(), printed.clone());
        Ok(printed)
    }
}

fn read_kept(path: &Path, command: &str) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| {
        format!("nothing is kept of arcwright {command}; cargo xtask figures --lab")
    })
}

/// Returns a file name for what a command prints.
fn file_name(command: &str) -> String {
    let letters = command.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let name: String = letters.collect();
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    format!("{}.txt", parts.join("-"))
}

/// Runs the program that was built beside this one, as a reader of the page would.
fn started(command: &str) -> anyhow::Result<String> {
    started_with(command, |program| program.env("NO_COLOR", "1"))
}

/// Likewise, with what `more` says of the program's surroundings.
fn started_with(
    command: &str,
    more: impl FnOnce(&mut Command) -> &mut Command,
) -> anyhow::Result<String> {
    let own = std::env::current_exe().context("failed to find this program's own file")?;
    let program = own.with_file_name("arcwright");
    let words = command::split(command)?;
    let mut run = Command::new(&program);
    run.args(&words).current_dir(crate::root()).env("COLUMNS", "100");
    let output = more(&mut run)
        .output()
        .with_context(|| format!("failed to start {}", program.display()))?;
    // doctor says by its exit code that it found something.
    let found_something = words.first().is_some_and(|verb| verb == "doctor");
    if !output.status.success() && !found_something {
        bail!("arcwright {command} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
