//! `zpool status` whose lines a web page ran together, taken apart again.
//!
//! ```text
//! pool: tank state: ONLINE config: NAME STATE READ WRITE CKSUM tank ONLINE 0 0 0 cache sdb ONLINE 0 0 0 errors: …
//! ```
//!
//! Labels end in a colon, and may be glued to the line above; in the tree a word before a state is a name. Indentation is lost: names tell
//! what is a group (see `read/status/tree.rs`).

use super::LINE_LENGTH_MAX;
use crate::read::status::{LABELS, class_of, is_state};

const TITLES: [&str; 5] = ["NAME", "STATE", "READ", "WRITE", "CKSUM"];

/// Returns the lines that were run together; none when the line is no such thing.
pub(super) fn lines(line: &str) -> Option<Vec<String>> {
    let is_whole =
        line.contains("pool: ") && line.contains("state: ") && line.contains("config: NAME");
    (is_whole && line.len() <= LINE_LENGTH_MAX).then_some(())?;
    let words: Vec<&str> = line.split_whitespace().flat_map(apart).collect();
    let mut lines: Vec<String> = Vec::new();
    let mut in_tree = false;
    for (index, word) in words.iter().enumerate() {
        let label = word
            .strip_suffix(':')
            .is_some_and(|label| LABELS.contains(&label) || label == "config");
        let state_in =
            |words_on: usize| words.get(index + words_on).is_some_and(|next| is_state(next));
        let titles = words.get(index..).is_some_and(|rest| rest.starts_with(&TITLES));
        let heading = class_of(word).is_some() && state_in(2);
        let name = state_in(1) && !is_state(word);
        let begins = label || titles || in_tree && (heading || name);
        in_tree = (in_tree || titles) && !label;
        match lines.last_mut().filter(|_| !begins) {
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => lines.push((*word).to_owned()),
        }
    }
    Some(lines)
}

/// Takes apart the end of a line and the label of the next, where not even a space stayed between them:
/// `ONLINEstatus:`, `replace'.config:`, `1errors:`.
fn apart(word: &str) -> Vec<&str> {
    let glued = |label: &&str| {
        let (before, _) = word.split_at_checked(word.len().checked_sub(label.len() + 1)?)?;
        let is_label = word.strip_suffix(':')?.ends_with(*label);
        // A longer word of small letters is another word.
        let ends = before.chars().next_back()?;
        (is_label && !ends.is_ascii_lowercase() && !"-_/".contains(ends)).then_some(before.len())
    };
    let at = LABELS.iter().chain(&["config"]).find_map(glued);
    let parts = at.and_then(|at| word.split_at_checked(at));
    parts.map_or_else(|| vec![word], |(before, label)| vec![before, label])
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn labels_that_lost_the_space_before_them_are_taken_apart() {
        let flat = "pool: tank state: ONLINEstatus: Some.action: None with 'zpool replace'.config: NAME STATE \
                    READ WRITE CKSUM tank ONLINE 0 0 0 sda ONLINE 0 0 1errors: No known data errors";
        let expected = [
            "pool: tank",
            "state: ONLINE",
            "status: Some.",
            "action: None with 'zpool replace'.",
            "config:",
            "NAME STATE READ WRITE CKSUM",
            "tank ONLINE 0 0 0",
            "sda ONLINE 0 0 1",
            "errors: No known data errors",
        ];
        assert_eq!(lines(flat).unwrap(), expected);
    }

    #[test]
    fn a_status_in_one_line_is_taken_apart() {
        let flat = "pool: tank state: DEGRADED scan: none requested config: NAME STATE READ WRITE CKSUM \
                    tank DEGRADED 0 0 0 mirror-0 DEGRADED 0 0 0 sda FAULTED 3 0 0 too many errors sdb \
                    ONLINE 0 0 0 cache nda1p2 ONLINE 0 0 0 errors: No known data errors";
        let expected = [
            "pool: tank",
            "state: DEGRADED",
            "scan: none requested",
            "config:",
            "NAME STATE READ WRITE CKSUM",
            "tank DEGRADED 0 0 0",
            "mirror-0 DEGRADED 0 0 0",
            "sda FAULTED 3 0 0 too many errors",
            "sdb ONLINE 0 0 0",
            "cache",
            "nda1p2 ONLINE 0 0 0",
            "errors: No known data errors",
        ];
        assert_eq!(lines(flat).unwrap(), expected);
        assert_eq!(lines("my pool: tank, its state: fine"), None);
    }
}
