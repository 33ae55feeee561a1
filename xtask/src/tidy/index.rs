//! The table that leads from a question to a rule names files and tests that there are.
//!
//! A row says which question, which rule, which files, what changed, which tests. Files are below the model's
//! sources or named from the root; a test is a function's name between backticks.

use super::{Source, Violation};

/// The page, and the heading before its table.
const PAGE: &str = "docs/model/README.md";
const HEADING: &str = "## Find a rule";
/// Where files are looked for that are not named from the root.
const MODEL: &str = "crates/model/src/";

pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let page = sources.iter().find(|source| source.path == PAGE);
    let lines = page.map(|page| page.text.lines()).into_iter().flatten();
    let table = (1..).zip(lines).skip_while(|(_, line)| *line != HEADING).skip(1);
    let table = table.take_while(|(_, line)| !line.starts_with("## "));
    table.flat_map(|(number, line)| of_row(number, line, sources)).collect()
}

fn of_row(number: usize, line: &str, sources: &[Source]) -> Vec<Violation> {
    let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
    let [_, _, files, _, tests] = cells.as_slice() else { return Vec::new() };
    let there = |file: &str| {
        sources.iter().any(|source| {
            source.path == file || source.path.strip_prefix(MODEL).is_some_and(|path| path == file)
        })
    };
    let is_file = |name: &str| name.ends_with(".rs") || name.ends_with(".toml");
    let no_file = quoted(files).filter(|name| is_file(name) && !there(name));
    let defined = |name: &str| {
        let function = format!("fn {name}(");
        sources.iter().any(|source| source.path.ends_with(".rs") && source.text.contains(&function))
    };
    let is_test = |name: &str| name.contains('_') && !name.contains([' ', '/', '.']);
    let no_test = quoted(tests).filter(|name| is_test(name) && !defined(name));
    let what = |kind: &str, name: &str| format!("names the {kind} {name}, which is not there");
    let missing = no_file.map(|name| what("file", name));
    let missing = missing.chain(no_test.map(|name| what("test", name)));
    missing.map(|what| Violation { place: format!("{PAGE}:{number}"), what }).collect()
}

/// Returns what stands between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::super::source;

    #[test]
    fn a_row_names_files_and_tests_that_there_are() {
        let check = |files: &str, tests: &str, expected: usize| {
            let row = format!("| why? | [rule](a.md#b) | {files} | nothing | {tests} |");
            let page = format!("# A\n\n## Find a rule\n\n| q | r | f | w | t |\n{row}\n\n## B\n");
            let sources = [
                source(super::PAGE, &page),
                source("crates/model/src/cache/a.rs", "fn it_holds() {}"),
                source("crates/other/src/b.rs", ""),
            ];
            let findings = super::check(&sources);
            assert_eq!(findings.len(), expected, "{row} {findings:?}");
        };
        check("`cache/a.rs` (`pick`), `crates/other/src/b.rs`", "`it_holds`; Board", 0);
        check("`cache/b.rs`", "`it_holds`", 1);
        check("`cache/a.rs`", "`it_does_not`, `cargo xtask same`", 1);
    }
}
