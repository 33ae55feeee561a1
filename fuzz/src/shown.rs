//! What a reader's terminal may be given: the laws of everything that is printed.

use arcwright_units::{is_hidden, visible_json, visible_page};
use serde_json::Value;

/// Asserts that a page, printed as the program prints pages, steers no terminal and hides nothing.
pub fn page(text: &str) {
    let printed = visible_page(text);
    assert_plain(&printed, &['\n', '\t']);
}

/// Asserts that tab-separated lines have as many columns everywhere as in the first line.
pub fn tabs(text: &str) {
    page(text);
    let mut columns = text.lines().map(|line| line.split('\t').count());
    let first = columns.next();
    assert!(columns.all(|count| Some(count) == first), "a line has another number of columns");
}

/// Asserts that JSON, printed as the program prints it, is JSON of the same value; returns the value.
pub fn json(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).expect("what is written as JSON is JSON");
    let printed = visible_json(text);
    assert_plain(&printed, &['\n', '\t']);
    let again: Value = serde_json::from_str(&printed).expect("what is printed as JSON is JSON");
    assert_eq!(value, again, "printing changes no value");
    value
}

/// Asserts that a text holds nothing hidden but what is allowed.
pub fn assert_plain(text: &str, allowed: &[char]) {
    let found = text.chars().find(|letter| is_hidden(*letter) && !allowed.contains(letter));
    assert_eq!(found, None, "printed as it came");
}
