//! `arcwright scenarios`: the gallery; `arcwright init`: a scenario to start from.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use arcwright_units::visible_path;
use serde::Serialize;

use crate::arguments::{InitArguments, ScenariosArguments};
use crate::exit::Exit;
use crate::gallery;
use crate::new_file::refuse_what_is_there;
use crate::output::{self, Pending};
use crate::problem::Problem;

/// A scenario as it is listed.
#[derive(Debug, Serialize)]
struct Listed {
    name: &'static str,
    title: String,
    question: String,
}

/// Lists the scenarios with their questions, or prints one.
pub(crate) fn scenarios(arguments: &ScenariosArguments) -> Result<Exit, Problem> {
    if let Some(name) = &arguments.name {
        let entry = gallery::find(Path::new(name)).ok_or_else(|| unknown(name))?;
        output::print(entry.text)?;
        return Ok(Exit::Fine);
    }
    let listed: Vec<Listed> = arcwright_scenario::GALLERY.iter().filter_map(listed).collect();
    if arguments.json {
        let json = serde_json::to_string_pretty(&listed).context("failed to write JSON")?;
        output::print_json(&format!("{json}\n"))?;
    } else {
        output::print(&text(&listed))?;
    }
    Ok(Exit::Fine)
}

/// Writes the template where nothing is yet.
pub(crate) fn init(arguments: &InitArguments) -> Result<Exit, Problem> {
    let file = arguments.file.as_path();
    if file == Path::new("-") {
        output::print(gallery::TEMPLATE)?;
        return Ok(Exit::Fine);
    }
    refuse_what_is_there(file)?;
    let shown = visible_path(file);
    Pending::begin(file)?.complete_new(gallery::TEMPLATE)?;
    output::print(&format!(
        "Wrote {shown}. Change it to be your machine, then:\n  arcwright run {shown} --check\n  arcwright run {shown}\n"
    ))?;
    Ok(Exit::Fine)
}

fn listed(entry: &arcwright_scenario::GalleryScenario) -> Option<Listed> {
    let scenario = entry.scenario().ok()?;
    Some(Listed { name: entry.name, title: scenario.title, question: scenario.question })
}

fn text(listed: &[Listed]) -> String {
    let width = output::width(&std::io::stdout());
    let options = textwrap::Options::new(width).initial_indent("  ").subsequent_indent("  ");
    let entries: Vec<String> = listed
        .iter()
        .map(|it| {
            let (title, question) =
                (textwrap::fill(&it.title, &options), textwrap::fill(&it.question, &options));
            format!("{}\n{title}\n{question}\n\n", it.name)
        })
        .collect();
    let how = "Run one: arcwright run NAME. Print one, to change it: arcwright scenarios NAME.\n";
    entries.concat() + how
}

fn unknown(name: &str) -> Problem {
    let nearest = gallery::nearest(Path::new(name));
    let hint = nearest.map_or_else(
        || "arcwright scenarios lists them".to_owned(),
        |nearest| format!("did you mean {nearest}?"),
    );
    Problem::Usage(anyhow!("no scenario is called “{name}”; {hint}"))
}
