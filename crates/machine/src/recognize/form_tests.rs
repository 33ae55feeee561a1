//! Forms in which tools other than `cat` and `arcstat` print counters, memory and caches of objects.

use crate::machine::{Machine, Reason};
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

fn arc(machine: &Machine, row: &str) -> Option<u64> {
    machine.now()?.get("zfs/arcstats", row)
}

#[test]
fn rows_of_solaris_have_no_type() {
    let text = "# kstat -n arcstats
module: zfs                             instance: 0
name:   arcstats                        class:    misc
        c                               4294967296
        crtime                          51.3
        meta_used                       170464568
        size                            3000000000
";
    let machine = known(text);
    assert_eq!((arc(&machine, "size"), arc(&machine, "c")), (Some(3_000_000_000), Some(4 << 30)));
    assert_eq!(arc(&machine, "arc_meta_used"), Some(170_464_568));
    // Other modules' are known as such.
    let cpu = "module: cpu   instance: 0\nname: sys   class: misc\n        idlethread 12\n";
    assert_eq!(known(cpu).now(), None);
}

#[test]
fn the_debugger_prints_mebibytes() {
    let text = "> ::arc\nhits = 123456\nmisses = 789\nc_max = 8191 MB\nsize = 7000 MB\n";
    let machine = known(text);
    assert_eq!((arc(&machine, "hits"), arc(&machine, "size")), (Some(123_456), Some(7000 << 20)));
    let settings = "a = 1\nb = 2\nc = 3\n";
    assert!(!self::machine(settings).problems.is_empty());
}

#[test]
fn columns_that_awk_picked_keep_their_unit() {
    let of = |command: &str, rows: &str| known(&format!("{command}\n{rows}\n"));
    let file = "/proc/spl/kstat/zfs/arcstats";
    let mebibytes = format!("$ awk '/^size/ {{ print $1 \" \" $3 / 1048576 }}' < {file}");
    assert_eq!(arc(&of(&mebibytes, "size 8138.5"), "size"), Some(8138 * 1_048_576 + 524_288));
    let bytes = format!("# awk '/^(c|size) /{{print $1,$3}}' {file}");
    let machine = of(&bytes, "c 4294967296\nsize 4294967290");
    assert_eq!((arc(&machine, "c"), arc(&machine, "size")), (Some(4 << 30), Some(4_294_967_290)));
}

#[test]
fn metrics_of_an_exporter_are_rows() {
    let text = "# HELP node_zfs_arc_c kstat.zfs.misc.arcstats.c\n# TYPE node_zfs_arc_c untyped\n\
                node_zfs_arc_c 4.294967296e+09\nnode_zfs_arc_hits 12\nnode_zfs_abd_linear_cnt 3\n";
    let machine = known(text);
    assert_eq!((arc(&machine, "c"), arc(&machine, "hits")), (Some(4 << 30), Some(12)));
}

#[test]
fn a_monitor_of_rates_is_a_minute() {
    let text = "ZFS real-time cache activity monitor
Seconds elapsed: 120

Cache hits and misses:
                                  1s    10s    60s    tot
                     ARC hits:   900    800    700    650
                   ARC misses:    50     40     30     20
     ARC demand metadata hits:   100    100    100    100
   ARC demand metadata misses:    10     10     10     10

Cache efficiency percentage:
                          10s    60s    tot
                   ARC: 95.24  95.89  97.01
";
    let window = known(text).window().unwrap();
    assert_eq!(window.span.0, 60_000_000_000);
    assert_eq!(window.counted("zfs/arcstats", "misses"), Some(1800));
    assert_eq!(window.counted("zfs/arcstats", "demand_metadata_misses"), Some(600));
}

#[test]
fn caches_of_objects_are_sums_of_bytes() {
    let text = "$ sudo grep -E 'l2|dnode' /proc/slabinfo
arc_buf_hdr_t_l2only 1000 2000     96   42    1 : tunables    0    0    0 : slabdata 429432 429432
";
    assert_eq!(known(text).slabs["arc_buf_hdr_t_l2only"].0, 192_000);
    let top = " Active / Total Objects (% used)    : 5 / 6 (80.0%)
  OBJS ACTIVE  USE OBJ SIZE  SLABS OBJ/SLAB CACHE SIZE NAME
300048 300048 100%    1.13K  21432       14    342912K dnode_t
";
    assert_eq!(known(top).slabs["dnode_t"].0, 342_912 << 10);
    let spl = "name                                    flags      size     alloc slabsize  objsize  total alloc   max  total alloc   max  dlock alloc   max
zio_buf_512                           0x00020 1052508160 386351104    32768      512  32120 32120 45244  995720 754592 1402540
dnode_t                               0x00100         -    177480        -     1224      -     -     -      -   145     -      -     -     -
";
    let slabs = known(spl).slabs;
    assert_eq!((slabs["zio_buf_512"].0, slabs["dnode_t"].0), (1_052_508_160, 177_480));
}

#[test]
fn memory_is_told_without_titles_and_by_solaris() {
    let total = |text: &str| known(text).memory.map(|memory| memory.total.0);
    let free = "Mem:         16062      12391       3671          0          0         43
-/+ buffers/cache:      12347       3714
Swap:            0          0          0
";
    assert_eq!(total(free), Some(16_062 << 20));
    let top = "Memory: 16G phys mem, 672M free mem, 2048M total swap, 2023M free swap\n";
    assert_eq!(total(top), Some(16 << 30));
    let memstat = "Page Summary                Pages                MB  %Tot
------------     ----------------  ----------------  ----
Kernel                      60569               236   16%
ZFS File Data               53270               208   14%
Free (cachelist)             7006                27    2%
Free (freelist)            212607               830   56%

Total                      381838              1491
";
    assert_eq!(total(memstat), Some(1491 << 20));
    assert_eq!(known(memstat).memory.unwrap().free.unwrap().0, 857 << 20);
}

#[test]
fn processes_below_the_head_of_top_say_nothing() {
    known(
        "95139 anna          1  23    0    14M  3988K CPU3     3   0:01   0.42% top
88853 root          1  20    0   173M   146M select   1   2:29   0.00% smbd
",
    );
}

#[test]
fn a_tool_that_failed_is_named_with_the_way_round_it() {
    let text = "    time  read  ddread  ddh%  dmread  dmh%  pread  ph%   size      c  avail
Traceback (most recent call last):
  File \"/usr/local/zfs/bin/arcstat\", line 817, in <module>
    main()
KeyError: 'zfetch_hits'
";
    let machine = machine(text);
    let told = machine.problems.iter().find(|problem| problem.source == "arcstat").unwrap();
    let Reason::Failed(words) = &told.reason else { panic!("{told:?}") };
    assert!(words.contains("another version than the module"), "{words}");
    let missing = self::machine("cat: /proc/spl/kstat/zfs/arcstats: No such file or directory\n");
    assert!(matches!(&missing.problems[0].reason, Reason::Failed(_)), "{:?}", missing.problems);
}

#[test]
fn a_report_tells_its_system() {
    let report = "ZFS Subsystem Report                            Mon Feb 06 14:50:29 2023
FreeBSD 13.1-RELEASE-p5                                    zpl version 5
Machine: fw.example (amd64)                            spa version 5000

ARC size (current):                                    68.2 %    4.7 GiB
";
    assert_eq!(known(report).platform_name.as_deref(), Some("FreeBSD 13.1-RELEASE-p5"));
    let table = "Type | Version/Name\n --- | ---\nDistribution Name | Rocky Linux\n";
    assert_eq!(known(table).platform_name.as_deref(), Some("Rocky Linux"));
}

#[test]
fn a_share_tells_a_class_where_nothing_counted_it() {
    let head = "ARC Total accesses:\t\t\t\t\t2.00m\n\tCache Hit Ratio:\t\t90.00%\t1.80m\n\tCache Miss Ratio:\t\t10.00%\t200.00k\n";
    let share = "\n\tData Demand Efficiency:\t\t97.50%\t1.00m\n";
    let machine = known(&format!("{head}{share}"));
    assert_eq!(arc(&machine, "demand_data_misses"), Some(25_000));
    let types = "\n\tCACHE MISSES BY DATA TYPE:\n\t  Demand Data:\t\t12.60%\t25.20k\n";
    let machine = known(&format!("{head}{share}{types}"));
    assert_eq!(arc(&machine, "demand_data_misses"), Some(25_200));
}
