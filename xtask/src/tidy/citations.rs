//! A citation leads somewhere: to a page that there is, and a heading on it; and never out of the repository.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, Violation};

/// The rules of the model, which code and data cite by page and heading.
const PAGES: &str = "docs/model/";
/// Pages that stand beside the repository while it is made, and never in it.
const OUTSIDE: [&str; 5] = [
    concat!("openzfs", "-model.md"),
    concat!("land", "scape.md"),
    concat!("simu", "lators.md"),
    concat!("de", "sign.md"),
    concat!("../", "shared/"),
];

/// Anchors of every page.
type Anchors<'a> = BTreeMap<&'a str, BTreeSet<String>>;

pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let pages = sources.iter().filter(|source| source.path.ends_with(".md"));
    let anchors: Anchors<'_> =
        pages.map(|page| (page.path.as_str(), anchors(&page.text))).collect();
    let texts = sources.iter().filter(|source| !source.path.starts_with("fuzz/corpus"));
    texts.flat_map(|source| of_source(source, &anchors)).collect()
}

fn of_source(source: &Source, anchors: &Anchors<'_>) -> Vec<Violation> {
    let mut findings = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        let mut add = |what: String| {
            findings.push(Violation { place: format!("{}:{}", source.path, index + 1), what });
        };
        for page in OUTSIDE.iter().filter(|page| line.contains(**page)) {
            add(format!("cites {page}, which is not in the repository"));
        }
        let mut targets: Vec<String> = cited(line).map(str::to_owned).collect();
        if source.path.ends_with(".md") {
            targets.extend(linked(line).map(|link| resolved(&source.path, link)));
        }
        for target in targets.iter().filter(|target| !leads_somewhere(target, anchors)) {
            add(format!("cites {target}, which leads nowhere"));
        }
    }
    findings
}

/// Returns the places that a line cites by their path from the root.
fn cited(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices(PAGES).filter_map(|(at, _)| {
        let rest = line.get(at..)?;
        let is_part = |c: char| c.is_ascii_alphanumeric() || "/-_.#".contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let target = rest.get(..end)?.trim_end_matches('.');
        target.contains(".md").then_some(target)
    })
}

/// Returns the targets of links to pages in Markdown.
fn linked(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(|(at, open)| {
        let rest = line.get(at + open.len()..)?;
        let target = rest.get(..rest.find(')')?)?;
        let page = target.split('#').next()?;
        let is_page = page.is_empty() || page.ends_with(".md");
        (is_page && !target.is_empty() && !target.contains("://")).then_some(target)
    })
}

/// Returns the path from the root of a link on a page.
fn resolved(page: &str, link: &str) -> String {
    if let Some(anchor) = link.strip_prefix('#') {
        return format!("{page}#{anchor}");
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

fn leads_somewhere(target: &str, anchors: &Anchors<'_>) -> bool {
    match target.split_once('#') {
        None => anchors.contains_key(target),
        Some((page, anchor)) => anchors.get(page).is_some_and(|known| known.contains(anchor)),
    }
}

/// Returns the anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if let Some((_, heading)) = line.split_once(' ').filter(|(marks, _)| is_heading(marks))
            && !is_code
        {
            anchors.insert(slug(heading));
        }
    }
    anchors
}

fn is_heading(marks: &str) -> bool {
    !marks.is_empty() && marks.chars().all(|c| c == '#')
}

fn slug(heading: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        _ if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    heading.trim().to_lowercase().chars().filter_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::check;

    #[test]
    fn a_citation_that_leads_nowhere_is_found() {
        let page = source("docs/model/arc.md", "# The ARC\n\n## Ghost hits, from 2.2\n");
        let check = |path: &str, text: &str, expected: &[&str]| {
            let findings = check(&[page.clone(), source(path, text)]);
            let places: Vec<&str> = findings.iter().map(|finding| finding.place.as_str()).collect();
            assert_eq!(places, expected, "{text}");
        };
        let cite = |rest: &str| format!("//! See docs/model/{rest}).");
        check("a.rs", &cite("arc.md#ghost-hits-from-22"), &[]);
        check("a.rs", &cite("arc.md"), &[]);
        check("a.rs", &cite("arc.md#ghost"), &["a.rs:1"]);
        check("a.rs", &cite("none.md"), &["a.rs:1"]);
        check(concat!("docs/", "model/b.md"), "[lists](arc.md#the-arc) [x](#x)\n# X", &[]);
        check("docs/b.md", "\n[lists](arc.md)", &["docs/b.md:2"]);
        check("docs/b.md", "[lists](model/arc.md#lists)", &["docs/b.md:1"]);
        check("README.md", concat!("as ../", "shared/x says"), &["README.md:1"]);
    }
}
