//! The way back.
//!
//! A file that is as we left it gets its old text back byte for byte. A file that somebody changed
//! since keeps their lines: only our block goes back to what it was. A value that somebody else set
//! since is left alone.

use arcwright_tunables::journal::{Action, Done, Event, Operation};
use arcwright_tunables::persist::{Change, settings_of, unset};

use super::HostError;
use super::apply::Session;
use super::atomic::{check_plain, digest, put, text};
use super::journal::restore;
use super::live::{is_same, shown};
use super::system::text_of;

/// Which operations are undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoTarget {
    /// The last one with something in force.
    Last,
    /// Every one.
    All,
    /// The one with this number.
    One(u64),
}

/// What was undone, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The operation.
    pub operation: u64,
    /// What was taken back, or why not.
    pub what: String,
    /// Whether files changed, so that the next boot has to know.
    pub wrote_file: bool,
    /// Whether it is still in force, since it could not be taken back.
    pub failed: bool,
}

impl Session<'_> {
    /// Returns the operations that would be undone, the last first.
    ///
    /// # Errors
    /// [`HostError::NoOperation`] when one is asked for that is not there.
    pub fn to_undo(&self, which: UndoTarget) -> Result<Vec<Operation>, HostError> {
        let all = self.journal.operations();
        let in_force = |operation: &&Operation| !operation.in_force().is_empty();
        let chosen: Vec<Operation> = match which {
            UndoTarget::Last => all.iter().rev().find(in_force).cloned().into_iter().collect(),
            UndoTarget::All => all.iter().rev().filter(in_force).cloned().collect(),
            UndoTarget::One(id) => {
                let found = all.iter().find(|operation| operation.id == id);
                let missing = || HostError::NoOperation { id };
                Some(found.ok_or_else(missing)?).filter(in_force).cloned().into_iter().collect()
            }
        };
        Ok(chosen)
    }

    /// Takes operations back, the last step first. A step that cannot be taken back stays in force and is said to have
    /// failed; the others go on.
    ///
    /// # Errors
    /// [`HostError`] where the journal cannot be written.
    pub fn undo(&mut self, which: UndoTarget) -> Result<Vec<Undone>, HostError> {
        let mut undone = Vec::new();
        for operation in self.to_undo(which)? {
            for done in operation.in_force() {
                undone.push(self.take_back(operation.id, done)?);
            }
        }
        Ok(undone)
    }

    fn take_back(&mut self, operation: u64, done: &Done) -> Result<Undone, HostError> {
        let step = (operation, done.step);
        self.note(step, Event::Undoing, None, done.action.clone())?;
        let back = match &done.action {
            Action::Live { .. } => self.live_back(&done.action),
            Action::File { .. } => self.file_back(&done.action),
            Action::Middleware { change } => self.middleware_back(change),
        };
        match back {
            Ok((what, reason, wrote_file)) => {
                self.note(step, Event::Undone, reason, done.action.clone())?;
                Ok(Undone { operation, what, wrote_file, failed: false })
            }
            Err(error) => {
                // Whether it is back in spite of the error is what the machine shows. Where it shows nothing the step
                // stays open and can be tried again.
                let reason = error.to_string();
                if let Ok(Some(made)) = self.is_made(&done.action) {
                    let event = if made { Event::Done } else { Event::Undone };
                    self.note(step, event, Some(reason.clone()), done.action.clone())?;
                }
                let what = format!("{}: not taken back: {reason}", subject(&done.action));
                Ok(Undone { operation, what, wrote_file: false, failed: true })
            }
        }
    }

    fn middleware_back(
        &self,
        change: &Change,
    ) -> Result<(String, Option<String>, bool), HostError> {
        if let Some(call) = &change.undo(&self.records()?) {
            text_of(self.live.commands, call)?;
        }
        Ok((format!("{}: restored in the middleware", change.var), None, false))
    }

    fn live_back(&self, action: &Action) -> Result<(String, Option<String>, bool), HostError> {
        let Action::Live { name, module, old, new, through, back_through } = action else {
            return Ok(Default::default());
        };
        let Some(now) = self.live.read(module, name)? else {
            let reason = format!("the module no longer has {name}; nothing is undone");
            return Ok((reason.clone(), Some(reason), false));
        };
        if is_same(&now, old) {
            return Ok((format!("{name} is {old} already"), None, false));
        }
        let ours = [Some(new), through.as_ref(), back_through.as_ref()];
        if !ours.into_iter().flatten().any(|value| is_same(&now, value)) {
            let reason = format!("{name} is {}, set by others since; left alone", shown(&now));
            return Ok((reason.clone(), Some(reason), false));
        }
        if let Some(through) = back_through {
            self.live.set(module, name, through)?;
        }
        self.live.set(module, name, old)?;
        Ok((format!("{name}: {new} → {old}"), None, false))
    }

    fn file_back(&self, action: &Action) -> Result<(String, Option<String>, bool), HostError> {
        let Action::File { path, old, new, names } = action else {
            return Ok(Default::default());
        };
        let (files, root) = (self.live.files, self.live.root);
        let target = root.at(path);
        check_plain(files, &target, path)?;
        let now = text(files, &target)?;
        let now_digest = now.as_ref().map(|text| digest(text.as_bytes()));
        if now_digest == *old {
            return Ok((format!("{path} is unchanged"), None, false));
        }
        let before = old.as_ref().map(|digest| restore(files, root, digest, path)).transpose();
        let (before, is_lost) = match before {
            Ok(before) => (before, false),
            // What the text was is lost, our lines are known: the way back goes on without it.
            Err(HostError::Backup { .. }) => (None, true),
            Err(error) => return Err(error),
        };
        if now_digest == *new && !is_lost {
            put(files, &target, before.as_deref().map(str::as_bytes))?;
            let how = if before.is_some() { "restored" } else { "removed" };
            return Ok((format!("{path}: {how}"), None, true));
        }
        let reason = match is_lost {
            true => "its backup is missing or damaged; only arcwright’s lines were removed",
            false => "the file was changed by others since; only arcwright’s lines were removed",
        };
        let edit = |why| HostError::Edit { path: path.clone(), why };
        let text = now.unwrap_or_default();
        let [before_names, ours] = names;
        let there = settings_of(&text).map_err(edit)?;
        let came = |name: &String| ours.contains(name) && !before_names.contains(name);
        let out: Vec<String> = there.into_iter().filter(came).collect();
        let back = unset(&text, &out).map_err(edit)?;
        // What we had there before this operation goes in again as it was.
        let back = with_block_of(before.as_deref(), &back).map_err(edit)?;
        if back != text {
            put(files, &target, Some(back.as_bytes()))?;
        }
        Ok((format!("{path}: {reason}"), Some(reason.to_owned()), true))
    }
}

/// Returns what a step changes.
fn subject(action: &Action) -> &str {
    match action {
        Action::Live { name, .. } => name,
        Action::File { path, .. } => path,
        Action::Middleware { change } => &change.var,
    }
}

/// Returns `text` with the settings that our block in `before` had.
fn with_block_of(
    before: Option<&str>,
    text: &str,
) -> Result<String, arcwright_tunables::EditError> {
    match before {
        Some(before) => arcwright_tunables::persist::adopt(text, before),
        None => Ok(text.to_owned()),
    }
}
