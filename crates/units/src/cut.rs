//! Places at which a text can be cut: between characters.

/// Returns the last place up to `at` that is between two characters, or an end of the text.
///
/// ```
/// assert_eq!(arcwright_units::cut_before("5 µs", 3), 2);
/// assert_eq!(arcwright_units::cut_before("5 µs", 99), 5);
/// ```
#[must_use]
pub fn cut_before(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

/// Returns the first place from `at` on that is between two characters, or an end of the text.
///
/// ```
/// assert_eq!(arcwright_units::cut_after("5 µs", 3), 4);
/// assert_eq!(arcwright_units::cut_after("5 µs", 99), 5);
/// ```
#[must_use]
pub fn cut_after(text: &str, at: usize) -> usize {
    (at..text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(text.len())
}
