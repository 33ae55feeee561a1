//! A scrub or resilver that hardly gets on.
//!
//! `zpool status` tells what was done and the mean rate since it began or went on: “6.00G scanned out of 245G at
//! 34.6K/s, (scan is slow, no estimated time)”, from 0.8 on what was scanned and what was issued. Its requests
//! come last of all, so that a busy pool starves them; a disk that hardly answers does the same. At the
//! beginning a rate says nothing, so that an hour of it is asked for.

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
    let (done, rate) = progress(&text).max_by_key(|(_, rate)| *rate)?;
    let is_slow = rate < RATE_MAX && done / rate.max(1) >= SECONDS_MIN;
    is_slow.then_some(())?;
    let title = format!(
        "The {what} of {} hardly gets on: {} per second in the mean, {} so far",
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

/// Returns each amount that a line tells with its rate: `6.00G scanned out of 245G at 34.6K/s`,
/// `16.5G scanned at 843M/s, 10.2G issued at 520M/s`, `4.23T / 20.2T scanned at 1.33G/s`.
fn progress(text: &str) -> impl Iterator<Item = (u64, u64)> + '_ {
    text.split([',', ';']).filter_map(|part| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let verb = words.iter().position(|word| matches!(*word, "scanned" | "issued"))?;
        let amounts = words.get(..verb)?;
        let done = match amounts {
            [.., done, "/", _] | [.., done] => number(done)?,
            [] => return None,
        };
        let rate = words.iter().skip(verb).find_map(|word| number(word.strip_suffix("/s")?))?;
        Some((done, rate))
    })
}

#[cfg(test)]
mod tests {
    use super::progress;

    fn check(text: &str, expected: &[(u64, u64)]) {
        assert_eq!(progress(text).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn each_form_tells_what_was_done_and_how_fast() {
        check(
            "scrub in progress since Sun, 6G scanned out of 245G at 34K/s, (scan is slow)",
            &[(6 << 30, 34 << 10)],
        );
        check(
            "16G scanned at 843M/s, 10G issued at 520M/s, 16G total",
            &[(16 << 30, 843 << 20), (10 << 30, 520 << 20)],
        );
        check(
            "4T / 20T scanned at 1G/s, 1T / 20T issued at 612M/s",
            &[(4 << 40, 1 << 30), (1 << 40, 612 << 20)],
        );
        check("0B scanned at 0B/s, 0B issued", &[(0, 0)]);
        check("scanned at", &[]);
    }
}
