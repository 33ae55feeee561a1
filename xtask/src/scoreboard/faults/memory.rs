//! Memory: an ARC that collapsed, one that is squeezed, and signs that are none.

use super::Fault;
use super::arc::traffic;
use crate::scoreboard::edit::{Edit, Editor, Skip};

const ARC: &str = "zfs/arcstats";

pub(super) const FAULTS: [Fault; 4] = [
    // openzfs/zfs issues 12354, 14686: reclaim takes the ARC down to its minimum while memory is free.
    Fault::of("ARC collapsed while memory is free", collapsed)
        .must(&["arc-collapsed"])
        .may(&["metadata-misses", "metadata-cold", "seek-bound", "setting-not-live"])
        .never(&["arc-squeezed", "arc-small"]),
    Fault::of("ARC squeezed by programs", squeezed)
        .must(&["arc-squeezed"])
        .may(&["metadata-misses", "metadata-cold", "seek-bound", "setting-not-live"])
        .never(&["arc-collapsed", "arc-small"]),
    // The target is left at half of the maximum: where a machine misses what it held before, and has memory free,
    // that is an ARC that has shrunk, whatever the calls.
    Fault::of("three calls of the shrinker since boot", three_calls)
        .may(&["arc-collapsed"])
        .never(&["arc-squeezed"]),
    Fault::of("swap on a volume", swap).must(&["swap-on-zvol"]),
];

/// Makes a limit of half the memory, and a target near the least.
fn low(editor: &mut Editor, free: u64) -> Edit {
    let memory = editor.machine.memory.map(|memory| memory.total.0);
    let memory = memory.ok_or_else(|| Skip("memory is not read".to_owned()))?;
    let least = editor.now(ARC, "c_min")?;
    let most = memory / 2;
    if most < least * 3 {
        return Err(Skip("half of the memory is near the ARC's minimum".to_owned()));
    }
    editor.arc_max(most)?;
    editor.level(ARC, "c", least + least / 50)?;
    editor.level(ARC, "size", least + least / 50)?;
    editor.level(ARC, "memory_free_bytes", free)?;
    editor.level(ARC, "memory_available_bytes", free / 8 * 7)?;
    meminfo(editor, free)?;
    traffic(editor, [60_000, 30_000], [60_000, 20_000], [0, 0])?;
    editor.counted(ARC, "mru_ghost_hits", 15_000)?;
    editor.counted(ARC, "mfu_ghost_hits", 20_000)
}

/// Sets what Linux says of free memory, in every reading.
fn meminfo(editor: &mut Editor, free: u64) -> Edit {
    let names: Vec<String> = editor
        .sources
        .texts
        .keys()
        .filter(|name| name.ends_with("proc/meminfo"))
        .cloned()
        .collect();
    for name in names {
        let text = editor.sources.text(&name).unwrap_or_default().to_owned();
        let line = |line: &str| match line.split(':').next() {
            Some(row @ ("MemFree" | "MemAvailable")) => format!("{row}: {} kB\n", free / 1024),
            _ => format!("{line}\n"),
        };
        editor.put(&name, text.lines().map(line).collect());
    }
    Ok(())
}

fn collapsed(editor: &mut Editor) -> Edit {
    let memory = editor.now(ARC, "memory_all_bytes")?;
    low(editor, memory / 2)?;
    // What pushed it down was before both readings.
    editor.level(ARC, "memory_indirect_count", 2_000)?;
    editor.level(ARC, "memory_direct_count", 300)
}

fn squeezed(editor: &mut Editor) -> Edit {
    let memory = editor.now(ARC, "memory_all_bytes")?;
    low(editor, memory / 200)?;
    editor.level(ARC, "memory_available_bytes", 0)?;
    editor.level(ARC, "arc_no_grow", 1)?;
    editor.level(ARC, "arc_need_free", memory / 20)?;
    editor.counted(ARC, "memory_indirect_count", 90_000)?;
    editor.counted(ARC, "memory_direct_count", 40_000)
}

fn three_calls(editor: &mut Editor) -> Edit {
    // They were made long before, so that both readings have them.
    editor.level(ARC, "memory_indirect_count", 3)?;
    let most = editor.now(ARC, "c_max")?;
    editor.level(ARC, "c", most / 2)?;
    editor.level(ARC, "size", most / 2)
}

fn swap(editor: &mut Editor) -> Edit {
    if editor.is_freebsd() {
        return Err(Skip("swapinfo is not captured".to_owned()));
    }
    let text = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n\
                /dev/zd0                                partition\t4194300\t\t112640\t\t-2\n";
    editor.put("proc/swaps", text.to_owned());
    Ok(())
}
