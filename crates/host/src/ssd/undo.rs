//! Taking an SSD out of its pool again, until nothing of it is left.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use arcwright_tunables::persist::Command;

use super::SsdHostError;
use super::apply::{is_same, names_in_pool};
use super::look::{empty, nobodys, partitions};
use super::record::{Recorded, State, load, store};
use crate::tune::{Commands, Root, exclusive, text_of};

/// How long a vdev may take until it is gone: what lies on a special vdev is copied back first.
const LEAVES: Duration = Duration::from_secs(3600);
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Takes the last SSDs that arcwright added out of their pool again.
///
/// # Errors
/// [`SsdHostError::Nothing`] where there are none; what could not be done is named, and may be tried again.
pub fn undo(root: &Root, commands: &dyn Commands) -> Result<Recorded, SsdHostError> {
    let _lock = exclusive(root)?;
    take_back(root, commands, load(root)?)
}

/// Takes back the last operation that is not.
pub(super) fn take_back(
    root: &Root,
    commands: &dyn Commands,
    mut operations: Vec<Recorded>,
) -> Result<Recorded, SsdHostError> {
    let last = operations.iter_mut().rfind(|operation| operation.state != State::Undone);
    let last = last.ok_or(SsdHostError::Nothing)?;
    leave(commands, last)?;
    for (drive, bytes) in &last.drives {
        clear(commands, last, drive, *bytes)?;
    }
    last.state = State::Undone;
    let undone = last.clone();
    store(root, operations)?;
    Ok(undone)
}

/// Takes all of its vdevs out of the pool, and waits until they are gone.
fn leave(commands: &dyn Commands, recorded: &Recorded) -> Result<(), SsdHostError> {
    let Recorded { pool, parts, .. } = recorded;
    let ours = |leaf: &str| {
        let mut all = parts.iter().flat_map(|part| &part.partitions);
        all.any(|partition| is_same(leaf, partition))
    };
    let there = |commands: &dyn Commands| -> Result<Vec<String>, SsdHostError> {
        let names = names_in_pool(commands, pool)?;
        let mut vdevs: Vec<String> =
            names.into_iter().filter(|(_, leaf)| ours(leaf)).map(|(vdev, _)| vdev).collect();
        vdevs.dedup();
        Ok(vdevs)
    };
    let vdevs = there(commands)?;
    if vdevs.is_empty() {
        return Ok(());
    }
    if recorded.has_checkpoint {
        // A pool with a checkpoint lets no vdev go; one that somebody discarded is no error.
        let discard = Command::new(&["zpool", "checkpoint", "--discard", "--wait", pool]);
        let _may_be_gone = commands.run(&discard);
    }
    for vdev in vdevs {
        text_of(commands, &Command::new(&["zpool", "remove", pool, &vdev]))?;
    }
    let until = Instant::now() + LEAVES;
    loop {
        let left = there(commands)?;
        let Some(first) = left.first() else { return Ok(()) };
        if Instant::now() > until {
            let what =
                format!("{first} is still in {pool}; zpool status shows how far its removal is");
            return Err(SsdHostError::NotThere { what });
        }
        sleep(LOOK_EVERY);
    }
}

/// Removes labels and partitions of a drive, of which no partition is anybody else's, and looks whether it is empty.
fn clear(
    commands: &dyn Commands,
    recorded: &Recorded,
    drive: &str,
    bytes: u64,
) -> Result<(), SsdHostError> {
    if !Path::new(drive).exists() {
        // Pulled out: there is nothing to clear.
        return Ok(());
    }
    let seen = nobodys(drive)?;
    if seen.bytes != bytes {
        let (path, found, planned) = (drive.to_owned(), seen.bytes, bytes);
        return Err(SsdHostError::Size { path, found, planned });
    }
    let folder = Path::new("/sys/class/block").join(&seen.name);
    let unseen = |why| SsdHostError::Unseen { path: drive.to_owned(), why };
    // The table on the drive, of which the kernel may know an older one. By their names, as a drive may be called
    // otherwise since the last boot.
    let table = text_of(commands, &Command::new(&["sgdisk", "--print", drive]))?;
    if let Some((number, _)) = rows_in(&table).find(|(_, name)| !recorded.labels.contains(name)) {
        let how = format!("partition {number} was not made by arcwright, so its partitions stay");
        return Err(SsdHostError::InUse { path: drive.to_owned(), how });
    }
    for name in partitions(&folder).map_err(unseen)? {
        let path = format!("/dev/{name}");
        // One that never became a part of the pool has no label.
        let _may_have_none = commands.run(&Command::new(&["zpool", "labelclear", "-f", &path]));
    }
    text_of(commands, &Command::new(&["sgdisk", "--zap-all", drive]))?;
    empty(drive, bytes)
}

/// Returns the numbers and names of the partitions that `sgdisk --print` lists below its head.
fn rows_in(table: &str) -> impl Iterator<Item = (&str, String)> {
    /// Number, start, end, size with its unit, type.
    const BEFORE_NAME: usize = 6;
    let rows = table.lines().skip_while(|line| !line.starts_with("Number")).skip(1);
    rows.filter_map(|row| {
        let cells: Vec<&str> = row.split_whitespace().collect();
        let name = cells.get(BEFORE_NAME..).unwrap_or_default().join(" ");
        Some((*cells.first()?, name))
    })
}

#[cfg(test)]
mod tests {
    use super::rows_in;

    #[test]
    fn partitions_of_a_table_are_found() {
        let table = "Disk /dev/vdf: 8388608 sectors, 4.0 GiB\nTotal free space is 6289341 sectors (3.0 GiB)\n\n\
                     Number  Start (sector)    End (sector)  Size       Code  Name\n   \
                     1            2048         2099199   1024.0 MiB  BF01  tank-log\n  \
                     12         2099200         2131967   16.0 MiB    8300  \n   \
                     3            2048         2099199   1024.0 MiB  8300  Linux filesystem\n";
        let found: Vec<(&str, String)> = rows_in(table).collect();
        let expected = [("1", "tank-log"), ("12", ""), ("3", "Linux filesystem")];
        assert_eq!(found, expected.map(|(number, name)| (number, name.to_owned())));
        assert_eq!(rows_in("Creating new GPT entries in memory.\n").count(), 0);
    }
}
