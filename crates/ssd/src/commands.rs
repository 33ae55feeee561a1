//! The commands of a plan, and how each is taken back.

use arcwright_scenario::Kernel;
use schemars::JsonSchema;
use serde::Serialize;

use crate::line::{Line, Part, RolePartitions, Target};
use crate::making::Making;
use crate::roles::{Roles, Split};

/// What stands for a drive that was not named.
const UNNAMED: [&str; 2] = ["/dev/disk/by-id/YOUR-SSD", "/dev/disk/by-id/YOUR-OTHER-SSD"];
const UNNAMED_FREEBSD: [&str; 2] = ["YOUR-SSD", "YOUR-OTHER-SSD"];

/// The commands of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Commands {
    /// Looks that change nothing: the SSD is empty and nobody uses it.
    pub look: Vec<Line>,
    /// The change, in order.
    pub make: Vec<Line>,
    /// What takes it back, in order.
    pub undo: Vec<Line>,
    /// What a reader must know before.
    pub notes: Vec<String>,
    /// The partitions of each role, one on each SSD, as commands name them.
    pub partitions: Vec<RolePartitions>,
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
        let drives =
            named.map(|(path, unnamed)| path.clone().unwrap_or_else(|| unnamed.to_owned()));
        let drives: Vec<String> = drives.collect();
        let all = [("log", split.log), ("special", split.special), ("cache", split.cache)];
        let parts = all.into_iter().filter_map(|(role, size)| Some((role, size?)));
        let parts = parts.enumerate().map(|(number, (role, size))| Part {
            number: if roles.apart { 1 } else { number + 1 },
            drives: roles.has(role, drives.len()),
            role,
            size,
        });
        let parts: Vec<Part> = parts.collect();
        let making = Making { target, drives: &drives, parts: &parts };
        let (look, mut make) = match target.kernel {
            Kernel::Freebsd => making.gpart(),
            Kernel::Linux => making.sgdisk(),
        };
        if making.has_special() {
            make.insert(0, Line::new(&["zpool", "checkpoint", &target.pool]));
        }
        make.extend(parts.iter().map(|part| making.add(part)));
        let partitions = parts.iter().map(|part| RolePartitions {
            role: part.role.to_owned(),
            partitions: making.partitions(part),
        });
        let partitions = partitions.collect();
        Self { look, make, undo: making.undo(), notes: making.notes(), partitions }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Kernel;
    use arcwright_units::Bytes;

    use super::{Commands, Line, Target};
    use crate::pool::Redundancy;
    use crate::roles::{Roles, Split};

    fn shown(lines: &[Line]) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }

    fn target(kernel: Kernel, has_raidz: bool) -> Target {
        let redundancy = Redundancy { disks_may_fail: 1, has_raidz };
        Target { pool: "tank".to_owned(), kernel, ashift: 12, redundancy }
    }

    const LOG_CACHE: Roles = Roles { log: true, special: false, cache: true, apart: false };

    fn split() -> Split {
        Split { log: Some(Bytes::gib(2)), cache: Some(Bytes::gib(60)), ..Split::default() }
    }

    #[test]
    fn log_and_cache_on_linux() {
        let path = Some("/dev/disk/by-id/ata-X".to_owned());
        let found = Commands::of(&target(Kernel::Linux, false), LOG_CACHE, split(), &[path]);
        assert_eq!(
            shown(&found.make),
            [
                "sgdisk --new=1:0:+2048M --typecode=1:BF01 --change-name=1:tank-log --new=2:0:+61440M \
             --typecode=2:BF01 --change-name=2:tank-cache /dev/disk/by-id/ata-X",
                "udevadm settle",
                "zpool add -o ashift=12 tank log /dev/disk/by-id/ata-X-part1",
                "zpool add tank cache /dev/disk/by-id/ata-X-part2",
            ]
        );
        assert_eq!(
            shown(&found.undo),
            [
                "zpool remove tank /dev/disk/by-id/ata-X-part1",
                "zpool remove tank /dev/disk/by-id/ata-X-part2",
                "zpool labelclear -f /dev/disk/by-id/ata-X-part1",
                "zpool labelclear -f /dev/disk/by-id/ata-X-part2",
                "sgdisk --zap-all /dev/disk/by-id/ata-X",
            ]
        );
    }

    #[test]
    fn each_of_two_ssds_has_a_role() {
        let paths = [Some("/dev/sdx".to_owned()), Some("/dev/sdy".to_owned())];
        let roles = Roles { apart: true, ..LOG_CACHE };
        let found = Commands::of(&target(Kernel::Linux, false), roles, split(), &paths);
        assert_eq!(
            shown(&found.make),
            [
                "sgdisk --new=1:0:+2048M --typecode=1:BF01 --change-name=1:tank-log /dev/sdx",
                "sgdisk --new=1:0:+61440M --typecode=1:BF01 --change-name=1:tank-cache /dev/sdy",
                "udevadm settle",
                "zpool add -o ashift=12 tank log /dev/sdx1",
                "zpool add tank cache /dev/sdy1",
            ]
        );
    }

    #[test]
    fn log_and_cache_on_freebsd() {
        let found = Commands::of(
            &target(Kernel::Freebsd, false),
            LOG_CACHE,
            split(),
            &[Some("da6".to_owned())],
        );
        assert_eq!(
            shown(&found.make),
            [
                "gpart create -s gpt da6",
                "gpart add -t freebsd-zfs -a 1m -s 2048m -l tank-log da6",
                "gpart add -t freebsd-zfs -a 1m -s 61440m -l tank-cache da6",
                "zpool add -o ashift=12 tank log gpt/tank-log",
                "zpool add tank cache gpt/tank-cache",
            ]
        );
        assert_eq!(shown(&found.undo).last().unwrap(), "gpart destroy -F da6");
    }

    #[test]
    fn a_special_vdev_beside_raidz_is_for_ever() {
        let roles = Roles { special: true, ..Roles::default() };
        let split = Split { special: Some(Bytes::gib(100)), ..Split::default() };
        let paths = [Some("/dev/nvme0n1".to_owned()), Some("/dev/nvme1n1".to_owned())];
        let found = Commands::of(&target(Kernel::Linux, true), roles, split, &paths);
        assert_eq!(shown(&found.make).first().unwrap(), "zpool checkpoint tank");
        assert_eq!(
            shown(&found.make).last().unwrap(),
            "zpool add -f -o ashift=12 tank special mirror /dev/nvme0n1p1 /dev/nvme1n1p1"
        );
        assert!(
            shown(&found.undo).iter().all(|line| !line.starts_with("zpool remove")),
            "{:?}",
            found.undo
        );
        assert!(
            found.notes.iter().any(|note| note.contains("never be removed")),
            "{:?}",
            found.notes
        );
    }

    #[test]
    fn names_are_words_of_a_shell() {
        let target = Target { pool: "my pool".to_owned(), ..target(Kernel::Linux, false) };
        let found = Commands::of(&target, LOG_CACHE, split(), &[Some("/dev/x; reboot".to_owned())]);
        for line in
            [&found.make, &found.undo, &found.look].into_iter().flat_map(|lines| shown(lines))
        {
            let bare = line.split('\'').step_by(2).collect::<String>();
            assert!(!bare.contains(';'), "{line}");
        }
    }
}
