//! Devices that hold no data: a log device, a cache device or a spare that does not work.
//!
//! Of a mirrored log the other half has all of it. The L2ARC holds only copies, and a spare nothing.

use arcwright_machine::{Class, Pool, Vdev};

use crate::changes;
use crate::finding::{Finding, Gain, Severity, lines};
use crate::format;
use crate::rules::pool_state;
use crate::rules::pools::health::new;
use crate::rules::pools::steps::{Ill, status, wants_label};
use crate::view::View;

pub(super) fn log_lost(view: &View<'_>, pool: &Pool, ill: &[&Ill<'_>]) -> Finding {
    let names: Vec<String> = ill.iter().map(|ill| ill.leaf.name.clone()).collect();
    let title = format!("A log device of {} does not work: {}", pool.name, format::list(&names));
    let mut finding = new(pool, ("log-device-failed", Severity::HurtsNow), title, ill);
    let works =
        |vdev: &Vdev| vdev.leaves().iter().any(|leaf| leaf.state.as_deref() == Some("ONLINE"));
    let mut logs = pool.vdevs.iter().filter(|vdev| vdev.class == Class::Log).peekable();
    let is_served = logs.peek().is_some() && logs.all(works);
    if is_served {
        finding.severity = Severity::WorthALook;
    }
    finding.cause = "Meanwhile the intent log is on the data disks, and synchronous writes wait \
                     for them. The pool's contents are intact, unless the machine also lost power: \
                     then the last seconds of acknowledged writes were on that device alone."
        .to_owned();
    if is_served {
        finding.cause = "The other half of the log's mirror has all that the log holds, and the data is on other devices: \
                         what is missing is the log's redundancy."
            .to_owned();
    }
    let name = format::shell(&pool.name);
    let device = ill.first().map_or_else(String::new, |ill| format::shell(&ill.leaf.name));
    // Nothing is wrong with what was taken offline by a command.
    let is_offline = !ill.is_empty() && ill.iter().all(|ill| ill.state == "OFFLINE");
    let mut commands = vec![match is_offline {
        true => format!("zpool online {name} {device}"),
        false => format!("{}   # if cable or power was the cause", back(ill, &name, &device)),
    }];
    if !is_offline {
        let dead = ill.first().and_then(|ill| pool_state::replace(pool, &ill.leaf.name, "NEW-SSD"));
        commands.extend(dead.map(|line| format!("{line}   # if it is dead")));
    }
    commands.push(
        ill.first().map_or_else(String::new, |ill| pool_state::without_log(pool, &ill.leaf.name)),
    );
    let unread = pool.status.as_deref().is_some_and(|status| status.contains("intent log record"));
    let mut what = match is_offline {
        true => "bring it online, or remove it from the pool",
        false => "bring the log device back, replace it, or remove it from the pool",
    }
    .to_owned();
    if is_offline {
        finding.title = format!(
            "A log device of {} was taken offline by a command: {}",
            pool.name,
            format::list(&names)
        );
        finding.severity = Severity::WorthALook;
    }
    if is_offline && was_removed(view, pool, ill) {
        what = "bring it online first, and remove it then: it was to be removed by the text, and is listed still".to_owned();
    }
    if unread {
        what = "the log holds unread records: bring the device back and online it; only if it is \
                lost for good discard the last seconds with zpool clear"
            .to_owned();
        commands.truncate(1);
        commands.push(format!("zpool clear {name}   # discards the log's contents"));
    }
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
    finding.cost = if is_offline { "None." } else { "Perhaps an SSD." }.to_owned();
    finding.risk = "None to the data disks' contents.".to_owned();
    finding.sources.extend(lines(["zpoolconcepts(7), Intent Log", "zpool-remove(8)"]));
    finding
}

/// Returns how a device comes back whose cause is mended: one that ZFS has given up for its errors does so when these are cleared, and
/// not by going online (`vdev_open`, `vdev_clear`, module/zfs/vdev.c).
fn back(ill: &[&Ill<'_>], name: &str, device: &str) -> String {
    let is_given_up = ill.iter().any(|ill| matches!(ill.state, "FAULTED" | "DEGRADED"));
    let verb = if is_given_up { "clear" } else { "online" };
    format!("zpool {verb} {name} {device}")
}

/// Returns whether a command in the text was to remove one of the devices.
fn was_removed(view: &View<'_>, pool: &Pool, ill: &[&Ill<'_>]) -> bool {
    let removes = |typed: &String, device: &str| {
        let mut words = typed.split_whitespace();
        words.by_ref().take(2).eq(["zpool", "remove"])
            && words.next() == Some(pool.name.as_str())
            && words.any(|word| word == device)
    };
    let is_it =
        |ill: &&Ill<'_>| view.machine.typed.iter().any(|typed| removes(typed, &ill.leaf.name));
    ill.iter().any(is_it)
}

/// Returns a note on a cache device or spare that does not work.
pub(super) fn unused(view: &View<'_>, pool: &Pool, ill: &Ill<'_>) -> Finding {
    let kind = if ill.class == Class::Cache { "cache device" } else { "spare" };
    let title = format!("The {kind} {} of {} is {}", ill.leaf.name, pool.name, ill.state);
    // What to do is certain there, and nothing comes back by itself.
    let unlabelled = wants_label(pool, ill.leaf);
    let severity = if unlabelled { Severity::WorthALook } else { Severity::Note };
    if pool.errors_beside.removed.contains(&ill.leaf.name) {
        return removed_since(pool, ill, kind);
    }
    let mut finding = match ill.class {
        Class::Cache => new(pool, ("cache-device-lost", severity), title, &[ill]),
        _ => new(pool, ("spare-lost", severity), title, &[ill]),
    };
    let name = format::shell(&pool.name);
    let device = format::shell(&ill.leaf.name);
    let remove = format!("zpool remove {name} {device}");
    let (what, commands) = match (unlabelled, ill.class) {
        (true, class) => {
            let kind = if class == Class::Cache { "cache" } else { "spare" };
            let add = format!(
                "zpool add {name} {kind} /dev/disk/by-id/…   # the same device, unless it serves something else by now"
            );
            (
                "remove it, and add it again by a name that does not change if it still is this pool's; \
                 its label was not found under this one, which says nothing against the device",
                match is_refused(view, ill.leaf) {
                    true => vec![remove],
                    false => vec![remove, add],
                },
            )
        }
        (false, _) => (
            "check its cable and bring it back, or remove it",
            vec![back(&[ill], &name, &device), format!("{remove}   # or do without it")],
        ),
    };
    if ill.class == Class::Cache {
        finding.gain = Gain::NotEstimated("only reads that the L2ARC would serve".to_owned());
    }
    finding.cause = match ill.class {
        Class::Cache => {
            "The L2ARC holds only copies: the pool is complete, and the disks serve its reads. A cache device that is \
             missing stops neither a scrub nor anything else."
                .to_owned()
        }
        _ => "The pool is complete; if a disk fails, this spare cannot replace it.".to_owned(),
    };
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
    finding.cost = "None.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding
}

/// Returns a note on a cache device or spare that did not work, and that a later command in the text removes.
fn removed_since(pool: &Pool, ill: &Ill<'_>, kind: &str) -> Finding {
    let title = format!(
        "The {kind} {} of {} was {} before the zpool remove that the text has",
        ill.leaf.name, pool.name, ill.state
    );
    let id = if ill.class == Class::Cache { "cache-device-lost" } else { "spare-lost" };
    let mut finding = new(pool, (id, Severity::Note), title, &[ill]);
    finding.cause =
        "What came of that, and of what was added in its place, the text does not tell.".to_owned();
    finding.remedy = Some(changes::by_hand("see whether it is listed still", &[status(pool)]));
    finding.cost = "None.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding
}

/// Returns whether the text shows that ZFS refused to remove a device.
fn is_refused(view: &View<'_>, leaf: &Vdev) -> bool {
    let is_it = |refusal: &arcwright_machine::Refusal| {
        refusal.verb == "remove" && refusal.subject == leaf.name
    };
    view.machine.refusals.iter().any(is_it)
}
