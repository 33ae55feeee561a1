//! Marks that pages, mails and people put before lines: quotes, diffs, numbers, bullets, comments.
//!
//! ```text
//!   > tank  ONLINE       of a mail       12. tank  ONLINE    numbered by a page
//!   +tank   ONLINE       of a diff       - tank  ONLINE      of a list
//!   # Mem:  16000        output among bare commands
//!   tank  ONLINE | |     a table of a page, one row a line
//! ```
//!
//! A mark counts where a good part of the lines carry it, or some in a row, since one alone may be a prompt, a row
//! or a comment of a file.

use super::prompt::Prompt;
use crate::read::kernel_log::is_clock;

/// Lines in a row that are marked as comments before they count as output.
const COMMENTS_MIN: usize = 3;
/// Lines in a row that carry a mark before it is one of a page.
const ROWS_MIN: usize = 3;
/// Digits of a quoted line that may be one of an output.
const QUOTED_DIGITS_MIN: usize = 2;

/// Returns the lines of a text without their marks, as many as there were.
pub(super) fn without(text: &str) -> Vec<&str> {
    let mut bare: Vec<&str> = text.lines().collect();
    uncount(&mut bare);
    strip_rows(&mut bare, ROWS_MIN, |line| {
        let cells = line.trim_end().strip_suffix("| |")?;
        (cells.trim().is_empty() || !line.trim_start().starts_with('|')).then(|| cells.trim_end())
    });
    if are_stamped(&bare) {
        for line in &mut bare {
            *line = behind_stamp(line).unwrap_or(line);
        }
    }
    for mark in ['>', '+', '|'] {
        if share(&bare, |line| line.trim_start().starts_with(mark)) > 1.0 / 3.0 {
            for line in &mut bare {
                while let Some(inner) = line.trim_start().strip_prefix(mark) {
                    *line = inner.strip_prefix(' ').unwrap_or(inner);
                }
            }
        }
    }
    // A few lines that are quoted among others, told by their numbers from a command behind a shell's mark.
    for line in &mut bare {
        let quoted = line.strip_prefix("> ").filter(|_| Prompt::of(line).is_none());
        let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
        *line = quoted.filter(|inner| digits(inner) >= QUOTED_DIGITS_MIN).unwrap_or(line);
    }
    strip_rows(&mut bare, ROWS_MIN, |line| line.trim_start().strip_prefix("- "));
    for mark in ["- ", "* "] {
        if share(&bare, |line| line.trim_start().starts_with(mark)) > 2.0 / 3.0 {
            for line in &mut bare {
                *line = line.trim_start().strip_prefix(mark).unwrap_or(line);
            }
        }
    }
    // One alone may be a prompt.
    strip_rows(&mut bare, 2, |line| line.strip_prefix("> "));
    uncomment(&mut bare);
    bare
}

/// Returns whether most lines have a time in front, and behind it stands what no log has: a pool's status.
fn are_stamped(lines: &[&str]) -> bool {
    let is_status = |rest: &str| {
        rest.trim_start().starts_with("pool: ")
            || rest.split_whitespace().take(3).eq(["NAME", "STATE", "READ"])
    };
    lines.iter().filter_map(|line| behind_stamp(line)).any(is_status)
        && share(lines, |line| behind_stamp(line).is_some()) > 0.5
}

/// Returns what stands behind `Nov 15 10:00:02`, `2026-11-15T10:00:02` or `10:00:02.15`, without the space that
/// follows.
fn behind_stamp(line: &str) -> Option<&str> {
    // Its parts of a second were split off.
    let is_time = |word: &str| word.len() == 8 && is_clock(word);
    let is_date =
        |word: &str| word.len() == 10 && word.bytes().all(|c| c.is_ascii_digit() || c == b'-');
    let line = line.trim_start();
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (time, part) = first.split_once('.').unwrap_or((first, "0"));
    if is_time(time) && part.len() <= 9 && part.bytes().all(|c| c.is_ascii_digit()) {
        return Some(rest);
    }
    if let Some((day, time)) = first.split_once('T') {
        let time = time.split(['.', '+', 'Z']).next().unwrap_or(time);
        return (is_date(day) && is_time(time)).then_some(rest);
    }
    let is_month = first.len() == 3 && first.starts_with(|c: char| c.is_ascii_uppercase());
    let (day, rest) = rest.trim_start().split_once(' ')?;
    let (time, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_day = day.parse::<u8>().is_ok();
    (is_month && is_day && is_time(time)).then_some(rest)
}

/// Returns which part of the lines that are not empty is so.
fn share(lines: &[&str], is_so: impl Fn(&str) -> bool) -> f64 {
    let (mut all, mut so) = (0_u32, 0_u32);
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        all += 1;
        so += u32::from(is_so(line));
    }
    f64::from(so) / f64::from(all.max(1))
}

/// Returns the number that a line begins with, and what stands behind it.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let end = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
    let (number, rest) = line.split_at_checked(end)?;
    let rest = rest.strip_prefix(['.', ':', ')', '|'])?;
    if !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    Some((number.parse().ok()?, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// Changes stretches of lines: `length` says how many from the first on are one, and `change` takes their marks.
fn each_stretch<'a>(
    lines: &mut [&'a str],
    length: impl Fn(&[&'a str]) -> usize,
    change: impl Fn(&mut [&'a str]),
) {
    let mut start = 0;
    while let Some(rest) = lines.get_mut(start..).filter(|rest| !rest.is_empty()) {
        let length = length(rest);
        change(rest.get_mut(..length).unwrap_or_default());
        start += length.max(1);
    }
}

/// Takes the numbers from lines in a row that are counted one by one.
fn uncount(lines: &mut [&str]) {
    const LINES_MIN: usize = 5;
    let counted = |rest: &[&str]| {
        let first = rest.first().and_then(|line| Some(numbered(line)?.0));
        let is_next = |(at, line): &(usize, &&str)| {
            let next = first.and_then(|first| first.checked_add(*at));
            numbered(line).is_some_and(|(number, _)| next == Some(number))
        };
        rest.iter().enumerate().take_while(is_next).count()
    };
    each_stretch(lines, counted, |rows| {
        if rows.len() >= LINES_MIN {
            for line in rows {
                *line = numbered(line).map_or(*line, |(_, rest)| rest);
            }
        }
    });
}

/// Takes a mark from lines that carry it, so many in a row at least.
fn strip_rows<'a>(
    lines: &mut [&'a str],
    least: usize,
    without: impl Fn(&'a str) -> Option<&'a str>,
) {
    let marked = |rest: &[&'a str]| rest.iter().take_while(|line| without(line).is_some()).count();
    each_stretch(lines, marked, |rows| {
        if rows.len() >= least {
            for line in rows {
                *line = without(line).unwrap_or(line);
            }
        }
    });
}

/// Takes the marks from output that is commented out; settings that are stay so.
fn uncomment(lines: &mut [&str]) {
    let marked = |line: &str| line.starts_with("# ") || line == "#";
    let sets = |line: &str| line.contains('=') || line.contains("options ");
    let commented = |rest: &[&str]| rest.iter().take_while(|line| marked(line)).count();
    each_stretch(lines, commented, |rows| {
        if rows.len() >= COMMENTS_MIN && !rows.iter().any(|line| sets(line)) {
            for line in rows {
                *line = line
                    .strip_prefix('#')
                    .map_or(*line, |rest| rest.strip_prefix(' ').unwrap_or(rest));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::without;

    fn check(text: &str, expected: &str) {
        assert_eq!(without(text).join("\n"), expected);
    }

    #[test]
    fn times_before_a_status_are_none_of_it() {
        let status = "  pool: tank\n state: ONLINE\nconfig:\n";
        let stamped = |stamp: &str| {
            status.lines().map(|line| format!("{stamp} {line}\n")).collect::<String>()
        };
        check(&stamped("Apr 10 14:39:47"), status.trim_end_matches('\n'));
        check(&stamped("2026-04-10T14:39:47.1+02:00"), status.trim_end_matches('\n'));
        check(&stamped("  14:39:47.12"), status.trim_end_matches('\n'));
        let log = "Apr 10 14:39:47 nas kernel: sda: gone\nApr 10 14:39:48 nas kernel: sdb: gone";
        check(log, log);
    }

    #[test]
    fn marks_that_most_lines_carry_are_taken_off() {
        check("> a\n> > b\n>c", "a\nb\nc");
        check("  1. a\n  2. b\n  3.\n  4.   d\n  5. e", "a\nb\n\n  d\ne");
        check("7: a\n8: b\n9: c\n10: d\n11: e", "a\nb\nc\nd\ne");
        check("- pool: a\n-  state: b\n- c\nand so", "pool: a\n state: b\nc\nand so");
        check("Sign up\n1. a\n2. b\n3. c\n4. d\n5. e\nbye", "Sign up\na\nb\nc\nd\ne\nbye");
        check("Sign up\nnow\nor\n- a\n-  b\n- c\nlater", "Sign up\nnow\nor\na\n b\nc\nlater");
        check("gist\npool: a | |\nstate: b | |\n | |\nraw", "gist\npool: a\nstate: b\n\nraw");
        check("free -m\n# a\n# b\n# c\n", "free -m\na\nb\nc");
        check("a\nb\nc\n> dedup: DDT entries 12\nd", "a\nb\nc\ndedup: DDT entries 12\nd");
    }

    #[test]
    fn a_mark_alone_stays() {
        for text in [
            "# zpool status\n  pool: tank\n",
            "> arcstat 1\na\nb\nc",
            "1. Name: gptid/1\n   Mediasize: 3\n2. Name: gptid/2\n   Mediasize: 5",
            "a | |\nb | |\n| c | |\n",
            "1. one\n3. three\n4. four\n9. nine\n10. ten",
            "> arcstat -f time,read 10 20\na\nb\nc",
            "# options zfs zfs_arc_max=1\n# options zfs zfs_arc_min=1\n# two",
        ] {
            check(text, text.trim_end());
        }
    }
}
