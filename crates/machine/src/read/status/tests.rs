//! `zpool status` as the tools of several versions and as forums show it.

use proptest::prelude::*;

use super::{Machine, TEXT, collect};
use crate::pool::{Class, Layout, Vdev};
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
\t  draid1:1d:2c:0s-1                           ONLINE       0     0     0
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
Data Draid { parity: 1, data: Some(1), spares: Some(0) } draid1:1d:2c:0s-1
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
fn what_a_removed_vdev_left_behind_is_no_device() {
    let text = "   pool: tank\n     id: 12\n  state: ONLINE\n action: The pool can be imported using its name or numeric identifier.\n \
                config:\n\n\ttank          ONLINE\n\t  indirect-0  ONLINE\n\t  sda         ONLINE\n\t  indirect-2  ONLINE\n";
    let machine = Machine::read(&Sources::recognize(text));
    let names: Vec<&str> = machine.pools[0].vdevs.iter().map(|vdev| vdev.name.as_str()).collect();
    assert_eq!(names, ["sda"]);
}

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

const ERRORS: &str = "\
  pool: tank
 state: SUSPENDED
status: One or more devices has experienced an error resulting in data
\tcorruption.  Applications may be affected.
action: Restore the file in question if possible.  Otherwise restore the
\tentire pool from backup.
   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-8A
  scan: scrub canceled on Sun Nov 15 10:00:00 2026
\t1.20T scanned out of 4.00T at 1.1G/s, 0h40m to go
remove: Removal of vdev 1 copied 1.05G in 0h0m, completed on Sun Nov 15 09:00:00 2026
checkpoint: created Sun Nov 15 08:00:00 2026, consumes 1.2M
config:

\tNAME        STATE     READ WRITE CKSUM  SLOW
\ttank        DEGRADED     0     0     0     -
\t  mirror-0  DEGRADED     0     0    12     -
\t    sda     FAULTED      3  1.2K 10000   117  too many errors
\t    sdb     ONLINE       0     0     0     0  (12% initialized, started at Sun Nov 15)

errors: Permanent errors have been detected in the following files:

        <metadata>:<0x3d>
        /tank/my films/a: b.mkv
        tank/ds@snap:/path/c
        tank/ds:<0x1>

 dedup: DDT entries 4096, size 512 on disk, 160 in core

bucket              allocated                       referenced          
______   ______________________________   ______________________________
refcnt   blocks   LSIZE   PSIZE   DSIZE   blocks   LSIZE   PSIZE   DSIZE
------   ------   -----   -----   -----   ------   -----   -----   -----
     1     4.0K    512M    512M    512M     4.0K    512M    512M    512M
 Total     4.0K    512M    512M    512M     4.0K    512M    512M    512M
";

#[test]
fn errors_slow_requests_and_notes_are_read() {
    for text in [ERRORS.to_owned(), ERRORS.replace("CKSUM  SLOW", "CKSUM")] {
        let machine = machine(&text.replace("0     -\n", "0\n"));
        assert_eq!(machine.problems, []);
        let tank = &machine.pools[0];
        assert_eq!(tank.state.as_deref(), Some("SUSPENDED"));
        assert!(tank.action.as_deref().unwrap().ends_with("entire pool from backup."));
        assert!(tank.scan.as_deref().unwrap().ends_with("0h40m to go"));
        assert_eq!(tank.data_errors, None);
        let named = ["<metadata>:<0x3d>", "/tank/my films/a: b.mkv", "tank/ds@snap:/path/c"];
        assert_eq!(tank.damaged[..3], named);
        assert_eq!(tank.damaged.len(), 4);
        assert_eq!(tank.dedup.own.unwrap().entry_size_in_core.map(|bytes| bytes.0), Some(160));
        let [sda, sdb] = tank.vdevs[0].children.as_slice() else { panic!("{:?}", tank.vdevs) };
        assert_eq!((sda.errors, sda.slow_ios), (Some([3, 1229, 10_000]), Some(117)));
        assert_eq!(sda.note.as_deref(), Some("too many errors"));
        assert!(sdb.note.as_deref().unwrap().starts_with("(12% initialized"));
    }
}

#[test]
fn what_errors_says_is_counted_only_where_it_counts() {
    let check = |errors: &str, expected: Option<u64>| {
        let text = STATUS.replace("No known data errors", errors);
        assert_eq!(machine(&text).pools[0].data_errors, expected, "{errors}");
    };
    check("No known data errors", Some(0));
    check("5 data errors, use '-v' for a list", Some(5));
    check("List of errors unavailable: permission denied", None);
    check("List of errors unavailable (insufficient privileges)", None);
}

#[test]
fn notes_stand_behind_columns_of_scripts() {
    let text = ERRORS
        .replace("CKSUM  SLOW", "CKSUM  vendor  model")
        .replace("117  too many errors", "ACME  Disk 9000  too many errors");
    let machine = machine(&text);
    assert_eq!(machine.pools[0].vdevs[0].children[0].note.as_deref(), Some("too many errors"));
}

/// One layout with everything in it, of which single lines are taken away.
const WHOLE: &str = "  pool: tank
 state: ONLINE
config:

\tNAME        STATE     READ WRITE CKSUM
\ttank        ONLINE       0     0     0
\t  mirror-0  ONLINE       0     0     0
\t    sda     ONLINE       0     0     0
\t    sdb     ONLINE       0     0     0
\t  mirror-1  ONLINE       0     0     0
\t    sdc     ONLINE       0     0     0
\t    sdd     ONLINE       0     0     0
\t  mirror-2  ONLINE       0     0     0
\t    sde     ONLINE       0     0     0
\t    sdf     ONLINE       0     0     0
\tlogs
\t  mirror-3  ONLINE       0     0     0
\t    sdg     ONLINE       0     0     0
\t    sdh     ONLINE       0     0     0
\tcache
\t  sdi       ONLINE       0     0     0
\tspares
\t  sdj       AVAIL

errors: No known data errors
";

#[test]
fn a_tree_that_lost_a_line_is_not_another_layout() {
    assert_eq!(machine(WHOLE).problems, []);
    // What only other outputs can tell: a heading, the last group of a class.
    let silent = ["logs", "cache"];
    for (index, gone) in WHOLE.lines().enumerate().skip(5).take(18) {
        let rest: String = WHOLE
            .lines()
            .enumerate()
            .filter(|(at, _)| *at != index)
            .map(|(_, line)| format!("{line}\n"))
            .collect();
        let machine = machine(&rest);
        let leaf_alone = ["sdi", "sdj"].contains(&gone.split_whitespace().next().unwrap());
        let known = silent.contains(&gone.trim()) || leaf_alone;
        // A heading without a device is called out, and changes no layout.
        let is_silent = silent.contains(&gone.trim());
        assert_eq!(
            machine.problems.is_empty(),
            is_silent,
            "without {gone}: {:?}",
            machine.problems
        );
        assert_eq!(machine.pools[0].vdevs.is_empty(), !known, "without {gone}");
    }
}

#[test]
fn pools_whose_first_lines_are_missing_are_still_told_apart() {
    let text = format!("{STATUS}\n{WHOLE}")
        .replace("  pool: cache\n", "")
        .replace("  pool: tank\n state: ONLINE", " state: ONLINE");
    let machine = machine(&text);
    let names: Vec<&str> = machine.pools.iter().map(|pool| pool.name.as_str()).collect();
    assert_eq!(names, ["tank", "cache"]);
    assert!(machine.problems.iter().any(|problem| format!("{problem:?}").contains("pool: cache")));
}

#[test]
fn a_long_name_may_stand_on_a_line_of_its_own() {
    let broken = WHOLE.replace(
        "\t    sda     ONLINE",
        "\t    gptid/b8ebf047-25cd-11e7-b7e2-000c29ccceef\nONLINE",
    );
    let machine = machine(&broken);
    assert_eq!(machine.problems, []);
    assert_eq!(machine.pools[0].vdevs[0].children.len(), 2);
}

#[test]
fn healthy_pools_may_have_no_tree() {
    assert_eq!(machine("all pools are healthy\n").problems, []);
    let machine = machine("pool 'tank' is healthy\n");
    assert_eq!(machine.pools[0].state.as_deref(), Some("ONLINE"));
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
