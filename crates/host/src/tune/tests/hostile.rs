//! A copy of a machine's files from somebody who wants others to be written: links out of it, files with a
//! second name, pipes, journals that lead elsewhere. Whatever is tried in it, what stands outside stays.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use arcwright_tunables::persist::persist;
use arcwright_tunables::{Kernel, Purpose};
use tempfile::TempDir;

use super::super::{Disk, JOURNAL, Root, Session, UndoTarget, load, read, verify};
use super::plan;
use super::tree::{NoCommands, tree, why, write};

/// What stands outside: a machine's files as well, so that a link to it would be followed to the end.
struct Outside {
    folder: TempDir,
}

impl Outside {
    fn new() -> Self {
        Self { folder: tree() }
    }

    fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        collect(self.folder.path(), &mut all);
        all
    }
}

fn collect(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(&path, all),
            false => drop(all.insert(path.clone(), fs::read(path).unwrap())),
        }
    }
}

/// Does all that can be done to a tree; what of it fails is of no account here.
fn try_everything(tree: &TempDir) {
    let root = Root::copy(tree.path()).unwrap();
    let facts = read(&root, &NoCommands);
    if let Ok(journal) = load(&Disk, &root) {
        drop(verify(&journal, &facts, &root));
    }
    let session = || Session::open(&Disk, &NoCommands, &root, Kernel::Linux, why()).ok();
    if let Some(mut session) = session() {
        drop(session.undo(UndoTarget::All));
    }
    if facts.running.parameters.contains_key("l2arc_noprefetch") {
        let lasting = plan(&facts, Purpose::Persist, &["l2arc_noprefetch=0"]);
        if let (Some(mut session), Ok(edits)) = (session(), persist(&lasting, &facts.places, "x")) {
            drop(session.persist(&edits));
        }
        if let Some(mut session) = session() {
            drop(session.apply(&plan(&facts, Purpose::Live, &["l2arc_noprefetch=0"])));
        }
    }
    if let Some(mut session) = session() {
        drop(session.undo(UndoTarget::All));
    }
}

/// Makes room for something hostile at `path` of a tree: what stood there goes, what is above is there.
fn make_way(tree: &TempDir, path: &str) -> PathBuf {
    let place = tree.path().join(path);
    drop(fs::remove_file(&place));
    drop(fs::remove_dir_all(&place));
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    place
}

/// Folders of a tree that something is read from or written to.
const FOLDERS: [&str; 11] = [
    "etc",
    "etc/modprobe.d",
    "var",
    "var/lib",
    "var/lib/arcwright",
    "var/lib/arcwright/backup",
    "sys",
    "sys/module",
    "sys/module/zfs",
    "sys/module/zfs/parameters",
    "proc",
];

#[test]
fn no_link_leads_out_of_a_copy() {
    for folder in FOLDERS {
        for relative in [false, true] {
            let (outside, tree) = (Outside::new(), tree());
            let before = outside.contents();
            let place = make_way(&tree, folder);
            let target = outside.folder.path().join(folder);
            let up = "../".repeat(folder.split('/').count() + 8);
            match relative {
                true => symlink(format!("{up}{}", target.display()), &place).unwrap(),
                false => symlink(&target, &place).unwrap(),
            }
            try_everything(&tree);
            assert_eq!(outside.contents(), before, "{folder}, relative: {relative}");
        }
    }
}

#[test]
fn no_file_is_written_under_a_second_name() {
    let files = [
        "etc/modprobe.d/zz-arcwright.conf",
        "etc/modprobe.d/.arcwright-zz-arcwright.conf",
        "sys/module/zfs/parameters/l2arc_noprefetch",
        "var/lib/arcwright/journal.jsonl",
        "var/lib/arcwright/lock",
    ];
    for file in files {
        for hard in [false, true] {
            let (outside, tree) = (Outside::new(), tree());
            let victim = outside.folder.path().join("victim");
            fs::write(&victim, "1\n").unwrap();
            let before = outside.contents();
            let place = make_way(&tree, file);
            match hard {
                true => fs::hard_link(&victim, &place).unwrap(),
                false => symlink(&victim, &place).unwrap(),
            }
            try_everything(&tree);
            assert_eq!(outside.contents(), before, "{file}, hard: {hard}");
        }
    }
}

#[test]
fn a_journal_is_data_and_leads_nowhere() {
    let digest = "0".repeat(64);
    let outside = Outside::new();
    let out = outside.folder.path().display().to_string();
    let live = |name: &str, module: &str| {
        format!(r#""kind":"live","name":"{name}","module":"{module}","old":"7","new":"1""#)
    };
    let file = |path: &str, old: &str| {
        format!(r#""kind":"file","path":"{path}","old":{old},"new":null,"names":[[],[]]"#)
    };
    let actions = [
        file(&format!("/../../../../../..{out}/etc/modprobe.d/zfs.conf"), "null"),
        file("/../victim", &format!("\"{digest}\"")),
        file(&format!("{out}/etc/os-release"), "null"),
        file("/etc/modprobe.d/zz-arcwright.conf", "\"../../../../etc/os-release\""),
        live("../../../../../../etc/os-release", "zfs"),
        live("l2arc_noprefetch", "../../../../../.."),
    ];
    let before = outside.contents();
    for action in actions {
        for event in ["planned", "done", "undoing"] {
            let tree = tree();
            let line = format!(
                r#"{{"v":1,"operation":1,"step":0,"time":1,"who":"a","why":"b","event":"{event}","action":{{{action}}}}}"#
            );
            write(&tree, JOURNAL.trim_start_matches('/'), &(line + "\n"));
            let root = Root::copy(tree.path()).unwrap();
            let journal = load(&Disk, &root).unwrap();
            assert!(journal.entries.is_empty() && journal.problems.len() == 1, "{action}");
            try_everything(&tree);
            assert_eq!(outside.contents(), before, "{action}");
        }
    }
}

#[test]
fn nothing_waits_for_a_pipe_or_reads_without_end() {
    let places = [
        "etc/modprobe.d/a.conf",
        "etc/os-release",
        "sys/module/zfs/parameters/l2arc_headroom",
        "var/lib/arcwright/journal.jsonl",
        "proc/meminfo",
    ];
    for place in places {
        let tree = tree();
        let path = make_way(&tree, place);
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        try_everything(&tree);
        fs::remove_file(&path).unwrap();
        // A file that holds nothing and is larger than any disk.
        fs::File::create(&path).unwrap().set_len(1 << 40).unwrap_or_default();
        try_everything(&tree);
    }
}

#[test]
fn a_link_within_a_copy_is_followed() {
    let tree = tree();
    let from = tree.path().join("etc/modprobe.d");
    fs::rename(&from, tree.path().join("etc/real.d")).unwrap();
    symlink("real.d", &from).unwrap();
    let root = Root::copy(tree.path()).unwrap();
    let facts = read(&root, &NoCommands);
    let places: Vec<String> = facts.places.persisted().iter().map(|line| line.place()).collect();
    assert_eq!(places, ["/etc/modprobe.d/zfs.conf:2"]);
}
