//! Text that a mail or a terminal broke at some width: lines put together again, to be tried beside the text as it is.
//!
//! ```text
//!   rpool/data/subvol-304-disk-0   110G  89.7G   110G
//!   /rpool/data/subvol-304-disk-0                         one row of zfs list, broken at 72 columns
//! ```
//!
//! A line was broken where a note or a path stands at the beginning of the next, with which no row of a table begins, and would
//! not have fitted into the widest line of the text. Other words that stand so may be rows of their own: those stay where they are.

use super::clean::Line;
use super::looks::{Looks, Watched};

/// Widths at which mails and terminals break lines.
const WIDTH_MIN: usize = 60;
const WIDTH_MAX: usize = 80;
/// A line is put together of no more broken ones.
const PARTS_MAX: usize = 8;

/// Returns the lines put together where they may have been broken; none where nothing was, or text of such a width is not broken.
pub(super) fn joined(lines: &[Line], looks: &Looks) -> Option<Vec<Line>> {
    let width = lines.iter().map(|line| line.text.chars().count()).max()?;
    if !(WIDTH_MIN..=WIDTH_MAX).contains(&width) {
        return None;
    }
    let mut whole: Vec<(usize, String)> = Vec::with_capacity(lines.len());
    let (mut last, mut parts, mut is_any) = (0, 0, false);
    for line in lines {
        let text: &str = &line.text;
        let first = text.split_whitespace().next().map_or(0, |word| word.chars().count());
        let is_path = text.starts_with('/') && !text.contains([' ', ':', '=']);
        let may_be = text.starts_with('(') || is_path;
        let is_long = last > width / 2 || parts > 0;
        // Before a note stand two blanks.
        let is_rest = may_be && is_long && last + 2 + first > width && parts < PARTS_MAX;
        last = text.chars().count();
        match whole.last_mut().filter(|_| is_rest) {
            Some((_, before)) => {
                before.push(' ');
                before.push_str(text);
                (parts, is_any) = (parts + 1, true);
            }
            None => {
                whole.push((line.number, text.to_owned()));
                parts = 0;
            }
        }
    }
    let line = |(number, text): (usize, String)| Line { number, text: Watched::new(text, looks) };
    is_any.then(|| whole.into_iter().map(line).collect())
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    /// Breaks lines at 72 columns, between words, as mails do.
    fn broken(text: &str) -> String {
        let mut lines = String::new();
        for line in text.lines() {
            let mut rest = line;
            while rest.len() > 72 {
                let at = rest.get(..72).and_then(|start| start.rfind(' ')).unwrap();
                lines += rest.get(..at).unwrap().trim_end();
                lines.push('\n');
                rest = rest.get(at + 1..).unwrap();
            }
            lines += rest;
            lines.push('\n');
        }
        lines
    }

    #[test]
    fn what_a_mail_broke_says_the_same() {
        for text in [
            "NAME                              USED  AVAIL     REFER  MOUNTPOINT\n\
             rpool                            3.09T  3.34T      238K  /rpool\n\
             rpool/ROOT/pve-1                 3.07G  3.34T     3.07G  /\n\
             rpool/data                       3.08T  3.34T      347K  /rpool/data\n\
             rpool/data/subvol-304-disk-0      110G  89.7G      110G  /rpool/data/subvol-304-disk-0\n\
             rpool/data/subvol-309-disk-0     50.2G   790M     50.2G  /rpool/data/subvol-309-disk-0\n",
            "  pool: store\n state: ONLINE\n  scan: resilver in progress since Wed Dec 30 00:25:51 2020\nconfig:\n\n\
             \tNAME                        STATE     READ WRITE CKSUM\n\
             \tstore                       ONLINE       0     0     0\n\
             \t  mirror-0                  ONLINE       0     0     0\n\
             \t    ata-DISK_OF_A_LONG_NAME_AND_NUMBER  ONLINE       0     0     9  (resilvering)\n\
             \t    ata-DISK_OF_A_LONG_NAME_AND_OTHER_  ONLINE       0     0     0\n",
        ] {
            let told = broken(text);
            assert_ne!(told, text);
            let (whole, broken) = (
                Machine::read(&Sources::recognize(text)),
                Machine::read(&Sources::recognize(&told)),
            );
            assert_eq!(whole.datasets, broken.datasets, "{told}");
            assert_eq!(whole.pools, broken.pools, "{told}");
        }
    }
}
