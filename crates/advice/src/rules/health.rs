//! A pool that is not whole, or whose devices make errors.

use arcwright_machine::{Pool, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::View;

pub(super) const RULE: Rule = Rule { about: "whether pools are healthy", judge };

fn judge(view: &View<'_>) -> Judged {
    let pools = view.pools()?;
    let findings: Vec<Finding> =
        pools.iter().filter_map(|pool| broken(pool).or_else(|| errors(pool))).collect();
    let evidence = pools
        .iter()
        .filter_map(|pool| {
            Some(Evidence::now(format!("{}: state", pool.name), pool.state.clone()?))
        })
        .collect::<Vec<_>>();
    let fine = if evidence.is_empty() {
        Verdict::Silent
    } else {
        Verdict::fine("All pools are whole", evidence)
    };
    Ok(Verdict::found_or(findings, fine))
}

fn broken(pool: &Pool) -> Option<Finding> {
    let state = pool.state.as_deref().filter(|state| *state != "ONLINE")?;
    let title = format!("{} is {state}: repair it before anything else", pool.name);
    let mut finding = Finding::new("pool-degraded", Severity::HurtsNow, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![Evidence::now(format!("{}: state", pool.name), state)];
    finding
        .evidence
        .extend(pool.scan.clone().map(|scan| Evidence::now(format!("{}: scan", pool.name), scan)));
    let bad = leaves(pool).into_iter().filter(|leaf| {
        leaf.state.as_deref().is_some_and(|state| !["ONLINE", "AVAIL", "INUSE"].contains(&state))
    });
    finding.evidence.extend(
        bad.map(|leaf| Evidence::now(leaf.name.clone(), leaf.state.clone().unwrap_or_default())),
    );
    finding.cause = "A device is missing or failed. Reads that it would have answered are computed from \
                     the others, and the next failure may lose data. What is said here about speed holds \
                     for a pool that is whole."
        .to_owned();
    let commands = [
        format!("zpool status -v {}", pool.name),
        format!("zpool replace {} BAD-DISK NEW-DISK", pool.name),
    ];
    let mut remedy = changes::by_hand("find the bad device and replace it", &commands);
    remedy.verify = vec![format!("zpool status {}", pool.name)];
    finding.remedy = Some(remedy);
    finding.cost = "A disk.".to_owned();
    finding.risk = "Waiting.".to_owned();
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["zpool-status(8)", "zpool-replace(8)"]);
    Some(finding)
}

fn errors(pool: &Pool) -> Option<Finding> {
    let bad: Vec<(&Vdev, [u64; 3])> = leaves(pool)
        .into_iter()
        .filter_map(|leaf| {
            Some((leaf, leaf.errors.filter(|errors| errors.iter().any(|count| *count > 0))?))
        })
        .collect();
    let (first, _) = bad.first()?;
    let title = format!("A device of {} makes errors: {}", pool.name, first.name);
    let mut finding = Finding::new("device-errors", Severity::WorthALook, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = bad
        .iter()
        .map(|(leaf, [read, write, checksum])| {
            Evidence::now(
                leaf.name.clone(),
                format!("{read} read, {write} write, {checksum} checksum errors"),
            )
        })
        .collect();
    finding.cause =
        "Errors of reading or writing are the disk, its cable or its port; checksum errors \
                     alone are often a cable, a controller or memory. ZFS repaired what it could."
            .to_owned();
    let commands = [format!("smartctl -a {}", first.name), format!("zpool scrub {}", pool.name)];
    let mut remedy = changes::by_hand(
        "look at the disk and its cable, clear the counts, and see whether they come back",
        &commands,
    );
    remedy.lasting.push(format!("zpool clear {}", pool.name));
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("each error costs seconds of waiting".to_owned());
    finding.cost = "Perhaps a disk.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["zpool-status(8)"]);
    Some(finding)
}

fn leaves(pool: &Pool) -> Vec<&Vdev> {
    pool.vdevs.iter().flat_map(Vdev::leaves).collect()
}
