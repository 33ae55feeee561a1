//! Names that tell of people and things, replaced by numbers: the same name by the same number.
//!
//! ```text
//!   tank/home/anna        pool-1/fs-1/fs-2        structure stays: what is below what
//!   ata-WDC_WD40-W123     disk-1                  partitions keep their number
//!   W123 (a serial)       serial-1
//!   /mnt/tank/photos      /mount-1
//! ```
//!
//! Numbers and settings stay. Names are found by reading the machine, then replaced in all texts
//! where they stand as a word of their own, longest first. In kstats only the rows that hold a
//! dataset's name are touched, for a pool may be called `data`.

use std::collections::BTreeMap;

use arcwright_machine::{Machine, Source, Sources, Vdev};

/// Properties whose values are about people and networks.
const PRIVATE: [&str; 8] =
    ["comment", "keylocation", "sharenfs", "sharesmb", "origin", "mlslabel", "guid", "load_guid"];

/// Replaces names and serial numbers.
#[must_use]
pub fn redact(sources: &Sources) -> Sources {
    let names = Names::of(&Machine::read(sources));
    let text = |name: &str, text: &str| match name {
        _ if name.contains("proc/spl/kstat/") => names.in_kstat(text),
        "commands/zpool-get" | "commands/zfs-get" => names.in_text(&without_private(text)),
        _ if is_config(name) => names.in_text(&without_comments(text)),
        _ => names.in_text(text),
    };
    let one = |(name, source): (&String, &Source)| {
        let source = match source {
            Source::Text(old) => Source::Text(text(name, old)),
            Source::Unreadable(reason) => Source::Unreadable(reason.clone()),
        };
        (names.in_path(name), source)
    };
    Sources { texts: sources.texts.iter().map(one).collect() }
}

fn is_config(name: &str) -> bool {
    ["etc/modprobe.d", "usr/lib/modprobe.d", "lib/modprobe.d", "boot/", "etc/sysctl"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn without_private(text: &str) -> String {
    let line = |line: &str| {
        let words: Vec<&str> = line.split('\t').collect();
        match words.as_slice() {
            [name, property, _, source] if PRIVATE.contains(property) => {
                format!("{name}\t{property}\t-\t{source}\n")
            }
            _ => format!("{line}\n"),
        }
    };
    text.lines().map(line).collect()
}

fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.map(|line| format!("{line}\n")).collect()
}

/// What is replaced by what.
#[derive(Debug, Default)]
struct Names {
    /// Longest first.
    words: Vec<(String, String)>,
    pools: BTreeMap<String, String>,
}

impl Names {
    fn of(machine: &Machine) -> Self {
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        let pools: BTreeMap<String, String> = machine
            .pools
            .iter()
            .enumerate()
            .map(|(index, pool)| (pool.name.clone(), format!("pool-{}", index + 1)))
            .collect();
        let mut parts: BTreeMap<String, String> = BTreeMap::new();
        for dataset in dataset_names(machine) {
            all.insert(dataset.clone(), redacted_dataset(&dataset, &pools, &mut parts));
        }
        let mut mounts: Vec<String> =
            machine.mounts.iter().map(|mount| mount.path.clone()).collect();
        for dataset in &machine.datasets {
            mounts.extend(dataset.properties.get("mountpoint").map(|(path, _)| path.clone()));
        }
        mounts.sort();
        mounts.dedup();
        let mounts = mounts.into_iter().filter(|path| path.starts_with('/') && path.len() > 1);
        let own = mounts.enumerate().map(|(index, path)| (path, format!("/mount-{}", index + 1)));
        all.extend(own);
        for (index, name) in device_names(machine).into_iter().enumerate() {
            all.insert(name, format!("disk-{}", index + 1));
        }
        let serials = machine.drives.iter().filter_map(|drive| drive.serial.clone());
        for (index, serial) in serials.filter(|serial| serial.len() > 3).enumerate() {
            all.insert(serial, format!("serial-{}", index + 1));
        }
        all.extend(pools.clone());
        let mut words: Vec<(String, String)> = all.into_iter().collect();
        words.sort_by(|one, other| other.0.len().cmp(&one.0.len()).then(one.cmp(other)));
        Self { words, pools }
    }

    fn in_text(&self, text: &str) -> String {
        text.split_inclusive('\n').map(|line| self.in_line(line)).collect()
    }

    fn in_line(&self, line: &str) -> String {
        const HEADINGS: [&str; 5] = ["cache", "logs", "special", "dedup", "spares"];
        if HEADINGS.contains(&line.trim()) {
            return line.to_owned();
        }
        let mut line = line.to_owned();
        for (old, new) in &self.words {
            line = replaced(&line, old, new);
        }
        line
    }

    fn in_kstat(&self, text: &str) -> String {
        let line = |line: &str| match line.starts_with("dataset_name") {
            true => self.in_line(line),
            false => line.to_owned(),
        };
        text.split_inclusive('\n').map(line).collect()
    }

    /// Replaces the pool in a source's own name, and the disk in that of a command.
    fn in_path(&self, name: &str) -> String {
        const FOLDER: &str = "proc/spl/kstat/zfs/";
        let Some((before, rest)) = name.split_once(FOLDER) else { return name.to_owned() };
        let Some((pool, kstat)) = rest.split_once('/') else { return name.to_owned() };
        let pool = self.pools.get(pool).map_or(pool, String::as_str);
        format!("{before}{FOLDER}{pool}/{kstat}")
    }
}

fn dataset_names(machine: &Machine) -> Vec<String> {
    let mut names: Vec<String> =
        machine.datasets.iter().map(|dataset| dataset.name.clone()).collect();
    names.extend(machine.mounts.iter().map(|mount| mount.dataset.clone()));
    for sample in &machine.samples {
        let rows = sample.kstats.kstats.values();
        let texts = rows.filter_map(|kstat| kstat.value("dataset_name").map(ToString::to_string));
        names.extend(texts.map(|text| text.trim().to_owned()));
    }
    names.sort();
    names.dedup();
    names.retain(|name| name.contains('/'));
    names
}

fn redacted_dataset(
    name: &str,
    pools: &BTreeMap<String, String>,
    parts: &mut BTreeMap<String, String>,
) -> String {
    let mut words = name.split('/');
    let pool = words.next().unwrap_or_default();
    let pool = pools.get(pool).cloned().unwrap_or_else(|| "pool".to_owned());
    let rest = words.map(|word| {
        let next = format!("fs-{}", parts.len() + 1);
        parts.entry(word.to_owned()).or_insert(next).clone()
    });
    std::iter::once(pool).chain(rest).collect::<Vec<_>>().join("/")
}

/// Returns names of devices that tell more than the kernel's: by-id, by-partuuid, labels, files.
fn device_names(machine: &Machine) -> Vec<String> {
    let leaves = machine.pools.iter().flat_map(|pool| &pool.vdevs).flat_map(Vdev::leaves);
    let leaves = leaves.map(|leaf| leaf.name.clone());
    let links = machine.drives.iter().flat_map(|drive| drive.links.clone());
    // Where the layout is in doubt, what counts their work still names the disks.
    let counted = machine.pools.iter().filter(|pool| pool.vdevs.is_empty()).flat_map(|pool| {
        let vdevs = machine.samples.iter().filter_map(|sample| sample.vdevs.get(&pool.name));
        let groups = ["mirror", "raidz", "draid", "spare", "replacing"];
        let is_disk = |name: &&String| {
            **name != pool.name && !groups.iter().any(|group| name.starts_with(group))
        };
        vdevs.flat_map(|vdevs| vdevs.keys()).filter(is_disk).cloned().collect::<Vec<_>>()
    });
    let mut names: Vec<String> =
        leaves.chain(links).chain(counted).filter_map(|path| telling(&path)).collect();
    names.sort();
    names.dedup();
    names
}

/// Returns the telling part of a device's path without its partition; none for the kernel's names.
fn telling(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let base = name.rfind("-part").map_or(name, |at| name.get(..at).unwrap_or(name));
    let kernel = ["sd", "nvme", "vd", "xvd", "hd", "ada", "da", "nvd", "nda", "vtbd", "dm-", "md"];
    let plain = kernel.iter().any(|start| {
        base.strip_prefix(start).is_some_and(|rest| {
            let short = rest.chars().all(|c| c.is_ascii_digit() || "pns".contains(c));
            short
                || (["sd", "vd", "xvd", "hd"].contains(start)
                    && rest.len() <= 4
                    && rest.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()))
        })
    });
    let group = base.starts_with("draid") || base.len() < 4;
    (!plain && !group).then(|| base.to_owned())
}

/// Replaces `old` where it stands as a word of its own; what follows may be a path or a partition.
fn replaced(line: &str, old: &str, new: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '-' || c == ':';
    let (mut done, mut rest) = (String::new(), line);
    while let Some(at) = rest.find(old) {
        let (before, found) = rest.split_at(at);
        let after = found.get(old.len()..).unwrap_or_default();
        let left = done.chars().last().filter(|_| before.is_empty()).or(before.chars().last());
        let joined_left = left.is_some_and(is_word);
        let part = after.starts_with("-part") || after.starts_with('.') || after.starts_with(':');
        let joined_right = after.chars().next().is_some_and(is_word) && !part;
        done.push_str(before);
        let fits = !joined_left && !joined_right;
        done.push_str(if fits { new } else { old });
        rest = after;
    }
    done + rest
}
