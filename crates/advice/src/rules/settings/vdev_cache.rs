//! The old read-ahead cache of each device, made large.
//!
//! Up to 2.1 each device could have a cache of small reads (`zfs_vdev_cache_size`, vdev_cache.c), off by default
//! since 0.6.0. It is memory per device, outside of the ARC and its limits: what looks like one cache of half a
//! gigabyte is that for every disk.

use arcwright_machine::Class;
use arcwright_units::Bytes;

use crate::changes;
use crate::drives::leaves_of;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::told::told;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether the cache of each device takes much memory", judge };

const NAME: &str = "zfs_vdev_cache_size";
/// What FreeBSD 7 had by default is 10 MiB; more than some of that is somebody's mistake.
const LARGE: u64 = 64 << 20;

fn judge(view: &View<'_>) -> Judged {
    let Some(told) = told(view, NAME).filter(|told| told.value >= LARGE) else {
        return Ok(Verdict::Silent);
    };
    let each = told.value;
    let devices: usize =
        view.machine.pools.iter().map(|pool| leaves_of(pool, Class::Data).len()).sum();
    let devices = u64::try_from(devices).ok().filter(|count| *count > 0);
    let all = devices.and_then(|count| each.checked_mul(count));
    let unread = told.unread();
    let title = match all {
        Some(all) => format!(
            "{NAME} may take {} of memory beside the ARC: {} for each device{unread}",
            Bytes(all),
            Bytes(each)
        ),
        None => format!(
            "{NAME} takes up to {} of memory for each device, beside the ARC{unread}",
            Bytes(each)
        ),
    };
    let mut finding = Finding::new("vdev-cache-large", Severity::WorthALook, Area::Arc, title);
    finding.evidence = told.evidence(view, NAME);
    finding.cause = "It is a cache of small reads that every device has of its own. Neither zfs_arc_max nor the \
                     ARC's size count it. It seldom helped, is off by default and gone in 2.2."
        .to_owned();
    let mut remedy = changes::by_hand(
        "take the setting out of its file; it is gone at the next load of the module",
        &[format!("grep -rn {NAME} /etc/modprobe.d/ /boot/loader.conf")],
    );
    remedy.verify = lines(["grep . /sys/module/zfs/parameters/zfs_vdev_cache_size   # 0"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("memory for the ARC and for programs".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the setting");
    finding.sources =
        lines(["zfs-module-parameters(5) zfs_vdev_cache_size", "module/zfs/vdev_cache.c (2.1)"]);
    Ok(Verdict::one(finding))
}
