//! Data without a copy: one failed disk loses the pool.

use arcwright_machine::{Class, DriveKind, Layout, Pool};

use crate::changes;
use crate::drives::kind_of;
use crate::finding::{Area, Confidence, Evidence, Finding, Severity, lines};
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::View;
use crate::words;

pub(super) const RULE: Rule = Rule { about: "whether pools are redundant", judge };

fn judge(view: &View<'_>) -> Judged {
    let findings = view.laid_out()?.filter_map(|pool| of_pool(view, pool)).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(view: &View<'_>, pool: &Pool) -> Option<Finding> {
    let alone: Vec<String> = pool
        .of_class(Class::Data)
        .filter(|vdev| vdev.layout == Layout::Leaf)
        // Below a virtual disk there may be copies that are not seen here.
        .filter(|vdev| kind_of(view.machine, &vdev.name) != Some(DriveKind::Virtual))
        .map(|vdev| vdev.name.clone())
        .collect();
    let first = alone.first()?;
    let count = pool.of_class(Class::Data).count();
    let title = match count {
        1 => format!("{} is one disk: damage is seen and cannot be repaired", pool.name),
        _ => format!("{} has data without a copy: one failed disk loses all of it", pool.name),
    };
    let mut finding = Finding::new("no-redundancy", Severity::Note, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence =
        vec![Evidence::setting(format!("{}: single disks", pool.name), words::list(&alone))];
    finding.cause = "A stripe over single disks is lost with any of them.".to_owned();
    let attach = format!("zpool attach {} {first} SECOND-DISK", pool.name);
    let mut remedy = changes::by_hand("mirror each of them, or be sure of your backup", &[attach]);
    remedy.undo = vec![format!("zpool detach {} SECOND-DISK", pool.name)];
    finding.remedy = Some(remedy);
    finding.cost = "Disks.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["zpoolconcepts(7)"]);
    Some(finding)
}
