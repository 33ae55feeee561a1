//! Several findings about one device, or one full pool: the first of them says what to do, the others point to it.
//!
//! ```text
//!   pool-degraded   tank is DEGRADED …            replace sdc
//!   errors-before   sdc made errors again …       -> see “tank is DEGRADED …”: it is about the same device
//!   kernel-log      sdc was taken for failing …   -> the same
//!   slop-space      tank is full …                delete snapshots
//!   pool-full       tank is 97 % full …           -> see “tank is full …”: it is about the same space
//! ```
//!
//! Each rule sees one source, the counts of a pool, a log, an earlier text, and its advice is right for that source alone:
//! “check the cable before the disk is replaced” beside “replace the disk” is one too many.

use std::collections::BTreeSet;

use arcwright_machine::{Machine, Vdev, is_same_vdev};

use crate::drives::same_drive;
use crate::finding::{Finding, Remedy, Severity};

/// Findings whose remedy repairs a device.
const REPAIRS: [&str; 3] = ["pool-degraded", "device-errors", "errors-before"];
/// Findings that another one about the same device makes up for.
const LESSER: [&str; 3] = ["device-errors", "errors-before", "kernel-log"];

/// Lets later findings about a device point to the first one, in the order of their weight.
pub(crate) fn point_to_first(machine: &Machine, findings: &mut [Finding]) {
    let mut first: Vec<(String, BTreeSet<String>)> = Vec::new();
    for finding in findings {
        let own = devices(machine, finding);
        let earlier = first
            .iter()
            .find(|(_, devices)| !own.is_empty() && own.is_subset(devices))
            .map(|(title, _)| title.clone());
        let has_commands = |remedy: &&Remedy| !remedy.lasting.is_empty();
        let repairs = REPAIRS.contains(&finding.id) && !own.is_empty();
        match (earlier, &finding.remedy) {
            (Some(title), Some(remedy)) if LESSER.contains(&finding.id) && acts(remedy) => {
                let verify = remedy.verify.clone();
                point(finding, &title, "device");
                finding.remedy.iter_mut().for_each(|remedy| remedy.verify.clone_from(&verify));
            }
            (None, Some(_))
                if repairs && finding.remedy.as_ref().filter(has_commands).is_some() =>
            {
                first.push((finding.title.clone(), own));
            }
            _ => {}
        }
    }
}

/// Lets what is said of a pool's space point to the finding that writes fail there.
pub(crate) fn point_to_full(findings: &mut [Finding]) {
    let full: Vec<(Option<String>, String)> = findings
        .iter()
        .filter(|finding| finding.id == "slop-space")
        .map(|finding| (finding.subject.clone(), finding.title.clone()))
        .collect();
    for finding in findings.iter_mut().filter(|finding| finding.id == "pool-full") {
        let of_same = full.iter().find(|(subject, _)| *subject == finding.subject);
        if let Some((_, title)) = of_same {
            point(finding, title, "space");
        }
    }
}

/// Makes a finding one that points to another, which is as urgent as the matter is.
fn point(finding: &mut Finding, title: &str, what: &str) {
    finding.severity = finding.severity.max(Severity::WorthALook);
    finding.remedy = Some(Remedy {
        what: format!("see “{title}”: it is about the same {what}"),
        ..Remedy::default()
    });
}

/// Returns whether a remedy does more than to look: it clears, scrubs or replaces, or says what comes before that.
fn acts(remedy: &Remedy) -> bool {
    let has = |text: &String| {
        ["zpool clear", "zpool scrub", "replace", "clear no more"]
            .iter()
            .any(|act| text.contains(act))
    };
    has(&remedy.what) || remedy.lasting.iter().any(has)
}

/// Returns the drives of the devices that a finding names in its title, its subject or a command.
fn devices(machine: &Machine, finding: &Finding) -> BTreeSet<String> {
    let commands = finding.remedy.iter().flat_map(|remedy| &remedy.lasting);
    let texts = std::iter::once(&finding.title).chain(&finding.subject).chain(commands);
    let words: BTreeSet<&str> = texts
        .flat_map(|text| text.split_whitespace())
        .map(|word| word.trim_matches([',', ':', ';', '(', ')', '\'']))
        .collect();
    let leaves = machine.pools.iter().flat_map(|pool| pool.vdevs.iter().chain(&pool.strays));
    let names = leaves.flat_map(Vdev::leaves).map(|leaf| leaf.name.as_str());
    let is_named = |name: &&str| {
        let drive = machine.drive_of(name).map(|drive| drive.name.as_str());
        words.iter().any(|word| is_same_vdev(word, name) || Some(*word) == drive)
    };
    names.filter(is_named).map(|name| same_drive(machine, name)).collect()
}

#[cfg(test)]
mod tests {
    use arcwright_machine::{Machine, Sources};

    use super::point_to_first;
    use crate::finding::{Area, Finding, Remedy, Severity};

    const STATUS: &str = "  pool: tank\n state: DEGRADED\nconfig:\n\n\tNAME  STATE READ WRITE CKSUM\n\ttank  DEGRADED 0 0 0\n\t  mirror-0  DEGRADED 0 0 0\n\t    sda  ONLINE 0 0 0\n\t    sdb  FAULTED 4 0 9\n\nerrors: No known data errors\n";

    /// Checks which of the findings keep their commands.
    fn check(findings: &[(&'static str, &str, &str)], expected: &[bool]) {
        let machine = Machine::read(&Sources::recognize(STATUS));
        let made = |(id, title, command): &(&'static str, &str, &str)| {
            let mut finding =
                Finding::new(id, Severity::WorthALook, Area::Safety, (*title).to_owned());
            let lasting = vec![(*command).to_owned()];
            finding.remedy = Some(Remedy { lasting, ..Remedy::default() });
            finding
        };
        let mut all: Vec<Finding> = findings.iter().map(made).collect();
        point_to_first(&machine, &mut all);
        let has: Vec<bool> =
            all.iter().map(|one| !one.remedy.as_ref().unwrap().lasting.is_empty()).collect();
        assert_eq!(has, expected, "{findings:?}");
    }

    #[test]
    fn the_first_finding_about_a_device_says_what_to_do() {
        let degraded = ("pool-degraded", "tank is DEGRADED", "zpool replace tank sdb NEW-DISK");
        let log = ("kernel-log", "The kernel log: sdb failed", "zpool clear tank   # sdb");
        let look = ("kernel-log", "The kernel log: sdb failed", "smartctl -a /dev/sdb");
        check(&[degraded, look], &[true, true]);
        let errors = ("device-errors", "A device of tank makes errors: sdb", "zpool clear tank");
        check(&[degraded, log, errors], &[true, false, false]);
        check(&[log, degraded], &[true, true]);
        let other = ("kernel-log", "The kernel log: sda failed", "smartctl -a /dev/sda");
        check(&[degraded, other], &[true, true]);
        let both = ("device-errors", "Devices of tank make errors: sda, sdb", "zpool clear tank");
        check(&[degraded, both], &[true, true]);
    }
}
