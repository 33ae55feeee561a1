//! The text form: the kernel's text comes back, cut and garbled texts are refused with a place.

use arcwright_units::Nanos;
use proptest::prelude::*;

use super::{KstatValue, NamedKstat, ParseKstatError};

const ARCSTATS: &str = "\
13 1 0x01 5 1360 5277612345 987654321987
name                            type data
hits                            4    1234
demand_iohit_predictive_prefetch 4    7
memory_available_bytes          3    -4096
dataset_name                    7    tank/my media
future_row                      6    9
";

fn error(text: &str) -> String {
    NamedKstat::parse("zfs/arcstats", text).unwrap_err().to_string()
}

#[test]
fn the_kernels_text_comes_back_unchanged() {
    let kstat = NamedKstat::parse("zfs/tank/arcstats", ARCSTATS).unwrap();
    assert_eq!((kstat.module.as_str(), kstat.name.as_str()), ("zfs/tank", "arcstats"));
    assert_eq!(kstat.path(), "zfs/tank/arcstats");
    assert_eq!((kstat.kid, kstat.kind, kstat.flags), (13, 1, 1));
    assert_eq!((kstat.crtime, kstat.snaptime), (Nanos(5_277_612_345), Nanos(987_654_321_987)));
    assert_eq!(kstat.get("hits"), Some(1234));
    assert_eq!(kstat.get("demand_iohit_predictive_prefetch"), Some(7));
    assert_eq!(kstat.value("memory_available_bytes"), Some(&KstatValue::I64(-4096)));
    assert_eq!(kstat.value("dataset_name"), Some(&KstatValue::Text("tank/my media".to_owned())));
    assert_eq!(kstat.get("future_row"), Some(9));
    assert_eq!(kstat.get("absent"), None);
    assert_eq!(kstat.to_text(), ARCSTATS);
}

#[test]
fn a_cut_text_names_the_first_missing_line() {
    assert!(error("").starts_with("line 1: the first line is missing"));
    let four: String = ARCSTATS.split_inclusive('\n').take(4).collect();
    assert_eq!(
        error(&four),
        "line 5: row 3 of 5 is missing; the file was truncated or altered; copy it again"
    );
}

#[test]
fn a_garbled_text_names_the_line_and_what_was_expected() {
    assert!(error("hello\n").contains("line 1: expected “kid type flags"));
    assert!(error(&ARCSTATS.replace("name    ", "nome    ")).contains("line 2: expected"));
    assert!(error(&ARCSTATS.replace(" 1234", " 12x4")).contains("line 3: expected a row"));
    assert!(error(&ARCSTATS.replace("0x01 5", "0x01 4")).contains("line 7: expected the end"));
}

#[test]
fn a_name_may_hold_a_space() {
    let text = "\
7 1 0x00 2 544 1 2
name                            type data
1024 ns                         4    17
a_name_that_is_longer_than_the_column_of_names 4    3
";
    let kstat = NamedKstat::parse("zfs/tank/dmu_tx_assign", text).unwrap();
    assert_eq!(kstat.get("1024 ns"), Some(17));
    assert_eq!(kstat.get("a_name_that_is_longer_than_the_column_of_names"), Some(3));
    assert_eq!(kstat.to_text(), text);
}

#[test]
fn a_raw_kstat_is_refused_by_its_kind() {
    let raw = "20 0 0x01 10 1120 1 2\ntxg birth\n";
    assert_eq!(NamedKstat::parse("zfs/tank/txgs", raw), Err(ParseKstatError::NotNamed { kind: 0 }));
}

fn value() -> impl Strategy<Value = KstatValue> {
    prop_oneof![
        "[!-~]{0,15}".prop_map(KstatValue::Char),
        any::<i32>().prop_map(KstatValue::I32),
        any::<u32>().prop_map(KstatValue::U32),
        any::<i64>().prop_map(KstatValue::I64),
        any::<u64>().prop_map(KstatValue::U64),
        any::<i64>().prop_map(KstatValue::Long),
        any::<u64>().prop_map(KstatValue::ULong),
        "[ -~]{0,40}".prop_map(KstatValue::Text),
    ]
}

#[test]
fn carriage_returns_at_the_end_of_a_line_are_no_part_of_a_text() {
    let windows = ARCSTATS.replace('\n', "\r\r\n");
    let kstat = NamedKstat::parse("zfs/arcstats", &windows).unwrap();
    assert_eq!(kstat, NamedKstat::parse("zfs/arcstats", ARCSTATS).unwrap());
    assert_eq!(NamedKstat::parse("zfs/arcstats", &kstat.to_text()), Ok(kstat));
}

#[test]
fn carriage_returns_among_the_blanks_behind_letters_are_no_part_of_them() {
    let text = "7 1 0x01 2 96 8 9\nname type data\nstate 0 a b \r\r  \nx 4 1\n";
    let kstat = NamedKstat::parse("zfs/tank/state", text).unwrap();
    assert_eq!(kstat.rows.first().unwrap().1, KstatValue::Char("a b".to_owned()));
    assert_eq!(NamedKstat::parse("zfs/tank/state", &kstat.to_text()), Ok(kstat));
}

proptest! {
    #[test]
    fn every_kstat_survives_its_text(
        rows in prop::collection::vec(("[!-~]{1,40}", value()), 0..20),
        numbers in any::<(u32, u8, u64, u64)>(),
    ) {
        let kstat = NamedKstat {
            module: "zfs".to_owned(),
            name: "arcstats".to_owned(),
            class: "misc".to_owned(),
            kid: numbers.0,
            kind: NamedKstat::KIND_NAMED,
            flags: numbers.1,
            crtime: Nanos(numbers.2),
            snaptime: Nanos(numbers.3),
            rows,
        };
        prop_assert_eq!(NamedKstat::parse("zfs/arcstats", &kstat.to_text()), Ok(kstat));
    }

    #[test]
    fn any_text_is_parsed_or_refused_without_panic(text in "(?s).{0,200}", at in 0usize..300) {
        let _ignored = NamedKstat::parse("zfs/arcstats", &text);
        let cut: String = ARCSTATS.chars().take(at).collect();
        let lines = ARCSTATS.lines().count();
        if cut.lines().count() < lines {
            prop_assert!(NamedKstat::parse("zfs/arcstats", &cut).is_err());
        }
    }
}
