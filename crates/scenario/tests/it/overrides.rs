//! Changes from the command line.

use arcwright_scenario::{Scenario, apply_override};
use arcwright_units::Bytes;

use super::GOOD;

fn with(key: &str, value: &str) -> Scenario {
    let text = apply_override(GOOD, key, value).unwrap();
    Scenario::parse(&text, "x").unwrap_or_else(|error| panic!("{key}={value}: {error}\n{text}"))
}

fn refused(key: &str, expected: &str) {
    let message = apply_override(GOOD, key, "1").unwrap_err().to_string();
    assert!(message.contains(expected), "{key}: {message}");
}

#[test]
fn a_value_is_replaced_where_it_stands() {
    assert_eq!(with("system.memory", "32GiB").system.memory, Bytes::gib(32));
    assert_eq!(with("lab.scale", "64").lab.scale, 64);
    assert_eq!(with("system.pool.recordsize", "1MiB").system.pool.recordsize, Bytes::mib(1));
    assert_eq!(with("arm.1.tunables.l2arc_noprefetch", "1").arms[1].tunables[0].value, 1);
    assert_eq!(with("file.0.size", "1GiB").files[0].size, Bytes::gib(1));
    assert_eq!(with("phase.0.clients.0.io", "64KiB").phases[0].clients[0].io, Bytes::kib(64));
    assert_eq!(with("system.zfs", "2.2").system.zfs, "2.2");
    let cache = with("system.pool.cache", "[]").system.pool.cache;
    assert!(cache.is_empty());
}

#[test]
fn what_is_not_there_is_added() {
    assert_eq!(with("arm.0.tunables.zfs_txg_timeout", "9").arms[0].tunables[0].value, 9);
    assert_eq!(with("arm.one.memory", "4GiB").arms[0].memory, Some(Bytes::gib(4)));
    assert_eq!(with("system.tunables.l2arc_norw", "1").system.tunables.len(), 2);
    assert_eq!(with("seed", "7").seed, 7);
    assert_eq!(with("arm.0.zfs", "2.1").arms[0].zfs.as_deref(), Some("2.1"));
    let figures = with("reported.two.\"first read\"", "5").reported.unwrap().figures;
    assert_eq!(figures.last().map(|figure| figure.arm.as_str()), Some("two"));
}

#[test]
fn comments_and_the_rest_stay() {
    let text = apply_override("# why\n[lab]\nscale = 1 # full scale\n", "lab.scale", "2").unwrap();
    assert!(text.starts_with("# why\n[lab]\nscale = 2"), "{text}");
}

#[test]
fn a_path_that_leads_nowhere_is_refused() {
    refused("", "is not a path");
    refused("system..memory", "is not a path");
    refused("system.memory.x", "there is nothing below “memory”");
    refused("arm.9.memory", "the list has 2 elements, counted from 0, and no “9”");
    refused("arm.0", "is a whole table");
    let message = apply_override("a = ", "a", "1").unwrap_err().to_string();
    assert!(message.contains("not TOML"), "{message}");
}

#[test]
fn an_override_is_checked_like_the_file() {
    let text = apply_override(GOOD, "system.memroy", "1GiB").unwrap();
    let error = Scenario::parse(&text, "x").unwrap_err();
    assert_eq!(error.hint(), Some("did you mean “memory”?"));
}
