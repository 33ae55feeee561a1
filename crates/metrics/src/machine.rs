//! Everything that is read of a machine.

use arcwright_machine::{Kernel, Machine};

use crate::datasets::{self, DatasetSeries};
use crate::families::Families;
use crate::family::{BYTES, Family, Number};
use crate::{arc, buffers, intent_log, l2arc, pools, transactions, vdevs};

const MEMORY: Family = Family::gauge(
    "arcwright_memory_bytes",
    "Memory of the machine: all of it, what programs could get without swapping, what nobody uses.",
)
.of(BYTES);
const SWAP: Family =
    Family::gauge("arcwright_swap_bytes", "Room to swap out to, and what is swapped out.")
        .of(BYTES);
const ZFS: Family = Family::gauge("arcwright_zfs_info", "The ZFS module that is loaded; always 1.");
const PROBLEMS: Family = Family::gauge(
    "arcwright_sources_unread",
    "Files and commands that could not be read or understood.",
);

impl Families {
    /// Adds what was read of a machine: its last reading, pools, vdevs, memory.
    pub fn add_machine(&mut self, machine: &Machine, datasets: DatasetSeries) {
        let last = machine.samples.last();
        if let Some(kstats) = last.map(|sample| &sample.kstats) {
            arc::add(self, kstats);
            l2arc::add(self, kstats);
            buffers::add(self, kstats);
            intent_log::add(self, kstats);
            transactions::add(self, kstats);
            if datasets == DatasetSeries::On {
                datasets::add(self, kstats);
            }
        }
        pools::add(self, &machine.pools, last);
        vdevs::add(self, machine);
        self.add_memory(machine);
        self.add(&PROBLEMS, &[], Number::size(machine.problems.len()));
        if let Some(version) = &machine.zfs_text {
            let kernel = machine.os.map(kernel).unwrap_or_default();
            self.add(&ZFS, &[("os", kernel), ("version", version)], Number::ONE);
        }
    }

    fn add_memory(&mut self, machine: &Machine) {
        let Some(memory) = machine.memory else { return };
        let kinds =
            [("total", Some(memory.total)), ("available", memory.available), ("free", memory.free)];
        for (kind, bytes) in kinds {
            self.add_some(&MEMORY, &[("kind", kind)], bytes.map(|bytes| Number::count(bytes.0)));
        }
        for (kind, bytes) in [("total", memory.swap_total), ("used", memory.swap_used)] {
            self.add_some(&SWAP, &[("kind", kind)], bytes.map(|bytes| Number::count(bytes.0)));
        }
    }
}

const fn kernel(kernel: Kernel) -> &'static str {
    match kernel {
        Kernel::Linux => "linux",
        Kernel::Freebsd => "freebsd",
    }
}
