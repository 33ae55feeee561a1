//! The old read-ahead cache of each device, made large.
//!
//! Up to 2.1 each device could have a cache of small reads (`zfs_vdev_cache_size`, vdev_cache.c), off by default
//! since 0.6.0. It is memory per device, outside of the ARC and its limits: what looks like one cache of half a
//! gigabyte is that for every disk.

use arcwright_machine::Class;
use arcwright_units::Bytes;

use crate::changes;
use crate::config;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether the cache of each device takes much memory", judge };

const NAME: &str = "zfs_vdev_cache_size";
/// What FreeBSD 7 had by default is 10 MiB; more than some of that is somebody's mistake.
const LARGE: u64 = 64 << 20;

fn judge(view: &View<'_>) -> Judged {
    let held = view.machine.parameter(NAME);
    let by_file = config::set_of(view.machine, NAME);
    let told = held.or_else(|| by_file.as_ref()?.number());
    let Some(each) = told.filter(|each| *each >= LARGE) else { return Ok(Verdict::Silent) };
    let devices = match &view.machine.pools {
        pools if pools.is_empty() => None,
        pools => {
            let leaves = pools
                .iter()
                .flat_map(|pool| pool.of_class(Class::Data))
                .map(|vdev| vdev.leaves().len());
            Some(leaves.sum::<usize>()).filter(|count| *count > 0)
        }
    };
    let all = devices.and_then(|count| each.checked_mul(u64::try_from(count).ok()?));
    let title = match all {
        Some(all) => format!(
            "{NAME} may take {} of memory beside the ARC: {} for each device",
            Bytes(all),
            Bytes(each)
        ),
        None => {
            format!("{NAME} takes up to {} of memory for each device, beside the ARC", Bytes(each))
        }
    };
    let mut finding = Finding::new("vdev-cache-large", Severity::WorthALook, Area::Arc, title);
    finding.evidence = match (held, &by_file) {
        (None, Some(set)) => {
            vec![Evidence::setting(format!("{}: {}", set.path, set.name), set.value.clone())]
        }
        _ => view.settings([NAME]),
    };
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
