//! A machine with everything at its default, for tests: known good, to be broken in one place.

use std::collections::BTreeMap;

use arcwright_units::Bytes;

use crate::{DefaultValue, Kernel, Running, Seen, SetWhen, Version, entries};

/// Returns a Linux machine with 16 GiB of memory whose module is `version` and stands at its
/// defaults.
pub(crate) fn running(version: &str) -> Running {
    let parsed = Version::parse(version).unwrap();
    let on_linux = entries().iter().filter(|entry| entry.on != Some(Kernel::Freebsd));
    let there = on_linux.filter(|entry| entry.exists_in(parsed));
    let mut parameters: BTreeMap<String, Seen> = there
        .map(|entry| {
            let word = match entry.default_for(parsed) {
                Some(DefaultValue::Word(word)) => Some(word.to_owned()),
                _ => None,
            };
            let number =
                entry.shown_by_default(Kernel::Linux, parsed).unwrap_or(1 << 30).to_string();
            let writable = Some(entry.set_in(parsed) == SetWhen::Runtime);
            (entry.name.clone(), Seen { value: word.unwrap_or(number), writable })
        })
        .collect();
    let other = Seen { value: "0".to_owned(), writable: Some(true) };
    parameters.insert("zfs_scan_legacy".to_owned(), other);
    Running {
        kernel: Kernel::Linux,
        version: Some(parsed),
        version_text: Some(version.to_owned()),
        memory: Some(Bytes::gib(16)),
        arc_bounds: Some((Bytes::mib(512).0, Bytes::gib(8).0)),
        parameters,
    }
}

/// Returns the same machine with one parameter set.
pub(crate) fn running_with(version: &str, name: &str, value: &str) -> Running {
    let mut running = running(version);
    running.parameters.get_mut(name).unwrap().value = value.to_owned();
    running
}
