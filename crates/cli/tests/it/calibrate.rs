//! `arcwright calibrate`: the processor of whoever runs the tests, a file as a device, a capture.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::fs;
use std::path::Path;

use snapbox::str;

use crate::arcwright;

/// Runs the program in a folder: the exit code, and what it says on standard output and error.
fn run(folder: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let output = arcwright().args(words).current_dir(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Expects an error with a code and parts of its words, and nothing on standard output.
fn refused(folder: &Path, words: &[&str], code: i32, parts: &[&str]) {
    let (found, out, error) = run(folder, words);
    assert_eq!((found, out.as_str()), (Some(code), ""), "{words:?}: {error}");
    for part in parts {
        assert!(error.contains(part), "{words:?}: “{part}” is missing in: {error}");
    }
    assert!(!error.contains(['\u{1b}', '\r']), "{error:?}");
}

#[test]
fn a_processor_is_measured_and_a_scenario_runs_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let words = ["calibrate", "processor", "--name", "a \u{1b}[2J\"name", "-o", "my-cpu.toml"];
    let (code, out, error) = run(folder, &words);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("cpu = \"my-cpu.toml\"") && out.contains("switch"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let text = fs::read_to_string(folder.join("my-cpu.toml")).unwrap();
    assert!(text.contains("title = \"a [2Jname\""), "{text}");
    refused(folder, &words, 2, &["my-cpu.toml is there already"]);
    let (_, scenario, _) = run(folder, &["scenarios", "steam-library"]);
    fs::write(folder.join("mine.toml"), scenario).unwrap();
    let check = ["run", "mine.toml", "--check", "--set", "system.cpu=\"my-cpu.toml\""];
    let (code, out, error) = run(folder, &check);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("my-cpu.toml"), "{out}");
    fs::write(folder.join("my-cpu.toml"), text.replace("cores = ", "cores = -")).unwrap();
    let parts = ["my-cpu.toml is no processor file: line 6", "“cores” must be from 1 to 65536"];
    refused(folder, &check, 2, &parts);
    let outside = ["run", "mine.toml", "--check", "--set", "system.cpu=\"/etc/hostname.toml\""];
    refused(folder, &outside, 2, &["no processor file “/etc/hostname.toml”"]);
}

#[test]
fn nothing_is_read_that_was_not_named_twice() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("disk"), [7; 8192]).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
    assert!(made.success());
    let device = |words: &[&str], code, parts: &[&str]| {
        let all = [&["calibrate", "device"], words].concat();
        refused(folder, &all, code, parts);
    };
    device(&["disk", "--class", "ssd"], 2, &["writes nothing to it", "--confirm disk"]);
    device(&["disk", "--class", "ssd", "--confirm", "sda"], 2, &["is not the name of disk"]);
    let sure = ["disk", "--class", "ssd", "--confirm", "disk"];
    device(&sure, 1, &["it has 8 KiB, and at least 64 MiB are needed"]);
    let like = [&sure[..], &["--like", "hdd-nas-5400"]].concat();
    device(&like, 2, &["hdd-nas-5400 is another kind of device"]);
    let missing = [&sure[..], &["-o", "missing/file.toml"]].concat();
    device(&missing, 1, &["failed to create a file in missing"]);
    device(&["pipe", "--confirm", "pipe"], 1, &["it is a pipe, neither a disk nor a file"]);
    device(&[".", "--confirm", "."], 1, &["it is a folder"]);
    device(&["/dev/zero", "--confirm", "zero"], 1, &["it is a device, neither"]);
    device(&["gone", "--confirm", "gone"], 1, &["cannot measure gone: No such file"]);
    device(&["disk", "--time", "1s"], 2, &["expected from 10s to 1h"]);
    device(&[], 2, &["<DEVICE>"]);
    assert_eq!(fs::read(folder.join("disk")).unwrap(), [7; 8192]);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 2);
}

#[test]
fn a_file_is_measured_as_flash() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut number = 1_u64;
    let random = std::iter::repeat_with(|| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        number.to_le_bytes()[7]
    });
    fs::write(folder.join("disk"), random.take(80 << 20).collect::<Vec<u8>>()).unwrap();
    let words = ["calibrate", "device", "disk", "--class", "ssd", "--confirm", "disk"];
    let more = ["--time", "10s", "--like", "nvme-plp", "-o", "mine.toml"];
    let (code, out, error) = run(folder, &[&words[..], &more].concat());
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("read_latency_us") && out.contains("mine = \"./mine.toml\""), "{out}");
    let text = fs::read_to_string(folder.join("mine.toml")).unwrap();
    assert!(text.contains("flush_us = 20.0 # from nvme-plp (disputed)"), "{text}");
    arcwright_device::DeviceProfile::parse("mine", &text).unwrap();
}

#[test]
fn a_capture_tells_the_range_of_its_reads() {
    let capture = arcwright_fixtures::path("guest-2.3.2-metadata");
    let from = ["calibrate", "device", "--from"];
    let all = ["--device", "virtio-hdd0", "--like", "hdd-nas-7200"];
    let result = arcwright().args(from).arg(&capture).args(all).env("COLUMNS", "80").assert();
    result.code(0).stdout_eq(str![[r#"
/dev/disk/by-id/virtio-hdd0-part1: 970 reads since the pool was imported,
each at the device took
  half of them  at most 2.10 ms to 4.19 ms   (model 13.0 ms)
  90 %          at most 16.8 ms to 33.6 ms   (model 19.1 ms)
  99 %          at most 33.6 ms to 67.1 ms   (model 23.3 ms)
The model is hdd-nas-7200 with single reads of 4 KiB at random; those counted
are of any size, some in a row, some beside others.
Buckets double, so a range is all that they tell. For a device file, measure the
device itself: arcwright calibrate device /dev/…

"#]]);
    let folder = Path::new(".");
    let capture = capture.to_str().unwrap();
    let refused = |device, code, parts: &[&str]| {
        refused(folder, &[&from[..], &[capture, "--device", device]].concat(), code, parts);
    };
    refused("sda", 2, &["no device is called “sda”; known are: /dev/disk/by-id/virtio-hdd0-part1"]);
    let old = arcwright_fixtures::path("freebsd-11-legacy");
    let words = [&from[..], &[old.to_str().unwrap(), "--device", "ada0"]].concat();
    self::refused(
        folder,
        &words,
        1,
        &["counts no reads of ada0p1", "arcwright capture collects it"],
    );
}
