//! Disks, vdevs and values of a scenario in words.

use arcwright_scenario::{Disk, LinkSpec, VdevLayout, VdevSpec};
use arcwright_units::Bytes;
use serde::Serialize;

/// Returns a vdev: its kind and its disks.
pub(crate) fn vdev(vdev: &VdevSpec) -> String {
    let layout = match vdev.layout {
        VdevLayout::Single => String::new(),
        _ => format!("{} of ", vdev.layout_name()),
    };
    format!("{layout}{}", listed(vdev.disks.iter().map(disk)))
}

/// Returns a device: its profile, the part of it that is used, and the link that it is behind.
pub(crate) fn disk(disk: &Disk) -> String {
    let Disk { profile, size, taken, part_of, link, .. } = disk;
    let link = link.as_ref().map(|link| format!(" behind {}", link.name));
    let device = match (part_of, size) {
        (Some(name), Some(size)) if name == profile => format!("{size} of {name}"),
        (Some(name), Some(size)) => format!("{size} of {name} ({profile})"),
        (None, Some(size)) if *taken > Bytes::ZERO => {
            format!("{profile} ({size} behind {taken} that are taken)")
        }
        (None, Some(size)) => format!("{profile} ({size})"),
        (_, None) => profile.clone(),
    };
    device + &link.unwrap_or_default()
}

/// Returns a link: what it can do.
pub(crate) fn link(link: &LinkSpec) -> String {
    let LinkSpec { name, rate, one_way, requests_max } = link;
    let one_way = one_way.then(|| ", one direction at a time".to_owned());
    let most = requests_max.map(|most| format!(", at most {most} requests at a time"));
    format!("{name}: {rate}{}{}", one_way.unwrap_or_default(), most.unwrap_or_default())
}

/// Returns what a list holds, or that it is empty.
pub(crate) fn listed(parts: impl Iterator<Item = String>) -> String {
    let parts = counted(parts);
    if parts.is_empty() { "none".to_owned() } else { parts.join(" and ") }
}

/// Returns the parts, those that follow each other and are alike as one with its count.
pub(crate) fn counted(parts: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<(String, usize)> = Vec::new();
    for part in parts {
        match all.last_mut().filter(|(last, _)| *last == part) {
            Some((_, count)) => *count += 1,
            None => all.push((part, 1)),
        }
    }
    let all = all.into_iter().map(|(part, count)| match count {
        1 => part,
        count => format!("{count} × {part}"),
    });
    all.collect()
}

/// Returns a value as a scenario writes it.
pub(crate) fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).ok();
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
