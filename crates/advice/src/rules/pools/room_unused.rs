//! Disks that are larger than what the pool uses of them, as after all of a vdev were replaced by larger ones.
//!
//! A vdev grows to its smallest disk on request (`zpool online -e`), or by itself with
//! `autoexpand=on`; until then the difference stands as EXPANDSZ (zpool-list(8)).

use arcwright_machine::Pool;
use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether pools use all of their disks", judge };

/// Less than this is what partitions leave at their ends.
const LEAST: Bytes = Bytes::gib(1);

fn judge(view: &View<'_>) -> Judged {
    let findings = view.pools()?.iter().filter_map(of_pool).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(pool: &Pool) -> Option<Finding> {
    let more = pool.number("expandsize").map(Bytes).filter(|more| *more >= LEAST)?;
    let title = format!("{} could be {more} larger: its disks are", pool.name);
    let mut finding = Finding::new("room-unused", Severity::Note, Area::Layout, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![Evidence {
        exact: Some(more.0),
        ..Evidence::now(format!("{}: expandsize", pool.name), more.to_string())
    }];
    let autoexpand = pool.properties.get("autoexpand");
    finding
        .evidence
        .extend(autoexpand.map(|value| Evidence::now(format!("{}: autoexpand", pool.name), value)));
    finding.cause =
        "All disks of a vdev are larger than the part it uses. It grows on command, or \
         automatically with autoexpand=on."
            .to_owned();
    let name = format::shell(&pool.name);
    let mut remedy = changes::by_hand(
        "expand the pool to the size of its disks",
        &[
            format!("zpool online -e {name} DISK   # each disk of the vdev"),
            format!("zpool set autoexpand=on {name}   # for the next time"),
        ],
    );
    remedy.verify = vec![format!("zpool list {name}   # EXPANDSZ is -")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::Counted(format!("{more} more before parity"));
    finding.cost = "The vdev does not shrink again.".to_owned();
    finding.risk = "A smaller disk cannot replace one of them later.".to_owned();
    finding.confidence = Confidence::read("zpool list");
    finding.sources =
        lines(["zpool-list(8) EXPANDSZ", "zpool-online(8) -e", "zpoolprops(7) autoexpand"]);
    Some(finding)
}
