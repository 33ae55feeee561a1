//! Every change stopped at every file operation, in every way: what is there is old or new, the
//! journal says which, and the way back leads to where it began, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use arcwright_tunables::journal::{Action, Event};
use arcwright_tunables::persist::{Persistence, persist, unpersist};
use arcwright_tunables::{Kernel, Plan, Purpose};
use tempfile::TempDir;

use super::super::atomic::digest;
use super::super::{Files, HostError, Root, Session, UndoTarget, load};
use super::faults::{FAULTS, Fault, Faulty, Quick};
use super::tree::{NoCommands, open, tree, why, write};
use super::{facts, plan};

/// The files of a tree that a change may touch, without arcwright's own.
type Contents = BTreeMap<String, Vec<u8>>;

/// What is done to a tree.
#[derive(Clone)]
enum Change {
    Apply(Plan),
    Persist(Persistence),
    Undo,
}

/// A tree to begin with, what happens before, and what is stopped.
struct Case {
    name: &'static str,
    begin: fn() -> TempDir,
    before: fn(&TempDir) -> Option<Change>,
    change: fn(&TempDir) -> Change,
}

const CASES: [Case; 7] = [
    Case { name: "apply", begin: tree, before: |_| None, change: live },
    Case { name: "persist to a new file", begin: tree, before: |_| None, change: lasting },
    Case { name: "persist to a file", begin: with_file, before: |_| None, change: lasting },
    Case { name: "take ours out", begin: with_ours, before: |_| None, change: out },
    Case {
        name: "undo of apply",
        begin: tree,
        before: |t| Some(live(t)),
        change: |_| Change::Undo,
    },
    Case {
        name: "undo of a new file",
        begin: tree,
        before: |t| Some(lasting(t)),
        change: |_| Change::Undo,
    },
    Case {
        name: "undo of a changed file",
        begin: with_file,
        before: |t| Some(lasting(t)),
        change: |_| Change::Undo,
    },
];

fn with_file() -> TempDir {
    let tree = tree();
    write(&tree, "etc/modprobe.d/zz-arcwright.conf", "# somebody’s, no end of line \\");
    tree
}

fn with_ours() -> TempDir {
    let tree = with_file();
    let Change::Persist(persistence) = lasting(&tree) else { unreachable!() };
    let text = persistence.edits[0].new.clone().unwrap();
    write(&tree, "etc/modprobe.d/zz-arcwright.conf", &text);
    tree
}

fn live(tree: &TempDir) -> Change {
    let requests = ["l2arc_noprefetch=0", "zfs_arc_max=4GiB", "zfs_arc_min=1GiB"];
    Change::Apply(plan(&facts(tree).1, Purpose::Live, &requests))
}

fn lasting(tree: &TempDir) -> Change {
    let (_, facts) = facts(tree);
    let plan = plan(&facts, Purpose::Persist, &["l2arc_noprefetch=0", "l2arc_write_max=64MiB"]);
    Change::Persist(persist(&plan, &facts.places, "a test").unwrap())
}

fn out(tree: &TempDir) -> Change {
    Change::Persist(unpersist(None, &facts(tree).1.places).unwrap())
}

fn make(tree: &TempDir, files: &dyn Files, change: &Change) -> Result<(), HostError> {
    let root = Root::copy(tree.path()).unwrap();
    let mut session = Session::open(files, &NoCommands, &root, Kernel::Linux, why())?;
    match change {
        Change::Apply(plan) => session.apply(plan).map(|_| ()),
        Change::Persist(persistence) => session.persist(persistence).map(|_| ()),
        Change::Undo => {
            let undone = session.undo(UndoTarget::All)?;
            let failed = undone.into_iter().find(|undone| undone.failed);
            failed.map_or(Ok(()), |failed| Err(HostError::Changed { path: failed.what }))
        }
    }
}

fn contents(tree: &TempDir) -> Contents {
    let mut all = Contents::new();
    for folder in ["etc/modprobe.d", "sys/module/zfs/parameters"] {
        collect(&tree.path().join(folder), tree.path(), &mut all);
    }
    all
}

fn collect(folder: &Path, tree: &Path, all: &mut Contents) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(tree).unwrap().to_string_lossy().into_owned();
        // A draft that a stopped machine leaves behind is no setting: modprobe reads *.conf.
        if !name.contains("/.arcwright-") {
            all.insert(name, fs::read(path).unwrap());
        }
    }
}

/// What `zfs_arc_max` and `zfs_arc_min` are set to on the way to the 0 that stands for it.
const THROUGH: [&[u8]; 2] = [b"8589934592\n", b"536870912\n"];

/// Checks that nothing is left beside the files of a change that failed: its machine went on and could
/// take it away, unless taking it away was what failed.
fn check_no_draft(tree: &TempDir, place: &str) {
    let mut drafts = Vec::new();
    for entry in fs::read_dir(tree.path().join("etc/modprobe.d")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        drafts.extend(name.starts_with(".arcwright-").then_some(name));
    }
    assert!(drafts.is_empty(), "{place}: {drafts:?}");
}

/// Checks that every file is as it was or as it would be, or a parameter on the way back.
fn check_old_or_new(now: &Contents, old: &Contents, new: &Contents, place: &str) {
    for name in now.keys().chain(old.keys()).chain(new.keys()) {
        let bytes = now.get(name);
        let through = name.contains("/zfs_arc_m")
            && bytes.is_some_and(|bytes| THROUGH.contains(&bytes.as_slice()));
        let whole = bytes == old.get(name) || bytes == new.get(name);
        assert!(whole || through, "{place}: {name} is neither");
    }
}

/// Checks that a settled journal says of every step what the machine shows.
fn check_truth(tree: &TempDir, place: &str) {
    let root = Root::copy(tree.path()).unwrap();
    let journal = load(&Quick, &root).unwrap();
    for operation in journal.operations() {
        for done in &operation.steps {
            assert!(!done.is_pending(), "{place}: {done:?} is still open");
            let (now, new) = match &done.action {
                Action::Live { name, new, back_through, .. } => {
                    let path = root.at(&format!("/sys/module/zfs/parameters/{name}"));
                    let now = path.text().unwrap().unwrap().trim_end().to_owned();
                    let through = back_through.as_ref().filter(|way| **way == now);
                    (Some(now.clone()), Some(through.unwrap_or(new).clone()))
                }
                Action::File { path, new, .. } => {
                    (root.at(path).bytes().unwrap().map(|bytes| digest(&bytes)), new.clone())
                }
                Action::Middleware { .. } => unreachable!(),
            };
            let says = done.event == Event::Done;
            assert_eq!(says, now == new, "{place}: {done:?} but there is {now:?}");
        }
    }
}

/// Returns a tree at the point where the change of a case begins, and what it held at first.
fn begun(case: &Case) -> (TempDir, Contents) {
    let tree = (case.begin)();
    let origin = contents(&tree);
    if let Some(before) = (case.before)(&tree) {
        make(&tree, &Quick, &before).unwrap();
    }
    (tree, origin)
}

/// Stops one case at operation `at`; says whether it got that far.
fn stop(case: &Case, (fault, at): (Fault, usize), new: &Contents) -> bool {
    let place = format!("{}, {fault:?} at operation {at}", case.name);
    let (tree, origin) = begun(case);
    let change = (case.change)(&tree);
    let old = contents(&tree);
    let faulty = Faulty::new(fault, at);
    let result = make(&tree, &faulty, &change);
    assert!(result.is_err() || !faulty.struck(), "{place}: the fault went unnoticed");
    check_old_or_new(&contents(&tree), &old, new, &place);
    if matches!(fault, Fault::Fail | Fault::FailWithin) {
        check_no_draft(&tree, &place);
    }

    // The machine starts again.
    let root = Root::copy(tree.path()).unwrap();
    drop(open(&Quick, &root));
    check_old_or_new(&contents(&tree), &old, new, &place);
    check_truth(&tree, &place);

    open(&Quick, &root).undo(UndoTarget::All).unwrap();
    assert_eq!(contents(&tree), origin, "{place}: the way back");
    check_truth(&tree, &place);
    faulty.struck()
}

#[test]
fn a_change_stopped_anywhere_is_whole_or_not_and_can_be_taken_back() {
    /// No change takes so many operations.
    const OPERATIONS_MAX: usize = 200;
    for case in &CASES {
        let (whole, _) = begun(case);
        make(&whole, &Quick, &(case.change)(&whole)).unwrap();
        let new = contents(&whole);
        for fault in FAULTS {
            let reached =
                (0..OPERATIONS_MAX).take_while(|at| stop(case, (fault, *at), &new)).count();
            assert!((8..OPERATIONS_MAX).contains(&reached), "{}: {reached}", case.name);
        }
    }
}
