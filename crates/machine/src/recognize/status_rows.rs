//! Pasted rows of `zpool status` without its titles: what somebody picked out of it.
//!
//! ```text
//!   sda  ONLINE   0  0   0         devices of a pool that nobody names
//!   sdb  FAULTED  3  0  17  too many errors
//! ```
//!
//! A row that others are indented below, and that is no group, is the pool's own.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};
use crate::read::status::{ROWS, class_of, is_group, is_row, is_state, is_titles};

/// Takes rows that have a state and three counts each.
pub(super) fn rows(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let titled = usize::from(are_picked(lines));
    let lines = lines.get(titled..)?;
    is_full(&lines.first()?.text).then_some(())?;
    let heads = |index: usize| {
        let is_below = |line: &Line| is_full(&line.text) || is_spare(&line.text);
        let next = lines.get(index + 1).is_some_and(is_below);
        next && lines.get(index).is_some_and(|line| class_of(&line.text).is_some())
    };
    let is_part = |index: usize, line: &Line| {
        is_full(&line.text) || heads(index) || is_spare(&line.text) && !is_titles(&line.text)
    };
    let rows = lines.iter().enumerate().take_while(|(index, line)| is_part(*index, line)).count();
    let count = rows + no_errors_below(lines.get(rows..).unwrap_or_default());
    let name = if is_of_pool(lines) { "commands/zpool-status" } else { ROWS };
    let head = if name == ROWS { "" } else { "config:\n\n" };
    let text = format!("{head}{}\n", joined(lines, count));
    Some(Taken {
        lines: titled + count,
        texts: vec![Text { name: name.to_owned(), text, again: Again::More }],
    })
}

/// Returns how many lines reach to the one that says that no file is damaged, where it ends the output.
fn no_errors_below(lines: &[Line]) -> usize {
    const BLANK_MAX: usize = 2;
    let blank = lines.iter().take(BLANK_MAX).take_while(|line| line.text.trim().is_empty()).count();
    let told = |line: &Line| line.text.trim() == "errors: No known data errors";
    if lines.get(blank).is_some_and(told) { blank + 1 } else { 0 }
}

/// Returns whether titles stand above rows that somebody picked out: the first is indented as no pool is, and none
/// is below it.
pub(super) fn are_picked(lines: &[Line]) -> bool {
    let indent = |line: &Line| line.text.len() - line.text.trim_start().len();
    let [titles, first, rest @ ..] = lines else { return false };
    let above =
        rest.first().is_some_and(|next| is_full(&next.text) && indent(next) > indent(first));
    is_titles(&titles.text) && is_full(&first.text) && indent(first) > indent(titles) && !above
}

/// Returns whether a line is a row with one word for its name: `sda ONLINE 0 0 0`.
fn is_full(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (name, state) = (words.next(), words.next());
    let named = name.is_some_and(|name| !is_state(name));
    let is_count = |word: &str| crate::nicenum::binary(word).is_some();
    named
        && state.is_some_and(is_state)
        && words.by_ref().take(3).filter(|word| is_count(word)).count() == 3
}

/// Returns whether a line is the row of a spare, which has no counts: `sdd AVAIL`.
fn is_spare(line: &str) -> bool {
    let state = line.split_whitespace().nth(1);
    is_row(line) && state.is_some_and(|state| matches!(state, "AVAIL" | "INUSE"))
}

/// Returns whether the first row is a pool's: no group, and the next is indented below it.
fn is_of_pool(lines: &[Line]) -> bool {
    let indent = |line: &Line| line.text.len() - line.text.trim_start().len();
    let name =
        |line: &Line| line.text.split_whitespace().next().is_some_and(|name| !is_group(name));
    lines.first().zip(lines.get(1)).is_some_and(|(first, next)| {
        name(first) && is_full(&next.text) && indent(next) > indent(first)
    })
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    /// Checks the pool, the devices that are named, and how many problems are named.
    fn check(text: &str, expected: (&str, &[&str], usize)) {
        let machine = Machine::read(&Sources::recognize(text));
        let pool = machine.pools.first();
        let told = pool.map(|pool| {
            let vdevs = pool.vdevs.iter().chain(&pool.strays);
            vdevs.flat_map(|vdev| vdev.leaves()).map(|leaf| leaf.name.as_str()).collect()
        });
        let told: Vec<&str> = told.unwrap_or_default();
        let found =
            (pool.map_or("", |pool| pool.name.as_str()), told.as_slice(), machine.problems.len());
        assert_eq!(found, expected, "{text}: {:?}", machine.problems);
    }

    #[test]
    fn devices_that_were_picked_out_are_of_a_pool_without_a_name() {
        check(
            "  sda  ONLINE 0 0 0\n  sdb  FAULTED 3 0 17  too many errors\n",
            ("POOL", &["sda", "sdb"], 1),
        );
        check("sdb ONLINE 0 0 17\n", ("POOL", &["sdb"], 1));
        check("sdb ONLINE 0 0 17\n\nand later\n\nsdb ONLINE 0 0 19\n", ("POOL", &["sdb"], 2));
        check(
            "  raidz1-0  DEGRADED 0 0 0\n    sda  ONLINE 0 0 0\n    sdb  FAULTED 9 0 0\n",
            ("POOL", &["sda", "sdb"], 1),
        );
    }

    #[test]
    fn a_row_above_others_is_the_pools() {
        let text = "tank  DEGRADED 0 0 0\n  mirror-0  DEGRADED 0 0 0\n    sda  ONLINE 0 0 0\n    sdb  REMOVED 0 0 0\n";
        check(text, ("tank", &["sda", "sdb"], 1));
    }

    #[test]
    fn a_row_that_is_quoted_again_says_nothing_new() {
        let status = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\t  sda ONLINE 0 0 3\n\nerrors: No known data errors\n\n";
        check(&format!("{status}Look at this:\n\n  sda ONLINE 0 0 3\n"), ("tank", &["sda"], 1));
    }

    #[test]
    fn a_device_below_titles_is_no_pool() {
        let picked =
            "NAME    STATE  READ WRITE CKSUM\n    c0t4d0  ONLINE  12  0  14  458K repaired\n";
        check(picked, ("POOL", &["c0t4d0"], 1));
        // A page may take the indentation of the first line away.
        let whole = "NAME  STATE  READ WRITE CKSUM\n\ttank  ONLINE 0 0 0\n\t  sda  ONLINE 0 0 3\n";
        check(whole, ("tank", &["sda"], 1));
    }

    #[test]
    fn sentences_are_no_rows() {
        check("all are ONLINE 0 0 0\nit was ONLINE and 3 of 4\nONLINE 0 0 0\n", ("", &[], 1));
    }
}
