//! The table of findings names every finding that a rule can make, and no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use arcwright_advice::KNOWN;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}

/// Returns the text between the quotation marks that `text` begins with.
fn literal(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('"')?.split('"').next()
}

/// Returns what a file's findings are called.
fn names(text: &str) -> Vec<String> {
    let constant = |name: &str| {
        let declared = format!("const {name}: &str =");
        literal(text.split(&declared).nth(1)?)
    };
    let of_a_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let looks_like_a_name = |word: &&str| word.contains('-') && word.chars().all(of_a_name);
    text.split("Finding::new(")
        .skip(1)
        .flat_map(|rest| match literal(rest) {
            Some(name) => vec![name.to_owned()],
            None => {
                let word = rest.trim_start().split(',').next().unwrap();
                match constant(word) {
                    Some(name) => vec![name.to_owned()],
                    // A variable: any word of the file that looks like a name may be its value.
                    None => {
                        let words = text.split('"').skip(1).step_by(2);
                        words.filter(looks_like_a_name).map(str::to_owned).collect()
                    }
                }
            }
        })
        // Rules of several files share what makes their findings.
        .chain(text.split("new(pool, (").skip(1).filter_map(literal).map(str::to_owned))
        // Those of a table stand in it.
        .chain(text.split(" id: ").skip(1).filter_map(literal).map(str::to_owned))
        .collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the rules' own sources are what is looked at")]
fn every_finding_of_a_rule_is_in_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let made: BTreeSet<String> = sources(&folder)
        .iter()
        .filter(|path| !path.ends_with("finding.rs"))
        .flat_map(|path| names(&fs::read_to_string(path).unwrap()))
        .collect();
    assert!(made.len() > 40, "the rules' sources are read: {made:?}");
    let known: BTreeSet<String> = KNOWN.iter().map(|known| known.id.to_owned()).collect();
    let missing: Vec<&String> = made.difference(&known).collect();
    let stale: Vec<&String> = known.difference(&made).collect();
    assert!(missing.is_empty(), "add to crates/advice/src/catalogue.rs: {missing:?}");
    assert!(stale.is_empty(), "no rule makes: {stale:?}");
}

#[test]
fn the_table_is_in_order_and_names_nothing_twice() {
    assert!(KNOWN.windows(2).all(|two| two[0].id < two[1].id));
}
