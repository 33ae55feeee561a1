//! Drives as the kernel of Linux describes them: `lsblk -J -b` or its table, `/sys/block`, and the links
//! of `/dev/disk`.
//!
//! A pool names its disks by any of their links, by a partition, or by a mapped device on top of one
//! (LUKS); all of these lead to the drive. Numbers and flags are texts in old versions of lsblk.

use std::collections::{BTreeMap, BTreeSet};

use arcwright_units::Bytes;
use serde_json::Value;

use crate::drive::{Drive, DriveKind};
use crate::machine::Machine;
use crate::sources::Sources;

const LSBLK: &str = "commands/lsblk";
const TABLE: &str = "commands/lsblk-text";
const LINKS: &str = "links";
const BLOCK: &str = "sys/block/";

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let mut drives: BTreeMap<String, Drive> = BTreeMap::new();
    let links = links(sources.text(LINKS).unwrap_or_default());
    if let Some(text) = sources.text(LSBLK) {
        match super::json(text) {
            Ok(json) => {
                let devices = json.get("blockdevices").and_then(Value::as_array);
                let found =
                    devices.into_iter().flatten().filter_map(|device| of_lsblk(device, &links));
                drives.extend(found.map(|drive| (drive.name.clone(), drive)));
            }
            Err(error) => machine.garbled(LSBLK, error),
        }
    }
    if let Some(text) = sources.text(TABLE) {
        let json = super::lsblk::read(text);
        let devices = json.get("blockdevices").and_then(Value::as_array).into_iter().flatten();
        for drive in devices.filter_map(|device| of_lsblk(device, &links)) {
            drives.entry(drive.name.clone()).or_insert(drive);
        }
    }
    for (path, text) in sources.below(BLOCK) {
        add_sys(&mut drives, path, text.trim());
    }
    if drives.is_empty() {
        drives = linked(&links);
    }
    for (name, drive) in &mut drives {
        if drive.links.is_empty() {
            drive.links = links_of(name, &links);
        }
        settle_kind(drive);
    }
    machine.drives.extend(drives.into_values());
}

/// Returns links by the kernel's name that they lead to: lines `/dev/disk/by-id/ata-X -> sda`.
fn links(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut links: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        if let Some((link, target)) = line.split_once(" -> ") {
            let target = target.trim().rsplit('/').next().unwrap_or_default();
            links.entry(target.to_owned()).or_default().push(link.trim().to_owned());
        }
    }
    links
}

/// Returns the drives that links alone tell of, with the links of their partitions.
fn linked(links: &BTreeMap<String, Vec<String>>) -> BTreeMap<String, Drive> {
    let mut drives: BTreeMap<String, Drive> = BTreeMap::new();
    for (target, paths) in links {
        let Some(disk) = disk_of(target) else { continue };
        let new = || Drive {
            name: disk.to_owned(),
            links: vec![format!("/dev/{disk}")],
            ..Drive::default()
        };
        let drive = drives.entry(disk.to_owned()).or_insert_with(new);
        drive.links.extend(Some(format!("/dev/{target}")).filter(|_| target != disk));
        drive.links.extend(paths.iter().cloned());
    }
    drives
}

/// Returns the drive of a device of the kernel: `sda` of `sda1`; none of what is made of others (`dm-0`).
fn disk_of(name: &str) -> Option<&str> {
    let digit = |c: char| c.is_ascii_digit();
    if name.starts_with("nvme") || name.starts_with("mmcblk") {
        let stem = name.trim_end_matches(digit).strip_suffix('p');
        return Some(stem.filter(|stem| stem.ends_with(digit)).unwrap_or(name));
    }
    let kinds = ["sd", "vd", "xvd", "hd"];
    let letters = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
    kinds
        .iter()
        .any(|kind| name.strip_prefix(kind).is_some_and(letters))
        .then(|| name.trim_end_matches(digit))
}

/// Returns all paths that lead to a device of the kernel.
fn links_of(name: &str, links: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let linked = links.get(name).into_iter().flatten().cloned();
    std::iter::once(format!("/dev/{name}")).chain(linked).collect()
}

fn of_lsblk(device: &Value, links: &BTreeMap<String, Vec<String>>) -> Option<Drive> {
    let kind = text(device, "type")?;
    if kind != "disk" {
        return None;
    }
    let name = text(device, "kname").or_else(|| text(device, "name"))?;
    // Volumes of the pools themselves and compressed memory call themselves disks.
    if ["zd", "zram", "ram", "loop"].iter().any(|start| name.starts_with(start)) {
        return None;
    }
    let mut drive = Drive {
        model: text(device, "model"),
        serial: text(device, "serial"),
        size: number(device, "size").map(Bytes),
        kind: match (flag(device, "rota"), text(device, "tran").as_deref()) {
            (_, Some("nvme")) => Some(DriveKind::Nvme),
            (Some(true), _) => Some(DriveKind::Hdd),
            (Some(false), _) => Some(DriveKind::Ssd),
            (None, _) => None,
        },
        sector_logical: sector(device, "log-sec"),
        sector_physical: sector(device, "phy-sec"),
        links: links_of(&name, links),
        name,
        ..Drive::default()
    };
    add_children(device, links, &mut drive.links);
    Some(drive)
}

/// Partitions of a drive and what is mapped on top of them: more no drive has.
const CHILDREN_MAX: usize = 1024;

/// Adds what leads to partitions and to devices mapped on top of them.
fn add_children(device: &Value, links: &BTreeMap<String, Vec<String>>, known: &mut Vec<String>) {
    let mut seen: BTreeSet<String> = known.iter().cloned().collect();
    let mut left = CHILDREN_MAX;
    let mut below = vec![device];
    while let Some(device) = below.pop() {
        let children = device.get("children").and_then(Value::as_array).into_iter().flatten();
        let begun = below.len();
        for child in children {
            let Some(rest) = left.checked_sub(1) else { return };
            left = rest;
            let names = ["kname", "name"].iter().filter_map(|key| text(child, key));
            let paths = names.flat_map(|name| links_of(&name, links)).chain(text(child, "path"));
            known.extend(paths.filter(|path| seen.insert(path.clone())));
            below.push(child);
        }
        // What is mapped on the first partition comes first.
        if let Some(new) = below.get_mut(begun..) {
            new.reverse();
        }
    }
}

fn text(device: &Value, key: &str) -> Option<String> {
    let text = device.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn number(device: &Value, key: &str) -> Option<u64> {
    let value = device.get(key)?;
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn sector(device: &Value, key: &str) -> Option<Bytes> {
    number(device, key).filter(|bytes| *bytes > 0).map(Bytes)
}

fn flag(device: &Value, key: &str) -> Option<bool> {
    let value = device.get(key)?;
    value.as_bool().or_else(|| match value.as_str()? {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    })
}

/// Adds what a file below `/sys/block` says: `sda/queue/rotational`.
fn add_sys(drives: &mut BTreeMap<String, Drive>, path: &str, value: &str) {
    const SECTOR_BYTES: u64 = 512;
    let Some((name, file)) = path.split_once('/') else { return };
    let known = || Drive { name: name.to_owned(), ..Drive::default() };
    let drive = drives.entry(name.to_owned()).or_insert_with(known);
    match file {
        "queue/rotational" if drive.kind.is_none() => {
            drive.kind = match value {
                "1" => Some(DriveKind::Hdd),
                "0" => Some(DriveKind::Ssd),
                _ => None,
            };
        }
        "queue/logical_block_size" if drive.sector_logical.is_none() => {
            drive.sector_logical = value.parse().ok().filter(|bytes| *bytes > 0).map(Bytes);
        }
        "queue/physical_block_size" if drive.sector_physical.is_none() => {
            drive.sector_physical = value.parse().ok().filter(|bytes| *bytes > 0).map(Bytes);
        }
        "queue/write_cache" => drive.volatile_cache = Some(value == "write back"),
        "device/model" if drive.model.is_none() => drive.model = Some(value.to_owned()),
        "size" if drive.size.is_none() => {
            let sectors: Option<u64> = value.parse().ok();
            drive.size = sectors.and_then(|sectors| sectors.checked_mul(SECTOR_BYTES)).map(Bytes);
        }
        _ => {}
    }
}

/// Names and models tell of `NVMe` and of virtual machines what flags do not.
fn settle_kind(drive: &mut Drive) {
    const VIRTUAL: [&str; 6] = ["qemu", "virtual", "vbox", "vmware", "virtio", "msft"];
    let model = drive.model.as_deref().unwrap_or_default().to_ascii_lowercase();
    let named = ["vd", "xvd"].iter().any(|start| drive.name.starts_with(start));
    if named || VIRTUAL.iter().any(|part| model.contains(part)) {
        drive.kind = Some(DriveKind::Virtual);
    } else if drive.name.starts_with("nvme") {
        drive.kind = Some(DriveKind::Nvme);
    }
}

#[cfg(test)]
mod tests {
    use super::{Machine, collect};
    use crate::drive::DriveKind;
    use crate::sources::{Source, Sources};

    fn drives(texts: &[(&str, &str)]) -> Vec<crate::Drive> {
        let mut machine = Machine::default();
        let texts =
            texts.iter().map(|(name, text)| ((*name).to_owned(), Source::Text((*text).to_owned())));
        collect(&Sources { texts: texts.collect(), ..Sources::default() }, &mut machine);
        assert_eq!(machine.problems, []);
        machine.drives
    }

    #[test]
    fn partitions_and_mapped_devices_lead_to_their_drive() {
        let lsblk = r#"{"blockdevices":[{"name":"sda","type":"disk","size":1000,"rota":true,
            "model":"WDC X","serial":"W1","tran":"sata","children":[{"name":"sda1","type":"part",
            "children":[{"name":"luks-a","kname":"dm-0","path":"/dev/mapper/luks-a","type":"crypt"}]}]},
            {"name":"loop0","type":"loop"},{"name":"zd16","type":"disk","size":9},
            {"name":"nvme0n1","type":"disk","size":"2000","rota":"0"}]}"#;
        let links = "/dev/disk/by-id/ata-WDC-part1 -> ../../sda1\n";
        let found = drives(&[("commands/lsblk", lsblk), ("links", links)]);
        let names: Vec<&str> = found.iter().map(|drive| drive.name.as_str()).collect();
        assert_eq!(names, ["nvme0n1", "sda"]);
        assert_eq!(found[0].kind, Some(DriveKind::Nvme));
        assert_eq!(found[0].size.map(|size| size.0), Some(2000));
        let sda = &found[1];
        assert_eq!(sda.kind, Some(DriveKind::Hdd));
        for path in ["/dev/sda", "/dev/sda1", "/dev/disk/by-id/ata-WDC-part1", "/dev/mapper/luks-a"]
        {
            assert!(sda.links.iter().any(|link| link == path), "{path} in {:?}", sda.links);
        }
    }

    #[test]
    fn the_kernels_files_suffice_where_lsblk_is_not() {
        let found = drives(&[
            ("sys/block/sdb/queue/rotational", "0\n"),
            ("sys/block/sdb/queue/write_cache", "write back\n"),
            ("sys/block/sdb/size", "4\n"),
            ("sys/block/vda/queue/rotational", "1\n"),
        ]);
        assert_eq!((found[0].kind, found[0].volatile_cache), (Some(DriveKind::Ssd), Some(true)));
        assert_eq!(found[0].size.map(|size| size.0), Some(2048));
        assert_eq!(found[1].kind, Some(DriveKind::Virtual));
    }
}
