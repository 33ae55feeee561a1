//! Words that the project said once, and for which it takes the field's own term now.
//!
//! The list is the last table of GLOSSARY.md: the word, where it counts, what to say instead.
//!
//! | where | what is refused |
//! |---|---|
//! | `word` | the word anywhere: names, comments, texts, documents |
//! | `part` | the word as a part of a name; in prose between backticks alone, unless it has several parts |
//! | `type` | a struct, enum, trait or alias of that name |
//! | `function` | a function of that name |
//! | `file` | a file or folder of that name |
//!
//! A name is cut at `_` and at capitals. A word in small letters is found in every form (`by_core`,
//! `ByCore`, `BY_CORE`), one with a capital only as it stands.

mod names;
mod terms;

use super::Source;
use super::debts::Breach;
use super::syntax::Code;
use names::{Name, Role};
use terms::{GLOSSARY, Place, Term};

/// Finds retired words, once per file and word.
pub(super) fn check(codes: &[Code], sources: &[Source]) -> Vec<Breach> {
    let glossary = sources.iter().find(|source| source.path == GLOSSARY);
    let terms = terms::read(glossary.map(|source| source.text.as_str()).unwrap_or_default());
    let mut breaches = Vec::new();
    for source in sources.iter().filter(|source| is_looked_at(&source.path)) {
        let code = codes.iter().find(|code| code.path == source.path);
        let names = names::of(source, code);
        // Each is cut once, and not for each word of the list.
        let parts: Vec<Vec<String>> = names.iter().map(|name| terms::parts(&name.text)).collect();
        for term in &terms {
            let mut cut = names.iter().zip(&parts);
            let found = cut.find(|(name, parts)| is_found(term, name, parts));
            breaches.extend(found.map(|(name, _)| Breach {
                key: format!("{}: {}", source.path, term.text),
                place: format!("{}:{}", source.path, name.line),
                what: format!("says “{}” in “{}”; say: {}", term.text, name.text, term.instead),
            }));
        }
    }
    breaches
}

/// Data that users read: what parameters do, and the experiments of the gallery.
const DATA: [&str; 2] = ["crates/tunables/catalogue/", "scenarios/"];

/// Code, documents and data; not the list itself, nor what was once released, nor this rule.
fn is_looked_at(path: &str) -> bool {
    let is_list = [GLOSSARY, "CHANGELOG.md"].contains(&path);
    let is_rule = path.starts_with("xtask/src/tidy/");
    let is_data = path.ends_with(".toml") && DATA.iter().any(|folder| path.starts_with(folder));
    (path.ends_with(".rs") || path.ends_with(".md") || is_data) && !is_list && !is_rule
}

fn is_found(term: &Term, name: &Name, parts: &[String]) -> bool {
    match (term.place, name.role) {
        (Place::Type, role) => role == Role::Type && name.text == term.text,
        (Place::Function, role) => role == Role::Function && name.text == term.text,
        (Place::File, role) => role == Role::File && name.text == term.text,
        (Place::Part, Role::Prose) => term.parts.len() > 1 && term.is_among(parts),
        (Place::Part | Place::Word, _) => term.is_among(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::super::syntax::parse;
    use super::GLOSSARY;

    const LIST: &str = "# Glossary\n\n| retired | where | say instead |\n|---|---|---|\n\
        | `World` | part | simulator |\n| `by_core` | part | parallel |\n| `luck` | word | seed |\n\
        | `Home` | type | config location |\n| `words` | function | label |\n| `nice` | file | nicenum |\n";

    fn check(path: &str, text: &str, expected: &[&str]) {
        let sources = [source(GLOSSARY, LIST), source(path, text)];
        let (codes, findings) = parse(&sources);
        assert!(findings.is_empty(), "{findings:?}");
        let breaches = super::check(&codes, &sources);
        let places: Vec<String> = breaches.into_iter().map(|breach| breach.place).collect();
        assert_eq!(places, expected, "{text}");
    }

    #[test]
    fn a_part_of_a_name_is_found_in_every_form_of_the_name() {
        for text in ["struct World;", "\nenum SmallWorldOptions {}", "fn f(x: &World) {}"] {
            let line = text.lines().count();
            check("a.rs", text, &[&format!("a.rs:{line}")]);
        }
        for text in
            ["mod by_core;", "fn run_by_core_now() {}", "struct ByCore;", "const BY_CORE: u8 = 1;"]
        {
            check("a.rs", text, &["a.rs:1"]);
        }
        for text in
            ["let_it!(worldly);", "fn hello_world() {}", "fn stand_by() {}", "fn by_cores() {}"]
        {
            check("a.rs", text, &[]);
        }
    }

    #[test]
    fn prose_may_say_in_plain_english_what_a_name_may_not() {
        check("a.rs", "//! World-wide and by core.\n", &[]);
        check("a.rs", "//! Said.\n\n/// The [`World`].\nfn f() {}", &["a.rs:3"]);
        check("a.rs", "fn f() {\n    // The `World`.\n}", &["a.rs:2"]);
        check("a.md", "\nby_core is a folder", &["a.md:2"]);
        check("a.md", "The World, `world`", &[]);
    }

    #[test]
    fn a_word_is_found_wherever_it_stands() {
        for text in ["fn feed_luck() {}", "// good luck", "const A: &str = \"luck is shared\";"] {
            check("a.rs", text, &["a.rs:1"]);
        }
        check("a.md", "Luck is shared.", &["a.md:1"]);
        check("a.md", "The lucky ones pluck.", &[]);
        check("scenarios/a.toml", "[run]\nabout = \"luck is shared\"", &["scenarios/a.toml:2"]);
        check("fixtures/a.toml", "about = \"luck is shared\"", &[]);
    }

    #[test]
    fn types_functions_and_files_are_meant_by_themselves() {
        check("a.rs", "enum Home {}", &["a.rs:1"]);
        check("a.rs", "type Home = u8;", &["a.rs:1"]);
        check("a.rs", "struct HomeFolder { Home: u8 }\nenum A { Home }", &[]);
        check("a.rs", "fn words(words: u8) {}", &["a.rs:1"]);
        check("a.rs", "fn f(words: u8) { words.len() }", &[]);
        check("crates/a/src/nice.rs", "fn f() {}", &["crates/a/src/nice.rs:1"]);
        check("crates/a/src/nice/b.rs", "fn nice() {}", &["crates/a/src/nice/b.rs:1"]);
        check("crates/a/src/nicer.rs", "fn nice() {}", &[]);
    }
}
