//! `arcwright trace info`: what a trace holds.

use anyhow::Context as _;
use arcwright_report::{TextOptions, TraceHead, info_json, info_text};

use super::load;
use crate::arguments::TraceInfoArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

pub(super) fn info(arguments: &TraceInfoArguments) -> Result<Exit, Problem> {
    let loaded = load(&arguments.trace, false)?;
    let name = super::name_of(&arguments.trace);
    let head = TraceHead {
        name: &name,
        format: loaded.file.format,
        packing: loaded.file.packing.name(),
        source: &loaded.file.source,
        statistics: &loaded.statistics,
        trace: &loaded.trace,
    };
    if arguments.json {
        let json = info_json(&head).context("failed to write JSON")?;
        output::print_json(&json)?;
    } else {
        let out = std::io::stdout();
        let options = TextOptions { width: output::width(&out), ..TextOptions::default() };
        output::print(&info_text(&head, &options))?;
    }
    Ok(Exit::Fine)
}
