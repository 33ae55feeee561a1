//! Pasted `/proc/vmstat`, pages and events since boot, and the table of `vmstat`. They are known as such, and nothing
//! of them is judged.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};

const STARTS: [&str; 16] = [
    "nr_",
    "pgpg",
    "pswp",
    "pgscan",
    "pgsteal",
    "pgalloc_",
    "pgfree",
    "pgfault",
    "pgmajfault",
    "pgrefill",
    "allocstall",
    "kswapd_",
    "compact_",
    "workingset_",
    "slabs_scanned",
    "oom_kill",
];

/// Takes rows of it.
pub(super) fn vmstat(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let count = lines.iter().take_while(|line| is_row(&line.text)).count().max(table(lines));
    let (name, text) = ("commands/vmstat".to_owned(), String::new());
    (count > 0)
        .then(|| Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] })
}

/// Returns how many lines are of the table of Linux: two of titles, which come again, and rows of numbers.
fn table(lines: &[Line]) -> usize {
    const TITLES: [&str; 6] = ["r", "b", "swpd", "free", "buff", "cache"];
    const COLUMNS_MIN: usize = 14;
    let groups = |text: &str| text.starts_with("procs -") && text.contains("--memory--");
    let titles = |text: &str| text.split_whitespace().take(TITLES.len()).eq(TITLES);
    let begins = lines.first().is_some_and(|line| {
        let text = line.text.trim();
        groups(text) || titles(text)
    });
    let is_part = |line: &&Line| {
        let text = line.text.trim();
        let words = || text.split_whitespace();
        let numbers = || words().all(|word| word.bytes().all(|c| c.is_ascii_digit()));
        groups(text) || titles(text) || words().count() >= COLUMNS_MIN && numbers()
    };
    if begins { lines.iter().take_while(is_part).count() } else { 0 }
}

fn is_row(line: &str) -> bool {
    let Some((name, value)) = line.trim().split_once(' ') else { return false };
    let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let known = is_name && STARTS.iter().any(|start| name.starts_with(start));
    known && value.trim().parse::<u64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_row;
    use crate::sources::Sources;

    #[test]
    fn the_table_of_linux_ends_with_its_rows() {
        let row =
            "69 87      0 1407088   5688 13142436    0    0  2316     1   12    0 29 24 43  4  0\n";
        let titles =
            " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";
        let unread = |text: &str| Sources::recognize(text).texts.len() - 1;
        assert_eq!(unread(&format!("{titles}{row}{row}")), 0);
        assert_eq!(unread(&format!("{titles}{row}\n1 2 3\n")), 1);
    }

    #[test]
    fn only_rows_of_it_are_taken() {
        for line in ["nr_free_pages 1234", "pswpin 0", "allocstall_normal 55"] {
            assert!(is_row(line), "{line}");
        }
        for line in ["hits 4", "nr_free_pages", "nr_ of things 4", "evict_skip 4 7", ""] {
            assert!(!is_row(line), "{line}");
        }
    }
}
