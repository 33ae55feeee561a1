//! Disks: one that is slower than its fellows, one that is about to fail.

use arcwright_machine::Drive;

use super::Fault;
use crate::scoreboard::edit::{Edit, Editor, Skip};

pub(super) const FAULTS: [Fault; 4] = [
    Fault::of("one disk slower than its fellows", slow).must(&["slow-disk"]).may(&["seek-bound"]),
    Fault::of("sectors that cannot be read", |editor| {
        smart(
            editor,
            [(5, "Reallocated_Sector_Ct", 1_480), (197, "Current_Pending_Sector", 312)],
            true,
        )
    })
    .must(&["drive-failing"]),
    Fault::of("SMART failed", |editor| {
        smart(
            editor,
            [(5, "Reallocated_Sector_Ct", 40_000), (197, "Current_Pending_Sector", 0)],
            false,
        )
    })
    .must(&["drive-failing"]),
    Fault::of("a cable that makes errors", |editor| {
        smart(
            editor,
            [(5, "Reallocated_Sector_Ct", 0), (199, "UDMA_CRC_Error_Count", 20_411)],
            true,
        )
    })
    .must(&["~link-errors"])
    .forbidden(&["zpool replace"]),
];

/// Columns of `zpool iostat -Hpvlq`: the name, three pairs, then waits in all and at the disk.
const WAITS: [usize; 4] = [7, 8, 9, 10];
/// Of fewer requests per second nobody can tell how fast a disk is.
const REQUESTS_MIN: u64 = 5;

fn slow(editor: &mut Editor) -> Edit {
    const IOSTAT: &str = "sample-1/commands/zpool-iostat-lq";
    let (disk, _) = editor.member()?;
    let text = editor.sources.text(IOSTAT).ok_or_else(|| Skip("no zpool iostat".to_owned()))?;
    let mut is_slowed = false;
    let line = |line: &str| {
        let mut cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        let requests = cells.iter().skip(3).take(2).filter_map(|cell| cell.parse::<u64>().ok());
        let is_busy = requests.sum::<u64>() >= REQUESTS_MIN;
        if cells.first() == Some(&disk) && cells.len() > 16 && is_busy {
            for wait in WAITS {
                if let Some(cell) = cells.get_mut(wait)
                    && let Ok(old) = cell.parse::<u64>()
                {
                    *cell = (old.saturating_mul(15)).to_string();
                    is_slowed |= old > 0;
                }
            }
        }
        cells.join("\t") + "\n"
    };
    let changed = text.lines().map(line).collect();
    editor.put(IOSTAT, changed);
    let absent = || Skip("no busy member in zpool iostat".to_owned());
    is_slowed.then_some(()).ok_or_else(absent)
}

/// Adds what smartctl says of the first drive below the pool.
fn smart(editor: &mut Editor, rows: [(u64, &str, u64); 2], passed: bool) -> Edit {
    let (disk, _) = editor.member()?;
    let is_below = |drive: &&Drive| {
        let by_name = disk.trim_start_matches("/dev/").starts_with(drive.name.as_str());
        by_name
            || drive.links.iter().any(|link| *link == disk || link.ends_with(&format!("/{disk}")))
    };
    let drive = editor.machine.drives.iter().find(is_below).map(|drive| drive.name.clone());
    let drive = drive.ok_or_else(|| Skip("the drive below the pool is not known".to_owned()))?;
    let table: Vec<String> = rows
        .iter()
        .map(|(id, name, raw)| {
            format!(
                "{{\"id\":{id},\"name\":\"{name}\",\"value\":90,\"worst\":90,\"thresh\":10,\
                 \"raw\":{{\"value\":{raw},\"string\":\"{raw}\"}}}}"
            )
        })
        .collect();
    let text = format!(
        "{{\"device\":{{\"name\":\"/dev/{drive}\",\"type\":\"sat\",\"protocol\":\"ATA\"}},\
         \"model_name\":\"EXAMPLE DISK\",\"rotation_rate\":7200,\
         \"smart_status\":{{\"passed\":{passed}}},\"ata_smart_attributes\":{{\"table\":[{}]}}}}\n",
        table.join(",")
    );
    editor.put(&format!("commands/smartctl-{drive}"), text);
    Ok(())
}
