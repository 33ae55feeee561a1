//! The catalogue of tunables against what the libraries of the lab hold: the same numbers, as large.

use std::collections::BTreeMap;
use std::path::PathBuf;

use arcwright_tunables::{Version, Width, entries};
use object::{Object as _, ObjectSymbol as _, SymbolKind};

/// The module kept them in 64 bits up to 2.1; the catalogue tells of today's 32.
const ONCE_LARGER: [&str; 5] = [
    "zfs_arc_dnode_limit_percent",
    "zfs_arc_dnode_reduce_percent",
    "zfs_vdev_min_auto_ashift",
    "zfs_vdev_max_auto_ashift",
    "zfs_per_txg_dirty_frees_percent",
];

/// Returns the variables that a library exports, with their sizes in bytes.
fn variables(path: &str) -> BTreeMap<String, u64> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/openzfs").join(path);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = object::File::parse(&*bytes).unwrap();
    let data = file.dynamic_symbols().filter(|symbol| symbol.kind() == SymbolKind::Data);
    data.map(|symbol| (symbol.name().unwrap_or_default().to_owned(), symbol.size())).collect()
}

/// Checks that at least `count` parameters of `version` are variables of its library, as large.
fn check(version: &str, library: &str, count: usize) {
    let variables = variables(library);
    let number = Version::parse(version).unwrap();
    let known = entries().iter().filter(|entry| entry.exists_in(number));
    let mut found = 0;
    for entry in known {
        let Some(size) = variables.get(&entry.name) else { continue };
        let expected = match entry.width {
            Width::Int | Width::Uint if number < Version::parse("2.2").unwrap() => {
                if ONCE_LARGER.contains(&entry.name.as_str()) { 8 } else { 4 }
            }
            Width::Int | Width::Uint => 4,
            Width::Long | Width::Ulong => 8,
            Width::Word => continue,
        };
        assert_eq!(*size, expected, "{} of {version}", entry.name);
        found += 1;
    }
    assert!(found >= count, "only {found} parameters of {version} are in the library");
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn parameters_are_as_large_as_the_libraries_hold_them() {
    check("2.1.11", "2.1.11/libzpool.so.5", 150);
    check("2.3.2", "2.3.2/libzpool.so.6", 50);
}
