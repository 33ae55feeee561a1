//! What the kernel's log tells of devices, which ZFS need not have met: the driver repeats what failed,
//! so that the pool's own counts may stay at 0 for long.

use std::collections::BTreeMap;

use arcwright_machine::{Trouble, TroubleKind};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "what the kernel log reports of disks", judge };

/// More devices than this are one story: what they share.
const DEVICES_MAX: usize = 8;

fn judge(view: &View<'_>) -> Judged {
    let mut by_device: BTreeMap<&str, Vec<&Trouble>> = BTreeMap::new();
    for trouble in &view.machine.troubles {
        by_device.entry(&trouble.device).or_default().push(trouble);
    }
    let found = by_device.iter().take(DEVICES_MAX).filter_map(|(device, all)| {
        // The kinds are ordered by how much they say.
        let worst = all.iter().map(|trouble| trouble.kind).min()?;
        Some(finding(view, device, worst, all))
    });
    Ok(Verdict::found_or(found.collect(), Verdict::Silent))
}

fn finding(view: &View<'_>, device: &str, worst: TroubleKind, all: &[&Trouble]) -> Finding {
    let title = format!("The kernel log: {device} {}", says(worst));
    let mut finding = Finding::new("kernel-log", Severity::WorthALook, Area::Disks, title);
    finding.subject = Some(device.to_owned());
    finding.evidence = all
        .iter()
        .map(|trouble| Evidence {
            exact: Some(trouble.lines),
            ..Evidence::now(
                format!("{device}: {}", says(trouble.kind)),
                format!("{} lines", format::count(trouble.lines)),
            )
        })
        .collect();
    finding.cause = format!(
        "{} The driver retries failed requests, so the pool’s own counts may stay at 0.",
        cause(worst)
    );
    let smart = pool_state::smart(view, device);
    // Ports and buses have names of their own: which disk is behind them the log says above.
    let is_disk = !device.contains(' ') && !device.starts_with("ata");
    let mut commands = Vec::new();
    commands.extend(Some(smart).filter(|_| is_disk && worst != TroubleKind::Gone));
    commands.push("zpool status -v   # does a pool show errors?".to_owned());
    let mut remedy = changes::by_hand(step(worst), &commands);
    remedy.verify = lines(["dmesg | tail   # nothing new after some hours of work"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("each failed request may wait for seconds".to_owned());
    finding.cost = "Perhaps a cable, perhaps a disk.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the given lines of the kernel log");
    finding.sources = lines(["dmesg(8)", "smartctl(8)"]);
    finding
}

const fn says(kind: TroubleKind) -> &'static str {
    match kind {
        TroubleKind::Unreadable => "has sectors that it cannot read",
        TroubleKind::Gone => "disappeared",
        TroubleKind::Failed => "failed requests",
        TroubleKind::Slow => "did not answer in time",
        TroubleKind::Transfer => "had corrupted transfers",
    }
}

const fn cause(kind: TroubleKind) -> &'static str {
    match kind {
        TroubleKind::Unreadable => {
            "A disk retries an unreadable sector for seconds; more usually follow."
        }
        TroubleKind::Gone => {
            "The device left the bus: suspect the cable, its power, an enclosure or bridge (USB), \
             or the device."
        }
        TroubleKind::Failed => {
            "Requests came back with an error that the log does not explain further."
        }
        TroubleKind::Slow => {
            "The link was reset or a command was aborted: suspect a disk that retries a sector, \
             the cable, or power."
        }
        TroubleKind::Transfer => {
            "Link checksums failed between disk and controller: nearly always the cable, its plug \
             or the port."
        }
    }
}

const fn step(kind: TroubleKind) -> &'static str {
    match kind {
        TroubleKind::Unreadable => {
            "check the disk's SMART values and have a spare ready; scrub the pool while there is \
             another copy; replace the disk if the counts grow"
        }
        TroubleKind::Gone => {
            "check cable and power until the device is back; only then clear the pool, and scrub \
             it"
        }
        TroubleKind::Failed | TroubleKind::Slow => {
            "check the disk's SMART values, cable and power; replace it if the errors continue"
        }
        TroubleKind::Transfer => "replace the cable or use another port before the disk",
    }
}
