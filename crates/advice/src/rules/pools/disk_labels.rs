//! What labels of disks tell of pools that are not there: a member that was detached, and two pools of one name.
//!
//! `zpool detach` writes a label without a transaction (`txg: 0`, `vdev_label_init` with `VDEV_LABEL_REMOVE`,
//! module/zfs/vdev_label.c): `zpool import` takes the device for no member any more. What it held lies there until something
//! is written over it, and no command of ZFS brings it back. A disk that was in a pool before keeps labels of that one at
//! its ends where a new partition does not cover them.

use arcwright_machine::DiskLabel;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "what labels on disks tell of pools", judge };

/// Labels of one text that findings are made of.
const FINDINGS_MAX: usize = 8;

fn judge(view: &View<'_>) -> Judged {
    let labels = &view.machine.labels;
    let detached = labels.iter().filter(|label| label.txg == Some(0)).map(detached);
    let mut findings: Vec<Finding> = detached.take(FINDINGS_MAX).collect();
    findings.extend(named_alike(labels));
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn new(label: &DiskLabel, (id, severity): (&'static str, Severity), title: String) -> Finding {
    let mut finding = Finding::new(id, severity, Area::Safety, title);
    finding.subject = Some(label.pool.clone());
    finding.evidence = vec![evidence(label)];
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.confidence = Confidence::read("zdb -l");
    finding
}

/// Returns what a label says, in one line.
pub(crate) fn evidence(label: &DiskLabel) -> Evidence {
    let txg = label.txg.map_or_else(String::new, |txg| format!(", transaction group {txg}"));
    let host = label.host.as_ref().map_or_else(String::new, |host| format!(", of host {host}"));
    let says = format!("{}, number {}{txg}{host}", label.pool, label.pool_guid);
    Evidence::now(format!("label on {}", place(label)), says)
}

fn place(label: &DiskLabel) -> String {
    label.place().map_or_else(|| "a disk".to_owned(), str::to_owned)
}

fn detached(label: &DiskLabel) -> Finding {
    let place = place(label);
    let title = format!("{place} was detached from {}: no import takes it any more", label.pool);
    let mut finding = new(label, ("label-detached", Severity::WorthALook), title);
    finding.cause = "Its label has no transaction (txg: 0), as detach writes it: by that it is no member. What it held lies \
                     there until something is written over it. (A pool that is being made has such a label for a moment.)"
        .to_owned();
    let shown = label.place().map_or_else(|| "DISK".to_owned(), format::shell);
    let mut remedy = changes::by_hand(
        "write nothing to it, and attach it to no pool, which writes over it; where its contents are wanted, copy the whole \
         disk first (ddrescue), and have the label written anew on the copy (the tool labelfix, not a part of ZFS)",
        &[format!("zdb -l {shown}   # changes nothing")],
    );
    remedy.verify = vec![format!("zdb -l {shown}")];
    finding.remedy = Some(remedy);
    finding.cost = "A disk for the copy.".to_owned();
    finding.risk =
        "zpool attach, replace, create and labelclear write over what is there.".to_owned();
    finding.sources = lines(["module/zfs/vdev_label.c, vdev_label_init", "zpool-detach(8)"]);
    finding
}

/// Returns a finding where two labels are of pools with one name and different numbers.
fn named_alike(labels: &[DiskLabel]) -> Option<Finding> {
    let (one, other) = labels.iter().enumerate().take(PAIRS_MAX).find_map(|(at, one)| {
        let is_twin =
            |other: &&DiskLabel| other.pool == one.pool && other.pool_guid != one.pool_guid;
        Some((one, labels.iter().skip(at + 1).take(PAIRS_MAX).find(is_twin)?))
    })?;
    let title = format!(
        "Two pools are called {}: their labels are on {} and {}; name them by their numbers",
        one.pool,
        place(one),
        place(other)
    );
    let mut finding = new(one, ("pools-of-one-name", Severity::WorthALook), title);
    finding.evidence.push(evidence(other));
    finding.cause = "A disk keeps labels of an earlier pool where nothing was written over them: there are two at its \
                     beginning and two at its end. Whose numbers, host and transaction group are of today tells which pool \
                     is the one in use."
        .to_owned();
    let import = |label: &DiskLabel| {
        format!("zpool import -N {}   # {}", format::shell(&label.pool_guid), place(label))
    };
    let mut remedy = changes::by_hand(
        "import by the number and not by the name; clear the labels of the earlier one only if nothing of today lies over \
         them: labelclear writes to both ends of the device that it is given, also where a partition, GELI or LUKS has its \
         own data",
        &[import(one), import(other)],
    );
    remedy.verify = lines(["zpool import   # one pool of each name"]);
    finding.remedy = Some(remedy);
    finding.cost = "None.".to_owned();
    finding.risk = "zpool labelclear cannot be undone.".to_owned();
    finding.sources = lines(["zpool-import(8)", "zpool-labelclear(8)"]);
    Some(finding)
}

/// Labels that are compared with each other.
const PAIRS_MAX: usize = 256;
