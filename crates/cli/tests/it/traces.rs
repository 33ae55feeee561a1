//! `arcwright trace`: a public trace of the repository, and texts of every kind.

#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};

use snapbox::str;

use crate::arcwright;

/// Runs the program in a folder: the exit code, and what it says on standard output and error.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = arcwright().args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Runs `trace info -` on a text.
fn piped(text: &[u8], more: &[&str]) -> (Option<i32>, String, String) {
    let command = arcwright().args(["trace", "info", "-"]).args(more);
    let output = command.stdin(text).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn public() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/lirs_2_pools.trace.gz")
}

#[test]
fn a_packed_trace_is_told_of_and_its_curve_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(public(), folder.path().join("pools.gz")).unwrap();
    let (code, out, error) = run(folder.path(), &["trace", "info", "pools.gz"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    snapbox::assert_data_eq!(
        out,
        str![[r#"
pools.gz: pages, gzip
  time        not said by this format
  reads       100 k
  sizes       not said by this format
  objects     9939
  used again  90.1 % of 100 k accesses are to objects that came before; 2.9 % of the objects come
              once

"#]]
    );
    let lru =
        ["trace", "curve", "pools.gz", "--cache", "lru", "--arc", "6400KiB,12800KiB", "--csv"];
    let (_, out, _) = run(folder.path(), &lru);
    // What an LRU of 50 and of 100 pages finds: libCacheSim says the same (fidelity/peers.json).
    let hits: Vec<&str> = out.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
    assert_eq!(hits, LRU_HITS, "{out}");
    let (code, out, error) = run(folder.path(), &["trace", "curve", "pools.gz"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    assert!(out.contains("The knee is at") && out.contains("--recordsize"), "{out}");
}

/// Hit ratios of 50 and 100 pages.
const LRU_HITS: [&str; 2] = ["0.11804", "0.21946"];

#[test]
fn what_is_converted_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "time,volume,op,offset,bytes\n0.000000000,sda,read,0,4096\n\
                1.500000000,sdb,write,8192,512\n2.000000000,sda,flush,0,0\n";
    fs::write(folder.join("a.csv"), text).unwrap();
    let convert = |from: &str, to: &str, output: &str| {
        let (code, _, error) = run(folder, &["trace", "convert", from, "--to", to, "-o", output]);
        assert_eq!((code, error.as_str()), (Some(0), ""), "{from} {to}");
    };
    convert("a.csv", "iolog", "a.log");
    convert("a.log", "csv", "b.csv");
    assert_eq!(fs::read_to_string(folder.join("b.csv")).unwrap(), text);
    convert("a.csv", "compiled", "a.arc");
    convert("a.csv", "oracleGeneral", "a.bin");
    for file in ["a.log", "a.arc", "a.bin"] {
        let (code, out, error) = run(folder, &["trace", "info", file, "--json"]);
        assert_eq!((code, error.as_str()), (Some(0), ""));
        let info: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(info["accesses"], 2, "{file}: {out}");
    }
    let cut = ["trace", "cut", "a.csv", "--to", "csv", "--since", "1s", "--volume", "sdb"];
    let (code, out, _) = run(folder, &[&cut[..], &["-o", "c.csv"]].concat());
    assert_eq!(code, Some(0), "{out}");
    let part = fs::read_to_string(folder.join("c.csv")).unwrap();
    assert_eq!(part, "time,volume,op,offset,bytes\n0.000000000,sdb,write,8192,512\n");
    let (code, _, error) = run(folder, &[&cut[..], &["-o", "c.csv"]].concat());
    assert_eq!(code, Some(2));
    assert!(error.contains("c.csv is there already"), "{error}");
    let none = ["trace", "cut", "a.csv", "--to", "csv", "--volume", "sdz", "-o", "d.csv"];
    let (code, _, error) = run(folder, &none);
    assert_eq!((code, folder.join("d.csv").exists()), (Some(1), false), "{error}");
}

#[test]
fn what_is_no_trace_is_refused_with_its_place() {
    let check = |text: &[u8], more: &[&str], code: i32, part: &str| {
        let (found, out, error) = piped(text, more);
        assert_eq!((found, out.as_str()), (Some(code), ""), "{error}");
        assert!(error.contains(part), "“{part}” is missing in: {error}");
        assert!(!error.contains(['\u{1b}', '\r']), "{error:?}");
    };
    check(b"", &[], 1, "standard input is empty");
    check(b"a,b\n1,2\n", &[], 2, "name it with --format");
    check(b"offset,bytes\n1,\x1b[31mx\n", &["--format", "csv"], 1, "record 2, at byte 13");
    check(b"offset,bytes\n1\n", &[], 1, "record 2, at byte 13: column 2 is missing");
    check(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1], &[], 1, "the gzip file is damaged or cut off");
    check(&[0x28, 0xb5, 0x2f, 0xfd, 4], &[], 1, "the zstd file is damaged or cut off");
    check(&[0xfd, b'7', b'z', b'X', b'Z', 0, 0], &[], 1, "the xz file is damaged or cut off");
    check(b"8,0 0 1 0.0 1 C R 8 + 8 [x]\n", &[], 1, "no event Q; there are C (1)");
    check(b"1\n", &["--format", "lsc"], 2, "did you mean “lcs”?");
    check(b"1\n", &["--format", "lis", "--columns", "offset"], 2, "has columns of its own");
    check(b"1\n", &["--recordsize", "3KiB"], 2, "power of two");
    let folder = tempfile::tempdir().unwrap();
    let (code, _, error) = run(folder.path(), &["trace", "info", "."]);
    assert_eq!(code, Some(1));
    assert!(error.contains(". is a folder, not a trace"), "{error}");
}

#[test]
fn an_l2arc_needs_times() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::copy(public(), folder.join("pools.gz")).unwrap();
    let curve = ["trace", "curve", "pools.gz", "--arc", "100MiB", "--l2arc", "1GiB"];
    let (code, _, error) = run(folder, &curve);
    assert_eq!(code, Some(2));
    assert!(error.contains("--rate"), "{error}");
    let (code, out, _) = run(folder, &[&curve[..], &["--rate", "500"]].concat());
    assert_eq!(code, Some(0));
    assert!(out.contains("L2ARC") && out.contains("TB a day"), "{out}");
    let lru = ["trace", "curve", "pools.gz", "--cache", "lru", "--l2arc", "1GiB"];
    let (code, _, error) = run(folder, &lru);
    assert_eq!(code, Some(2));
    assert!(error.contains("--l2arc says nothing about an LRU"), "{error}");
}

/// A load of a minute: a large file that is read at random again and again, small files, and a few writes that wait.
fn recorded() -> String {
    let mut drawn = 1u64;
    let lines = (0..3000u64).map(|number| {
        drawn =
            drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (place, time) = ((drawn >> 33) % 1536, number as f64 / 50.0);
        match number % 10 {
            9 => format!("{time:.2},log,write,{},8192\n{time:.2},log,flush,0,0\n", number << 13),
            7 | 8 => format!("{time:.2},mail/{place},read,0,6000\n"),
            _ => format!("{time:.2},vm,read,{},16384\n", place << 17),
        }
    });
    std::iter::once("time,volume,op,offset,bytes\n".to_owned()).chain(lines).collect()
}

const NAS: &str = r#"
title = "A NAS"
system = { zfs = "2.3.2", memory = "1GiB", pool = { data = ["hdd-nas-7200"] }, tunables = { zfs_arc_max = 134217728 } }
"#;

#[test]
fn a_trace_is_played_in_a_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("nas.csv"), recorded()).unwrap();
    let phases = "phase = [{ name = \"warm up\", clients = [{ trace = \"nas.csv\", until = \"50%\" }] }, \
                  { name = \"load\", clients = [{ trace = \"nas.csv\", since = \"30s\" }] }]\n";
    fs::write(folder.join("nas.toml"), format!("{NAS}{phases}")).unwrap();
    let (code, out, error) = run(folder, &["run", "--check", "nas.toml"]);
    assert_eq!((code, error.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("what nas.csv touches: 3 files"), "{out}");
    assert!(out.contains("trace nas.csv: 1500 requests in 30.0 s"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    let (code, out, error) = run(folder, &["run", "nas.toml", "--json"]);
    assert_eq!(code, Some(0), "{error}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let load = &json["arms"][0]["phases"][1];
    assert_eq!(load["clients"][0]["operations"], 1500, "{load}");
    // A trace lies where the scenario does, unless somebody says otherwise.
    fs::create_dir(folder.join("in")).unwrap();
    let text = fs::read_to_string(folder.join("nas.toml")).unwrap();
    fs::write(folder.join("in/nas.toml"), text.replace("nas.csv", "../nas.csv")).unwrap();
    let (code, _, error) = run(folder, &["run", "in/nas.toml"]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("files permits it"), "{error}");
    let (code, _, error) = run(folder, &["run", "in/nas.toml", "--allow-outside-files"]);
    assert_eq!(code, Some(0), "{error}");
}

/// A trace of files is played on records of the datasets that they are in, as the machine has them.
#[test]
fn files_of_a_trace_have_the_records_of_their_datasets() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = |name: &str| -> String {
        (0..300).map(|number| format!("{number},{name},read,{},8192\n", number * 20_000)).collect()
    };
    let named = |file: &str, name: &str| {
        fs::write(folder.join(file), format!("time,volume,op,offset,bytes\n{}", rows(name)))
            .unwrap();
    };
    named("files.csv", "tank/database/5");
    named("disk.csv", "sda");
    let machine =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/machines/guest-2.3.2-sync.txt");
    let machine = machine.to_str().unwrap();
    let (code, text, error) = run(folder, &["scenario", "--from", machine, "--trace", "files.csv"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(text.contains("recordsizes = { \"tank/database\" = \"16KiB\" }"), "{text}");
    fs::write(folder.join("nas.toml"), text).unwrap();
    let (code, json, error) = run(folder, &["run", "nas.toml", "--json"]);
    assert_eq!(code, Some(0), "{error}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["scenario"]["files"][0]["recordsize"], 16384, "{}", json["scenario"]["files"]);
    let asked = |trace: &str| {
        let whatif = ["whatif", "--from", machine, "--trace", trace, "--memory", "8GiB", "--json"];
        run(folder, &whatif)
    };
    let unnamed = "no name in the trace is that of a dataset of this machine";
    assert!(!asked("files.csv").1.contains(unnamed));
    let (code, out, error) = asked("disk.csv");
    assert!(code == Some(0) && out.contains(unnamed), "{out} {error}");
}

#[test]
fn what_a_change_brings_is_asked_under_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("nas.csv"), recorded()).unwrap();
    // Files and phases of its own, which the trace replaces.
    let own = "file = [{ name = \"f\", size = \"1GiB\" }]\nphase = [{ name = \"p\", clients = [{ read = \"f\" }] }]\n";
    fs::write(folder.join("nas.toml"), format!("{NAS}{own}")).unwrap();
    let whatif =
        ["whatif", "--scenario", "nas.toml", "--trace", "nas.csv", "--memory", "4GiB", "--json"];
    let (code, out, error) = run(folder, &whatif);
    assert_eq!(code, Some(0), "{error}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rows = json["answer"]["rows"].as_array().unwrap();
    let hits = |row: usize| rows[row]["arc_hit_ratio"].as_f64().unwrap();
    assert!(hits(1) > hits(0) + 0.01, "{} {}", hits(0), hits(1));
    assert_eq!(rows[0]["phases"][0]["requests"], 1500);
    // A range of checks around what is said, where it is known.
    let checked = &rows[1]["saved_checked"];
    let [least, most] = [0, 1].map(|end| checked[end].as_f64().unwrap());
    let saved = rows[1]["saved"].as_f64().unwrap();
    assert!(least < saved && saved < most && rows[0]["saved_checked"].is_null(), "{checked}");
    let assumed = json["answer"]["assumed"].as_array().unwrap();
    assert!(assumed[0].as_str().unwrap().starts_with("the second half of the trace counts"));
    let plan =
        ["ssd", "plan", "--scenario", "nas.toml", "--trace", "nas.csv", "--profile", "nvme-plp"];
    let (code, out, error) = run(folder, &plan);
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains("Load:") && out.contains("cache"), "{out}");
    let (code, _, error) = run(
        folder,
        &["whatif", "--scenario", "nas.toml", "--trace", "none.csv", "--memory", "4GiB"],
    );
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("none.csv"), "{error}");
}
