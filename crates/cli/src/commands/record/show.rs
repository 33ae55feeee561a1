//! `arcwright record show`: what a recording has.

use anyhow::Context as _;
use arcwright_host::record::Recording;
use arcwright_report::{RecordingHead, recording_json, recording_text};
use arcwright_units::visible_path;

use super::{folder, page};
use crate::arguments::RecordShowArguments;
use crate::exit::Exit;
use crate::output;
use crate::pages::PendingPage;
use crate::problem::Problem;

pub(super) fn show(arguments: &RecordShowArguments) -> Result<Exit, Problem> {
    let path = folder(arguments.folder.as_deref())?;
    let page = arguments.html.as_deref().map(PendingPage::begin).transpose()?;
    let recording = Recording::open(&path).map_err(anyhow::Error::from)?;
    let recorded = recording.recorded();
    let place = path.display().to_string();
    if let Some(page) = page {
        page::write(page, &recording, (&place, &recorded))?;
    }
    let head = RecordingHead {
        place: &place,
        counts: &recorded.counts,
        bytes: recorded.bytes,
        unreadable: &recorded.unreadable,
    };
    if arguments.json {
        output::print_json(&recording_json(&head).context("failed to write JSON")?)?;
        return Ok(Exit::Fine);
    }
    let options = output::text_options();
    let mut text = recording_text(&head, &options);
    if recorded.counts.len() > 1 {
        let shown = visible_path(&path);
        let next = format!(
            "\nNext:\n  arcwright doctor --from {shown}\n  arcwright advise --from {shown} --window 1h    the busiest hour\n"
        );
        text.push_str(&next);
    }
    output::print_page(&text)?;
    Ok(Exit::Fine)
}
