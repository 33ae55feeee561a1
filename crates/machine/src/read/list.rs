//! `zpool list -Hpv` (or without `-H`): the space of pools and vdevs.
//!
//! Columns: name, size, allocated, free, then from 0.8 the checkpoint, then expandable size,
//! fragmentation, capacity, deduplication, health. With `-H` a vdev's line begins with a tab.

use arcwright_units::Bytes;

use super::properties::pool_named;
use crate::machine::Machine;
use crate::nice;
use crate::pool::{Space, Vdev, is_same_vdev};
use crate::sources::Sources;

const TEXT: &str = "commands/zpool-list";

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let mut pool: Option<String> = None;
    for line in sources.text(TEXT).unwrap_or_default().lines() {
        let inner = line.starts_with(['\t', ' ']);
        let words: Vec<&str> = match line.contains('\t') {
            true => line.trim_start_matches('\t').split('\t').collect(),
            false => line.split_whitespace().collect(),
        };
        let Some((name, columns)) = words.split_first() else { continue };
        let name = name.trim();
        if columns.len() < 3 || name == "NAME" || columns.first() == Some(&"-") && !inner {
            continue;
        }
        let space = space(columns);
        if !inner {
            pool = Some(name.to_owned());
            let known = pool_named(&mut machine.pools, name);
            add_properties(&mut known.properties, space);
        } else if let Some(pool) = &pool {
            let known = pool_named(&mut machine.pools, pool);
            known.vdevs.iter_mut().for_each(|vdev| fill(vdev, name, space));
        }
    }
}

fn space(columns: &[&str]) -> Space {
    let bytes = |index: usize| {
        let text = columns.get(index)?.trim();
        nice::binary(text).and_then(nice::whole).map(Bytes)
    };
    // With the checkpoint's column there are eight or more; fragmentation is the third from it.
    let index = if columns.len() >= 9 { 5 } else { 4 };
    let fragmentation = columns.get(index).map(|text| text.trim().trim_end_matches('%'));
    Space {
        size: bytes(0),
        allocated: bytes(1),
        free: bytes(2),
        fragmentation_pct: fragmentation.and_then(|text| text.parse().ok()),
    }
}

/// A list pasted without `zpool get` still tells how full the pool is.
fn add_properties(properties: &mut std::collections::BTreeMap<String, String>, space: Space) {
    let Space { size, allocated, free, fragmentation_pct } = space;
    let mut add = |name: &str, value: Option<u64>| {
        if let Some(value) = value {
            properties.entry(name.to_owned()).or_insert(value.to_string());
        }
    };
    add("size", size.map(|bytes| bytes.0));
    add("allocated", allocated.map(|bytes| bytes.0));
    add("free", free.map(|bytes| bytes.0));
    add("fragmentation", fragmentation_pct);
    // Rounded down, as zpool(8) does.
    let full = allocated.zip(size).filter(|(_, size)| size.0 > 0);
    add("capacity", full.and_then(|(used, size)| used.0.checked_mul(100)?.checked_div(size.0)));
}

fn fill(vdev: &mut Vdev, name: &str, space: Space) {
    if is_same_vdev(&vdev.name, name) {
        vdev.space = Some(space);
    }
    vdev.children.iter_mut().for_each(|child| fill(child, name, space));
}
