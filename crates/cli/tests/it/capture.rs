//! `arcwright capture`, on a machine of a few files and a `zpool` that is a script.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::TempDir;

use crate::arcwright;

const ARCSTATS: &str = "\
13 1 0x01 2 544 5277612345 987654321987
name                            type data
hits                            4    1234
misses                          4    66
";

fn machine() -> std::io::Result<TempDir> {
    let root = tempfile::tempdir()?;
    let kstats = root.path().join("proc/spl/kstat/zfs/tank");
    fs::create_dir_all(&kstats)?;
    fs::write(kstats.join("state"), "ONLINE\n")?;
    fs::write(root.path().join("proc/spl/kstat/zfs/arcstats"), ARCSTATS)?;
    let tools = root.path().join("tools");
    fs::create_dir(&tools)?;
    let zpool = tools.join("zpool");
    fs::write(&zpool, "#!/bin/sh\necho 'cannot open /dev/zfs: Permission denied' >&2\nexit 1\n")?;
    fs::set_permissions(&zpool, fs::Permissions::from_mode(0o755))?;
    Ok(root)
}

fn capture(root: &Path, file: &Path, more: &[&str]) -> snapbox::cmd::OutputAssert {
    arcwright()
        .env("PATH", root.join("tools"))
        .args(["capture", "--no-smart", "--window", "100ms", "--root"])
        .args([root, file])
        .args(more)
        .assert()
}

fn stdout(output: &snapbox::cmd::OutputAssert) -> String {
    String::from_utf8_lossy(&output.get_output().stdout).into_owned()
}

#[test]
fn an_archive_is_written_and_told_what_it_lacks() {
    let root = machine().unwrap();
    let file = root.path().join("nas.tar.gz");
    let text = stdout(&capture(root.path(), &file, &[]).code(0));
    assert!(text.starts_with("wrote ") && text.contains("nas.tar.gz"), "{text}");
    assert!(text.contains("zpool status: needs more rights"), "{text}");
    assert!(text.contains("hint: sudo"), "{text}");
    let sources = arcwright_host::capture::open(&file).unwrap();
    let machine = arcwright_machine::Machine::read(&sources);
    assert_eq!(machine.samples.len(), 2);
    assert_eq!(machine.now().unwrap().get("zfs/arcstats", "hits"), Some(1234));
    assert!(machine.problems.iter().any(|p| p.reason == arcwright_machine::Reason::Denied));
}

#[test]
fn as_text_it_says_the_same() {
    let root = machine().unwrap();
    let file = root.path().join("nas.txt");
    capture(root.path(), &file, &["--text"]).code(0);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("arcwright capture as text, format 1\n=== manifest.json\n"), "{text}");
    let kstat = format!("\n=== sample-1/proc/spl/kstat/zfs/arcstats\n{ARCSTATS}===");
    assert!(text.contains(&kstat), "{text}");
    let machine = arcwright_machine::Machine::read(&arcwright_host::capture::open(&file).unwrap());
    assert_eq!(machine.samples.len(), 2);
    assert!(machine.problems.iter().any(|p| p.reason == arcwright_machine::Reason::Denied));
}

#[test]
fn nothing_is_replaced_unless_told_so() {
    let root = machine().unwrap();
    let file = root.path().join("nas.tar.gz");
    fs::write(&file, "mine").unwrap();
    let error = capture(root.path(), &file, &[]).code(2);
    let error = String::from_utf8_lossy(&error.get_output().stderr).into_owned();
    assert!(error.contains("already exists") && error.contains("--force"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    capture(root.path(), &file, &["--force"]).code(0);
    assert!(fs::read(&file).unwrap().starts_with(&[0x1f, 0x8b]));
}

#[test]
fn names_are_replaced_when_asked() {
    let root = machine().unwrap();
    let file = root.path().join("nas.tar.gz");
    capture(root.path(), &file, &["--redact"]).code(0);
    let sources = arcwright_host::capture::open(&file).unwrap();
    let names: Vec<&String> = sources.texts.keys().collect();
    assert!(names.iter().all(|name| !name.contains("tank")), "{names:?}");
    let machine = arcwright_machine::Machine::read(&sources);
    assert_eq!(machine.pools[0].name, "pool-1");
}

#[test]
fn without_zfs_it_says_so_and_leaves_no_file() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("nas.tar.gz");
    let error = capture(root.path(), &file, &[]).code(1);
    let error = String::from_utf8_lossy(&error.get_output().stderr).into_owned();
    assert!(error.contains("no ZFS on this machine") && error.contains("hint:"), "{error}");
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}
