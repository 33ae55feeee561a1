//! The machine: version, memory, processor.

use arcwright_tunables::{Kernel, Version};
use arcwright_units::Bytes;

use super::device::Devices;
use super::tree::Node;
use super::{pool, settings};
use crate::error::{Checked, Fault};
use crate::system::System;

const KEYS: [&str; 6] = ["zfs", "os", "memory", "cpu", "pool", "tunables"];
const OS: [(&str, Kernel); 2] = [("linux", Kernel::Linux), ("freebsd", Kernel::Freebsd)];
/// A machine with less does not run ZFS in any useful way.
const MEMORY_MIN: Bytes = Bytes::mib(256);
/// No machine has more.
const MEMORY_MAX: Bytes = Bytes::gib(64 << 10);

/// The system, and where its tunables stand, for what arms make of them.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) system: System,
    pub(crate) settings: Vec<settings::Placed>,
}

/// Reads `[system]`.
pub(crate) fn read(node: &Node, devices: &Devices<'_>) -> Checked<Placed> {
    let section = node.section("[system]", &KEYS)?;
    let zfs = section.need("zfs", "zfs = \"2.1.5\"")?;
    let version = version(zfs)?;
    let usual = if version.is_legacy_freebsd() { Kernel::Freebsd } else { Kernel::Linux };
    let os = section.maybe("os", |os| os.choice(&OS))?.unwrap_or(usual);
    check_os(zfs, version, os)?;
    let memory = memory(section.need("memory", "memory = \"16GiB\"")?)?;
    let cpu = section.maybe("cpu", Node::name_text)?.unwrap_or("nas-quad").to_owned();
    let settings = section.maybe("tunables", settings::read)?.unwrap_or_default();
    let pool = section.need("pool", "[system.pool] with data = [\"hdd-nas-7200\"]")?;
    let pool = pool::read(pool, devices)?;
    let tunables = settings.iter().map(|placed| placed.setting.clone()).collect();
    let zfs = zfs.text()?.to_owned();
    let system = System { zfs, os, memory, cpu, pool, tunables };
    Ok(Placed { system, settings })
}

/// Reads a version of ZFS.
pub(crate) fn version(node: &Node) -> Checked<Version> {
    let text = node.text().map_err(|fault| fault.help("write for example zfs = \"2.1.5\""))?;
    text.parse().map_err(|error| node.fault(format!("“{}”: {error}", node.name)))
}

/// Refuses FreeBSD's own ZFS on Linux.
pub(crate) fn check_os(zfs: &Node, version: Version, os: Kernel) -> Checked<()> {
    if version.is_legacy_freebsd() && os == Kernel::Linux {
        let fault = zfs.fault(format!("{version} does not run on Linux"));
        return Err(fault.help("write os = \"freebsd\" in [system]"));
    }
    Ok(())
}

/// Reads an amount of memory within reason.
pub(crate) fn memory(node: &Node) -> Checked<Bytes> {
    let memory = node.size()?;
    if memory < MEMORY_MIN {
        return Err(too(node, memory, "little", MEMORY_MIN, "least"));
    }
    if memory > MEMORY_MAX {
        return Err(too(node, memory, "much", MEMORY_MAX, "most"));
    }
    Ok(memory)
}

fn too(node: &Node, memory: Bytes, how: &str, bound: Bytes, end: &str) -> Box<Fault> {
    node.fault(format!("{memory} of memory is too {how}; the {end} is {bound}"))
}
