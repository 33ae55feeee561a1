//! `arcwright tune`: parameters of the module, looked at and changed with a way back.

mod apply;
mod diff;
mod list;
mod log;
mod page;
mod persist;
mod requested;
mod shape;
mod show;
mod undo;
mod verify;

pub(crate) use self::page::{facts_of, page_list, page_show, plan_to_apply, plan_to_persist};
pub(crate) use self::shape::time;

use std::io;

use arcwright_host::tune::{AuditNote, Commands, Facts, HostError, Output, Root, System};
use arcwright_tunables::persist::Command;

use crate::arguments::tune::{TuneArguments, TuneVerb};
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Does what stands after `arcwright tune`.
pub(crate) fn tune(arguments: &TuneArguments) -> Result<Exit, Problem> {
    let target = Target::of(arguments)?;
    match &arguments.verb {
        TuneVerb::List(arguments) => list::list(&target, arguments),
        TuneVerb::Show(arguments) => show::show(&target, arguments),
        TuneVerb::Diff(arguments) => diff::diff(&target, arguments),
        TuneVerb::Apply(arguments) => apply::apply(&target, arguments),
        TuneVerb::Persist(arguments) => persist::persist(&target, arguments),
        TuneVerb::Verify(arguments) => verify::verify(&target, arguments),
        TuneVerb::Undo(arguments) => undo::undo(&target, arguments),
        TuneVerb::Log(arguments) => log::log(&target, arguments),
    }
}

/// The machine that is meant.
struct Target {
    root: Root,
    commands: Box<dyn Commands>,
}

impl Target {
    fn of(arguments: &TuneArguments) -> Result<Self, Problem> {
        match &arguments.root {
            Some(folder) if !folder.is_dir() => {
                let what =
                    format!("--root {}: no such folder", arcwright_units::visible_path(folder));
                Err(Problem::Usage(anyhow::anyhow!(what)))
            }
            Some(folder) => {
                let opened = Root::copy(folder).map_err(|error| {
                    let folder = arcwright_units::visible_path(folder);
                    Problem::Failed(anyhow::anyhow!("--root {folder}: {error}"))
                });
                Ok(Self { root: opened?, commands: Box::new(NoCommands) })
            }
            None => Ok(Self { root: Root::machine(), commands: Box::new(System) }),
        }
    }

    /// Reads the machine and says on standard error what could not be read.
    fn facts(&self) -> Facts {
        let facts = arcwright_host::tune::read(&self.root, &*self.commands);
        facts.problems.iter().for_each(|problem| output::remark(&format!("note: {problem}")));
        facts
    }

    /// Runs commands one after the other, saying which; the first that fails ends it.
    fn run_all(&self, commands: &[Command]) -> anyhow::Result<()> {
        for command in commands {
            output::remark(&format!("running {command}"));
            let result = self.commands.run(command)?;
            anyhow::ensure!(result.ok, "“{command}” failed: {}", result.complaints.trim());
        }
        Ok(())
    }
}

/// A copy of a machine's files has no commands.
struct NoCommands;

impl Commands for NoCommands {
    fn run(&self, _command: &Command) -> io::Result<Output> {
        Err(io::Error::other("commands are not run on a copy of a machine’s files"))
    }
}

/// Returns who asks, when and why, for the journal.
pub(super) fn why(why: &str) -> AuditNote {
    let name = |variable: &str| std::env::var(variable).ok().filter(|name| !name.is_empty());
    let who = name("SUDO_USER").or_else(|| name("USER")).unwrap_or_else(|| "unknown".to_owned());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    AuditNote { who, why: why.to_owned(), time: now.map(|time| time.as_secs()).unwrap_or_default() }
}

impl From<HostError> for Problem {
    fn from(error: HostError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<arcwright_tunables::TuneError> for Problem {
    fn from(error: arcwright_tunables::TuneError) -> Self {
        Self::Usage(error.into())
    }
}

impl From<arcwright_tunables::EditError> for Problem {
    fn from(error: arcwright_tunables::EditError) -> Self {
        Self::Failed(error.into())
    }
}
