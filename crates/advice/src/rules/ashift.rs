//! Sectors of 512 bytes assumed on disks that have 4096.

use arcwright_machine::DriveKind;

use crate::changes;
use crate::drives::{kind_of, leaves_of};
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::View;

pub(super) const RULE: Rule = Rule { about: "whether the sector size is right", judge };

/// log2 of 512, the sector of disks before about 2011.
const OLD: u64 = 9;

fn judge(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    for pool in view.pools()? {
        if pool.number("ashift") != Some(OLD) {
            continue;
        }
        let leaves = leaves_of(pool, arcwright_machine::Class::Data);
        // A virtual disk has no sectors of its own to be wrong about.
        if leaves.iter().any(|leaf| kind_of(view.machine, &leaf.name) == Some(DriveKind::Virtual)) {
            continue;
        }
        let title = format!(
            "{} assumes sectors of 512 bytes (ashift=9), which today's disks do not have",
            pool.name
        );
        let mut finding = Finding::new("ashift", Severity::WorthALook, Area::Layout, title);
        finding.subject = Some(pool.name.clone());
        finding.evidence = vec![Evidence {
            exact: Some(OLD),
            ..Evidence::setting(format!("{}: ashift", pool.name), "9")
        }];
        finding.cause = "Nearly all disks of the last ten years have sectors of 4096 bytes inside. A write \
                         of less makes the disk read, change and write back: small writes take a turn more."
            .to_owned();
        let mut remedy = changes::by_hand(
            "first see what the disks really have; if it is 4096, the pool must be made anew with ashift=12 \
             when that fits, there is no other way",
            &lines(["zpool create -o ashift=12 …   # on other disks, then zfs send | zfs receive"]),
        );
        remedy.verify = lines(["lsblk -o NAME,PHY-SEC,LOG-SEC   # FreeBSD: diskinfo -v DEVICE"]);
        finding.remedy = Some(remedy);
        finding.gain = Gain::NotEstimated("how the disks hide it differs by model".to_owned());
        finding.cost =
            "A new pool and a copy of everything; small blocks take more room.".to_owned();
        finding.risk =
            "Moving a pool. Disks with real sectors of 512 bytes are fine as they are.".to_owned();
        finding.confidence = Confidence::read("zpool get ashift; the disks were not asked");
        finding.sources = lines(["zpoolprops(7) ashift", "openzfs-docs, Hardware: sector size"]);
        findings.push(finding);
    }
    Ok(Verdict::found_or(findings, Verdict::Silent))
}
