//! `arcwright capture`, on a machine of a few files and a `zpool` that is a script.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

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

/// Waits for a program; whether it ended within a time.
fn ends_within(child: &mut std::process::Child, time: Duration) -> std::io::Result<bool> {
    let until = Instant::now() + time;
    while Instant::now() < until {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill()?;
    Ok(false)
}

/// What stands where the machine's name should is no file: nothing waits for it, and nothing of it is read.
#[test]
fn a_name_of_the_machine_that_is_no_file_is_none() {
    for what in ["pipe", "endless"] {
        let root = machine().unwrap();
        let name = root.path().join("proc/sys/kernel/hostname");
        drop(std::fs::remove_file(&name));
        std::fs::create_dir_all(name.parent().unwrap()).unwrap();
        match what {
            "pipe" => {
                let made = std::process::Command::new("mkfifo").arg(&name).status().unwrap();
                assert!(made.success());
            }
            _ => std::os::unix::fs::symlink("/dev/zero", &name).unwrap(),
        }
        let file = root.path().join("a.tar.gz");
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_arcwright"))
            .args(["capture", "--no-smart", "--window", "0s", "--root"])
            .arg(root.path())
            .arg(&file)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        assert!(
            ends_within(&mut child, Duration::from_secs(20)).unwrap(),
            "{what}: it waits for ever"
        );
        assert!(file.exists(), "{what}");
    }
}

#[test]
fn no_program_of_the_current_directory_runs_whatever_the_search_path_says() {
    let (root, here) = (machine().unwrap(), tempfile::tempdir().unwrap());
    for tool in ["zpool", "zfs", "lsblk", "smartctl", "uname", "sysctl", "midclt"] {
        let path = here.path().join(tool);
        fs::write(&path, "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran-$(basename \"$0\")\"\n")
            .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for path in [".", "", ":/usr/bin:/bin", "/usr/bin::/bin", "/usr/bin:/bin:."] {
        let _ended = arcwright()
            .env("PATH", path)
            .current_dir(here.path())
            .args(["capture", "--window", "0s", "--force", "--root"])
            .args([root.path(), &here.path().join("a.tar.gz")])
            .assert();
        let names = fs::read_dir(here.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let ran: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with("ran-")).collect();
        assert!(ran.is_empty(), "{path}: {ran:?}");
    }
}

/// Whoever stops it gets the prompt back at once; no tool goes on without it, and no part of a file is left.
#[test]
fn stopped_it_leaves_no_tool_and_no_draft_behind() {
    let root = machine().unwrap();
    let pids = root.path().join("pids");
    fs::write(&pids, "").unwrap();
    let slow =
        format!("#!/bin/sh\n/bin/sleep 300 &\necho \"$$ $!\" >> '{}'\nwait\n", pids.display());
    fs::write(root.path().join("tools/zpool"), slow).unwrap();
    let out = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_arcwright"))
        .env("PATH", root.path().join("tools"))
        .args(["capture", "--no-smart", "--window", "0s", "--root"])
        .args([root.path(), &out.path().join("a.tar.gz")])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    let begun = || fs::read_to_string(&pids).unwrap().ends_with('\n');
    while !begun() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(begun(), "it asks no tool");
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(sent.success());
    // A second is what is promised; a machine under load gets some more.
    assert!(ends_within(&mut child, Duration::from_secs(10)).unwrap(), "it goes on");
    let left: Vec<_> =
        fs::read_dir(out.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.iter().all(|path| path.ends_with("a.tar.gz")), "{left:?}");
    for tool in fs::read_to_string(&pids).unwrap().split_whitespace() {
        // One that ended may still have its place in the table until somebody asks how.
        let status = || fs::read_to_string(format!("/proc/{tool}/status")).unwrap_or_default();
        let is_gone = || {
            let status = status();
            status.is_empty() || status.contains("State:\tZ")
        };
        // A kill arrives when its process has its turn; without one it would sleep for minutes.
        let until = Instant::now() + Duration::from_secs(20);
        while !is_gone() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(is_gone(), "{tool} goes on: {}", status());
    }
}
