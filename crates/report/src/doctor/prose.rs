//! Which of the lines that were not understood look like sentences, and which like the output of a program.

/// What stands before the words of such a line.
const UNKNOWN: &str = "not recognised: “";

/// Returns whether a piece that was not read shows a sentence, a heading or a mark of a page, by its place and the reason.
pub(super) fn is_prose(place: &str, why: &str) -> bool {
    /// Sentences have as many words at least; marks of a page have fewer.
    const WORDS_MIN: usize = 3;
    let Some(shown) = why.strip_prefix(UNKNOWN).map(|shown| shown.trim_end_matches('”')) else {
        return false;
    };
    let words: Vec<&str> = shown.split_whitespace().collect();
    // `Output:` on a line of its own.
    let is_label = place.starts_with("pasted line ")
        && words.len() <= WORDS_MIN
        && shown.ends_with([':', '!', '.', '?'])
        && shown.chars().all(|c| c.is_alphabetic() || " :!.?'".contains(c));
    let of_page = ["#", "```", "<!--", "---", "* ", "|", "title:", "[", "!["];
    let is_of_page = of_page.iter().any(|lead| shown.starts_with(lead));
    is_label
        || is_of_page && !has_figures(&words)
        || words.len() >= WORDS_MIN && !looks_printed(shown, &words)
}

/// Returns whether words have the form of what programs print: columns, settings, figures, errors.
fn looks_printed(shown: &str, words: &[&str]) -> bool {
    const STARTS: [&str; 9] = [
        "cannot ",
        "error",
        "warning",
        "critical",
        "fatal",
        "panic",
        "failed",
        "unable to",
        "invalid",
    ];
    let lower = shown.to_lowercase();
    let is_report = STARTS.iter().any(|start| lower.starts_with(start));
    let has_columns = shown.trim().contains("   ") || shown.contains('\t');
    let is_setting = words.iter().any(|word| word.contains('=') && word.len() > 2);
    let is_path = shown.starts_with('/') || words.first().is_some_and(|word| word.contains("():"));
    is_report || has_columns || is_setting || is_path || has_figures(words)
}

/// Returns whether a third of the words or more have figures in them, of two at least.
fn has_figures(words: &[&str]) -> bool {
    const FIGURES_MIN: usize = 2;
    let has_digit = |word: &&&str| word.contains(|c: char| c.is_ascii_digit());
    let count = words.iter().filter(has_digit).count();
    count >= FIGURES_MIN && 3 * count >= words.len()
}

#[cfg(test)]
mod tests {
    use super::is_prose;

    #[test]
    fn sentences_are_told_from_what_programs_print() {
        for (shown, expected) in [
            ("I have run zpool status and this is what it shows", true),
            ("## What happened", true),
            ("Output:", true),
            ("Happy caching!", true),
            ("status", false),
            ("cannot open 'tank': pool I/O is currently suspended", false),
            ("/dev/sda: UUID=0011 TYPE=zfs_member", false),
            ("Port 2: Dev 2, If 0, Class=Mass Storage, Driver=uas, 5000M", false),
            ("        Full stroke:     250 iter in   5.1 sec", false),
            ("15.7T scanned out of 37.5T at 88.0M/s, 72h0m to go", false),
        ] {
            assert_eq!(
                is_prose("pasted line 1", &format!("not recognised: “{shown}”")),
                expected,
                "{shown}"
            );
        }
        assert!(!is_prose("proc/spl/kstat/zfs/dbufs", "needs privilege"));
        assert!(!is_prose("pasted lines 1 to 9", "not recognised: “Seek times:”"));
    }
}
