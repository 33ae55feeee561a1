//! Writing: transaction groups, the throttle, the intent log and its devices.

use super::Fault;
use crate::scoreboard::edit::{Edit, Editor, Skip};

const TX: &str = "zfs/dmu_tx";
const ZIL: &str = "zfs/zil";

pub(super) const FAULTS: [Fault; 6] = [
    Fault::of("transaction groups sync longer than their timeout", slow_sync)
        .must(&["txg-sync-slow"])
        .may(&["writes-throttled"]),
    Fault::of("delayed transactions", |editor| {
        editor.windowed()?;
        editor.counted(TX, "dmu_tx_assigned", 20_000)?;
        editor.counted(TX, "dmu_tx_dirty_delay", 9_000)
    })
    .must(&["writes-throttled"]),
    Fault::of("transactions over the dirty limit", |editor| {
        editor.windowed()?;
        editor.counted(TX, "dmu_tx_assigned", 20_000)?;
        editor.counted(TX, "dmu_tx_dirty_over_max", 4_000)
    })
    .must(&["writes-throttled"]),
    Fault::of("intent log commits fail", |editor| {
        editor.windowed()?;
        editor.counted(ZIL, "zil_commit_count", 30_000)?;
        editor.counted(ZIL, "zil_commit_error_count", 120)
    })
    .must(&["zil-errors"])
    .may(&["sync-writes-wait"]),
    Fault::of("intent log commits stall", |editor| {
        editor.windowed()?;
        editor.counted(ZIL, "zil_commit_count", 30_000)?;
        editor.counted(ZIL, "zil_commit_stall_count", 9_000)
    })
    .must(&["zil-stalls"])
    .may(&["sync-writes-wait"]),
    Fault::of("a log device slower than the disks", slow_log)
        .must(&["slog-slow"])
        .may(&["slog-alone", "slog-unprotected", "sync-writes-wait", "slow-disk"])
        .never(&["slog-idle"]),
];

/// Each group that was written took nine seconds, and the disks were busy all the time.
fn slow_sync(editor: &mut Editor) -> Edit {
    const NINE_SECONDS: &str = "9000000000";
    editor.pool()?;
    let names: Vec<String> =
        editor.sources.texts.keys().filter(|name| name.ends_with("/txgs")).cloned().collect();
    if names.is_empty() {
        return Err(Skip("no list of transaction groups".to_owned()));
    }
    for name in names {
        let text = editor.sources.text(&name).unwrap_or_default();
        let line = |line: &str| {
            let mut words: Vec<&str> = line.split_whitespace().collect();
            let is_done = words.get(2) == Some(&"C");
            if let (true, Some(last)) = (is_done, words.last_mut()) {
                *last = NINE_SECONDS;
            }
            if let (true, Some(dirty)) = (is_done, words.get_mut(3)) {
                *dirty = "400000000";
            }
            words.join(" ") + "\n"
        };
        let changed = text.lines().map(line).collect();
        editor.put(&name, changed);
    }
    Ok(())
}

fn slow_log(editor: &mut Editor) -> Edit {
    const IOSTAT: &str = "sample-1/commands/zpool-iostat-lq";
    let pool = editor.pool()?;
    let has_log = pool.of_class(arcwright_machine::Class::Log).count() > 0;
    if has_log {
        return Err(Skip("it has a log device already".to_owned()));
    }
    editor.now(ZIL, "zil_commit_count")?;
    let text = editor.sources.text(IOSTAT).ok_or_else(|| Skip("no zpool iostat".to_owned()))?;
    let columns = text.lines().next().unwrap_or_default().split('\t').count();
    if columns < 17 {
        return Err(Skip("no latencies in zpool iostat".to_owned()));
    }
    // Name, space, operations, bandwidth; then waits: total, disk, synchronous queue.
    let mut row = ["log0", "262144", "8000000000", "0", "240", "0", "3932160", "-", "48000000"]
        .map(str::to_owned)
        .to_vec();
    row.extend(["-", "47000000", "-", "900000"].map(str::to_owned));
    row.extend((row.len()..columns).map(|column| if column < 17 { "-" } else { "0" }.to_owned()));
    let text = format!("{text}{}\n", row.join("\t"));
    editor.put(IOSTAT, text);
    editor.status(|text| {
        let line = |line: &str| match line.starts_with("errors:") {
            true => format!("\tlogs\n\t  log0  ONLINE       0     0     0\n\n{line}\n"),
            false if line.is_empty() => String::new(),
            false => format!("{line}\n"),
        };
        text.lines().map(line).collect()
    })?;
    editor.windowed()?;
    editor.counted(ZIL, "zil_commit_count", 30_000)?;
    editor.counted(ZIL, "zil_commit_writer_count", 29_000)?;
    editor.counted(ZIL, "zil_itx_metaslab_slog_count", 30_000)?;
    editor.counted(ZIL, "zil_itx_metaslab_slog_bytes", 490 << 20)?;
    commits_of_a_dataset(editor)
}

/// From 2.2 on a dataset counts its own commits; one of them makes all of them here.
fn commits_of_a_dataset(editor: &mut Editor) -> Edit {
    let now = editor.machine.now();
    let counts = |kstat: &&String| {
        let own = now.and_then(|now| now.get(kstat, "zil_commit_count"));
        kstat.contains("/objset-") && own.is_some()
    };
    let all = now.into_iter().flat_map(|now| now.kstats.keys());
    let Some(kstat) = all.into_iter().find(counts).cloned() else { return Ok(()) };
    editor.counted(&kstat, "zil_commit_count", 30_000)?;
    editor.counted(&kstat, "zil_itx_metaslab_slog_count", 30_000)?;
    editor.counted(&kstat, "zil_itx_metaslab_slog_bytes", 490 << 20)
}
