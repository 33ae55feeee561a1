//! Where a member that does not work may be, by a list of the machine's disks (`lsblk`, `/dev/disk/by-id`); not a rule
//! itself.
//!
//! A pool remembers a path, and the kernel gives names like `sda` anew at each start: a row `1033… was /dev/sda1` says
//! where the member was once. Today's `sda` may be a member that works. What is sure is a serial number: by-id names end
//! with it. A disk that no member's name has, of the model of the others, is most likely the one that is looked for.

use arcwright_machine::{DiskLabel, Drive, Machine, Pool, Vdev, below_dev, whole};

use crate::format;
use crate::rules::device_paths::is_disk_name;
use crate::rules::pool_state::told;
use crate::rules::pools::stand_ins::is_gone;
use crate::rules::pools::steps::Ill;
use crate::view::View;

/// A serial number is at least so long; a shorter text may stand in any name.
const SERIAL_CHARS_MIN: usize = 6;

/// Members that do not work and are looked for.
const LOST_MAX: usize = 4;
/// Disks and labels times members that are compared: with more a person looks for them otherwise.
const PAIRS_MAX: usize = 1 << 18;

/// What a list of disks tells of a member that does not work.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Sentences, in one line; empty where it tells nothing.
    pub(super) said: String,
    /// Commands that look, and write nothing.
    pub(super) commands: Vec<String>,
}

/// Returns what the machine's list of disks tells of the members that do not work.
pub(super) fn of(view: &View<'_>, pool: &Pool, ill: &[&Ill<'_>]) -> Found {
    let machine = view.machine;
    let mut found = Found::default();
    let disks = machine.drives.len() + machine.labels.len();
    if disks.saturating_mul(told(pool).len()) > PAIRS_MAX {
        return found;
    }
    let lost: Vec<&Vdev> = ill
        .iter()
        .map(|ill| ill.leaf)
        .filter(|leaf| leaf.state.as_deref() != Some("DEGRADED"))
        .take(LOST_MAX)
        .collect();
    let mut said: Vec<String> =
        lost.iter().filter_map(|leaf| of_old_name(machine, pool, leaf)).collect();
    said.extend(lost.iter().filter_map(|leaf| of_contents(machine, leaf)));
    said.extend(of_labels(machine, pool));
    for leaf in &lost {
        if let Some(drive) = bearer(machine, leaf).filter(|_| has_serial(leaf)) {
            said.push(format!("The system lists the disk of {}: {}.", leaf.name, called(drive)));
        } else if is_unlisted(machine, leaf) {
            said.push(format!(
                "None of the disks in the list has the serial number in {}: the system does not see that disk, if the list is \
                 whole.",
                leaf.name
            ));
        }
    }
    if let ([one], 1) = (lost.as_slice(), ill.len())
        && let Some(drive) = left_over(machine, pool, one)
    {
        // A disk that was never in a pool has no partitions.
        let which = match part_of(drive) {
            Some(_) => "most likely it is the one that is looked for",
            None => "it is the one that is looked for, or a new one: its label tells",
        };
        said.push(format!(
            "{} is in no row of the pool and of the model of its other disks: {which}.",
            called(drive)
        ));
        let part = match part_of(drive) {
            Some(part) => part,
            None => format!("/dev/{}", drive.name),
        };
        let (part, name) = (format::shell(&part), format::shell(&pool.name));
        let by = if view.is_freebsd() { "" } else { " -d /dev/disk/by-id" };
        found.commands.extend([
            format!("zdb -l {part}   # has it a label of {}? changes nothing", pool.name),
            format!(
                "zpool export {name}; zpool import{by} {name}   # if it has, while nothing uses the pool"
            ),
        ]);
    }
    found.said = said.join(" ");
    found
}

/// Returns how a drive is called: by the kernel's name of today and its serial number.
fn called(drive: &Drive) -> String {
    match &drive.serial {
        Some(serial) => format!("{} (serial number {serial})", drive.name),
        None => drive.name.clone(),
    }
}

/// Says what else lies on the disk that has a lost member's name today.
fn of_contents(machine: &Machine, lost: &Vdev) -> Option<String> {
    let name = below_dev(&lost.name);
    // Beside a member's partition others may lie on its disk.
    let is_disk = whole(name) == name;
    let of_it = |(device, _): &(&String, &String)| {
        let device = below_dev(device);
        device == name || is_disk && whole(device) == name
    };
    let mut kinds: Vec<&str> =
        machine.contents.iter().filter(of_it).map(|(_, kind)| kind.as_str()).collect();
    kinds.dedup();
    let kinds: Vec<String> = kinds.into_iter().take(KINDS_MAX).map(str::to_owned).collect();
    (!kinds.is_empty()).then(|| {
        format!(
            "What is called {name} today has {} on it: it is not the member, whose name has moved.",
            format::list(&kinds)
        )
    })
}

/// Contents that are named.
const KINDS_MAX: usize = 4;

/// Says which devices have labels of a pool and are in no row of it.
fn of_labels(machine: &Machine, pool: &Pool) -> Option<String> {
    let of_pool = |label: &&DiskLabel| label.pool == pool.name && label.txg != Some(0);
    let mut labels = machine.labels.iter().filter(of_pool).peekable();
    // Of two pools with one name nobody can tell which it is.
    let number = &labels.peek()?.pool_guid;
    let all: Vec<&DiskLabel> = labels.collect();
    if all.iter().any(|label| label.pool_guid != *number) {
        return None;
    }
    let leaves = told(pool);
    let is_listed = |place: &str| {
        leaves.iter().any(|(_, leaf)| {
            leaf.state.as_deref() == Some("ONLINE")
                && whole(below_dev(&leaf.name)) == whole(below_dev(place))
        })
    };
    let free: Vec<String> = all
        .iter()
        .filter_map(|label| label.device.as_deref())
        .filter(|place| !is_listed(place))
        .map(str::to_owned)
        .collect();
    (!free.is_empty()).then(|| {
        let (is, row) = match free.len() {
            1 => ("has a label", "is"),
            _ => ("have labels", "are"),
        };
        format!("{} {is} of {} and {row} in no row that works.", format::list(&free), pool.name)
    })
}

/// Says whose a name is today that a lost member had once.
fn of_old_name(machine: &Machine, pool: &Pool, lost: &Vdev) -> Option<String> {
    let old = lost.note.as_deref()?.strip_prefix("was ")?.split_whitespace().next()?;
    let kernels = |name: &str| is_disk_name(name) && !name.contains('-');
    let drive = machine.drive_of(old).filter(|_| kernels(below_dev(old)))?;
    let is_of = |leaf: &&Vdev| {
        leaf.state.as_deref() == Some("ONLINE")
            && bearer(machine, leaf).is_some_and(|of| of.name == drive.name)
    };
    let works = told(pool).into_iter().map(|(_, leaf)| leaf).find(is_of)?;
    Some(format!(
        "{old} is where it was once: the disk of that name today is {}, which works; leave that one alone.",
        works.name
    ))
}

/// Returns the drive that a member is on: by its serial number in the member's name, or by the name of today.
fn bearer<'a>(machine: &'a Machine, leaf: &Vdev) -> Option<&'a Drive> {
    let by_serial = || {
        let is_in =
            |drive: &&Drive| serial_of(drive).is_some_and(|serial| leaf.name.contains(serial));
        let mut all = machine.drives.iter().filter(is_in);
        all.next().filter(|_| all.next().is_none())
    };
    by_serial().or_else(|| machine.drive_of(&leaf.name).filter(|_| !is_gone(leaf)))
}

fn serial_of(drive: &Drive) -> Option<&str> {
    drive.serial.as_deref().filter(|serial| serial.len() >= SERIAL_CHARS_MIN)
}

/// Returns whether a member's name is one of those that end with the serial number.
fn has_serial(leaf: &Vdev) -> bool {
    let id = below_dev(&leaf.name).trim_start_matches("disk/by-id/");
    ["ata-", "nvme-"].iter().any(|lead| id.starts_with(lead)) && !id.starts_with("nvme-eui.")
}

/// Returns whether a member's name has a serial number that no drive has, of a list in which each disk has one.
fn is_unlisted(machine: &Machine, leaf: &Vdev) -> bool {
    let real: Vec<&Drive> = machine
        .drives
        .iter()
        .filter(|drive| drive.model.is_some() && drive.size.is_some())
        .collect();
    has_serial(leaf)
        && real.len() > 1
        && real.iter().all(|drive| serial_of(drive).is_some())
        && bearer(machine, leaf).is_none()
}

/// Returns the one drive that is of the model of the other members of a lost one's group and of no member.
fn left_over<'a>(machine: &'a Machine, pool: &Pool, lost: &Vdev) -> Option<&'a Drive> {
    // A member that is named by its serial number is another disk than one with another number.
    if has_serial(lost) {
        return None;
    }
    let group =
        pool.vdevs.iter().find(|vdev| vdev.leaves().iter().any(|leaf| leaf.name == lost.name))?;
    let others: Vec<&Drive> = group
        .leaves()
        .into_iter()
        .filter(|leaf| leaf.name != lost.name)
        .map(|leaf| bearer(machine, leaf))
        .collect::<Option<_>>()?;
    let model = others.first()?.model.as_deref()?;
    let taken: Vec<&str> = machine
        .pools
        .iter()
        .flat_map(told)
        .filter_map(|(_, leaf)| bearer(machine, leaf))
        .map(|drive| drive.name.as_str())
        .collect();
    let is_like = |drive: &&Drive| {
        drive.model.as_deref() == Some(model)
            && drive.serial.is_some()
            && !taken.contains(&drive.name.as_str())
    };
    let mut free = machine.drives.iter().filter(is_like);
    free.next().filter(|_| free.next().is_none())
}

/// Returns the first partition of a drive, where the list has it.
fn part_of(drive: &Drive) -> Option<String> {
    let stem = format!("/dev/{}", drive.name);
    let parts = [format!("{stem}1"), format!("{stem}p1")];
    parts.into_iter().find(|part| drive.links.contains(part))
}
