//! `arcwright record`: counters over days, into a bounded store, and what is in it; every read of a pool, or every access to files, for a while.

mod counters;
mod files;
mod page;
mod reads;
mod show;

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use arcwright_host::record::usual_folder;

use crate::arguments::{RecordArguments, RecordVerb};
use crate::exit::Exit;
use crate::problem::Problem;

pub(super) fn record(arguments: &RecordArguments) -> Result<Exit, Problem> {
    match &arguments.verb {
        Some(RecordVerb::Show(arguments)) => show::show(arguments),
        Some(RecordVerb::Reads(arguments)) => reads::record(arguments),
        Some(RecordVerb::Files(arguments)) => files::record(arguments),
        Some(RecordVerb::ReadsGuard(arguments)) => reads::guard(arguments),
        None => counters::record(&arguments.counters),
    }
}

/// Returns the folder that was asked for, or the usual one.
fn folder(wanted: Option<&Path>) -> Result<PathBuf, Problem> {
    wanted.map(Path::to_owned).or_else(usual_folder).ok_or_else(|| {
        Problem::Usage(anyhow!("neither HOME nor XDG_STATE_HOME is set; name a folder"))
    })
}
