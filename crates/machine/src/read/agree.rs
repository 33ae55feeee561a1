//! Whether all that tells of a pool's layout agrees on it.
//!
//! `zpool status`, `zpool list -v` and `zpool iostat -v` each print the tree. A text that lost a line is
//! another tree: without `cache` a cache device is a disk of the pool, without `mirror-1` two mirrors are
//! one. Texts lose lines and never gain them, so a group, a disk or a device of a class that another output
//! has and `zpool status` has not means that the latter lost something, and the layout is not known.
//!
//! Groups and disks are counted, not compared by name: one tool prints paths, another what links lead to.
//! Tools that tell less are no contradiction: old lists have no cache, no tool counts spares' work.

use std::collections::BTreeMap;

use super::list;
use super::status::{is_group, layout_of};
use crate::machine::Machine;
use crate::pool::{Class, Layout, Pool, Vdev};
use crate::sources::Sources;

/// How many there are of what a tree is made of.
#[derive(Debug, Default)]
struct Shape {
    leaves: u64,
    by_class: BTreeMap<Class, u64>,
    /// Groups by how they are built.
    groups: BTreeMap<String, u64>,
}

impl Shape {
    fn add(&mut self, name: &str, class: Option<Class>) {
        // What was removed from a pool leaves names behind that nobody but lists prints.
        let removed =
            ["indirect-", "hole-", "missing-"].iter().any(|start| name.starts_with(start));
        if removed || class == Some(Class::Spare) {
            return;
        }
        if is_group(name) {
            let kind = match layout_of(name) {
                Layout::Raidz { parity } => format!("raidz{parity}"),
                Layout::Draid { parity, .. } => format!("draid{parity}"),
                Layout::Mirror => "mirror".to_owned(),
                Layout::Leaf | Layout::Replacing => "replacing or spare".to_owned(),
            };
            *self.groups.entry(kind).or_default() += 1;
        } else {
            self.leaves += 1;
            if let Some(class) = class {
                *self.by_class.entry(class).or_default() += 1;
            }
        }
    }

    fn of_status(pool: &Pool) -> Self {
        fn each(shape: &mut Shape, vdev: &Vdev) {
            shape.add(&vdev.name, Some(vdev.class));
            vdev.children.iter().for_each(|child| each(shape, child));
        }
        let mut shape = Self::default();
        pool.vdevs.iter().for_each(|vdev| each(&mut shape, vdev));
        shape
    }

    /// Returns what `other` has more of.
    fn lacks(&self, other: &Self) -> Option<String> {
        let of = |counts: &BTreeMap<String, u64>, kind: &str| counts.get(kind).copied();
        let group =
            other.groups.iter().find(|(kind, count)| of(&self.groups, kind) < Some(**count));
        // Without headings a log device stands among those of data, in old lists.
        let classes = [Class::Log, Class::Cache, Class::Special, Class::Dedup];
        let more = |class: &&Class| {
            let theirs = other.by_class.get(class).copied();
            theirs > self.by_class.get(class).copied()
        };
        let class = || classes.iter().find(more).map(|class| format!("{} device", class.name()));
        let leaf = || (other.leaves > self.leaves).then(|| "disk".to_owned());
        group.map(|(kind, _)| format!("{kind} group")).or_else(class).or_else(leaf)
    }
}

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let mut listed: BTreeMap<String, Shape> = BTreeMap::new();
    for row in list::rows(sources.text(list::TEXT).unwrap_or_default()) {
        if let Some(vdev) = &row.vdev {
            listed.entry(row.pool).or_default().add(vdev, Some(row.class));
        }
    }
    let mut counted: BTreeMap<String, Shape> = BTreeMap::new();
    if let Some(sample) = machine.samples.last() {
        for (pool, vdevs) in &sample.vdevs {
            let shape = counted.entry(pool.clone()).or_default();
            vdevs.keys().filter(|name| *name != pool).for_each(|name| shape.add(name, None));
        }
    }
    let mut problems = Vec::new();
    for pool in machine.pools.iter_mut().filter(|pool| !pool.vdevs.is_empty()) {
        let own = Shape::of_status(pool);
        let others =
            [("zpool list", listed.get(&pool.name)), ("zpool iostat", counted.get(&pool.name))];
        let found = others.iter().find_map(|(tool, shape)| Some((tool, own.lacks((*shape)?)?)));
        if let Some((tool, what)) = found {
            problems.push(format!(
                "the layout of {} is not known: {tool} has a {what} more; a line seems to be missing",
                pool.name
            ));
            pool.doubt_layout();
            pool.errors_beside.lacks_lines = true;
        }
    }
    problems.into_iter().for_each(|problem| machine.garbled("commands/zpool-status", problem));
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::{Source, Sources};

    const STATUS: &str = "  pool: tank
 state: ONLINE
config:

\tNAME                STATE     READ WRITE CKSUM
\ttank                ONLINE       0     0     0
\t  mirror-0          ONLINE       0     0     0
\t    /dev/sda1       ONLINE       0     0     0
\t    /dev/sdb1       ONLINE       0     0     0
\t  mirror-1          ONLINE       0     0     0
\t    /dev/sdc1       ONLINE       0     0     0
\t    /dev/sdd1       ONLINE       0     0     0
\tlogs
\t  /dev/nvme0n1p1    ONLINE       0     0     0
\tcache
\t  /dev/nvme0n1p2    ONLINE       0     0     0
\tspares
\t  /dev/sdz1         AVAIL

errors: No known data errors
";
    const LIST: &str = "\
NAME            SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP  HEALTH  ALTROOT
tank           3.62T  2.61T  1.01T        -         -    31%    72%  1.00x  ONLINE  -
  mirror-0     1.81T  1.31T   517G        -         -    31%    72%      -  ONLINE
    sda        1.82T      -      -        -         -      -      -      -  ONLINE
    sdb        1.82T      -      -        -         -      -      -      -  ONLINE
  mirror-1     1.81T  1.31T   517G        -         -    31%    72%      -  ONLINE
    sdc        1.82T      -      -        -         -      -      -      -  ONLINE
    sdd        1.82T      -      -        -         -      -      -      -  ONLINE
logs               -      -      -        -         -      -      -      -  -
  nvme0n1p1    15.5G      0  15.5G        -         -     0%     0%      -  ONLINE
cache              -      -      -        -         -      -      -      -  -
  nvme0n1p2     100G    50G    50G        -         -     0%    50%      -  ONLINE
spare              -      -      -        -         -      -      -      -  -
  sdz              -      -      -        -         -      -      -      -  AVAIL
";
    const IOSTAT: &str = "\
                capacity     operations     bandwidth
pool          alloc   free   read  write   read  write
------------  -----  -----  -----  -----  -----  -----
tank          2.61T  1.01T      1      2     3K     4K
  mirror      1.31T   517G      1      2     3K     4K
    ata-A         -      -      1      1     2K     2K
    ata-B         -      -      1      1     2K     2K
  mirror      1.31T   517G      1      2     3K     4K
    ata-C         -      -      1      1     2K     2K
    ata-D         -      -      1      1     2K     2K
logs              -      -      -      -      -      -
  nvme0n1p1       0  15.5G      0      9      0   300K
cache             -      -      -      -      -      -
  nvme0n1p2     50G    50G      0      0      0      0
";

    fn machine(status: &str, list: &str, iostat: &str) -> Machine {
        let texts = [
            ("commands/zpool-status", status),
            ("commands/zpool-list", list),
            ("sample-0/commands/zpool-iostat-v", iostat),
        ];
        let texts = texts.iter().filter(|(_, text)| !text.is_empty());
        let text =
            |(name, text): &(&str, &str)| ((*name).to_owned(), Source::Text((*text).to_owned()));
        Machine::read(&Sources { texts: texts.map(text).collect(), ..Sources::default() })
    }

    fn without(text: &str, gone: &str) -> String {
        let rest = text.lines().filter(|line| line.split_whitespace().next() != Some(gone));
        rest.map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn what_agrees_stays_whatever_the_names_are() {
        for (list, iostat) in [(LIST, IOSTAT), (LIST, ""), ("", IOSTAT), ("", "")] {
            let machine = machine(STATUS, list, iostat);
            assert_eq!((machine.problems.len(), machine.pools[0].vdevs.len()), (0, 5));
        }
        // Old lists have neither cache nor headings of logs.
        let old = without(&without(&without(LIST, "cache"), "nvme0n1p2"), "logs");
        assert_eq!(machine(STATUS, &old, "").problems, []);
    }

    #[test]
    fn a_line_that_status_lost_leaves_no_layout() {
        for gone in ["mirror-1", "logs", "cache", "/dev/sdd1", "/dev/nvme0n1p2"] {
            let known = machine(&without(STATUS, gone), LIST, IOSTAT);
            assert!(known.pools[0].vdevs.is_empty(), "without {gone}");
            assert!(!known.problems.is_empty(), "without {gone}");
        }
    }

    #[test]
    fn a_line_that_another_output_lost_does_no_harm() {
        for gone in ["mirror-1", "sdd", "cache", "nvme0n1p2"] {
            let list = without(LIST, gone);
            assert_eq!(machine(STATUS, &list, IOSTAT).pools[0].vdevs.len() % 5, 0, "{gone}");
        }
        let cut: String = IOSTAT.lines().take(6).map(|line| format!("{line}\n")).collect();
        assert_eq!(machine(STATUS, LIST, &cut).problems, []);
    }
}
