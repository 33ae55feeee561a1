//! What did not come back in time: tasks (khungtaskd) and requests (ZFS's own deadman).

use arcwright_units::Nanos;

/// Returns the task that a line reports to wait, and how long (`check_hung_task`, kernel/hung_task.c).
pub(super) fn hung(said: &str) -> Option<(&str, Nanos)> {
    // What zfs_dbgmsg has of the same, every five seconds (`spa_deadman`, module/zfs/spa_misc.c).
    if let Some((_, rest)) = said.split_once("spa_deadman(): slow spa_sync: started ") {
        let seconds: u64 = rest.split_once(" seconds ago, calls ")?.0.parse().ok()?;
        return Some(("txg_sync", Nanos(seconds.checked_mul(1_000_000_000)?)));
    }
    let (task, rest) = said.split_once("INFO: task ")?.1.split_once(" blocked for more than ")?;
    let seconds: u64 = rest.strip_suffix('.').unwrap_or(rest).split(' ').next()?.parse().ok()?;
    let name = task.split([':', ' ']).next().filter(|name| !name.is_empty() && name.len() < 64)?;
    Some((name, Nanos(seconds.checked_mul(1_000_000_000)?)))
}

/// Returns the device whose requests do not come back, as zfs_dbgmsg has it (`vdev_deadman`, module/zfs/vdev.c).
pub(super) fn deadman(said: &str) -> Option<&str> {
    let (_, rest) = said.split_once("vdev_deadman(): slow vdev: ")?;
    let (path, rest) = rest.split_once(" has ")?;
    let is_report = rest.contains(" active IOs");
    path.rsplit('/').next().filter(|device| is_report && !device.is_empty())
}
