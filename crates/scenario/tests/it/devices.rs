//! Devices: many at once, names of one's own, files beside the scenario.

use arcwright_device::profile;
use arcwright_scenario::{Disk, Scenario, VdevLayout};
use arcwright_units::{Bytes, Rate};

use super::{GOOD, parsed};

const MIRROR: &str = "{ mirror = [\"hdd-nas-7200\", \"hdd-nas-7200\"] }";
const CACHE: &str = "[{ device = \"nvme-consumer\", size = \"120GiB\" }]";

/// A disk file: the one of the class, with one value replaced.
fn file(from: &str, to: &str) -> String {
    let text = include_str!("../../../device/profiles/hdd-nas-7200.toml");
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

/// Parses a scenario with `disk.toml` beside it.
fn with_file(text: &str, file: &str) -> Result<Scenario, String> {
    let fetch = |path: &str| match path {
        "./disk.toml" | "disks/disk.toml" => Ok(file.to_owned()),
        other => Err(format!("{other}: not there")),
    };
    let read = Scenario::parse_with(text, "own.toml", &fetch);
    read.map_err(|error| {
        format!("{}: {error} | {}", error.line(), error.hint().unwrap_or_default())
    })
}

fn data_of(list: &str) -> String {
    GOOD.replace(MIRROR, list)
}

#[test]
fn a_count_stands_for_as_many_disks_or_vdevs() {
    let check = |list: &str, expected: &[(VdevLayout, usize)]| {
        let pool = parsed(&data_of(list)).system.pool;
        let there: Vec<_> = pool.data.iter().map(|vdev| (vdev.layout, vdev.disks.len())).collect();
        assert_eq!(there, expected, "{list}");
    };
    check("{ raidz2 = [\"8 x hdd-nas-7200\"] }", &[(VdevLayout::Raidz2, 8)]);
    check("{ raidz2 = \"8 × hdd-nas-7200\" }", &[(VdevLayout::Raidz2, 8)]);
    check("{ mirror = [\"2x hdd-nas-7200\"], count = 3 }", &[(VdevLayout::Mirror, 2); 3]);
    check("\"3 x hdd-nas-7200\"", &[(VdevLayout::Single, 1); 3]);
    check("{ device = \"2 x hdd-nas-7200\", size = \"1TB\" }", &[(VdevLayout::Single, 1); 2]);
    check("{ raidz1 = [\"hdd-nas-5400\", \"2 x hdd-nas-7200\"] }", &[(VdevLayout::Raidz1, 3)]);
    let cache = parsed(&GOOD.replace(CACHE, "[\"2 x nvme-consumer\"]")).system.pool.cache;
    assert_eq!(cache, [Disk::of("nvme-consumer", None), Disk::of("nvme-consumer", None)]);
}

#[test]
fn draid_has_groups_and_spares() {
    let check = |list: &str, (parity, data, spares): (u8, u8, u8), name: &str, held: u64| {
        let pool = parsed(&data_of(list)).system.pool;
        let vdev = &pool.data[0];
        assert_eq!(vdev.layout, VdevLayout::Draid { parity, data, spares }, "{list}");
        assert_eq!(vdev.layout_name(), name, "{list}");
        assert_eq!(vdev.holds(Bytes::gib(6)), Bytes::gib(held), "{list}");
    };
    let eleven = "draid2 = [\"11 x hdd-nas-7200\"]";
    check(&format!("{{ {eleven}, data = 4, spares = 1 }}"), (2, 4, 1), "draid2:4d:11c:1s", 40);
    check("{ draid1 = [\"4 x hdd-nas-7200\"], data = 1 }", (1, 1, 0), "draid1:1d:4c:0s", 12);
    // As `zpool create` fills in: eight data disks, or what is there.
    check("{ draid2 = [\"20 x hdd-nas-7200\"] }", (2, 8, 0), "draid2:8d:20c:0s", 96);
    check("{ draid1 = [\"4 x hdd-nas-7200\"], spares = 1 }", (1, 2, 1), "draid1:2d:4c:1s", 12);
    let two = parsed(&data_of(&format!("{{ {eleven}, count = 2 }}"))).system.pool;
    assert_eq!(two.data.len(), 2);
}

#[test]
fn draid_that_cannot_be_is_refused() {
    refused("{ draid2 = [\"5 x hdd-nas-7200\"], data = 4 }", "takes at least 6 disks, not 5");
    refused("{ draid1 = [\"2 x hdd-nas-7200\"], spares = 1 }", "takes at least 3 disks, not 2");
    refused("{ draid1 = [\"255 x hdd-nas-7200\", \"hdd-nas-7200\"] }", "at most 255 disks");
    refused("{ draid1 = [\"4 x hdd-nas-7200\"], data = 0 }", "data");
    refused("{ draid1 = [\"4 x hdd-nas-7200\"], data = 256 }", "not be above 255");
    refused("{ draid1 = [\"4 x hdd-nas-7200\"], spares = 101 }", "not be above 100");
    refused("{ raidz1 = [\"4 x hdd-nas-7200\"], spares = 1 }", "only dRAID has “spares”");
    refused("{ draid4 = [\"9 x hdd-nas-7200\"] }", "draid3");
    let early = data_of("{ draid1 = [\"4 x hdd-nas-7200\"] }").replace("2.1.5", "2.0.3");
    let error = Scenario::parse(&early, "early.toml").unwrap_err().to_string();
    assert!(error.contains("no dRAID, which came with 2.1"), "{error}");
}

/// Parses a scenario with another first vdev, and expects a message.
fn refused(list: &str, expected: &str) {
    let error = with_file(&data_of(list), "").unwrap_err();
    assert!(error.contains(expected), "{list}: {error} should say {expected}");
    assert!(error.starts_with("9:"), "{list}: {error} is not on the line of the pool");
}

#[test]
fn a_count_that_cannot_be_is_refused() {
    refused("\"0 x hdd-nas-7200\"", "“0 x hdd-nas-7200” stands for no disk");
    refused("\"256 x hdd-nas-7200\"", "stands for 256 disks, and a list has at most 255");
    refused("\"99999999999999999999 x hdd-nas-7200\"", "a list has at most 255");
    refused("{ raidz1 = [\"200 x hdd-nas-7200\", \"200 x hdd-nas-7200\"] }", "at most 255 disks");
    refused("{ mirror = [\"2 x hdd-nas-7200\"], count = 0 }", "“count” is zero");
    refused("{ mirror = [\"2 x hdd-nas-7200\"], count = 1000 }", "not be above 255");
    refused("{ count = 2 }", "a vdev is one kind with its disks | kinds are: disk, mirror");
    refused("{ disk = \"2 x hdd-nas-7200\" }", "disk takes one disk, not 2");
    refused("{ raidz3 = [\"3 x hdd-nas-7200\"] }", "raidz3 takes at least 4 disks, not 3");
    refused("\"8 x hdd-nas-720\"", "did you mean “hdd-nas-7200”?");
    refused("8", "must be a device, not a number");
}

#[test]
fn few_words_make_no_million_disks() {
    let arm = |number: usize| {
        format!(
            "[[arm]]\nname = \"more {number}\"\nspecial = [{{ mirror = [\"255 x nvme-plp\"], count = 250 }}]\n"
        )
    };
    let text = |count: usize| format!("{GOOD}{}", (0..count).map(arm).collect::<String>());
    assert!(Scenario::parse(&text(1), "x").is_ok());
    let error = Scenario::parse(&text(2), "x").unwrap_err().to_string();
    assert!(error.contains("names at most 65536 disks"), "{error}");
}

#[test]
fn a_disk_is_as_large_as_its_maker_says() {
    let size = |text: &str| {
        let list = format!("{{ device = \"hdd-nas-7200\", size = \"{text}\" }}");
        parsed(&data_of(&list)).system.pool.data[0].disks[0].size
    };
    assert_eq!(size("4TB"), Some(Bytes(4_000_000_000_000)));
    assert_eq!(size("4TiB"), Some(Bytes::gib(4096)));
}

#[test]
fn a_file_beside_the_scenario_is_a_device() {
    let own = file("outer_bytes_per_sec = 210e6", "outer_bytes_per_sec = 280e6");
    let scenario = with_file(&data_of("{ raidz1 = [\"3 x ./disk.toml\"] }"), &own).unwrap();
    let disk = &scenario.system.pool.data[0].disks[2];
    assert_eq!((disk.profile.as_str(), disk.size), ("./disk.toml", None));
    let (device, usual) = (disk.device().unwrap(), profile("hdd-nas-7200").unwrap());
    assert!(device.read_rate_max() > usual.read_rate_max());
    assert_eq!(device.name(), "./disk.toml");
}

#[test]
fn names_of_devices_are_read_from_the_scenario() {
    let names = "[devices]\nbig = \"./disk.toml\"\nhalf = { device = \"nvme-consumer\", size = \"500GB\" }\n\
                 quarter = { device = \"half\", size = \"250GB\" }\n[system]\n";
    let text = data_of("{ raidz1 = [\"3 x big\"] }").replace("[system]\n", names);
    let text = text.replace(CACHE, "[\"half\", { device = \"quarter\", size = \"1GB\" }]");
    let pool = with_file(&text, &file("rpm = 7200", "rpm = 7000")).unwrap().system.pool;
    assert_eq!(pool.data[0].disks[0].profile, "big");
    assert!(pool.data[0].disks[0].device().is_some());
    let cache: Vec<_> = pool.cache.iter().map(|disk| (disk.profile.as_str(), disk.size)).collect();
    let size = |bytes| Some(Bytes(bytes));
    assert_eq!(
        cache,
        [("nvme-consumer", size(500_000_000_000)), ("nvme-consumer", size(1_000_000_000))]
    );
}

#[test]
fn a_name_that_cannot_be_is_refused() {
    let check = |names: &str, expected: &str| {
        let text = GOOD.replace("[system]\n", &format!("[devices]\n{names}\n[system]\n"));
        let error = with_file(&text, "").unwrap_err();
        assert!(error.contains(expected), "{names}: {error} should say {expected}");
        assert!(error.starts_with("4:"), "{names}: {error}");
    };
    check("instant = \"nvme-plp\"", "comes with arcwright is called “instant”");
    check("\"8 x a\" = \"nvme-plp\"", "“8 x a” is no name for a device");
    check("\"a.toml\" = \"nvme-plp\"", "is no name for a device");
    check("\"\" = \"nvme-plp\"", "is no name for a device");
    check("a = \"nvme-plq\"", "did you mean “nvme-plp”?");
    check("a = \"b\"", "no device profile is called “b”");
    check("a = 8", "must be a table");
    check("a = { device = \"nvme-plp\", size = \"100TB\" }", "exceeds the size of nvme-plp");
    check("a = { devise = \"nvme-plp\" }", "did you mean “device”?");
    let text = GOOD.replace("[system]\n", "[devices]\nspare = \"nvme-plp\"\n[system]\n");
    let error = with_file(&text.replace("[\"nvme-plp\", ", "[\"spaer\", "), "").unwrap_err();
    assert!(error.contains("did you mean “spare”?"), "{error}");
}

#[test]
fn disks_may_share_a_device() {
    let names = "[devices]\nspare = { device = \"nvme-plp\", shared = true }\n[system]\n";
    let no_log = GOOD.replace("log = [{ mirror = [\"nvme-plp\", \"nvme-plp\"] }]\n", "");
    let shared = |cache: &str| no_log.replace("[system]\n", names).replace(CACHE, cache);
    let cache = "[{ device = \"spare\", size = \"100GB\" }]\n\
                 log = [{ device = \"spare\", size = \"16GiB\" }]";
    let pool = parsed(&shared(cache)).system.pool;
    let parts = pool.disks().filter(|disk| disk.part_of.is_some());
    let parts: Vec<_> = parts.map(|disk| disk.size.unwrap()).collect();
    assert_eq!(
        parts,
        [Bytes::gib(16), Bytes(100_000_000_000)],
        "log vdevs come before cache devices"
    );
    assert_eq!(pool.cache[0].profile, "nvme-plp");

    let check = |cache: &str, expected: &str| {
        let error = with_file(&shared(cache), "").unwrap_err();
        assert!(error.contains(expected), "{cache}: {error} should say {expected}");
    };
    check("[\"spare\"]", "does not say how much it takes");
    check("[{ device = \"spare\" }]", "{ device = \"spare\", size = \"16GiB\" }");
    check("[\"2 x spare\"]", "“spare” is one device, not 2");
    check("[{ device = \"spare\", size = \"900TB\" }]", "exceeds the size of nvme-plp");
    let half = "{ device = \"spare\", size = \"800GB\" }";
    check(&format!("[{half}, {half}]"), "the parts of “spare” take");
    check(&format!("[{half}]\nlog = [{half}]"), "the parts of “spare” take");
    let part = "{ device = \"spare\", size = \"1GB\" }";
    check(&format!("[{part}]\nlog = [{{ mirror = [{part}, {part}] }}]"), "which fails at once");
    let in_arm = shared(&format!("[{half}]"))
        .replace("name = \"two\"", &format!("name = \"two\"\nlog = [{half}]"));
    let error = with_file(&in_arm, "").unwrap_err();
    assert!(error.contains("the parts of “spare” take"), "{error}");
}

#[test]
fn what_is_shared_has_one_name() {
    let check = |names: &str, expected: &str| {
        let text = GOOD.replace("[system]\n", &format!("[devices]\n{names}\n[system]\n"));
        let error = with_file(&text, "").unwrap_err();
        assert!(error.contains(expected), "{names}: {error} should say {expected}");
    };
    let spare = "spare = { device = \"nvme-plp\", shared = true }";
    check("a = { device = \"nvme-plp\", shared = true, size = \"1TB\" }", "shared as a whole");
    check("a = { device = \"nvme-plp\", shared = 1 }", "must be true or false");
    check(&format!("{spare}\nb = \"spare\""), "“spare” is one device that disks share");
    check(&format!("{spare}\nb = {{ device = \"spare\", size = \"1GB\" }}"), "disks share");
    check(&format!("{spare}\nb = {{ device = \"spare\", shared = true }}"), "disks share");
    let half = "half = { device = \"nvme-plp\", size = \"1GB\" }";
    check(
        &format!("{half}\nb = {{ device = \"half\", shared = true }}"),
        "a part of a device itself",
    );
}

/// Parses a scenario with a device file that is wrong.
fn wrong_file(file: &str, expected: &str) {
    let error = with_file(&data_of("\"./disk.toml\""), file).unwrap_err();
    assert!(error.contains("./disk.toml"), "{error}");
    assert!(error.contains(expected), "{error} should say {expected}");
}

#[test]
fn a_device_file_that_cannot_be_is_refused() {
    refused("\"./other.toml\"", "no device file “./other.toml”: not there");
    refused("\"./other.toml\"", "relative to the folder of the scenario");
    wrong_file("", "missing field `title`");
    wrong_file(
        &file("rpm = 7200", "rpn = 7200"),
        "line 5: unknown field `rpn`, expected one of `rpm`",
    );
    wrong_file(&file("rpm = 7200", "rpm = 0"), "rpm = 0 must be from 100 to 100000");
    wrong_file(&file("210e6", "210"), "outer_bytes_per_sec = 210 must be from 10000 to 1e12");
    wrong_file(&file("6_000_000_000_000", "6"), "capacity_bytes = 6 must be from 1000000");
    wrong_file(&file("sector_bytes = 4096", "sector_bytes = 4000"), "a power of two");
    wrong_file(&file("[1, 0.9]", "[1, nan]"), "seek_ms = NaN must be from 0");
    wrong_file(&file("class = \"hdd\"", "class = \"nvme\""), "is no class of a disk; write hdd");
    wrong_file(&file("head_switch_ms = 0.7", "head_switch_ms = 70"), "at most one turn");
    wrong_file(&"#".repeat(20_000), "19.5 KiB, and a device file at most 16 KiB");
}

#[test]
fn of_another_file_nothing_is_quoted() {
    let error = with_file(&data_of("\"./disk.toml\""), "root:x:0:0:secret\n").unwrap_err();
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn disks_may_be_behind_a_link() {
    let text = |links: &str, cache: &str| {
        let head = format!(
            "[links]\n{links}\n[devices]\nspare = {{ device = \"nvme-plp\", shared = true, link = \"hba\" }}\n[system]\n"
        );
        GOOD.replace("[system]\n", &head).replace(CACHE, cache)
    };
    let hba = "hba = \"2400MB/s\"";
    let of = |links: &str, cache: &str| {
        let pool = parsed(&text(links, cache)).system.pool;
        let places = pool.places();
        (pool.cache[0].link.clone(), places.last().copied())
    };
    let behind = "[{ device = \"nvme-plp\", size = \"100GB\", link = \"hba\" }]";
    let (link, place) = of(hba, behind);
    let link = link.unwrap();
    assert_eq!((link.name.as_str(), link.rate, link.one_way), ("hba", Rate(2_400_000_000), false));
    assert_eq!(place.unwrap().member, 0, "alone behind it");
    let two = format!(
        "[{}, {}]",
        behind.trim_matches(['[', ']']),
        "{ device = \"spare\", size = \"1GiB\" }"
    );
    assert_eq!(
        of(hba, &two).1.unwrap().member,
        1,
        "a part of a shared device is behind the same link"
    );
    let whole = "hba = { rate = \"400MB/s\", one_way = true, requests_max = 1 }";
    let link = of(whole, behind).0.unwrap();
    assert_eq!((link.one_way, link.requests_max), (true, Some(1)));

    let check = |links: &str, cache: &str, expected: &str| {
        let error = with_file(&text(links, cache), "").unwrap_err();
        assert!(error.contains(expected), "{links} {cache}: {error} should say {expected}");
    };
    check("hbb = \"1GB/s\"", behind, "did you mean “hbb”?");
    check("", behind, "hba = ");
    check("hba = 5", behind, "rate");
    check("hba = \"0MB/s\"", behind, "zero");
    check("hba = \"999kB/s\"", behind, "from 1MB/s to 1000GB/s");
    check("hba = { rate = \"8EB/s\" }", behind, "from 1MB/s to 1000GB/s");
    check("hba = { one_way = true }", behind, "lacks “rate”");
    check("hba = { rate = \"1GB/s\", lanes = 4 }", behind, "unknown key “lanes”");
    check("hba = { rate = \"1GB/s\", requests_max = 0 }", behind, "zero");
    check("hba = { rate = \"1GB/s\", requests_max = 99999999 }", behind, "not be above 65536");
    let again = "[{ device = \"spare\", size = \"1GiB\", link = \"hba\" }]";
    check(hba, again, "write its link where it is named");
}
