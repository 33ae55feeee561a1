//! Every mistake is found, with its place and what would help.

use std::ops::RangeInclusive;

use arcwright_scenario::Scenario;
use miette::Diagnostic as _;

use super::GOOD;

/// Replaces `from` in the good scenario by `to` and expects the problem on the line of `place`.
fn check(from: &str, to: &str, place: &str, expected: &str) {
    let text = broken(from, to);
    let start = text.find(place).unwrap_or_else(|| panic!("{place} is not there"));
    let line = line_of(&text, start);
    refused(&text, line..=line, expected);
}

/// As [`check`], where the place is what was changed.
fn check_here(from: &str, to: &str, expected: &str) {
    let text = broken(from, to);
    let first = line_of(GOOD, GOOD.find(from).unwrap());
    refused(&text, first..=first + to.matches('\n').count(), expected);
}

fn broken(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "“{from}” is there once");
    GOOD.replace(from, to)
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

fn refused(text: &str, lines: RangeInclusive<usize>, expected: &str) {
    let Err(error) = Scenario::parse(text, "bad.toml") else {
        panic!("accepted, where it should say “{expected}”");
    };
    let message = format!("{error} | {}", error.hint().unwrap_or_default());
    assert!(message.contains(expected), "{message} should say {expected}");
    assert!(lines.contains(&error.line()), "{message}: line {} not {lines:?}", error.line());
    let label = error.labels().unwrap().next().unwrap();
    assert!(label.offset() + label.len() <= text.len(), "{message}: {label:?}");
}

#[test]
fn the_clean_case_is_clean() {
    assert!(Scenario::parse(GOOD, "good.toml").is_ok());
}

#[test]
fn a_text_that_is_not_toml() {
    check_here("question = \"", "question = ", "the file is not TOML");
    check("[lab]", "[lab", "[lab", "the file is not TOML");
    check_here("scale = 32", "scale = 32\nscale = 33", "the file is not TOML");
    check_here("scale = 32", "scale = 99999999999999999999", "the file is not TOML");
}

#[test]
fn a_scenario_names_no_code_to_load() {
    for path in ["./evil", "evil", "/tmp/libzpool.so.5", "zfs-fuse/../x", "..", ""] {
        check_here("scale = 32", &format!("scale = 32\nopenzfs = \"{path}\""), "openzfs");
    }
    for version in ["2.1.11", "zfs-fuse", "zfs-fuse-0.7.0"] {
        let text = GOOD.replace("scale = 32", &format!("scale = 32\nopenzfs = \"{version}\""));
        Scenario::parse(&text, "good.toml").unwrap();
    }
}

#[test]
fn an_unknown_key_anywhere() {
    check_here("memory =", "memroy =", "unknown key “memroy” in [system] | did you mean “memory”?");
    check_here("title =", "titel = \"x\"\ntitle =", "did you mean “title”?");
    check_here("recordsize = \"1MiB\"", "record = \"1MiB\"", "unknown key “record” in [[file]]");
}

#[test]
fn a_missing_key() {
    check("memory = \"16GiB\"\n", "", "[system]", "[system] lacks “memory”");
    check("title = \"good\"\n", "", "question", "the file lacks “title”");
    check("name = \"one\"\n", "", "[[arm]]", "[[arm]] lacks “name”");
    check("read_pct = 70, ", "", "{ mixed", "lacks “read_pct”");
    check("unit = \"MiB/s\"\n", "", "[reported]", "[reported] lacks “unit”");
}

#[test]
fn a_value_of_the_wrong_kind() {
    check_here("\"16GiB\"", "16", "“memory” must be a size with its unit, as text, not a number");
    check_here("\"16GiB\"", "\"16\"", "“16” has no unit; write for example “16MiB”");
    check_here("\"10s\"", "10", "write for example pause = \"10ms\"");
    check_here("\"10s\"", "\"10 parsecs\"", "not a unit of time");
    check_here("\"1Gbit/s\"", "\"1Gbit\"", "not a unit of rate");
    check_here("files = 1000", "files = \"many\"", "must be a whole number, not text");
    check_here("files = 1000", "files = -1", "“files” is negative");
    check_here("\"2.1.5\"", "2.1", "“zfs” must be text in quotes, not a number");
    check_here("os = \"linux\"", "os = \"linus\"", "did you mean “linux”?");
    check("[lab]", "[[lab]]", "[[lab]]", "“lab” must be a table");
    check("[[file]]", "[file]", "[file]", "write [[file]] with two brackets");
    check_here("motion = 2.5", "motion = nan", "must be a number");
    check_here("motion = 2.5", "motion = 1979-05-27", "must be a number, not a date");
}

#[test]
fn a_device_that_is_not_there_or_too_small() {
    check_here("device = \"nvme-consumer\"", "device = \"nvme-consumre\"", "“nvme-consumer”?");
    check(
        "[\"hdd-nas-7200\", \"hdd-nas-7200\"]",
        "[\"hdd-nas-7200\", \"banana\"]",
        "banana",
        "known are",
    );
    check_here("\"120GiB\"", "\"120TiB\"", "120 TiB exceeds the size of nvme-consumer");
    check_here("\"120GiB\"", "\"0\"", "“size” is zero");
    check_here("\"120GiB\"", "\"8EiB\"", "too large; the largest size is 8 EiB - 1 B");
}

#[test]
fn too_few_disks() {
    let good = "mirror = [\"hdd-nas-7200\", \"hdd-nas-7200\"]";
    let disks = |count: usize| vec!["\"hdd-nas-7200\""; count].join(", ");
    for (kind, least) in [("mirror", 2), ("raidz1", 2), ("raidz2", 3), ("raidz3", 4)] {
        let few = format!("{kind} = [{}]", disks(least - 1));
        check_here(good, &few, &format!("{kind} takes at least {least} disks"));
        let enough = GOOD.replace(good, &format!("{kind} = [{}]", disks(least)));
        assert!(Scenario::parse(&enough, "x").is_ok(), "{kind}");
    }
    check_here(good, "raidz4 = []", "unknown key “raidz4” in a vdev");
    check_here(good, "mirror = [], disk = \"instant\"", "a vdev is one kind");
    check_here("log = [{ mirror", "log = [{ raidz1", "unknown key “raidz1” in a vdev");
    check(
        "data = [{ mirror = [\"hdd-nas-7200\", \"hdd-nas-7200\"] }]",
        "data = []",
        "data = []",
        "no data vdev",
    );
}

#[test]
fn a_record_size_that_cannot_be() {
    for bad in ["100KiB", "256B", "32MiB", "0"] {
        check_here("recordsize = \"128KiB\"", &format!("recordsize = \"{bad}\""), "a power of two");
    }
    check_here("recordsize = \"1MiB\"", "recordsize = \"3MiB\"", "a power of two");
    check_here("recordsize = \"128KiB\"", "ashift = 8", "must be from 9");
}

#[test]
fn a_share_that_cannot_be() {
    for bad in
        ["-0.1", "1.5", "nan", "\"120%\"", "\"half\"", "\"\"", "\"%\"", "\"nan%\"", "\"inf\""]
    {
        check_here("recordsize = \"128KiB\"", &format!("fill = {bad}"), "“fill” must be");
    }
    check_here("recordsize = \"128KiB\"", "fill = true", "must be a number, not true or false");
    check_here("recordsize = \"128KiB\"", "fill = \"91%\"", "is at most 90 %");
}

#[test]
fn a_tunable_that_is_not_there() {
    check_here("l2arc_noprefetch", "l2arc_noprefech", "did you mean “l2arc_noprefetch”?");
    check_here("l2arc_noprefetch = false", "banana = 1", "no tunable is called “banana”");
    check_here("l2arc_noprefetch = false", "l2arc_noprefetch = 2", "is at most 1, not 2");
    check_here("l2arc_noprefetch = false", "l2arc_headroom = true", "a whole number, not true");
    check_here(
        "l2arc_noprefetch = false",
        "zfs_txg_timeout = \"1500ms\"",
        "a resolution of 1.00 s",
    );
    let twice = "l2arc_norw = 1\n\"vfs.zfs.l2arc.norw\" = 0";
    check_here("l2arc_noprefetch = false", twice, "l2arc_norw is set twice");
}

#[test]
fn a_tunable_of_another_version() {
    let there = "ZFS 2.2.7 of arm “two” has no zfs_arc_meta_limit | it exists in";
    check_here("l2arc_noprefetch = false", "zfs_arc_meta_limit = 1", there);
    let base = "tunables = { zfs_arc_meta_limit = \"8GiB\" }";
    check_here("tunables = { zfs_arc_max = \"8GiB\" }", base, there);
    let later = "tunables = { zfetch_min_distance = \"8MiB\" }";
    check_here("tunables = { zfs_arc_max = \"8GiB\" }", later, "2.1.6 and later");
    check_here("zfs = \"2.1.5\"", "zfs = \"9.9\"", "not a known version of ZFS");
    check_here("zfs = \"2.2.7\"", "zfs = \"freebsd-8\"", "does not run on Linux");
}

#[test]
fn a_phase_without_work() {
    check(
        "clients = [{ tree-copy = \"pictures\", link = { rate = \"1Gbit/s\", round_trip = \"300us\" } }]",
        "clients = []",
        "clients = []",
        "phase “copy” has no client",
    );
    check_here("read = \"test.dat\"", "read = \"text.dat\"", "did you mean “test.dat”?");
    check_here("read = \"test.dat\"", "read = \"pictures\"", "is a tree");
    check_here(
        "tree-copy = \"pictures\"",
        "tree-copy = \"pictures\", pattern = \"zipf\"",
        "visits all files equally",
    );
    check_here(
        "name = \"copy\"",
        "until_warm = true\nname = \"copy\"",
        "a phase that copies a tree cannot be repeated",
    );
    check_here("tree-copy = \"pictures\"", "tree-copy = \"test.dat\"", "no [[tree]] is called");
    check("read = \"test.dat\", io", "io", "{ io =", "this client does nothing");
    check_here(
        "{ read = \"test.dat\"",
        "{ read = \"test.dat\", write = \"test.dat\"",
        "does one thing",
    );
    check_here("io = \"1MiB\"", "io = \"1MiB\", read_pct = 5", "only for “mixed” clients");
}

#[test]
fn a_name_that_is_there_twice() {
    check("name = \"two\"\nzfs", "name = \"one\"\nzfs", "name = \"one\"\nzfs", "another arm");
    check_here("name = \"pictures\"", "name = \"test.dat\"", "is already called “test.dat”");
    check_here("name = \"copy\"", "name = \"first read\"", "another phase is already called");
    check_here("name = \"copy\"", "name = \"\"", "“name” is empty");
    let long = format!("name = \"{}\"", "ä".repeat(201));
    check_here(
        "name = \"copy\"",
        &long,
        "“name” has 201 characters, and at most 200 are supported",
    );
}

#[test]
fn a_number_out_of_bounds() {
    check_here("size = \"20GiB\"", "size = \"0\"", "“size” is zero");
    check_here("files = 1000", "files = 0", "“files” is zero");
    check_here("count = 2", "count = 0", "“count” is zero");
    check_here("count = 2", "count = 5000", "at most 1024 clients");
    check_here("zipf = 1.2", "zipf = 0", "must be larger than 0");
    check_here("zipf = 1.2", "zipf = -1.0", "must be larger than 0");
    check("pattern = \"zipf\", ", "", "zipf = 1.2", "only for the zipf pattern");
    check_here("read_pct = 70", "read_pct = 101", "must be from 0 to 100");
    check_here("io = \"1MiB\"", "io = \"0\"", "“io” is zero");
    check_here("io = \"1MiB\"", "io = \"2GiB\"", "must not be above 1 GiB");
    check_here("scale = 32", "scale = 0", "“scale” is zero");
    check_here("scale = 32", "scale = 65537", "must not be above 65536");
    check_here("motion = 2.5", "motion = 0", "must be larger than 0");
    check_here("limit = \"1h\"", "limit = \"0\"", "“limit” is zero");
    check_here("limit = \"1h\"", "rounds_max = 5", "“rounds_max” needs “until_warm”");
    check_here("limit = \"1h\"", "until_warm = 5", "must be true or false");
    check_here("limit = \"1h\"", "until_warm = true\nrounds_max = 1", "must be from 2");
    check_here("limit = \"1h\"", "until_warm = true\nrounds_max = 1001", "to 1000");
    check_here("\"16GiB\"", "\"128MiB\"", "128 MiB of memory is too little");
    check_here("\"16GiB\"", "\"65TiB\"", "65 TiB of memory is too much");
    check_here("size_max = \"200KiB\"", "size_max = \"1KiB\"", "not be below size_min, 50 KiB");
}

#[test]
fn files_that_do_not_fit() {
    check("size = \"20GiB\"", "size = \"900TiB\"", "[[file]]", "the pool has room for");
    check("files = 1000", "files = 9000000000000000000", "[[tree]]", "the pool has room for");
}

#[test]
fn a_reported_figure_without_its_arm_or_phase() {
    check_here("\"one\" = {", "\"ones\" = {", "no arm has that name | did you mean “one”?");
    check(
        "\"copy\" = 1.5",
        "\"copi\" = 1.5",
        "copi",
        "no phase has that name | did you mean “copy”?",
    );
    check_here("\"copy\" = 1.5", "\"copy\" = -1.5", "must not be negative");
}

#[test]
fn a_problem_is_shown_with_its_line() {
    let text = GOOD.replace("memory =", "memroy =");
    let error = Scenario::parse(&text, "bad.toml").unwrap_err();
    assert_eq!((error.line(), error.column()), (6, 1));
    let source = error.source_code().unwrap();
    let label = error.labels().unwrap().next().unwrap();
    let contents = source.read_span(label.inner(), 0, 0).unwrap();
    assert_eq!(std::str::from_utf8(contents.data()).unwrap().trim_end(), "memroy");
    assert_eq!(contents.name(), Some("bad.toml"));
}

#[test]
fn a_log_device_larger_than_the_pool() {
    let text = "title = \"x\"\n[system]\nzfs = \"2.3\"\nmemory = \"8GiB\"\n[system.pool]\n\
                data = [{ device = \"nvme-consumer\", size = \"10GiB\" }]\n\
                log = [{ device = \"nvme-consumer\", size = \"20GiB\" }]\n[[file]]\n\
                name = \"f\"\nsize = \"1GiB\"\n[[phase]]\nname = \"p\"\n\
                clients = [{ sync-write = \"f\" }]\n";
    refused(text, 7..=7, "a log device of 20 GiB is larger than the pool, 10 GiB");
    assert!(Scenario::parse(&text.replace("20GiB", "2GiB"), "x").is_ok());
    let arm = "[[arm]]\nname = \"a\"\nlog = [{ device = \"nvme-consumer\", size = \"20GiB\" }]\n";
    let text = text.replace("20GiB", "2GiB").replace("[[file]]", &format!("{arm}[[file]]"));
    refused(&text, 10..=10, "a log device of 20 GiB is larger than the pool");
}

#[test]
fn what_waits_how_many_and_how_large_must_fit_together() {
    let one = "{ mixed = \"test.dat\", read_pct = 70, ";
    check_here(one, &format!("{one}fsync = 0, "), "“fsync” is zero");
    check_here(
        one,
        &format!("{one}sync = true, fsync = 4, "),
        "every write is synchronous already",
    );
    check_here(one, &format!("{one}depth = 0, "), "“depth” is zero");
    check_here(one, &format!("{one}depth = 9999, "), "not be above 1024");
    check_here(one, &format!("{one}io_max = \"100KiB\", "), "be a multiple of “io”");
    check_here(one, &format!("{one}scan_first = true, "), "only for “tree-copy” clients");
    check_here("tree-copy = \"pictures\"", "tree-copy = \"pictures\", depth = 2", "file by file");
    check_here("tree-copy = \"pictures\"", "tree-stat = \"pictures\", sync = true", "that write");
}

/// Parses the good scenario with more tables behind it.
fn with_tables(table: impl Fn(usize) -> String, count: usize) -> Result<Scenario, String> {
    let text = format!("{GOOD}\n{}", (0..count).map(table).collect::<String>());
    Scenario::parse(&text, "many.toml").map_err(|error| error.to_string())
}

#[test]
fn there_are_no_more_of_anything_than_anybody_needs() {
    let check = |table: &dyn Fn(usize) -> String, few: usize, many: usize, expected: &str| {
        assert!(with_tables(table, few).is_ok(), "{expected}: {:?}", with_tables(table, few).err());
        let error = with_tables(table, many).unwrap_err();
        assert!(error.contains(expected), "{error} should say {expected}");
    };
    let arm = |number| format!("[[arm]]\nname = \"more {number}\"\n");
    check(&arm, 900, 1001, "a scenario has at most 1000 arms");
    let file = |number| format!("[[file]]\nname = \"more {number}\"\nsize = \"1B\"\n");
    check(&file, 4000, 4097, "a scenario has at most 4096 files");
    let phase = |clients: usize| {
        move |number| {
            format!(
                "[[file]]\nname = \"of {number}\"\nsize = \"1B\"\n[[phase]]\nname = \"more {number}\"\n\
                 clients = [{{ read = \"of {number}\", count = {clients} }}]\n"
            )
        }
    };
    check(&phase(1), 900, 1001, "a scenario has at most 1000 phases");
    let wide = |count: usize| {
        move |number| {
            let arm = format!("[[arm]]\nname = \"arm {number}\"\n");
            if number == 0 { (0..count).map(phase(1)).collect::<String>() } else { arm }
        }
    };
    check(&wide(40), 40, 80, "the result would have");
    check(&phase(1024), 60, 65, "all phases together have at most 65536 clients");
}

#[test]
fn what_a_message_quotes_is_short() {
    let long = "x".repeat(1 << 19);
    for (from, to) in [("title = ", "tilte = "), ("title = ", "title = 1 #"), ("title = ", "= ")] {
        let text = broken(from, &format!("{to}\"{long}\" # "));
        let error = Scenario::parse(&text, "bad.toml").unwrap_err();
        let shown = format!("{:?}", miette::Report::new(error));
        assert!(shown.len() < 4000, "{} bytes are shown", shown.len());
    }
    let text = broken("title = ", &format!("{long} = 1\ntitle = "));
    let error = Scenario::parse(&text, "bad.toml").unwrap_err();
    assert!(error.to_string().len() < 1200);
}
