//! Laws of pasted text: unknown lines, cuts and the order of outputs change no number.

use std::fmt::Write as _;

use proptest::prelude::*;

use crate::machine::Machine;
use crate::sources::Sources;

/// Rows of `arcstats` in the kernel's order (arc.c of 2.1).
const ROWS: [&str; 24] = [
    "hits",
    "misses",
    "demand_data_hits",
    "demand_data_misses",
    "demand_metadata_hits",
    "demand_metadata_misses",
    "prefetch_data_hits",
    "mru_hits",
    "mru_ghost_hits",
    "mfu_hits",
    "deleted",
    "evict_skip",
    "hash_elements",
    "p",
    "c",
    "c_min",
    "c_max",
    "size",
    "hdr_size",
    "data_size",
    "l2_hits",
    "l2_misses",
    "memory_all_bytes",
    "memory_available_bytes",
];

fn arcstats() -> String {
    let mut text = "13 1 0x01 98 26656 5277612345 987654321987\n\
                    name                            type data\n"
        .to_owned();
    for (index, row) in ROWS.iter().enumerate() {
        writeln!(text, "{row:<31} 4    {}", 1_000_003 * (index + 1)).unwrap();
    }
    text
}

const SUMMARY: &str = "
------------------------------------------------------------------------
ZFS Subsystem Report                            Sun Nov 15 10:00:00 2026
Linux 5.15.0-1                                                  2.1.11-1
Machine: nas (x86_64)                                           2.1.11-1

ARC status:                                                      HEALTHY
        Memory throttle count:                                         0

ARC size (current):                                    98.2 %   15.4 GiB
        Target size (adaptive):                       100.0 %   15.7 GiB
        Max size (high water):                           16:1   15.7 GiB

ARC total accesses (hits + misses):                                 2.0M
        Cache hit ratio:                               90.0 %       1.8M
        Cache miss ratio:                              10.0 %     200.0k

Cache hits by data type:
        Demand data:                                   12.0 %     216.0k
        Prefetch data:                                  1.0 %      18.0k
Cache misses by data type:
        Demand data:                                   50.0 %     100.0k

DMU prefetch efficiency:                                            1.0M
        Hit ratio:                                     70.0 %     700.0k

L2ARC not detected, skipping section

Tunables:
        zfs_arc_max                                                    0
        l2arc_noprefetch                                               1
";

const SYSCTL: &str = "\
kstat.zfs.misc.arcstats.hits: 1234
kstat.zfs.misc.arcstats.misses: 66
kstat.zfs.misc.arcstats.c_max: 8589934592
vfs.zfs.arc_max: 8589934592
hw.physmem: 17179869184
";

const ARCSTAT: &str = "    time  read  miss  miss%  dmis  dm%  pmis  pm%  mmis  mm%  arcsz     c
10:00:00   44K  1.1K      2   500    1   600   30   100    1    15G   16G
10:00:01   10K   100      1    50    1    50   30    10    1    15G   16G
10:00:02   30K   300      1    50    1    50   30    10    1    15G   16G
10:00:03   20K   200      1    50    1    50   30    10    1    15G   16G
";

const IOSTAT: &str = "              capacity     operations     bandwidth
pool        alloc   free   read  write   read  write
----------  -----  -----  -----  -----  -----  -----
tank        1.20T   600G      1      2     3K     4K
  mirror-0  1.20T   600G      1      2     3K     4K
    sda         -      -      1      1     2K     2K
    sdb         -      -      1      1     2K     2K
----------  -----  -----  -----  -----  -----  -----
";

const UNKNOWN: [&str; 6] = [
    "and so it goes on",
    "...",
    "[...]",
    "<snip>",
    "Is this normal? I have never seen it.",
    "これは何ですか",
];

fn reports() -> Vec<String> {
    let all = [SUMMARY, SYSCTL, ARCSTAT, IOSTAT].map(str::to_owned);
    std::iter::once(arcstats()).chain(all).collect()
}

fn machine(text: &str) -> Machine {
    Machine { problems: Vec::new(), ..Machine::read(&Sources::recognize(text)) }
}

/// Puts unknown lines before the line `at`.
fn interrupted(text: &str, at: usize, unknown: &[usize]) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let at = at % (lines.len() + 1);
    for which in unknown {
        lines.insert(at, UNKNOWN[which % UNKNOWN.len()]);
    }
    lines.join("\n") + "\n"
}

#[test]
fn every_report_is_known_whole() {
    for report in reports() {
        let machine = Machine::read(&Sources::recognize(&report));
        assert_eq!(machine.problems, [], "{report}");
        assert!(!machine.samples.is_empty(), "{report}");
    }
}

#[test]
fn an_unknown_line_at_any_place_changes_no_number() {
    for report in reports() {
        let whole = machine(&report);
        for at in 0..=report.lines().count() {
            for which in 0..UNKNOWN.len() {
                let text = interrupted(&report, at, &[which]);
                assert_eq!(machine(&text), whole, "{text}");
            }
        }
    }
}

proptest! {
    #[test]
    fn unknown_lines_at_several_places_change_no_number(
        which in 0..5_usize,
        places in prop::collection::vec((0..60_usize, prop::collection::vec(0..6_usize, 1..4)), 1..5),
    ) {
        let report = reports()[which].clone();
        let text = places.iter().fold(report.clone(), |text, (at, unknown)| {
            interrupted(&text, *at, unknown)
        });
        prop_assert_eq!(machine(&text), machine(&report), "{}", text);
    }

    #[test]
    fn a_report_that_is_cut_is_never_two_samples(which in 0..4_usize, at in 0..60_usize) {
        let report = if which < 3 { reports()[which].clone() } else { IOSTAT.to_owned() };
        let lines: Vec<&str> = report.lines().collect();
        let at = at % (lines.len() + 1);
        let (one, other) = lines.split_at(at);
        for part in [one, other] {
            let text = part.join("\n") + "\n";
            prop_assert!(machine(&text).samples.len() <= 1, "{}", text);
        }
        // Pasted the wrong way round it is still one reading.
        let turned = format!("{}\n{}\n", other.join("\n"), one.join("\n"));
        prop_assert!(machine(&turned).samples.len() <= 1, "{}", turned);
    }

    #[test]
    fn the_order_of_whole_outputs_changes_nothing(order in Just(vec![0, 1, 2, 3]).prop_shuffle()) {
        let all = [arcstats(), SUMMARY.to_owned(), ARCSTAT.to_owned(), IOSTAT.to_owned()];
        let text = |order: &[usize]| order.iter().map(|at| format!("{}\n\n", all[*at])).collect::<String>();
        prop_assert_eq!(machine(&text(&order)), machine(&text(&[0, 1, 2, 3])));
    }
}
