//! TrueNAS: the calls that are made, stopped before and after each, with a middleware made up.

use std::cell::{Cell, RefCell};
use std::io;

use arcwright_tunables::persist::{Command, Record, persist};
use arcwright_tunables::{Kernel, Purpose};

use super::super::{Commands, Disk, HostError, Output, Root, Session, UndoTarget, load, read};
use super::plan;
use super::tree::{tree, why, write};

/// A middleware that keeps records and may stop answering.
#[derive(Debug, Default)]
struct Middleware {
    records: RefCell<Vec<Record>>,
    calls: RefCell<Vec<String>>,
    /// Calls until it fails, and whether that one is still carried out.
    fails: Cell<Option<(usize, bool)>>,
}

impl Middleware {
    fn with(records: Vec<Record>) -> Self {
        Self { records: RefCell::new(records), ..Self::default() }
    }

    fn answer(&self, words: &[&str]) -> String {
        let mut records = self.records.borrow_mut();
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        match words {
            ["tunable.query"] => return serde_json::to_string(&*records).unwrap(),
            ["-j", "tunable.create", fields] => {
                let fields = value(fields);
                let text = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
                let id = 40 + records.len() as u64;
                records.push(Record {
                    id,
                    kind: text("type"),
                    var: text("var"),
                    value: text("value"),
                    comment: text("comment"),
                    enabled: fields["enabled"].as_bool().unwrap(),
                });
            }
            ["-j", "tunable.update", id, fields] => {
                let (id, fields) = (id.parse::<u64>().unwrap(), value(fields));
                let record = records.iter_mut().find(|record| record.id == id).unwrap();
                record.value = fields["value"].as_str().unwrap().to_owned();
                record.comment = fields["comment"].as_str().unwrap().to_owned();
                record.enabled = fields["enabled"].as_bool().unwrap();
            }
            ["-j", "tunable.delete", id] => {
                let id = id.parse::<u64>().unwrap();
                records.retain(|record| record.id != id);
            }
            other => panic!("no such call: {other:?}"),
        }
        String::new()
    }
}

impl Commands for Middleware {
    fn run(&self, command: &Command) -> io::Result<Output> {
        self.calls.borrow_mut().push(command.to_string());
        let words: Vec<&str> = command.words.iter().skip(2).map(String::as_str).collect();
        let stopped =
            |text: &str| Ok(Output { ok: false, text: String::new(), complaints: text.to_owned() });
        match self.fails.get() {
            Some((0, done)) => {
                if done {
                    self.answer(&words);
                }
                self.fails.set(None);
                return stopped("connection lost");
            }
            Some((left, done)) => self.fails.set(Some((left - 1, done))),
            None => {}
        }
        Ok(Output { ok: true, text: self.answer(&words), complaints: String::new() })
    }
}

fn record(var: &str, value: &str) -> Record {
    let text = |text: &str| text.to_owned();
    let (kind, comment) = (text("ZFS"), text("the owner’s"));
    Record { id: 3, kind, var: text(var), value: text(value), comment, enabled: false }
}

fn persist_on(root: &Root, middleware: &Middleware) -> Result<u64, HostError> {
    let facts = read(root, middleware);
    let plan =
        plan(&facts, Purpose::Persist, &["l2arc_noprefetch=0", "zfs_arc_max=4GiB", "l2arc_norw=1"]);
    let edit = |why| HostError::Edit { path: "middleware".to_owned(), why };
    let persistence = persist(&plan, &facts.places, "by arcwright").map_err(edit)?;
    Session::open(&Disk, middleware, root, Kernel::Linux, why())?.persist(&persistence)
}

#[test]
fn calls_are_made_and_taken_back_wherever_the_middleware_stops() {
    // Three changes with a call and a look each; two looks before.
    for fails in (0..12).flat_map(|at| [(at, false), (at, true)]) {
        let tree = tree();
        write(&tree, "usr/bin/midclt", "");
        let root = Root::copy(tree.path()).unwrap();
        let origin = vec![record("zfs_arc_max", "1073741824")];
        let middleware = Middleware::with(origin.clone());
        middleware.fails.set(Some(fails));
        let result = persist_on(&root, &middleware);
        let struck = middleware.fails.take().is_none();
        assert!(result.is_err() || !struck, "{fails:?}");
        let mut session = Session::open(&Disk, &middleware, &root, Kernel::Linux, why()).unwrap();
        session.undo(UndoTarget::All).unwrap();
        drop(session);
        assert_eq!(*middleware.records.borrow(), origin, "{fails:?}");
        let journal = load(&Disk, &root).unwrap();
        let open = journal.operations().iter().any(|operation| !operation.in_force().is_empty());
        assert!(!open, "{fails:?}");
    }
}

#[test]
fn nothing_but_the_middleware_is_written() {
    let tree = tree();
    write(&tree, "usr/bin/midclt", "");
    let root = Root::copy(tree.path()).unwrap();
    let middleware = Middleware::default();
    persist_on(&root, &middleware).unwrap();
    assert!(!tree.path().join("etc/modprobe.d/zz-arcwright.conf").exists());
    let calls = middleware.calls.borrow();
    let made: Vec<&String> = calls.iter().filter(|call| call.contains("create")).collect();
    assert_eq!(made.len(), 3, "{calls:?}");
    assert!(made[0].contains(r#""type":"ZFS""#) && made[0].contains(r#""value":"4294967296""#));
}
