//! How much memory there is: `/proc/meminfo` or `FreeBSD`'s sysctls.

use arcwright_units::Bytes;

use crate::machine::{Machine, Memory};
use crate::sources::Sources;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    if let Some(text) = sources.text("proc/meminfo") {
        match of_meminfo(text) {
            Some(memory) => machine.memory = Some(memory),
            None => machine.garbled("proc/meminfo", "there is no line “MemTotal: … kB”"),
        }
    } else if let Some(sysctls) = sources.sysctls() {
        let pages = sysctls.number("vm.stats.vm.v_free_count");
        let inactive = sysctls.number("vm.stats.vm.v_inactive_count");
        let size =
            sysctls.number("hw.pagesize").or_else(|| sysctls.number("vm.stats.vm.v_page_size"));
        let unused = pages.zip(inactive).and_then(|(free, unused)| free.checked_add(unused));
        let available =
            unused.zip(size).and_then(|(pages, size)| pages.checked_mul(size).map(Bytes));
        let total = sysctls.number("hw.physmem").or_else(|| sysctls.number("hw.realmem"));
        let total = total.map(Bytes);
        let free = pages.zip(size).and_then(|(pages, size)| pages.checked_mul(size).map(Bytes));
        let wired = sysctls.number("vm.stats.vm.v_wire_count").zip(size);
        let wired = wired.and_then(|(pages, size)| pages.checked_mul(size).map(Bytes));
        machine.memory =
            total.map(|total| Memory { total, available, free, wired, ..Memory::default() });
    }
}

pub(super) fn of_meminfo(text: &str) -> Option<Memory> {
    // Of several looks at a machine, put together as one text, the last counts.
    let row = |name: &str| {
        let mut lines = text.lines().rev();
        let line = lines.find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'))?;
        let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
        kib.checked_mul(1024).map(Bytes)
    };
    // Kernels before 3.14 do not estimate it; free of that time showed what is free, and buffers and pages of files beside it,
    // of which those of shared memory cannot be dropped.
    let unused = || {
        let parts = [row("MemFree")?, row("Buffers")?, row("Cached")?];
        let shared = row("Shmem").map_or(0, |shared| shared.0);
        let sum = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.0));
        Some(Bytes(sum.saturating_sub(shared)))
    };
    let swap_total = row("SwapTotal");
    let swap_used = swap_total.zip(row("SwapFree"));
    let swap_used = swap_used.map(|(all, free)| Bytes(all.0.saturating_sub(free.0)));
    Some(Memory {
        total: row("MemTotal")?,
        available: row("MemAvailable").or_else(unused),
        free: row("MemFree"),
        swap_used,
        swap_total,
        slab_held: row("SUnreclaim"),
        wired: row("Wired"),
    })
}
