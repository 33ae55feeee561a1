//! Disks in the table of the operating system's own tools (`iostat -x`, `gstat`); not a rule itself.
//!
//! Where the layout of a pool is known and its disks are in the table, disks of one vdev are held against
//! each other; otherwise all disks of the table that are of one kind and do alike. The names that a pool
//! has for its disks may lead to none of the table: then the table stands for itself.

use std::collections::BTreeMap;

use arcwright_machine::{DeviceIo, DeviceTable, DriveKind, Machine, Pool, VdevNames};

use crate::drives::{kind_of, same_drive};
use crate::finding::{Confidence, Evidence, Level, Over};
use crate::format;
use crate::rules::disk_state;
use crate::verdict::NotJudged;

/// A disk, as the pool names it where a pool has it, and what it did.
#[derive(Clone, Copy)]
pub(super) struct Disk<'a> {
    pub(super) name: &'a str,
    pub(super) io: &'a DeviceIo,
}

/// Disks that are held against each other.
pub(super) struct Group<'a> {
    /// The pool that they belong to; none where they are all disks of the table.
    pub(super) pool: Option<&'a Pool>,
    pub(super) disks: Vec<Disk<'a>>,
}

/// Returns the groups that `of_pool` makes of the disks of pools, and why one of them cannot be judged; all
/// disks of the table where no pool's disk is in it.
pub(super) fn groups<'a>(
    (machine, table): (&'a Machine, &'a DeviceTable),
    of_pool: fn(&Pool) -> Vec<Vec<&str>>,
) -> (Vec<Group<'a>>, Option<NotJudged>) {
    let (mut groups, mut open, mut is_matched) = (Vec::new(), None, false);
    let rows = Rows::of(table);
    for pool in &machine.pools {
        for names in of_pool(pool) {
            let found: Vec<Option<Disk<'_>>> =
                names.iter().map(|name| rows.find(machine, name)).collect();
            is_matched |= found.iter().any(Option::is_some);
            let absent = names.iter().zip(&found).find(|(_, disk)| disk.is_none());
            if let Some((name, _)) = absent {
                let words = format!("what {name} of {} does was not read", pool.name);
                open = Some(NotJudged::NotRead(format!("{words} ({})", table.program)));
            } else if !found.is_empty() {
                let disks = found.into_iter().flatten().collect();
                groups.push(Group { pool: Some(pool), disks });
            }
        }
    }
    if is_matched {
        return (groups, open);
    }
    let disks = table.devices.iter().filter(|device| is_disk(machine, &device.name));
    let disks = disks.map(|io| Disk { name: &io.name, io }).collect();
    (vec![Group { pool: None, disks }], None)
}

/// The rows of a table by their names.
struct Rows<'a> {
    table: &'a DeviceTable,
    by_name: BTreeMap<&'a str, &'a DeviceIo>,
    alike: VdevNames<'a>,
}

impl<'a> Rows<'a> {
    fn of(table: &'a DeviceTable) -> Self {
        // Of two rows of one name the first counts.
        let by_name = table.devices.iter().rev().map(|io| (io.name.as_str(), io)).collect();
        let alike = VdevNames::new(table.devices.iter().map(|io| io.name.as_str()));
        Self { table, by_name, alike }
    }

    /// Returns the row of a pool's disk: its own partition's, or that of the whole drive.
    fn find(&self, machine: &Machine, leaf: &'a str) -> Option<Disk<'a>> {
        let own = leaf.trim_start_matches("/dev/");
        let named = |name: &str| self.by_name.get(name).copied();
        let alike = || self.table.devices.get(self.alike.first(own)?);
        let io = named(own).or_else(|| named(&same_drive(machine, leaf))).or_else(alike)?;
        Some(Disk { name: leaf, io })
    }
}

/// Returns whether a row is a whole disk, and no partition, label or device above disks.
fn is_disk(machine: &Machine, name: &str) -> bool {
    const DISKS: [&str; 9] = ["sd", "hd", "da", "ada", "ad", "nvme", "nvd", "nda", "c"];
    // A part of a drive leads to the drive's name.
    DISKS.contains(&family(name)) && same_drive(machine, name) == name
}

/// Returns the letters that a driver's disks begin with, those of Linux' `sda` without its own.
pub(super) fn family(name: &str) -> &str {
    let is_letter = |c: char| c.is_ascii_lowercase();
    let scsi = ["sd", "hd"].into_iter().find(|kind| name.starts_with(kind));
    match scsi.filter(|_| name.chars().all(is_letter)) {
        Some(kind) => kind,
        None => name.split_once(|c| !is_letter(c)).map_or_else(|| name, |(family, _)| family),
    }
}

/// Returns what kind a disk is, by what was read of it or by the name that only such drives have.
pub(super) fn kind(machine: &Machine, disk: &Disk<'_>) -> Option<DriveKind> {
    let named = ["nvme", "nvd", "nda"].contains(&family(&disk.io.name));
    let read = kind_of(machine, disk.name).or_else(|| kind_of(machine, &disk.io.name));
    read.or_else(|| named.then_some(DriveKind::Nvme))
}

/// Returns what a row says of a disk as evidence.
pub(super) fn evidence(table: &DeviceTable, disk: &Disk<'_>) -> Evidence {
    let shown = match disk.name == disk.io.name {
        true => disk.name.to_owned(),
        false => format!("{} ({})", disk.name, disk.io.name),
    };
    let name = format!("{shown}: {}", table.program);
    Evidence { over: over(table), ..Evidence::now(name, told(disk)) }
}

/// Returns what a row says of a disk for a sentence; what it does not have is left out.
pub(super) fn told(disk: &Disk<'_>) -> String {
    let DeviceIo { read_wait_ns, write_wait_ns, wait_ns, busy_pct, .. } = disk.io;
    let per = |wait: &Option<u64>, what: &str| {
        wait.map(|wait| format!("{} per {what}", format::latency(wait)))
    };
    let waits = [per(read_wait_ns, "read"), per(write_wait_ns, "write"), per(wait_ns, "request")];
    let rates = [(disk.io.read_ops_per_s, "reads"), (disk.io.write_ops_per_s, "writes")];
    let rate = |(rate, what): (Option<f64>, &str)| {
        disk_state::positive(rate).map(|rate| format!("{} {what}", format::per_s(rate)))
    };
    let rates: Vec<String> = rates.into_iter().filter_map(rate).collect();
    let rates = (!rates.is_empty()).then(|| format!("{} per second", rates.join(" and ")));
    let busy = disk_state::positive(*busy_pct).map(|busy| format!("{busy:.0} % busy"));
    let told: Vec<String> = waits.into_iter().chain([rates, busy]).flatten().collect();
    told.join(", ")
}

fn over(table: &DeviceTable) -> Over {
    match table.since_boot {
        Some(false) => Over::Window,
        Some(true) | None => Over::SinceLoad,
    }
}

/// Returns how sure a finding is that rests on the table.
pub(super) fn confidence(table: &DeviceTable) -> Confidence {
    let (level, words) = match table.since_boot {
        Some(false) => (Level::Fair, format!("read from {}, over its intervals", table.program)),
        Some(true) | None => {
            let words = "since the machine was started: it proves nothing about now";
            (Level::Low, format!("read from the first report of {}, {words}", table.program))
        }
    };
    Confidence { level, words, span_ns: None, events: None }
}
