//! The machine: version, memory, processor.

use arcwright_tunables::{Kernel, Version};
use arcwright_units::Bytes;

use super::device::Devices;
use super::tree::Node;
use super::{Fetch, pool, processor, settings};
use crate::error::{Checked, Fault};
use crate::platform::{PLATFORMS, Platform};
use crate::system::{Setting, System};

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
    /// The platform that `zfs` names, and what it sets.
    pub(crate) platform: Option<(Platform, Vec<Setting>)>,
}

/// A version of ZFS, as the scenario means it.
#[derive(Debug, Clone)]
pub(crate) struct Release {
    pub(crate) version: Version,
    /// The version as text.
    pub(crate) text: String,
    /// The platform that stands for it.
    pub(crate) platform: Option<Platform>,
}

/// Reads `[system]`.
pub(crate) fn read(node: &Node, devices: &Devices<'_>, fetch: Fetch<'_>) -> Checked<Placed> {
    let section = node.section("[system]", &KEYS)?;
    let zfs = section.need("zfs", "zfs = \"2.1.5\"")?;
    let release = release(zfs)?;
    let usual = if release.version.is_legacy_freebsd() { Kernel::Freebsd } else { Kernel::Linux };
    let usual = release.platform.map_or_else(|| usual, |platform| platform.os);
    let os = section.maybe("os", |os| os.choice(&OS))?.unwrap_or(usual);
    check_os(zfs, &release, os)?;
    let memory = memory(section.need("memory", "memory = \"16GiB\"")?)?;
    let own = section.maybe("cpu", |cpu| processor::read(cpu, fetch))?;
    let (cpu, cpu_figures) = own.unwrap_or_else(|| ("nas-quad".to_owned(), None));
    let settings = section.maybe("tunables", settings::read)?.unwrap_or_default();
    let pool = section.need("pool", "[system.pool] with data = [\"hdd-nas-7200\"]")?;
    let pool = pool::read(pool, devices)?;
    let platform = release.platform.map(|platform| (platform, platform.settings(memory)));
    let preset = platform.as_ref().map(|(_, settings)| settings.as_slice()).unwrap_or_default();
    let tunables = settings::over(preset, &settings);
    let zfs = release.text;
    let system = System { zfs, os, memory, cpu, cpu_figures, pool, tunables };
    Ok(Placed { system, settings, platform })
}

/// Reads a version of ZFS, or a platform that stands for one.
pub(crate) fn release(node: &Node) -> Checked<Release> {
    let text = node.text().map_err(|fault| fault.help("write for example zfs = \"2.1.5\""))?;
    if let Some(platform) = Platform::find(text) {
        let version = Version::parse(platform.zfs);
        let version = version.ok_or_else(|| node.fault("a platform without a version"))?;
        return Ok(Release { version, text: platform.zfs.to_owned(), platform: Some(platform) });
    }
    let version = text.parse().map_err(|error| {
        let fault = node.fault(format!("“{}”: {error}", node.name));
        match text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            true => fault.nearest(text, &PLATFORMS.map(|platform| platform.name)),
            false => fault,
        }
    })?;
    Ok(Release { version, text: text.to_owned(), platform: None })
}

/// Refuses a system's own ZFS on another.
pub(crate) fn check_os(zfs: &Node, release: &Release, os: Kernel) -> Checked<()> {
    let name = |os| OS.iter().find(|(_, other)| *other == os).map_or("", |(name, _)| *name);
    let (what, needed) = match release.platform {
        Some(platform) if platform.os != os => (platform.name.to_owned(), platform.os),
        None if release.version.is_legacy_freebsd() && os == Kernel::Linux => {
            (release.version.to_string(), Kernel::Freebsd)
        }
        _ => return Ok(()),
    };
    let label = if os == Kernel::Linux { "Linux" } else { "FreeBSD" };
    let fault = zfs.fault(format!("{what} does not run on {label}"));
    Err(fault.help(format!("write os = \"{}\" in [system]", name(needed))))
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
