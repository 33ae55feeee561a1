//! The catalogue against the parameters of real modules, as a guest listed them (`vm/`).

use arcwright_tunables::{Entry, Kernel, SetWhen, Version, entries};

const LISTS: [(&str, &str); 2] = [
    ("2.1.11", include_str!("../../../../fixtures/parameters-2.1.11.txt")),
    ("2.3.2", include_str!("../../../../fixtures/parameters-2.3.2.txt")),
];

/// A line of the list: `zfs.zfs_arc_max 644 0`; what can only be written shows no value.
struct Listed {
    name: &'static str,
    mode: &'static str,
    value: &'static str,
}

impl Listed {
    fn parse(line: &'static str) -> Self {
        let (name, rest) = line.split_once(' ').unwrap();
        let (mode, value) = rest.split_once(' ').unwrap();
        Self { name, mode, value }
    }

    /// Returns whether the owner may write it.
    fn is_writable(&self) -> bool {
        u32::from_str_radix(self.mode, 8).unwrap() & 0o200 != 0
    }
}

/// Tells every entry that is wrong about a module, by `wrong`, which says how.
fn none_is_wrong(wrong: impl Fn(&Entry, Version, Option<&Listed>) -> Option<String>) {
    let mut found = Vec::new();
    for (name, text) in LISTS {
        let version = Version::parse(name).unwrap();
        let listed: Vec<Listed> = text.lines().map(Listed::parse).collect();
        assert!(listed.len() > 200, "{name}: {}", listed.len());
        for entry in entries().iter().filter(|entry| entry.on != Some(Kernel::Freebsd)) {
            let full = format!("{}.{}", entry.module.name(), entry.name);
            let real = listed.iter().find(|listed| listed.name == full);
            found.extend(wrong(entry, version, real).map(|how| format!("{name} {full}: {how}")));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_module_has_what_the_catalogue_says_it_has_and_nothing_that_it_says_it_lacks() {
    none_is_wrong(|entry, version, real| match (entry.exists_in(version), real.is_some()) {
        (true, false) => Some("the module lacks it".to_owned()),
        (false, true) => Some("the module has it".to_owned()),
        _ => None,
    });
}

#[test]
fn a_module_shows_the_defaults_of_the_catalogue() {
    none_is_wrong(|entry, version, real| {
        let (shown, value) = (entry.shown_by_default(Kernel::Linux, version)?, real?.value.trim());
        (value != shown.to_string()).then(|| format!("{value}, not {shown}"))
    });
}

#[test]
fn a_module_lets_be_set_what_the_catalogue_says() {
    none_is_wrong(|entry, version, real| {
        let writable = real?.is_writable();
        let expected = entry.exists_in(version) && entry.set_in(version) == SetWhen::Runtime;
        (writable != expected).then(|| format!("writable {writable}, not {expected}"))
    });
}
