//! The pages of recordings and of read histories keep the laws of all pages; what was not read is not drawn.

use std::collections::BTreeMap;

use arcwright_advice::{Estimate, advise};
use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_machine::{Machine, ReadRow, ReadTable, Sources};
use arcwright_recording::{Block, Counts, Timeline, TimelineSpan, gaps};
use arcwright_units::{Bytes, Nanos};

use super::tests::{check_labels, check_page, parsed, readable};
use super::{RECORDING_COLUMNS, RecordingPage, reads_html, recording_html};
use crate::RecordingHead;

const HOSTILE: &str = "</title></svg><script>alert(1)</script> \u{1b}[31m\u{202e}&\"";

fn table(path: &str, rows: &[(&str, u64)]) -> NamedKstat {
    let rows = rows.iter().map(|(name, value)| ((*name).to_owned(), KstatValue::U64(*value)));
    NamedKstat::of_rows(path, rows.collect())
}

/// A reading with all that a recording may have.
fn reading(second: u64, name: &str) -> Snapshot {
    let count = |factor: u64| second * factor + second % 7;
    let arc = [
        ("hits", count(100)),
        ("misses", count(9)),
        ("demand_data_hits", count(80)),
        ("demand_data_misses", count(5)),
        ("demand_metadata_hits", count(20)),
        ("demand_metadata_misses", count(4)),
        ("prefetch_data_hits", count(2)),
        ("prefetch_data_misses", count(3)),
        ("prefetch_metadata_hits", count(1)),
        ("prefetch_metadata_misses", count(1)),
        ("l2_hits", count(4)),
        ("l2_misses", count(5)),
        ("l2_read_bytes", count(1 << 20)),
        ("l2_write_bytes", count(1 << 16)),
        ("l2_asize", 7 << 30),
        ("l2_hdr_size", 1 << 20),
        ("size", (3 << 30) + count(1 << 10)),
        ("c", 4 << 30),
        ("c_max", 8 << 30),
    ];
    let mut dataset =
        table("zfs/tank/objset-0x36", &[("nread", count(5 << 20)), ("nwritten", count(1 << 19))]);
    dataset.rows.push(("dataset_name".to_owned(), KstatValue::Text(name.to_owned())));
    let disk = [
        ("reads", count(40)),
        ("writes", count(9)),
        ("read_bytes", count(4 << 20)),
        ("write_bytes", count(1 << 20)),
        ("request_ms", count(300)),
        ("busy_ms", count(400)),
    ];
    let tables = vec![
        table("zfs/arcstats", &arc),
        table("zfs/zil", &[("zil_commit_count", count(11))]),
        table("zfs/dmu_tx", &[("dmu_tx_dirty_delay", count(2))]),
        table("memory/meminfo", &[("MemTotal", 16 << 30), ("MemAvailable", 5 << 30)]),
        table(&format!("txgs/{name}"), &[("ndirty", 1 << 28), ("stime", 200_000_000)]),
        table(&format!("disks/{name}"), &disk),
        dataset,
    ];
    Snapshot::from_kstats(Nanos::secs(1_700_000_000 + second), tables)
}

fn page_of(readings: &[Snapshot], name: &str) -> String {
    let block = Block::of(readings);
    let counts: Vec<Counts> = block.counts();
    let at = |counts: Option<&Counts>| counts.map_or(Nanos::ZERO, |counts| counts.at);
    let span = TimelineSpan {
        from: at(counts.first()),
        to: at(counts.last()),
        gaps: gaps(&counts),
        disks: BTreeMap::from([(name.to_owned(), name.to_owned())]),
    };
    let mut timeline = Timeline::new(span, RECORDING_COLUMNS);
    timeline.take(&block);
    let text = include_str!("../../../../fixtures/machines/guest-2.3.2-metadata.txt");
    let machine = Machine::read(&Sources::recognize(text));
    let advice = advise(&machine, Estimate::CountersOnly);
    let unreadable = [name.to_owned()];
    let head = RecordingHead {
        place: name,
        counts: &counts,
        bytes: Bytes::kib(9),
        unreadable: &unreadable,
    };
    recording_html(&RecordingPage { head, timeline: &timeline, advice: &advice, hidden: &[] })
}

fn check(page: &str) {
    check_page(page);
    let document = parsed(page);
    document.descendants().filter(|node| node.has_tag_name("svg")).for_each(check_labels);
}

#[test]
fn a_recording_is_a_page_whatever_is_in_it() {
    let days = (0..3000).map(|second| reading(second * 60, HOSTILE));
    let minute = (0..60).map(|second| reading(second, HOSTILE));
    for readings in
        [days.collect::<Vec<_>>(), minute.collect(), vec![reading(0, "a"), reading(9, "a")]]
    {
        check(&page_of(&readings, HOSTILE));
    }
    // Nothing but a clock.
    let empty = |second| Snapshot::from_kstats(Nanos::secs(second), Vec::new());
    let page = page_of(&[empty(1), empty(2), empty(3)], HOSTILE);
    check(&page);
    assert!(!page.contains("id=\"throughput\""), "a chart of what was not read");
}

#[test]
fn what_the_period_shows_is_said_and_gaps_are_drawn() {
    let before = (0..100).map(|second| reading(second * 10, "tank/media"));
    let after = (300..400).map(|second| reading(second * 10, "tank/media"));
    let readings: Vec<Snapshot> = before.chain(after).collect();
    let page = page_of(&readings, "sda");
    check(&page);
    let said = readable(&page);
    for expected in [
        "The ARC had 91.7 % of",
        "the L2ARC had 44.4 %",
        "tank/media 100 %",
        "with 1 gap: of 33.5 min in 66.5 min nothing is known",
        "Whose accesses missed is not counted",
        "nobody took readings",
        "Most missed from",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let document = parsed(&page);
    let gaps = document.descendants().filter(|node| node.attribute("class") == Some("gap"));
    assert!(gaps.count() > 10, "one in each plot");
    // The rows of the table whose time lies in the gap have dashes, and no zeros.
    let rows = document.descendants().filter(|node| node.has_tag_name("tr"));
    let cells = |row: roxmltree::Node<'_, '_>| -> Vec<String> {
        row.children()
            .filter(|it| it.has_tag_name("td"))
            .map(|it| it.text().unwrap_or("").to_owned())
            .collect()
    };
    let silent = rows.map(cells).filter(|row| row.len() > 2 && row.iter().all(|cell| cell == "-"));
    assert!(silent.count() > 5);
}

#[test]
fn days_of_seconds_are_a_small_page() {
    let readings: Vec<Snapshot> =
        (0..100_000).map(|second| reading(second, "tank/media")).collect();
    let page = page_of(&readings, "sda");
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
}

#[test]
fn reads_are_a_page() {
    let row = |name: &str, reads, misses| {
        let name = name.to_owned();
        ReadRow { name, object: None, reads, misses }
    };
    let whole = ReadTable {
        reads: 300,
        misses: 40,
        ahead: 60,
        lost: 40,
        garbled: 1,
        datasets: vec![row("tank/a", 100, 10), row(HOSTILE, 200, 30)],
        processes: (0..300).map(|number| row(&format!("p{number}"), 1, number % 2)).collect(),
        files: Vec::new(),
    };
    let page = reads_html(HOSTILE, &whole);
    check(&page);
    let said = readable(&page);
    assert!(said.contains("75.0 %") && said.contains("40 of them missed"), "{said}");
    let nothing = ReadTable {
        reads: 0,
        misses: 0,
        ahead: 0,
        lost: 0,
        garbled: 0,
        datasets: Vec::new(),
        processes: Vec::new(),
        files: Vec::new(),
    };
    let page = reads_html("tank", &nothing);
    check(&page);
    assert!(readable(&page).contains("Nothing was read on demand."));
}
