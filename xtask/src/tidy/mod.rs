//! `cargo xtask tidy`: rules of the house that no compiler knows, one file each.
//!
//! A rule is a function from the tree to findings. Every finding says where, what, and what to do.
//! Rules that the project does not keep everywhere yet have a list of the places to do (`debts`).

mod citations;
mod dependencies;
mod files;
mod headers;
mod index;
mod layers;
mod printing;
mod sections;
mod sizes;
mod words;

mod circles;
mod constants;
mod debts;
mod fields;
mod names;
mod parameters;
mod retired;
mod syntax;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;

use debts::Rule;
use syntax::Code;

/// A breach of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    /// File, and line where there is one: `crates/x/src/lib.rs:12`.
    pub(crate) place: String,
    /// What is wrong and what to do.
    pub(crate) what: String,
}

/// A file of the project with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Path from the workspace's root, with slashes.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

/// Checks the workspace and fails with every finding printed.
pub(crate) fn run() -> anyhow::Result<()> {
    let findings = check(&crate::root())?;
    for finding in &findings {
        println!("{}: {}", finding.place, finding.what);
    }
    match findings.len() {
        0 => {
            println!("tidy: everything in order");
            Ok(())
        }
        count => bail!("tidy: {count} findings"),
    }
}

fn check(root: &Path) -> anyhow::Result<Vec<Violation>> {
    let sources = read(root)?;
    let rules = [
        citations::check,
        dependencies::check,
        files::check,
        headers::check,
        index::check,
        layers::check,
        printing::check,
        sections::check,
        sizes::check,
        words::check,
    ];
    let mut findings: Vec<Violation> = rules.iter().flat_map(|rule| rule(&sources)).collect();
    let (codes, unread) = syntax::parse(&sources);
    findings.extend(unread);
    findings.extend(constants::check(&codes, &sources));
    findings.extend(names::check(&codes));
    findings.extend(debts::settle(&with_debts(&codes, &sources), &sources)?);
    Ok(findings)
}

/// The rules that have a list of places still to do.
fn with_debts(codes: &[Code], sources: &[Source]) -> [Rule; 4] {
    const SINCE: &str = "2026-11-22";
    let rule = |name, breaches| Rule { name, since: SINCE, breaches };
    [
        rule("circles", circles::check(codes)),
        rule("fields", fields::check(codes)),
        rule("parameters", parameters::check(codes)),
        rule("retired", retired::check(codes, sources)),
    ]
}

/// Prints the places that are still to do today, in the form of `debts.toml`.
pub(crate) fn print_debts() -> anyhow::Result<()> {
    let sources = read(&crate::root())?;
    let (codes, _) = syntax::parse(&sources);
    print!("{}", debts::list(&with_debts(&codes, &sources)));
    Ok(())
}

/// Reads every text file of the project; build output and version control are not part of it.
fn read(root: &Path) -> anyhow::Result<Vec<Source>> {
    const KINDS: [&str; 5] = ["rs", "toml", "md", "json", "fio"];
    let mut sources = Vec::new();
    for path in files_below(root) {
        let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        if KINDS.contains(&kind) || ["test", ".ci/run"].contains(&name.as_str()) {
            sources.push(Source { path: name, text: fs::read_to_string(&path)? });
        }
    }
    Ok(sources)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let skipped = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        ["target", ".git"].contains(&name)
    };
    let (folders, mut files): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.into_iter().filter(|path| !skipped(path)).partition(|path| path.is_dir());
    files.extend(folders.iter().flat_map(|folder| files_below(folder)));
    files
}

#[cfg(test)]
pub(crate) fn source(path: &str, text: &str) -> Source {
    Source { path: path.to_owned(), text: text.to_owned() }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_project_itself_is_tidy() {
        let findings = super::check(&crate::root()).unwrap();
        assert!(findings.is_empty(), "{findings:#?}");
    }
}
