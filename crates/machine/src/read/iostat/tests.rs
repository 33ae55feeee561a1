//! `zpool iostat` as several versions print it, for programs and for people.

use proptest::prelude::*;

use super::{Report, Reports, RequestedColumns, parse};

/// Returns the first report of a text.
fn first(text: &str, pools: &[&str]) -> Report {
    tables(text, pools).series.first().unwrap().clone()
}

fn tables(text: &str, pools: &[&str]) -> Reports {
    let reports = parse(text, pools, RequestedColumns::default());
    assert_eq!(reports.strays, [], "{text}");
    reports
}

const PRETTY: &str = "\
                              capacity     operations     bandwidth    total_wait     disk_wait    syncq_wait    asyncq_wait  scrub   trim   syncq_read    syncq_write   asyncq_read  asyncq_write   scrubq_read   trimq_write
pool                        alloc   free   read  write   read  write   read  write   read  write   read  write   read  write   wait   wait   pend  activ   pend  activ   pend  activ   pend  activ   pend  activ   pend  activ
--------------------------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----
tank                        1.20T   600G    120     15  14.5M  1.25M   12ms    3ms   11ms    2ms    4us    2us    1ms  500us      -      -      0      3      0      0      1      2      0      0      0      0      0      0
  raidz1-0                  1.20T   600G    120     15  14.5M  1.25M   12ms    3ms   11ms    2ms    4us    2us    1ms  500us      -      -      0      3      0      0      1      2      0      0      0      0      0      0
    /dev/disk/by-id/ata-A       -      -     60      7  7.25M   640K   12ms    3ms   11ms    2ms    4us    2us    1ms  500us      -      -      0      3      0      0      1      2      0      0      0      0      0      0
logs                            -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -      -
  nvme0n1p1                  128K  15.5G      0      9      0   300K      -   80us      -   70us      -      -      -      -      -      -      0      0      0      0      0      0      0      0      0      0      0      0
--------------------------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----
";

#[test]
fn what_people_see_is_read_by_its_titles() {
    let series = tables(PRETTY, &[]).series;
    let tank = &series.first().unwrap()["tank"];
    assert_eq!(tank.len(), 4);
    let disk = &tank["/dev/disk/by-id/ata-A"];
    assert_eq!((disk.read_ops_per_s, disk.write_bytes_per_s), (Some(60.0), Some(655_360.0)));
    assert_eq!(disk.waits.total_read_ns, Some(12_000_000));
    assert_eq!(disk.waits.asyncq_write_ns, Some(500_000));
    assert_eq!((disk.waits.scrub_ns, disk.waits.rebuild_ns), (None, None));
    assert_eq!(disk.queues["syncq_read"], (0, 3));
    assert_eq!(disk.queues["asyncq_read"], (1, 2));
    assert_eq!(tank["nvme0n1p1"].waits.total_read_ns, None);
}

fn scripted(columns: usize) -> String {
    let row = |name: &str| {
        let values: Vec<String> = (1..=columns).map(|value| value.to_string()).collect();
        format!("{name}\t{}\n", values.join("\t"))
    };
    row("tank") + &row("mirror-0") + &row("sda") + &row("dozer") + &row("sdb")
}

#[test]
fn without_titles_the_count_of_columns_tells() {
    // Forms of 0.7, 0.8 and 2.0+: -l, -q, both.
    for (columns, waits, queues) in [
        (6, 0, 0),
        (15, 9, 0),
        (16, 10, 0),
        (17, 11, 0),
        (18, 0, 6),
        (20, 0, 7),
        (25, 9, 5),
        (28, 10, 6),
        (31, 11, 7),
    ] {
        let series = tables(&scripted(columns), &["tank", "dozer"]).series;
        let report = series.first().unwrap();
        assert_eq!((report["tank"].len(), report["dozer"].len()), (3, 2), "{columns}");
        let sda = &report["tank"]["sda"];
        assert_eq!(sda.read_ops_per_s, Some(3.0), "{columns}");
        assert_eq!(sda.waits.total_read_ns, (waits > 0).then_some(7), "{columns}");
        assert_eq!(sda.waits.rebuild_ns, (waits == 11).then_some(17), "{columns}");
        assert_eq!(sda.queues.len(), queues, "{columns}");
    }
    let old =
        parse(&scripted(16), &["tank", "dozer"], RequestedColumns { waits: false, queues: true });
    assert_eq!(old.series.first().unwrap()["tank"]["sda"].queues.len(), 5);
    assert_eq!(parse(&scripted(8), &["tank"], RequestedColumns::default()).strays.len(), 5);
}

#[test]
fn reports_that_follow_each_other_are_told_apart_and_averaged() {
    let text = "               capacity     operations     bandwidth\npool        alloc   free   read  write   read  write\n\
                ----------  -----  -----  -----  -----  -----  -----\n\
                tank        1.2T   600G      1      2      3      4\n\
                tank        1.2T   600G     10      2      3      4\n\
                Sun Nov 15 10:00:00 CET 2026\n\
                tank        1.2T   600G     20      2      3      4\n";
    let series = tables(text, &[]).series;
    assert_eq!(series.first().unwrap()["tank"]["tank"].read_ops_per_s, Some(1.0));
    let mean = series.mean_of_later().unwrap();
    assert_eq!(mean["tank"]["tank"].read_ops_per_s, Some(15.0));
    assert_eq!(tables(PRETTY, &[]).series.mean_of_later(), None);
}

#[test]
fn groups_without_numbers_get_those_of_status() {
    let text = "               capacity     operations     bandwidth\npool        alloc   free   read  write   read  write\n\
                tank        1.2T   600G      1      2      3      4\n  mirror    1T 1T 1 2 3 4\n    ada0 - - 1 2 3 4\n  mirror    1T 1T 1 2 3 4\n    ada1 - - 1 2 3 4\n";
    let series = tables(text, &[]).series;
    let names: Vec<&String> = series.first().unwrap()["tank"].keys().collect();
    assert_eq!(names, ["ada0", "ada1", "mirror-0", "mirror-1", "tank"]);
}

#[test]
fn a_row_that_the_text_ends_within_is_named() {
    let whole = PRETTY.split_once("\nlogs").unwrap().0;
    let torn = whole.get(..whole.len() - 40).unwrap();
    for (text, strays) in [(whole, 0), (torn, 1)] {
        let reports = parse(text, &[], RequestedColumns::default());
        assert_eq!(reports.strays.len(), strays, "{text}");
        assert!(reports.series.first().unwrap()["tank"].contains_key("/dev/disk/by-id/ata-A"));
    }
}

#[test]
fn broken_rows_go_on_below_and_cut_ones_lose_their_last_value() {
    let whole = &first(PRETTY, &[])["tank"];
    let broken: String = PRETTY
        .lines()
        .map(|line| match line.split_at_checked(100).filter(|_| line.contains(" 60 ")) {
            Some((left, right)) => format!("{left}\n{right}\n"),
            None => format!("{line}\n"),
        })
        .collect();
    assert_ne!(broken, PRETTY);
    assert_eq!(&first(&broken, &[])["tank"], whole);
    // Every line ends at the same place, as in a narrow window.
    let cut: String =
        PRETTY.lines().map(|line| format!("{}\n", line.get(..86).unwrap_or(line))).collect();
    let found = &first(&cut, &[])["tank"];
    let (disk, known) = (&found["/dev/disk/by-id/ata-A"], &whole["/dev/disk/by-id/ata-A"]);
    assert_eq!(disk.write_bytes_per_s, known.write_bytes_per_s);
    assert_eq!(
        (disk.waits.total_read_ns, disk.waits.disk_read_ns),
        (known.waits.total_read_ns, None)
    );
}

#[test]
fn either_line_of_titles_is_enough() {
    let whole = &first(PRETTY, &[])["tank"];
    for gone in [0, 1] {
        let rest = PRETTY.lines().enumerate().filter(|(index, _)| *index != gone);
        let rest: String = rest.map(|(_, line)| format!("{line}\n")).collect();
        assert_eq!(&first(&rest, &[])["tank"], whole, "without line {gone}");
    }
    let without = PRETTY.replace("capacity", "        ");
    assert_eq!(&first(&without, &[])["tank"], whole);
}

#[test]
fn names_may_hold_spaces_or_stand_alone() {
    let spaced = PRETTY.replace("/dev/disk/by-id/ata-A  ", "/files/my disk.img     ");
    let found = &first(&spaced, &[])["tank"];
    assert_eq!(found["/files/my disk.img"].read_ops_per_s, Some(60.0));
    let alone = PRETTY.replace("/dev/disk/by-id/ata-A  ", "/dev/disk/by-id/ata-A\n ");
    assert_eq!(first(&alone, &[])["tank"], first(PRETTY, &[])["tank"]);
}

const LATENCY: &str = "
tank         total_wait     disk_wait    syncq_wait    asyncq_wait
latency      read  write   read  write   read  write   read  write  scrub   trim
----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----
1ns             0      0      0      0      0      0      0      0      0      0
1us             5      0      5      0      0      0      0      0      0      0
8ms         1.5K      7      3      0      0      0      0      0      0      0
--------------------------------------------------------------------------------
";

#[test]
fn buckets_begin_at_their_lower_end() {
    let tank = &first(LATENCY, &[])["tank"]["tank"];
    assert_eq!(tank.latency["total_read"].0, [(1, 0), (500, 5), (4_000_000, 1536)]);
    assert_eq!(tank.latency.len(), 10);
    let scripted = "\ntank\n1\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\n1023\t9\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\n\nsda\n1\t7\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\n";
    let report = &first(scripted, &["tank"]);
    assert_eq!(report["tank"]["tank"].latency["total_read"].0, [(1, 0), (512, 9)]);
    assert_eq!(report["tank"]["sda"].latency["total_read"].0, [(1, 7)]);
}

#[test]
fn sizes_are_told_from_latencies() {
    let text = "\ntank          sync_read    sync_write    async_read    async_write      scrub         trim    \n\
                req_size      ind    agg    ind    agg    ind    agg    ind    agg    ind    agg    ind    agg\n\
                ----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----\n\
                512             0      0      0      0      0      0      0      0      0      0      0      0\n\
                128K          700      9      0      0      0      0      0      0      0      0      0      0\n";
    let tank = &first(text, &[])["tank"]["tank"];
    assert_eq!(tank.sizes["sync_read_ind"].0, [(512, 0), (131_072, 700)]);
    assert!(tank.latency.is_empty());
}

proptest! {
    #[test]
    fn every_beginning_is_a_part_of_the_whole(at in 0..PRETTY.len()) {
        let part = parse(PRETTY.get(..at).unwrap_or_default(), &[], RequestedColumns::default());
        let vdevs: usize = part.series.first().into_iter().flatten().map(|(_, vdevs)| vdevs.len()).sum();
        prop_assert!(vdevs <= 4);
    }

    #[test]
    fn any_text_is_read_without_panic(text in "([a-z]{0,8}[ \t]+([0-9.]{0,3}[KM-]?[ \t]+){0,18}\n){0,8}") {
        let _ignored = parse(&text, &[], RequestedColumns::default());
    }
}
