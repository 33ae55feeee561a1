//! Pasted `/proc/vmstat`: pages and events since boot. It is known as such, and nothing of it is judged.

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
    let count = lines.iter().take_while(|line| is_row(&line.text)).count();
    let (name, text) = ("commands/vmstat".to_owned(), String::new());
    (count > 0)
        .then(|| Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] })
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
