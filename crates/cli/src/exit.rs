//! The exit codes, the same as those of zfs(8) and zpool(8).

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything asked for was done.
    Fine = 0,
    /// It was understood but could not be done, or not completely.
    Failed = 1,
    /// The command line or the scenario file is wrong; clap ends with the same code.
    WrongUse = 2,
    /// Asked as a monitoring plugin, nothing can be said; there 1 is “look” and 2 is “hurts”.
    Unknown = 3,
    /// Ended at once by the second Ctrl-C: 128 and the number of SIGINT.
    Killed = 128 + 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
