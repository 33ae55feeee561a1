//! A page names a file by a path that leads there: from the root, from the model's sources on the pages
//! of its rules, from the crate or folder that a row of a table begins with.

use std::collections::BTreeSet;

use super::{Source, Violation};

/// The pages that lead to the code.
const PAGES: [&str; 2] = ["docs/model/", "ARCHITECTURE.md"];
/// From where the model's pages name files.
const MODEL: (&str, &str) = ("docs/model/", "crates/model/src/");

pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let files: BTreeSet<&str> = sources.iter().map(|source| source.path.as_str()).collect();
    let is_page = |source: &&Source| {
        source.path.ends_with(".md") && PAGES.iter().any(|page| source.path.starts_with(page))
    };
    sources.iter().filter(is_page).flat_map(|page| of_page(page, &files)).collect()
}

fn of_page(page: &Source, files: &BTreeSet<&str>) -> Vec<Violation> {
    let mut findings = Vec::new();
    let mut is_code = false;
    for (index, line) in page.text.lines().enumerate() {
        is_code ^= line.starts_with("```");
        if is_code {
            continue;
        }
        let folders = folders(&page.path, line);
        let is_there = |name: &str| folders.iter().any(|folder| finds(files, folder, name));
        for name in named(line).filter(|name| !is_there(name)) {
            findings.push(Violation {
                place: format!("{}:{}", page.path, index + 1),
                what: format!("names {name}, which is not there; write its path as it is today"),
            });
        }
    }
    findings
}

/// Returns the folders from which a line names files.
fn folders(page: &str, line: &str) -> Vec<String> {
    let mut folders = vec![String::new()];
    let (pages, sources) = MODEL;
    folders.extend(page.starts_with(pages).then(|| sources.to_owned()));
    if let Some(first) = line.strip_prefix("| `").and_then(|row| row.split('`').next()) {
        let folder = first.trim_end_matches('/');
        folders.extend([format!("{folder}/"), format!("{folder}/src/")]);
    }
    folders
}

/// Returns the files of ours that a line names in backticks.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let in_backticks = line.split('`').skip(1).step_by(2);
    in_backticks.filter(|name| {
        let is_path = !name.contains(char::is_whitespace);
        is_path && [".rs", ".toml"].iter().any(|ending| name.ends_with(ending))
    })
}

/// Says whether a folder has a file of this name, in which a star stands for any part.
fn finds(files: &BTreeSet<&str>, folder: &str, name: &str) -> bool {
    let path = format!("{folder}{name}");
    match path.split_once('*') {
        None => files.contains(path.as_str()),
        Some((before, after)) => files
            .iter()
            .any(|file| file.strip_prefix(before).is_some_and(|rest| rest.ends_with(after))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::check;

    #[test]
    fn a_named_file_that_is_not_there_is_found() {
        let check = |page: &str, text: &str, expected: &[&str]| {
            let arc = source("crates/model/src/cache/arc.rs", "");
            let cores = source("xtask/data/cores.toml", "");
            let findings = check(&[arc, cores, source(page, text)]);
            let places: Vec<&str> = findings.iter().map(|finding| finding.place.as_str()).collect();
            assert_eq!(places, expected, "{text}");
        };
        let rule = concat!("docs/", "model/a.md");
        check(rule, "`cache/arc.rs` and `crates/model/src/cache/arc.rs`, `xtask/data/*.toml`", &[]);
        check(rule, "x\n`arc.rs`, `cache/arc.rs`", &[concat!("docs/", "model/a.md:2")]);
        check(rule, "`xtask/*.rs`", &[concat!("docs/", "model/a.md:1")]);
        check(rule, "`arc_evict` in arc.rs, `arc.c`, `cargo fmt a.rs`\n```\n`no.rs`\n```", &[]);
        check(
            "ARCHITECTURE.md",
            "| `crates/model` | `cache/arc.rs` |\n| `xtask` | `data/cores.toml` |",
            &[],
        );
        check("ARCHITECTURE.md", "`cache/arc.rs`", &["ARCHITECTURE.md:1"]);
        check("docs/b.md", "`none.rs`", &[]);
    }
}
