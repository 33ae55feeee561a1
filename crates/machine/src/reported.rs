//! Whether a line that nothing knows is a row of numbers, as outputs have them, and no prose.

/// Returns whether a line looks like one of a report: a name, and at least as many numbers as words.
pub(crate) fn looks_reported(line: &str) -> bool {
    const WORDS_MAX: usize = 40;
    const NUMBERS_MIN: usize = 3;
    let words = || line.split_whitespace().take(WORDS_MAX);
    let is_number = |word: &&str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        digits > 0 && 2 * digits + 1 >= word.chars().count()
    };
    let numbers = words().filter(is_number).count();
    numbers >= NUMBERS_MIN && 2 * numbers >= words().count()
}

#[cfg(test)]
mod tests {
    use super::looks_reported;

    #[test]
    fn rows_of_numbers_look_like_a_report_and_prose_does_not() {
        for (line, expected) in [
            ("sda 0,00 0,00 145,00 0,00 1,21 0,00 17,12 4,80", true),
            ("13884754 4186536500234 C 29129728 116928512", true),
            ("I have 3 disks of 4 TB in it", false),
            ("Joined Dec 2, 2015", false),
            ("", false),
        ] {
            assert_eq!(looks_reported(line), expected, "{line}");
        }
    }
}
