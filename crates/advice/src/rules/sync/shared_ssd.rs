//! Log and cache, or either of them and the pool, on one device.

use std::collections::BTreeMap;

use arcwright_machine::Class;

use crate::changes;
use crate::drives::{leaves_of, same_drive};
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether one device has two roles", judge };

fn judge(view: &View<'_>) -> Judged {
    let mut jobs: BTreeMap<String, Vec<(String, Class, String)>> = BTreeMap::new();
    for pool in view.laid_out()? {
        for class in [Class::Data, Class::Log, Class::Cache, Class::Special] {
            for leaf in leaves_of(pool, class) {
                let drive = same_drive(view.machine, &leaf.name);
                jobs.entry(drive).or_default().push((pool.name.clone(), class, leaf.name.clone()));
            }
        }
    }
    let findings = jobs.iter().filter_map(|(drive, jobs)| of_drive(view, drive, jobs)).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_drive(view: &View<'_>, drive: &str, jobs: &[(String, Class, String)]) -> Option<Finding> {
    let does = |class: Class| jobs.iter().any(|(_, job, _)| *job == class);
    let log_and_cache = does(Class::Log) && does(Class::Cache);
    let beside_data =
        (does(Class::Log) || does(Class::Cache)) && (does(Class::Data) || does(Class::Special));
    if !log_and_cache && !beside_data {
        return None;
    }
    let named: Vec<String> =
        jobs.iter().map(|(pool, class, _)| format!("{} of {pool}", class.name())).collect();
    let title = format!("One device has two roles: {drive} is {}", named.join(" and "));
    let known = view.machine.drive_of(drive);
    let unprotected = known.and_then(|drive| drive.power_loss_protection) == Some(false);
    // With a protected cache the log's writes are answered from memory, whatever else the SSD does;
    // where nobody knows, nobody is alarmed.
    let severity =
        if does(Class::Log) && unprotected { Severity::WorthALook } else { Severity::Note };
    let mut finding = Finding::new("shared-device", severity, Area::Layout, title);
    let mut pools: Vec<String> = jobs.iter().map(|(pool, _, _)| pool.clone()).collect();
    pools.dedup();
    finding.subject = Some(format::list(&pools));
    finding.evidence = jobs
        .iter()
        .map(|(pool, class, leaf)| {
            Evidence::setting(format!("{pool}: {}", class.name()), leaf.clone())
        })
        .collect();
    finding.evidence.extend(
        known.and_then(|drive| drive.model.clone()).map(|model| Evidence::setting("model", model)),
    );
    finding.cause = if log_and_cache {
        "During L2ARC feeds the log's small writes queue behind large ones, so synchronous writes \
         wait longer; both roles share wear and failures."
            .to_owned()
    } else {
        "Log and cache help only if they are faster than the pool; on a disk of the pool they \
         compete with its I/O."
            .to_owned()
    };
    let keep = if does(Class::Log) {
        "keep the log there and remove the cache, or give each its own SSD"
    } else {
        "remove the cache, or give it its own SSD"
    };
    let caches = jobs.iter().filter(|(_, class, _)| *class == Class::Cache);
    let commands: Vec<String> = caches
        .map(|(pool, _, leaf)| {
            format!("zpool remove {} {}", format::shell(pool), format::shell(leaf))
        })
        .collect();
    let mut remedy = changes::by_hand(keep, &commands);
    remedy.undo = jobs
        .iter()
        .filter(|(_, class, _)| *class == Class::Cache)
        .map(|(pool, _, leaf)| {
            format!("zpool add {} cache {}", format::shell(pool), format::shell(leaf))
        })
        .collect();
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("interference between the two is not counted".to_owned());
    finding.cost = "The disks then serve the L2ARC's hits.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["openzfs-docs, Workload Tuning"]);
    Some(finding)
}
