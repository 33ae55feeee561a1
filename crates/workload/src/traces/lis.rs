//! The format of the traces of the ARC paper (Megiddo and Modha, FAST 2003): `start count ignored
//! number` in each line, `count` pages of 512 bytes from `start` on.

use super::{Trace, TraceError, number, read_lines};

/// The most pages of one request: 512 MiB, and far more than any disk takes at once. A line stands for so
/// many accesses at most, and the trace for [`super::ACCESSES_MAX`].
const PAGES_MAX: u64 = 1 << 20;

/// Reads a trace in the format of the ARC paper; every line is `count` accesses, one per page.
///
/// # Errors
/// [`TraceError`] with the line that cannot be understood, or when the trace is empty or has more than
/// `accesses_max` accesses: a short line may say that there are very many.
pub fn parse_lis(text: &str, accesses_max: usize) -> Result<Trace, TraceError> {
    read_lines(text, accesses_max, |line, renamer| {
        let mut words = line.split_ascii_whitespace();
        let (Some(start), Some(count)) = (words.next(), words.next()) else {
            return Err("expected “start count ignored number”".to_owned());
        };
        let (start, count) = (number(start, "page")?, number(count, "number of pages")?);
        if count > PAGES_MAX {
            return Err(format!("{count} pages in one request; at most {PAGES_MAX} are supported"));
        }
        if start.checked_add(count).is_none() {
            return Err(format!("{count} pages from {start} on go beyond the last page"));
        }
        (start..start + count).try_for_each(|page| renamer.add(page))
    })
}

#[cfg(test)]
mod tests {
    use super::super::ACCESSES_MAX;
    use super::parse_lis;

    fn check(text: &str, accesses: &[u32], pages: u32) {
        let trace = parse_lis(text, ACCESSES_MAX).unwrap();
        assert_eq!((trace.accesses.as_slice(), trace.pages), (accesses, pages), "{text}");
    }

    #[test]
    fn lines_are_expanded_and_pages_renamed_in_order() {
        check("7 1 0 0\n7 2 0 1\n", &[0, 0, 1], 2);
        check("100 3 0 0\n\n101 1 0 0", &[0, 1, 2, 1], 3);
        check("18446744073709551614 1 0 0", &[0], 1);
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_line() {
        let problem = |text: &str| parse_lis(text, 100).unwrap_err();
        assert_eq!(problem("1 1 0 0\nx 1 0 0").line, 2);
        assert_eq!(problem("1").to_string(), "line 1: expected “start count ignored number”");
        assert_eq!(problem("").to_string(), "line 1: the trace has no access");
        assert_eq!(problem("18446744073709551615 2 0 0").line, 1);
        assert_eq!(problem("1 -4 0 0").line, 1);
        assert_eq!(problem("1 1048577 0 0").line, 1);
        assert_eq!(problem("1 18446744073709551614 0 0").line, 1);
        let long = problem("1 100 0 0\n0 1 0 0").to_string();
        assert_eq!(long, "line 2: the trace has more than 100 accesses");
    }

    #[test]
    fn a_line_is_worth_what_it_says_and_no_more_than_a_request() {
        let accesses = |lines: u64| {
            let text: String = (0..lines).map(|line| format!("{} 1000 0 0\n", line * 7)).collect();
            parse_lis(&text, ACCESSES_MAX).unwrap().accesses.len()
        };
        assert_eq!((accesses(50), accesses(100)), (50_000, 100_000));
    }
}
