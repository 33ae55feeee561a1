//! Disks in pasted tables of `iostat -x` and `gstat`.

use std::fmt::Write as _;

use arcwright_advice::{Advice, Estimate, Severity, advise};
use arcwright_machine::{Machine, Sources};

use crate::healthy::found;

const DISKS: [&str; 4] = ["sda", "sdb", "sdc", "sdd"];
/// What a healthy turning disk does: reads and writes per second, their waits in ms, busy %.
const SOUND: [f64; 5] = [40.0, 20.0, 9.0, 12.0, 45.0];

fn status(layout: &str) -> String {
    let mut text = "  pool: tank\n state: ONLINE\n  scan: none requested\nconfig:\n\n\
                    \tNAME        STATE     READ WRITE CKSUM\n\ttank        ONLINE       0     0     0\n"
        .to_owned();
    writeln!(text, "\t  {layout}  ONLINE       0     0     0").unwrap();
    for disk in DISKS {
        writeln!(text, "\t    {disk}     ONLINE       0     0     0").unwrap();
    }
    text + "\nerrors: No known data errors\n\n"
}

/// Returns reports of `iostat -x`, all alike but for disks that are named.
fn iostat(reports: usize, other: &[(&str, [f64; 5])]) -> String {
    let titles = "Device            r/s     rkB/s r_await     w/s     wkB/s w_await  aqu-sz  %util";
    let mut text = "Linux 6.1.0-28-amd64 (nas) \t11/15/26 \t_x86_64_\t(8 CPU)\n".to_owned();
    for _ in 0..reports {
        writeln!(text, "\n{titles}").unwrap();
        for disk in DISKS {
            let own = other.iter().find(|(name, _)| *name == disk);
            let [reads, writes, read, write, busy] = own.map_or_else(|| SOUND, |(_, own)| *own);
            let bytes = (reads * 16.0, writes * 16.0);
            writeln!(
                text,
                "{disk} {reads:.2} {:.2} {read:.2} {writes:.2} {:.2} {write:.2} 1.00 {busy:.2}",
                bytes.0, bytes.1
            )
            .unwrap();
        }
    }
    text
}

fn advice(text: &str) -> (Machine, Advice) {
    let machine = Machine::read(&Sources::recognize(text));
    let advice = advise(&machine, Estimate::CountersOnly);
    (machine, advice)
}

/// Returns the findings about disks at work, with how much they matter.
fn told(advice: &Advice) -> Vec<(&'static str, Severity, Option<String>)> {
    let ids = ["slow-disk", "disks-saturated", "seek-bound"];
    let told = advice.findings.iter().filter(|finding| ids.contains(&finding.id));
    told.map(|finding| (finding.id, finding.severity, finding.subject.clone())).collect()
}

fn check(text: &str, expected: &[(&'static str, Severity, Option<&str>)]) -> Advice {
    let (machine, advice) = advice(text);
    assert_eq!(machine.problems, [], "{text}");
    let expected: Vec<_> = expected
        .iter()
        .map(|(id, severity, name)| (*id, *severity, name.map(str::to_owned)))
        .collect();
    assert_eq!(told(&advice), expected, "{text}");
    let fine = advice.fine.iter().any(|fine| fine.what.contains("disk is slow"));
    assert!(!fine, "{text}: a table calls nothing fine");
    advice
}

const SLOW: [f64; 5] = [40.0, 20.0, 95.0, 12.0, 80.0];

#[test]
fn a_disk_that_waits_far_longer_than_its_peers_is_slow() {
    let tank = Some("tank");
    let slow = [("sdc", SLOW)];
    let text = status("raidz1-0") + &iostat(2, &slow);
    let advice = check(&text, &[("slow-disk", Severity::HurtsNow, tank)]);
    let finding = found(&advice, "slow-disk");
    assert_eq!(finding.title, "One disk is slow: sdc takes far longer than its peers");
    assert!(finding.evidence[0].value.starts_with("95.0 ms per read, 12.0 ms per write"));
    // Two mirrors are reported like one vdev; a wait of writes as well.
    let writes = [("sdc", [40.0, 20.0, 9.0, 95.0, 80.0])];
    check(&(status("raidz2-0") + &iostat(3, &writes)), &[("slow-disk", Severity::HurtsNow, tank)]);
    // No layout: it may be of no pool at all.
    check(&iostat(2, &slow), &[("slow-disk", Severity::WorthALook, Some("sdc"))]);
}

#[test]
fn since_the_start_it_proves_nothing_about_now_and_says_so() {
    for (text, subject) in [
        (status("raidz1-0") + &iostat(1, &[("sdc", SLOW)]), "tank"),
        (iostat(1, &[("sdc", SLOW)]), "sdc"),
    ] {
        let advice = check(&text, &[("slow-disk", Severity::WorthALook, Some(subject))]);
        let finding = found(&advice, "slow-disk");
        assert!(finding.cause.contains("proves nothing about now"), "{}", finding.cause);
        assert!(finding.confidence.words.contains("since the machine was started"));
    }
}

#[test]
fn what_is_no_clear_case_is_no_finding() {
    let raidz = status("raidz1-0");
    for values in [
        // Three times the median, and soon enough.
        [40.0, 20.0, 9.0, 12.0, 100.0],
        // Long, and not three times as long.
        [40.0, 20.0, 26.0, 30.0, 80.0],
        // Too few reads for a mean.
        [4.9, 20.0, 300.0, 12.0, 50.0],
    ] {
        for reports in [1, 2] {
            check(&(raidz.clone() + &iostat(reports, &[("sdc", values)])), &[]);
            check(&iostat(reports, &[("sdc", values)]), &[]);
        }
    }
    // Of no known pool: another load, or flash beside it.
    check(&iostat(2, &[("sdc", [400.0, 20.0, 95.0, 12.0, 80.0])]), &[]);
    let flash = [40.0, 20.0, 0.3, 0.2, 5.0];
    check(&iostat(2, &[("sda", flash), ("sdb", flash), ("sdd", flash), ("sdc", SLOW)]), &[]);
}

#[test]
fn a_disk_that_is_busy_far_longer_with_the_same_work_is_slow() {
    let busier = [("sdb", [40.0, 20.0, 19.0, 12.0, 97.0])];
    let calm = [40.0, 20.0, 9.0, 12.0, 30.0];
    let all: Vec<(&str, [f64; 5])> =
        ["sda", "sdc", "sdd"].map(|disk| (disk, calm)).into_iter().chain(busier).collect();
    let text = status("raidz1-0") + &iostat(2, &all);
    check(&text, &[("slow-disk", Severity::HurtsNow, Some("tank"))]);
    // A disk that is resilvered has other work.
    let resilver = "scan: resilver in progress since Sun Nov 15 10:00:00 2026\n\t1.00T scanned\n";
    check(&text.replace("scan: none requested\n", resilver), &[]);
    // Since the start, of no known pool, or with more work it says nothing.
    check(&(status("raidz1-0") + &iostat(1, &all)), &[]);
    check(&iostat(2, &all), &[]);
    let more: Vec<(&str, [f64; 5])> = all
        .iter()
        .map(|(disk, values)| {
            (*disk, if *disk == "sdb" { [90.0, 45.0, 19.0, 12.0, 97.0] } else { *values })
        })
        .collect();
    check(&(status("raidz1-0") + &iostat(2, &more)), &[]);
}

#[test]
fn disks_that_are_all_busy_all_the_time_are_saturated() {
    let full = DISKS.map(|disk| (disk, [70.0, 60.0, 31.0, 44.0, 97.5]));
    let text = status("raidz1-0") + &iostat(2, &full);
    let advice = check(&text, &[("disks-saturated", Severity::WorthALook, Some("tank"))]);
    let remedy = found(&advice, "disks-saturated").remedy.clone().unwrap();
    assert!(remedy.now.is_empty() && remedy.lasting.is_empty(), "nothing is set: {remedy:?}");
    check(&iostat(2, &full), &[("disks-saturated", Severity::WorthALook, None)]);
    // One that is not.
    let most: Vec<(&str, [f64; 5])> = full.into_iter().skip(1).collect();
    check(&(status("raidz1-0") + &iostat(2, &most)), &[]);
    // Flash that is never idle may do far more; of what it is nothing was read.
    let flash = DISKS.map(|disk| (disk, [700.0, 600.0, 1.1, 0.4, 97.5]));
    let advice = check(&(status("raidz1-0") + &iostat(2, &flash)), &[]);
    unjudged(&advice, "whether sda is flash was not read");
    let advice = check(&(status("raidz1-0") + &iostat(1, &full)), &[]);
    unjudged(&advice, "the first report of iostat counts since the machine was started");
}

fn unjudged(advice: &Advice, words: &str) {
    let told = advice.unjudged.iter().any(|unjudged| unjudged.why.contains(words));
    assert!(told, "{:#?}", advice.unjudged);
}

#[test]
fn gstat_without_its_time_is_not_judged() {
    let mut text = "dT: 1.001s  w: 1.000s\n L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   %busy Name\n".to_owned();
    for (disk, wait) in [("ada0", "8.0"), ("ada1", "9.0"), ("ada2", "250.5"), ("ada3", "8.5")] {
        writeln!(text, "    0     30     20    512    {wait}     10    256    9.0    60.0| {disk}")
            .unwrap();
    }
    check(&text, &[("slow-disk", Severity::WorthALook, Some("ada2"))]);
    let (_, untimed) = text.split_once('\n').unwrap();
    let advice = check(untimed, &[]);
    unjudged(&advice, "over which time gstat counted was not read");
}

/// Returns the numbers of the findings about disks at work.
fn numbers(advice: &Advice) -> Vec<String> {
    let ids = ["slow-disk", "disks-saturated"];
    let told = advice.findings.iter().filter(|finding| ids.contains(&finding.id));
    let texts = told.flat_map(|finding| {
        let rows = finding.evidence.iter().map(|row| row.value.clone());
        rows.chain([finding.title.clone(), finding.cause.clone()])
    });
    let split = |text: String| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.').map(str::to_owned);
        parts.filter(|part| part.chars().any(|c| c.is_ascii_digit())).collect()
    };
    texts.flat_map(split).collect()
}

#[test]
fn a_line_less_is_no_other_finding_and_no_other_number() {
    let full = DISKS.map(|disk| (disk, [70.0, 60.0, 31.0, 44.0, 97.5]));
    for others in [&[("sdc", SLOW)][..], &full] {
        for text in [status("raidz1-0") + &iostat(3, others), iostat(3, others)] {
            let (_, before) = advice(&text);
            let lines: Vec<&str> = text.lines().collect();
            for gone in 0..lines.len() {
                let mut less = lines.clone();
                let line = less.remove(gone);
                let (_, after) = advice(&less.join("\n"));
                for (id, severity, _) in told(&after) {
                    let old = told(&before).into_iter().find(|(old, _, _)| *old == id);
                    let old = old.unwrap_or_else(|| panic!("{id} appears without “{line}”"));
                    assert!(severity >= old.1, "{id} is worse without “{line}”");
                }
                let known = numbers(&before);
                let new = numbers(&after).into_iter().find(|number| !known.contains(number));
                assert_eq!(new, None, "without “{line}”");
                let fine = |advice: &Advice| advice.fine.len();
                assert!(fine(&after) <= fine(&before), "without “{line}”");
            }
        }
    }
}
