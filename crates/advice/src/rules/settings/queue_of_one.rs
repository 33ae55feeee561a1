//! Queues of one request per disk.
//!
//! Each class of requests of a vdev may have so many at its disk at once (`zfs_vdev_*_max_active`, module/zfs/
//! vdev_queue.c: 10 synchronous reads and writes, 3 asynchronous reads, 10 writes). With one the disk has nothing
//! to order: a turning disk seeks in the order in which requests come, flash and everything behind a
//! controller works on one of its channels.

use std::collections::BTreeSet;

use crate::changes;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::told::{Told, told};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether queues hold more than one request", judge };

/// The classes of what programs wait for, and of what is written for them.
const NAMES: [&str; 4] = [
    "zfs_vdev_sync_read_max_active",
    "zfs_vdev_sync_write_max_active",
    "zfs_vdev_async_read_max_active",
    "zfs_vdev_async_write_max_active",
];

fn judge(view: &View<'_>) -> Judged {
    let of_one = |name: &&'static str| {
        let told = told(view, name).filter(|told| told.value == 1)?;
        Some((*name, told))
    };
    let found: Vec<(&str, Told<'_>)> = NAMES.iter().filter_map(of_one).collect();
    if found.is_empty() {
        return Ok(Verdict::Silent);
    }
    let names: Vec<String> = found.iter().map(|(name, _)| view.shown(name)).collect();
    let unread = found.iter().fold("", |unread, (_, told)| unread.max(told.unread()));
    let title = format!("Disks get one request at a time: {}{unread}", format::list(&names));
    let mut finding = Finding::new("queue-of-one", Severity::WorthALook, Area::Disks, title);
    finding.evidence = found.iter().flat_map(|(name, told)| told.evidence(view, name)).collect();
    finding.cause = "ZFS gives a disk several requests of each class at once, so that it can order them by place: a \
                     turning disk serves twice as many of ten than of one at a time, flash many times as many. \
                     Requests beyond the limit wait in ZFS instead, which shortens what iostat calls await and \
                     nothing else."
        .to_owned();
    let files = found.iter().filter_map(|(_, told)| told.file);
    let paths: BTreeSet<&str> = files.map(|set| set.path.as_str()).collect();
    let paths: Vec<String> = paths.into_iter().map(str::to_owned).collect();
    let what = match paths.as_slice() {
        [] => "give them back their defaults".to_owned(),
        paths => format!(
            "take them out of {}; the defaults are in force at the next load",
            format::list(paths)
        ),
    };
    let mut remedy =
        changes::by_hand(what, &lines(["arcwright tune show zfs_vdev_sync_read_max_active"]));
    remedy.verify = lines(["grep . /sys/module/zfs/parameters/zfs_vdev_*_max_active"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on how many requests wait at a time".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk =
        "A single slow disk may take longer for each request, and does more of them.".to_owned();
    finding.confidence = Confidence::read("the settings");
    finding.sources = lines(["zfs(4) zfs_vdev_sync_read_max_active", "module/zfs/vdev_queue.c"]);
    Ok(Verdict::one(finding))
}
