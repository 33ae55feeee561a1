//! The list of a pool's last transaction groups.
//!
//! ```text
//! txg      birth            state ndirty       nread        nwritten     reads    writes   otime …
//! 1042     3212000000000    C     4194304      0            5242880      0        96       5119999000 …
//! ```
//!
//! It is a raw kstat (module/zfs/spa_stats.c): a line of column names, then a line per group, at
//! most `zfs_txg_history` of them. 0.7 puts the line of numbers before it that named kstats have,
//! `FreeBSD` an empty line. Columns are found by name, so that new ones do no harm.

use arcwright_units::{Bytes, Nanos};

use crate::error::{ParseKstatError, garbled};

/// A transaction group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Txg {
    /// Its number.
    pub txg: u64,
    /// When it was opened, on the kernel's clock.
    pub birth: Nanos,
    /// `O` open, `Q` quiescing, `W` waiting, `S` syncing, `C` committed.
    pub state: char,
    /// Dirty bytes that it holds (0.7+).
    pub dirty: Option<Bytes>,
    /// Read while it was synced.
    pub read: Bytes,
    /// Written while it was synced.
    pub written: Bytes,
    /// Reads while it was synced.
    pub reads: u64,
    /// Writes while it was synced.
    pub writes: u64,
    /// How long it was open.
    pub open: Nanos,
    /// How long it was quiescing.
    pub quiescing: Nanos,
    /// How long it waited for its turn to be synced (0.7+).
    pub waiting: Option<Nanos>,
    /// How long it was synced.
    pub syncing: Nanos,
}

impl Txg {
    /// Reads the text of `txgs`, oldest first; an empty list is no error.
    ///
    /// # Errors
    /// [`ParseKstatError`] with the line that is not one of the list.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, ParseKstatError> {
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty()).peekable();
        lines.next_if(|(_, line)| is_kstat_line(line));
        let Some((number, header)) = lines.next() else { return Ok(Vec::new()) };
        let columns: Vec<&str> = header.split_whitespace().collect();
        // 0.6.2 put the state before the birth.
        let begins =
            ["birth", "state"].iter().all(|name| columns.iter().take(3).any(|c| c == name));
        if columns.first() != Some(&"txg") || !begins {
            return Err(garbled(number, "the columns “txg birth state …”", header));
        }
        let group = |(number, line): (usize, &str)| {
            Self::of_line(&columns, line)
                .ok_or_else(|| garbled(number, "a group: as many words as there are columns", line))
        };
        lines.map(group).collect()
    }

    fn of_line(columns: &[&str], line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let word = |name: &str| {
            let index = columns.iter().position(|column| *column == name)?;
            words.get(index).copied()
        };
        let number = |name: &str| word(name)?.parse::<u64>().ok();
        (words.len() == columns.len()).then_some(())?;
        Some(Self {
            txg: word("txg")?.parse().ok()?,
            birth: Nanos(word("birth")?.parse().ok()?),
            state: word("state")?.chars().next()?,
            dirty: number("ndirty").map(Bytes),
            read: Bytes(number("nread")?),
            written: Bytes(number("nwritten")?),
            reads: number("reads")?,
            writes: number("writes")?,
            open: Nanos(number("otime")?),
            quiescing: Nanos(number("qtime")?),
            waiting: number("wtime").map(Nanos),
            syncing: Nanos(number("stime")?),
        })
    }
}

/// Returns whether it is the line of numbers that 0.7 writes first.
fn is_kstat_line(line: &str) -> bool {
    line.split_whitespace().nth(2).is_some_and(|word| word.starts_with("0x"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Txg;

    const TXGS: &str = "\
txg      birth            state ndirty       nread        nwritten     reads    writes   otime        qtime        wtime        stime
1041     3206880001000    C     4194304      8192         5242880      2        96       5119999000   8765         41230        182000000
1042     3212000000000    O     0            0            0            0        0        0            0            0            0
";

    #[test]
    fn groups_have_their_times() {
        let groups = Txg::parse_list(TXGS).unwrap();
        assert_eq!(groups.len(), 2);
        assert_eq!((groups[0].txg, groups[0].state), (1041, 'C'));
        assert_eq!((groups[0].dirty.unwrap().0, groups[0].syncing.0), (4_194_304, 182_000_000));
        assert_eq!(groups[1].state, 'O');
        let old = format!("20 0 0x01 10 1120 1 2\n{TXGS}");
        assert_eq!(Txg::parse_list(&old).unwrap(), groups);
        assert_eq!(Txg::parse_list(&format!("\n{TXGS}")).unwrap(), groups);
    }

    #[test]
    fn columns_of_the_first_versions_stand_in_another_order() {
        let old = "txg state birth nread nwritten reads writes otime qtime stime\n\
                   7 C 4241593463350422 0 1127424 0 351 156093280 3990 148591575\n";
        let group = Txg::parse_list(old).unwrap()[0];
        assert_eq!((group.state, group.syncing.0, group.waiting), ('C', 148_591_575, None));
        assert_eq!(group.birth.0, 4_241_593_463_350_422);
    }

    #[test]
    fn a_cut_line_is_refused_with_its_place() {
        let cut = TXGS.replace(" 41230        182000000", "");
        let error = Txg::parse_list(&cut).unwrap_err().to_string();
        assert!(error.starts_with("line 2: expected a group"), "{error}");
        assert!(Txg::parse_list("hits 4 5\n").is_err());
        assert_eq!(Txg::parse_list(""), Ok(Vec::new()));
    }

    proptest! {
        #[test]
        fn any_text_is_a_list_or_refused(text in "(?s).{0,200}", at in 0usize..500) {
            let _ignored = Txg::parse_list(&text);
            let cut: String = TXGS.chars().take(at).collect();
            // A part of the list is a part of its groups; the last line may be cut in a number.
            if let Ok(groups) = Txg::parse_list(&cut) {
                prop_assert!(groups.len() <= 2);
            }
        }
    }
}
