//! What differs between two machines of an experiment, in words.

use arcwright_scenario::{ArcLimits, DatasetProperties, Disk, Setting, System, VdevSpec};
use arcwright_tunables::{DefaultValue, Version, lookup};

use crate::labels::{disk, listed, vdev, word};

/// Returns every difference of `other` from `base`, with both sides.
pub(crate) fn between(base: &System, other: &System) -> Vec<String> {
    let mut all = Vec::new();
    let mut differ = |name: &str, one: String, two: String| {
        all.extend((one != two).then(|| format!("{name}{two} instead of {one}")));
    };
    differ("OpenZFS ", base.zfs.clone(), other.zfs.clone());
    differ("memory ", base.memory.to_string(), other.memory.to_string());
    let limit = |system: &System| ArcLimits::of(system, Version::parse(&system.zfs)).max;
    differ("ARC at most ", limit(base).to_string(), limit(other).to_string());
    let (a, b) = (&base.pool, &other.pool);
    let vdevs = |list: &[VdevSpec]| listed(list.iter().map(vdev));
    let disks = |list: &[Disk]| listed(list.iter().map(disk));
    differ("special ", vdevs(&a.special), vdevs(&b.special));
    differ("cache ", disks(&a.cache), disks(&b.cache));
    differ("log ", vdevs(&a.log), vdevs(&b.log));
    let mut properties = |prefix: &str, one: DatasetProperties, two: DatasetProperties| {
        let (one, two) = (in_words(one), in_words(two));
        for ((name, one), (_, two)) in one.into_iter().zip(two) {
            differ(&format!("{prefix}{name}"), one, two);
        }
    };
    properties("", a.properties(), b.properties());
    for (one, two) in a.datasets.iter().zip(&b.datasets) {
        let prefix = format!("{}: ", two.name);
        let (one, two) = (one.properties_in(a), two.properties_in(b));
        properties(&prefix, one, two);
    }
    for name in names(base, other) {
        differ(&format!("{name}="), value(base, name), value(other, name));
    }
    all
}

/// Returns the properties of a dataset: what stands before each, and its value.
fn in_words(properties: DatasetProperties) -> [(&'static str, String); 8] {
    let DatasetProperties {
        kind,
        recordsize,
        compression,
        encryption,
        primarycache,
        secondarycache,
        sync,
        logbias,
        special_small_blocks,
    } = properties;
    let block = if kind.is_files() { "recordsize " } else { "volblocksize " };
    [
        (block, recordsize.to_string()),
        ("compression=", word(&compression)),
        ("encryption=", word(&encryption)),
        ("primarycache=", word(&primarycache)),
        ("secondarycache=", word(&secondarycache)),
        ("sync=", word(&sync)),
        ("logbias=", word(&logbias)),
        ("special_small_blocks ", special_small_blocks.to_string()),
    ]
}

/// Returns the parameters that either sets, in the order of the second.
fn names<'a>(base: &'a System, other: &'a System) -> Vec<&'a str> {
    let of = |system: &'a System| system.tunables.iter().map(|setting| setting.name.as_str());
    let mut names: Vec<&str> = of(other).collect();
    names.extend(of(base).filter(|name| !of(other).any(|known| known == *name)));
    names
}

/// Returns the value of a parameter, or what stands there when nobody sets it.
fn value(system: &System, name: &str) -> String {
    let own = system.tunables.iter().find(|setting| setting.name == name);
    match own {
        Some(Setting { value, .. }) => value.to_string(),
        None => match default(system, name) {
            Some(value) => format!("{value} (default)"),
            None => "the default".to_owned(),
        },
    }
}

/// Returns a default that is the same on every machine.
fn default(system: &System, name: &str) -> Option<u64> {
    match lookup(name)?.default_for(Version::parse(&system.zfs)?)? {
        DefaultValue::Fixed(value) => Some(value),
        DefaultValue::Word(_) | DefaultValue::Derived(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Scenario;

    use super::between;

    const HEAD: &str = "title = \"x\"\n[system]\nzfs = \"2.3.2\"\nmemory = \"16GiB\"\n\
                        [system.pool]\ndata = [\"hdd-nas-7200\"]\n";
    const TAIL: &str = "[[dataset]]\nname = \"vms\"\nrecordsize = \"16KiB\"\n[[file]]\nname = \"f\"\nsize = \"1GiB\"\n[[phase]]\nname = \"p\"\n\
                        clients = [{ read = \"f\" }]\n";

    fn check(first: &str, other: &str, expected: &[&str]) {
        let arms = format!("[[arm]]\nname = \"a\"\n{first}\n[[arm]]\nname = \"b\"\n{other}\n");
        let scenario = Scenario::parse(&format!("{HEAD}{arms}{TAIL}"), "x.toml").unwrap();
        let [one, two] = [0, 1].map(|arm: usize| scenario.system_of(&scenario.arms[arm]));
        assert_eq!(between(&one, &two), expected);
    }

    #[test]
    fn every_difference_is_named_with_both_sides() {
        check("", "", &[]);
        let memory = ["memory 32 GiB instead of 16 GiB", "ARC at most 31 GiB instead of 15 GiB"];
        check("", "memory = \"32GiB\"", &memory);
        let set = "tunables = { l2arc_noprefetch = 0 }";
        check("", set, &["l2arc_noprefetch=0 instead of 1 (default)"]);
        check(set, "", &["l2arc_noprefetch=1 (default) instead of 0"]);
        check(set, set, &[]);
        let cache = "cache = [\"2 x nvme-consumer\"]";
        check("", cache, &["cache 2 × nvme-consumer instead of none"]);
        check(
            cache,
            "sync = \"always\"",
            &[
                "cache none instead of 2 × nvme-consumer",
                "sync=always instead of standard",
                "vms: sync=always instead of standard",
            ],
        );
        let old = ["OpenZFS 2.1.11 instead of 2.3.2", "ARC at most 8 GiB instead of 15 GiB"];
        check("", "zfs = \"2.1.11\"", &old);
        check(
            "",
            "sync = \"always\"\ndatasets = { vms = { recordsize = \"64KiB\", sync = \"disabled\" } }",
            &[
                "sync=always instead of standard",
                "vms: recordsize 64 KiB instead of 16 KiB",
                "vms: sync=disabled instead of standard",
            ],
        );
        let inherited = ["sync=always instead of standard", "vms: sync=always instead of standard"];
        check("", "sync = \"always\"", &inherited);
        let limit = [
            "ARC at most 1 GiB instead of 15 GiB",
            "zfs_arc_max=1073741824 instead of the default",
        ];
        check("", "tunables = { zfs_arc_max = \"1GiB\" }", &limit);
    }
}
