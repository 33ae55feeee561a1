//! `arcwright show`.

use snapbox::str;

use crate::{arcwright, fixture};

#[test]
fn a_saved_result_is_shown_as_tables() {
    arcwright().arg("show").arg(fixture("steam.json")).assert().code(0).stdout_eq(str![[r#"
Steam library: raidz1 with an SSD read cache
Why is the second read no faster, and which settings change that?
real OpenZFS 2.1.11 in user space, scale 1/32, 4.00 virtual s per s, seed 1, took 1:30

Notes
- Prefetch distances do not scale.

Throughput, MiB/s
phase          as installed         dumb LRU
────────────────────────────────────────────
first read              324      333  +2.8 %
  reported              324      333  +2.8 %
  time                 1:03     1:01
  p99 latency       8.00 ms  8.00 ms
second read             226     1440  +537 %
  reported              226     1474  +552 %
  time                 1:30   14.2 s
  p99 latency       8.00 ms  8.00 ms

Where the bytes came from
arm              moved    ARC   L2ARC   disks  ARC hits  L2ARC hits  seeks  to L2ARC
────────────────────────────────────────────────────────────────────────────────────
first read
  as installed  20 GiB    0 B     0 B  20 GiB    95.0 %         0 %    500   512 MiB
  dumb LRU      20 GiB    0 B     0 B  20 GiB    95.0 %         0 %    500   512 MiB
second read
  as installed  20 GiB  1 GiB   4 GiB  15 GiB    50.0 %      25.0 %    500     1 GiB
  dumb LRU      20 GiB    0 B  18 GiB   2 GiB     3.1 %      97.1 %    500     1 GiB
ARC: bytes moved minus bytes delivered by devices (disks include parity and gaps); not shown for
phases with writes.

What the arms set
  dumb LRU: l2arc_noprefetch=0, l2arc_write_max=1073741824 (scaled to 33554432)

"#]]);
}

#[test]
fn tab_separated_lines_have_no_header() {
    let result = arcwright().args(["show", "-H"]).arg(fixture("steam.json")).assert().code(0);
    result.stdout_eq(str![[r#"
as installed	first read	324 MiB/s	-	324	1:03	20 GiB	163840	95.0 %	0 %	0 B	0 B	512 MiB	20 GiB	0 B	500	1.00 ms	8.00 ms	-	-	-	-	-	-	-	-	-	-	-	-
as installed	second read	226 MiB/s	-	226	1:30	20 GiB	163840	50.0 %	25.0 %	1 GiB	4 GiB	1 GiB	15 GiB	0 B	500	1.00 ms	8.00 ms	-	-	-	-	-	-	-	-	-	-	-	-
dumb LRU	first read	333 MiB/s	+2.8 %	333	1:01	20 GiB	163840	95.0 %	0 %	0 B	0 B	512 MiB	20 GiB	0 B	500	1.00 ms	8.00 ms	-	-	-	-	-	-	-	-	-	-	-	-
dumb LRU	second read	1.41 GiB/s	+537 %	1474	14.2 s	20 GiB	163840	3.1 %	97.1 %	0 B	18 GiB	1 GiB	2 GiB	0 B	500	1.00 ms	8.00 ms	-	-	-	-	-	-	-	-	-	-	-	-

"#]]);
}

#[test]
fn exact_numbers_have_no_units() {
    let result = arcwright().args(["show", "-Hp"]).arg(fixture("steam.json")).assert().code(0);
    result.stdout_eq(str![[r#"
as installed	first read	339738624	-	324	63209876544	21474836480	163840	0.95	0	0	0	536870912	21474836480	0	500	1000000	8000000	-	-	-	-	-	-	-	-	-	-	-	-
as installed	second read	236978176	-	226	90619469026	21474836480	163840	0.5	0.25	1073741824	4294967296	1073741824	16106127360	0	500	1000000	8000000	-	-	-	-	-	-	-	-	-	-	-	-
dumb LRU	first read	349175808	2.7778	333	61501501502	21474836480	163840	0.95	0	0	0	536870912	21474836480	0	500	1000000	8000000	-	-	-	-	-	-	-	-	-	-	-	-
dumb LRU	second read	1509949440	537.1681	1474	14222222222	21474836480	163840	0.031	0.971	0	19327352832	1073741824	2147483648	0	500	1000000	8000000	-	-	-	-	-	-	-	-	-	-	-	-

"#]]);
}

#[test]
fn json_comes_back_as_it_was_saved() {
    let saved = std::fs::read_to_string(fixture("steam.json")).unwrap();
    let result = arcwright().args(["show", "--json"]).arg(fixture("steam.json")).assert().code(0);
    assert_eq!(String::from_utf8_lossy(&result.get_output().stdout), saved);
}

#[test]
fn a_result_of_an_earlier_version_can_be_read() {
    let text = |file: &str| {
        let result = arcwright().args(["show", "-Hp"]).arg(fixture(file)).assert().code(0);
        result.get_output().stdout.clone()
    };
    assert_eq!(text("steam-1.0.json"), text("steam.json"));
}

#[test]
fn a_missing_file_fails_and_does_not_hide_the_others() {
    let result = arcwright()
        .args(["show", "missing.json", "-H"])
        .arg(fixture("steam.json"))
        .assert()
        .code(1)
        .stderr_eq(str![[r#"
error: failed to read missing.json: No such file or directory (os error 2)

"#]]);
    assert_eq!(result.get_output().stdout.iter().filter(|byte| **byte == b'\n').count(), 4);
}

#[test]
fn something_else_than_a_result_fails_with_its_name() {
    let result = arcwright().arg("show").arg(fixture("README.md")).assert().code(1);
    let text = String::from_utf8_lossy(&result.get_output().stderr).into_owned();
    assert!(text.contains("README.md: not a saved result"), "{text}");
}

#[test]
fn another_format_is_refused() {
    let saved = std::fs::read_to_string(fixture("steam.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("newer.json");
    std::fs::write(&path, saved.replacen("\"vers_major\": 1", "\"vers_major\": 2", 1)).unwrap();
    let result = arcwright().arg("show").arg(path).assert().code(1);
    let text = String::from_utf8_lossy(&result.get_output().stderr).into_owned();
    assert!(text.contains("it has format 2"), "{text}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let program = snapbox::cmd::cargo_bin!("arcwright");
    let mut child = std::process::Command::new(program)
        .arg("show")
        .args(vec![fixture("steam.json"); 200])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let result = child.wait_with_output().unwrap();
    assert_eq!(result.status.code(), Some(0));
    assert!(result.stderr.is_empty());
}
