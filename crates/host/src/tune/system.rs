//! Commands of the system: run, and what they said.

use std::io;
use std::process::Stdio;

use arcwright_tunables::persist::Command;

use super::HostError;
use crate::observe::Tools;

/// What a command said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Whether it ended well.
    pub ok: bool,
    /// What it wrote to standard output.
    pub text: String,
    /// What it wrote to standard error.
    pub complaints: String,
}

/// Runs commands.
pub trait Commands {
    /// Runs a command to its end.
    ///
    /// # Errors
    /// When it could not be started.
    fn run(&self, command: &Command) -> io::Result<Output>;
}

/// The machine's commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct System;

impl Commands for System {
    fn run(&self, command: &Command) -> io::Result<Output> {
        let (program, arguments) = command.words.split_first().unwrap_or((&EMPTY, &[]));
        // A name alone would be looked for in the current directory too, where the search path says so.
        let found = Tools::default().find(program);
        let found = found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let output = std::process::Command::new(found)
            .args(arguments)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()?;
        Ok(Output {
            ok: output.status.success(),
            text: String::from_utf8_lossy(&output.stdout).into_owned(),
            complaints: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}

static EMPTY: String = String::new();

/// Runs a command and returns what it wrote.
pub(crate) fn text_of(commands: &dyn Commands, command: &Command) -> Result<String, HostError> {
    let failed = |why: String| HostError::Command { command: command.to_string(), why };
    let output = commands.run(command).map_err(|error| failed(error.to_string()))?;
    if output.ok {
        return Ok(output.text);
    }
    let why = if output.complaints.trim().is_empty() { &output.text } else { &output.complaints };
    Err(failed(why.trim().to_owned()))
}
