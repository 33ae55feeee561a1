//! Reports of the three tools.

use proptest::prelude::*;

use super::{Kernel, Machine, Row, Sample, SectionState, Take, add};

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
    add("commands/arc-summary", text, Take::All, &mut sample, &mut machine);
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

/// What `zfs-stats -a` of 1.2 and 1.3 prints on `FreeBSD`, some sections of it.
const ZFS_STATS: &str = "
------------------------------------------------------------------------
ZFS Subsystem Report\t\t\t\tTue Apr 11 09:57:42 2017
------------------------------------------------------------------------

System Information:

\tKernel Version:\t\t\t\t1100122 (osreldate)
\tHardware Platform:\t\t\tamd64
\tProcessor Architecture:\t\t\tamd64

\tZFS Storage pool Version:\t\t5000
\tZFS Filesystem Version:\t\t\t5

FreeBSD 11.0-RELEASE-p9 #0: Tue Apr 11 08:48:40 UTC 2017 root
 9:57AM  up 3 days, 22:06, 2 users, load averages: 0.16, 0.20, 0.18

------------------------------------------------------------------------

System Memory:

\t0.53%\t41.24\tMiB Active,\t4.52%\t351.97\tMiB Inact
\t85.30%\t6.48\tGiB Wired,\t0.00%\t0\tBytes Cache
\t9.65%\t751.03\tMiB Free,\t0.00%\t4.00\tKiB Gap

\tReal Installed:\t\t\t\t8.00\tGiB
\tReal Available:\t\t\t99.07%\t7.93\tGiB
\tReal Managed:\t\t\t95.88%\t7.60\tGiB

\tLogical Total:\t\t\t\t8.00\tGiB
\tLogical Used:\t\t\t86.53%\t6.92\tGiB
\tLogical Free:\t\t\t13.47%\t1.08\tGiB

------------------------------------------------------------------------

ARC Summary: (HEALTHY)
\tMemory Throttle Count:\t\t\t0

ARC Misc:
\tDeleted:\t\t\t\t1.23\tm
\tMutex Misses:\t\t\t\t12.50\tk
\tEvict Skips:\t\t\t\t2.00\tb

ARC Size:\t\t\t\t100.04%\t512.20\tMiB
\tTarget Size: (Adaptive)\t\t100.00%\t512.00\tMiB
\tMin Size (Hard Limit):\t\t12.50%\t64.00\tMiB
\tMax Size (High Water):\t\t8:1\t512.00\tMiB

ARC Size Breakdown:
\tRecently Used Cache Size:\t50.00%\t256.00\tMiB
\tFrequently Used Cache Size:\t50.00%\t256.00\tMiB

ARC Efficiency:\t\t\t\t\t5.00\tm
\tCache Hit Ratio:\t\t18.00%\t900.00\tk
\tCache Miss Ratio:\t\t82.00%\t4.10\tm
\tActual Hit Ratio:\t\t17.00%\t850.00\tk

\tData Demand Efficiency:\t\t40.00%\t1.00\tm

\tCACHE HITS BY CACHE LIST:
\t  Most Recently Used:\t\t50.00%\t450.00\tk
\t  Most Recently Used Ghost:\t20.00%\t180.00\tk

\tCACHE MISSES BY DATA TYPE:
\t  Demand Data:\t\t\t10.00%\t410.00\tk
\t  Demand Metadata:\t\t90.00%\t3.69\tm

------------------------------------------------------------------------

L2 ARC Size: (Adaptive)\t\t\t\t1.00\tGiB
\tDecompressed Data Size:\t\t\t1.50\tGiB
\tCompression Factor:\t\t\t1.50
\tHeader Size:\t\t\t0.10%\t1.50\tMiB

------------------------------------------------------------------------

File-Level Prefetch:

DMU Efficiency:\t\t\t\t\t10.00\tm
\tMiss Ratio:\t\t\t90.00%\t9.00\tm

\tColinear:\t\t\t\t9.00\tm
\t  Hit Ratio:\t\t\t0.01%\t900

------------------------------------------------------------------------

VDEV cache is disabled

------------------------------------------------------------------------

ZFS Tunables (sysctl):
\tkern.maxusers                           845
\tvfs.zfs.arc_max                         536870912
\tvfs.zfs.arc_meta_limit                  134217728
";

#[test]
fn zfs_stats_tells_of_the_machine_as_well() {
    let (machine, sample) = read(ZFS_STATS);
    assert_eq!(machine.problems, []);
    for (row, expected) in [
        ("deleted", Some(1_230_000)),
        ("evict_skip", Some(2_000_000_000)),
        ("size", Some(537_080_627)),
        ("c_max", Some(512 << 20)),
        ("hits", Some(900_000)),
        ("misses", Some(4_100_000)),
        ("mru_ghost_hits", Some(180_000)),
        ("demand_metadata_misses", Some(3_690_000)),
        ("l2_size", Some(3 << 29)),
        ("l2_asize", Some(1 << 30)),
        // What the tool calls so is the ARC's aim for it.
        ("mru_size", None),
    ] {
        check(&sample, row, expected);
    }
    let fetch = |row| sample.kstats.get("zfs/zfetchstats", row);
    assert_eq!((fetch("hits"), fetch("misses")), (None, Some(9_000_000)));
    let memory = machine.memory.unwrap();
    assert_eq!((memory.total.0 >> 20, memory.available.unwrap().0 >> 20), (8120, 1105));
    assert_eq!(machine.parameter("zfs_arc_max"), Some(512 << 20));
    assert_eq!(machine.kernel.as_deref(), Some("11.0-RELEASE-p9"));
    assert_eq!(machine.os, Some(Kernel::Freebsd));
}

#[test]
fn every_line_of_a_report_is_known() {
    for text in [NEW, ZFS_STATS] {
        let mut state = SectionState::below(None);
        for line in text.lines() {
            assert_ne!(state.next(line), Row::Strange, "{line}");
        }
    }
}

#[test]
fn bytes_and_counts_are_not_taken_for_each_other() {
    let text = "ARC total accesses (hits + misses):     2.0M
        Cache hit ratio:                               90.0 %   1.8 GiB
        Cache miss ratio:                              10.0 %
ARC size (current):                                    98.2 %     15.4M
L2ARC I/O:
        Reads:                                       12.0 GiB    120.0k
";
    let (_, sample) = read(text);
    for (row, expected) in [
        ("hits", None),
        ("misses", None),
        ("size", None),
        ("l2_read_bytes", Some(12 << 30)),
        ("l2_hits", Some(120_000)),
    ] {
        check(&sample, row, expected);
    }
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
