//! Names of people's things, each with a number in its place: the same name, the same number.
//!
//! ```text
//!   tank/home/anna                      pool-1/fs-1/fs-2     what is below what stays
//!   /dev/disk/by-id/ata-WDC_W1-part1    /dev/disk/by-id/disk-1-part1
//!   sda2, nvme0n1p1, ada0p3             as they are: the kernel's own
//!   mirror-0, raidz2-1, cache           as they are: OpenZFS's own
//!   /srv/photos                         /mount-1
//! ```

use std::collections::{BTreeMap, BTreeSet};

use arcwright_tunables::{gone, lookup};

use super::starts::Starts;

/// Folders of devices, whose own names tell nothing.
const FOLDERS: [&str; 18] = [
    "/dev/disk/by-partlabel/",
    "/dev/disk/by-partuuid/",
    "/dev/disk/by-label/",
    "/dev/disk/by-path/",
    "/dev/disk/by-uuid/",
    "/dev/disk/by-vdev/",
    "/dev/disk/by-id/",
    "/dev/mapper/",
    "/dev/multipath/",
    "/dev/diskid/",
    "/dev/gptid/",
    "/dev/ufsid/",
    "/dev/label/",
    "/dev/gpt/",
    "/dev/md/",
    "/dev/ufs/",
    "/dev/block/",
    "/dev/",
];
/// The same below `/dev` without it, as FreeBSD's pools name their disks.
const BARE_FOLDERS: [&str; 8] =
    ["diskid/", "gptid/", "gpt/", "label/", "mapper/", "multipath/", "ufsid/", "ufs/"];
/// Layers of GEOM and remarks that stand behind a device's name.
const SUFFIXES: [&str; 4] = [".eli", ".nop", ".journal", "-whole"];

/// What was replaced so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    pools: BTreeMap<String, String>,
    parts: BTreeMap<String, String>,
    disks: BTreeMap<String, String>,
    paths: BTreeMap<String, String>,
    serials: BTreeMap<String, String>,
    /// What a word holds that holds one of them.
    starts: Starts,
    models: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
    words: BTreeMap<String, String>,
    /// Names that the loaded modules have for their parameters.
    parameters: BTreeSet<String>,
}

fn numbered(known: &mut BTreeMap<String, String>, name: &str, kind: &str) -> String {
    let next = known.len() + 1;
    known.entry(name.to_owned()).or_insert_with(|| format!("{kind}-{next}")).clone()
}

impl Names {
    pub(super) fn learn_parameters<'a>(&mut self, all: impl Iterator<Item = &'a str>) {
        let own = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._".contains(c);
        self.parameters.extend(all.filter(|name| name.chars().all(own)).map(str::to_owned));
    }

    /// A parameter, by its own name where OpenZFS or the loaded module has such a one.
    pub(super) fn parameter(&mut self, name: &str) -> String {
        let known = lookup(name).is_some() || gone().iter().any(|gone| gone.name == name);
        match known || self.parameters.contains(name) {
            true => name.to_owned(),
            false => match name.strip_prefix("vfs.zfs.") {
                Some(own) => format!("vfs.zfs.{}", self.word(own)),
                None => self.word(name),
            },
        }
    }

    pub(super) fn pool(&mut self, name: &str) -> String {
        numbered(&mut self.pools, name, "pool")
    }

    pub(super) fn knows_pool(&self, name: &str) -> bool {
        self.pools.contains_key(name)
    }

    /// A dataset, volume, snapshot or bookmark.
    pub(super) fn dataset(&mut self, name: &str) -> String {
        let at = name.find(['@', '#']).unwrap_or(name.len());
        let (live, snapshot) = name.split_at(at);
        let mut parts = live.split('/');
        let mut whole = self.pool(parts.next().unwrap_or_default());
        for part in parts {
            whole.push('/');
            whole.push_str(&numbered(&mut self.parts, part, "fs"));
        }
        if let Some(mark) = snapshot.chars().next() {
            whole.push(mark);
            whole.push_str(&numbered(&mut self.parts, snapshot, "snap"));
        }
        whole
    }

    /// A folder where something is mounted.
    pub(super) fn path(&mut self, path: &str) -> String {
        match path {
            "/" | "-" | "none" | "legacy" | "" => path.to_owned(),
            _ => numbered(&mut self.paths, path, "/mount"),
        }
    }

    pub(super) fn serial(&mut self, serial: &str) -> String {
        self.starts.add(serial);
        numbered(&mut self.serials, serial, "serial")
    }

    /// Returns whether a word holds the serial number of a drive.
    pub(super) fn holds_serial(&self, word: &str) -> bool {
        self.starts.are_in(word)
    }

    /// A model that no known maker sells.
    pub(super) fn model(&mut self, model: &str) -> String {
        numbered(&mut self.models, model, "model")
    }

    /// A file's own name.
    pub(super) fn file(&mut self, name: &str) -> String {
        numbered(&mut self.files, name, "file")
    }

    /// Any other word.
    pub(super) fn word(&mut self, word: &str) -> String {
        numbered(&mut self.words, word, "word")
    }

    /// Gives the devices that `/dev/disk` has links for their numbers: pools name some without their folder.
    pub(super) fn learn_links(&mut self, links: &str) {
        for (link, _) in links.lines().filter_map(|line| line.split_once(" -> ")) {
            let _numbered = self.device(link.trim());
        }
    }

    /// A row of a table that names a pool, a vdev or a device.
    pub(super) fn row(&mut self, name: &str) -> String {
        if is_group(name) {
            return name.to_owned();
        }
        if self.knows_pool(name) {
            return self.pool(name);
        }
        self.device(name)
    }

    /// A word in a sentence: what is known by a name keeps it.
    pub(super) fn in_a_sentence(&mut self, word: &str) -> String {
        if self.knows_pool(word) {
            return self.pool(word);
        }
        if word.starts_with("/dev/") || kernels_own(word) || is_group(word) {
            return self.row(word);
        }
        if word.split('/').next().is_some_and(|pool| self.knows_pool(pool)) {
            return self.dataset(word);
        }
        match self.disks.get(word) {
            Some(disk) => disk.clone(),
            None if word.starts_with('/') => self.path(word),
            None => self.word(word),
        }
    }

    /// A disk, a partition or a file that stands for one.
    pub(super) fn device(&mut self, name: &str) -> String {
        let volume = name.strip_prefix("/dev/").unwrap_or(name).strip_prefix("zvol/");
        if let Some(volume) = volume {
            let (volume, part) = without_partition(volume);
            let begin = if name.starts_with('/') { "/dev/" } else { "" };
            return format!("{begin}zvol/{}{part}", self.dataset(volume));
        }
        let folders = FOLDERS.iter().chain(&BARE_FOLDERS);
        let folder = folders.copied().find(|folder| name.starts_with(folder)).unwrap_or("");
        let base = name.get(folder.len()..).unwrap_or_default();
        if folder.is_empty() && base.starts_with('/') {
            // The end tells which file of those that stand together it is.
            return numbered(&mut self.paths, base, "/file");
        }
        let suffix = SUFFIXES.iter().copied().find(|suffix| base.ends_with(suffix)).unwrap_or("");
        let inner = base.strip_suffix(suffix).unwrap_or(base);
        // In other folders people give the names, which may look alike: `by-vdev/hdtom`, `gpt/da0`.
        let by_kernel = ["", "/dev/"].contains(&folder) && !self.disks.contains_key(inner);
        if base.is_empty() || by_kernel && (kernels_own(base) || kernels_own(inner)) {
            return name.to_owned();
        }
        let (inner, part) = without_partition(inner);
        let new = if inner.len() >= 12 && inner.chars().all(|c| c.is_ascii_digit()) {
            // What a pool calls a device that is gone: a number stays one.
            let next = self.disks.len() + 1;
            self.disks
                .entry(inner.to_owned())
                .or_insert_with(|| format!("9{next:0>0$}", inner.len() - 1))
                .clone()
        } else {
            numbered(&mut self.disks, inner, "disk")
        };
        format!("{folder}{new}{part}{suffix}")
    }
}

/// Splits a device's name before its partition: `-part3`; `p3` and `s1` behind a label of FreeBSD.
fn without_partition(name: &str) -> (&str, &str) {
    let digits =
        |text: &str| !text.is_empty() && text.len() < 4 && text.chars().all(|c| c.is_ascii_digit());
    if let Some(at) = name.rfind("-part").filter(|at| name.get(at + 5..).is_some_and(digits)) {
        return name.split_at(at);
    }
    let at = name.rfind('p').filter(|at| name.get(at + 1..).is_some_and(digits));
    match at.filter(|_| name.starts_with("DISK-")) {
        Some(at) => name.split_at(at),
        None => (name, ""),
    }
}

/// Returns whether it is what OpenZFS calls a group, or the heading of a class.
pub(super) fn is_group(name: &str) -> bool {
    const HEADINGS: [&str; 7] = ["cache", "logs", "log", "special", "dedup", "spares", "spare"];
    const KINDS: [&str; 10] = [
        "mirror",
        "raidz",
        "raidz1",
        "raidz2",
        "raidz3",
        "replacing",
        "spare",
        "indirect",
        "root",
        "hole",
    ];
    if HEADINGS.contains(&name) {
        return true;
    }
    let digits =
        |text: &str| text.len() < 6 && !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let mut parts = name.split('-');
    let kind = parts.next().unwrap_or_default();
    let numbers: Vec<&str> = parts.collect();
    // draid2:4d:10c:1s-0, and its spares draid2-0-1.
    let draid = kind.strip_prefix("draid").is_some_and(|rest| {
        rest.split(':')
            .all(|part| part.trim_end_matches(['d', 'c', 's']).chars().all(|c| c.is_ascii_digit()))
            && rest.len() < 24
    });
    (KINDS.contains(&kind) && numbers.len() <= 1 || draid && numbers.len() <= 2)
        && numbers.iter().all(|number| digits(number))
}

/// Returns whether the kernel itself gives that name: `sda1`, `nvme0n1p2`, `ada0p3`, `dm-4`.
pub(super) fn kernels_own(name: &str) -> bool {
    const LETTERS: [&str; 4] = ["sd", "vd", "xvd", "hd"];
    const NUMBERS: [&str; 22] = [
        "nvme", "mmcblk", "mmcsd", "ada", "da", "nda", "nvd", "vtbd", "ad", "mfid", "mfisyspd",
        "mrsasd", "aacd", "amrd", "xbd", "cd", "md", "zd", "loop", "dm-", "zram", "pmem",
    ];
    let name = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    let letters = LETTERS.iter().any(|kind| {
        name.strip_prefix(kind).is_some_and(|rest| {
            let unit = rest.trim_end_matches(|c: char| c.is_ascii_digit());
            (1..=3).contains(&unit.len())
                && rest.len() - unit.len() <= 3
                && unit.chars().all(|c| c.is_ascii_lowercase())
        })
    });
    letters
        || NUMBERS.iter().any(|kind| {
            name.strip_prefix(kind).is_some_and(|rest| {
                let parts = rest.split(|c: char| "npsabc".contains(c));
                rest.starts_with(|c: char| c.is_ascii_digit())
                    && rest.len() <= 12
                    && parts.clone().count() <= 4
                    && parts.clone().all(|part| part.len() <= 4)
                    && rest.chars().all(|c| c.is_ascii_digit() || "npsabc".contains(c))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::{Names, is_group, kernels_own};

    #[test]
    fn the_same_name_has_the_same_number() {
        let mut names = Names::default();
        let mut check = |name: &str, expected: &str| assert_eq!(names.device(name), expected);
        check("/dev/disk/by-id/ata-WDC_W1-part1", "/dev/disk/by-id/disk-1-part1");
        check("ata-WDC_W1", "disk-1");
        check("/dev/disk/by-id/ata-WDC_W2", "/dev/disk/by-id/disk-2");
        check("sda", "sda");
        check("/dev/sda3", "/dev/sda3");
        check("gptid/0a1b-22", "gptid/disk-3");
        check("diskid/DISK-W1p2", "diskid/disk-4p2");
        check("diskid/DISK-W1p3.eli", "diskid/disk-4p3.eli");
        check("/srv/anna/disk.img", "/file-1");
        check("zvol/tank/anna-part1", "zvol/pool-1/fs-1-part1");
        check("/dev/zvol/tank/anna", "/dev/zvol/pool-1/fs-1");
        check("12345678901234567890", "90000000000000000005");
        check("da-anna", "disk-6");
        check("sd0123456789", "disk-7");
        check("/dev/disk/by-vdev/hdtom", "/dev/disk/by-vdev/disk-8");
        check("hdtom", "disk-8");
        check("/dev/mapper/sdbob", "/dev/mapper/disk-9");
        check("gpt/da0", "gpt/disk-10");
        check("/dev/da1", "/dev/da1");
    }

    #[test]
    fn datasets_keep_what_is_below_what() {
        let mut names = Names::default();
        let mut check = |name: &str, expected: &str| assert_eq!(names.dataset(name), expected);
        check("tank/home/anna", "pool-1/fs-1/fs-2");
        check("tank/anna/home", "pool-1/fs-2/fs-1");
        check("tank", "pool-1");
        check("backup/home@monday", "pool-2/fs-1@snap-3");
    }

    #[test]
    fn openzfs_and_the_kernel_keep_their_own() {
        let group = |name: &str, expected: bool| assert_eq!(is_group(name), expected, "{name}");
        for name in
            ["mirror-0", "raidz2-1", "raidz", "draid2:4d:10c:1s-0", "draid1-0-0", "spare-3", "logs"]
        {
            group(name, true);
        }
        for name in ["mirror-left", "raidz4-0", "tank", "mirror-5000112233", "draid:anna-0"] {
            group(name, false);
        }
        for name in [
            "sda",
            "sdab12",
            "nvme0n1p2",
            "ada0p3",
            "dm-4",
            "vtbd0",
            "mmcblk0p1",
            "md127",
            "ada0s1a",
        ] {
            assert!(kernels_own(name), "{name}");
        }
        for name in
            ["sdanna", "nvme-SAMSUNG", "md-anna", "ada", "da-12", "nvme0123456789n1", "zd1.anna"]
        {
            assert!(!kernels_own(name), "{name}");
        }
    }
}
