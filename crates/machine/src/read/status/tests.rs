//! `zpool status` as the tools of several versions and as forums show it.

use proptest::prelude::*;

use super::{Class, Layout, Machine, TEXT, Vdev, collect};
use crate::sources::{Source, Sources};

const STATUS: &str = "\
  pool: tank
 state: DEGRADED
status: One or more devices is currently being resilvered.  The pool will
\tcontinue to function, possibly in a degraded state.
action: Wait for the resilver to complete.
  scan: resilver in progress since Sun Nov 15 10:00:00 2026
\t1.20T scanned at 1.1G/s
config:

\tNAME                                          STATE     READ WRITE CKSUM
\ttank                                          DEGRADED     0     0     0
\t  raidz2-0                                    DEGRADED     0     0     0
\t    /dev/disk/by-id/ata-A-part1               ONLINE       0     0     0
\t    replacing-1                               DEGRADED     0     0    12
\t      /dev/disk/by-id/ata-B-part1             UNAVAIL      3 1.20K     0  was /dev/sdb1
\t      /dev/disk/by-id/ata-C-part1             ONLINE       0     0     0  (resilvering)
\t    /dev/disk/by-id/ata-D-part1               ONLINE       0     0     0  block size: 512B configured, 4096B native
\t  draid1:2d:4c:1s-1                           ONLINE       0     0     0
\t    /files/with space/e                       ONLINE       0     0     0
\t    /files/f                                  ONLINE       0     0     0
\tspecial\t
\t  mirror-2                                    ONLINE       0     0     0
\t    nvme0n1p1                                 ONLINE       0     0     0
\t    nvme1n1p1                                 ONLINE       0     0     0
\tlogs\t
\t  nvme0n1p2                                   ONLINE       0     0     0
\tcache
\t  nvme1n1p2                                   ONLINE       0     0     0
\tspares
\t  draid1-1-0                                  AVAIL   
\t  sdz                                         INUSE     currently in use

errors: No known data errors

  pool: cache
 state: ONLINE
  scan: none requested
config:

\tNAME    STATE     READ WRITE CKSUM
\tcache   ONLINE       0     0     0
\t  sdx   ONLINE       0     0     0

errors: No known data errors
";

fn machine(text: &str) -> Machine {
    let mut sources = Sources::default();
    sources.texts.insert(TEXT.to_owned(), Source::Text(text.to_owned()));
    let mut machine = Machine::default();
    collect(&sources, &mut machine);
    machine
}

fn drawn(vdevs: &[Vdev], depth: usize) -> String {
    let line = |vdev: &Vdev| {
        let below = drawn(&vdev.children, depth + 1);
        format!("{}{:?} {:?} {}\n{below}", " ".repeat(depth), vdev.class, vdev.layout, vdev.name)
    };
    vdevs.iter().map(line).collect()
}

const TREE: &str = "\
Data Raidz { parity: 2 } raidz2-0
 Data Leaf /dev/disk/by-id/ata-A-part1
 Data Replacing replacing-1
  Data Leaf /dev/disk/by-id/ata-B-part1
  Data Leaf /dev/disk/by-id/ata-C-part1
 Data Leaf /dev/disk/by-id/ata-D-part1
Data Draid { parity: 1 } draid1:2d:4c:1s-1
 Data Leaf /files/with space/e
 Data Leaf /files/f
Special Mirror mirror-2
 Special Leaf nvme0n1p1
 Special Leaf nvme1n1p1
Log Leaf nvme0n1p2
Cache Leaf nvme1n1p2
Spare Leaf draid1-1-0
Spare Leaf sdz
";

#[test]
fn the_tree_is_read_with_classes_and_layouts() {
    let machine = machine(STATUS);
    assert_eq!(machine.problems, []);
    let tank = &machine.pools[0];
    assert_eq!(drawn(&tank.vdevs, 0), TREE);
    assert_eq!(tank.state.as_deref(), Some("DEGRADED"));
    let status = tank.status.as_deref().unwrap();
    assert!(status.ends_with("possibly in a degraded state."), "{status}");
    assert!(tank.scan.as_deref().unwrap().ends_with("1.1G/s"));
    let broken = &tank.vdevs[0].children[1].children[0];
    assert_eq!((broken.errors, broken.state.as_deref()), (Some([3, 1229, 0]), Some("UNAVAIL")));
    assert_eq!(tank.vdevs[5].errors, None);
}

#[test]
fn a_pool_may_be_called_like_a_class() {
    let machine = machine(STATUS);
    let cache = &machine.pools[1];
    assert_eq!((cache.name.as_str(), cache.vdevs.len()), ("cache", 1));
    assert_eq!(cache.of_class(Class::Data).count(), 1);
}

#[test]
fn a_text_without_indentation_keeps_its_groups() {
    let flat: String = STATUS.lines().map(|line| format!("{}\n", line.trim())).collect();
    let machine = machine(&flat);
    assert_eq!(machine.problems, []);
    assert_eq!(drawn(&machine.pools[0].vdevs, 0), TREE);
}

#[test]
fn tabs_that_became_spaces_do_no_harm() {
    let spaced = STATUS.replace('\t', "        ");
    assert_eq!(drawn(&machine(&spaced).pools[0].vdevs, 0), TREE);
}

#[test]
fn a_strange_line_is_named_and_hides_nothing() {
    let line = STATUS.lines().find(|line| line.contains("/files/f")).unwrap();
    let strange = STATUS.replace(line, "\t    /files/f  STRANGE  0 0 0");
    let machine = machine(&strange);
    assert_eq!(machine.problems.len(), 1, "{:?}", machine.problems);
    assert_eq!(machine.pools.len(), 2);
    assert!(
        super::layout_of("raidz4-0") == Layout::Leaf && super::layout_of("raidz") != Layout::Leaf
    );
}

proptest! {
    #[test]
    fn every_beginning_is_a_part_of_the_whole(at in 0..STATUS.len()) {
        let leaves = |machine: &Machine| -> usize {
            machine.pools.iter().flat_map(|pool| &pool.vdevs).map(|vdev| vdev.leaves().len()).sum()
        };
        let part = machine(STATUS.get(..at).unwrap_or_default());
        prop_assert!(leaves(&part) <= leaves(&machine(STATUS)));
    }

    #[test]
    fn any_text_is_read_without_panic(text in "(pool: [a-z]{0,3}\n|config:\n|[ \t]{0,6}[a-zé0-9-]{0,8} (ONLINE|0| )?\n){0,12}") {
        let _ignored = machine(&text);
    }
}
