//! Texts whose end is torn off, pools that are offered and not in use, and other outputs of pools and disks.

use crate::machine::Machine;
use crate::pool::{Layout, Pool};
use crate::sources::Sources;

fn machine(text: &str) -> Machine {
    Machine::read(&Sources::recognize(text))
}

fn pool(text: &str) -> Pool {
    let mut pools = machine(text).pools;
    assert_eq!(pools.len(), 1, "{text}");
    pools.remove(0)
}

const STATUS: &str = "  pool: tank
 state: DEGRADED
config:

\tNAME          STATE     READ WRITE CKSUM
\ttank          DEGRADED     0     0     4
\t  mirror-0    DEGRADED     0     0     0
\t    sda       ONLINE       0     0     0
\t    sdb       OFFLINE      0     0     0
\t  mirror-1    ONLINE       0     0     0
\t    sdc       ONLINE       0     0     0
";

#[test]
fn of_a_torn_list_what_stands_above_the_end_hangs_together() {
    for end in ["", "\t    sd", "\t    ata-EXAMPLE_4T_EXAMPLE00", "\t    sdd       ONLI"] {
        let tank = pool(&format!("{STATUS}{end}"));
        assert_eq!(tank.vdevs, [], "{end}");
        assert_eq!(tank.errors_beside.own, Some([0, 0, 4]), "{end}");
        let parts: Vec<(&str, usize)> =
            tank.strays.iter().map(|part| (part.name.as_str(), part.children.len())).collect();
        assert_eq!(parts, [("mirror-0", 2), ("mirror-1", 1)], "{end}");
        assert_eq!(tank.strays.iter().map(|part| part.is_cut).collect::<Vec<_>>(), [false, true]);
        assert_eq!(tank.strays[0].layout, Layout::Mirror);
    }
    let whole = format!("{STATUS}\t    sdd       ONLINE       0     0     0\n");
    assert_eq!(pool(&whole).vdevs.len(), 2);
    // Where the line on errors follows, nothing is torn: a line is missing.
    let missing = pool(&format!("{STATUS}\nerrors: No known data errors\n"));
    assert_eq!((missing.vdevs.len(), missing.strays.len()), (0, 3));
}

#[test]
fn a_name_that_is_torn_off_leaves_the_last_group_in_doubt() {
    let raidz = STATUS.replace("mirror-1", "raidz1-1");
    let tank = pool(&format!("{raidz}\t    sdd       ONLINE       0     0     0\n\t    sd"));
    assert_eq!((tank.vdevs.len(), tank.strays.len()), (0, 2), "{:?}", tank.strays);
    assert!(tank.strays[1].is_cut);
}

#[test]
fn a_pool_without_its_devices_is_no_disk() {
    let text = "    NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n\
                \x20   root  23.5G  20.4G  3.10G        -         -    66%    86%  1.00x    ONLINE  -\n\n\
                \x20 pool: root\n state: ONLINE\nconfig:\n\n        NAME        STATE     READ WRITE CKSUM\n\
                \x20       root        ONLINE\n";
    let root = pool(text);
    assert_eq!((root.vdevs.len(), root.strays.len()), (0, 0), "{root:?}");
    assert_eq!(root.number("capacity"), Some(86));
}

const OFFER: &str = "   pool: barn
     id: 1234567890123456789
  state: ONLINE
 action: The pool can be imported using its name or numeric identifier.
 config:

        barn          ONLINE
          mirror-0    ONLINE
            slot1     ONLINE
            slot2     UNAVAIL  corrupted data
        cache
          ssd0-part2
        spares
          slot9

    Additional devices are known to be part of this pool, though their
    exact configuration cannot be determined.
";

#[test]
fn an_offered_pool_has_caches_and_spares_without_a_state() {
    let machine = machine(OFFER);
    assert_eq!(machine.problems, []);
    let barn = &machine.pools[0];
    let offer = barn.offer.as_ref().unwrap();
    assert!(offer.lacks_devices && !offer.is_destroyed && offer.id.starts_with("1234"));
    let names: Vec<(&str, Option<&str>)> =
        barn.vdevs.iter().map(|vdev| (vdev.name.as_str(), vdev.state.as_deref())).collect();
    assert_eq!(names, [("mirror-0", Some("ONLINE")), ("ssd0-part2", None), ("slot9", None)]);
}

#[test]
fn another_pool_of_the_same_name_is_left_out() {
    let other = OFFER
        .replace("1234567890123456789", "77")
        .replace("state: ONLINE", "state: FAULTED (DESTROYED)");
    let machine = machine(&format!("{OFFER}\n# zpool import -D\n{other}"));
    let barn = &machine.pools[0];
    assert_eq!(barn.state.as_deref(), Some("ONLINE"));
    assert_eq!(machine.problems.len(), 1);
    let destroyed = pool(&other);
    assert_eq!(destroyed.state.as_deref(), Some("FAULTED"));
    assert!(destroyed.offer.unwrap().is_destroyed);
}

#[test]
fn tables_of_zdb_are_those_of_a_status() {
    let text = "# zdb -DD tank\n\
                DDT-sha256-zap-duplicate: 100 entries, size 400 on disk, 200 in core\n\
                DDT-sha256-zap-unique: 300 entries, size 400 on disk, 160 in core\n\n\
                DDT histogram (aggregated over all DDTs):\n\n\
                bucket              allocated                       referenced\n\
                ______   ______________________________   ______________________________\n\
                \x20    1      300    1.1M    1.1M    1.1M      300    1.1M    1.1M    1.1M\n\
                \x20Total      400    2.1M    2.1M    2.1M      500    3.1M    3.1M    3.1M\n\n\
                dedup = 1.25, compress = 1.00, copies = 1.00, dedup * compress / copies = 1.25\n";
    let machine = machine(text);
    assert_eq!(machine.problems, []);
    let table = machine.pools[0].dedup.own.unwrap();
    assert_eq!((table.entries, table.unique), (Some(400), Some(300)));
    assert_eq!(table.entry_size_in_core.map(|bytes| bytes.0), Some(170));
    assert_eq!(machine.pools[0].properties["dedupratio"], "1.25x");
}

#[test]
fn what_df_says_of_datasets_is_read_and_other_file_systems_are_not() {
    let text = "Filesystem      Size  Used Avail Use% Mounted on\n\
                udev            7.8G     0  7.8G   0% /dev\n\
                tank/home       1.2T  1.1T   90G  93% /home\n\
                /dev/sda2       100G   20G   80G  20% /\n\
                nas:/export     1.0T  1.0T     0 100% /mnt\n";
    let machine = machine(text);
    assert_eq!(machine.problems, []);
    let names: Vec<&str> = machine.datasets.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["tank/home"]);
}

#[test]
fn a_client_that_times_a_copy_is_no_second_machine() {
    let text = "root@nas:~# zfs get sync tank\nNAME  PROPERTY  VALUE  SOURCE\ntank  sync  standard  default\n\
                root@web:/var# dd if=/dev/zero of=t bs=512 count=10 oflag=dsync\n10+0 records in\n10+0 records out\n\
                5120 bytes (5.1 kB, 5.0 KiB) copied, 0.00714309 s, 717 kB/s\n";
    assert!(Sources::recognize_one(text).is_ok());
}

#[test]
fn calls_below_a_report_tell_where_a_task_waits() {
    let text = "INFO: task kswapd0:225 blocked for more than 120 seconds.\n\
                \"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\" disables this message.\n\
                Call Trace:\n schedule+0x29/0x70\n txg_wait_open+0xb3/0xf0 [zfs]\n\
                INFO: task cron:12 blocked for more than 120 seconds.\nCall Trace:\n schedule+0x29/0x70\n";
    let machine = machine(text);
    assert_eq!(machine.problems, []);
    let all: Vec<(&str, bool)> =
        machine.hung.iter().map(|task| (task.name.as_str(), task.in_zfs)).collect();
    assert_eq!(all, [("cron", false), ("kswapd0", true)]);
}

#[test]
fn swap_that_was_typed_is_known() {
    for text in [
        "root@nas:~# swapon /dev/zvol/tank/swap\n",
        "mkswap /dev/zvol/tank/swap\n",
        "/dev/zvol/tank/swap none swap defaults 0 0\n",
    ] {
        assert_eq!(machine(text).swap, ["/dev/zvol/tank/swap"], "{text}");
    }
}
