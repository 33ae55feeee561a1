//! Swap on a volume of a pool: the machine may lock up when memory runs out.
//!
//! Swapping out writes to the volume, and ZFS needs memory to write: a transaction, buffers, threads.
//! When there is none left, each waits for the other (openzfs issue 7734, open since 2018; the
//! documentation of OpenZFS warns of it).

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether swap is on a volume of ZFS", judge };

/// The user property by which FreeBSD's `rc.d/zvol` finds volumes to swap on.
const FREEBSD: &str = "org.freebsd:swap";

fn judge(view: &View<'_>) -> Judged {
    let devices: Vec<String> =
        view.machine.swap.iter().filter(|device| is_zvol(device)).cloned().collect();
    let marked = view.machine.datasets.iter().filter(|dataset| {
        dataset_state::property(dataset, FREEBSD).is_some_and(|value| value == "on")
    });
    let marked: Vec<String> = marked.map(|dataset| dataset.name.clone()).collect();
    if devices.is_empty() && marked.is_empty() {
        return Ok(match view.machine.swap.is_empty() {
            // No swap and swap that was not read look alike.
            true => Verdict::Silent,
            false => Verdict::fine(
                "Swap is not on a volume of ZFS",
                vec![Evidence::now("swap", format::list(&view.machine.swap))],
            ),
        });
    }
    let named = if devices.is_empty() { &marked } else { &devices };
    let title = format!("Swap is on a ZFS volume: {}", format::list(named));
    let mut finding = Finding::new("swap-on-zvol", Severity::WorthALook, Area::Safety, title);
    finding.evidence = devices.iter().map(|device| Evidence::now("swap", device.clone())).collect();
    finding
        .evidence
        .extend(marked.iter().map(|name| Evidence::setting(format!("{name}: {FREEBSD}"), "on")));
    let used = view.machine.memory.and_then(|memory| memory.swap_used);
    finding.evidence.extend(used.map(|used| Evidence::now("swap used", used.to_string())));
    finding.cause =
        "ZFS itself needs memory to write swapped-out pages. When memory runs out each waits for \
         the other, and the machine hangs until it is rebooted."
            .to_owned();
    let mut commands = Vec::new();
    for device in &devices {
        commands.push(format!("swapoff {}", format::shell(device)));
    }
    for name in &marked {
        commands.push(format!("zfs inherit {FREEBSD} {}", format::shell(name)));
    }
    commands.push("# then swap on a partition of its own, or zram; adapt /etc/fstab".to_owned());
    let mut remedy = changes::by_hand(
        "move swap to a partition outside the pool or to zram, or use none; free memory first, \
         since swapoff reads everything back into memory",
        &commands,
    );
    remedy.verify = lines(["swapon --show   # FreeBSD: swapinfo"]);
    remedy.undo =
        devices.iter().map(|device| format!("swapon {}", format::shell(device))).collect();
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("a machine that does not lock up".to_owned());
    finding.cost = "A partition.".to_owned();
    finding.risk = "swapoff fails if the swapped-out pages do not fit into memory.".to_owned();
    finding.confidence = Confidence::read("the list of swap devices");
    finding.sources =
        lines(["openzfs issue 7734", "openzfs-docs, FAQ: using a zvol for a swap device"]);
    Ok(Verdict::one(finding))
}

/// Says whether a swap device is a volume: `/dev/zd0`, `/dev/zvol/rpool/swap`.
fn is_zvol(device: &str) -> bool {
    let numbered = device
        .strip_prefix("/dev/zd")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    numbered || device.starts_with("/dev/zvol/")
}
