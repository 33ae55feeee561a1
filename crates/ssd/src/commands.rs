//! The commands of a plan, and how each is taken back.

use arcwright_scenario::Kernel;
use arcwright_tunables::persist::Command;
use arcwright_units::Bytes;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

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

/// What a role gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RolePartitions {
    /// `log`, `special`, `cache`.
    pub role: String,
    /// The partitions.
    pub partitions: Vec<String>,
}

/// A command with what a reader must know of it.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub struct Line {
    /// The command.
    pub command: Command,
    /// A remark behind it.
    pub remark: Option<String>,
}

impl Line {
    fn new(words: &[&str]) -> Self {
        Self { command: Command::new(words), remark: None }
    }

    fn of(words: Vec<String>) -> Self {
        Self { command: Command { words }, remark: None }
    }

    fn with(self, remark: String) -> Self {
        Self { remark: Some(remark), ..self }
    }
}

/// The line as it would be typed.
impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.remark {
            Some(remark) => write!(f, "{}   # {remark}", self.command),
            None => write!(f, "{}", self.command),
        }
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The partitions of a role.
struct Part {
    role: &'static str,
    size: Bytes,
    /// Its number on each SSD, from 1.
    number: usize,
    /// The SSDs that have it.
    drives: Vec<usize>,
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

struct Making<'a> {
    target: &'a Target,
    drives: &'a [String],
    parts: &'a [Part],
}

impl Making<'_> {
    fn label(&self, part: &Part, drive: usize) -> String {
        let number = if part.drives.len() > 1 { format!("-{}", drive + 1) } else { String::new() };
        let pool = self.target.pool.chars().filter(char::is_ascii_alphanumeric).take(16);
        format!("{}-{}{number}", pool.collect::<String>(), part.role)
    }

    fn sgdisk(&self) -> (Vec<Line>, Vec<Line>) {
        let (mut look, mut make) = (Vec::new(), Vec::new());
        for (number, drive) in self.drives.iter().enumerate() {
            look.push(Line::new(&["lsblk", "-o", "NAME,SIZE,TYPE,FSTYPE,MOUNTPOINT", drive]));
            look.push(Line::new(&["wipefs", "--no-act", drive]));
            let mut words = vec!["sgdisk".to_owned()];
            for part in self.parts.iter().filter(|part| part.drives.contains(&number)) {
                let (at, size) = (part.number, part.size.0 >> 20);
                words.push(format!("--new={at}:0:+{size}M"));
                words.push(format!("--typecode={at}:{TYPE_ZFS}"));
                words.push(format!("--change-name={at}:{}", self.label(part, number)));
            }
            words.push(drive.clone());
            make.push(Line::of(words));
        }
        make.push(Line::new(&["udevadm", "settle"]));
        (look, make)
    }

    fn gpart(&self) -> (Vec<Line>, Vec<Line>) {
        let (mut look, mut make) = (Vec::new(), Vec::new());
        for (number, drive) in self.drives.iter().enumerate() {
            let device = drive.trim_start_matches("/dev/");
            look.push(Line::new(&["gpart", "show", device]));
            make.push(Line::new(&["gpart", "create", "-s", "gpt", device]));
            for part in self.parts.iter().filter(|part| part.drives.contains(&number)) {
                let size = format!("{}m", part.size.0 >> 20);
                let label = self.label(part, number);
                let add = ["gpart", "add", "-t", "freebsd-zfs", "-a", "1m"];
                make.push(Line::new(&[&add[..], &["-s", &size, "-l", &label, device]].concat()));
            }
        }
        (look, make)
    }

    /// Returns the partitions of a role, one on each SSD, as commands name them.
    fn partitions(&self, part: &Part) -> Vec<String> {
        let drives = self.drives.iter().enumerate();
        let drives = drives.filter(|(number, _)| part.drives.contains(number));
        let name = |(number, drive): (usize, &String)| match self.target.kernel {
            Kernel::Freebsd => format!("gpt/{}", self.label(part, number)),
            Kernel::Linux => partition(drive, part.number),
        };
        drives.map(name).collect()
    }

    fn add(&self, part: &Part) -> Line {
        let mut words = vec!["zpool".to_owned(), "add".to_owned()];
        // A mirror beside raidz is another redundancy, which zpool does not add unasked.
        if part.role == "special" && self.target.redundancy.has_raidz {
            words.push("-f".to_owned());
        }
        // What holds data has to have the pool's sector; a cache takes its own.
        if part.role != "cache" {
            words.extend(["-o".to_owned(), format!("ashift={}", self.target.ashift)]);
        }
        words.extend([self.target.pool.clone(), part.role.to_owned()]);
        if part.drives.len() > 1 && part.role != "cache" {
            words.push("mirror".to_owned());
        }
        words.extend(self.partitions(part));
        Line::of(words)
    }

    fn undo(&self) -> Vec<Line> {
        let pool = self.target.pool.as_str();
        let mut all = Vec::new();
        if self.is_final() {
            all.push(Line::new(&["zpool", "export", pool]));
            let back = Line::new(&["zpool", "import", "--rewind-to-checkpoint", pool]);
            all.push(back.with("loses all that was written since".to_owned()));
        } else if self.has_special() {
            all.push(Line::new(&["zpool", "checkpoint", "--discard", "--wait", pool]));
        }
        for part in self.parts.iter().filter(|part| part.role != "special" || !self.is_final()) {
            let partitions = self.partitions(part);
            if part.role == "cache" || partitions.len() == 1 {
                let words = ["zpool", "remove", pool].map(str::to_owned);
                all.push(Line::of(words.into_iter().chain(partitions).collect()));
            } else {
                let line = Line::new(&["zpool", "remove", pool, "mirror-N"]);
                all.push(line.with(format!("the mirror that zpool status shows as {}", part.role)));
            }
        }
        if self.has_special() && !self.is_final() {
            all.push(Line::new(&["zpool", "wait", "-t", "remove", pool]));
        }
        for partition in self.parts.iter().flat_map(|part| self.partitions(part)) {
            all.push(Line::new(&["zpool", "labelclear", "-f", &partition]));
        }
        all.extend(self.drives.iter().map(|drive| match self.target.kernel {
            Kernel::Freebsd => {
                Line::new(&["gpart", "destroy", "-F", drive.trim_start_matches("/dev/")])
            }
            Kernel::Linux => Line::new(&["sgdisk", "--zap-all", drive]),
        }));
        all
    }

    fn has_special(&self) -> bool {
        self.parts.iter().any(|part| part.role == "special")
    }

    /// Says whether the pool never lets a special vdev go again.
    fn is_final(&self) -> bool {
        self.target.redundancy.has_raidz && self.has_special()
    }

    fn notes(&self) -> Vec<String> {
        if !self.has_special() {
            return Vec::new();
        }
        let stays = "What the pool holds already stays where it is: only what is written from now on goes to the special vdev. \
                     Files that are copied anew, or sent and received, move.";
        let back = match self.is_final() {
            true => {
                "In a pool with raidz a special vdev can never be removed again; the only way back is the checkpoint, which \
                 loses everything written since."
            }
            false => {
                "Removing a special vdev copies all of it back to the data disks, and leaves a table of where it was in \
                 memory. The checkpoint has to be discarded before, and holds space until then."
            }
        };
        vec![stays.to_owned(), back.to_owned()]
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
