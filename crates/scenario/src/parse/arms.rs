//! The arms: what is compared.

use arcwright_tunables::Version;
use arcwright_units::Bytes;

use super::device::Devices;
use super::tree::Node;
use super::{dataset, notes, pool, settings, system, unique};
use crate::error::Checked;
use crate::experiment::Arm;
use crate::system::Setting;

/// What an arm says beside the properties of the pool's own dataset.
const KEYS: [&str; 8] =
    ["name", "tunables", "zfs", "memory", "cache", "log", "special", "datasets"];

/// Reads every `[[arm]]`; one that changes nothing when there is none. What names stood for is added to `notes`.
pub(crate) fn read(
    nodes: &[Node],
    (base, devices): (&system::Placed, &Devices<'_>),
    notes: &mut Vec<String>,
) -> Checked<Vec<Arm>> {
    if nodes.is_empty() {
        return as_is(base).map(|arm| vec![arm]);
    }
    let mut arms: Vec<Arm> = Vec::new();
    for node in nodes {
        let arm = arm(node, (base, devices), notes)?;
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

fn arm(
    node: &Node,
    (base, devices): (&system::Placed, &Devices<'_>),
    notes: &mut Vec<String>,
) -> Checked<Arm> {
    let section = node.section("[[arm]]", &[&KEYS[..], &pool::PROPERTIES].concat())?;
    let name = section.need("name", "name = \"as installed\"")?.short_name()?.to_owned();
    let own = section.maybe("tunables", settings::read)?.unwrap_or_default();
    let release = section.maybe("zfs", system::release)?;
    if let (Some(zfs), Some(release)) = (section.get("zfs"), &release) {
        system::check_os(zfs, release, base.system.os)?;
    }
    let version = release.as_ref().map(|release| release.version);
    if let Some(version) = version.or_else(|| Version::parse(&base.system.zfs)) {
        settings::check_version(&own, version, &name)?;
        settings::check_version(&base.settings, version, &name)?;
    }
    let log = section.maybe("log", |node| pool::few_kinds(node, devices))?;
    if let (Some(node), Some(log)) = (section.get("log"), &log) {
        pool::check_log(node, log, &base.system.pool)?;
    }
    let memory = section.maybe("memory", system::memory)?;
    if let Some(node) = section.get("memory") {
        notes::add(notes, notes::decimal_memory(node));
    }
    let preset = release.as_ref().map(|release| preset(release, (base, memory), notes));
    Ok(Arm {
        name,
        tunables: settings::over(&preset.unwrap_or_default(), &own),
        zfs: release.map(|release| release.text),
        memory,
        cache: section.maybe("cache", |node| pool::disks(node, devices))?,
        log,
        special: section.maybe("special", |node| pool::few_kinds(node, devices))?,
        properties: pool::properties(&section)?,
        datasets: section
            .maybe("datasets", |node| dataset::changes(node, &base.system.pool.datasets))?
            .unwrap_or_default(),
    })
}

/// Returns what another version than the system's brings: what its platform sets, and the default (0) of what only the
/// system's platform sets.
fn preset(
    release: &system::Release,
    (base, memory): (&system::Placed, Option<Bytes>),
    notes: &mut Vec<String>,
) -> Vec<Setting> {
    let memory = memory.unwrap_or(base.system.memory);
    let mut preset = release.platform.map(|it| it.settings(memory)).unwrap_or_default();
    if let Some(platform) = release.platform {
        notes::add(notes, Some(platform.meaning(&preset)));
    }
    let theirs = base.platform.iter().flat_map(|(_, settings)| settings);
    let is_own = |name: &str| base.settings.iter().any(|placed| placed.setting.name == name);
    for setting in theirs.filter(|setting| !is_own(&setting.name)) {
        if !preset.iter().any(|other| other.name == setting.name) {
            preset.push(Setting { name: setting.name.clone(), value: 0 });
        }
    }
    // What the scenario sets for every arm stands above what a platform sets.
    preset.retain(|setting| !is_own(&setting.name));
    preset
}
