//! Saved results: read, shown in every way, written and read again.

use arcwright_report::{
    ClientRows, Precision, TextOptions, from_json, pair, tab_separated, text, to_json,
};
use arcwright_scenario::Outcome;

use crate::input::Input;
use crate::shown;

/// A saved result, small and whole, whose fields an input changes.
const SMALL: &str = include_str!("small.json");

/// Any text: a result that can be shown in every way, or a refusal.
pub fn saved(text: &str) {
    if let Ok(outcome) = from_json(text) {
        all(&outcome);
    } else {
        refused(text);
    }
}

/// A whole result, in which some tokens are others: numbers at their bounds, texts that steer.
pub fn changed(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut text = SMALL.to_owned();
    for _ in 0..8 {
        if input.is_empty() {
            break;
        }
        text = with_token(&text, &mut input);
    }
    saved(&text);
}

/// Replaces a number or text of a JSON document.
fn with_token(text: &str, input: &mut Input<'_>) -> String {
    const TOKENS: [&str; 16] = [
        "0",
        "1",
        "-1",
        "18446744073709551615",
        "18446744073709551616",
        "1e308",
        "1e-308",
        "0.5",
        "null",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\"\\u001b[31m\\u202e\\n\\t\"",
        "9223372036854775807",
        "\"first read\"",
    ];
    let starts: Vec<usize> = text.match_indices(": ").map(|(at, found)| at + found.len()).collect();
    let which = usize::from(input.byte()) << 8 | usize::from(input.byte());
    let Some(start) = starts.get(which % starts.len().max(1)) else { return text.to_owned() };
    let (before, rest) = text.split_at(*start);
    let length = rest.find(['\n', '}', ']']).unwrap_or(rest.len());
    let (old, after) = rest.split_at(length);
    let comma = if old.trim_end().ends_with(',') { "," } else { "" };
    let new = match input.below(TOKENS.len() + 2) {
        at if at < TOKENS.len() => TOKENS[at].to_owned(),
        at if at == TOKENS.len() => input.number().to_string(),
        _ => serde_json::to_string(&input.text()).unwrap_or_default(),
    };
    format!("{before}{new}{comma}{after}")
}

fn all(outcome: &Outcome) {
    for precision in [Precision::Rounded, Precision::Exact] {
        let options = TextOptions { width: 80, colour: false, precision, clients: ClientRows::All };
        shown::page(&text(outcome, &options));
        shown::page(&pair(outcome, outcome, &options));
        shown::tabs(&tab_separated(outcome, precision, ClientRows::All));
    }
    let json = to_json(outcome).expect("a result is JSON");
    shown::json(&json);
    let again = from_json(&json).expect("what is written is read back");
    assert_eq!(&again, outcome, "and is the same");
}

fn refused(text: &str) {
    let words = from_json(text).map_or_else(|error| error.to_string(), |_| String::new());
    assert!(!words.is_empty(), "a refusal has words");
}
