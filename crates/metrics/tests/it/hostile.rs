//! Names that somebody chose to break the reader of the text.

use arcwright_advice::{Estimate, advise};
use arcwright_kstat::{KstatValue, NamedKstat, Snapshot};
use arcwright_machine::{Class, Machine, Pool, Sample, Vdev};
use arcwright_metrics::{DatasetSeries, Families, TextFormat};
use arcwright_units::Nanos;
use proptest::prelude::*;

use crate::exposition;

const NAMES: [&str; 12] = [
    "a\"} 1\n# EOF\narcwright_arc_size_bytes{x=\"",
    "<script>alert(1)</script>",
    "\u{1b}]0;title\u{7}\u{1b}[2J",
    "tank\r\nHTTP/1.1 200 OK",
    "back\\slash\\n\\\"",
    "\u{202e}desrever",
    "{pool=\"x\"}",
    "a b\tc",
    "\u{0}",
    "# TYPE x counter",
    "…ünïcode… 池",
    "",
];

/// Returns a machine with a pool, a disk and a dataset of this name.
fn machine(name: &str) -> Machine {
    let disk = Vdev {
        name: name.to_owned(),
        class: Class::Data,
        state: Some(name.to_owned()),
        errors: Some([1, 2, 3]),
        ..Vdev::default()
    };
    let pool = Pool {
        name: name.to_owned(),
        state: Some("DEGRADED".to_owned()),
        vdevs: vec![disk],
        ..Pool::default()
    };
    let rows = vec![
        ("dataset_name".to_owned(), KstatValue::Text(format!("{name}/home"))),
        ("nread".to_owned(), KstatValue::U64(7)),
        ("zil_commit_count".to_owned(), KstatValue::U64(u64::MAX)),
    ];
    let kstat = NamedKstat::of_rows(&format!("zfs/{name}/objset-0x36"), rows);
    let mut sample =
        Sample { kstats: Snapshot::from_kstats(Nanos::ZERO, vec![kstat]), ..Sample::default() };
    sample.pool_states.insert(name.to_owned(), name.to_owned());
    let zfs_text = Some(name.to_owned());
    Machine { pools: vec![pool], samples: vec![sample], zfs_text, ..Machine::default() }
}

fn text(machine: &Machine, format: TextFormat) -> String {
    let mut families = Families::default();
    families.add_machine(machine, DatasetSeries::On);
    let advice = advise(machine, Estimate::CountersOnly);
    families.add_findings(&advice, advice.is_verdict());
    families.text(format)
}

/// Checks that a name is one label's value and nothing else.
fn check(name: &str) -> Result<(), String> {
    let machine = machine(name);
    let text = text(&machine, TextFormat::OpenMetrics);
    let series = exposition::read(&text).map_err(|why| format!("{name:?}: {why}\n{text}"))?;
    let reads = series.keys().filter(|key| key.starts_with("arcwright_dataset_bytes_total{"));
    (reads.count() == 1).then_some(()).ok_or(format!("{name:?}: {text}"))?;
    let is_alone = !series.contains_key("arcwright_arc_size_bytes");
    is_alone.then_some(()).ok_or(text)
}

#[test]
fn a_name_is_a_label_and_nothing_else() {
    for name in NAMES {
        check(name).unwrap();
    }
}

#[test]
fn two_names_stay_two() {
    let shown: std::collections::BTreeSet<String> =
        NAMES.iter().map(|name| text(&machine(name), TextFormat::Plain)).collect();
    assert_eq!(shown.len(), NAMES.len());
}

#[test]
fn thousands_of_datasets_have_a_bound_that_is_said() {
    let kstats = (0..3000_u32).map(|id| {
        let rows = vec![
            ("dataset_name".to_owned(), KstatValue::Text(format!("tank/{id}"))),
            ("nread".to_owned(), KstatValue::U64(1)),
        ];
        NamedKstat::of_rows(&format!("zfs/tank/objset-0x{id:x}"), rows)
    });
    let kstats = Snapshot::from_kstats(Nanos::ZERO, kstats.collect());
    let machine =
        Machine { samples: vec![Sample { kstats, ..Sample::default() }], ..Machine::default() };
    let text = text(&machine, TextFormat::Plain);
    assert!(text.contains("\narcwright_datasets_left_out 1000\n"), "{text}");
    assert_eq!(text.matches("arcwright_dataset_bytes_total{").count(), 2000);
    let long = "x".repeat(100_000);
    assert!(self::text(&self::machine(&long), TextFormat::Plain).len() < 100_000);
}

proptest! {
    #[test]
    fn any_name_is_a_label_and_nothing_else(name in "(?s).{0,60}") {
        prop_assert_eq!(check(&name), Ok(()));
    }
}
