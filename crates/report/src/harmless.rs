//! An outcome whose texts can be put on a page: what somebody else saved may hold anything.
//!
//! A page carries the program's own colours, so that whoever prints it cannot tell them from the same
//! escapes in a name. They are written out before the page is made. Line ends stay: a question may have
//! several lines.

use std::borrow::Cow;

use arcwright_scenario::Outcome;
use arcwright_units::visible_lines;

/// Returns the outcome with every hidden character in its texts written out.
pub(crate) fn harmless(outcome: &Outcome) -> Cow<'_, Outcome> {
    // What JSON cannot hold came from no file.
    let Ok(json) = serde_json::to_string(outcome) else { return Cow::Borrowed(outcome) };
    match harmless_json(&json) {
        Cow::Borrowed(_) => Cow::Borrowed(outcome),
        Cow::Owned(json) => serde_json::from_str(&json).map_or(Cow::Borrowed(outcome), Cow::Owned),
    }
}

/// Returns JSON with all its texts and keys written out.
#[must_use]
pub fn harmless_json(json: &str) -> Cow<'_, str> {
    let mut changed = String::new();
    // Up to where `json` stands in `changed`.
    let mut taken = 0;
    let mut at = 0;
    while let Some((begin, end)) = text_from(json, at) {
        at = end;
        let Some(literal) = json.get(begin..end) else { break };
        if let Some(written) = written_out(literal) {
            changed.push_str(json.get(taken..begin).unwrap_or_default());
            changed.push_str(&written);
            taken = end;
        }
    }
    if taken == 0 {
        return Cow::Borrowed(json);
    }
    changed.push_str(json.get(taken..).unwrap_or_default());
    Cow::Owned(changed)
}

/// Returns where the next text of JSON begins and ends, its quotes included.
fn text_from(json: &str, at: usize) -> Option<(usize, usize)> {
    let begin = at + json.get(at..)?.find('"')?;
    let mut end = begin + 1;
    loop {
        end += json.get(end..)?.find(['"', '\\'])?;
        if json.get(end..)?.starts_with('"') {
            return Some((begin, end + 1));
        }
        // What is escaped is one byte, or its digits follow.
        end += 2;
    }
}

/// Returns a text of JSON with what it hides written out; none when it hides nothing.
fn written_out(literal: &str) -> Option<String> {
    let text: String = serde_json::from_str(literal).ok()?;
    match visible_lines(&text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(shown) => serde_json::to_string(&shown).ok(),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{harmless, harmless_json};
    use crate::{TextOptions, fixture, pair, text};

    #[test]
    fn names_that_steer_a_terminal_are_written_out_in_every_page() {
        let mut outcome = fixture::steam();
        assert!(matches!(harmless(&outcome), Cow::Borrowed(_)));
        "\u{1b}[31mred\u{202e}".clone_into(&mut outcome.arms[0].name);
        "\u{1b}[1mtitle\nline".clone_into(&mut outcome.scenario.title);
        "\u{1b}[2mphase".clone_into(&mut outcome.arms[0].phases[0].name);
        outcome.notes.push("\u{1b}[0m".to_owned());
        let options = TextOptions::default();
        for page in [text(&outcome, &options), pair(&outcome, &outcome, &options)] {
            assert!(!page.contains(['\u{1b}', '\u{202e}']), "{page}");
        }
        assert!(text(&outcome, &options).contains("\\x1b[31mred\\u{202e}"));
    }

    #[test]
    fn a_text_of_json_ends_at_its_own_quote() {
        let check =
            |json: &str, expected: &str| assert_eq!(harmless_json(json), expected, "{json}");
        check(r#"{"a":"b"}"#, r#"{"a":"b"}"#);
        check(r#"{"a\\":["\"\u001b[0m\""]}"#, r#"{"a\\":["\"\\x1b[0m\""]}"#);
        check("[\"\u{202e}\",1,\"\u{202e}\"]", r#"["\\u{202e}",1,"\\u{202e}"]"#);
        check(r#"["\n\t"]"#, r#"["\n\t"]"#);
    }
}
