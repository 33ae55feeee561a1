//! Reports of the three tools.

use proptest::prelude::*;

use super::{Machine, Sample, add};

const NEW: &str = "
------------------------------------------------------------------------
ZFS Subsystem Report                            Sun Nov 15 10:00:00 2026
Linux 6.12.5-amd64                                               2.3.2-1
Machine: nas (x86_64)                                            2.3.2-1

ARC status:
        Total memory size:                                      31.2 GiB
        Min target size:                                3.1 %    1.0 GiB
        Target size (adaptive):                        50.0 %   15.1 GiB
        Current size:                                  98.2 %   15.0 GiB

ARC structural breakdown (current size):                        15.0 GiB
        Header size:                                    0.5 %   80.1 MiB

ARC total accesses:                                                 1.5G
        Total hits:                                    98.0 %       1.4G
        Total I/O hits:                               < 0.1 %     123.4k
        Total misses:                                   2.0 %      12.0M

ARC demand metadata accesses:                           3.0 %      40.0M
        Demand metadata hits:                          50.0 %      20.0M
        Demand metadata misses:                        50.0 %      20.0M

L2ARC size (adaptive):                                          56.5 GiB
        Compressed:                                    90.0 %   50.9 GiB
        Header size:                                    0.1 %   12.0 MiB

L2ARC breakdown:                                                   12.0M
        Hit ratio:                                      1.0 %     120.0k
        Miss ratio:                                    99.0 %      11.9M

Tunables:
        l2arc_noprefetch                                               1
        zfs_arc_max                                                    0
";

fn read(text: &str) -> (Machine, Sample) {
    let (mut machine, mut sample) = (Machine::default(), Sample::default());
    add("commands/arc-summary", text, &mut sample, &mut machine);
    (machine, sample)
}

fn check(sample: &Sample, row: &str, expected: Option<u64>) {
    assert_eq!(sample.kstats.get("zfs/arcstats", row), expected, "{row}");
}

#[test]
fn the_report_of_2_2_and_later() {
    let (machine, sample) = read(NEW);
    check(&sample, "hits", Some(1_400_000_000));
    check(&sample, "iohits", Some(123_400));
    check(&sample, "c_min", Some(1 << 30));
    check(&sample, "demand_metadata_misses", Some(20_000_000));
    check(&sample, "hdr_size", Some(83_990_938));
    check(&sample, "l2_hdr_size", Some(12 << 20));
    check(&sample, "l2_hits", Some(120_000));
    check(&sample, "c_max", None);
    assert_eq!(machine.zfs.map(|version| version.to_string()).as_deref(), Some("2.3.2"));
    assert_eq!(machine.kernel.as_deref(), Some("6.12.5-amd64"));
    assert_eq!(machine.parameter("l2arc_noprefetch"), Some(1));
    assert_eq!(machine.rounded.as_deref(), Some("arc_summary"));
}

#[test]
fn the_report_of_0_8_to_2_1_has_hits_and_misses_in_sections() {
    let text = "\
ARC size (current):                                    98.2 %   15.4 GiB
        Target size (adaptive):                       100.0 %   15.7 GiB
        Max size (high water):                           16:1   15.7 GiB
        Metadata cache size (hard limit):              75.0 %   11.8 GiB
ARC total accesses (hits + misses):                                 2.0M
        Cache hit ratio:                               90.0 %       1.8M
        Cache miss ratio:                              10.0 %     200.0k
Cache hits by cache type:
        Most frequently used (MFU):                    80.0 %       1.5M
        Most frequently used (MFU) ghost:               1.0 %      18.0k
Cache hits by data type:
        Demand data:                                   12.0 %     216.0k
Cache misses by data type:
        Demand data:                                   50.0 %     100.0k
DMU prefetch efficiency:                                            1.0M
        Hit ratio:                                     70.0 %     700.0k
L2ARC not detected, skipping section
";
    let (_, sample) = read(text);
    check(&sample, "demand_data_hits", Some(216_000));
    check(&sample, "demand_data_misses", Some(100_000));
    check(&sample, "mfu_ghost_hits", Some(18_000));
    check(&sample, "c_max", Some(16_857_746_637));
    check(&sample, "l2_hits", None);
    assert_eq!(sample.kstats.get("zfs/zfetchstats", "hits"), Some(700_000));
}

#[test]
fn the_forerunner_and_zfs_stats() {
    let text = "\
ARC Size:\t\t\t\t97.01%\t15.52\tGiB
\tTarget Size: (Adaptive)\t\t100.00%\t16.00\tGiB
\tMax Size (High Water):\t\t16:1\t16.00\tGiB
ARC Total accesses:\t\t\t\t\t1.01m
\tCache Hit Ratio:\t\t96.02%\t971.27k
\tCache Miss Ratio:\t\t3.98%\t40.21k
\tCACHE MISSES BY DATA TYPE:
\t  Demand Metadata:\t\t50.0%\t20.00k
L2 ARC Size: (Adaptive)\t\t\t\t1.50\tGiB
\tHeader Size:\t\t\t0.10%\t1.50\tMiB
";
    let (_, sample) = read(text);
    check(&sample, "c", Some(16 << 30));
    check(&sample, "hits", Some(971_270));
    check(&sample, "demand_metadata_misses", Some(20_000));
    check(&sample, "l2_size", Some(3 << 29));
    check(&sample, "l2_hdr_size", Some(3 << 19));
}

#[test]
fn raw_reports_are_exact() {
    let text = "ARCSTATS:\n        hits                        41234567\n        memory_available_bytes     -5\n\nZFETCHSTATS:\n        hits   7\n";
    let (machine, sample) = read(text);
    check(&sample, "hits", Some(41_234_567));
    assert_eq!(sample.kstats.get("zfs/zfetchstats", "hits"), Some(7));
    assert_eq!(machine.rounded, None);
}

#[test]
fn another_text_is_a_problem() {
    assert_eq!(read("hello: world\n").0.problems.len(), 1);
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "([A-Za-z ()/]{0,30}: {0,3}[0-9.%: ]{0,8}(GiB|M|k|%|)\n){0,8}") {
        let _ignored = read(&text);
    }
}
