//! An outcome whose texts can be put on a page: what somebody else saved may hold anything.
//!
//! A page carries the program's own colours, so that whoever prints it cannot tell them from the same
//! escapes in a name. They are written out before the page is made. Line ends stay: a question may have
//! several lines.

use std::borrow::Cow;

use arcwright_scenario::Outcome;
use arcwright_units::visible_lines;
use serde_json::Value;

/// Returns the outcome with every hidden character in its texts written out.
pub(crate) fn harmless(outcome: &Outcome) -> Cow<'_, Outcome> {
    // What JSON cannot hold came from no file.
    let Ok(value) = serde_json::to_value(outcome) else { return Cow::Borrowed(outcome) };
    let shown = shown(&value);
    if shown == value {
        return Cow::Borrowed(outcome);
    }
    serde_json::from_value(shown).map_or(Cow::Borrowed(outcome), Cow::Owned)
}

/// Returns the value with all its texts and keys written out.
fn shown(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(visible_lines(text).into_owned()),
        Value::Array(all) => Value::Array(all.iter().map(shown).collect()),
        Value::Object(fields) => {
            let field =
                |(name, value): (&String, &Value)| (visible_lines(name).into_owned(), shown(value));
            Value::Object(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::harmless;
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
}
