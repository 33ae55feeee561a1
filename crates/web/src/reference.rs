//! The machine that sliders begin at: the reference arm of a scenario.

use arcwright_scenario::{Disk, Scenario, System, VdevSpec};
use arcwright_tunables::{DefaultValue, Version, lookup};
use serde::Serialize;

use crate::error::PageError;
use crate::prediction::parse;

/// What the reference arm has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reference {
    /// Title of the scenario.
    pub title: String,
    /// Its question.
    pub question: String,
    /// Name of the arm.
    pub arm: String,
    /// Version of OpenZFS.
    pub zfs: String,
    /// Installed memory, in bytes.
    pub memory: u64,
    /// Installed memory, printed.
    pub memory_text: String,
    /// Cache devices, as text; absent without.
    pub cache: Option<String>,
    /// Log devices, as text; absent without.
    pub log: Option<String>,
    /// How far streams read ahead, in bytes: zero is off; absent where that is not known.
    pub prefetch: Option<u64>,
    /// Whether the L2ARC takes and serves prefetched blocks.
    pub streams: bool,
}

/// Returns the machine of a scenario's first arm.
///
/// # Errors
/// What is wrong with the file.
pub fn reference(file: &str) -> Result<Reference, PageError> {
    let scenario: Scenario = parse(file)?;
    let first = scenario.arms.first();
    let first = first.ok_or_else(|| PageError::new("the scenario has no arm"))?;
    let system = scenario.system_of(first);
    let logs: Vec<&Disk> = system.pool.log.iter().flat_map(|vdev: &VdevSpec| &vdev.disks).collect();
    Ok(Reference {
        title: scenario.title.clone(),
        question: scenario.question.clone(),
        arm: first.name.clone(),
        zfs: system.zfs.clone(),
        memory: system.memory.0,
        memory_text: system.memory.to_string(),
        cache: listed(&system.pool.cache.iter().collect::<Vec<_>>()),
        log: listed(&logs),
        prefetch: prefetch(&system),
        streams: setting(&system, "l2arc_noprefetch") == Some(0),
    })
}

fn listed(disks: &[&Disk]) -> Option<String> {
    let one = |disk: &&Disk| match disk.size {
        Some(size) => format!("{} ({size})", disk.profile),
        None => disk.profile.clone(),
    };
    (!disks.is_empty()).then(|| disks.iter().map(one).collect::<Vec<_>>().join(" + "))
}

fn prefetch(system: &System) -> Option<u64> {
    match setting(system, "zfs_prefetch_disable") {
        Some(disabled) if disabled > 0 => Some(0),
        _ => setting(system, "zfetch_max_distance"),
    }
}

/// Returns what a parameter is on a system: as it is set, or by default.
fn setting(system: &System, name: &str) -> Option<u64> {
    let set = system.tunables.iter().rev().find(|setting| setting.name == name);
    set.map(|setting| setting.value).or_else(|| {
        let default = lookup(name)?.default_on(system.os, Version::parse(&system.zfs)?)?;
        match default {
            DefaultValue::Fixed(value) => Some(value),
            DefaultValue::Word(_) | DefaultValue::Derived(_) => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::reference;
    use crate::form::Form;

    #[test]
    fn the_reference_is_what_was_picked_with_the_defaults_of_its_version() {
        let of = |zfs: &str| {
            let form = Form { zfs: zfs.to_owned(), ..Form::default() };
            reference(&form.scenario_file().unwrap()).unwrap()
        };
        let modern = of("2.3.2");
        assert_eq!((modern.memory, modern.prefetch), (16 << 30, Some(64 << 20)));
        assert_eq!((modern.cache, modern.log, modern.streams), (None, None, false));
        assert_eq!(of("2.0.3").prefetch, Some(8 << 20));
    }

    #[test]
    fn a_field_report_has_its_devices() {
        let entry = arcwright_scenario::GalleryScenario::find("steam-library").unwrap();
        let steam = reference(entry.text).unwrap();
        assert_eq!(steam.cache.as_deref(), Some("nvme-consumer (120 GiB)"));
        assert_eq!(steam.arm, "as installed");
    }
}
