//! The arms: what is compared.

use arcwright_tunables::Version;

use super::device::Devices;
use super::tree::Node;
use super::{pool, settings, system, unique};
use crate::error::Checked;
use crate::experiment::Arm;

const KEYS: [&str; 12] = [
    "name",
    "tunables",
    "zfs",
    "memory",
    "cache",
    "log",
    "special",
    "recordsize",
    "primarycache",
    "secondarycache",
    "sync",
    "logbias",
];

/// Reads every `[[arm]]`; one that changes nothing when there is none.
pub(crate) fn read(
    nodes: &[Node],
    base: &system::Placed,
    devices: &Devices<'_>,
) -> Checked<Vec<Arm>> {
    if nodes.is_empty() {
        return as_is(base).map(|arm| vec![arm]);
    }
    let mut arms: Vec<Arm> = Vec::new();
    for node in nodes {
        let arm = arm(node, base, devices)?;
        unique(node, &arm.name, arms.iter().map(|other| other.name.as_str()), "arm")?;
        arms.push(arm);
    }
    Ok(arms)
}

fn as_is(base: &system::Placed) -> Checked<Arm> {
    let name = "as is".to_owned();
    if let Some(version) = Version::parse(&base.system.zfs) {
        settings::check_version(&base.settings, version, &name)?;
    }
    Ok(Arm { name, ..Arm::default() })
}

fn arm(node: &Node, base: &system::Placed, devices: &Devices<'_>) -> Checked<Arm> {
    let section = node.section("[[arm]]", &KEYS)?;
    let name = section.need("name", "name = \"as installed\"")?.short_name()?.to_owned();
    let own = section.maybe("tunables", settings::read)?.unwrap_or_default();
    let version = match section.get("zfs") {
        Some(zfs) => {
            let version = system::version(zfs)?;
            system::check_os(zfs, version, base.system.os)?;
            Some(version)
        }
        None => Version::parse(&base.system.zfs),
    };
    if let Some(version) = version {
        settings::check_version(&own, version, &name)?;
        settings::check_version(&base.settings, version, &name)?;
    }
    let log = section.maybe("log", |node| pool::few_kinds(node, devices))?;
    if let (Some(node), Some(log)) = (section.get("log"), &log) {
        pool::check_log(node, log, &base.system.pool)?;
    }
    Ok(Arm {
        name,
        tunables: own.into_iter().map(|placed| placed.setting).collect(),
        zfs: section.maybe("zfs", Node::text)?.map(str::to_owned),
        memory: section.maybe("memory", system::memory)?,
        cache: section.maybe("cache", |node| pool::disks(node, devices))?,
        log,
        special: section.maybe("special", |node| pool::few_kinds(node, devices))?,
        properties: pool::properties(&section)?,
    })
}
