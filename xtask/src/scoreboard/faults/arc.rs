//! The ARC: what it holds, what it gives up in vain, what prefetch brings in.

use super::Fault;
use crate::scoreboard::edit::{Edit, Editor, Skip};

const ARC: &str = "zfs/arcstats";
const DBUF: &str = "zfs/dbufstats";

pub(super) const FAULTS: [Fault; 8] =
    [
        // openzfs/zfs issues 9966, 14005: pinned dnodes and bonus buffers keep the ARC above its limit, and
        // arc_prune runs without end; more room only fills as well.
        Fault::of("ARC above its maximum by dnodes", over_max)
            .must(&["arc-over-max"])
            .may(&["dnode-limit", "metadata-misses", "eviction-fruitless"])
            .never(&["arc-small"]),
        Fault::of("eviction that frees little", fruitless).must(&["eviction-fruitless"]),
        Fault::of("dbuf cache thrash", dbuf_thrash).must(&["dbuf-cache-thrash"]),
        Fault::of("metadata does not fit", metadata)
            .must(&["metadata-misses|metadata-cold"])
            .may(&["seek-bound", "arc-small", "dnode-limit"]),
        Fault::of("prefetch that nobody asks for", wasted).must(&["prefetch-wasted"]).may(&[
            "l2arc-prefetch-excluded",
            "l2arc-not-reread",
            "l2arc-ineligible",
        ]),
        Fault::of("prefetch that all ask for", useful).never(&["prefetch-wasted"]).may(&[
            "l2arc-prefetch-excluded",
            "l2arc-not-reread",
            "l2arc-ineligible",
        ]),
        Fault::of("a counter of 2^64-1", wrapped)
            .says(&["arcstats.demand_data_misses is 184467440737", "an impossible value"])
            .may(&["counters-reset"]),
        Fault::of("deduplication table larger than memory", dedup)
            .must(&["dedup-table|dedup"])
            .may(&["dedup"]),
    ];

fn over_max(editor: &mut Editor) -> Edit {
    let most = editor.now(ARC, "c_max")?;
    editor.level(ARC, "size", most / 5 * 8)?;
    editor.level(ARC, "c", most)?;
    editor.level(ARC, "dnode_size", most / 5 * 3)?;
    editor.level(ARC, "bonus_size", most / 5)?;
    editor.level(ARC, "dbuf_size", most / 5)?;
    editor.counted(ARC, "arc_prune", 60_000)
}

fn fruitless(editor: &mut Editor) -> Edit {
    editor.windowed()?;
    editor.counted(ARC, "deleted", 40_000)?;
    editor.counted(ARC, "evict_skip", 9_000_000)?;
    editor.counted(ARC, "evict_not_enough", 20_000)
}

fn dbuf_thrash(editor: &mut Editor) -> Edit {
    editor.windowed()?;
    let target = editor.now(DBUF, "cache_target_bytes")?;
    editor.level(DBUF, "cache_size_bytes", target / 100 * 109)?;
    editor.counted(DBUF, "cache_total_evicts", 900_000)?;
    editor.counted(DBUF, "hash_hits", 500_000)?;
    editor.counted(DBUF, "hash_misses", 900_000)?;
    traffic(editor, [1_200_000, 1_000], [200_000, 500], [0, 0])
}

/// Sets what the classes hit and missed in the window, and the sums that follow.
pub(super) fn traffic(
    editor: &mut Editor,
    data: [u64; 2],
    metadata: [u64; 2],
    prefetch: [u64; 2],
) -> Edit {
    editor.windowed()?;
    for (index, what) in ["hits", "misses"].into_iter().enumerate() {
        let of = |pair: [u64; 2]| pair.get(index).copied().unwrap_or_default();
        editor.counted(ARC, &format!("demand_data_{what}"), of(data))?;
        editor.counted(ARC, &format!("demand_metadata_{what}"), of(metadata))?;
        editor.counted(ARC, &format!("prefetch_data_{what}"), of(prefetch))?;
        editor.counted(ARC, &format!("prefetch_metadata_{what}"), 0)?;
        let sum = of(data).saturating_add(of(metadata)).saturating_add(of(prefetch));
        editor.counted(ARC, what, sum)?;
    }
    for row in ["iohits", "demand_data_iohits", "prefetch_data_iohits"] {
        if editor.now(ARC, row).is_ok() {
            editor.counted(ARC, row, 0)?;
        }
    }
    Ok(())
}

fn metadata(editor: &mut Editor) -> Edit {
    traffic(editor, [60_000, 200], [90_000, 80_000], [0, 0])?;
    editor.counted(ARC, "mru_ghost_hits", 30_000)?;
    editor.counted(ARC, "mfu_ghost_hits", 15_000)?;
    let most = editor.now(ARC, "c_max")?;
    editor.level(ARC, "size", most / 100 * 99)?;
    editor.level(ARC, "c", most)
}

fn prefetched(editor: &mut Editor, demanded: u64) -> Edit {
    const ISSUED: u64 = 400_000;
    traffic(editor, [300_000 + demanded, 2_000], [90_000, 100], [1_000, ISSUED])?;
    // Up to 2.1 a reader that joins a prefetch on its way is counted nowhere (arc.c, arc_read).
    if editor.now(ARC, "predictive_prefetch").is_err() {
        return Err(Skip("what readers asked for of prefetch is not counted".to_owned()));
    }
    editor.counted(ARC, "predictive_prefetch", ISSUED)?;
    editor.counted(ARC, "demand_iohit_predictive_prefetch", demanded / 20)?;
    editor.counted(ARC, "demand_hit_predictive_prefetch", demanded)
}

fn wasted(editor: &mut Editor) -> Edit {
    prefetched(editor, 12_000)
}

fn useful(editor: &mut Editor) -> Edit {
    prefetched(editor, 388_000)
}

fn wrapped(editor: &mut Editor) -> Edit {
    editor.windowed()?;
    let last = editor.now(ARC, "demand_data_misses")?;
    editor.counted(ARC, "demand_data_misses", u64::MAX - last)
}

fn dedup(editor: &mut Editor) -> Edit {
    let memory = editor.machine.memory.map(|memory| memory.total.0);
    let memory = memory.ok_or_else(|| Skip("memory is not read".to_owned()))?;
    let pool = editor.pool()?.name.clone();
    let entries = memory / 320 * 3;
    editor.property("zfs-get", &pool, "dedup", "on")?;
    editor.property("zpool-get", &pool, "dedupratio", "1.06")?;
    editor.status(|text| {
        format!(
            "{text}\n dedup: DDT entries {entries}, size 512B on disk, 320B in core\n\n\
             bucket              allocated                       referenced          \n\
             ______   ______________________________   ______________________________\n\
             refcnt   blocks   LSIZE   PSIZE   DSIZE   blocks   LSIZE   PSIZE   DSIZE\n\
             ------   ------   -----   -----   -----   ------   -----   -----   -----\n\
             \x20    1    9.02M    1.1T    1.1T    1.1T    9.02M    1.1T    1.1T    1.1T\n\
             \x20    2     488K   61.0G   61.0G   61.0G    1.02M    130G    130G    130G\n\
             \x20Total    9.49M    1.2T    1.2T    1.2T    10.0M    1.2T    1.2T    1.2T\n"
        )
    })
}
