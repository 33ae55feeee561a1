//! The lab on the real OpenZFS. These tests need the libraries (`cargo xtask openzfs`) and some seconds
//! each, so they are ignored unless asked for, as `./test` does: `cargo test --test it -- --ignored lab::`.
//! Asked for without the libraries they fail. Seeds are fixed in the scenarios.
#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

mod catalogue;
mod compression;
mod crash;
mod datasets;
mod draid;
mod encryption;
mod heap;
mod host_name;
mod links;
mod shared;
pub(crate) mod texts;
mod traces;
mod trees;
mod volumes;
mod warm;
mod writes;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arcwright_scenario::{Outcome, PhaseRun};
use arcwright_units::Nanos;

use texts::{on_linux, readings};

/// Without these nothing is shown.
const NEEDED: [&str; 2] = ["2.1.11", "2.3.2"];

/// Returns the versions whose libraries are on this machine; `./test` says which are not.
fn versions() -> Vec<&'static str> {
    let found = arcwright_lab::openzfs::found();
    for needed in NEEDED {
        assert!(found.iter().any(|version| version == needed), "no library of OpenZFS {needed}");
    }
    let of_libzpool = arcwright_lab::openzfs::KNOWN.into_iter();
    let of_libzpool = of_libzpool.filter(|version| !version.starts_with("zfs-fuse"));
    of_libzpool.filter(|version| found.iter().any(|it| it == version)).collect()
}

/// Returns the oldest and the newest of them, for what no release between changed: each run takes seconds.
fn oldest_and_newest() -> Vec<&'static str> {
    let all = versions();
    [all.first(), all.last()].into_iter().flatten().copied().collect()
}

fn arcwright(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arcwright"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    command.args(arguments).current_dir(root).stdin(Stdio::null());
    command
}

/// A small experiment: `data` as in a scenario file, a file twice as large as the ARC, read often.
fn scenario(data: &str, rest: &str) -> String {
    let readings = readings("128KiB", &["first", "second", "third"]);
    on_linux("256MiB", &format!("data = [{data}]\n{rest}\n{readings}"))
}

/// The same, where one look at the file says all.
fn read_once(data: &str, rest: &str) -> String {
    let text = scenario(data, rest);
    let (once, _) = text.split_once("[[phase]]\nname = \"second\"").unwrap();
    once.to_owned()
}

const INSTANT: &str = r#"{ device = "instant", size = "2GiB" }"#;

fn run(text: &str, arguments: &[&str]) -> Output {
    run_on("lab", text, arguments)
}

fn run_on(engine: &str, text: &str, arguments: &[&str]) -> Output {
    run_beside((engine, text), &[], arguments)
}

/// Runs an experiment in whose folder there are files with these names and texts.
fn run_beside((engine, text): (&str, &str), beside: &[(&str, &str)], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in beside {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let path = folder.path().join("test.toml");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    arcwright(&[&["run", path, "--engine", engine], arguments].concat()).output().unwrap()
}

/// Returns what the model says of it.
pub(crate) fn predicted(text: &str) -> Outcome {
    let output = run_on("model", text, &["--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Leaves out how long the run took by this machine's clock; everything else is virtual time.
fn without_wall_time(json: &[u8]) -> Outcome {
    let mut outcome: Outcome = serde_json::from_slice(json).unwrap();
    outcome.engine.wall_ns = Nanos::ZERO;
    outcome
}

pub(crate) fn outcome(text: &str, arguments: &[&str]) -> Outcome {
    let output = run(text, &[arguments, &["--json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

pub(crate) fn refused(text: &str, arguments: &[&str], code: i32, parts: &[&str]) {
    let output = run(text, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "“{part}” is missing in: {errors}");
    }
}

pub(crate) fn phase<'a>(outcome: &'a Outcome, arm: &str, name: &str) -> &'a PhaseRun {
    let arm = outcome.arms.iter().find(|found| found.name == arm).unwrap();
    arm.phases.iter().find(|found| found.name == name).unwrap()
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn every_layout_runs_on_every_version_and_no_byte_is_lost() {
    let disks = |count: usize| vec![INSTANT; count].join(", ");
    let layouts = [
        format!("{{ disk = {INSTANT} }}, {{ disk = {INSTANT} }}"),
        format!("{{ mirror = [{}] }}", disks(2)),
        format!("{{ raidz1 = [{}] }}", disks(3)),
        format!("{{ raidz2 = [{}] }}", disks(4)),
        format!("{{ raidz3 = [{}] }}", disks(5)),
    ];
    let aside = format!("cache = [{INSTANT}]\nlog = [{{ mirror = [{}] }}]", disks(2));
    for version in versions() {
        for layout in &layouts {
            let outcome = outcome(&read_once(layout, &aside), &["--openzfs", version]);
            let first = phase(&outcome, "as is", "first");
            assert_eq!(first.bytes.0, 192 << 20, "{layout}");
            assert_eq!(outcome.engine.openzfs, version);
            let read: u64 = first.devices.iter().map(|device| device.read_bytes.0).sum();
            assert!(read >= first.bytes.0, "{version} {layout}: {read} read cold");
            let rows = first.kstats.get("arcstats").unwrap();
            assert!(rows["misses"] >= 1536, "{version} {layout}: {}", rows["misses"]);
        }
    }
}

/// A slow disk with and without a cache device that is filled as fast as the disk reads.
fn cached() -> String {
    scenario(
        "{ disk = \"hdd-nas-5400\" }",
        "cache = [{ device = \"nvme-consumer\", size = \"16GiB\" }]\n\
         [[arm]]\nname = \"off\"\ncache = []\n\
         [[arm]]\nname = \"dumb\"\n\
         tunables = { l2arc_noprefetch = 0, l2arc_write_max = \"1GiB\" }\n\
         [lab]\nscale = 16\n",
    )
    .replace("256MiB", "2GiB")
    .replace("192MiB", "3GiB")
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_cache_device_that_may_hold_everything_makes_later_reads_faster() {
    for version in oldest_and_newest() {
        let outcome = outcome(&cached(), &["--openzfs", version]);
        let (off, dumb) = (phase(&outcome, "off", "third"), phase(&outcome, "dumb", "third"));
        let ratio = dumb.throughput_bytes_per_sec.0 as f64 / off.throughput_bytes_per_sec.0 as f64;
        assert!(ratio > 1.5, "{version}: {ratio}");
        assert!(dumb.l2arc_hit_ratio.unwrap() > 0.5, "{version}: {:?}", dumb.l2arc_hit_ratio);
        assert_eq!(off.l2arc_read_bytes.0, 0);
        let set = &outcome.arms[1].tunables;
        let held = set.iter().find(|setting| setting.name == "l2arc_noprefetch").unwrap();
        assert_eq!(held.read_back, 0, "the value is read back from the library");
    }
}

/// Keeps every processor busy until it is dropped, so that threads are stopped anywhere.
struct Load(Arc<AtomicBool>);

impl Load {
    fn begin() -> Self {
        let on = Arc::new(AtomicBool::new(true));
        for _ in 0..2 * std::thread::available_parallelism().map_or(2, usize::from) {
            let on = Arc::clone(&on);
            std::thread::spawn(move || {
                while on.load(Ordering::Relaxed) {
                    std::hint::black_box(vec![1u8; 1 << 20]);
                }
            });
        }
        Self(on)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn repeats_are_equal_to_the_last_counter_on_a_busy_machine() {
    let system = "cache = [{ device = \"nvme-consumer\", size = \"1GiB\" }]";
    let text = scenario("{ mirror = [\"hdd-nas-7200\", \"hdd-nas-7200\"] }", system);
    let _load = Load::begin();
    for version in oldest_and_newest() {
        let outcome = outcome(&text, &["--repeat", "2", "--openzfs", version]);
        let runs = &outcome.arms[0].runs;
        assert_eq!(runs.len(), 2);
        for run in runs {
            assert_eq!(run.phases, runs[0].phases, "{version}");
        }
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn the_real_clock_runs_the_same_experiment_and_says_how_fast() {
    let text = read_once(&format!("{{ disk = {INSTANT} }}"), "");
    let real = outcome(&text, &["--set", "lab.clock=real"]);
    assert!(real.engine.motion.is_some());
    assert!(real.notes.iter().any(|note| note.contains("calibrated")), "{:?}", real.notes);
    let events = outcome(&text, &[]);
    assert_eq!(events.engine.motion, None);
    let read = |outcome: &Outcome| phase(outcome, "as is", "first").bytes;
    assert_eq!(read(&real), read(&events));
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_small_limit_of_the_arc_lowers_its_minimum_as_it_does_at_load() {
    // A 32nd of 8 GiB is more than the limit; set at run time, the kernel would ignore the limit.
    let limit = "[system.tunables]\nzfs_arc_max = \"64MiB\"\nzfs_arc_min = \"128MiB\"\n";
    let text = scenario(&format!("{{ disk = {INSTANT} }}"), limit).replace("256MiB", "8GiB");
    for version in oldest_and_newest() {
        let outcome = outcome(&text, &["--openzfs", version]);
        let kstats = &phase(&outcome, "as is", "third").kstats["arcstats"];
        assert!(kstats["misses"] > 1000, "{version}: the file does not fit: {}", kstats["misses"]);
        assert!(!outcome.notes.iter().any(|note| note.contains("ignores")), "{:?}", outcome.notes);
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_tunable_that_the_library_lacks_is_refused_before_anything_runs() {
    let arm = "[[arm]]\nname = \"long\"\ntunables = { zfs_arc_min_prefetch_ms = 100 }\n";
    let text = scenario(&format!("{{ disk = {INSTANT} }}"), arm);
    let parts = ["long", "zfs_arc_min_prefetch_ms", "2.3.2"];
    refused(&text, &["--openzfs", "2.3.2"], 1, &parts);
    assert!(run(&text, &["--openzfs", "2.1.11"]).status.success());
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn the_prefetcher_can_be_switched_off_whether_the_library_has_the_switch_or_not() {
    let arms = "[[arm]]\nname = \"on\"\n[[arm]]\nname = \"off\"\n\
                tunables = { zfs_prefetch_disable = 1 }\n";
    let text = read_once(&format!("{{ disk = {INSTANT} }}"), arms);
    for version in versions() {
        let outcome = outcome(&text, &["--openzfs", version]);
        let ahead = |arm: &str| {
            let kstats = &phase(&outcome, arm, "first").kstats["arcstats"];
            kstats["prefetch_data_hits"] + kstats["prefetch_data_misses"]
        };
        assert!(ahead("on") > 1000, "{version}: {}", ahead("on"));
        assert_eq!(ahead("off"), 0, "{version}");
    }
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn an_arm_of_another_version_runs_the_code_of_that_version() {
    let arms = "[[arm]]\nname = \"old\"\n[[arm]]\nname = \"new\"\nzfs = \"2.3.2\"\n";
    let text = scenario(&format!("{{ disk = {INSTANT} }}"), arms);
    // Only from 2.2 on the ARC counts hits on blocks that are on their way.
    let knows = |outcome: &Outcome, arm: &str| {
        phase(outcome, arm, "first").kstats["arcstats"].contains_key("iohits")
    };
    let said = |outcome: &Outcome, what: &str| outcome.notes.iter().any(|note| note == what);
    let each = outcome(&text, &[]);
    assert_eq!([knows(&each, "old"), knows(&each, "new")], [false, true]);
    assert!(said(&each, "arm “new” ran the code of OpenZFS 2.3.2"), "{:?}", each.notes);
    let one = outcome(&text, &["--openzfs", "2.1.11"]);
    assert_eq!([knows(&one, "old"), knows(&one, "new")], [false, false]);
    let note = "arm “new” asks for OpenZFS 2.3.2; the code that ran is 2.1.11";
    assert!(said(&one, note), "{:?}", one.notes);
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn an_arc_below_what_openzfs_takes_is_refused_with_the_scale_that_fits() {
    let text = scenario(&format!("{{ disk = {INSTANT} }}"), "");
    refused(&text, &["--set", "lab.scale=8"], 1, &["64 MiB", "lab.scale=2"]);
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn what_the_lab_cannot_do_yet_is_named() {
    let text = scenario(&format!("{{ disk = {INSTANT} }}"), "");
    let tree = r#"
[[tree]]
name = "t"
files = 10
files_per_directory = 10
size_min = "4KiB"
size_max = "4KiB"
"#;
    let text = text.replacen("[[file]]", &format!("{tree}[[file]]"), 1);
    let copy = "{ tree-copy = \"t\", sync = true }";
    let text = text.replace("{ read = \"f\", io = \"128KiB\" }", copy);
    refused(&text, &[], 1, &["first", "tree-copy that waits for stable storage"]);
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_scratch_folder_without_room_is_refused_before_anything_is_written() {
    let huge = scenario("{ disk = \"hdd-enterprise-7200\" }", "").replace("192MiB", "9TiB");
    refused(&huge, &[], 1, &["no space for the vdev files", "--scratch"]);
    let text = scenario(&format!("{{ disk = {INSTANT} }}"), "");
    refused(&text, &["--scratch", "does/not/exist"], 1, &["does/not/exist", "--scratch"]);
}

#[test]
fn a_missing_library_names_the_one_command_that_brings_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, scenario(&format!("{{ disk = {INSTANT} }}"), "")).unwrap();
    let output =
        arcwright(&["run", path.to_str().unwrap(), "--engine", "lab", "--openzfs", "2.1.11"])
            .env("ARCWRIGHT_OPENZFS", folder.path())
            .output()
            .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("cargo xtask openzfs 2.1.11"), "{errors}");
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn an_interrupted_run_keeps_finished_arms_and_removes_its_scratch_files() {
    let folder = tempfile::tempdir().unwrap();
    let (path, result) = (folder.path().join("test.toml"), folder.path().join("result.json"));
    let scratch = folder.path().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let arms = "[[arm]]\nname = \"one\"\n[[arm]]\nname = \"two\"\n";
    std::fs::write(&path, scenario("{ disk = \"hdd-nas-7200\" }", arms)).unwrap();
    // How long the image and the first arms take depends on the machine: until there is a result, a run is
    // given twice as long. All of them take far longer.
    for secs in [12, 24, 48, 96, 192] {
        let mut child =
            arcwright(&["run", path.to_str().unwrap(), "--engine", "lab", "--repeat", "500"])
                .args(["--save", result.to_str().unwrap()])
                .args(["--scratch", scratch.to_str().unwrap()])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
        std::thread::sleep(Duration::from_secs(secs));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(1));
        assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
        if result.exists() {
            break;
        }
    }
    let text = std::fs::read_to_string(&result).unwrap();
    let outcome: Outcome = serde_json::from_str(&text).unwrap();
    assert!(outcome.interrupted && !outcome.arms.is_empty());
}
