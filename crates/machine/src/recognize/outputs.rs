//! What tools print, pasted below a prompt, alone, cut, and with words of people around it.

use proptest::prelude::*;

use crate::machine::Machine;
use crate::pool::Class;
use crate::sources::Sources;

fn machine(text: &str) -> Machine {
    Machine::read(&Sources::recognize(text))
}

/// Reads a paste of which every line must be known.
fn known(text: &str) -> Machine {
    let machine = machine(text);
    assert_eq!(machine.problems, [], "{text}");
    machine
}

const SHARED: &str = "\
[root@box] ~# gpart show ada4
=>       40  156301408  ada4  GPT  (75G)
         40   41943040     1  freebsd-zfs  (20G)
   41943080  104857600     2  freebsd-zfs  (50G)
  146800680    9500768        - free -  (4.5G)
[root@box] ~# glabel list ada4p1
Geom name: ada4p1
Providers:
1. Name: gptid/11aa22bb-2c03-11e7-9146-000c29ccceef
   Mediasize: 21474836480 (20G)
   Sectorsize: 512
   Mode: r0w0e0
Consumers:
1. Name: ada4p1
   Mediasize: 21474836480 (20G)
[root@box] ~# glabel list ada4p2
Geom name: ada4p2
Providers:
1. Name: gptid/33cc44dd-2c03-11e7-9146-000c29ccceef
   Mediasize: 53687091200 (50G)
Consumers:
1. Name: ada4p2
   Mediasize: 53687091200 (50G)
[root@box] ~# zpool status vol
  pool: vol
 state: ONLINE
  scan: scrub repaired 0 in 3h21m with 0 errors on Wed Nov 11 16:40:16 2026
config:

\tNAME                                            STATE     READ WRITE CKSUM
\tvol                                             ONLINE       0     0     0
\t  mirror-0                                      ONLINE       0     0     0
\t    ada0                                        ONLINE       0     0     0
\t    ada1                                        ONLINE       0     0     0
\tlogs
\t  gptid/11aa22bb-2c03-11e7-9146-000c29ccceef    ONLINE       0     0     0
\tcache
\t  gptid/33cc44dd-2c03-11e7-9146-000c29ccceef    ONLINE       0     0     0

errors: No known data errors
";

#[test]
fn log_and_cache_behind_labels_are_of_one_drive() {
    let machine = known(SHARED);
    let pool = &machine.pools[0];
    for class in [Class::Log, Class::Cache] {
        let leaf = format!("/dev/{}", pool.of_class(class).next().unwrap().name);
        let drives: Vec<&str> = machine
            .drives
            .iter()
            .filter(|drive| drive.links.contains(&leaf))
            .map(|drive| drive.name.as_str())
            .collect();
        assert_eq!(drives, ["ada4"], "{leaf}");
    }
}

const STATUS: &str = "  pool: tank
 state: DEGRADED
status: One or more devices has experienced an error resulting in data
\tcorruption.  Applications may be affected.
action: Restore the file in question if possible.
   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-8A
  scan: resilver in progress since Sun Nov 15 10:00:00 2026
\t1.20T scanned at 1.1G/s, 800G issued
\t100G resilvered, 12.3% done, 05:12:01 to go
config:

\tNAME           STATE     READ WRITE CKSUM
\ttank           DEGRADED     0     0     0
\t  raidz1-0     DEGRADED     0     0     0
\t    sda        ONLINE       0     0     2  (resilvering)
\t    sdb        ONLINE       0     0     0  block size: 512B configured, 4096B native
\t    spare-2    DEGRADED     0     0     0
\t      sdc      FAULTED     30     1     0  too many errors
\t      sdd      ONLINE       0     0     0
\tspares
\t  sdd          INUSE     currently in use

errors: Permanent errors have been detected in the following files:

        /tank/my films/a b.mkv
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
fn a_status_is_taken_to_its_last_line_and_no_further() {
    let flat: String = STATUS.lines().map(|line| format!("{}\n", line.trim())).collect();
    for text in [STATUS, &flat] {
        let tank = known(text).pools.remove(0);
        assert_eq!(tank.damaged, ["/tank/my films/a b.mkv", "tank/ds:<0x1>"], "{text}");
        assert_eq!(tank.dedup.own.unwrap().entries, Some(4096));
        let machine = machine(&format!("{text}\nWhat shall I do now?\n"));
        assert_eq!(machine.problems.len(), 1, "{:?}", machine.problems);
        assert_eq!((machine.pools[0].damaged.len(), machine.pools[0].vdevs.len()), (2, 2));
    }
}

#[test]
fn a_status_without_its_first_lines_is_known_by_its_titles() {
    let cut = STATUS.split_once("config:").unwrap().1;
    let cut = cut.split_once(" dedup").unwrap().0;
    for begin in ["", "config:\n"] {
        let machine = machine(&format!("{begin}{cut}"));
        assert_eq!((machine.pools[0].name.as_str(), machine.pools[0].vdevs.len()), ("tank", 2));
    }
    // What follows a tree that was cut is not swallowed.
    let cut: String = STATUS.lines().take(16).map(|line| format!("{line}\n")).collect();
    let machine = machine(&format!("{cut}I cut the rest, sorry.\n"));
    let text = format!("{:?}", machine.problems);
    assert!(text.contains("I cut the rest"), "{text}");
}

#[test]
fn healthy_pools_are_a_line() {
    known("$ zpool status -x\nall pools are healthy\n");
    assert_eq!(known("pool 'tank' is healthy\n").pools[0].name, "tank");
}

#[test]
fn lists_with_chosen_columns_are_taken() {
    let list = "NAME  HEALTH    CAP\ntank  DEGRADED  91%\n";
    let tank = known(list).pools.remove(0);
    assert_eq!((tank.state.as_deref(), tank.number("capacity")), (Some("DEGRADED"), Some(91)));
    let bare = "# zpool list -H\ntank\t10.9T\t9.50T\t1.41T\t-\t-\t45%\t87%\t1.00x\tONLINE\t-\n";
    assert_eq!(known(bare).pools[0].number("capacity"), Some(87));
    let zfs = "NAME      USED  AVAIL  REFER  MOUNTPOINT\ntank      1.5T   500G    96K  /tank\ntank/vm    1T   500G     1T  -\n";
    let machine = known(zfs);
    assert_eq!(machine.datasets[1].properties["used"].0, "1T");
}

#[test]
fn what_a_column_would_say_the_command_says() {
    let check = |text: &str, property: &str, expected: &str| {
        let machine = known(text);
        let dataset = machine.datasets.iter().find(|dataset| dataset.name == "tank/vm");
        let found = dataset.and_then(|dataset| dataset.properties.get(property));
        assert_eq!(found.map(|(value, _)| value.as_str()), Some(expected), "{text}");
    };
    check("# zfs get -o value recordsize tank/vm\nVALUE\n16K\n", "recordsize", "16K");
    check("# zfs get -H -o value recordsize tank/vm\n16K\n", "recordsize", "16K");
    check(
        "# zfs get -o name,value -r sync tank\nNAME     VALUE\ntank     standard\ntank/vm  disabled\n",
        "sync",
        "disabled",
    );
    check(
        "NAME     PROPERTY     VALUE     SOURCE\ntank/vm  compression  lz4       local\n",
        "compression",
        "lz4",
    );
    check("NAME PROPERTY VALUE SOURCE\ntank/vm atime off inherited\n", "atime", "off");
    let tank = known(
        "# zpool get ashift tank\nNAME  PROPERTY  VALUE   SOURCE\ntank  ashift    12      local\n",
    );
    assert_eq!(tank.pools[0].number("ashift"), Some(12));
}

#[test]
fn memory_is_read_in_the_unit_that_was_asked() {
    let table = "              total        used        free      shared  buff/cache   available\n\
                 Mem:          16000        8000         500          12        7500        7800\n\
                 Swap:          2048           0        2048\n";
    let of = |text: &str| known(text).memory.map(|memory| memory.total.0);
    assert_eq!(of(&format!("# free -m\n{table}")), Some(16_000 << 20));
    assert_eq!(of(table), Some(16_000 << 20));
    assert_eq!(of(&table.replace("16000 ", "16000000 ")), Some(16_000_000 << 10));
    // 500 GiB in MiB or 0.5 GiB in KiB.
    assert_eq!(of(&table.replace("16000 ", "512000 ")), None);
    let human = "               total        used        free      shared  buff/cache   available\n\
                 Mem:            15Gi       8.0Gi       500Mi        12Mi       7.5Gi       7.0Gi\n\
                 Swap:             0B          0B          0B\n";
    let memory = known(human).memory.unwrap();
    assert_eq!((memory.total.0, memory.available.unwrap().0), (15 << 30, 7 << 30));
    let old = "             total       used       free     shared    buffers     cached\n\
               Mem:      16000000    8000000     500000          0     100000    7000000\n\
               -/+ buffers/cache:     900000   15100000\nSwap:      2000000          0    2000000\n";
    assert_eq!(known(old).memory.unwrap().available.unwrap().0, 15_100_000 << 10);
    let top = "Mem: 1024M Active, 2048M Inact, 4096M Wired, 100M Buf, 1024M Free\n\
               ARC: 3072M Total, 1000M MFU, 1000M MRU, 1M Anon, 12M Header, 34M Other\nSwap: 4096M Total, 4096M Free\n";
    assert_eq!(known(top).memory.unwrap().total.0, 8 << 30);
}

/// Nothing in use is printed as nothing by some tops, and each kernel has its own name for what is free.
#[test]
fn what_is_free_is_known_by_each_tool() {
    let check = |text: &str, available: Option<u64>, swap_used: Option<u64>| {
        let memory = known(text).memory.unwrap();
        assert_eq!(memory.available.map(|bytes| bytes.0 >> 20), available, "{text}");
        assert_eq!(memory.swap_used.map(|bytes| bytes.0 >> 20), swap_used, "{text}");
    };
    let top = "Mem: 433M Active, 1024M Inact, 12G Wired, 104K Buf, 2048M Free\n\
               ARC: 7822M Total, 4460M MFU, 1400M MRU, 160K Anon, 83M Header, 1863M Other\n";
    check(&format!("{top}Swap: 4096M Total, 4096M Free\n"), Some(3072), Some(0));
    check(
        &format!("{top}Swap: 4096M Total, 96M Used, 4000M Free, 2% Inuse\n"),
        Some(3072),
        Some(96),
    );
    let illumos = "Memory: 32G phys mem, 4501M free mem, 16G total swap, 16G free swap\n\
                   ARC:    23G Total, 21G MRU, 983M MFU, 4308K Anon, 107M Header, 482M Other\n        \
                   21G Compressed, 34G Uncompressed, 1.50:1 Ratio, 1252M Overhead\n";
    check(illumos, Some(4501), Some(0));
    let old = "MemTotal:  4024644 kB\nMemFree:  173504 kB\nBuffers:  13532 kB\nCached:  20672 kB\nShmem:  700 kB\n";
    check(old, Some((173_504 + 13_532 + 20_672 - 700) >> 10), None);
    let memstat = "Page Summary                Pages                MB  %Tot\n------------     ----------------  ----------------  ----\n\
                   Kernel                     215458               841   21%\nFree (cachelist)            14411                56    1%\n\
                   Free (freelist)            563133              2199   54%\nTotal                     1048463              4095\n";
    check(memstat, Some(2255), None);
}

#[test]
fn exact_memory_counts_more_than_rounded() {
    let text = "MemTotal:       16384000 kB\nMemFree:          500000 kB\nBuffers:           1000 kB\n\n\
                       total   used   free\nMem:   15Gi   8.0Gi   500Mi\n";
    assert_eq!(known(text).memory.map(|memory| memory.total.0), Some(16_384_000 << 10));
}

/// What says nothing of ZFS is known as such, and what it does say is not lost.
#[test]
fn tables_of_other_tools_are_known() {
    for text in [
        "----system---- sda--sdb--zd0\n     time     |util util util\n16-08 03:48:11|9.07 9.00 40.6\n16-08 03:49:11|15.1 16.1 88.0  \n",
        "unix:0:system_pages:freemem  632476\n",
        "Total DISK READ :       6.55 M/s | Total DISK WRITE :     508.57 K/s\nActual DISK READ:       5.09 M/s | Actual DISK WRITE:       9.46 M/s\n",
        "load averages:  0.04,  0.05,  0.05;   up 1+01:05:46    10:24:35\nCPU states: 99.5% idle,  0.1% user\nKernel: 402 ctxsw, 710 intr, 151 syscall\n",
    ] {
        let machine = known(&format!("{text}\n pool: tank\n state: ONLINE\n"));
        assert!(machine.problems.is_empty(), "{text}: {:?}", machine.problems);
    }
    let swap = "swapfile                 dev    swaplo   blocks     free\n/dev/zvol/dsk/rpool/swap 285,2     8    2097144  2097144\n";
    assert_eq!(known(swap).swap, ["/dev/zvol/dsk/rpool/swap"]);
    let cut = "cache                              -      -      -      -      -      -\n  \
               ata-KINGSTON_1  38.3G   185G      0      0     43     12\n  ata-KINGSTON_2  58.5K   224G      0      0     43     26\n";
    let machine = known(cut);
    let io = machine.samples.last().unwrap().vdevs.values().next().unwrap();
    assert!(io.contains_key("ata-KINGSTON_2"), "{io:?}");
}

#[test]
fn swap_is_named_by_every_tool() {
    for text in [
        "Filename\t\t\tType\t\tSize\tUsed\tPriority\n/dev/zd0 partition\t8388604\t0\t-2\n",
        "NAME     TYPE      SIZE USED PRIO\n/dev/zd0 partition   8G   0B   -2\n",
        "Device          1K-blocks     Used    Avail Capacity\n/dev/zd0          2097152        0  2097152     0%\n",
    ] {
        assert_eq!(known(text).swap, ["/dev/zd0"], "{text}");
    }
}

#[test]
fn disks_of_linux_are_tied_to_their_links() {
    let text = "\
$ lsblk -o NAME,SIZE,ROTA,MODEL,PHY-SEC,LOG-SEC
NAME     SIZE ROTA MODEL           PHY-SEC LOG-SEC
sda      3.6T    1 WDC WD40 EFRX      4096     512
├─sda1   3.6T    1                    4096     512
└─sda9     8M    1                    4096     512
$ ls -l /dev/disk/by-id
total 0
lrwxrwxrwx 1 root root  9 Nov 15 10:00 ata-WDC_WD40-W1 -> ../../sda
lrwxrwxrwx 1 root root 10 Nov 15 10:00 ata-WDC_WD40-W1-part1 -> ../../sda1
$ blkid
/dev/sda1: LABEL=\"tank\" UUID=\"1\" TYPE=\"zfs_member\" PARTUUID=\"0f1e\"
";
    let machine = known(text);
    let sda = &machine.drives[0];
    assert_eq!(sda.sector_physical.map(|bytes| bytes.0), Some(4096));
    for link in ["/dev/disk/by-id/ata-WDC_WD40-W1-part1", "/dev/disk/by-partuuid/0f1e", "/dev/sda9"]
    {
        assert!(sda.links.iter().any(|known| known == link), "{link} in {:?}", sda.links);
    }
    let links = text.split_once("total 0\n").unwrap().1;
    let machine = known(links);
    assert_eq!((machine.drives.len(), machine.drives[0].name.as_str()), (1, "sda"));
}

#[test]
fn drives_say_who_they_are_below_their_prompt() {
    let of = |serial: &str, pending: u32| {
        format!(
            "smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)\nCopyright (C) 2002-22, Bruce Allen, Christian Franke\n\n\
             === START OF INFORMATION SECTION ===\nDevice Model:     WDC WD40EFRX-68N32N0\nSerial Number:    {serial}\n\
             Rotation Rate:    5400 rpm\n\n=== START OF READ SMART DATA SECTION ===\n\
             SMART overall-health self-assessment test result: PASSED\n\nGeneral SMART Values:\n\
             Offline data collection status:  (0x00)\tOffline data collection activity\n\t\t\t\t\twas never started.\n\
             ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE\n\
             197 Current_Pending_Sector  0x0032   200   200   000    Old_age   Always       -       {pending}\n\n\
             SMART Error Log Version: 1\nNo Errors Logged\n\n"
        )
    };
    let text = format!(
        "root@nas:~# smartctl -a /dev/sda\n{}root@nas:~# smartctl -a /dev/sdb\n{}",
        of("S1SERIAL", 1),
        of("S2SERIAL", 2)
    );
    let machine = known(&text);
    let found: Vec<_> =
        machine.drives.iter().map(|drive| (drive.name.as_str(), drive.pending)).collect();
    assert_eq!(found, [("sda", Some(1)), ("sdb", Some(2))]);
    let status = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n\ttank  ONLINE 0 0 0\n\t  ata-X_S2SERIAL  ONLINE 0 0 0\n\nerrors: No known data errors\n\n";
    let machine = known(&format!("{status}{}{}", of("S1SERIAL", 1), of("S2SERIAL", 2)));
    let names: Vec<&str> = machine.drives.iter().map(|drive| drive.name.as_str()).collect();
    assert_eq!(names, ["S1SERIAL", "ata-X_S2SERIAL"]);
}

#[test]
fn programs_answers_are_taken_as_they_are() {
    let json = "{\n  \"smartctl\": {},\n  \"device\": {\"name\": \"/dev/sda\", \"protocol\": \"ATA\"},\n  \"model_name\": \"X\",\n  \"smart_status\": {\"passed\": false}\n}\n";
    assert_eq!(known(json).drives[0].smart_passed, Some(false));
    let json = "{\"output_version\":{\"command\":\"zpool status\"},\"pools\":{\"tank\":{\"name\":\"tank\",\"state\":\"ONLINE\",\"error_count\":\"3\",\"vdevs\":{}}}}\n";
    assert_eq!(known(json).pools[0].data_errors, Some(3));
}

#[test]
fn timings_know_their_command() {
    let text = "[root@box] ~# dd if=/tank/film of=/dev/null bs=1M\n8000+0 records in\n8000+0 records out\n\
                8388608000 bytes transferred in 64.000000 secs (131072000 bytes/sec)\n";
    let machine = known(text);
    assert_eq!((machine.timings[0].is_write, machine.timings.len()), (Some(false), 1));
}

#[test]
fn timings_of_commands_side_by_side_are_of_nobody_knows_what() {
    let pv = "# pv test.dat >/dev/null\n20.0GiB 0:01:06 [ 324MiB/s] [=====>] 100%\n";
    let timing = known(pv).timings.remove(0);
    assert_eq!((timing.is_write, timing.what.as_str()), (Some(false), "test.dat"));
    let done = "8388608000 bytes transferred in 252.8 secs (33182632 bytes/sec)\n";
    let two = format!(
        "kfs01# dd if=/t/a of=/dev/null bs=1M &\nkfs01# dd if=/t/b of=/dev/null bs=1M &\n\n{done}{done}"
    );
    let machine = known(&two);
    assert_eq!(machine.timings.len(), 2);
    assert!(machine.timings.iter().all(|timing| timing.what.is_empty()));
}

#[test]
fn waits_are_known_by_their_titles() {
    let text = "              capacity     operations     bandwidth    total_wait     disk_wait    syncq_wait    asyncq_wait  scrub   trim\n\
                pool        alloc   free   read  write   read  write   read  write   read  write   read  write   read  write   wait   wait\n\
                ----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----\n\
                tank        1.20T   600G    120     15  14.5M  1.25M   12ms    3ms   11ms    2ms    4us    2us    1ms  500us      -      -\n";
    let flat: String = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    for text in [text, &flat, text.trim_start()] {
        let machine = known(text);
        let tank = &machine.samples[0].vdevs["tank"]["tank"];
        assert_eq!(
            (tank.waits.total_read_ns, tank.waits.trim_ns),
            (Some(12_000_000), None),
            "{text}"
        );
    }
}

proptest! {
    #[test]
    fn parts_of_outputs_put_together_anyhow_are_read(
        parts in prop::collection::vec((0..2_usize, 0..1500_usize, 0..1500_usize), 0..5),
    ) {
        let all = [SHARED, STATUS];
        let part = |(which, from, to): &(usize, usize, usize)| {
            let text: String = all[*which].chars().skip(*from).take(*to).collect();
            text + "\n"
        };
        let _ignored = machine(&parts.iter().map(part).collect::<String>());
    }
}
