//! A log device without power-loss protection, worn, or alone.

use arcwright_machine::{Class, Drive, DriveKind, Layout, Pool};

use crate::changes;
use crate::drives::leaves_of;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the SLOG is safe", judge };

fn judge(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    for pool in view.laid_out()? {
        let single = pool.of_class(Class::Log).any(|vdev| vdev.layout == Layout::Leaf);
        for leaf in leaves_of(pool, Class::Log) {
            if let Some(drive) = view.machine.drive_of(&leaf.name) {
                findings.extend(unprotected(pool, &leaf.name, drive));
            }
        }
        let in_memory = leaves_of(pool, Class::Log).into_iter().find(|leaf| is_memory(&leaf.name));
        if let Some(leaf) = in_memory {
            findings.push(volatile(pool, &leaf.name));
        } else if single {
            findings.push(alone(pool));
        }
    }
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

/// Returns whether a device is a part of memory: `ram0`, `zram1`, `/dev/ramdisk/log` (brd, zram; ramdiskadm(8) of illumos).
fn is_memory(name: &str) -> bool {
    let name = name.trim_start_matches("/dev/");
    let numbered = |stem: &str| {
        name.strip_prefix(stem).is_some_and(|rest| {
            !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == 'p')
        })
    };
    numbered("ram") || numbered("zram") || name.starts_with("ramdisk/")
}

fn volatile(pool: &Pool, leaf: &str) -> Finding {
    let title = format!(
        "The log device {leaf} of {} is memory: a power failure takes the synchronous writes that it acknowledged",
        pool.name
    );
    let mut finding = Finding::new("slog-in-memory", Severity::HurtsNow, Area::Sync, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![Evidence::setting("log", leaf)];
    finding.cause = "A log device keeps what was acknowledged until it stands in the pool. In memory it is gone with a crash or a power \
                     failure, as with sync=disabled, and the pool then needs zpool import -m."
        .to_owned();
    let name = format::shell(&pool.name);
    let remove = format!("zpool remove {name} {}", format::shell(leaf));
    let mut remedy = changes::by_hand(
        "take it away; a log wants an SSD with power-loss protection, or none, where the same promise as sync=disabled is enough",
        &[remove],
    );
    remedy.verify = vec![format!("zpool status {name}   # no row below “logs”")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "Synchronous writes wait for the pool's disks again.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the device's name");
    finding.sources = lines(["zpoolconcepts(7), Intent Log", "zpool-import(8) -m"]);
    finding
}

/// Returns a finding when a drive is known to lose its cache, or is of turning platters.
fn unprotected(pool: &Pool, leaf: &str, drive: &Drive) -> Option<Finding> {
    let turns = drive.kind == Some(DriveKind::Hdd);
    if drive.power_loss_protection != Some(false) && !turns {
        return None;
    }
    let title = match turns {
        true => format!("The log device {} of {} is a hard disk", drive.name, pool.name),
        false => {
            format!("The log device {} of {} has no power-loss protection", drive.name, pool.name)
        }
    };
    let mut finding = Finding::new("slog-unprotected", Severity::WorthALook, Area::Sync, title);
    finding.subject = Some(pool.name.clone());
    let mut row = |name: &str, value: Option<String>| {
        let value = value.map(|value| Evidence::setting(format!("{}: {name}", drive.name), value));
        finding.evidence.extend(value);
    };
    row("model", drive.model.clone());
    row("power-loss protection", drive.power_loss_protection.map(yes));
    row("volatile write cache", drive.volatile_cache.map(yes));
    finding.cause = match turns {
        true => "A log on a hard disk is no faster than the pool's own disks.".to_owned(),
        false => {
            "Without it every synchronous write waits until flash is programmed, milliseconds on a \
             consumer SSD; and some drives acknowledge too early."
                .to_owned()
        }
    };
    let command = pool_state::replace(pool, leaf, "SSD-WITH-PROTECTION");
    finding.remedy = Some(changes::by_hand(
        "replace it by an SSD with power-loss protection",
        &command.into_iter().collect::<Vec<_>>(),
    ));
    finding.gain = Gain::NotEstimated("depends on the replacement drive".to_owned());
    finding.cost = "A drive.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the drive's identification");
    finding.sources = lines(["openzfs-docs, Hardware: power loss protection"]);
    Some(finding)
}

fn yes(holds: bool) -> String {
    if holds { "yes" } else { "no" }.to_owned()
}

fn alone(pool: &Pool) -> Finding {
    let title = format!("The log device of {} is not mirrored", pool.name);
    let mut finding = Finding::new("slog-alone", Severity::Note, Area::Sync, title);
    finding.subject = Some(pool.name.clone());
    let leaves = leaves_of(pool, Class::Log);
    finding.evidence =
        leaves.iter().map(|leaf| Evidence::setting("log", leaf.name.clone())).collect();
    finding.cause = "If it fails at run time, the pool continues without it. The last seconds of \
                     acknowledged writes are lost only if it fails together with a power loss."
        .to_owned();
    let device =
        leaves.first().map_or_else(|| "LOG-DEVICE".to_owned(), |leaf| format::shell(&leaf.name));
    let name = format::shell(&pool.name);
    let is_empty = !leaves.is_empty()
        && leaves.iter().all(|leaf| {
            leaf.space.and_then(|space| space.allocated).is_some_and(|used| used.0 == 0)
        });
    if is_empty {
        finding.remedy = Some(changes::by_hand(
            "nothing lies on it now: see whether it is written at all before money is spent on it",
            &[format!(
                "zpool iostat -v {name} 10 3   # the rows below “logs”, but for the first table"
            )],
        ));
        finding.cost = "None to look.".to_owned();
    } else {
        let attach = format!("zpool attach {name} {device} SECOND-SSD");
        let mut remedy =
            changes::by_hand("mirror it if those seconds matter (databases, mail)", &[attach]);
        remedy.undo = vec![format!("zpool detach {name} SECOND-SSD")];
        finding.remedy = Some(remedy);
        finding.cost = "A second SSD.".to_owned();
    }
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool status");
    finding.sources = lines(["zpoolconcepts(7), Intent Log", "zpool-import(8) -m"]);
    finding
}
