//! Sizes as they were read: a tool that rounds to a tenth said `3.2G`, and `3.20 GiB` would claim a digit more.

use crate::finding::{Evidence, Finding, Gain};
use crate::verdict::Fine;

/// Takes the digit that nobody read from all sizes.
pub(crate) fn shorten(findings: &mut [Finding], fine: &mut [Fine]) {
    for finding in findings {
        let Finding { title, cause, cost, risk, evidence, gain, .. } = finding;
        for text in [title, cause, cost, risk] {
            shortened(text);
        }
        if let Gain::Counted(words) | Gain::NotEstimated(words) = gain {
            shortened(words);
        }
        each(evidence);
    }
    for Fine { what, evidence } in fine {
        shortened(what);
        each(evidence);
    }
}

fn each(evidence: &mut [Evidence]) {
    evidence.iter_mut().for_each(|row| shortened(&mut row.value));
}

/// Makes `3.2 GiB` of `3.20 GiB` wherever it stands.
pub(crate) fn shortened(text: &mut String) {
    const UNITS: [&str; 8] = ["0 KiB", "0 MiB", "0 GiB", "0 TiB", "0 kB", "0 MB", "0 GB", "0 TB"];
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("0 ")).map(|at| from + at) {
        let Some((before, behind)) = text.split_at_checked(at) else { return };
        // A digit, a point and one more digit stand before the zero.
        let mut last = before.chars().rev();
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let is_cut = UNITS.iter().any(|unit| behind.starts_with(unit))
            && is_digit(last.next())
            && last.next() == Some('.')
            && is_digit(last.next());
        if is_cut {
            text.remove(at);
        }
        from = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_size_has_no_more_digits_than_were_read() {
        for (text, expected) in [
            ("it has 3.20 GiB, at most 16 GiB", "it has 3.2 GiB, at most 16 GiB"),
            ("1.50 TiB and 2.00 MiB", "1.5 TiB and 2.0 MiB"),
            ("10 GiB, 20.0 GiB, 100 GiB, 3.25 GiB", "10 GiB, 20.0 GiB, 100 GiB, 3.25 GiB"),
            ("0 KiB", "0 KiB"),
            ("é0 GiB", "é0 GiB"),
        ] {
            let mut text = text.to_owned();
            shortened(&mut text);
            assert_eq!(text, expected);
        }
    }
}
