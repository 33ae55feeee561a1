//! What `zpool status` and `zpool list` can tell of a pool that is not well.
//!
//! Sentences are those of `cmd/zpool/zpool_main.c` and the man pages, which a real pool would print.

use super::Fault;
use crate::scoreboard::edit::{Edit, Editor, Skip};

const CORRUPTION: &str = "status: One or more devices has experienced an error resulting in data\n\
    \tcorruption.  Applications may be affected.\n\
    action: Restore the file in question if possible.  Otherwise restore the\n\
    \tentire pool from backup.\n   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-8A\n";
const LISTED: &str = "errors: Permanent errors have been detected in the following files:\n\n\
    \x20       /tank/vm/disk0.img\n        tank/home:<0x4d2>\n";
const COUNTED: &str = "errors: 3 data errors, use '-v' for a list\n";
const UNRECOVERABLE: &str = "status: One or more devices has experienced an unrecoverable error.  An\n\
    \tattempt was made to correct the error.  Applications are unaffected.\n\
    action: Determine if the device needs to be replaced, and clear the errors\n\
    \tusing 'zpool clear' or replace the device with 'zpool replace'.\n";

pub(super) const FAULTS: [Fault; 13] = [
    Fault::of("damaged files, listed", |editor| {
        damaged(editor, LISTED)
    })
    .must(&["data-errors"])
    .may(&["scan-running"]),
    Fault::of("data errors, counted", |editor| damaged(editor, COUNTED)).must(&["data-errors"]),
    Fault::of("checksum errors on a disk", disk_errors).must(&["device-errors"]),
    Fault::of("checksum errors during a scrub", |editor| {
        disk_errors(editor)?;
        scan(editor, "scrub in progress since Sun Nov  1 00:24:01 2026\n\t1.20T scanned at 912M/s, 1.01T issued at 702M/s, 2.80T total\n\t128K repaired, 36.07% done, 00:44:10 to go\n")
    })
    .must(&["device-errors"])
    .may(&["scan-running"]),
    Fault::of("errors above sound disks", errors_above)
        .must(&["errors-above-disks"])
        .never(&["device-errors"])
        .forbidden(&["zpool replace"]),
    Fault::of("a disk failed", failed_disk).must(&["pool-degraded"]).may(&["device-errors"]),
    Fault::of("a disk is being replaced", resilvering)
        .must(&["scan-running|pool-degraded"])
        .may(&["pool-degraded", "scan-running"])
        .forbidden(&["zpool scrub"]),
    Fault::of("suspended", suspended)
        .must(&["pool-suspended"])
        .may(&["data-errors", "device-errors"])
        .forbidden(&["zpool replace", "zpool destroy"]),
    Fault::of("slow I/Os on a disk", slow_ios).must(&["slow-ios"]),
    Fault::of("sectors smaller than the disk's", non_native).must(&["ashift"]),
    Fault::of("nearly full", |editor| full(editor, 92))
        .must(&["pool-full"])
        .may(&["slop-space", "usable-space-low"]),
    Fault::of("only slop space left", |editor| full(editor, 98))
        .must(&["slop-space|pool-full"])
        .may(&["pool-full", "usable-space-low"]),
    Fault::of("special vdev full", special_full)
        .must(&["special-full"])
        .may(&["special-redundancy"]),
];

/// Puts lines below `state:`.
fn notice(text: &str, notice: &str) -> String {
    let line = |line: &str| match line.trim_start().starts_with("state:") {
        true => format!("{line}\n{notice}"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Sets the counts of a row, or what stands in its columns altogether.
fn row(text: &str, name: &str, change: impl Fn(&str) -> String) -> String {
    let line = |line: &str| match line.split_whitespace().next() == Some(name) {
        true => format!("{}\n", change(line)),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn indent(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

fn rewritten(line: &str, columns: &str) -> String {
    let name = line.split_whitespace().next().unwrap_or_default();
    format!("{}{name}  {columns}", indent(line))
}

fn damaged(editor: &mut Editor, errors: &str) -> Edit {
    editor.pool()?;
    editor.status(|text| notice(text, CORRUPTION).replace("errors: No known data errors\n", errors))
}

fn disk_errors(editor: &mut Editor) -> Edit {
    let (disk, _) = editor.member()?;
    editor.status(|text| {
        row(&notice(text, UNRECOVERABLE), &disk, |line| {
            rewritten(line, "ONLINE       0     0    17")
        })
    })
}

fn errors_above(editor: &mut Editor) -> Edit {
    let (_, group) = editor.member()?;
    editor.status(|text| {
        row(&notice(text, UNRECOVERABLE), &group, |line| {
            rewritten(line, "ONLINE       0     0    42")
        })
    })
}

fn scan(editor: &mut Editor, scan: &str) -> Edit {
    editor.status(|text| {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("scan:"));
        let line = |line: &str| match line.starts_with("config:") {
            true => format!("  scan: {scan}{line}\n"),
            false => format!("{line}\n"),
        };
        lines.map(line).collect()
    })
}

fn degraded(text: &str, pool: &str, group: &str) -> String {
    let text = text.replace("state: ONLINE", "state: DEGRADED");
    let text = row(&text, pool, |line| rewritten(line, "DEGRADED     0     0     0"));
    row(&text, group, |line| rewritten(line, "DEGRADED     0     0     0"))
}

fn failed_disk(editor: &mut Editor) -> Edit {
    const STATUS: &str = "status: One or more devices are faulted in response to persistent errors.\n\
        \tSufficient replicas exist for the pool to continue functioning in a\n\tdegraded state.\n\
        action: Replace the faulted device, or use 'zpool clear' to mark the device\n\trepaired.\n";
    let ((disk, group), pool) = (editor.member()?, editor.pool()?.name.clone());
    editor.status(|text| {
        let text = notice(&degraded(text, &pool, &group), STATUS);
        row(&text, &disk, |line| rewritten(line, "FAULTED     18   204     0  too many errors"))
    })
}

fn resilvering(editor: &mut Editor) -> Edit {
    const STATUS: &str = "status: One or more devices is currently being resilvered.  The pool will\n\
        \tcontinue to function, possibly in a degraded state.\n\
        action: Wait for the resilver to complete.\n";
    const SCAN: &str = "resilver in progress since Sat Oct 31 11:02:47 2026\n\
        \t412G scanned at 1.03G/s, 201G issued at 514M/s, 2.80T total\n\
        \t50.1G resilvered, 7.01% done, 01:28:12 to go\n";
    let ((disk, group), pool) = (editor.member()?, editor.pool()?.name.clone());
    editor.status(|text| {
        let text = notice(&degraded(text, &pool, &group), STATUS);
        row(&text, &disk, |line| {
            let (inner, name) = (indent(line), line.split_whitespace().next().unwrap_or_default());
            format!(
                "{inner}replacing-0  DEGRADED     0     0     0\n\
                 {inner}  {name}  UNAVAIL      0     0     0\n\
                 {inner}  /dev/disk/by-id/new-disk-part1  ONLINE  0  0  0  (resilvering)"
            )
        })
    })?;
    scan(editor, SCAN)
}

fn suspended(editor: &mut Editor) -> Edit {
    const STATUS: &str = "status: One or more devices are faulted in response to IO failures.\n\
        action: Make sure the affected devices are connected, then run 'zpool clear'.\n   \
        see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-HC\n";
    const ERRORS: &str = "errors: List of errors unavailable: pool I/O is currently suspended\n";
    let pool = editor.pool()?.name.clone();
    editor.status(|text| {
        let text = notice(&text.replace("state: ONLINE", "state: SUSPENDED"), STATUS);
        let text = row(&text, &pool, |line| {
            rewritten(line, "UNAVAIL      0     0     0  insufficient replicas")
        });
        text.replace("errors: No known data errors\n", ERRORS)
    })?;
    let state = format!("proc/spl/kstat/zfs/{pool}/state");
    let names: Vec<String> =
        editor.sources.texts.keys().filter(|name| name.ends_with(&state)).cloned().collect();
    names.iter().for_each(|name| editor.put(name, "SUSPENDED\n".to_owned()));
    Ok(())
}

fn slow_ios(editor: &mut Editor) -> Edit {
    editor.since_version("0.8.0")?;
    let (disk, _) = editor.member()?;
    editor.status(|text| {
        let mut in_config = false;
        let line = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.first() == Some(&"NAME") {
                in_config = true;
                return format!("{line}  SLOW\n");
            }
            in_config &= !line.starts_with("errors:");
            match (in_config && words.len() >= 5, words.first() == Some(&disk.as_str())) {
                (true, true) => format!("{line}    37\n"),
                (true, false) => format!("{line}     0\n"),
                _ => format!("{line}\n"),
            }
        };
        text.lines().map(line).collect()
    })
}

fn non_native(editor: &mut Editor) -> Edit {
    const STATUS: &str = "status: One or more devices are configured to use a non-native block size.\n\
        \tExpect reduced performance.\n\
        action: Replace affected devices with devices that support the\n\
        \tconfigured block size, or migrate data to a properly configured\n\tpool.\n";
    let (disk, _) = editor.member()?;
    editor.status(|text| {
        row(&notice(text, STATUS), &disk, |line| {
            format!("{line}  block size: 512B configured, 4096B native")
        })
    })
}

fn full(editor: &mut Editor, percent: u64) -> Edit {
    let pool = editor.pool()?;
    let (name, size) = (pool.name.clone(), pool.number("size"));
    let size = size.ok_or_else(|| Skip("the pool's size is not read".to_owned()))?;
    let (used, left) = (size / 100 * percent, size - size / 100 * percent);
    for (property, value) in [("capacity", percent), ("allocated", used), ("free", left)] {
        editor.property("zpool-get", &name, property, &value.to_string())?;
    }
    let columns = [(2, used.to_string()), (3, left.to_string()), (7, percent.to_string())];
    editor.list(&name, &columns)?;
    // The last 1/32 (`spa_slop_shift`) is kept for the file system itself: programs get none of it.
    let available = left.saturating_sub(size / 32);
    editor.property("zfs-get", &name, "available", &available.to_string())
}

fn special_full(editor: &mut Editor) -> Edit {
    editor.since_version("0.8.0")?;
    editor.pool()?;
    editor.status(|text| {
        let line = |line: &str| match line.starts_with("errors:") {
            true => format!(
                "\tspecial\n\t  mirror-8  ONLINE       0     0     0\n\
                 \t    nvme8n1p1  ONLINE       0     0     0\n\
                 \t    nvme9n1p1  ONLINE       0     0     0\n\n{line}\n"
            ),
            false if line.is_empty() => String::new(),
            false => format!("{line}\n"),
        };
        text.lines().map(line).collect()
    })?;
    let list = editor.sources.text("commands/zpool-list").unwrap_or_default().to_owned();
    let rows = "special\t-\t-\t-\t-\t-\t-\t-\t-\t-\n\
        \tmirror-8\t10737418240\t10415295693\t322122547\t-\t-\t81\t97\t-\tONLINE\n\
        \tnvme8n1p1\t10737418240\t-\t-\t-\t-\t-\t-\t-\tONLINE\n\
        \tnvme9n1p1\t10737418240\t-\t-\t-\t-\t-\t-\t-\tONLINE\n";
    editor.put("commands/zpool-list", list + rows);
    editor.sources.texts.remove("commands/zpool-list-json");
    Ok(())
}
