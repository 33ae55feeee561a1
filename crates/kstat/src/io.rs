//! The kstat that counts I/O: one line of names and one line of numbers.
//!
//! ```text
//! 16 3 0x00 1 80 9162455912 128926454222
//! nread    nwritten reads    writes   wtime    wlentime wupdate  rtime    rlentime rupdate  wcnt     rcnt
//! 1884160  6450688  22       978      272187126 2850519036 2263669418655 424226814 2850519036 2263669871823 0        0
//! ```
//!
//! Pools have one called `io` from 0.6 to 2.0 (module/zfs/spa_stats.c); 2.1 dropped it.

use crate::error::{ParseKstatError, garbled, truncated};
use crate::value::KstatValue;

type Rows = Vec<(String, KstatValue)>;

pub(crate) fn rows<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Result<Rows, ParseKstatError> {
    let names = lines.next().filter(|line| !line.trim().is_empty());
    let names = names.ok_or_else(|| truncated(2, "the line of names"))?;
    let numbers = lines.next().filter(|line| !line.trim().is_empty());
    let numbers = numbers.ok_or_else(|| truncated(3, "the line of numbers"))?;
    let (names, words) = (names.split_whitespace(), numbers.split_whitespace());
    let (count, found) = (names.clone().count(), words.clone().count());
    if found < count {
        return Err(truncated(3, &format!("number {} of {count}", found + 1)));
    }
    let row =
        |(name, word): (&str, &str)| Some((name.to_owned(), KstatValue::U64(word.parse().ok()?)));
    let rows: Option<Rows> = names.zip(words).map(row).collect();
    rows.filter(|_| found == count)
        .ok_or_else(|| garbled(3, "as many numbers as there are names", numbers))
}

pub(crate) fn to_text(rows: &[(String, KstatValue)]) -> String {
    let name = rows.iter().map(|(name, _)| format!("{name:<8}"));
    let number = rows.iter().map(|(_, value)| format!("{:<8}", value.to_string()));
    let line = |words: Vec<String>| {
        words.join(" ").trim_end().to_owned()
            + "
"
    };
    line(name.collect()) + &line(number.collect())
}

#[cfg(test)]
mod tests {
    use crate::NamedKstat;

    const IO: &str = "\
16 3 0x00 1 80 9162455912 128926454222
nread    nwritten reads    writes   wtime    wlentime
1884160  6450688  22       978      272187126 2850519036
";

    #[test]
    fn the_pools_counts_of_old_versions_are_read() {
        let io = NamedKstat::parse("zfs/tank/io", IO).unwrap();
        assert_eq!(io.get("nwritten"), Some(6_450_688));
        assert_eq!(io.get("wlentime"), Some(2_850_519_036));
        assert_eq!(io.to_text(), IO);
    }

    #[test]
    fn a_cut_line_of_numbers_is_not_taken_for_whole() {
        let cut = IO.replace(" 2850519036", "");
        let error = NamedKstat::parse("zfs/tank/io", &cut).unwrap_err().to_string();
        assert!(error.starts_with("line 3: number 6 of 6 is missing"), "{error}");
        let odd = IO.replace(" 22 ", " x2 ");
        let error = NamedKstat::parse("zfs/tank/io", &odd).unwrap_err().to_string();
        assert!(error.starts_with("line 3: expected as many numbers"), "{error}");
    }
}
