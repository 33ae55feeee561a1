//! Every text comes back, whatever it holds.

use std::collections::BTreeMap;

use arcwright_machine::{Source, Sources};
use proptest::prelude::*;

use super::{pack_text, unpack_text};

proptest! {
    #[test]
    fn whatever_texts_say_they_come_back(
        texts in prop::collection::btree_map("[a-z=\\\\ ]{1,6}", text(), 0..6),
    ) {
        let all = |(name, text): (&String, &String)| (name.clone(), Source::Text(text.clone()));
        let packed = pack_text(&Sources { texts: texts.iter().map(all).collect(), ..Sources::default() }, None).unwrap();
        let again = unpack_text("x", &packed).unwrap();
        let again: BTreeMap<String, String> =
            again.into_iter().map(|(name, text)| (name, String::from_utf8(text).unwrap())).collect();
        prop_assert_eq!(again, texts);
    }

    #[test]
    fn any_lines_are_read_or_refused(lines in text()) {
        let _ignored = unpack_text("x", &format!("arcwright capture as text, format 1\n{lines}"));
    }
}

/// Texts of lines that look like ours.
fn text() -> impl Strategy<Value = String> {
    let words = ["===", "=== a", " ", "\\", "\\ No newline at end of file", "x", "\r", "\n", "é"];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..12)
        .prop_map(|words| words.concat())
}
