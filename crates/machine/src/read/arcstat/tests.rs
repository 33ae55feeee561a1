//! Tables of several versions and choices of columns.

use proptest::prelude::*;

use crate::machine::Machine;
use crate::sources::{Source, Sources};

fn machine(text: &str) -> Machine {
    let texts = [(super::NAME.to_owned(), Source::Text(text.to_owned()))];
    Machine::read(&Sources { texts: texts.into(), ..Sources::default() })
}

/// Checks rows that were counted in the window.
fn check(text: &str, rows: &[(&str, Option<u64>)]) {
    let machine = machine(text);
    assert_eq!(machine.problems, []);
    let window = machine.window().unwrap();
    for (row, expected) in rows {
        assert_eq!(window.counted("zfs/arcstats", row), *expected, "{row}\n{text}");
    }
}

const OLD: &str = "    time  read  miss  miss%  dmis  dm%  pmis  pm%  mmis  mm%  arcsz     c
10:00:00   44K  1.1K      2   500    1   600   30   100    1    15G   16G
10:00:02   10K   100      1    50    1    50   30    10    1    15G   16G
10:00:04   30K   300      1    50    1    50   30    10    1    14G   16G
";

#[test]
fn sums_over_classes_are_no_class() {
    check(
        OLD,
        &[
            ("misses", Some(800)),
            ("hits", Some(79_200)),
            ("iohits", Some(0)),
            ("demand_data_misses", None),
            ("demand_metadata_misses", None),
            ("prefetch_metadata_misses", None),
        ],
    );
    let machine = machine(OLD);
    let window = machine.window().unwrap();
    let sums: Vec<_> = ["dmis", "mmis", "pmis", "mread", "dread"]
        .into_iter()
        .map(|column| window.counted("zfs/arcstat", column))
        .collect();
    // Shares below 5 % tell no accesses; what is not prefetched is demanded.
    assert_eq!(sums, [Some(200), Some(40), Some(200), None, Some(79_333)]);
    assert_eq!(window.span.0, 4_000_000_000);
    assert_eq!(machine.now().unwrap().get("zfs/arcstats", "size"), Some(14 << 30));
}

#[test]
fn hits_that_joined_a_read_are_counted_apart_where_they_are_shown() {
    let text = "time read hits iohs miss hit% ioh% miss%
10:00:00 9 9 9 9 9 9 9
10:00:01 1.0K 800 150 50 80 15 5
";
    check(text, &[("hits", Some(800)), ("iohits", Some(150)), ("misses", Some(50))]);
    let shares = "time ddread ddh% ddi%\n10:00:00 9 9 9\n10:00:01 1000 80 15\n";
    let rows = [
        ("demand_data_hits", Some(800)),
        ("demand_data_iohits", Some(150)),
        ("demand_data_misses", Some(50)),
    ];
    check(shares, &rows);
}

#[test]
fn columns_in_any_order_without_times() {
    let text = "l2hits c l2miss arcsz\n5 16G 5 15G\n1.5K 16G 500 15G\n500 16G 500 15G\n";
    check(text, &[("l2_hits", Some(2000)), ("l2_misses", Some(1000)), ("hits", None)]);
    let every_five = format!("# interval 5\n{text}");
    check(&every_five, &[("l2_hits", Some(10_000))]);
}

#[test]
fn the_extended_table_counts_evictions() {
    let text = "    time   mfu   mru  mfug  mrug   unc  eskip  mtxmis  dread  pread   read
10:00:00     1     1     1     1     1      1       1      1      1      1
10:00:01   900    90     9     8     0     2K       3    900    100   1.0K
";
    let rows = [
        ("mfu_hits", Some(900)),
        ("mru_ghost_hits", Some(8)),
        ("evict_skip", Some(2000)),
        ("mutex_miss", Some(3)),
        ("hits", None),
    ];
    check(text, &rows);
}

#[test]
fn parsable_numbers_and_memory_below_zero() {
    let text =
        "time,read,miss,size,avail\n10:00:00,1,1,1,1\n10:00:01,1000.0,10.0,16106127360,-4096\n";
    check(text, &[("hits", Some(990))]);
    let machine = machine(text);
    let kstat = &machine.now().unwrap().kstats["zfs/arcstats"];
    assert_eq!(kstat.value("memory_available_bytes").unwrap().to_string(), "-4096");
}

#[test]
fn columns_of_sums_alone_are_counted_as_such() {
    let text =
        "time read dread dhit mread mhit\n10:00:00 9 9 9 9 9\n10:00:01 4.5K 4.5K 4.4K 4.5K 4.4K\n";
    let window = machine(text).window().unwrap();
    let of = |column| window.counted("zfs/arcstat", column);
    assert_eq!((of("dread"), of("dmis"), of("mmis")), (Some(4500), Some(100), Some(100)));
    assert_eq!(window.counted("zfs/arcstats", "demand_data_misses"), None);
    let shares = "read miss dmis dm% pmis pm%\n9 9 9 9 9 9\n1000 300 200 50 100 100\n";
    let window = machine(shares).window().unwrap();
    assert_eq!(window.counted("zfs/arcstat", "dread"), Some(400));
}

#[test]
fn one_line_beside_counters_adds_levels_alone() {
    let line = "time read miss miss% arcsz c\n10:00:00 0 0 0 10.0G 10G\n";
    let arcstats = "hits 4 900\nmisses 4 100\ndemand_data_hits 4 900\ndemand_data_misses 4 100\n";
    let texts = [
        (super::NAME.to_owned(), Source::Text(line.to_owned())),
        (
            "sample-0/proc/spl/kstat/zfs/arcstats".to_owned(),
            Source::Text(format!("6 1 0x01 4 99 1 2\nname type data\n{arcstats}")),
        ),
    ];
    let machine = Machine::read(&Sources { texts: texts.into(), ..Sources::default() });
    let now = machine.now().unwrap();
    assert_eq!(now.get("zfs/arcstats", "iohits"), None);
    assert_eq!(
        (now.get("zfs/arcstats", "hits"), now.get("zfs/arcstats", "c")),
        (Some(900), Some(10 << 30))
    );
}

#[test]
fn one_line_is_of_its_interval() {
    let text = "    time  read  ddread  ddh%  dmread  dmh%  pread  ph%   size      c  avail
10:00:01   200     100    90     100    50      0    0    15G    15G   1.2G
";
    let machine = machine(text);
    let window = machine.window().unwrap();
    assert_eq!((machine.samples.len(), window.span.0), (2, 1_000_000_000));
    assert_eq!(window.counted("zfs/arcstats", "demand_metadata_misses"), Some(50));
    // Beside counters of the ARC its own are left out.
    let arcstats =
        "6 1 0x01 4 99 1 2\nname type data\nhits 4 900\nmisses 4 100\nc 4 1\nsize 4 1\n".to_owned();
    let texts = [
        (super::NAME.to_owned(), Source::Text(text.to_owned())),
        ("sample-0/proc/spl/kstat/zfs/arcstats".to_owned(), Source::Text(arcstats)),
    ];
    let machine = Machine::read(&Sources { texts: texts.into(), ..Sources::default() });
    assert_eq!((machine.samples.len(), machine.window()), (1, None));
    assert_eq!(machine.now().unwrap().get("zfs/arcstats", "hits"), Some(900));
}

#[test]
fn the_prefetcher_has_a_kstat_of_its_own() {
    let text = "time ztotal zhits zahead zpast zmisses zmax zfuture zstride zissued zactive
10:00:00 1 1 1 1 1 1 1 1 1 1
10:00:01 100 60 10 0 30 5 10 0 20 2
";
    let window = machine(text).window().unwrap();
    assert_eq!(window.counted("zfs/zfetchstats", "hits"), Some(60));
    assert_eq!(window.counted("zfs/zfetchstats", "io_issued"), Some(20));
    assert_eq!(window.counted("zfs/arcstats", "hits"), None);
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "((time|read|miss|c|size|hit%|[0-9:.KG-]{1,8}) {0,2}\n?){0,40}") {
        let _ignored = machine(&text);
    }
}

#[test]
fn a_time_of_absurd_numbers_is_no_time() {
    for time in ["18446744073709551615:0:0", "9:18446744073709551615:9", "99:99:99", "1:2"] {
        let line = format!("{time} 1");
        assert_eq!(
            super::columns::row(&["time".to_owned(), "read".to_owned()], &line),
            None,
            "{time}"
        );
    }
}

#[test]
fn the_target_of_openzfs_on_os_x_has_a_title_of_its_own() {
    let text = "    Time   read   miss  miss%   dmis  dm%  pmis  pm%   mmis  mm%   size  tsize\n\
                13:44:04   122M    23M   18.9   466K  0.7   22M  39.1    23M  18.9  2515M  4294M\n";
    let titles = super::columns::titles(text.lines().next().unwrap()).unwrap();
    let row = super::columns::row(&titles, text.lines().nth(1).unwrap()).unwrap();
    let target = super::columns::levels(&row).into_iter().find(|(_, name, _)| *name == "c");
    assert_eq!(target.map(|(.., value)| value), Some(4294.0 * 1_048_576.0));
}

#[test]
fn a_line_alone_is_of_its_interval_unless_it_is_of_no_time() {
    let check = |row: &str, expected: Option<u64>| {
        let text =
            format!("# arcstat -f time,read,miss,size 5\n    time  read  miss   size\n{row}\n");
        let machine = Machine::read(&Sources::recognize(&text));
        let window = machine.window();
        assert_eq!(window.as_ref().map(|window| window.span.0 / 1_000_000_000), expected, "{row}");
    };
    check("10:00:01   12K   300    15G", Some(5));
    // The first line of a run.
    check("10:00:00     0     0    15G", None);
}
