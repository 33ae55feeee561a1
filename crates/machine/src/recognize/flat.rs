//! Outputs whose lines a web page or an editor ran together, taken apart again.
//!
//! ```text
//! pool: tank state: ONLINE config: NAME STATE READ WRITE CKSUM tank ONLINE 0 0 0 cache sdb ONLINE 0 0 0 errors: …
//! module: zfs instance: 0 name: arcstats class: misc buf_size 117161784 c 124905892 c_max 31119409152 …
//! root@nas:~# zpool status  pool: tank          a command with the first line of its output
//! pool: tank state: ONLINE                      two lines of a quotation
//! ```
//!
//! Of a status labels end in a colon, and may be glued to the line above; in the tree a word before a state is a name. Indentation is lost: names tell
//! what is a group (see `read/status/tree.rs`).

use super::LINE_LENGTH_MAX;
use crate::read::status::{LABELS, class_of, is_state};

const TITLES: [&str; 5] = ["NAME", "STATE", "READ", "WRITE", "CKSUM"];

/// Returns the lines that were run together; none when the line is no such thing.
pub(super) fn lines(line: &str) -> Option<Vec<String>> {
    (line.len() <= LINE_LENGTH_MAX).then_some(())?;
    status(line).or_else(|| kstat(line)).or_else(|| command(line)).or_else(|| head(line))
}

/// Takes the first two lines of a status apart: `pool: tank state: ONLINE`.
fn head(line: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = line.trim_start_matches(['>', ' ']).split_whitespace().collect();
    let ["pool:", pool, "state:", state] = words.as_slice() else { return None };
    is_state(state).then(|| vec![format!("  pool: {pool}"), format!(" state: {state}")])
}

/// Takes a command and the first line of its output apart.
fn command(line: &str) -> Option<Vec<String>> {
    const COMMAND_LENGTH_MAX: usize = 160;
    /// What the command is, and how its output begins.
    const OUTPUTS: [(&str, &str); 2] =
        [("zpool status", " pool: "), ("zpool iostat", "  capacity  ")];
    let of = |(program, first): &(&str, &str)| {
        let at = line.find(first).filter(|at| *at <= COMMAND_LENGTH_MAX)?;
        let (typed, output) = line.split_at_checked(at)?;
        let (_, words) = typed.split_once(program)?;
        // Options, and the pool's name.
        let is_typed =
            words.is_empty() || words.starts_with(' ') && !words.contains([':', ',', '.']);
        is_typed.then(|| vec![typed.trim_end().to_owned(), output.to_owned()])
    };
    OUTPUTS.iter().find_map(of)
}

/// Takes a kstat as Solaris prints it apart: two lines that name it, and rows of two words.
fn kstat(line: &str) -> Option<Vec<String>> {
    let at = line.find("module: ")?;
    let (before, whole) = line.split_at_checked(at)?;
    let words: Vec<&str> = whole.split_whitespace().collect();
    let (head, rows) = words.split_at_checked(8)?;
    let ["module:", module, "instance:", instance, "name:", name, "class:", class] = head else {
        return None;
    };
    let mut lines: Vec<String> = vec![before.trim_end().to_owned()];
    lines.push(format!("module: {module} instance: {instance}"));
    lines.push(format!("name: {name} class: {class}"));
    let is_row = |pair: &&[&str]| {
        matches!(pair, [row, value] if row.starts_with(|c: char| c.is_ascii_lowercase())
            && value.starts_with(|c: char| c.is_ascii_digit()))
    };
    lines.extend(rows.chunks(2).take_while(is_row).map(|pair| pair.join(" ")));
    (lines.len() > 3).then_some(lines)
}

fn status(line: &str) -> Option<Vec<String>> {
    let is_whole =
        line.contains("pool: ") && line.contains("state: ") && line.contains("config: NAME");
    is_whole.then_some(())?;
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
    fn two_lines_of_a_quotation_are_taken_apart() {
        let apart = ["  pool: tank", " state: ONLINE"].map(str::to_owned).to_vec();
        assert_eq!(lines("> pool: tank state: ONLINE"), Some(apart));
        assert_eq!(lines("the pool: tank state: ONLINE as ever"), None);
        assert_eq!(lines("pool: tank state: fine"), None);
    }

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

    #[test]
    fn a_kstat_in_one_line_is_taken_apart() {
        let flat = "root@nas:~# kstat -n arcstats module: zfs instance: 0 name: arcstats class: misc c 12 c_max 34";
        let expected = [
            "root@nas:~# kstat -n arcstats",
            "module: zfs instance: 0",
            "name: arcstats class: misc",
            "c 12",
            "c_max 34",
        ];
        assert_eq!(lines(flat).unwrap(), expected);
        assert_eq!(lines("module: zfs instance: 0 name: arcstats class: misc"), None);
    }

    #[test]
    fn a_command_and_its_first_line_are_taken_apart() {
        let check = |line: &str, expected: Option<[&str; 2]>| {
            assert_eq!(lines(line), expected.map(|lines| lines.map(str::to_owned).to_vec()));
        };
        check(
            "root@nas:~# zpool status  pool: tank",
            Some(["root@nas:~# zpool status", " pool: tank"]),
        );
        check(
            "# zpool iostat -v        capacity     operations",
            Some(["# zpool iostat -v", "  capacity     operations"]),
        );
        check("Here is zpool status, of my pool: tank", None);
        check("  pool: tank", None);
    }
}
