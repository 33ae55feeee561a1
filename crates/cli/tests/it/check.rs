//! `arcwright run --check`, and what a mistake in a scenario looks like to its author.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use crate::arcwright;

const GOOD: &str = r#"
title = "test"
question = "test"
[system]
zfs = "2.1.11"
os = "linux"
memory = "16GiB"
[system.pool]
data = [{ raidz1 = ["hdd-nas-7200", "hdd-nas-7200"] }]
cache = [{ device = "nvme-consumer", size = "1GiB" }]
[[arm]]
name = "as it is"
[[file]]
name = "test.dat"
size = "1GiB"
[[phase]]
name = "read"
clients = [{ read = "test.dat", io = "128KiB" }]
"#;

/// Checks the good scenario with one part replaced: the exit code and what the message holds.
fn check(from: &str, to: &str, code: i32, parts: &[&str]) {
    assert!(GOOD.contains(from), "the scenario does not hold “{from}”");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, GOOD.replace(from, to)).unwrap();
    let output = arcwright().args(["run", "--check"]).arg(&path).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{to}: {errors}");
    for part in parts {
        assert!(errors.contains(part), "{to}: “{part}” is missing in: {errors}");
    }
}

#[test]
fn a_mistake_is_shown_with_its_place_and_the_nearest_name() {
    let at = "test.toml:";
    check("memory =", "memroy =", 2, &[at, "memroy", "memory"]);
    check("hdd-nas-7200\", \"hdd", "hdd-nas-720\", \"hdd", 2, &[at, "hdd-nas-7200"]);
    check("\"hdd-nas-7200\", \"hdd-nas-7200\"", "\"hdd-nas-7200\"", 2, &[at, "raidz1"]);
    check("size = \"1GiB\" }", "size = \"9EiB\" }", 2, &[at, "size"]);
    check("\"16GiB\"", "16", 2, &[at, "memory"]);
    check("\"16GiB\"", "\"16\"", 2, &[at, "memory"]);
    check("read = \"test.dat\"", "read = \"tset.dat\"", 2, &[at, "tset.dat", "test.dat"]);
    check("[[phase]]", "[[phase]", 2, &[at]);
}

#[test]
fn an_arm_whose_name_holds_an_equals_sign_can_be_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, GOOD.replace("as it is", "L2ARC feed=1.5")).unwrap();
    let set = r#"arm."L2ARC feed=1.5".tunables={ l2arc_feed_secs = 2 }"#;
    let output = arcwright().args(["run", "--check", "--set", set]).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let wrong = r#"arm."L2ARC feed=2".tunables={ l2arc_feed_secs = 2 }"#;
    let output = arcwright().args(["run", "--check", "--set", wrong]).arg(&path).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("no “L2ARC feed=2”"), "{errors}");
}

#[test]
fn paragraphs_are_as_wide_as_the_columns_and_80_without_them() {
    let widest = |columns: Option<&str>| {
        let command = arcwright().args(["doctor", "--from"]);
        let command = command.arg(arcwright_fixtures::path("guest-2.3.2-healthy"));
        let output = match columns {
            Some(columns) => command.env("COLUMNS", columns),
            None => command.env_remove("COLUMNS"),
        };
        let output = output.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    };
    for (columns, at_most) in [(None, 80), (Some("0"), 80), (Some("60"), 60), (Some("120"), 120)] {
        let widest = widest(columns);
        assert!((at_most - 20..=at_most).contains(&widest), "{columns:?}: {widest}");
    }
}

#[test]
fn a_wrong_command_line_says_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, GOOD).unwrap();
    let refused = |arguments: &[&str], code: i32, parts: &[&str]| {
        let output = arcwright().args(["run"]).arg(&path).args(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        for part in parts {
            assert!(errors.contains(part), "{arguments:?}: “{part}” is missing in: {errors}");
        }
    };
    refused(&["--check", "--arm", "as it si"], 2, &["as it si", "as it is"]);
    refused(&["--check", "--set", "system.memroy=1GiB"], 2, &["memroy"]);
    refused(&["--check", "--set", "nothing"], 2, &["KEY=VALUE"]);
    refused(&["--check", "--engine", "labb"], 2, &["labb"]);
}

#[test]
fn what_a_run_would_refuse_is_refused_by_the_check() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, GOOD).unwrap();
    let check = |arguments: &[&str]| {
        let nothing = ["--set", "system.tunables.zfs_vdev_max_active=0"];
        let output = arcwright().args(arguments).arg(&path).args(nothing).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
        assert!(errors.contains("stands still"), "{arguments:?}: {errors}");
    };
    check(&["run", "--check"]);
    check(&["run"]);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let output = arcwright().args(["run", "--check", "no-such.toml"]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(errors.contains("no-such.toml"), "{errors}");
}

const JOBS: &str =
    "[global]\nsize=64m\n\n[reader]\nrw=randread\nbs=16k\niodepth=4\nioengine=libaio\n";

/// Checks the good scenario with a client from a job file: the exit code, and the parts of what is said.
fn check_job(jobs: &str, client: &str, code: i32, parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    let text = GOOD.replace("{ read = \"test.dat\", io = \"128KiB\" }", client);
    std::fs::write(&path, text).unwrap();
    std::fs::create_dir(folder.path().join("jobs")).unwrap();
    std::fs::write(folder.path().join("jobs/a.fio"), jobs).unwrap();
    let output = arcwright().args(["run", "--check"]).arg(&path).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert_eq!(output.status.code(), Some(code), "{client}: {said}");
    for part in parts {
        assert!(said.contains(part), "{client}: “{part}” is missing in: {said}");
    }
}

#[test]
fn a_job_file_is_shown_as_what_it_became() {
    let parts = [
        "read: reader: read reader.0.0 in 16 KiB, shuffled, 64 MiB in all, 4 in flight",
        "reader.0.0, 64 MiB",
        "notes    fio job “reader”: iodepth=4 requests are under way with libaio",
    ];
    check_job(JOBS, "{ fio = \"jobs/a.fio\" }", 0, &parts);
    check_job(JOBS, "{ fio = \"jobs/a.fio\", section = \"reader\" }", 0, &parts);
}

#[test]
fn a_mistake_in_a_job_file_is_shown_with_its_place_there() {
    let client = "{ fio = \"jobs/a.fio\" }";
    let unknown = ["jobs/a.fio:7:1", "fio has no option “iodpeth”", "did you mean “iodepth”?"];
    check_job(&JOBS.replace("iodepth", "iodpeth"), client, 2, &unknown);
    let section = ["jobs/a.fio:1:1", "unknown section “gloabl”", "did you mean “[global]”?"];
    check_job(&JOBS.replace("global", "gloabl"), client, 2, &section);
    let refused = ["jobs/a.fio:5:", "“rw=trim” is unknown", "not trimmed"];
    check_job(&JOBS.replace("randread", "trim"), client, 2, &refused);
    let there = ["test.toml:", "jobs/a.fio has no section “raeder”", "did you mean “reader”?"];
    check_job(JOBS, "{ fio = \"jobs/a.fio\", section = \"raeder\" }", 2, &there);
    let missing =
        ["test.toml:", "no job file “jobs/b.fio”", "relative to the folder of the scenario"];
    check_job(JOBS, "{ fio = \"jobs/b.fio\" }", 2, &missing);
}

#[test]
fn a_file_elsewhere_is_read_when_the_user_says_so() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("scenarios");
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join("test.toml");
    let client = "{ fio = \"../a.fio\" }";
    std::fs::write(&path, GOOD.replace("{ read = \"test.dat\", io = \"128KiB\" }", client))
        .unwrap();
    std::fs::write(outer.path().join("a.fio"), JOBS).unwrap();
    let said = |more: &[&str]| {
        let output = arcwright().args(["run", "--check"]).arg(&path).args(more).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), said)
    };
    let (code, text) = said(&[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("outside the folder") && text.contains("--allow-outside-files"),
        "{text}"
    );
    let (code, text) = said(&["--allow-outside-files"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("reader.0.0, 64 MiB"), "{text}");
    std::fs::write(outer.path().join("a.fio"), "root:x:0:0:secret\n").unwrap();
    let (code, text) = said(&["--allow-outside-files"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

/// Runs the good scenario with one part replaced, checked or for good: the exit code and what is said.
fn limited(from: &str, to: &str, arguments: &[&str]) -> (Option<i32>, String) {
    assert!(GOOD.contains(from), "the scenario does not hold “{from}”");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, GOOD.replace(from, to)).unwrap();
    let output = arcwright().arg("run").arg(&path).args(arguments).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code(), said)
}

#[test]
fn what_would_take_more_memory_than_there_is_is_refused_with_its_key() {
    let tree = "[[tree]]\nname = \"t\"\nfiles = 1000000000\nfiles_per_directory = 1000\n\
                size_min = \"1KiB\"\nsize_max = \"2KiB\"\n[[phase]]";
    let clients = "{ read = \"test.dat\", depth = 1024, count = 1024 }";
    let one = "{ read = \"test.dat\", io = \"128KiB\" }";
    let cases: [(&str, &str, &[&str]); 4] = [
        ("[[phase]]", tree, &["[[tree]] “t” with files = 1000000000", "--max-memory"]),
        ("\"1GiB\"\n[[phase]]", "\"5TiB\"\nrecordsize = \"512B\"\n[[phase]]", &["blocks"]),
        ("\"1GiB\"\n[[phase]]", "\"5TiB\"\nrecordsize = \"4KiB\"\n[[phase]]", &["size = 5 TiB"]),
        (one, clients, &["1048576 concurrent requests of the [[phase]] “read”", "--max-memory"]),
    ];
    for (from, to, parts) in cases {
        for mode in [&["--check", "--max-memory", "256MiB"][..], &["--max-memory", "256MiB"]] {
            let (code, text) = limited(from, to, mode);
            // What has too many blocks is the engine's to refuse, which --check does not ask.
            if parts == ["blocks"] && mode.contains(&"--check") {
                continue;
            }
            assert_eq!(code, Some(2), "{to}: {text}");
            for part in parts {
                assert!(text.contains(part), "{to}: “{part}” is missing in: {text}");
            }
        }
    }
    let (code, text) = limited(one, clients, &["--check", "--max-memory", "64GiB"]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = limited("x", "x", &["--check", "--max-memory", "3"]);
    assert_eq!(code, Some(2), "{text}");
}

#[test]
fn a_check_says_what_a_run_takes() {
    let (code, text) = limited("x", "x", &["--check", "--max-memory", "1GiB"]);
    assert_eq!(code, Some(0), "{text}");
    for part in ["MiB of memory for each arm", "1 in parallel, within 1 GiB", "roughly a second"] {
        assert!(text.contains(part), "“{part}” is missing in: {text}");
    }
}

#[test]
fn a_thousand_arms_run() {
    let arms: String = (0..1000).map(|number| format!("[[arm]]\nname = \"a{number}\"\n")).collect();
    let one = "[[arm]]\nname = \"as it is\"\n";
    let (code, text) =
        limited(one, &arms, &["-H", "--set", "file.0.size=1MiB", "--max-memory", "1GiB"]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(text.lines().count(), 1000);
    let (code, text) = limited(one, &format!("{arms}{one}"), &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("at most 1000 arms") && text.contains("test.toml:"), "{text}");
}

const DISK: &str = include_str!("../../../device/profiles/hdd-nas-7200.toml");

/// Checks a pool of other devices, with a device file beside the scenario: the exit code and what is said.
fn with_device(data: &str, file: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("disks")).unwrap();
    std::fs::write(folder.path().join("disks/own.toml"), file).unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, GOOD).unwrap();
    let set = format!("system.pool.data={data}");
    let output = arcwright().args(["run", "--check", "--set", &set]).arg(&path).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code(), said)
}

#[test]
fn a_device_file_beside_the_scenario_is_read_and_others_are_not() {
    let check = |data: &str, file: &str, code: i32, parts: &[&str]| {
        let (found, text) = with_device(data, file);
        assert_eq!(found, Some(code), "{data}: {text}");
        for part in parts {
            assert!(text.contains(part), "{data}: “{part}” is missing in: {text}");
        }
    };
    let own = "[{ raidz2 = [\"8 x ./disks/own.toml\"] }]";
    check(own, DISK, 0, &["data     raidz2 of 8 × ./disks/own.toml"]);
    let wrong = DISK.replace("rpm = 7200", "rpn = 7200");
    check(own, &wrong, 2, &["./disks/own.toml is no device file: line 5: unknown field `rpn`"]);
    let outside = "[\"../own.toml\"]";
    check(outside, DISK, 2, &["no device file “../own.toml”"]);
    check(
        "[\"./other.toml\"]",
        DISK,
        2,
        &["no device file “./other.toml”", "relative to the folder"],
    );
    check("[\"/etc/passwd.toml\"]", DISK, 2, &["no device file “/etc/passwd.toml”"]);
}

#[test]
fn a_run_with_a_device_file_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let (path, saved) = (folder.path().join("test.toml"), folder.path().join("a.json"));
    std::fs::write(&path, GOOD).unwrap();
    std::fs::write(folder.path().join("own.toml"), DISK).unwrap();
    let run = arcwright()
        .args(["run", "--set", "system.pool.data=[\"2 x own.toml\"]", "--set", "file.0.size=16MiB"])
        .arg("--save")
        .args([&saved, &path])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    std::fs::remove_file(folder.path().join("own.toml")).unwrap();
    let show = arcwright().args(["show", "--json"]).arg(&saved).output().unwrap();
    let text = String::from_utf8(show.stdout).unwrap();
    assert!(
        text.contains("7200 rpm NAS disk") && text.contains("\"profile\": \"own.toml\""),
        "{text}"
    );
}

#[test]
fn a_platform_and_differences_of_arms_are_said() {
    let one = "[[arm]]\nname = \"as it is\"\n";
    let more = format!("{one}[[arm]]\nname = \"more\"\nmemory = \"64GiB\"\nzfs = \"debian-12\"\n");
    let (code, text) = limited(one, &more, &["--check", "--set", "system.zfs=proxmox-9"]);
    assert_eq!(code, Some(0), "{text}");
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "system OpenZFS 2.3.3 on Linux",
        "more: OpenZFS 2.1.11 instead of 2.3.3, memory 64 GiB instead of",
        "ARC at most 32 GiB instead of",
        "proxmox-9 stands for Proxmox VE 9.0",
        "debian-12 stands for Debian 12",
        "of virtual time in each arm",
    ] {
        assert!(flowing.contains(part), "“{part}” is missing in: {text}");
    }
    // As wide as the tests say that a terminal is.
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}
