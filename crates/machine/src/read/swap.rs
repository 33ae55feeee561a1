//! Where memory is swapped to (`/proc/swaps`, `swapinfo`), and what tools that round say of memory.

use std::collections::BTreeSet;

use super::memory;
use crate::machine::Machine;
use crate::sources::Sources;

/// More places to swap to are not looked at; kernels take some thirty.
const DEVICES_MAX: usize = 1000;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let texts = ["proc/swaps", "commands/swapinfo"].iter().filter_map(|name| sources.text(name));
    let mut known = BTreeSet::new();
    for line in texts.flat_map(str::lines) {
        let first = line.split_whitespace().next().filter(|first| first.starts_with('/'));
        if let Some(device) = first.filter(|device| known.insert(*device)) {
            machine.swap.push(device.to_owned());
        }
        if machine.swap.len() >= DEVICES_MAX {
            break;
        }
    }
    if machine.memory.is_none() {
        machine.memory = sources.text("commands/memory").and_then(memory::of_meminfo);
    }
}

#[cfg(test)]
mod tests {
    use super::{Machine, collect};
    use crate::sources::{Source, Sources};

    #[test]
    fn devices_are_named_once_and_totals_are_none() {
        let mut sources = Sources::default();
        let mut add = |name: &str, text: &str| {
            sources.texts.insert(name.to_owned(), Source::Text(text.to_owned()));
        };
        add(
            "proc/swaps",
            "Filename\tType\tSize\tUsed\tPriority\n/dev/zd0 partition 8388604 0 -2\n/dev/zd0 partition 1 0 -2\n",
        );
        add(
            "commands/swapinfo",
            "Device 1K-blocks Used Avail Capacity\n/dev/ada0p3 2097152 0 2097152 0%\nTotal 1 0 1 0%\n",
        );
        add("commands/memory", "MemTotal: 16384 kB\n");
        let mut machine = Machine::default();
        collect(&sources, &mut machine);
        assert_eq!(machine.swap, ["/dev/zd0", "/dev/ada0p3"]);
        assert_eq!(machine.memory.map(|memory| memory.total.0), Some(16 << 20));
    }
}
