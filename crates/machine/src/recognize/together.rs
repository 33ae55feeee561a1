//! Several outputs in one paste: what belongs together, and what does not.

use super::tests::{ARCSTATS, STATUS, SUMMARY, arc, known, machine, plain_iostat};
use crate::sources::Sources;

const ARCSTAT: &str = "    time  read  miss  miss%  dmis  dm%  pmis  pm%  mmis  mm%  arcsz     c
10:00:00   44K  1.1K      2   500    1   600   30   100    1    15G   16G
10:00:01   10K   100      1    50    1    50   30    10    1    15G   16G
10:00:02   30K   300      1    50    1    50   30    10    1    15G   16G
";

#[test]
fn a_window_of_arcstat_stands_beside_a_report_of_all_time() {
    for text in [format!("{SUMMARY}\n{ARCSTAT}"), format!("{ARCSTAT}\n{SUMMARY}")] {
        let machine = known(&text);
        let window = machine.window().unwrap();
        assert_eq!(window.counted("zfs/arcstats", "misses"), Some(400));
        assert_eq!(window.counted("zfs/arcstats", "demand_data_misses"), None);
        assert_eq!(arc(&machine, "memory_throttle_count"), None, "since the module's start");
        let since_load = machine.since_load.as_ref().unwrap();
        assert_eq!(since_load.kstats.get("zfs/arcstats", "memory_throttle_count"), Some(0));
        assert_eq!(since_load.kstats.get("zfs/arcstats", "hits"), Some(1_800_000));
        assert_eq!(arc(&machine, "c_max"), Some(16_857_746_637));
        assert_eq!(machine.parameter("zfs_arc_max"), Some(0));
    }
}

#[test]
fn exact_counters_come_before_rounded_ones() {
    for text in [format!("{SUMMARY}\n{ARCSTATS}"), format!("{ARCSTATS}\n{SUMMARY}")] {
        let machine = known(&text);
        assert_eq!(machine.samples.len(), 1);
        assert_eq!((arc(&machine, "hits"), arc(&machine, "c_max")), (Some(1234), Some(8 << 30)));
        assert_eq!(arc(&machine, "memory_throttle_count"), Some(0));
    }
}

#[test]
fn a_later_report_is_judged_and_the_earlier_one_named() {
    let later = SUMMARY.replace("1.8M", "3.6M");
    let machine = machine(&format!("{SUMMARY}\nThen I changed it:\n{later}"));
    assert_eq!((arc(&machine, "hits"), machine.samples.len()), (Some(3_600_000), 1));
    let named: Vec<&str> = machine.problems.iter().map(|problem| problem.source.as_str()).collect();
    assert_eq!(named, ["pasted line 21", "pasted lines 3 to 19"]);
}

#[test]
fn memory_told_twice_in_one_report_is_no_second_report() {
    let report = "ZFS Subsystem Report\t\t\t\tThu Oct 21 11:20:06 2010\n\nFreeBSD 8.1-STABLE\t\t\t\t801500\n\n\
                  Physical Memory:\t\t\t\t1009.91\tMiB\nnot a row\n\nARC Size:\t\t\t\t51.89%\t257.38\tMiB\n\
                  \tMax Size (High Water):\t\t~8:1\t496.00\tMiB\n\nZFS Tunable (sysctl):\n";
    let check = |physical: &str, reports: usize| {
        let machine =
            machine(&format!("{report}\thw.physmem={physical}\n\tvfs.zfs.arc_max=520093696\n"));
        let named =
            machine.problems.iter().filter(|it| format!("{:?}", it.reason).contains("later"));
        assert_eq!(named.count() + 1, reports, "{physical}: {:?}", machine.problems);
    };
    check("1058967552", 1);
    check("4294967296", 2);
}

#[test]
fn a_second_table_of_rates_is_another_situation() {
    let bad = plain_iostat(10) + "tank        1.20T   600G     30      2     3K     4K\n";
    let good = plain_iostat(900);
    let machine = machine(&format!("{bad}\nAfter the change it is fine:\n{good}"));
    let tank = &machine.samples[0].vdevs["tank"]["tank"];
    assert_eq!(tank.read_ops_per_s, Some(30.0));
    let words = format!("{:?}", machine.problems);
    assert!(words.contains("a second zpool iostat table of a pool of that name"), "{words}");
    assert!(words.contains("pasted lines 8 to 11"), "{words}");
}

#[test]
fn tables_of_two_pools_are_read_together() {
    let other = plain_iostat(900).replace("tank  ", "other ");
    let machine =
        known(&format!("# zpool iostat tank\n{}# zpool iostat other\n{other}", plain_iostat(10)));
    let reads = |pool: &str| machine.samples[0].vdevs[pool][pool].read_ops_per_s;
    assert_eq!((reads("tank"), reads("other")), (Some(10.0), Some(900.0)));
}

#[test]
fn readings_without_a_clock_have_no_time_between_them() {
    let one = "kstat.zfs.misc.arcstats.hits: 77\nkstat.zfs.misc.arcstats.misses: 3\n";
    let machine = known(&format!("{one}\n{}", one.replace("77", "99")));
    assert_eq!(machine.samples.len(), 2);
    assert_eq!(machine.window().unwrap().span.0, 0);
}

#[test]
fn two_machines_are_refused_by_name() {
    let check = |text: &str, expected: Option<(&str, &str, usize)>| {
        let found = match Sources::recognize_one(text) {
            Err(crate::PasteError::TwoMachines { first, second, line }) => {
                Some((first, second, line))
            }
            Ok(_) => None,
        };
        let expected = expected.map(|(one, two, line)| (one.to_owned(), two.to_owned(), line));
        assert_eq!(found, expected, "{text}");
    };
    let on = |host: &str| format!("root@{host}:~# cat /proc/spl/kstat/zfs/arcstats\n{ARCSTATS}");
    check(&format!("{}{}", on("nas"), on("nas")), None);
    check(&format!("{}{}", on("nas"), on("backup")), Some(("nas", "backup", 8)));
    check(&format!("me@laptop:~$ ssh root@nas\n{}", on("nas")), None);
    let other = SUMMARY.replace("nas (", "box (");
    check(&format!("{SUMMARY}{SUMMARY}"), None);
    check(&format!("{SUMMARY}{other}"), Some(("nas", "box", 24)));
    let kernel = "one with the kernel 6.1.0-28-amd64";
    let upgraded = "Linux nas 6.1.0-28-amd64 #1 SMP x86_64 GNU/Linux\n\
                    Linux nas 6.12.0-1-amd64 #1 SMP x86_64 GNU/Linux\n";
    check(upgraded, None);
    let unnamed = "$ uname -r\n6.1.0-28-amd64\n$ uname -r\n6.12.0\n";
    check(unnamed, Some((kernel, "one with the kernel 6.12.0", 4)));
    let memory = "MemTotal:       16384000 kB\n\nMemTotal:       32768000 kB\n";
    let words = ("one with 16384000 KiB of memory", "one with 32768000 KiB of memory", 3);
    check(memory, Some(words));
    check("MemTotal:       16384000 kB\n\nMemTotal:       16284000 kB\n", None);
    let grown = STATUS.replace("sda", "sdx");
    check(&format!("{STATUS}\n{grown}"), None);
}
