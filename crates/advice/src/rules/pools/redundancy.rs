//! Data without a copy: one failed disk loses the pool.

use arcwright_machine::{Class, DriveKind, Layout, Pool};

use crate::changes;
use crate::drives::kind_of;
use crate::finding::{Area, Confidence, Evidence, Finding, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::rules::pool_state::{self, with_contents};
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether pools are redundant", judge };

/// What virtual drives call themselves, besides the names that tell their kind at once.
const VIRTUAL: [&str; 8] =
    ["QEMU", "VBOX", "VMware", "Virtual", "virtio", "VirtIO", "iSCSI", "LUN"];

fn judge(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    let mut unread = None;
    // Nothing can be attached to a pool that is not in use.
    for pool in view.laid_out()?.filter(|pool| pool_state::is_usable(pool)) {
        let single = pool.of_class(Class::Data).filter(|vdev| vdev.layout == Layout::Leaf);
        // Where drives were read and this one is not among them, it may be a virtual one.
        let unknown = single.filter(|_| !view.machine.drives.is_empty()).find(|vdev| {
            let kind = kind_of(view.machine, &vdev.name);
            kind.is_none() && !is_real(&vdev.name) && !is_of_maker(view, &vdev.name)
        });
        match unknown {
            Some(vdev) => {
                let what = format!("the kind of drive {} was not read", vdev.name);
                unread = Some(NotJudged::NotRead(what));
            }
            None => findings.extend(of_pool(view, pool)),
        }
    }
    Verdict::of_all(findings, unread, Verdict::Silent)
}

/// Returns whether a device is a drive whose model was read and is none of a virtual one.
fn is_of_maker(view: &View<'_>, name: &str) -> bool {
    let model = view.machine.drive_of(name).and_then(|drive| drive.model.as_deref());
    model.is_some_and(|model| !VIRTUAL.iter().any(|maker| model.contains(maker)))
}

/// Returns whether only a real drive has such a name: those of virtual ones name their maker, and a name of
/// the world-wide kind that begins with 5 is one that a maker of drives registered (NAA).
fn is_real(name: &str) -> bool {
    let name = name.trim_start_matches("/dev/disk/by-id/");
    let named = name.starts_with("wwn-0x5") || name.starts_with("ata-");
    named && !VIRTUAL.iter().any(|maker| name.contains(maker))
}

/// Returns whether a dataset of a pool has no checksums, by its properties or by a command in the text.
fn sets_checksum_off(view: &View<'_>, pool: &Pool) -> bool {
    let by_property = dataset_state::of_pool(view, &pool.name)
        .iter()
        .any(|dataset| dataset_state::property(dataset, "checksum") == Some("off"));
    let is_of = |dataset: &str| dataset.split('/').next() == Some(pool.name.as_str());
    let mut commands = view.machine.set_commands.iter();
    let by_command =
        commands.any(|set| is_of(&set.dataset) && set.property == "checksum" && set.value == "off");
    by_property || by_command
}

fn of_pool(view: &View<'_>, pool: &Pool) -> Option<Finding> {
    if pool.of_class(Class::Data).all(|vdev| vdev.layout != Layout::Leaf) {
        return None;
    }
    let alone: Vec<String> = with_contents(pool)
        .filter(|vdev| vdev.layout == Layout::Leaf)
        // Below a virtual disk there may be copies that are not seen here.
        .filter(|vdev| kind_of(view.machine, &vdev.name) != Some(DriveKind::Virtual))
        .map(|vdev| vdev.name.clone())
        .collect();
    let first = alone.first()?;
    let count = with_contents(pool).count();
    let title = match count {
        1 if sets_checksum_off(view, pool) => {
            format!(
                "{} is one disk, and without checksums ZFS does not even notice damage of file data",
                pool.name
            )
        }
        1 => format!("{} is one disk: ZFS detects damage but cannot repair file data", pool.name),
        _ => format!("{} has no redundancy: one failed disk loses the whole pool", pool.name),
    };
    let mut finding = Finding::new("no-redundancy", Severity::Note, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence =
        vec![Evidence::setting(format!("{}: single disks", pool.name), format::list(&alone))];
    finding.cause = "A stripe over single disks is lost if any of them fails.".to_owned();
    let name = format::shell(&pool.name);
    let attach = format!("zpool attach {name} {} SECOND-DISK", format::shell(first));
    let mut remedy = changes::by_hand("mirror each of them, or rely on your backup", &[attach]);
    remedy.undo = vec![format!("zpool detach {name} SECOND-DISK")];
    finding.remedy = Some(remedy);
    finding.cost = "Disks.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["zpoolconcepts(7)"]);
    Some(finding)
}
