//! A run does not depend on where the process's own heap has room, and so not on the build of the program.

use super::{arcwright, scenario, versions, without_wall_time};

/// A loop over a cache device, which turns small differences in what is evicted into large ones.
const LOOPED: &str = r#"{ device = "instant", size = "2GiB" }]
cache = [{ device = "instant", size = "64MiB" }"#;

/// Returns what a run prints for programs, where the C library's heap does as `settings` say.
fn with_heap(settings: &[(&str, &str)], version: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.toml");
    std::fs::write(&path, scenario(LOOPED, "")).unwrap();
    let path = path.to_str().unwrap();
    let mut command = arcwright(&["run", path, "--engine", "lab", "--openzfs", version, "--json"]);
    let output = command.envs(settings.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    output.stdout
}

#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn a_run_is_the_same_however_the_heap_of_the_process_is_laid_out() {
    // Every allocation of a page or more has a place of its own; what is freed is overwritten.
    let scattered = [("MALLOC_MMAP_THRESHOLD_", "4096"), ("MALLOC_PERTURB_", "85")];
    for version in versions() {
        let (usual, other) = (with_heap(&[], version), with_heap(&scattered, version));
        assert_eq!(without_wall_time(&usual), without_wall_time(&other), "{version}");
    }
}

/// Disks of terabytes take most of the address space; the library's heap keeps its own.
#[test]
#[ignore = "needs the OpenZFS libraries: ./test, or cargo xtask openzfs"]
fn nine_large_disks_leave_the_heap_its_place() {
    let data =
        "{ raidz2 = [\"7 x hdd-nas-7200\"] }]\nspecial = [{ mirror = [\"2 x ssd-sata-plp\"] }";
    let text = super::read_once(data, "");
    for version in super::oldest_and_newest() {
        super::outcome(&text, &["--openzfs", version]);
    }
}
