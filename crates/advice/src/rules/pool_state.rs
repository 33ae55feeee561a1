//! What rules about broken pools share; not a rule itself.

use arcwright_machine::{Class, Layout, Pool, Vdev};

use crate::finding::Evidence;
use crate::format;
pub(crate) use crate::rules::device_paths::{is_by_id, smart};
use crate::view::View;

/// What reads or rebuilds the whole pool now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scan {
    /// Nothing, as far as was read.
    Idle,
    /// A scrub.
    Scrub,
    /// A resilver, sequential ones included.
    Resilver,
}

/// Returns what runs now, by the words of `zpool status`.
pub(crate) fn scan(pool: &Pool) -> Scan {
    let rebuilds = |status: &String| status.contains("being resilvered");
    if pool.status.as_ref().is_some_and(rebuilds) {
        return Scan::Resilver;
    }
    if pool.scan.is_none() && told(pool).iter().any(|(_, leaf)| is_replacement(pool, leaf)) {
        return Scan::Resilver;
    }
    let Some(scan) = pool.scan.as_deref().filter(|scan| scan.contains("in progress")) else {
        return Scan::Idle;
    };
    if scan.contains("resilver") { Scan::Resilver } else { Scan::Scrub }
}

/// Returns the state of a pool: that of its kstat when that says suspended, else as it was read.
///
/// `zpool status` of a suspended pool may hang, so that its text is older than the kstat.
pub(crate) fn state<'a>(view: &View<'a>, pool: &'a Pool) -> Option<&'a str> {
    let last = view.machine.samples.last().and_then(|sample| sample.pool_states.get(&pool.name));
    let suspended = last.map(String::as_str).filter(|state| *state == SUSPENDED);
    suspended.or(pool.state.as_deref())
}

/// Returns whether a pool's requests wait for devices that stopped answering: tools that do not know the state
/// SUSPENDED (before 0.8, FreeBSD before 13) say so in the reason of the status alone (ZFS-8000-HC, -JQ).
pub(crate) fn is_suspended(pool: &Pool) -> bool {
    // What to do about it is said of nothing else, where the reason was not read.
    const ACTION: &str = "Make sure the affected devices are connected, then run 'zpool clear'";
    let asks = |action: &str| one_line(action).contains(ACTION);
    if pool.status.is_none() && pool.action.as_deref().is_some_and(asks) {
        return true;
    }
    let words = pool.status.as_deref().map(one_line);
    let is_said = |errors: &str| one_line(errors).contains("pool I/O is currently suspended");
    pool.state.as_deref() == Some(SUSPENDED)
        || pool.errors.as_deref().is_some_and(is_said)
        || words.is_some_and(|words| words.contains("faulted in response to IO failures"))
}

/// The state of a pool that lost too many devices while it was in use.
pub(crate) const SUSPENDED: &str = "SUSPENDED";

/// Returns all leaves with the class of the vdev they belong to.
pub(crate) fn leaves(pool: &Pool) -> Vec<(Class, &Vdev)> {
    let of = |vdev| Vdev::leaves(vdev).into_iter().map(move |leaf| (vdev.class, leaf));
    pool.vdevs.iter().flat_map(of).collect()
}

/// Returns all leaves that were named, also where it is not known how they stand together: those count
/// as devices with contents.
pub(crate) fn told(pool: &Pool) -> Vec<(Class, &Vdev)> {
    let mut all = leaves(pool);
    let strays = pool.strays.iter();
    all.extend(strays.flat_map(|part| part.leaves().into_iter().map(|leaf| (part.class, leaf))));
    all
}

/// Returns the groups that were read, also one within which a list ends, so that it may have more members.
pub(crate) fn read_vdevs(pool: &Pool) -> impl Iterator<Item = &Vdev> {
    pool.vdevs.iter().chain(pool.strays.iter().filter(|part| !part.children.is_empty()))
}

/// States of devices that work.
pub(crate) const WELL: [&str; 3] = ["ONLINE", "AVAIL", "INUSE"];

/// Returns whether a device is not there, or not used.
pub(crate) fn is_out(leaf: &Vdev) -> bool {
    matches!(leaf.state.as_deref(), Some("FAULTED" | "UNAVAIL" | "REMOVED" | "OFFLINE"))
}

/// Returns the vdevs whose members are all known, also those of a list whose end is torn off.
pub(crate) fn whole_vdevs(pool: &Pool) -> impl Iterator<Item = &Vdev> {
    read_vdevs(pool).filter(|vdev| !vdev.is_cut)
}

/// Returns the group within which a list ends.
pub(crate) fn cut_vdev(pool: &Pool) -> Option<&Vdev> {
    read_vdevs(pool).find(|vdev| vdev.is_cut)
}

/// Returns the vdevs that the pool cannot do without.
pub(crate) fn with_contents(pool: &Pool) -> impl Iterator<Item = &Vdev> {
    let vital = |class: Class| !matches!(class, Class::Cache | Class::Spare | Class::Log);
    whole_vdevs(pool).filter(move |vdev| vital(vdev.class))
}

/// Returns how many members a vdev can do without.
pub(crate) fn may_fail(vdev: &Vdev) -> Option<usize> {
    match vdev.layout {
        Layout::Mirror => vdev.children.len().checked_sub(1),
        Layout::Raidz { parity } | Layout::Draid { parity, .. } => Some(usize::from(parity)),
        Layout::Leaf | Layout::Replacing => None,
    }
}

/// Returns a vdev whose sound members alone could not give all of its contents: the rest comes from one that
/// ZFS has found to be failing.
pub(crate) fn unsound(pool: &Pool) -> Option<&Vdev> {
    let is_sound = |leaf: &&Vdev| leaf.state.as_deref() == Some("ONLINE") && !is_filled(leaf);
    with_contents(pool).find(|vdev| {
        let weak =
            vdev.children.iter().filter(|child| !child.leaves().iter().any(is_sound)).count();
        let failing = vdev.leaves().iter().any(|leaf| leaf.state.as_deref() == Some("DEGRADED"));
        failing && may_fail(vdev).is_some_and(|most| weak > most)
    })
}

/// Returns whether a pool takes requests: it is imported and has the devices that it needs.
pub(crate) fn is_usable(pool: &Pool) -> bool {
    let lost = ["FAULTED", "UNAVAIL", SUSPENDED];
    pool.offer.is_none()
        && !is_suspended(pool)
        && !pool.state.as_deref().is_some_and(|state| lost.contains(&state))
}

/// Returns whether a leaf is being filled with what it lacks, so that blocks which are not there yet count
/// as checksum errors.
pub(crate) fn is_filled(leaf: &Vdev) -> bool {
    leaf.note.as_deref().is_some_and(|note| note.contains("(resilvering)"))
}

/// Returns whether all lines about a pool were read, as far as the text tells, and its state is not an ill one.
pub(crate) fn is_online_and_whole(pool: &Pool) -> bool {
    let is_online = pool.state.as_deref().is_none_or(|state| state == "ONLINE");
    is_online && !pool.errors_beside.lacks_lines
}

/// Returns whether a member, or one that stands in for it, has all that it should hold. In a group `replacing-0` the
/// device that comes is the last one: it is no copy as long as the group is there, whatever its state; in `spare-0` it
/// is one when its resilver has ended.
pub(crate) fn has_sound_copy(pool: &Pool, member: &Vdev) -> bool {
    let is_whole = |leaf: &&Vdev| {
        matches!(leaf.state.as_deref(), Some("ONLINE" | "DEGRADED")) && !is_filled(leaf)
    };
    let is_filling = member.name.starts_with("replacing")
        || member.name.starts_with("spare")
            && (scan(pool) == Scan::Resilver || pool.scan.is_none());
    match member.children.split_last() {
        Some((_, before)) if is_filling => before.iter().any(|child| has_sound_copy(pool, child)),
        _ => member.leaves().iter().any(is_whole),
    }
}

/// Returns whether a leaf takes the place of another and has a part of its contents by now.
fn is_replacement(pool: &Pool, leaf: &Vdev) -> bool {
    let fills = leaf.note.as_deref().is_some_and(|note| note.ends_with(" resilvered"));
    is_filled(leaf) || fills && is_being_replaced(pool, leaf)
}

/// Returns whether a leaf stands in a group `replacing-0`: as the device that goes, or the one that comes.
pub(crate) fn is_being_replaced(pool: &Pool, leaf: &Vdev) -> bool {
    fn stands_in(vdev: &Vdev, leaf: &Vdev) -> bool {
        let here = vdev.name.starts_with("replacing") && vdev.children.len() > 1;
        here && vdev.leaves().iter().any(|child| child.name == leaf.name)
            || vdev.children.iter().any(|child| stands_in(child, leaf))
    }
    read_vdevs(pool).any(|vdev| stands_in(vdev, leaf))
}

/// Returns whether a device is the one that is to go of a replacement: it stands first in its group.
pub(crate) fn is_replaced_one(pool: &Pool, leaf: &Vdev) -> bool {
    fn stands_first(vdev: &Vdev, leaf: &Vdev) -> bool {
        let first = vdev.children.first().filter(|_| vdev.name.starts_with("replacing"));
        first.is_some_and(|first| first.name == leaf.name)
            || vdev.children.iter().any(|child| stands_first(child, leaf))
    }
    read_vdevs(pool).any(|vdev| stands_first(vdev, leaf))
}

/// Returns the device that works beside one that does not, in a group `replacing-0`.
pub(crate) fn beside<'a>(pool: &'a Pool, leaf: &Vdev) -> Option<&'a Vdev> {
    fn find<'a>(vdev: &'a Vdev, leaf: &Vdev) -> Option<&'a Vdev> {
        let leaves = vdev.leaves();
        let here = vdev.name.starts_with("replacing")
            && leaves.iter().any(|child| child.name == leaf.name);
        if !here {
            return vdev.children.iter().find_map(|child| find(child, leaf));
        }
        let is_well =
            |child: &&&Vdev| child.state.as_deref() == Some("ONLINE") && !is_filled(child);
        leaves.iter().find(is_well).copied().filter(|child| child.name != leaf.name)
    }
    read_vdevs(pool).find_map(|vdev| find(vdev, leaf))
}

/// Returns what `zpool status` says of a pool beside its devices, absent lines left out.
pub(crate) fn words_of(pool: &Pool) -> Vec<Evidence> {
    let rows = [
        ("status", &pool.status),
        ("action", &pool.action),
        ("scan", &pool.scan),
        ("errors", &pool.errors),
    ];
    let row = |(name, text): (&str, &Option<String>)| {
        Some(Evidence::now(format!("{}: {name}", pool.name), one_line(text.as_deref()?)))
    };
    rows.into_iter().filter_map(row).collect()
}

/// Returns the errors that a vdev has counted, for people.
pub(crate) fn counts_of(vdev: &Vdev) -> String {
    match vdev.errors {
        Some([read, write, checksum]) => {
            format!("{read} read, {write} write, {checksum} checksum errors")
        }
        None => "not read".to_owned(),
    }
}

/// Returns what stands behind a vdev's row, in brackets; nothing where nothing does.
pub(crate) fn noted(vdev: &Vdev) -> String {
    match vdev.note.as_deref() {
        None => String::new(),
        Some(note) if note.starts_with('(') => format!(" {note}"),
        Some(note) => format!(" ({note})"),
    }
}

/// Returns a text with every run of white space as one space.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a scrub's command, or none while something already reads the whole pool, or nothing can.
pub(crate) fn scrub(pool: &Pool) -> Option<String> {
    (scan(pool) == Scan::Idle && is_usable(pool))
        .then(|| format!("zpool scrub {}", format::shell(&pool.name)))
}

/// Returns whether the drive of a device says of itself that it fails.
pub(crate) fn reports_failure(view: &View<'_>, leaf: &str) -> bool {
    view.machine.drive_of(leaf).is_some_and(|drive| drive.smart_passed == Some(false))
}

/// How a disk is called in a command that somebody has to buy first.
const NEW_DISK: &str = "NEW-DISK";

/// Returns whether a device is a partition behind another one of its disk, whose boot loader may stand there, as on Proxmox
/// and FreeBSD: `ata-DISK-part3`, `nvme0n1p3`, `ada0p3`. What ends in a figure alone may be a name.
fn is_later_partition(device: &str) -> bool {
    let digits = device.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (disk, number) = device.split_at(device.len() - digits);
    let is_partition = disk.ends_with("-part")
        || disk.strip_suffix('p').is_some_and(|disk| disk.ends_with(|c: char| c.is_ascii_digit()));
    is_partition && number.parse::<u32>().is_ok_and(|number| number > 1)
}

/// Returns the command that replaces a device by a disk that somebody has to buy first, with a note behind it.
pub(crate) fn replace_by_new(pool: &Pool, device: &str, note: &str) -> String {
    let (by, partition) = match is_later_partition(device) {
        true => ("NEW-PARTITION", "partition the new disk as the old one is, with its boot loader"),
        false => (NEW_DISK, ""),
    };
    let notes: Vec<&str> = [partition, note].into_iter().filter(|note| !note.is_empty()).collect();
    let notes = match notes.is_empty() {
        true => String::new(),
        false => format!("   # {}", notes.join("; ")),
    };
    let (name, device) = (format::shell(&pool.name), format::shell(device));
    format!("zpool replace {name} {device} {by}{notes}")
}

/// Returns the command that replaces a device, or none while the pool resilvers or takes no requests.
pub(crate) fn replace(pool: &Pool, device: &str, by: &str) -> Option<String> {
    let command = || match by {
        NEW_DISK => replace_by_new(pool, device, ""),
        by => format!("zpool replace {} {} {by}", format::shell(&pool.name), format::shell(device)),
    };
    (scan(pool) != Scan::Resilver && is_usable(pool)).then(command)
}

/// Returns how a pool does without a log device: one half of a mirror is detached, since only the whole can be removed.
pub(crate) fn without_log(pool: &Pool, leaf: &str) -> String {
    let (name, device) = (format::shell(&pool.name), format::shell(leaf));
    let holds = |vdev: &&Vdev| vdev.children.iter().any(|child| child.name == leaf);
    match pool.of_class(Class::Log).find(holds) {
        Some(mirror) => format!(
            "zpool detach {name} {device}   # or do without it; the whole log goes with: zpool remove {name} {}",
            format::shell(&mirror.name)
        ),
        None => format!("zpool remove {name} {device}   # or do without it"),
    }
}

#[cfg(test)]
mod tests {
    use arcwright_machine::Pool;

    use super::{Scan, is_later_partition, scan};
    use crate::rules::device_paths::{is_disk_name, is_file};

    #[test]
    fn a_partition_behind_another_is_replaced_by_a_partition() {
        let check = |device: &str, is_partition: bool| {
            assert_eq!(is_later_partition(device), is_partition, "{device}");
        };
        for device in ["ata-EXAMPLE-part3", "nvme0n1p2", "ada0p3"] {
            check(device, true);
        }
        for device in ["sda", "sdb2", "ata-EXAMPLE-part1", "ada0", "gptid/00-11p", "p3", ""] {
            check(device, false);
        }
    }

    #[test]
    fn names_that_smartctl_knows_are_told_from_those_that_somebody_gave() {
        for (name, expected) in [
            ("sda", true),
            ("sdaa1", true),
            ("nvme0n1p2", true),
            ("ada3p2", true),
            ("c0t5000C5001032271Bd0", true),
            ("ata-EXAMPLE-part1", true),
            ("disk/by-id/wwn-0x5000", true),
            ("slot5crypt", false),
            ("mapper/slot5crypt", false),
            ("A1", false),
            ("data", false),
            ("sdatas", false),
        ] {
            assert_eq!(is_disk_name(name), expected, "{name}");
        }
        assert!(is_file("/srv/img/vdev 1.img") && !is_file("/dev/sda") && !is_file("sda"));
    }

    #[test]
    fn what_runs_is_told_from_what_ran() {
        for (text, expected) in [
            ("scrub repaired 0B in 05:12:09 with 0 errors", Scan::Idle),
            ("scrub in progress since Sun Nov 1 00:24:01 2026", Scan::Scrub),
            ("scrub paused since Sun Nov 1 00:24:01 2026", Scan::Idle),
            ("resilver in progress since Sun Nov 1 00:24:01 2026", Scan::Resilver),
            ("resilver (draid1:4d:6c:1s-0) in progress since Sun Nov 1", Scan::Resilver),
            ("resilvered 1.2T in 05:12:09 with 0 errors", Scan::Idle),
        ] {
            let pool = Pool { scan: Some(text.to_owned()), ..Pool::default() };
            assert_eq!(scan(&pool), expected, "{text}");
        }
        assert_eq!(scan(&Pool::default()), Scan::Idle);
    }
}
