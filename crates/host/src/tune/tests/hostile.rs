//! A copy of a machine's files from somebody who wants others to be written: links out of it, files with a
//! second name, pipes, journals that lead elsewhere. Whatever is tried in it, what stands outside stays.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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

/// Whoever owns the copy may exchange its folders at any moment: between a look and a write too.
#[test]
fn a_folder_that_becomes_a_link_meanwhile_leads_nowhere() {
    /// So often everything is tried, each time at other moments of the exchange.
    const ROUNDS: usize = 40;
    for folder in ["etc/modprobe.d", "sys/module/zfs/parameters", "var/lib/arcwright"] {
        let (outside, tree) = (Outside::new(), tree());
        let before = outside.contents();
        let (place, kept) = (tree.path().join(folder), tree.path().join("kept"));
        fs::create_dir_all(&place).unwrap();
        let target = outside.folder.path().join(folder);
        let ended = AtomicBool::new(false);
        let exchanged = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    if fs::rename(&place, &kept).is_ok() {
                        drop(symlink(&target, &place));
                        std::thread::yield_now();
                        // Something may have been made there meanwhile; it is as good a folder.
                        if fs::remove_file(&place).is_ok() {
                            drop(fs::rename(&kept, &place));
                            exchanged.fetch_add(1, Ordering::Relaxed);
                        }
                    } else {
                        drop(fs::remove_dir_all(&kept));
                    }
                }
            });
            for _round in 0..ROUNDS {
                try_everything(&tree);
            }
            ended.store(true, Ordering::Relaxed);
        });
        assert_eq!(outside.contents(), before, "{folder}");
        assert!(exchanged.load(Ordering::Relaxed) > 0, "{folder} was never exchanged");
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

/// Makes a file of ours unreadable in a way.
type Spoil = fn(&Path);

/// What may stand where a text of ours should.
const SPOILED: [(&str, Spoil); 5] = [
    ("no UTF-8", |path| fs::write(path, b"options \xfc\n").unwrap()),
    ("a folder", |path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }),
    ("a pipe", |path| {
        fs::remove_file(path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }),
    ("a link", |path| {
        fs::remove_file(path).unwrap();
        symlink("/etc/hostname", path).unwrap();
    }),
    ("too large", |path| fs::write(path, vec![b'#'; 17 << 20]).unwrap()),
];

fn session(root: &Root) -> Session<'_> {
    Session::open(&Disk, &NoCommands, root, Kernel::Linux, why()).unwrap()
}

/// Sets a value and writes a file; returns the numbers of the two operations.
fn set_and_written(tree: &TempDir, root: &Root) -> (u64, u64) {
    let facts = read(root, &NoCommands);
    let applied = session(root).apply(&plan(&facts, Purpose::Live, &["l2arc_noprefetch=0"]));
    write(tree, "etc/modprobe.d/zz-arcwright.conf", "# somebody's\n");
    let facts = read(root, &NoCommands);
    let lasting = plan(&facts, Purpose::Persist, &["l2arc_norw=1"]);
    let edits = persist(&lasting, &facts.places, "x").unwrap();
    (applied.unwrap(), session(root).persist(&edits).unwrap())
}

#[test]
fn a_step_that_cannot_be_taken_back_holds_up_nothing_else() {
    for (what, spoil) in SPOILED {
        let tree = tree();
        let root = Root::copy(tree.path()).unwrap();
        let (applied, persisted) = set_and_written(&tree, &root);
        spoil(&tree.path().join("etc/modprobe.d/zz-arcwright.conf"));
        let undone = session(&root).undo(UndoTarget::One(persisted)).unwrap();
        assert!(
            undone[0].failed && undone[0].what.contains("not taken back"),
            "{what}: {undone:?}"
        );
        // Others go on, and so does whoever sets something.
        let undone = session(&root).undo(UndoTarget::One(applied)).unwrap();
        assert!(!undone[0].failed, "{what}: {undone:?}");
        let facts = read(&root, &NoCommands);
        session(&root).apply(&plan(&facts, Purpose::Live, &["l2arc_headroom=4"])).unwrap();
        let undone = session(&root).undo(UndoTarget::All).unwrap();
        let failed: Vec<bool> = undone.iter().map(|undone| undone.failed).collect();
        assert_eq!(failed, [false, true], "{what}: {undone:?}");
        // Once the file is one again, the way back is open.
        let path = tree.path().join("etc/modprobe.d/zz-arcwright.conf");
        drop(fs::remove_dir(&path));
        drop(fs::remove_file(&path));
        let undone = session(&root).undo(UndoTarget::All).unwrap();
        assert_eq!(
            undone.iter().map(|undone| undone.failed).collect::<Vec<_>>(),
            [false],
            "{what}"
        );
    }
}

#[test]
fn a_backup_that_is_no_text_of_ours_is_damaged_whatever_it_is() {
    for (what, spoil) in SPOILED {
        let tree = tree();
        let root = Root::copy(tree.path()).unwrap();
        let (_, persisted) = set_and_written(&tree, &root);
        for entry in fs::read_dir(tree.path().join("var/lib/arcwright/backup")).unwrap() {
            spoil(&entry.unwrap().path());
        }
        let undone = session(&root).undo(UndoTarget::One(persisted)).unwrap();
        let said = &undone[0].what;
        assert!(!undone[0].failed && said.contains("only arcwright’s lines"), "{what}: {said}");
        let left = fs::read_to_string(tree.path().join("etc/modprobe.d/zz-arcwright.conf"));
        assert_eq!(left.unwrap(), "# somebody's\n", "{what}");
    }
}

#[test]
fn a_long_journal_leaves_room_to_undo_and_for_nothing_else() {
    let tree = tree();
    let root = Root::copy(tree.path()).unwrap();
    let (applied, _) = set_and_written(&tree, &root);
    let path = tree.path().join(JOURNAL.trim_start_matches('/'));
    let text = fs::read_to_string(&path).unwrap();
    let last = text.lines().last().unwrap().to_owned() + "\n";
    fs::write(&path, text + &last.repeat((8 << 20) / last.len())).unwrap();
    let facts = read(&root, &NoCommands);
    let change = plan(&facts, Purpose::Live, &["l2arc_headroom=4"]);
    let said = session(&root).apply(&change).unwrap_err().to_string();
    assert!(said.contains("has 8 MiB") && said.contains("undo all"), "{said}");
    let value = || {
        let name = "sys/module/zfs/parameters/l2arc_headroom";
        fs::read_to_string(tree.path().join(name)).unwrap()
    };
    assert_ne!(value().trim(), "4");
    let undone = session(&root).undo(UndoTarget::One(applied)).unwrap();
    assert!(!undone[0].failed, "{undone:?}");
}
