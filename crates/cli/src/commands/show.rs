//! `arcwright show`: saved results.

use std::path::Path;

use anyhow::Context as _;
use arcwright_host::plain::read_text;
use arcwright_scenario::Outcome;
use arcwright_units::visible_path;

use crate::arguments::ShowArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Shows every file that can be shown; one that cannot does not hide the others.
pub(crate) fn show(arguments: &ShowArguments) -> Result<Exit, Problem> {
    let mut exit = Exit::Fine;
    let mut shown_count = 0;
    for path in &arguments.files {
        match read(path) {
            Ok(outcome) => {
                let form = arguments.form;
                let apart = !form.json && !form.tabs && !form.csv && shown_count > 0;
                if apart {
                    output::print("\n")?;
                }
                super::print(&outcome, arguments.form)?;
                shown_count += 1;
            }
            Err(error) => {
                Problem::Failed(error).show();
                exit = Exit::Failed;
            }
        }
    }
    Ok(exit)
}

/// A result of a thousand arms is no longer.
const RESULT_BYTES_MAX: u64 = 256 << 20;

pub(super) fn read(path: &Path) -> anyhow::Result<Outcome> {
    let failed = || format!("failed to read {}", visible_path(path));
    let text = read_text(path, RESULT_BYTES_MAX).with_context(failed)?;
    arcwright_report::from_json(&text).with_context(failed)
}
