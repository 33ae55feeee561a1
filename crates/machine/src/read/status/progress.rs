//! How far a scan is at a later time, by lines that were picked out of a later status.
//!
//! ```text
//!   scan: resilver in progress since Wed Nov 29 11:53:46 2023
//!         14.2T scanned out of 37.5T at 775M/s, 8h45m to go        the status that was read
//!         2.24T resilvered, 37.87% done
//! The next day:
//!         15.7T scanned out of 37.5T at 88.0M/s, 72h0m to go       the later state
//!         2.59T resilvered, 41.91% done
//! ```
//!
//! It names no pool, and is of the only one that is scanned; what is less far is not later.

use super::since::runs;
use crate::machine::Machine;
use crate::pool::Pool;

/// Takes it.
pub(super) fn add(machine: &mut Machine, words: &str) {
    let mut scanned = machine.pools.iter_mut().filter(|pool| is_of(pool, words));
    let (Some(pool), None) = (scanned.next(), scanned.next()) else { return };
    let Some(scan) = pool.scan.clone() else { return };
    let Some((head, before)) = parted(&scan) else { return };
    let is_later = done(before).zip(done(words)).is_some_and(|(before, now)| now > before);
    if is_later {
        let rate = rate(before).map_or_else(String::new, |rate| format!(" (before: at {rate})"));
        pool.scan = Some(format!("{head} {words}{rate}"));
    }
}

/// Returns whether words may be of what runs in a pool.
fn is_of(pool: &Pool, words: &str) -> bool {
    let Some(scan) = pool.scan.as_deref().filter(|_| runs(pool)) else { return false };
    let is_resilver = scan.contains("resilver in progress") || scan.contains(") in progress");
    let says = |what: &str| words.contains(what);
    (!says("resilvered") || is_resilver) && (!says("repaired") || !is_resilver)
}

/// Returns what runs since when, and how far it is: the date has five words.
fn parted(scan: &str) -> Option<(&str, &str)> {
    const WORDS: usize = 5;
    let (_, date) = scan.split_once(" since ")?;
    let year = date.split_whitespace().nth(WORDS.checked_sub(1)?)?;
    let (_, rest) = date.split_once(year)?;
    let head = scan.strip_suffix(rest)?;
    Some((head, rest.trim()))
}

/// Returns how much is done, in hundredths of a percent.
fn done(words: &str) -> Option<u64> {
    let (before, _) = words.split_once("% done")?;
    let digits: String = before.rsplit([' ', ',']).next()?.split('.').collect();
    digits.parse().ok()
}

/// Returns the rate at which it went: `775M/s`.
fn rate(words: &str) -> Option<&str> {
    words.split(" at ").skip(1).last()?.split([',', ' ']).next().filter(|rate| rate.ends_with("/s"))
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    const STATUS: &str = "  pool: tank\n state: ONLINE\n  scan: scrub in progress since Tue Mar  5 08:11:02 2024\n\t1.20T scanned out of 6.00T at 240M/s, 5h49m to go\n\t0B repaired, 20.00% done\nconfig:\n\n\tNAME  STATE READ WRITE CKSUM\n\ttank  ONLINE 0 0 0\n\t  sda  ONLINE 0 0 0\n\nerrors: No known data errors\n\n";

    #[test]
    fn a_later_line_tells_how_far_a_scan_is() {
        let head = "scrub in progress since Tue Mar 5 08:11:02 2024";
        for (below, expected) in [
            (
                "\t1.90T scanned out of 6.00T at 31.0M/s, 38h2m to go\n\t0B repaired, 31.67% done\n",
                "1.90T scanned out of 6.00T at 31.0M/s, 38h2m to go 0B repaired, 31.67% done (before: at 240M/s)",
            ),
            (
                "\t0.90T scanned out of 6.00T at 31.0M/s, 38h2m to go\n\t0B repaired, 15.00% done\n",
                "1.20T scanned out of 6.00T at 240M/s, 5h49m to go 0B repaired, 20.00% done",
            ),
            (
                "\t1.90T scanned out of 6.00T at 31.0M/s, 38h2m to go\n\t9.1G resilvered, 31.67% done\n",
                "1.20T scanned out of 6.00T at 240M/s, 5h49m to go 0B repaired, 20.00% done",
            ),
        ] {
            let text = format!("{STATUS}The next day:\n\n{below}\n");
            let machine = Machine::read(&Sources::recognize(&text));
            let scan = machine.pools[0].scan.as_deref().unwrap();
            let words: Vec<&str> = scan.split_whitespace().collect();
            assert_eq!(words.join(" "), format!("{head} {expected}"), "{below}");
        }
    }
}
