//! Rules that the project does not keep everywhere yet, and the list of places that are still to do.
//!
//! The list, `debts.toml`, only gets shorter: a breach that is not in it is a finding, and so is a
//! place in it that is clean, or that was added after its rule began.

use std::collections::BTreeSet;

use anyhow::Context as _;
use toml_edit::DocumentMut;

use super::{Source, Violation};

/// Where the list is kept.
const LIST: &str = "xtask/src/tidy/debts.toml";

/// A breach of a rule that has a list of places still to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Breach {
    /// The place without a line, which moves: file and name.
    pub(super) key: String,
    /// File and line.
    pub(super) place: String,
    /// What is wrong and what to do.
    pub(super) what: String,
}

/// A rule with a list.
pub(super) struct Rule {
    /// Its name in the list.
    pub(super) name: &'static str,
    /// The day on which it began; nothing enters the list later.
    pub(super) since: &'static str,
    /// Every place that breaks it today.
    pub(super) breaches: Vec<Breach>,
}

impl Rule {
    fn keys(&self) -> BTreeSet<&str> {
        self.breaches.iter().map(|breach| breach.key.as_str()).collect()
    }
}

/// Compares what is broken with the list.
pub(super) fn settle(rules: &[Rule], sources: &[Source]) -> anyhow::Result<Vec<Violation>> {
    let text = sources.iter().find(|source| source.path == LIST);
    let text = text.map(|source| source.text.as_str()).unwrap_or_default();
    let list: DocumentMut = text.parse().with_context(|| format!("failed to read {LIST}"))?;
    let mut findings = Vec::new();
    for (name, _) in list.iter() {
        if rules.iter().all(|rule| rule.name != name) {
            findings.push(in_list(format!("names a rule “{name}” that there is not")));
        }
    }
    for rule in rules {
        findings.extend(of_rule(rule, &list));
    }
    Ok(findings)
}

fn of_rule(rule: &Rule, list: &DocumentMut) -> Vec<Violation> {
    let table = list.get(rule.name);
    let since = table.and_then(|table| table.get("since")).and_then(|since| since.as_str());
    let places = table.and_then(|table| table.get("places")).and_then(|places| places.as_array());
    let listed: Vec<&str> =
        places.into_iter().flatten().filter_map(|place| place.as_str()).collect();
    let broken = rule.keys();
    let mut findings = Vec::new();
    if table.is_some() && since != Some(rule.since) {
        findings.push(in_list(format!("“{}” began on {}", rule.name, rule.since)));
    }
    for breach in &rule.breaches {
        if !listed.contains(&breach.key.as_str()) {
            let (place, what) = (breach.place.clone(), breach.what.clone());
            findings.push(Violation { place, what });
        }
    }
    for key in listed {
        if !broken.contains(key) {
            let what = format!("“{key}” keeps “{}” now; take it out of the list", rule.name);
            findings.push(in_list(what));
        }
    }
    findings
}

fn in_list(what: String) -> Violation {
    Violation { place: LIST.to_owned(), what }
}

/// Writes the list as it would be today; a difference that adds a line is for a reviewer to refuse.
pub(super) fn list(rules: &[Rule]) -> String {
    let mut lines = vec![
        "# Places that do not keep a rule yet; made by `cargo xtask tidy --debts`. It only gets shorter."
            .to_owned(),
    ];
    for rule in rules.iter().filter(|rule| !rule.breaches.is_empty()) {
        lines.push(format!("\n[{}]\nsince = \"{}\"\nplaces = [", rule.name, rule.since));
        lines.extend(rule.keys().into_iter().map(|key| format!("  \"{key}\",")));
        lines.push("]".to_owned());
    }
    lines.push(String::new());
    lines.join("\n")
}

#[cfg(test)]
pub(super) fn keys(
    rule: impl Fn(&[super::syntax::Code]) -> Vec<Breach>,
    path: &str,
    text: &str,
) -> Vec<String> {
    let (codes, findings) = super::syntax::parse(&[super::source(path, text)]);
    assert!(findings.is_empty(), "{findings:?}");
    rule(&codes).into_iter().map(|breach| breach.key).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::{Breach, LIST, Rule, list, settle};

    fn rule(keys: &[&str]) -> Rule {
        let breach = |key: &&str| Breach {
            key: (*key).to_owned(),
            place: format!("{key}:1"),
            what: "is wide".to_owned(),
        };
        let breaches = keys.iter().map(breach).collect();
        Rule { name: "fields", since: "2026-11-22", breaches }
    }

    fn check(listed: &str, broken: &[&str], expected: &[&str]) {
        let sources = [source(LIST, listed)];
        let findings = settle(&[rule(broken)], &sources).unwrap();
        let found: Vec<String> =
            findings.iter().map(|one| format!("{}: {}", one.place, one.what)).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    const TWO: &str = "[fields]\nsince = \"2026-11-22\"\nplaces = [\"a\", \"b\"]\n";

    #[test]
    fn a_place_is_broken_and_listed_or_neither() {
        check(TWO, &["a", "b"], &[]);
        check("", &[], &[]);
        check(TWO, &["a", "b", "c"], &["c:1: is wide"]);
        check(TWO, &["a"], &["“b” keeps “fields” now"]);
    }

    #[test]
    fn nothing_enters_the_list_later() {
        check(&TWO.replace("-22", "-23"), &["a", "b"], &["began on 2026-11-22"]);
        check("[shape]\nplaces = []\n", &[], &["names a rule “shape”"]);
    }

    #[test]
    fn the_list_of_today_is_kept_by_today() {
        let text = list(&[rule(&["b", "a"])]);
        check(&text, &["a", "b"], &[]);
    }
}
