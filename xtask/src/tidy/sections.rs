//! Every rule of the model says where it comes from: each section of a page has its source and its releases.
//!
//! What is no rule but about the page's rules needs neither: cases, simplifications, corrections, the code.

use super::{Source, Violation};

/// Where the pages are.
const PAGES: &str = "docs/model/";
/// Pages that are no rules of OpenZFS: an index, ranges and constants of our own, how rules were learnt.
const OWN: [&str; 4] = ["README.md", "constants.md", "provenance.md", "ranges.md"];
/// Sections about the rules of their page.
const ABOUT: [&str; 4] = ["Worked cases", "Simplifications", "Corrections", "In the code"];
/// What each other section has.
const MARKS: [&str; 2] = ["**Versions**", "**Source**"];

pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let is_page = |source: &&Source| {
        let name = source.path.strip_prefix(PAGES);
        name.is_some_and(|name| name.ends_with(".md") && !OWN.contains(&name))
    };
    sources.iter().filter(is_page).flat_map(of_page).collect()
}

fn of_page(page: &Source) -> Vec<Violation> {
    let mut findings = Vec::new();
    // Heading, its line, and the marks that were not seen yet.
    let mut section: Option<(&str, usize, Vec<&str>)> = None;
    let mut end = |section: Option<(&str, usize, Vec<&str>)>| {
        let Some((heading, line, missing)) = section else { return };
        findings.extend(missing.into_iter().map(|mark| Violation {
            place: format!("{}:{line}", page.path),
            what: format!("“{heading}” has no {mark} line"),
        }));
    };
    for (index, line) in page.text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("## ") {
            let missing = if ABOUT.contains(&heading) { Vec::new() } else { MARKS.to_vec() };
            end(section.replace((heading, index + 1, missing)));
        } else if let Some((_, _, missing)) = &mut section {
            missing.retain(|mark| !line.contains(mark));
        }
    }
    end(section);
    findings
}

#[cfg(test)]
mod tests {
    use super::super::source;

    #[test]
    fn a_rule_without_its_source_is_found() {
        let check = |path: &str, text: &str, expected: &[&str]| {
            let findings = super::check(&[source(path, text)]);
            let places: Vec<&str> = findings.iter().map(|finding| finding.place.as_str()).collect();
            assert_eq!(places, expected, "{text}");
        };
        let page = "docs/model/arc.md";
        let whole = "# ARC\n\n## Ghosts\n\nText. **Versions**: all. **Source**: `arc.c`.\n";
        check(page, whole, &[]);
        check(page, &whole.replace("**Source**: ", ""), &["docs/model/arc.md:3"]);
        check(page, &format!("{whole}\n## In the code\n\nText.\n"), &[]);
        check(page, &format!("{whole}\n## More\n\nText.\n"), &["docs/model/arc.md:7"; 2]);
        check("docs/model/ranges.md", "## Ours\n", &[]);
        check("docs/guide/arc.md", "## Ours\n", &[]);
    }
}
