//! A scrub or resilver that hardly gets on.
//!
//! `zpool status` tells what was done and the mean rate since it began or went on: “6.00G scanned out of 245G at
//! 34.6K/s, (scan is slow, no estimated time)”, from 0.8 on what was scanned and what was issued. Its requests
//! come last of all, so that a busy pool starves them; a disk that hardly answers does the same. At the
//! beginning a rate says nothing, so that an hour of it is asked for. A rate that is less than what one disk reads in
//! a row is slow where days are left of it.

use arcwright_machine::Pool;
use arcwright_units::Bytes;

use crate::changes;
use crate::config::number;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state::{self, Scan};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether a scrub or resilver gets on", judge };

/// Bytes per second below which a pool of any size is hardly read: a hundred small random reads.
const RATE_MAX: u64 = 1 << 20;
/// Bytes per second below which a pool reads less than one disk in a row, and how much longer that must take.
const SLOW_MAX: u64 = 32 << 20;
const LEFT_S_MIN: u64 = 3 * DAY_S;
const DAY_S: u64 = 24 * 3600;
/// A mean over less time says nothing.
const SECONDS_MIN: u64 = 3600;

fn judge(view: &View<'_>) -> Judged {
    let findings = view.machine.pools.iter().filter_map(of_pool).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(pool: &Pool) -> Option<Finding> {
    let what = match pool_state::scan(pool) {
        Scan::Idle => return None,
        Scan::Resilver => "resilver",
        Scan::Scrub => "scrub",
    };
    let text = pool_state::one_line(pool.scan.as_deref()?);
    // What was scanned ahead and what was read both count as getting on.
    let fastest = progress(&text).max_by_key(|progress| progress.rate)?;
    let Progress { done, rate, .. } = fastest;
    (done / rate.max(1) >= SECONDS_MIN).then_some(())?;
    // What is read counts for what is left, not what was scanned ahead.
    let left = progress(&text).last().and_then(|last| last.left_s(&text));
    let how = match left {
        _ if rate < RATE_MAX => "hardly gets on",
        Some(left) if rate < SLOW_MAX && left >= LEFT_S_MIN => "is slow",
        _ => return None,
    };
    let left = left.filter(|left| *left >= DAY_S).map(|left| left / DAY_S);
    let left = match left {
        Some(1) => ", a day is left at that rate".to_owned(),
        Some(days) if days < 10_000 => format!(", {days} days are left at that rate"),
        _ => String::new(),
    };
    let title = format!(
        "The {what} of {} {how}: {} per second in the mean, {} so far{left}",
        pool.name,
        Bytes(rate),
        Bytes(done)
    );
    let mut finding = Finding::new("scan-slow", Severity::WorthALook, Area::Disks, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![Evidence::now(format!("{}: scan", pool.name), text.clone())];
    finding.cause = "Its requests come after all others: a pool that is busy all the time starves them. Or a device \
                     answers very slowly: a failing disk, shingled recording, a virtual disk whose host is busy. \
                     Until it ends, nothing behind the point where it stands is checked or rebuilt."
        .to_owned();
    let name = format::shell(&pool.name);
    let mut remedy = changes::by_hand(
        "see whether the pool is busy with other requests, or one device takes far longer than the others",
        &[
            format!("zpool iostat -vly {name} 10 3   # disk_wait of each device; scrub wait"),
            "iostat -x 10 2   # the same below ZFS".to_owned(),
            "dmesg | tail -n 50   # a device that repeats requests".to_owned(),
        ],
    );
    remedy.verify = vec![format!("zpool status {name}   # twice, some minutes apart")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["zpool-scrub(8)", "module/zfs/dsl_scan.c"]);
    Some(finding)
}

/// How far a scan has come, and how fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Progress {
    done: u64,
    rate: u64,
    /// Of how much, where the same words tell it.
    of: Option<u64>,
}

impl Progress {
    /// Returns the seconds that are left at its rate; some lines tell the total at their end, others beside it.
    fn left_s(self, text: &str) -> Option<u64> {
        let amount = |part: &str| number(part.trim().split_once(" total")?.0);
        let total = || text.split([',', ';']).find_map(amount);
        self.of.or_else(total)?.checked_sub(self.done)?.checked_div(self.rate)
    }
}

/// Returns each amount that a line tells with its rate: `6.00G scanned out of 245G at 34.6K/s`,
/// `16.5G scanned at 843M/s, 10.2G issued at 520M/s`, `4.23T / 20.2T scanned at 1.33G/s`.
fn progress(text: &str) -> impl Iterator<Item = Progress> + '_ {
    text.split([',', ';']).filter_map(|part| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let verb = words.iter().position(|word| matches!(*word, "scanned" | "issued"))?;
        let (amounts, behind) = words.split_at_checked(verb)?;
        let (done, of) = match (amounts, behind) {
            ([.., done, "/", of], _) => (number(done)?, number(of)),
            ([.., done], [_, "out", "of", of, ..]) => (number(done)?, number(of)),
            ([.., done], _) => (number(done)?, None),
            ([], _) => return None,
        };
        let rate = behind.iter().find_map(|word| number(word.strip_suffix("/s")?))?;
        Some(Progress { done, rate, of })
    })
}

#[cfg(test)]
mod tests {
    use super::{Progress, progress};

    fn check(text: &str, expected: &[(u64, u64)], left_s: Option<u64>) {
        let found: Vec<Progress> = progress(text).collect();
        let numbers: Vec<_> = found.iter().map(|found| (found.done, found.rate)).collect();
        assert_eq!(numbers, expected, "{text}");
        assert_eq!(found.last().and_then(|last| last.left_s(text)), left_s, "{text}");
    }

    #[test]
    fn each_form_tells_what_was_done_and_how_fast() {
        check(
            "scrub in progress since Sun, 6G scanned out of 246G at 32K/s, (scan is slow)",
            &[(6 << 30, 32 << 10)],
            Some(240 << 15),
        );
        check(
            "16G scanned at 843M/s, 10G issued at 512M/s, 16G total",
            &[(16 << 30, 843 << 20), (10 << 30, 512 << 20)],
            Some(12),
        );
        check(
            "16G scanned at 843M/s, 10G issued at 512M/s, 16G total 280G resilvered, 3.84% done",
            &[(16 << 30, 843 << 20), (10 << 30, 512 << 20)],
            Some(12),
        );
        check(
            "4T / 20T scanned at 1G/s, 4T / 20T issued at 512M/s",
            &[(4 << 40, 1 << 30), (4 << 40, 512 << 20)],
            Some(32 << 10),
        );
        check("0B scanned at 0B/s, 0B issued", &[(0, 0)], None);
        check("scanned at", &[], None);
    }
}
