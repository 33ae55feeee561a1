//! `arcwright show`: saved results.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use arcwright_host::plain::read_text;
use arcwright_scenario::Outcome;
use arcwright_units::visible_path;

use crate::arguments::ShowArguments;
use crate::exit::Exit;
use crate::output;
use crate::pages::PendingPages;
use crate::problem::Problem;

/// Shows every file that can be shown; one that cannot does not hide the others.
pub(crate) fn show(arguments: &ShowArguments) -> Result<Exit, Problem> {
    let is_paged = arguments.pages.html.is_some() || arguments.pages.svg.is_some();
    if is_paged && arguments.files.len() > 1 {
        let why = "a page or a chart is of one result; name one file";
        return Err(Problem::Usage(anyhow!(why)));
    }
    let mut pages = Some(PendingPages::begin(&arguments.pages)?);
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
                pages.take().map_or(Ok(()), |pages| pages.complete(&outcome))?;
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
