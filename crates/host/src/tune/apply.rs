//! Making the steps of a plan, each with its lines in the journal.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use arcwright_tunables::journal::{Action, Entry, Event, Journal, VERSION};
use arcwright_tunables::persist::{Change, FileEdit, Persistence, settings_of};
use arcwright_tunables::{Kernel, Plan, Step};

use super::atomic::{check_plain, digest, put, text};
use super::facts::arc_bounds;
use super::files::Files;
use super::journal::{JOURNAL, add, keep, load};
use super::live::{Live, is_same};
use super::system::{Commands, text_of};
use super::{HostError, Root};
use crate::root::Open;

/// Who changes something, when, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditNote {
    /// Who.
    pub who: String,
    /// Why, in their words or the name of a profile.
    pub why: String,
    /// Seconds since 1970.
    pub time: u64,
}

/// The right to change settings, held until it is dropped: only one arcwright has it.
pub struct Session<'a> {
    pub(super) live: Live<'a>,
    pub(super) journal: Journal,
    why: AuditNote,
    _lock: File,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("why", &self.why).finish_non_exhaustive()
    }
}

/// With a longer journal nothing more is changed: what is left to 16 MiB, beyond which it is not read, is for undoing.
const CHANGES_BYTES_MAX: usize = 8 << 20;

/// The lock's path on the machine.
const LOCK: &str = "/var/lib/arcwright/lock";

impl<'a> Session<'a> {
    /// Takes the lock, reads the journal, and settles what a stopped arcwright left open.
    ///
    /// # Errors
    /// [`HostError::Locked`] when another one has it; [`HostError::File`] where nothing may be written.
    pub fn open(
        files: &'a dyn Files,
        commands: &'a dyn Commands,
        root: &'a Root,
        kernel: Kernel,
        why: AuditNote,
    ) -> Result<Self, HostError> {
        let lock = lock(files, root)?;
        let journal = load(files, root)?;
        let live = Live { files, commands, root, kernel };
        let mut session = Self { live, journal, why, _lock: lock };
        session.settle()?;
        Ok(session)
    }

    /// Sets the steps of a plan in the running module and returns the operation's number.
    ///
    /// # Errors
    /// [`HostError`] of the first step that could not be made; those before it are made.
    pub fn apply(&mut self, plan: &Plan) -> Result<u64, HostError> {
        let operation = self.journal.next_id();
        for (index, step) in (0..).zip(&plan.steps) {
            let module = step.entry.module.name();
            let old = self.live.read(module, &step.name)?.unwrap_or_default();
            let text = ToString::to_string;
            let action = Action::Live {
                name: step.name.clone(),
                module: module.to_owned(),
                new: step.new.to_string(),
                through: step.through.as_ref().map(text),
                back_through: step.back_through.as_ref().map(text).filter(|_| is_zero(&old)),
                old,
            };
            self.make((operation, index), action, |session| session.set(step))?;
        }
        Ok(operation)
    }

    /// Writes what makes settings outlive a boot and returns the operation's number.
    ///
    /// # Errors
    /// [`HostError`] of the first step that could not be made; those before it are made.
    pub fn persist(&mut self, persistence: &Persistence) -> Result<u64, HostError> {
        let operation = self.journal.next_id();
        let mut index = 0..;
        for edit in &persistence.edits {
            let action = self.action_of(edit)?;
            let step = (operation, index.next().unwrap_or_default());
            self.make(step, action, |session| session.write(edit))?;
        }
        for change in &persistence.changes {
            let action = Action::Middleware { change: change.clone() };
            let step = (operation, index.next().unwrap_or_default());
            self.make(step, action, |session| session.change(change))?;
        }
        Ok(operation)
    }

    /// Makes one step between its two lines in the journal.
    fn make(
        &mut self,
        step: (u64, u32),
        action: Action,
        make: impl FnOnce(&Self) -> Result<(), HostError>,
    ) -> Result<(), HostError> {
        if self.journal.bytes > CHANGES_BYTES_MAX {
            let (path, bytes) = (self.live.root.at(JOURNAL).to_string(), self.journal.bytes);
            return Err(HostError::JournalFull { path, bytes });
        }
        self.note(step, Event::Planned, None, action.clone())?;
        match make(self) {
            Ok(()) => self.note(step, Event::Done, None, action),
            Err(error) => {
                // Whether it happened in spite of the error is what the machine shows.
                let made = self.is_made(&action).unwrap_or(None);
                let event = if made == Some(true) { Event::Done } else { Event::Failed };
                self.note(step, event, Some(error.to_string()), action)?;
                Err(error)
            }
        }
    }

    /// Adds a line to the journal.
    pub(super) fn note(
        &mut self,
        (operation, step): (u64, u32),
        event: Event,
        reason: Option<String>,
        action: Action,
    ) -> Result<(), HostError> {
        let AuditNote { who, why, time } = self.why.clone();
        let entry = Entry { v: VERSION, operation, step, time, who, why, event, reason, action };
        add(self.live.files, self.live.root, &mut self.journal, entry)
    }

    fn set(&self, step: &Step) -> Result<(), HostError> {
        let module = step.entry.module.name();
        if let Some(through) = &step.through {
            self.live.set(module, &step.name, &through.to_string())?;
        }
        self.live.set(module, &step.name, &step.new.to_string())?;
        self.check_in_force(step)
    }

    /// Refuses an ARC size that reads back as written and that the module ignores all the same.
    fn check_in_force(&self, step: &Step) -> Result<(), HostError> {
        let Some(wanted) = step.new.number().filter(|number| *number > 0) else { return Ok(()) };
        // A copy of a machine's files counts nothing.
        let bounds = Some(self.live.root).filter(|root| root.is_machine()).and_then(arc_bounds);
        let found = match (step.entry.name.as_str(), bounds) {
            ("zfs_arc_min", Some((least, _))) => least,
            ("zfs_arc_max", Some((_, most))) => most,
            _ => return Ok(()),
        };
        if found == wanted {
            return Ok(());
        }
        Err(HostError::NotTaken {
            name: step.name.clone(),
            wanted: wanted.to_string(),
            found: format!("{found} in arcstats"),
        })
    }

    /// Keeps the text that an edit replaces, and returns what the journal says of the edit.
    fn action_of(&self, edit: &FileEdit) -> Result<Action, HostError> {
        let Live { files, root, .. } = self.live;
        let path = root.at(&edit.path);
        check_plain(files, &path, &edit.path)?;
        if text(files, &path)? != edit.old {
            return Err(HostError::Changed { path: edit.path.clone() });
        }
        let names = |text: &Option<String>| {
            let names = settings_of(text.as_deref().unwrap_or_default());
            names.map_err(|why| HostError::Edit { path: edit.path.clone(), why })
        };
        let old = edit.old.as_ref().map(|text| keep(files, root, text)).transpose()?;
        let new = edit.new.as_ref().map(|text| digest(text.as_bytes()));
        let names = [names(&edit.old)?, names(&edit.new)?];
        Ok(Action::File { path: edit.path.clone(), old, new, names })
    }

    fn write(&self, edit: &FileEdit) -> Result<(), HostError> {
        let Live { files, root, .. } = self.live;
        let path = root.at(&edit.path);
        // Between the plan and now somebody may have written it.
        if text(files, &path)? != edit.old {
            return Err(HostError::Changed { path: edit.path.clone() });
        }
        put(files, &path, edit.new.as_deref().map(str::as_bytes))?;
        match text(files, &path)? == edit.new {
            true => Ok(()),
            false => Err(HostError::Changed { path: edit.path.clone() }),
        }
    }

    fn change(&self, change: &Change) -> Result<(), HostError> {
        text_of(self.live.commands, &change.apply())?;
        let there = self.records()?;
        if change.holds(&there) {
            return Ok(());
        }
        let found = there.iter().find(|record| record.var == change.var);
        Err(HostError::NotTaken {
            name: change.var.clone(),
            wanted: change.new.clone().unwrap_or_else(|| "nothing".to_owned()),
            found: found.map_or_else(|| "nothing".to_owned(), |record| record.value.clone()),
        })
    }

    /// Returns what the middleware keeps now.
    pub(super) fn records(&self) -> Result<Vec<arcwright_tunables::persist::Record>, HostError> {
        let query = Change::query();
        let text = text_of(self.live.commands, &query)?;
        serde_json::from_str(&text).map_err(|error| HostError::Command {
            command: query.to_string(),
            why: error.to_string(),
        })
    }

    /// Returns whether the machine shows a step to be made, not to be made, or neither.
    pub(super) fn is_made(&self, action: &Action) -> Result<Option<bool>, HostError> {
        let among = |now: bool, before: bool| match (now, before) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        };
        Ok(match action {
            Action::Live { name, module, old, new, through, back_through } => {
                let value = self.live.read(module, name)?.unwrap_or_default();
                // Stopped on the way through: not as it was, so that it must be taken back.
                let on_the_way = [through, back_through];
                let on_the_way = on_the_way.into_iter().flatten().any(|way| is_same(&value, way));
                among(is_same(&value, new) || on_the_way, is_same(&value, old))
            }
            Action::File { path, old, new, .. } => {
                let now = text(self.live.files, &self.live.root.at(path))?;
                let now = now.map(|text| digest(text.as_bytes()));
                among(now == *new, now == *old)
            }
            Action::Middleware { change } => {
                let there = self.records()?;
                among(change.holds(&there), change.undo(&there).is_none())
            }
        })
    }

    /// Settles the steps that were planned, or were being undone, when the machine stopped.
    fn settle(&mut self) -> Result<(), HostError> {
        for operation in self.journal.operations() {
            for done in operation.steps.iter().filter(|done| done.is_pending()) {
                // What cannot be looked at now stays open, and stands in nobody's way.
                let Ok(made) = self.is_made(&done.action) else { continue };
                if let Some((event, reason)) = done.settled(made) {
                    let step = (operation.id, done.step);
                    self.note(step, event, reason, done.action.clone())?;
                }
            }
        }
        Ok(())
    }
}

/// How long a lock is waited for. A process that is being started holds the locks of the one that starts
/// it, until it is another program: milliseconds in which nobody is at work.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// Takes the right to change the machine, held until the file is closed: only one arcwright has it.
pub(crate) fn exclusive(root: &Root) -> Result<File, HostError> {
    lock(&super::files::Disk, root)
}

fn lock(files: &dyn Files, root: &Root) -> Result<File, HostError> {
    let place = root.at(LOCK);
    let folder = place.parent();
    files.make_folder(&folder).map_err(HostError::file("make", &folder))?;
    let file = place.open(Open::Append).map_err(HostError::file("lock", &place))?;
    let until = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                std::thread::sleep(LOCK_PATIENCE / 50);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(HostError::Locked { path: place.to_string() });
            }
            Err(TryLockError::Error(error)) => return Err(HostError::file("lock", &place)(error)),
        }
    }
}

fn is_zero(text: &str) -> bool {
    text.trim() == "0"
}
