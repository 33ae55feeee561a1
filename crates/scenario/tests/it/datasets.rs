//! Datasets beside the pool's own: what they inherit, what arms change, and what is refused.

use arcwright_scenario::{
    CacheContent, Compression, DatasetKind, DatasetProperties, Encryption, Logbias, Scenario,
    SyncMode,
};
use arcwright_units::Bytes;

const HEAD: &str = "title = \"x\"\n[system]\nzfs = \"2.3.2\"\nmemory = \"16GiB\"\n[system.pool]\n\
                    data = [\"hdd-nas-7200\"]\nrecordsize = \"1MiB\"\nlogbias = \"throughput\"\n";
const VMS: &str = "[[dataset]]\nname = \"vms\"\nrecordsize = \"16KiB\"\nsync = \"always\"\n";
const TAIL: &str = "[[phase]]\nname = \"p\"\nclients = [{ write = \"f\" }]\n";

fn file(more: &str) -> String {
    format!("[[file]]\nname = \"f\"\nsize = \"1GiB\"\n{more}\n")
}

fn read(middle: &str) -> Result<Scenario, String> {
    let text = format!("{HEAD}{middle}{TAIL}");
    Scenario::parse(&text, "x.toml").map_err(|error| format!("{error:?}"))
}

/// A whole text with datasets, and what arms change of them.
pub(crate) fn whole() -> String {
    let arm = "[[arm]]\nname = \"a\"\ndatasets = { vms = { recordsize = \"64KiB\", sync = \"disabled\" } }\n";
    format!("{HEAD}{VMS}{}{arm}{TAIL}", file("dataset = \"vms\""))
}

/// The properties that the file has in the last arm.
fn of_file(middle: &str) -> DatasetProperties {
    let scenario = read(middle).unwrap();
    let system = scenario.system_of(scenario.arms.last().unwrap());
    system.pool.properties_of(scenario.files.first().unwrap())
}

/// What the pool's own dataset has.
const OWN: DatasetProperties = DatasetProperties {
    kind: DatasetKind::Files,
    recordsize: Bytes::mib(1),
    compression: Compression::Off,
    encryption: Encryption::Off,
    primarycache: CacheContent::All,
    secondarycache: CacheContent::All,
    sync: SyncMode::Standard,
    logbias: Logbias::Throughput,
    special_small_blocks: Bytes::ZERO,
};

#[test]
fn a_file_has_what_its_dataset_sets_and_inherits() {
    let check = |middle: &str, expected| assert_eq!(of_file(middle), expected, "{middle}");
    let of_vms = DatasetProperties { recordsize: Bytes::kib(16), sync: SyncMode::Always, ..OWN };
    check(&file(""), OWN);
    check(&(VMS.to_owned() + &file("")), OWN);
    let within = VMS.to_owned() + &file("dataset = \"vms\"");
    check(&within, of_vms);
    let own = VMS.to_owned() + &file("dataset = \"vms\"\nrecordsize = \"4KiB\"");
    check(&own, DatasetProperties { recordsize: Bytes::kib(4), ..of_vms });
    let arm = |keys: &str| format!("{within}[[arm]]\nname = \"a\"\n{keys}\n");
    let latency = DatasetProperties { logbias: Logbias::Latency, ..of_vms };
    check(&arm("logbias = \"latency\"\nsync = \"disabled\""), latency);
    let changed = DatasetProperties {
        recordsize: Bytes::kib(64),
        primarycache: CacheContent::Metadata,
        ..of_vms
    };
    let keys = "datasets = { vms = { recordsize = \"64KiB\", primarycache = \"metadata\" } }";
    check(&arm(keys), changed);
    check(&arm("datasets = {}"), of_vms);
}

#[test]
fn what_cannot_be_is_refused_with_the_nearest_that_can() {
    let check = |middle: &str, expected: &[&str]| {
        let error = read(middle).unwrap_err();
        expected.iter().for_each(|part| assert!(error.contains(part), "{error} lacks {part}"));
    };
    let within = |name: &str| VMS.to_owned() + &file(&format!("dataset = \"{name}\""));
    check(&within("wms"), &["no dataset is called “wms”", "did you mean “vms”?"]);
    let nowhere = file("dataset = \"vms\"");
    check(&nowhere, &["no dataset is called “vms”", "write [[dataset]] with name"]);
    check(&(VMS.to_owned() + VMS + &file("")), &["vms"]);
    check(&format!("[[dataset]]\nname = \"\"\n{}", file("")), &["name"]);
    check(&format!("[[dataset]]\n{}", file("")), &["[[dataset]] lacks “name”"]);
    check(&(VMS.replace("16KiB", "17KiB") + &file("")), &["power of two"]);
    check(&(VMS.replace("sync", "sinc") + &file("")), &["unknown key “sinc”", "“sync”"]);
    check(&(VMS.replace("[[dataset]]", "[dataset]") + &file("")), &["[[dataset]]"]);
    let arm = |keys: &str| format!("{}[[arm]]\nname = \"a\"\n{keys}\n", within("vms"));
    check(&arm("datasets = { wms = { sync = \"always\" } }"), &["“wms”", "“vms”"]);
    check(&arm("datasets = { vms = { size = \"1GiB\" } }"), &["unknown key “size”"]);
    let small = |size: &str| {
        let key = format!("special_small_blocks = \"{size}\"");
        VMS.replace("sync = \"always\"", &key) + &file("")
    };
    check(&small("48KiB"), &["power of two"]);
    assert!(read(&small("0B")).is_ok());
    check(&arm("datasets = [\"vms\"]"), &["a table, written"]);
    let many: String = (0..256).map(|at| format!("[[dataset]]\nname = \"d{at}\"\n")).collect();
    check(&(many + &file("")), &["at most 255 datasets"]);
}

const VOLUME: &str = "[[zvol]]\nname = \"disk\"\nsize = \"1GiB\"\n";
const ON_VOLUME: &str = "[[phase]]\nname = \"p\"\nclients = [{ write = \"disk\" }]\n";

/// A whole text with a volume, of which an arm changes something.
pub(crate) fn whole_with_volume() -> String {
    let arm = "[[arm]]\nname = \"a\"\ndatasets = { disk = { volblocksize = \"64KiB\" } }\n";
    format!("{HEAD}{VOLUME}sync = \"always\"\n{arm}{ON_VOLUME}")
}

#[test]
fn a_volume_has_blocks_of_its_own_and_inherits_the_rest() {
    let check = |text: &str, block: u64| {
        let scenario = Scenario::parse(text, "x.toml").unwrap();
        let system = scenario.system_of(scenario.arms.last().unwrap());
        let file = scenario.files.first().unwrap();
        assert_eq!((file.name.as_str(), file.size), ("disk", Bytes::gib(1)));
        let expected =
            DatasetProperties { kind: DatasetKind::Volume, recordsize: Bytes::kib(block), ..OWN };
        assert_eq!(system.pool.properties_of(file), expected, "{text}");
    };
    let text = |more: &str| format!("{HEAD}{VOLUME}{more}{ON_VOLUME}");
    check(&text(""), 16);
    check(&text("").replace("2.3.2", "2.1.11"), 8);
    check(&text("volblocksize = \"64KiB\"\n"), 64);
    let arm = "[[arm]]\nname = \"a\"\n";
    check(&text(&format!("{arm}recordsize = \"128KiB\"\n")), 16);
    check(&text(&format!("{arm}zfs = \"2.1.11\"\n")), 16);
    check(&text(&format!("{arm}datasets = {{ disk = {{ volblocksize = \"4KiB\" }} }}\n")), 4);
}

#[test]
fn what_compresses_says_how_well() {
    let check =
        |keys: &str, expected: Result<Option<u32>, &str>| match (read(&file(keys)), expected) {
            (Ok(read), Ok(percent)) => assert_eq!(read.files[0].compressratio_percent, percent),
            (Err(error), Err(part)) => assert!(error.contains(part), "{error} lacks {part}"),
            (read, expected) => panic!("{keys}: {read:?} instead of {expected:?}"),
        };
    check("", Ok(None));
    check("compressratio = 1.8", Ok(Some(180)));
    check("compressratio = 2", Ok(Some(200)));
    check("compressratio = 1.005", Ok(Some(100)));
    check("compressratio = 0.9", Err("from 1.0 (nothing) to 100.0"));
    check("compressratio = 1000", Err("from 1.0 (nothing) to 100.0"));
    check("compressratio = nan", Err("a number"));
    check("compressratio = \"1.8x\"", Err("a number"));
    check("compresratio = 1.8", Err("“compressratio”"));
    let of = |middle: &str| of_file(middle).compression;
    let lz4 = VMS.replace("sync = \"always\"", "compression = \"lz4\"");
    assert_eq!(of(&(lz4.clone() + &file("dataset = \"vms\""))), Compression::Lz4);
    assert_eq!(of(&(lz4 + &file(""))), Compression::Off);
    let arm = "[[arm]]\nname = \"a\"\ncompression = \"lz4\"\n";
    assert_eq!(of(&(arm.to_owned() + &file(""))), Compression::Lz4);
    let unknown = read(&(arm.replace("lz4", "lz5") + &file(""))).unwrap_err();
    assert!(unknown.contains("“lz4”"), "{unknown}");
}

#[test]
fn what_a_volume_cannot_be_is_refused() {
    let check = |text: &str, expected: &[&str]| {
        let error = Scenario::parse(text, "x.toml").unwrap_err();
        let error = format!("{error:?}");
        expected.iter().for_each(|part| assert!(error.contains(part), "{error} lacks {part}"));
    };
    let text = |more: &str| format!("{HEAD}{VOLUME}{more}{ON_VOLUME}");
    check(&text("recordsize = \"16KiB\"\n"), &["unknown key “recordsize” in [[zvol]]"]);
    check(&text("volblocksize = \"20KiB\"\n"), &["power of two"]);
    check(&text("").replace("size = \"1GiB\"", ""), &["[[zvol]] lacks “size”"]);
    check(
        &text("").replace("1GiB", "1000000000B"),
        &["1000000000 bytes, which is no multiple of its volblocksize, 16 KiB", "1000013824B"],
    );
    let arm = "[[arm]]\nname = \"a\"\ndatasets = { disk = { volblocksize = \"1MiB\" } }\n";
    let odd = text(arm).replace("1GiB", "16400KiB");
    check(&odd, &["no multiple of its volblocksize, 1 MiB"]);
    check(&text("[[dataset]]\nname = \"disk\"\n"), &["already called “disk”"]);
    check(&text(&file("").replace("\"f\"", "\"disk\"")), &["already called “disk”"]);
    check(&text(&file("dataset = \"disk\"")), &["“disk” is a volume", "by its name"]);
    check(&text(&arm.replace("vol", "record")), &["unknown key “recordblocksize”"]);
    check(&text("").replace("[[zvol]]", "[[zvoll]]"), &["unknown key “zvoll”", "“zvol”"]);
    let many: String =
        (0..256).map(|at| format!("[[zvol]]\nname = \"d{at}\"\nsize = \"1MiB\"\n")).collect();
    check(&text(&many), &["at most 255 datasets, volumes included"]);
}

#[test]
fn what_has_no_effect_is_said() {
    let notes = |middle: &str| read(middle).unwrap().without_effect().join("\n");
    let check = |middle: &str, expected: &str| {
        let notes = notes(middle);
        assert!(notes.contains(expected), "{notes} lacks {expected}");
    };
    let within = VMS.to_owned() + &file("dataset = \"vms\"");
    check(&(VMS.to_owned() + &file("")), "no file is in the dataset “vms”");
    assert!(!notes(&within).contains("no file is in"));
    check(&file(""), "log devices and logbias change nothing");
    assert!(!notes(&within).contains("log devices"), "sync = always of the dataset logs");
    let uncached = within.replace("sync = \"always\"", "secondarycache = \"none\"");
    check(&uncached, "secondarycache change nothing in “as is”: there is no cache device");
    let small = within.replace("sync = \"always\"", "special_small_blocks = \"16KiB\"");
    check(&small, "special_small_blocks changes nothing in “as is”: there is no special vdev");
    let special = small.clone() + "[[arm]]\nname = \"a\"\nspecial = [\"nvme-consumer\"]\n";
    assert!(!notes(&special).contains("special_small_blocks"), "{special}");
    let volume = VOLUME.to_owned() + "special_small_blocks = \"16KiB\"\n" + &file("");
    let volume = volume + "[[arm]]\nname = \"a\"\nspecial = [\"nvme-consumer\"]\n";
    check(&volume, "changes nothing for the volumes “disk” before OpenZFS 2.4");
    check(&file("compressratio = 1.8"), "compressratio changes nothing");
    let lz4 = VMS.replace("sync = \"always\"", "compression = \"lz4\"");
    check(&(lz4 + &file("dataset = \"vms\"")), "nothing says how well the rest compresses");
    let same = format!("{within}[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n");
    check(&format!("{same}datasets = {{ vms = {{ sync = \"always\" }} }}\n"), "differ in nothing");
}

#[test]
fn encryption_is_inherited_and_replaced() {
    let check =
        |middle: &str, expected| assert_eq!(of_file(middle).encryption, expected, "{middle}");
    let (on, off) = (Encryption::Aes256Gcm, Encryption::Off);
    check(&file(""), off);
    check(&("encryption = \"on\"\n".to_owned() + &file("")), on);
    check(&("encryption = \"aes-256-gcm\"\n".to_owned() + &file("")), on);
    let within =
        format!("encryption = \"on\"\n{VMS}encryption = \"off\"\n{}", file("dataset = \"vms\""));
    check(&within, off);
    check(&format!("{}[[arm]]\nname = \"a\"\nencryption = \"on\"\n", file("")), on);
}

#[test]
fn encryption_that_is_not_there_is_refused() {
    let check = |from: &str, to: &str, expected: &str| {
        let text = format!("{HEAD}encryption = \"on\"\n{}{TAIL}", file(""));
        assert!(text.contains(from), "{from}");
        let error = Scenario::parse(&text.replace(from, to), "x.toml").unwrap_err();
        let error = format!("{error:?}");
        assert!(error.contains(expected), "{error}");
    };
    check("\"on\"", "\"aes-256-ccm\"", "aes-256-gcm");
    check(
        "zfs = \"2.3.2\"",
        "zfs = \"0.7.13\"",
        "OpenZFS 0.7.13 has no encryption, which came with 0.8",
    );
}
