//! Parameters of the loaded modules, by their Linux name.
//!
//! On Linux they are files; whether a file may be written stands in the list of modes that a capture
//! carries (`modes/sys/module/zfs/parameters`, lines such as `0644 zfs_arc_max`). On `FreeBSD` they
//! are sysctls, of which the catalogue knows the Linux name; one that it does not know keeps its own.

use std::collections::BTreeMap;

use arcwright_tunables::lookup;

use crate::machine::{Machine, Parameter};
use crate::sources::Sources;

const MODULES: [&str; 2] = ["zfs", "spl"];
/// Sysctls below `vfs.zfs` that are readings, not parameters.
const READINGS: [&str; 5] = ["_size", "_lsize", "_used", "version.", "_count"];
/// Anyone may read, the owner may write.
const WRITABLE: u32 = 0o200;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    for module in MODULES {
        let folder = format!("sys/module/{module}/parameters/");
        let modes = modes(sources.text(&format!("modes/sys/module/{module}/parameters")));
        for (name, text) in sources.below(&folder) {
            let parameter = Parameter {
                name: name.to_owned(),
                value: text.trim_end_matches(['\n', '\r']).to_owned(),
                writable: modes.get(name).map(|mode| mode & WRITABLE != 0),
            };
            machine.parameters.insert(name.to_owned(), parameter);
        }
    }
    if let Some(sysctls) = sources.sysctls() {
        for (name, value) in sysctls.values.iter().filter(|(name, _)| is_parameter(name)) {
            add_sysctl(machine, name, value);
        }
    }
}

fn modes(text: Option<&str>) -> BTreeMap<&str, u32> {
    let line = |line: &'_ str| -> Option<(usize, u32)> {
        let (mode, _) = line.split_once(' ')?;
        Some((mode.len(), u32::from_str_radix(mode, 8).ok()?))
    };
    let lines = text.unwrap_or_default().lines();
    lines
        .filter_map(|text| {
            let (length, mode) = line(text)?;
            Some((text.get(length..)?.trim(), mode))
        })
        .collect()
}

fn is_parameter(name: &str) -> bool {
    name.strip_prefix("vfs.zfs.").is_some_and(|rest| {
        lookup(name).is_some() || !READINGS.iter().any(|part| rest.contains(part))
    })
}

fn add_sysctl(machine: &mut Machine, name: &str, value: &str) {
    let entry = lookup(name);
    let key = entry.map_or(name, |entry| entry.name.as_str());
    // OpenZFS on FreeBSD shows old names beside the new ones; the new one is the parameter.
    let newer = entry.is_some_and(|entry| entry.freebsd.as_deref() == Some(name));
    if newer || !machine.parameters.contains_key(key) {
        let value = value.trim().to_owned();
        let parameter = Parameter { name: name.to_owned(), value, writable: None };
        machine.parameters.insert(key.to_owned(), parameter);
    }
}
