//! Changes on a copy of a machine's files: made, taken back, and stopped at every operation.

mod faults;
mod hostile;
mod middleware;
mod stops;
mod tree;

use std::fs;

use arcwright_tunables::persist::{persist, unpersist};
use arcwright_tunables::{Kernel, Plan, Profile, Purpose, RequestedSetting};
use tempfile::TempDir;

use super::{Disk, Facts, HostError, Root, Session, UndoTarget, read, verify};
use tree::{NoCommands, open, tree, why};

pub(super) fn facts(tree: &TempDir) -> (Root, Facts) {
    let root = Root::copy(tree.path()).unwrap();
    let facts = read(&root, &NoCommands);
    (root, facts)
}

pub(super) fn plan(facts: &Facts, purpose: Purpose, requests: &[&str]) -> Plan {
    let requests: Vec<RequestedSetting> = requests
        .iter()
        .map(|request| RequestedSetting::parse(request, &facts.running).unwrap())
        .collect();
    Plan::new(purpose, &requests, &facts.running, &facts.places.persisted()).unwrap()
}

fn text(tree: &TempDir, path: &str) -> String {
    fs::read_to_string(tree.path().join(path.trim_start_matches('/'))).unwrap()
}

#[test]
fn a_tree_is_read_with_its_settings_and_where_they_stand() {
    let tree = tree();
    let (_, facts) = facts(&tree);
    assert_eq!(facts.problems, Vec::<String>::new());
    assert_eq!(facts.running.version_text.as_deref(), Some("2.1.11-1"));
    assert_eq!(facts.running.memory.unwrap().to_string(), "16 GiB");
    assert_eq!(facts.running.arc_bounds, Some((536_870_912, 8_589_934_592)));
    let places: Vec<String> = facts.places.persisted().iter().map(|line| line.place()).collect();
    assert_eq!(places, ["/etc/modprobe.d/zfs.conf:2"]);
}

#[test]
fn what_is_applied_is_in_force_and_undone_again() {
    let tree = tree();
    let (root, before) = facts(&tree);
    let requests = ["l2arc_noprefetch=0", "zfs_arc_max=4GiB", "zfs_arc_min=1GiB"];
    let plan = plan(&before, Purpose::Live, &requests);
    let mut session = open(&Disk, &root);
    session.apply(&plan).unwrap();
    drop(session);
    let (_, after) = facts(&tree);
    assert_eq!(after.running.parameters["zfs_arc_max"].value, "4294967296");
    // Nothing is left of what was longer.
    let stored = root.at("/sys/module/zfs/parameters/zfs_arc_max");
    let shorter = || {
        super::Files::store(&Disk, &stored, b"0\n").unwrap();
        stored.text().unwrap().unwrap()
    };
    assert_eq!(shorter(), "0\n");
    super::Files::store(&Disk, &stored, b"4294967296\n").unwrap();
    let journal = super::load(&Disk, &root).unwrap();
    assert!(verify(&journal, &after, &root).iter().all(|verdict| verdict.holds));
    let mut session = open(&Disk, &root);
    assert_eq!(session.undo(UndoTarget::Last).unwrap().len(), 3);
    assert!(session.undo(UndoTarget::Last).unwrap().is_empty());
    drop(session);
    assert_eq!(facts(&tree).1, before);
}

#[test]
fn what_is_persisted_wins_and_comes_out_byte_for_byte() {
    let tree = tree();
    let (root, before) = facts(&tree);
    let asked = Profile::DumbLru.asked(&before.running).unwrap();
    let plan = Plan::new(Purpose::Persist, &asked.requests, &before.running, &[]).unwrap();
    let persistence = persist(&plan, &before.places, "a test").unwrap();
    let mut session = open(&Disk, &root);
    session.persist(&persistence).unwrap();
    drop(session);
    assert!(text(&tree, "/etc/modprobe.d/zz-arcwright.conf").contains("options zfs l2arc_nopref"));
    let (_, after) = facts(&tree);
    let lines = after.places.persisted();
    assert!(lines.iter().rev().find(|line| line.name == "l2arc_noprefetch").unwrap().ours);
    // Not live yet: verify says so.
    let journal = super::load(&Disk, &root).unwrap();
    let waits = verify(&journal, &after, &root);
    assert!(waits.iter().any(|verdict| !verdict.holds && verdict.words.contains("needs a reboot")));
    open(&Disk, &root).undo(UndoTarget::All).unwrap();
    assert_eq!(facts(&tree).1, before);
}

#[test]
fn lines_that_somebody_adds_later_stay_when_ours_go() {
    let tree = tree();
    let (root, before) = facts(&tree);
    let path = tree.path().join("etc/modprobe.d/zz-arcwright.conf");
    for request in ["l2arc_noprefetch=0", "l2arc_norw=1"] {
        let (_, now) = facts(&tree);
        let plan = plan(&now, Purpose::Persist, &[request]);
        let persistence = persist(&plan, &now.places, "a test").unwrap();
        open(&Disk, &root).persist(&persistence).unwrap();
    }
    let added =
        text(&tree, "/etc/modprobe.d/zz-arcwright.conf") + "options zfs zfs_txg_timeout=9\n";
    fs::write(&path, &added).unwrap();
    open(&Disk, &root).undo(UndoTarget::Last).unwrap();
    let left = text(&tree, "/etc/modprobe.d/zz-arcwright.conf");
    assert!(left.contains("l2arc_noprefetch=0") && !left.contains("l2arc_norw"), "{left}");
    assert!(left.ends_with("options zfs zfs_txg_timeout=9\n"));
    let (_, now) = facts(&tree);
    let out = unpersist(None, &now.places).unwrap();
    open(&Disk, &root).persist(&out).unwrap();
    assert_eq!(text(&tree, "/etc/modprobe.d/zz-arcwright.conf"), "options zfs zfs_txg_timeout=9\n");
    assert_eq!(before.running, now.running);
}

#[test]
fn a_value_that_somebody_else_set_is_left_alone() {
    let tree = tree();
    let (root, before) = facts(&tree);
    open(&Disk, &root).apply(&plan(&before, Purpose::Live, &["l2arc_headroom=4"])).unwrap();
    fs::write(tree.path().join("sys/module/zfs/parameters/l2arc_headroom"), "6\n").unwrap();
    let undone = open(&Disk, &root).undo(UndoTarget::Last).unwrap();
    assert!(undone[0].what.contains("set by others since"), "{undone:?}");
    assert_eq!(text(&tree, "/sys/module/zfs/parameters/l2arc_headroom"), "6\n");
}

#[test]
fn a_file_that_changed_since_the_plan_is_not_written() {
    let tree = tree();
    let (root, before) = facts(&tree);
    let plan = plan(&before, Purpose::Persist, &["l2arc_noprefetch=0"]);
    let persistence = persist(&plan, &before.places, "a test").unwrap();
    fs::write(tree.path().join("etc/modprobe.d/zz-arcwright.conf"), "# mine\n").unwrap();
    let error = open(&Disk, &root).persist(&persistence).unwrap_err();
    assert!(matches!(error, HostError::Changed { .. }), "{error}");
    assert_eq!(text(&tree, "/etc/modprobe.d/zz-arcwright.conf"), "# mine\n");
}

#[test]
fn a_link_is_not_written() {
    let tree = tree();
    let (root, before) = facts(&tree);
    let path = tree.path().join("etc/modprobe.d/zz-arcwright.conf");
    std::os::unix::fs::symlink("/dev/null", &path).unwrap();
    let plan = plan(&before, Purpose::Persist, &["l2arc_noprefetch=0"]);
    let persistence = persist(&plan, &before.places, "a test").unwrap();
    let error = open(&Disk, &root).persist(&persistence).unwrap_err();
    assert!(error.to_string().contains("is a symbolic link"), "{error}");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::net::UnixListener::bind(&path).unwrap();
    let error = open(&Disk, &root).persist(&persistence).unwrap_err();
    assert!(error.to_string().contains("is a pipe, a device or a socket"), "{error}");
}

#[test]
fn a_freebsd_machine_is_read_and_its_files_edited() {
    let tree = tempfile::tempdir().unwrap();
    let loader = "zfs_load=\"YES\"\nvfs.zfs.arc_max=\"4294967296\"";
    tree::write(&tree, "boot/loader.conf", loader);
    let said = "vfs.zfs.version.module: zfs-2.1.14-FreeBSD_g52bad4f23\n\
        vfs.zfs.arc.max: 4294967296\nvfs.zfs.l2arc.noprefetch: 1\n\
        vfs.zfs.arc.average_blocksize: 8192\nhw.physmem: 8589934592\n";
    tree::write(&tree, "commands/sysctl", said);
    let (root, before) = facts(&tree);
    assert_eq!(before.places.platform, arcwright_tunables::persist::Platform::Freebsd);
    assert_eq!(before.running.version.unwrap().to_string(), "2.1.14");
    assert_eq!(before.running.memory.unwrap().to_string(), "8 GiB");
    let requests = ["l2arc_noprefetch=0", "zfs_arc_average_blocksize=16KiB"];
    let lasting = plan(&before, Purpose::Persist, &requests);
    let persistence = persist(&lasting, &before.places, "a test").unwrap();
    let mut session = Session::open(&Disk, &NoCommands, &root, Kernel::Freebsd, why()).unwrap();
    session.persist(&persistence).unwrap();
    assert!(text(&tree, "/etc/sysctl.conf").contains("\nvfs.zfs.l2arc.noprefetch=0\n"));
    assert!(text(&tree, "/boot/loader.conf").starts_with(loader));
    session.undo(UndoTarget::All).unwrap();
    assert_eq!(text(&tree, "/boot/loader.conf"), loader);
    assert!(!tree.path().join("etc/sysctl.conf").exists());
    let live = plan(&before, Purpose::Live, &["l2arc_noprefetch=0"]);
    assert!(session.apply(&live).is_err());
}

#[test]
fn a_freebsd_of_old_goes_by_its_release() {
    let tree = tempfile::tempdir().unwrap();
    tree::write(&tree, "boot/loader.conf", "vfs.zfs.prefetch_disable=\"1\"\n");
    let said = "kern.osrelease: 11.4-RELEASE-p9\nvfs.zfs.prefetch_disable: 1\n\
        vfs.zfs.l2arc_norw: 1\n";
    tree::write(&tree, "commands/sysctl", said);
    let (_, facts) = facts(&tree);
    assert_eq!(facts.running.version.unwrap().to_string(), "freebsd-11.4");
    let entry = |name: &str| arcwright_tunables::lookup(name).unwrap();
    assert_eq!(facts.running.is_default(entry("l2arc_norw")), Some(true));
    assert_eq!(facts.places.persisted()[0].place(), "/boot/loader.conf:1");
}

#[test]
fn two_at_once_are_refused() {
    let tree = tree();
    let root = Root::copy(tree.path()).unwrap();
    let first = open(&Disk, &root);
    let second = Session::open(&Disk, &NoCommands, &root, Kernel::Linux, why());
    assert!(matches!(second, Err(HostError::Locked { .. })));
    drop(first);
    drop(open(&Disk, &root));
}

#[test]
fn a_damaged_backup_restores_nothing_and_the_way_back_goes_on() {
    let tree = tree();
    let (root, before) = facts(&tree);
    let path = tree.path().join("etc/modprobe.d/zz-arcwright.conf");
    fs::write(&path, "# mine\n").unwrap();
    let (_, now) = facts(&tree);
    let plan = plan(&before, Purpose::Persist, &["l2arc_noprefetch=0"]);
    let persistence = persist(&plan, &now.places, "a test").unwrap();
    open(&Disk, &root).persist(&persistence).unwrap();
    for backup in fs::read_dir(tree.path().join("var/lib/arcwright/backup")).unwrap() {
        fs::write(backup.unwrap().path(), "damaged").unwrap();
    }
    let undone = open(&Disk, &root).undo(UndoTarget::Last).unwrap();
    assert!(undone[0].what.contains("its backup is missing or damaged"), "{undone:?}");
    assert_eq!(text(&tree, "/etc/modprobe.d/zz-arcwright.conf"), "# mine\n");
    assert!(open(&Disk, &root).undo(UndoTarget::Last).unwrap().is_empty());
}
