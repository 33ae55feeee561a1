//! Texts that lost something on their way: lines left out, run together, wrapped, marked.

use arcwright_units::Nanos;

use crate::machine::Machine;
use crate::sources::Sources;

fn machine(text: &str) -> Machine {
    Machine::read(&Sources::recognize(text))
}

const STATUS: &str = "  pool: tank
 state: DEGRADED
config:

\tNAME          STATE     READ WRITE CKSUM
\ttank          DEGRADED     0     0     0
\t  raidz2-0    DEGRADED     0     0     0
\t    sda       ONLINE       0     0     9
CUT
\t    sdd       FAULTED      3     0     0  too many errors

errors: 1 data errors, use '-v' for a list
";

#[test]
fn of_a_status_with_lines_left_out_the_devices_are_known_and_the_layout_is_not() {
    for cut in
        [".", "...", ".\n.\n.\n", "[...]", "   <skipping other disks here>", "---- snip ----"]
    {
        let machine = machine(&STATUS.replace("CUT", cut));
        let tank = &machine.pools[0];
        assert_eq!(tank.vdevs, [], "{cut}");
        let strays: Vec<&str> = tank.strays.iter().map(|vdev| vdev.name.as_str()).collect();
        assert_eq!(strays, ["raidz2-0", "sdd"], "{cut}");
        assert!(tank.strays[0].is_cut && tank.strays[0].children[0].name == "sda", "{cut}");
        assert_eq!(tank.strays[1].errors, Some([3, 0, 0]), "{cut}");
        assert_eq!(tank.data_errors, Some(1), "{cut}");
    }
}

#[test]
fn dots_below_the_tree_leave_its_layout_in_doubt_and_the_errors_read() {
    let text = STATUS.replace("CUT\n", "").replace("\n\nerrors", "\n.\n.\n\nerrors");
    let tank = machine(&text).pools.remove(0);
    assert_eq!((tank.vdevs.len(), tank.strays.len(), tank.data_errors), (0, 1, Some(1)));
    assert!(tank.strays[0].is_cut);
}

#[test]
fn marks_of_mails_and_diffs_are_no_part_of_a_text() {
    let whole = STATUS.replace("CUT\n", "\t    sdb       ONLINE       0     0     0\n");
    for mark in ["> ", ">", "+", "+ ", "> > "] {
        let marked: String = whole.lines().map(|line| format!("{mark}{line}\n")).collect();
        let (one, other) = (machine(&marked), machine(&whole));
        assert_eq!((&one.pools, &one.problems), (&other.pools, &other.problems), "{mark}");
    }
}

#[test]
fn a_pools_own_row_tells_its_state() {
    let text = STATUS.replace("CUT\n", "\t    sdb       ONLINE       0     0     0\n");
    let (_, tree) = text.split_once("config:\n").unwrap();
    assert_eq!(machine(tree).pools[0].state.as_deref(), Some("DEGRADED"));
}

#[test]
fn a_status_in_one_line_is_the_same_as_in_many() {
    let whole = STATUS.replace("CUT\n", "\t    sdb       ONLINE       0     0     0\n");
    let flat = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    let (one, other) = (machine(&flat), machine(&whole));
    assert_eq!(one.problems, []);
    assert_eq!(one.pools[0].vdevs, other.pools[0].vdevs);
    assert_eq!(one.pools[0].data_errors, Some(1));
}

#[test]
fn values_on_lines_of_their_own_and_with_marks_are_read() {
    let whole = "hits                            4    120\nmisses                          4    7\n\
                 c_max                           4    4096\n";
    let wrapped = whole.replace("4    ", "4\n   ");
    let marked = whole.replace('\n', "+\n");
    let typed = format!("##cat /proc/spl/kstat/zfs/arcstats\n{whole}");
    for text in [whole, &wrapped, &marked, &typed] {
        let machine = machine(text);
        assert_eq!(machine.problems, [], "{text}");
        let now = machine.now().unwrap();
        for (row, value) in [("hits", 120), ("misses", 7), ("c_max", 4096)] {
            assert_eq!(now.get("zfs/arcstats", row), Some(value), "{text}");
        }
    }
}

#[test]
fn seconds_of_arcstat_that_were_left_out_are_not_counted() {
    let text = "    time  read  miss  miss%  dmis  dm%  pmis  pm%  mmis  mm%  arcsz     c\n\
                11:30:51   35K  3.5K      9  3.3K    9   249   32  3.0K    8   1.1G   94G\n...\n\
                13:28:01  1.0K    10      1    10    1     0    0    10    1    93G   93G\n...\n\
                13:29:01  1.0K    10      4    10    4     0    0    10    4    90G   90G\n\
                13:29:02  1.0K    10      5    10    5     0    0    10    5    91G   91G\n";
    let machine = machine(text);
    let window = machine.window().unwrap();
    assert_eq!(window.counted("zfs/arcstats", "misses"), Some(30));
    assert_eq!(window.span, Nanos::secs(3));
}

#[test]
fn the_table_of_a_report_tells_versions() {
    let check = |text: &str, version: &str, kernel: &str| {
        let machine = machine(text);
        assert_eq!(machine.problems, [], "{text}");
        assert_eq!(machine.zfs_text.as_deref(), Some(version), "{text}");
        assert_eq!(machine.kernel.as_deref(), Some(kernel), "{text}");
    };
    let new = "Type | Version/Name\n--- | ---\nDistribution Name | Debian\nDistribution Version | 12\n\
               Kernel Version | 6.1.0-18-amd64\nArchitecture | amd64\nOpenZFS Version | zfs-2.2.2-4 / zfs-kmod-2.2.3-1\n";
    check(new, "2.2.3-1", "6.1.0-18-amd64");
    let old = "| Type | Version/Name |\n| --- | --- |\n| Linux Kernel | 4.9.0-8-amd64 (4.9.130-2) |\n\
               | ZFS Version | 0.7.12 |\n| SPL Version | 0.7.12 |\n";
    check(old, "0.7.12", "4.9.0-8-amd64");
}

#[test]
fn memory_that_is_lacking_has_a_sign() {
    let text = "ARC size (current):                                    16.7 %    5.4 GiB\n\
                \x20       Free memory size:                                       13.0 GiB\n\
                \x20       Available memory size:                         -3188600832 Bytes\n";
    let machine = machine(text);
    assert_eq!(machine.problems, []);
    let now = machine.now().unwrap();
    let value = now.kstats["zfs/arcstats"].value("memory_available_bytes").unwrap();
    assert_eq!(value.to_string(), "-3188600832");
}
