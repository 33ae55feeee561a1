//! The commands of a plan, and how each is taken back.

use std::fmt::Write as _;

use arcwright_scenario::Kernel;
use arcwright_units::{Bytes, shell};
use schemars::JsonSchema;
use serde::Serialize;

use crate::pool::Redundancy;
use crate::roles::{Roles, Split};

/// The type of a partition of ZFS for sgdisk (Solaris /usr & Apple ZFS, as `zpool create` itself sets it).
const TYPE_ZFS: &str = "BF01";
/// What stands for a drive that was not named.
const UNNAMED: [&str; 2] = ["/dev/disk/by-id/YOUR-SSD", "/dev/disk/by-id/YOUR-OTHER-SSD"];
const UNNAMED_FREEBSD: [&str; 2] = ["YOUR-SSD", "YOUR-OTHER-SSD"];

/// Where a plan is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The pool.
    pub pool: String,
    /// The kernel's family.
    pub kernel: Kernel,
    /// log2 of the sector that the new vdevs assume.
    pub ashift: u8,
    /// What the pool survives.
    pub redundancy: Redundancy,
}

/// The commands of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Commands {
    /// Looks that change nothing: the SSD is empty and nobody uses it.
    pub look: Vec<String>,
    /// The change, in order.
    pub make: Vec<String>,
    /// What takes it back, in order.
    pub undo: Vec<String>,
    /// What a reader must know before.
    pub notes: Vec<String>,
}

/// A partition of a role on one SSD.
struct Part {
    role: &'static str,
    size: Bytes,
    /// Its number on each SSD, from 1.
    number: usize,
}

impl Commands {
    /// Returns the commands; `paths` are the SSDs as commands name them, none where only a profile is known.
    #[must_use]
    pub fn of(target: &Target, roles: Roles, split: Split, paths: &[Option<String>]) -> Self {
        if roles.count() == 0 {
            return Self::default();
        }
        let unnamed = if target.kernel == Kernel::Freebsd { UNNAMED_FREEBSD } else { UNNAMED };
        let named = paths.iter().zip(unnamed);
        let drives = named.map(|(path, unnamed)| path.clone().unwrap_or_else(|| unnamed.to_owned()));
        let drives: Vec<String> = drives.collect();
        let roles = [("log", split.log), ("special", split.special), ("cache", split.cache)];
        let parts = roles.into_iter().filter_map(|(role, size)| Some((role, size?)));
        let parts = parts.enumerate().map(|(number, (role, size))| Part { role, size, number: number + 1 });
        let parts: Vec<Part> = parts.collect();
        let making = Making { target, drives: &drives, parts: &parts };
        let (look, mut make) = match target.kernel {
            Kernel::Freebsd => making.gpart(),
            Kernel::Linux => making.sgdisk(),
        };
        if parts.iter().any(|part| part.role == "special") {
            let pool = shell(&target.pool);
            make.insert(0, format!("zpool checkpoint {pool}"));
        }
        make.extend(parts.iter().map(|part| making.add(part)));
        Self { look, make, undo: making.undo(), notes: making.notes() }
    }
}

struct Making<'a> {
    target: &'a Target,
    drives: &'a [String],
    parts: &'a [Part],
}

impl Making<'_> {
    fn label(&self, part: &Part, drive: usize) -> String {
        let number = if self.drives.len() > 1 { format!("-{}", drive + 1) } else { String::new() };
        let pool = self.target.pool.chars().filter(char::is_ascii_alphanumeric).take(16);
        format!("{}-{}{number}", pool.collect::<String>(), part.role)
    }

    fn sgdisk(&self) -> (Vec<String>, Vec<String>) {
        let (mut look, mut make) = (Vec::new(), Vec::new());
        for (number, drive) in self.drives.iter().enumerate() {
            let device = shell(drive);
            look.push(format!("lsblk -o NAME,SIZE,TYPE,FSTYPE,MOUNTPOINT {device}"));
            look.push(format!("wipefs --no-act {device}"));
            let mut line = "sgdisk".to_owned();
            for part in self.parts {
                // Writing into a string cannot fail.
                let _ = write!(
                    line,
                    " --new={0}:0:+{1}M --typecode={0}:{TYPE_ZFS} --change-name={0}:{2}",
                    part.number,
                    part.size.0 >> 20,
                    self.label(part, number)
                );
            }
            make.push(format!("{line} {device}"));
        }
        make.push("udevadm settle".to_owned());
        (look, make)
    }

    fn gpart(&self) -> (Vec<String>, Vec<String>) {
        let (mut look, mut make) = (Vec::new(), Vec::new());
        for (number, drive) in self.drives.iter().enumerate() {
            let device = shell(drive.trim_start_matches("/dev/"));
            look.push(format!("gpart show {device}"));
            make.push(format!("gpart create -s gpt {device}"));
            for part in self.parts {
                let (size, label) = (part.size.0 >> 20, self.label(part, number));
                make.push(format!("gpart add -t freebsd-zfs -a 1m -s {size}m -l {label} {device}"));
            }
        }
        (look, make)
    }

    /// Returns the partitions of a role, one on each SSD, as commands name them.
    fn partitions(&self, part: &Part) -> Vec<String> {
        let drives = self.drives.iter().enumerate();
        let name = |(number, drive): (usize, &String)| match self.target.kernel {
            Kernel::Freebsd => format!("gpt/{}", self.label(part, number)),
            Kernel::Linux => shell(&partition(drive, part.number)),
        };
        drives.map(name).collect()
    }

    fn add(&self, part: &Part) -> String {
        let (pool, partitions) = (shell(&self.target.pool), self.partitions(part).join(" "));
        let mirror = if self.drives.len() > 1 && part.role != "cache" { "mirror " } else { "" };
        // What holds data has to have the pool's sector; a cache takes its own.
        let ashift = match part.role {
            "cache" => String::new(),
            _ => format!("-o ashift={} ", self.target.ashift),
        };
        // A mirror beside raidz is another redundancy, which zpool does not add unasked.
        let force = match part.role == "special" && self.target.redundancy.has_raidz {
            true => "-f ",
            false => "",
        };
        format!("zpool add {force}{ashift}{pool} {} {mirror}{partitions}", part.role)
    }

    fn undo(&self) -> Vec<String> {
        let pool = shell(&self.target.pool);
        let mut all = Vec::new();
        if self.is_final() {
            all.push(format!(
                "zpool export {pool} && zpool import --rewind-to-checkpoint {pool}   # loses all that was written since"
            ));
        } else if self.parts.iter().any(|part| part.role == "special") {
            all.push(format!("zpool checkpoint --discard {pool}"));
        }
        for part in self.parts {
            let partitions = self.partitions(part);
            match (part.role, partitions.len()) {
                ("special", _) if self.is_final() => {}
                ("cache", _) | (_, 1) => all.push(format!("zpool remove {pool} {}", partitions.join(" "))),
                _ => all.push(format!(
                    "zpool remove {pool} mirror-N   # N as zpool status {pool} shows for the {}",
                    part.role
                )),
            }
        }
        let labels = self.parts.iter().flat_map(|part| self.partitions(part));
        all.extend(labels.map(|partition| format!("zpool labelclear -f {partition}")));
        for drive in self.drives {
            all.push(match self.target.kernel {
                Kernel::Freebsd => format!("gpart destroy -F {}", shell(drive.trim_start_matches("/dev/"))),
                Kernel::Linux => format!("sgdisk --zap-all {}", shell(drive)),
            });
        }
        all
    }

    /// Says whether the pool never lets a special vdev go again.
    fn is_final(&self) -> bool {
        self.target.redundancy.has_raidz && self.parts.iter().any(|part| part.role == "special")
    }

    fn notes(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.parts.iter().any(|part| part.role == "special") {
            all.push(
                "What the pool holds already stays where it is: only what is written from now on goes to the special vdev. \
                 Files that are copied anew, or sent and received, move."
                    .to_owned(),
            );
            all.push(match self.is_final() {
                true => "In a pool with raidz a special vdev can never be removed again; the only way back is the checkpoint, \
                         which loses everything written since."
                    .to_owned(),
                false => "Removing a special vdev copies all of it back to the data disks, and leaves a table of where it was \
                          in memory. The checkpoint has to be discarded before (zpool checkpoint --discard), and holds \
                          space until then."
                    .to_owned(),
            });
        }
        all
    }
}

/// Returns a partition of a drive as Linux names it.
fn partition(drive: &str, number: usize) -> String {
    match drive {
        // Links have names of their own for partitions.
        link if link.starts_with("/dev/disk/") => format!("{link}-part{number}"),
        kernel if kernel.ends_with(|c: char| c.is_ascii_digit()) => format!("{kernel}p{number}"),
        kernel => format!("{kernel}{number}"),
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Kernel;
    use arcwright_units::Bytes;

    use super::{Commands, Target};
    use crate::pool::Redundancy;
    use crate::roles::{Roles, Split};

    fn target(kernel: Kernel, has_raidz: bool) -> Target {
        let redundancy = Redundancy { disks_may_fail: 1, has_raidz };
        Target { pool: "tank".to_owned(), kernel, ashift: 12, redundancy }
    }

    const LOG_CACHE: Roles = Roles { log: true, special: false, cache: true };

    fn split() -> Split {
        Split { log: Some(Bytes::gib(2)), cache: Some(Bytes::gib(60)), ..Split::default() }
    }

    #[test]
    fn log_and_cache_on_linux() {
        let path = Some("/dev/disk/by-id/ata-X".to_owned());
        let found = Commands::of(&target(Kernel::Linux, false), LOG_CACHE, split(), &[path]);
        assert_eq!(found.make, [
            "sgdisk --new=1:0:+2048M --typecode=1:BF01 --change-name=1:tank-log --new=2:0:+61440M \
             --typecode=2:BF01 --change-name=2:tank-cache /dev/disk/by-id/ata-X",
            "udevadm settle",
            "zpool add -o ashift=12 tank log /dev/disk/by-id/ata-X-part1",
            "zpool add tank cache /dev/disk/by-id/ata-X-part2",
        ]);
        assert_eq!(found.undo, [
            "zpool remove tank /dev/disk/by-id/ata-X-part1",
            "zpool remove tank /dev/disk/by-id/ata-X-part2",
            "zpool labelclear -f /dev/disk/by-id/ata-X-part1",
            "zpool labelclear -f /dev/disk/by-id/ata-X-part2",
            "sgdisk --zap-all /dev/disk/by-id/ata-X",
        ]);
    }

    #[test]
    fn log_and_cache_on_freebsd() {
        let found = Commands::of(&target(Kernel::Freebsd, false), LOG_CACHE, split(), &[Some("da6".to_owned())]);
        assert_eq!(found.make, [
            "gpart create -s gpt da6",
            "gpart add -t freebsd-zfs -a 1m -s 2048m -l tank-log da6",
            "gpart add -t freebsd-zfs -a 1m -s 61440m -l tank-cache da6",
            "zpool add -o ashift=12 tank log gpt/tank-log",
            "zpool add tank cache gpt/tank-cache",
        ]);
        assert_eq!(found.undo.last().unwrap(), "gpart destroy -F da6");
    }

    #[test]
    fn a_special_vdev_beside_raidz_is_for_ever() {
        let roles = Roles { log: false, special: true, cache: false };
        let split = Split { special: Some(Bytes::gib(100)), ..Split::default() };
        let paths = [Some("/dev/nvme0n1".to_owned()), Some("/dev/nvme1n1".to_owned())];
        let found = Commands::of(&target(Kernel::Linux, true), roles, split, &paths);
        assert_eq!(found.make.first().unwrap(), "zpool checkpoint tank");
        assert_eq!(
            found.make.last().unwrap(),
            "zpool add -f -o ashift=12 tank special mirror /dev/nvme0n1p1 /dev/nvme1n1p1"
        );
        assert!(found.undo.iter().all(|line| !line.starts_with("zpool remove")), "{:?}", found.undo);
        assert!(found.notes.iter().any(|note| note.contains("never be removed")), "{:?}", found.notes);
    }

    #[test]
    fn names_are_words_of_a_shell() {
        let target = Target { pool: "my pool".to_owned(), ..target(Kernel::Linux, false) };
        let found = Commands::of(&target, LOG_CACHE, split(), &[Some("/dev/x; reboot".to_owned())]);
        for line in found.make.iter().chain(&found.undo).chain(&found.look) {
            let bare = line.split('\'').step_by(2).collect::<String>();
            assert!(!bare.contains(';'), "{line}");
        }
    }
}
