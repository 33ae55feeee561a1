//! What a later line of the text says happened to a pool since its state was read: a command that changes it, a scan
//! that has ended.
//!
//! ```text
//! scan: resilver in progress since Wed Nov 29 11:53:46 2023       the state that was read
//! $ zpool clear tank                                              it may be another one now
//! scan: resilvered 6.38T in 72h58m with 0 errors on Sat Dec  2 …  what ran then has ended
//! ```
//!
//! A line about a scan names no pool: it is of one that was scanned, where only one was. One that is older than what
//! ran is of a scan before it.

use crate::machine::Machine;
use crate::pool::Pool;
use crate::read::kernel_log::MONTHS;
use crate::read::status::{HANGS, PROGRESS, WRITTEN, progress};

/// Takes a command, or a line about a scan.
pub(super) fn add(machine: &mut Machine, words: &str) {
    let (words, is_written) = match words.strip_prefix(WRITTEN) {
        Some(words) => (words, true),
        None => (words, false),
    };
    if let Some(words) = words.strip_prefix(HANGS) {
        let named = |pool: &&mut Pool| words.split_whitespace().any(|word| word == pool.name);
        if let Some(pool) = machine.pools.iter_mut().find(named) {
            pool.errors_beside.hangs = Some(words.to_owned());
        }
        return;
    }
    if words.starts_with("zpool ") {
        let named =
            |pool: &&mut Pool| words.split_whitespace().skip(2).any(|word| word == pool.name);
        if let Some(pool) = machine.pools.iter_mut().find(named) {
            pool.errors_beside.replaced.extend(behind("replace", &pool.name, words).next());
            pool.errors_beside.removed.extend(behind("remove", &pool.name, words));
            if !is_written {
                of_command(pool, words);
            }
        }
        return;
    }
    if let Some(row) = words.strip_prefix("list: ") {
        of_list(machine, row);
        return;
    }
    if let [pool] = machine.pools.as_mut_slice()
        && words.contains(" in progress since ")
    {
        of_begun(pool, words);
        return;
    }
    if let Some(words) = words.strip_prefix(PROGRESS) {
        progress::add(machine, words);
        return;
    }
    let mut scanned = machine.pools.iter_mut().filter(|pool| runs(pool));
    if let (Some(pool), None) = (scanned.next(), scanned.next()) {
        of_scan(pool, Some(words));
    }
}

fn of_command(pool: &mut Pool, words: &str) {
    if words.starts_with("zpool remove ") {
        return;
    }
    if !words.starts_with("zpool scrub ") {
        pool.errors_beside.since = Some(words.to_owned());
    } else if pool.scan.as_ref().is_some_and(|scan| scan.contains("scrub in progress")) {
        pool.scan = Some("scrub canceled".to_owned());
    }
}

/// Returns what a command names behind the pool: `sda` of `zpool replace tank sda`.
fn behind(verb: &str, pool: &str, words: &str) -> impl Iterator<Item = String> {
    let mut words = words.split_whitespace();
    let is_of = words.any(|word| word == verb) && words.any(|word| word == pool);
    words.filter(move |_| is_of).map(str::to_owned)
}

/// Takes what a later text says of the scan of a pool, where another one ran before.
pub(super) fn of_scan(pool: &mut Pool, words: Option<&str>) {
    let Some(words) = words.filter(|words| ended(words) && runs(pool)) else { return };
    let began = pool
        .scan
        .as_deref()
        .and_then(|scan| scan.split_once(" since "))
        .map(|(_, date)| moment(date));
    let ended = words.rsplit_once(" on ").map(|(_, date)| moment(date));
    let is_older = began.flatten().zip(ended.flatten()).is_some_and(|(began, ended)| ended < began);
    if is_older {
        return;
    }
    pool.scan = Some(words.to_owned());
    if words.starts_with("resilvered") {
        pool.errors_beside.since = Some("the end of its resilver".to_owned());
        (pool.status, pool.action) = (None, None);
    }
}

/// Takes the state that a later list gives a pool, where it is another one than its status had.
fn of_list(machine: &mut Machine, row: &str) {
    let Some((name, state)) = row.split_once(' ') else { return };
    let known = machine.pools.iter_mut().find(|pool| pool.name == name);
    let Some(pool) = known.filter(|pool| pool.state.as_deref().is_some_and(|old| old != state))
    else {
        return;
    };
    pool.errors_beside.since = Some(format!("a later zpool list, where it is {state}"));
}

/// Takes a scan that began after the last one which is known of the pool.
fn of_begun(pool: &mut Pool, words: &str) {
    let before = pool.scan.as_deref().and_then(of_scan_line);
    if before.zip(of_scan_line(words)).is_none_or(|(before, begun)| begun <= before) {
        return;
    }
    pool.scan = Some(words.to_owned());
    if words.starts_with("resilver") {
        pool.errors_beside.since = Some("a resilver that began".to_owned());
        (pool.status, pool.action) = (None, None);
    }
}

/// Returns whether a scan runs by what was read of a pool.
pub(super) fn runs(pool: &Pool) -> bool {
    let says = |words: &Option<String>, what: &str| {
        words.as_ref().is_some_and(|words| words.contains(what))
    };
    says(&pool.scan, "in progress") || says(&pool.status, "being resilvered")
}

/// Returns whether words are of a scan that has ended.
fn ended(words: &str) -> bool {
    words.contains(" errors on ") || words.contains("canceled on ")
}

/// Year, month, day and time of day, which compare.
pub(super) type ScanDate = (u32, usize, u32, String);

/// Returns the date in a line about a scan: when it began, or ended.
pub(super) fn of_scan_line(scan: &str) -> Option<ScanDate> {
    let date = scan.split_once(" since ").or_else(|| scan.rsplit_once(" on "));
    moment(date?.1)
}

/// Reads `Sat Dec  2 12:52:16 2023`.
fn moment(date: &str) -> Option<ScanDate> {
    let words: Vec<&str> = date.split_whitespace().take(5).collect();
    let [_, month, day, time, year] = words.as_slice() else { return None };
    let month = MONTHS.iter().position(|known| known == month)?;
    let year = year.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    Some((year, month, day.parse().ok()?, (*time).to_owned()))
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    const STATUS: &str = "root@nas:~# zpool status\n  pool: tank\n state: DEGRADED\nstatus: One or more devices is currently being resilvered.\naction: Wait for the resilver to complete.\n  scan: resilver in progress since Tue Mar  5 08:11:02 2024\n\t1.20T scanned out of 6.00T at 240M/s, 5h49m to go\nconfig:\n\n\tNAME  STATE READ WRITE CKSUM\n\ttank  DEGRADED 0 0 0\n\t  mirror-0  DEGRADED 0 0 0\n\t    sda  ONLINE 0 0 0\n\t    replacing-1  DEGRADED 0 0 0\n\t      old  OFFLINE 0 0 0\n\t      sdb  ONLINE 0 0 0\n\nerrors: No known data errors\n\n";

    /// Checks what is known to have happened since the state of `tank` was read.
    fn check(below: &str, expected: Option<&str>) {
        let machine = Machine::read(&Sources::recognize(&format!("{STATUS}{below}")));
        assert_eq!(machine.pools[0].errors_beside.since.as_deref(), expected, "{below}");
    }

    #[test]
    fn a_later_line_tells_that_a_resilver_has_begun() {
        let ended = STATUS.replace(
            "resilver in progress since Tue Mar  5 08:11:02 2024\n\t1.20T scanned out of 6.00T at 240M/s, 5h49m to go",
            "resilvered 8.56T in 4 days 16:34:51 with 0 errors on Wed Mar  6 06:45:23 2024",
        );
        let check = |line: &str, expected: Option<&str>| {
            let text = format!("{ended}And in the morning:\n\n{line}");
            let machine = Machine::read(&Sources::recognize(&text));
            assert_eq!(machine.pools[0].errors_beside.since.as_deref(), expected, "{text}");
        };
        let begun = "action: Wait for the resilver to complete.\n  scan: resilver in progress since Thu Mar  7 08:22:23 2024\n";
        check(begun, Some("a resilver that began"));
        check("  scan: resilver in progress since Tue Mar  5 08:22:23 2024\n", None);
    }

    #[test]
    fn the_last_scan_tells_which_text_is_the_latest() {
        let text = |state: &str, day: u32| {
            format!(
                "  pool: tank\n state: {state}\n  scan: scrub repaired 0B in 00:01:29 with 0 errors on Fri Aug {day} \
                 15:35:22 2024\nconfig:\n\n\tNAME  STATE READ WRITE CKSUM\n\ttank  {state} 0 0 0\n\t  sda  ONLINE 0 0 \
                 0\n\nerrors: No known data errors\n\n"
            )
        };
        let check = |texts: &[(&str, u32)], expected: &str| {
            let all: String = texts.iter().map(|(state, day)| text(state, *day)).collect();
            let machine = Machine::read(&Sources::recognize(&all));
            assert_eq!(machine.pools[0].state.as_deref(), Some(expected), "{all}");
        };
        check(&[("DEGRADED", 16), ("ONLINE", 23)], "ONLINE");
        check(&[("DEGRADED", 23), ("ONLINE", 16)], "DEGRADED");
        check(&[("ONLINE", 16), ("DEGRADED", 16)], "DEGRADED");
    }

    #[test]
    fn a_later_line_tells_that_a_scan_has_ended() {
        let ended = "resilvered 2.10T in 09:14:55 with 0 errors on Tue Mar  5 17:25:57 2024";
        check(
            &format!("The evening of that day:\n\n  scan: {ended}\n"),
            Some("the end of its resilver"),
        );
        let older = "resilvered 2.10T in 09:14:55 with 0 errors on Mon Mar  4 17:25:57 2024";
        check(&format!("Before that:\n\n  scan: {older}\n"), None);
        check("", None);
    }

    #[test]
    fn a_later_list_tells_another_state() {
        let list = |state: &str| {
            format!(
                "root@nas:~# zpool list\nNAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n\
                 tank  2.72T  2.51T   212G        -         -     9%    92%  1.00x  {state}  -\n"
            )
        };
        check(&list("ONLINE"), Some("a later zpool list, where it is ONLINE"));
        check(&list("DEGRADED"), None);
    }

    #[test]
    fn a_later_command_removes_a_device() {
        let check = |text: &str, expected: &[&str]| {
            let machine = Machine::read(&Sources::recognize(text));
            assert_eq!(machine.pools[0].errors_beside.removed, expected, "{text}");
        };
        check(&format!("{STATUS}root@nas:~# zpool remove tank old sdb\n"), &["old", "sdb"]);
        check(&format!("{STATUS}```\nzpool remove tank old\n```\n"), &["old"]);
        check(&format!("{STATUS}root@nas:~# zpool remove pond old\n"), &[]);
        check(&format!("{STATUS}root@nas:~# zpool remove tank old\n\n{STATUS}"), &[]);
        check(&format!("root@nas:~# zpool remove tank old\n\n{STATUS}"), &[]);
    }

    #[test]
    fn a_later_command_changes_what_was_read() {
        check("root@nas:~# zpool clear tank\n", Some("zpool clear tank"));
        check("root@nas:~# zpool scrub -s tank\n", None);
        check("root@nas:~# zpool clear pond\n", None);
        check("root@nas:~# zpool scrub tank\n", None);
        check("root@nas:~# zpool remove tank sda\n", None);
        check("You may run zpool clear tank then.\n", None);
    }
}
