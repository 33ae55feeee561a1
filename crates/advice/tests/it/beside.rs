//! A window of `arcstat` beside a report of all time: both are judged.

use arcwright_advice::{Advice, Basis, Estimate, Severity, advise};
use arcwright_machine::{Machine, Sources};

const WINDOW: &str = "
    time  read  miss  miss%  dmis  dm%  pmis  pm%  mmis  mm%  arcsz     c
10:00:00   44K  1.1K      2   500    1   600   30   100    1    15G   16G
10:00:01   10K   100      1    50    1    50   30    10    1    15G   16G
10:00:02   30K   300      1    50    1    50   30    10    1    15G   16G
";

/// Returns a report in which so many demand accesses of metadata missed, of two millions, and whose ARC was
/// throttled so often.
fn report(metadata_misses: &str, throttled: u64) -> String {
    format!(
        "
ZFS Subsystem Report                            Sun Nov 15 10:00:00 2026
Linux 5.15.0-1                                                  2.1.11-1

ARC status:                                                      HEALTHY
        Memory throttle count:                                {throttled}

ARC size (current):                                    98.2 %   15.4 GiB
        Target size (adaptive):                       100.0 %   15.7 GiB
        Max size (high water):                           16:1   15.7 GiB
        Metadata cache size (hard limit):              75.0 %   11.8 GiB
        Metadata cache size (current):                 98.0 %   11.5 GiB

ARC total accesses (hits + misses):                                20.0M
        Cache hit ratio:                               60.0 %      12.0M
        Cache miss ratio:                              40.0 %       8.0M

Cache hits by cache type:
        Most frequently used (MFU) ghost:               5.0 %     600.0k
        Most recently used (MRU) ghost:                12.0 %       1.4M

Cache hits by data type:
        Demand data:                                   40.0 %       4.8M
        Prefetch data:                                  1.0 %     120.0k
        Demand metadata:                               55.0 %       6.6M
        Prefetch metadata:                              4.0 %     480.0k

Cache misses by data type:
        Demand data:                                   15.0 %       1.2M
        Prefetch data:                                  1.0 %      80.0k
        Demand metadata:                               80.0 %       {metadata_misses}
        Prefetch metadata:                              4.0 %     320.0k
"
    )
}

fn advice(text: &str) -> Advice {
    advise(&Machine::read(&Sources::recognize(text)), Estimate::CountersOnly)
}

#[test]
fn what_the_columns_do_not_show_is_judged_by_the_report() {
    for text in [report("6.4M", 0) + WINDOW, WINDOW.to_owned() + &report("6.4M", 0)] {
        let advice = advice(&text);
        assert!(matches!(advice.reading.basis, Basis::Window(_)));
        assert_eq!(advice.reading.beside, Some(Basis::SinceLoad(None)));
        let found = advice.findings.iter().find(|it| it.id == "metadata-misses").unwrap();
        assert_eq!(found.severity, Severity::WorthALook, "it is not known to hurt now");
        let times = advice.findings.iter().filter(|it| it.id == "metadata-misses").count();
        assert_eq!(times, 1);
    }
}

#[test]
fn a_window_takes_no_finding_of_a_report_away() {
    for metadata in ["6.4M", "64.0k"] {
        for throttled in [0, 90_000] {
            let report = report(metadata, throttled);
            let ids = |text: &str| -> Vec<&str> {
                let findings = advice(text).findings.into_iter();
                findings.filter(|it| it.severity <= Severity::WorthALook).map(|it| it.id).collect()
            };
            let (alone, both) = (ids(&report), ids(&format!("{report}{WINDOW}")));
            let missing: Vec<&&str> = alone.iter().filter(|id| !both.contains(id)).collect();
            assert!(missing.is_empty(), "{metadata}, {throttled}: {missing:?} of {alone:?}");
        }
    }
}

#[test]
fn a_reading_alone_stands_beside_nothing() {
    for text in [report("6.4M", 0), WINDOW.to_owned()] {
        assert_eq!(advice(&text).reading.beside, None);
    }
}
