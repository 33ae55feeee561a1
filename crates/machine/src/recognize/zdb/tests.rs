//! What `zdb` prints, whole and in parts.

use crate::machine::Machine;
use crate::sources::Sources;

fn known(text: &str) -> Machine {
    let machine = Machine::read(&Sources::recognize(text));
    assert_eq!(machine.problems, [], "{text}");
    machine
}

const HISTOGRAM: &str = "\
DDT histogram (aggregated over all DDTs):

bucket              allocated                       referenced
______   ______________________________   ______________________________
refcnt   blocks   LSIZE   PSIZE   DSIZE   blocks   LSIZE   PSIZE   DSIZE
------   ------   -----   -----   -----   ------   -----   -----   -----
     1    2.50K    320M    320M    320M    2.50K    320M    320M    320M
     2      200   25.0M   25.0M   25.0M      400   50.0M   50.0M   50.0M
 Total    2.70K    345M    345M    345M    2.89K    370M    370M    370M

dedup = 1.07, compress = 1.00, copies = 1.00, dedup * compress / copies = 1.07
";

#[test]
fn a_histogram_alone_tells_no_size_of_its_entries() {
    for text in [HISTOGRAM, HISTOGRAM.split_once("\n\n").unwrap().1] {
        let pool = known(text).pools.remove(0);
        let table = pool.dedup.own.unwrap();
        // 2.70K is 2765 rounded.
        assert_eq!(table.entries, Some(2765), "{text}");
        assert_eq!((table.entry_size_in_core, table.entry_size_on_disk), (None, None));
        assert_eq!(table.allocated.map(|bytes| bytes.0), Some(345 << 20));
        assert_eq!(pool.properties["dedupratio"], "1.07x");
    }
}

#[test]
fn a_simulation_is_no_table() {
    let text =
        HISTOGRAM.replace("DDT histogram (aggregated over all DDTs):", "Simulated DDT histogram:");
    let pool = known(&format!("# zdb -S tank\n{text}")).pools.remove(0);
    assert_eq!((pool.name.as_str(), pool.dedup.own), ("tank", None));
    assert_eq!(pool.properties.get("dedupratio"), None);
    let simulated = pool.dedup.simulated.unwrap();
    assert_eq!((simulated.entries, simulated.unique), (Some(2765), Some(2560)));
}

#[test]
fn a_ratio_alone_tells_nothing_of_a_table() {
    let text = "dedup = 1.29, compress = 1.40, copies = 1.01, dedup * compress / copies = 1.78\n";
    let pool = known(text).pools.remove(0);
    assert_eq!((pool.dedup.own, pool.properties["dedupratio"].as_str()), (None, "1.29x"));
}

#[test]
fn a_table_counts_exactly_what_its_histogram_rounds() {
    let line = "DDT-sha256-zap-unique: 2700 entries, size 290 on disk, 160 in core\n\n";
    let table =
        known(&format!("# zdb -DD tank\n{line}{HISTOGRAM}")).pools.remove(0).dedup.own.unwrap();
    assert_eq!(
        (table.entries, table.entry_size_in_core.map(|size| size.0)),
        (Some(2700), Some(160))
    );
}

const BLOCKS: &str = "\
Traversing all blocks to verify nothing leaked ...

loading concrete vdev 0, metaslab 115 of 116 ...
2.31T completed (4120MB/s) estimated time remaining: 0hr 00min 00sec
\tNo leaks (block sum matches space maps exactly)

\tbp count:              21004512
\tganged count:                 0
\tbp logical:      2641404887040      avg: 125754
\tbp physical:     2540001234944      avg: 120926     compression:   1.04
\tbp allocated:    2561004503040      avg: 121926     compression:   1.03
\tbp deduped:                 0    ref>1:      0   deduplication:   1.00
\tbp cloned:                  0    count:      0
\tNormal class:    2561004503040     used: 93.71%
\tEmbedded log class              0     used:  0.00%

\tadditional, non-pointer bps of type 0:     310218
\tDittoed blocks on same vdev: 402177
";

#[test]
fn the_end_of_a_traversal_says_how_full_the_pool_is() {
    for (text, name) in [
        (format!("# zdb -b tank\n{BLOCKS}"), "tank"),
        (BLOCKS.to_owned(), "POOL"),
        (BLOCKS.replace("Normal class:", "SPA allocated:"), "POOL"),
        (BLOCKS.lines().map(|line| format!("{}\n", line.trim())).collect(), "POOL"),
    ] {
        let pool =
            known(&text.replace("Embedded log class ", "Embedded log class: ")).pools.remove(0);
        assert_eq!((pool.name.as_str(), pool.number("capacity")), (name, Some(93)), "{text}");
        assert_eq!(pool.properties["dedupratio"], "1.00x");
    }
}

#[test]
fn metaslabs_and_types_of_blocks_are_known() {
    let text = "Metaslabs:\n\tvdev          0\n\tmetaslabs   174   offset                spacemap          free\n\
                \t---------------   -------------------   ---------------   ------------\n\
                \tmetaslab      0   offset            0   spacemap    663   free    3.13G\nspace map object 663:\n\
                \x20 smp_length = 0x475d0\n  smp_alloc = 0xf376d8000\n\n\
                Blocks  LSIZE   PSIZE   ASIZE     avg    comp   %Total  Type\n\
                \x20  41.4M  1.25T  1.02T  2.10T  51.9K    1.22    94.93    ZFS plain file\n";
    assert_eq!(known(text).pools, []);
}

#[test]
fn leaked_space_is_named() {
    let text = "leaked space: vdev 0, offset 0x5a8e2000, size 8192\n";
    let machine = Machine::read(&Sources::recognize(text));
    assert_eq!(machine.problems.len(), 1);
}
