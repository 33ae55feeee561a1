//! Small texts: sizes, times, rates, versions, values of parameters, and what a terminal is shown.

use arcwright_tunables::{Value, Version, entries, lookup, nearest};
use arcwright_units::{
    Bytes, Nanos, Rate, is_hidden, visible, visible_json, visible_lines, visible_page,
};

use crate::input::Input;

/// Quantities and versions: what is written is read back as the same.
pub fn quantity(text: &str) {
    if let Ok(bytes) = Bytes::parse(text) {
        // Three digits are kept, which may round up to more than a size can be.
        let again = Bytes::parse(&bytes.to_string()).unwrap_or(Bytes::OFFSET_MAX);
        assert!(close(bytes.0, again.0), "{bytes:?} is written as {bytes}");
    }
    if let Ok(time) = Nanos::parse(text) {
        assert!(time.as_secs_f64().is_finite() && !time.to_string().is_empty());
    }
    if let Ok(rate) = Rate::parse(text) {
        let again = Rate::parse(&rate.to_string()).unwrap_or(Rate(Bytes::OFFSET_MAX.0));
        assert!(close(rate.0, again.0), "{rate:?} is written as {rate}");
    }
    if let Some(version) = Version::parse(text) {
        assert_eq!(Version::parse(&version.to_string()), Some(version));
    }
}

fn close(one: u64, other: u64) -> bool {
    one.abs_diff(other) <= one.max(other) / 100
}

/// A value of a parameter: what is read is written as the same, and is shown without a panic.
pub fn value(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let which = usize::from(input.byte()) << 8 | usize::from(input.byte());
    let entry = &entries()[which % entries().len()];
    let text = input.remainder();
    if let Ok(value) = Value::parse(entry, &text) {
        assert_eq!(Value::parse(entry, &value.to_string()).as_ref(), Ok(&value));
        let (shown, exactly) = (value.shown(entry.unit), value.shown_exactly(entry.unit));
        assert!(!shown.is_empty() && !exactly.is_empty());
    }
    let read = Value::read(&text);
    assert_eq!(Value::read(&read.to_string()), read, "what is written is read back");
}

/// A parameter's name: what is like it is one that there is.
pub fn name(text: &str) {
    if let Some(entry) = lookup(text) {
        assert!(entries().iter().any(|other| std::ptr::eq(other, entry)));
    }
    if let Some(like) = nearest(text) {
        assert!(lookup(like).is_some(), "{like} is like {text} and there is none");
    }
}

/// Text for a terminal: nothing hidden is left, plain text is not touched, and JSON keeps its value.
pub fn terminal(text: &str) {
    let line = visible(text);
    assert!(!line.contains(is_hidden));
    assert_eq!(visible(&line), line, "what is visible stays as it is");
    let lines = visible_lines(text);
    assert!(!lines.contains(|letter| is_hidden(letter) && !matches!(letter, '\n' | '\t')));
    assert_eq!(lines.matches('\n').count(), text.matches('\n').count());
    let page = visible_page(text);
    let mut escapes = page.split('\u{1b}').skip(1);
    assert!(escapes.all(only_colours), "an escape of a page does no more than colour");
    assert_eq!(visible_page(&page), page);
    let json = serde_json::to_string(text).expect("any text is JSON");
    let again: String = serde_json::from_str(&visible_json(&json)).expect("and stays JSON");
    assert_eq!(again, text, "of the same value");
}

/// Says whether what follows an escape sets a colour or a weight, and does not blink or hide what is said.
fn only_colours(after_escape: &str) -> bool {
    let code = after_escape.strip_prefix('[').and_then(|rest| rest.split_once('m'));
    let number = code.and_then(|(digits, _)| digits.parse::<u8>().ok());
    matches!(number, Some(0..=2 | 7 | 30..=37 | 90..=97))
}
