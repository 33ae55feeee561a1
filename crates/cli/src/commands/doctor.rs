//! `arcwright doctor`: what a machine's counters and settings say.

use std::path::Path;

use anyhow::Context as _;
use arcwright_advice::{Advice, Estimate, Severity, advise};
use arcwright_machine::{Machine, Source, Sources};
use arcwright_report::{Detail, DoctorOptions, doctor_json, doctor_tabs, doctor_text};

use crate::doctor_arguments::DoctorArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

pub(crate) fn doctor(arguments: &DoctorArguments) -> Result<Exit, Problem> {
    let machine = machine(arguments)?;
    let estimate = if arguments.no_model { Estimate::CountersOnly } else { Estimate::WithModel };
    let advice = advise(&machine, estimate);
    output::print(&rendered(&advice, arguments)?)?;
    Ok(Exit::Fine)
}

fn machine(arguments: &DoctorArguments) -> anyhow::Result<Machine> {
    let from = arguments.from.as_deref().context("live is not wired yet")?;
    let mut sources = Sources::default();
    walk(Path::new(from), Path::new(from), &mut sources)?;
    Ok(Machine::read(&sources))
}

fn walk(root: &Path, dir: &Path, sources: &mut Sources) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(root, &path, sources)?;
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            sources.texts.insert(name, Source::Text(text));
        }
    }
    Ok(())
}

fn rendered(advice: &Advice, arguments: &DoctorArguments) -> anyhow::Result<String> {
    if arguments.check {
        return Ok(check(advice).1);
    }
    if arguments.json {
        return doctor_json(advice).context("failed to write the findings as JSON");
    }
    if arguments.tabs {
        return Ok(doctor_tabs(advice));
    }
    let stdout = std::io::stdout();
    let detail = if arguments.explain { Detail::Full } else { Detail::Usual };
    let (width, colour) = (output::width(&stdout), output::colour_wanted(&stdout));
    Ok(doctor_text(advice, &DoctorOptions { width, colour, detail }))
}

/// Returns how a monitoring plugin would end, and its one line.
fn check(advice: &Advice) -> (Severity, String) {
    let first = advice.findings.first();
    let severity = first.map_or(Severity::Note, |finding| finding.severity);
    let title = first.map_or("nothing was judged", |finding| finding.title.as_str());
    (severity, format!("{title}\n"))
}
