//! A special or dedup vdev with less redundancy than the data: losing it loses the pool.

use arcwright_machine::{Class, Layout, Pool, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether special vdevs are redundant", judge };

fn judge(view: &View<'_>) -> Judged {
    let findings = view.laid_out()?.filter_map(of_pool).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

/// Returns how many devices of a vdev may fail.
fn may_fail(vdev: &Vdev) -> u64 {
    match vdev.layout {
        Layout::Leaf => 0,
        Layout::Mirror | Layout::Replacing => (vdev.children.len() as u64).saturating_sub(1),
        Layout::Raidz { parity } | Layout::Draid { parity, .. } => parity.into(),
    }
}

fn of_pool(pool: &Pool) -> Option<Finding> {
    let data = pool.of_class(Class::Data).map(may_fail).min()?;
    let weak = pool
        .vdevs
        .iter()
        .filter(|vdev| matches!(vdev.class, Class::Special | Class::Dedup))
        .find(|vdev| may_fail(vdev) < data)?;
    let alone = may_fail(weak) == 0;
    let title = match alone {
        true => format!(
            "One failed SSD loses the whole pool {}: its special vdev has no redundancy",
            pool.name
        ),
        false => format!("The special vdev of {} is less redundant than its data", pool.name),
    };
    let severity = if alone { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("special-redundancy", severity, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![
        Evidence::setting(
            format!("{}: devices that may fail", weak.name),
            may_fail(weak).to_string(),
        ),
        Evidence::setting("data vdevs: devices that may fail", data.to_string()),
    ];
    finding.cause =
        "A special vdev holds the pool's metadata, not a copy of it. Without it the pool cannot be \
         read."
            .to_owned();
    let leaf = weak.leaves().first().map_or_else(String::new, |leaf| format::shell(&leaf.name));
    let name = format::shell(&pool.name);
    let (step, new) = match weak.layout {
        Layout::Mirror | Layout::Replacing => ("add an SSD to its mirror", "NEW-SSD"),
        _ => ("mirror it", "SECOND-SSD"),
    };
    let attach = format!("zpool attach {name} {leaf} {new}");
    let mut remedy = changes::by_hand(step, &[attach]);
    remedy.verify = vec![format!("zpool status {name}")];
    remedy.undo = vec![format!("zpool detach {name} {new}")];
    finding.remedy = Some(remedy);
    finding.cost = "An SSD.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["zpoolconcepts(7), Special Allocation Class"]);
    Some(finding)
}
