//! The laws that every entry of the catalogue obeys, and a few known ones.

use super::{TEXTS, entries, lookup, nearest, read};
use crate::{Condition, DefaultValue, Entry, Hazard, Scales, Unit, Version, Width};

fn every(law: impl Fn(&Entry) -> bool) {
    let broken: Vec<&str> =
        entries().iter().filter(|entry| !law(entry)).map(|entry| entry.name.as_str()).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn every_file_is_well_formed() {
    for text in TEXTS {
        assert!(!read(text).unwrap().is_empty());
    }
}

#[test]
fn every_name_belongs_to_one_entry() {
    let mut all: Vec<&str> = entries().iter().flat_map(Entry::names).collect();
    all.sort_unstable();
    all.dedup();
    assert!(all.iter().all(|name| lookup(name).is_some_and(|e| e.names().any(|n| n == *name))));
    every(|entry| entries().iter().filter(|other| other.name == entry.name).count() == 1);
    every(|entry| entry.names().all(|name| std::ptr::eq(lookup(name).unwrap(), entry)));
}

#[test]
fn every_entry_says_where_it_is_from_and_what_it_does() {
    // Which page of docs/model has a rule for it, where one has; xtask tidy follows the citation.
    every(|entry| entry.source.contains(".c"));
    every(|entry| !entry.source.contains(';') || entry.source.contains("; docs/model/"));
    every(|entry| entry.about.ends_with('.') && entry.about.len() > 20);
    every(|entry| entry.freebsd.as_deref().is_none_or(|name| name.starts_with("vfs.zfs.")));
}

#[test]
fn every_span_has_one_default_and_follows_the_one_before() {
    every(|entry| !entry.defaults.is_empty());
    every(|entry| {
        entry.defaults.iter().all(|span| {
            let kinds = [span.value.is_some(), span.word.is_some(), span.rule.is_some()];
            kinds.iter().filter(|kind| **kind).count() == 1
        })
    });
    every(|entry| entry.defaults.iter().all(|span| span.to.is_none_or(|to| span.from <= to)));
    every(|entry| {
        entry.defaults.windows(2).all(|pair| pair[0].to.is_some_and(|to| to < pair[1].from))
    });
    // Within one family no version between two spans is without a default.
    let known = known_versions();
    every(|entry| {
        entry.defaults.windows(2).all(|pair| {
            let same = pair[0].from.is_legacy_freebsd() == pair[1].from.is_legacy_freebsd();
            let between =
                |version: &&Version| pair[0].to.unwrap() < **version && **version < pair[1].from;
            // These came to 2.1.15 and 2.2.3 from what was to be 2.3; 2.2.0 did not have them.
            let ported_back = ["zio_taskq_read", "zio_taskq_write"].contains(&entry.name.as_str());
            !same || ported_back || known.iter().find(between).is_none()
        })
    });
}

#[test]
fn every_default_is_within_the_bounds() {
    every(|entry| {
        let values = entry.defaults.iter().filter_map(|span| span.value);
        let max = match entry.unit {
            Unit::Flag => 1,
            _ => entry.max.unwrap_or(i64::MAX.unsigned_abs()),
        };
        values.max().is_none_or(|value| value <= max)
    });
}

#[test]
fn only_bytes_scale() {
    every(|entry| match entry.scales {
        Scales::None => true,
        Scales::Rate => entry.unit == Unit::BytesPerPass,
        Scales::Size | Scales::Distance => entry.unit == Unit::Bytes,
    });
}

#[test]
fn a_legacy_name_goes_with_legacy_versions() {
    every(|entry| {
        let legacy = entry.defaults.iter().any(|span| span.from.is_legacy_freebsd());
        legacy == entry.freebsd_legacy.is_some()
    });
}

#[test]
fn every_bound_has_room_and_holds_every_default() {
    every(|entry| entry.min.is_none_or(|min| min <= entry.max.unwrap_or(entry.width.most())));
    every(|entry| entry.max.is_none_or(|max| max <= entry.width.most()));
    every(|entry| {
        let values = entry.defaults.iter().filter_map(|span| span.value);
        values.clone().all(|value| value <= entry.width.most())
            && values.clone().all(|value| entry.min.is_none_or(|min| min <= value))
    });
    every(|entry| (entry.unit == Unit::Word) == (entry.width == Width::Word));
}

#[test]
fn every_hazard_is_a_sentence_and_holds_for_some_value() {
    every(|entry| entry.hazards.iter().all(|hazard| hazard.text.ends_with('.')));
    every(|entry| {
        let room = |hazard: &Hazard| match hazard.when {
            Condition::Within(first, _) => first <= entry.width.most(),
            Condition::Any | Condition::Not(_) => true,
        };
        entry.hazards.iter().all(room)
    });
}

#[test]
fn no_default_does_harm() {
    let harmful = |entry: &Entry| {
        let fixed = entry.defaults.iter().filter(|span| !span.from.is_legacy_freebsd());
        fixed.filter_map(|span| Some((span.value?, span.from))).any(|(value, from)| {
            entry
                .hazards_of(value, Some(from))
                .any(|hazard| hazard.kind.stops() && !matches!(hazard.when, Condition::Any))
        })
    };
    every(|entry| !harmful(entry));
}

#[test]
fn what_is_gone_says_what_to_do_instead() {
    every(|entry| {
        let gone = entry.last().is_some_and(|last| last < Version::parse("master").unwrap());
        gone == (entry.successor.is_some() || entry.gone.is_some())
    });
    every(|entry| entry.successor.as_deref().is_none_or(|name| lookup(name).is_some()));
}

fn known_versions() -> Vec<Version> {
    let series = ["freebsd-8", "freebsd-9", "freebsd-10", "freebsd-11", "freebsd-12"];
    let open = ["0.6.5", "0.7.13", "0.8.6", "2.0.7", "2.1.5", "2.1.11", "2.2.0", "2.2.3", "2.2.6"];
    let late = ["2.2.7", "2.3.2", "2.4.1", "master"];
    let all = series.iter().chain(&open).chain(&late);
    all.map(|text| text.parse().unwrap()).collect()
}

fn check(name: &str, version: &str, expected: Option<DefaultValue<'_>>) {
    let version = Version::parse(version).unwrap();
    assert_eq!(lookup(name).unwrap().default_for(version), expected, "{name} {version}");
}

#[test]
fn defaults_change_with_the_version() {
    let fixed = |value| Some(DefaultValue::Fixed(value));
    check("l2arc_write_max", "2.1.5", fixed(8 << 20));
    check("l2arc_write_max", "2.2.6", fixed(8 << 20));
    check("l2arc_write_max", "2.2.7", fixed(32 << 20));
    check("l2arc_write_max", "master", fixed(64 << 20));
    check("l2arc_write_boost", "master", None);
    check("zfetch_max_distance", "2.1.5", fixed(8 << 20));
    check("zfetch_max_distance", "2.1.6", fixed(64 << 20));
    check("zfetch_max_distance", "0.6.5", None);
    check("l2arc_norw", "freebsd-9.2", fixed(1));
    check("zfs_arc_meta_limit", "2.2", None);
    check(
        "zfs_arc_max",
        "2.1.5",
        Some(DefaultValue::Derived(
            "half of the memory, at least 32 MiB; FreeBSD the larger of 5/8 of the memory and all but \
         1 GiB",
        )),
    );
}

#[test]
fn versions_are_told_in_words() {
    let versions = |name| lookup(name).unwrap().versions();
    assert_eq!(versions("zfetch_min_distance"), "2.1.6 and later");
    assert_eq!(versions("zfs_arc_meta_limit_percent"), "0.7.0 to 2.1");
    assert_eq!(versions("l2arc_norw"), "freebsd-8 to freebsd-12, 0.6.0 and later");
}

#[test]
fn a_slip_of_the_finger_finds_its_name() {
    assert_eq!(nearest("l2arc_write_mx"), Some("l2arc_write_max"));
    assert_eq!(nearest("arc_max"), Some("zfs_arc_max"));
    assert_eq!(nearest("zfs_arc_mx"), Some("zfs_arc_max"));
    assert_eq!(nearest("banana"), None);
    assert_eq!(nearest(&"zfs_arc_max".repeat(1 << 20)), None);
}
