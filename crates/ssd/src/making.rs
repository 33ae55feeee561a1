//! The commands of each kernel: partitions of drives, vdevs of them, and what takes them back.

use arcwright_scenario::Kernel;

use crate::line::{Line, Part, Target};

/// The type of a partition of ZFS for sgdisk (Solaris /usr & Apple ZFS, as `zpool create` itself sets it).
const TYPE_ZFS: &str = "BF01";

/// A plan while its commands are made.
pub(crate) struct Making<'a> {
    pub(crate) target: &'a Target,
    pub(crate) drives: &'a [String],
    pub(crate) parts: &'a [Part],
}

impl Making<'_> {
    fn label(&self, part: &Part, drive: usize) -> String {
        let number = if part.drives.len() > 1 { format!("-{}", drive + 1) } else { String::new() };
        let pool = self.target.pool.chars().filter(char::is_ascii_alphanumeric).take(16);
        format!("{}-{}{number}", pool.collect::<String>(), part.role)
    }

    pub(crate) fn sgdisk(&self) -> (Vec<Line>, Vec<Line>) {
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

    pub(crate) fn gpart(&self) -> (Vec<Line>, Vec<Line>) {
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
    pub(crate) fn partitions(&self, part: &Part) -> Vec<String> {
        let drives = self.drives.iter().enumerate();
        let drives = drives.filter(|(number, _)| part.drives.contains(number));
        let name = |(number, drive): (usize, &String)| match self.target.kernel {
            Kernel::Freebsd => format!("gpt/{}", self.label(part, number)),
            Kernel::Linux => partition(drive, part.number),
        };
        drives.map(name).collect()
    }

    pub(crate) fn add(&self, part: &Part) -> Line {
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

    pub(crate) fn undo(&self) -> Vec<Line> {
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

    pub(crate) fn has_special(&self) -> bool {
        self.parts.iter().any(|part| part.role == "special")
    }

    /// Says whether the pool never lets a special vdev go again.
    fn is_final(&self) -> bool {
        self.target.redundancy.has_raidz && self.has_special()
    }

    pub(crate) fn notes(&self) -> Vec<String> {
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
