//! No text makes the parser panic.

use arcwright_scenario::{Scenario, apply_override};
use arcwright_units::cut_before;
use proptest::prelude::*;

use super::{GOOD, datasets, folder};

/// Pieces that have a meaning somewhere in the grammar.
const PIECES: [&str; 16] = [
    "\"",
    "[",
    "]",
    "{",
    "}",
    "=",
    "\n",
    ".",
    "0",
    "-1",
    "9223372036854775807",
    "\"8EiB\"",
    "nan",
    "[[arm]]\n",
    "\"\"",
    "ü",
];

fn texts() -> Vec<String> {
    let files = folder::texts().into_iter().map(|(_, text)| text);
    let own = [GOOD.to_owned(), datasets::whole(), datasets::whole_with_volume()];
    files.chain(own).collect()
}

#[test]
fn a_deep_nest_is_refused_and_does_not_end_the_stack() {
    const DEEP: usize = 100_000;
    let nests = ["[", "{ a = ", "a."].map(|piece| piece.repeat(DEEP));
    for nest in &nests {
        assert!(Scenario::parse(&format!("title = {nest}"), "x").is_err());
        assert!(Scenario::parse(&format!("{nest}a = 1"), "x").is_err());
        assert!(apply_override(GOOD, "title", nest).is_ok());
    }
    assert!(apply_override(GOOD, &nests[2], "1").is_err());
    assert!(apply_override(GOOD, &format!("{}a", nests[2]), "1").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_text_is_read_or_refused(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..40, 0usize..16), 1..6),
    ) {
        let texts = texts();
        let mut text = which.get(&texts).clone();
        for (place, length, piece) in changes {
            let start = cut_before(&text, place.index(text.len() + 1));
            let end = cut_before(&text, start + length).max(start);
            text.replace_range(start..end, PIECES[piece]);
        }
        if let Err(error) = Scenario::parse(&text, "x") {
            prop_assert!(error.line() >= 1 && error.column() >= 1 && !error.to_string().is_empty());
        }
    }

    #[test]
    fn a_text_cut_off_is_read_or_refused(
        which in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
    ) {
        let texts = texts();
        let text = which.get(&texts);
        let end = cut_before(text, place.index(text.len() + 1));
        if let Ok(scenario) = Scenario::parse(&text[..end], "x") {
            prop_assert!(!scenario.phases.is_empty());
        }
    }

    #[test]
    fn any_override_is_taken_or_refused(key in "[a-z0-9.\"]{0,20}", value in ".{0,12}") {
        if let Ok(text) = apply_override(GOOD, &key, &value) {
            let read = text.parse::<toml_edit::DocumentMut>();
            prop_assert!(read.is_ok(), "{}", text);
        }
    }
}
