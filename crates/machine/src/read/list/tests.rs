//! `zpool list` of several versions, with titles and without.

use proptest::prelude::*;

use super::{Class, JSON, Machine, TEXT, collect, rows, titles};
use crate::sources::{Source, Sources};

fn collected(name: &str, text: &str) -> Machine {
    let mut sources = Sources::default();
    sources.texts.insert(name.to_owned(), Source::Text(text.to_owned()));
    let mut machine = Machine::default();
    collect(&sources, &mut machine);
    machine
}

fn machine(name: &str, text: &str) -> Machine {
    let machine = collected(name, text);
    assert_eq!(machine.problems, []);
    machine
}

fn check(text: &str, property: &str, expected: Option<&str>) {
    let machine = machine(TEXT, text);
    let pool = machine.pools.iter().find(|pool| pool.name == "tank");
    let found = pool.and_then(|pool| pool.properties.get(property)).map(String::as_str);
    assert_eq!(found, expected, "{property} of {text}");
}

#[test]
fn columns_are_known_by_their_titles() {
    let new = "NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n\
               tank  10.9T  9.50T  1.41T        -         -    45%    87%  1.25x  DEGRADED  -\n";
    let first = "NAME   SIZE  ALLOC   FREE    CAP  DEDUP  HEALTH  ALTROOT\ntank  10.9T  9.50T  1.41T    87%  1.25x  ONLINE  -\n";
    let old = "NAME   SIZE  USED   AVAIL    CAP  HEALTH  ALTROOT\ntank  10.9T  9.50T  1.41T    87%  ONLINE  -\n";
    let freebsd = "NAME   SIZE  ALLOC   FREE   FRAG  EXPANDSZ    CAP  DEDUP  HEALTH  ALTROOT\ntank  10.9T  9.50T  1.41T    45%   -    87%  1.25x  ONLINE  -\n";
    let chosen = "HEALTH  NAME  CAP  ASHIFT\nONLINE  tank  87%  12\n";
    for text in [new, first, old, freebsd, chosen] {
        check(text, "capacity", Some("87"));
    }
    [new, first, freebsd].iter().for_each(|text| check(text, "dedupratio", Some("1.25x")));
    [new, freebsd].iter().for_each(|text| check(text, "fragmentation", Some("45")));
    [first, old, chosen].iter().for_each(|text| check(text, "fragmentation", None));
    check(chosen, "ashift", Some("12"));
    check(chosen, "size", None);
    assert_eq!(machine(TEXT, new).pools[0].state.as_deref(), Some("DEGRADED"));
}

#[test]
fn without_titles_the_count_tells_or_nothing_does() {
    check("tank\t10\t4\t6\t-\t-\t45\t40\t1.00\tONLINE\t-\n", "fragmentation", Some("45"));
    check("tank\t10\t4\t6\t40%\t1.00x\tONLINE\t-\n", "capacity", Some("40"));
    check("tank\t10\t4\t6\t-\t45%\t40%\t1.00x\tONLINE\t-\n", "fragmentation", None);
    check("tank\t10\t4\t6\t-\t45%\t40%\t1.00x\tONLINE\t-\n", "capacity", Some("40"));
    assert_eq!(machine(TEXT, "tank\t10\t4\n").pools, []);
}

const WITH_VDEVS: &str = "\
NAME         SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP  HEALTH  ALTROOT
tank        3.62T  2.61T  1.01T        -         -    31%    72%  1.00x  ONLINE  -
  mirror-0  1.81T  1.31T   517G        -         -    31%    72%      -  ONLINE
    sda     1.82T      -      -        -         -      -      -      -  ONLINE
    sdb     1.82T      -      -        -         -      -      -      -  ONLINE
cache           -      -      -        -         -      -      -      -       -  -
  sdc        100G    50G    50G        -         -     0%    50%      -  ONLINE
";

#[test]
fn vdevs_are_told_from_pools_also_without_indentation() {
    let flat: String = WITH_VDEVS.lines().map(|line| format!("{}\n", line.trim())).collect();
    let quoted: String = WITH_VDEVS.lines().map(|line| format!("    {line}\n")).collect();
    for text in [WITH_VDEVS, &flat, &quoted] {
        let found = rows(text);
        let named: Vec<_> = found.iter().map(|row| (row.vdev.as_deref(), row.class)).collect();
        let data = Class::Data;
        let expected = [
            (None, data),
            (Some("mirror-0"), data),
            (Some("sda"), data),
            (Some("sdb"), data),
            (Some("sdc"), Class::Cache),
        ];
        assert_eq!(named, expected, "{text}");
        assert_eq!(machine(TEXT, text).pools.len(), 1);
    }
}

#[test]
fn tables_of_other_tools_are_none() {
    for line in [
        "NAME  USED  AVAIL  REFER  MOUNTPOINT",
        "NAME  PROPERTY  VALUE  SOURCE",
        "NAME  MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT",
        "NAME  TYPE SIZE USED PRIO",
        "NAME  STATE  READ WRITE CKSUM",
        "NAME THE SIZE please",
    ] {
        assert_eq!(titles(line), None, "{line}");
    }
}

#[test]
fn json_says_the_same() {
    let json = r#"{"pools":{"tank":{"name":"tank","properties":{"size":{"value":"10.9T"},
        "fragmentation":{"value":"45%"},"capacity":{"value":"87%"},"health":{"value":"ONLINE"},
        "checkpoint":{"value":"-"}}}}}"#;
    let machine = machine(JSON, json);
    let pool = &machine.pools[0];
    assert_eq!((pool.number("capacity"), pool.number("fragmentation")), (Some(87), Some(45)));
    assert_eq!((pool.state.as_deref(), pool.properties.get("checkpoint")), (Some("ONLINE"), None));
}

#[test]
fn a_list_that_ends_within_a_row_says_so() {
    let rows = "NAME  SIZE ALLOC FREE CKPOINT EXPANDSZ FRAG CAP DEDUP HEALTH ALTROOT\n\
                tank  10T 9T 1T - - 45% 87% 1.25x DEGRADED -\n\
                \x20 mirror-0  10T 9T 1T - - 45% 87% - DEGRADED\n\
                \x20   sda  10T - - - - - - - ONLINE\n";
    assert_eq!(collected(TEXT, rows).problems, []);
    assert_eq!(collected(TEXT, &format!("{rows}    sdb  - - -\n")).problems.len(), 1);
}

/// Mail and forums break lines: titles and rows of unequal length are matched by what stands in them.
#[test]
fn a_row_is_not_shifted_where_titles_are_cut_or_broken() {
    let row = "tank  21.8T  21.4T   348G         -    59%    98%  1.00x  ONLINE  -\n";
    let titles = "NAME  SIZE  ALLOC   FREE  EXPANDSZ   FRAG    CAP  DEDUP  HEALTH";
    check(&format!("{titles}\n{row}"), "capacity", Some("98"));
    check(&format!("{titles}\nALTROOT\n{row}"), "capacity", Some("98"));
    check(
        &format!("{titles}\n  ALTROOT\n{}\n-\n", row.trim().trim_end_matches('-')),
        "capacity",
        Some("98"),
    );
    let broken = row.replace("ONLINE", "\nONLINE");
    check(&format!("{titles} ALTROOT\n{broken}"), "capacity", Some("98"));
    check(
        &format!("{titles} ALTROOT\n{}", row.replace(" -\n", " - more\n")),
        "capacity",
        Some("98"),
    );
    // A name may hold a blank.
    let spaced = collected(TEXT, &format!("{titles} ALTROOT\n{}", row.replace("tank", "my tank")));
    assert_eq!(spaced.pools[0].name, "my tank");
    // What fits no titles is no pool, and that is said.
    let stray = collected(TEXT, &format!("{titles}\n{}", row.replace("21.8T", "what")));
    assert_eq!((stray.pools.len(), stray.problems.len()), (0, 1));
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "((NAME|SIZE|FRAG|CAP|DEDUP|tank|cache|-|[0-9]{1,3}[TG%x]?)[ \t]{1,3}){0,40}\n", at in 0..WITH_VDEVS.len()) {
        let cut = WITH_VDEVS.get(..at).unwrap_or_default();
        prop_assert!(collected(TEXT, cut).pools.len() <= 1);
        let _ignored = rows(&text.replace("-  ", "-\n"));
    }
}

#[test]
fn how_full_a_pool_is_does_not_suffer_from_bytes_that_a_table_lacks() {
    for (used, size, expected) in [
        ("9.10", "10", Some(91)),
        ("9.09", "10", Some(90)),
        ("10", "10", Some(100)),
        ("0", "10", Some(0)),
    ] {
        let bytes = |text: &str| {
            crate::nicenum::binary(&format!("{text}T")).and_then(crate::nicenum::whole)
        };
        let (used, size) = (bytes(used).unwrap(), bytes(size).unwrap());
        assert_eq!(super::percent_of(used, size), expected, "{used} of {size}");
    }
    assert_eq!(super::percent_of(1, 0), None);
}
