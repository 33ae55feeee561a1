//! Parameters and plans for the served page: what `list`, `show`, `apply` and `persist` print, and nothing done.

use std::path::Path;

use anyhow::anyhow;
use arcwright_host::tune::{Facts, Root, System, read};
use arcwright_report::tune::TuneShown;
use arcwright_tunables::Purpose;
use arcwright_units::visible_path;
use serde::Serialize;

use super::NoCommands;
use super::list::{Row, rows};
use super::requested::RequestedPlan;
use super::{persist, show};
use crate::arguments::tune::{ApplyArguments, PersistArguments};
use crate::problem::Problem;

/// All parameters as a page lists them.
#[derive(Debug, Serialize)]
pub(crate) struct TunablesPage {
    zfs: Option<String>,
    platform: String,
    rows: Vec<TunableRow>,
    problems: Vec<String>,
}

/// One parameter, as `arcwright tune list` shows it.
#[derive(Debug, Serialize)]
struct TunableRow {
    name: String,
    family: Option<String>,
    about: Option<String>,
    current: String,
    default: String,
    source: String,
    is_default: Option<bool>,
    is_persisted: bool,
    is_live: Option<bool>,
}

/// Everything about one.
#[derive(Debug, Serialize)]
pub(crate) struct TunablePage {
    shown: TuneShown,
    /// As `arcwright tune show` prints it.
    text: String,
}

/// Reads the machine below a folder; `/` is this one.
pub(crate) fn facts_of(root: &Path) -> Result<Facts, Problem> {
    if root == Path::new("/") {
        return Ok(read(&Root::machine(), &System));
    }
    let opened = Root::copy(root)
        .map_err(|error| Problem::Failed(anyhow!("--root {}: {error}", visible_path(root))))?;
    Ok(read(&opened, &NoCommands))
}

/// Returns all parameters of the module.
pub(crate) fn page_list(facts: &Facts) -> TunablesPage {
    let persisted = facts.places.persisted();
    let row = |row: Row<'_>| {
        let cells = row.cells(facts, false);
        let [name, current, default, source] = <[String; 4]>::try_from(cells).unwrap_or_default();
        TunableRow {
            name,
            family: row.entry.map(|entry| entry.family.clone()),
            about: row.entry.map(|entry| entry.about.clone()),
            current,
            default,
            source,
            is_default: row.is_default,
            is_persisted: row.line.is_some(),
            is_live: row.entry.map(|entry| facts.running.is_live(entry)),
        }
    };
    TunablesPage {
        zfs: facts.running.version_text.clone(),
        platform: facts.places.platform.name().to_owned(),
        rows: rows(facts, &persisted, false).into_iter().map(row).collect(),
        problems: facts.problems.clone(),
    }
}

/// Returns everything about a parameter.
pub(crate) fn page_show(name: &str, facts: &Facts) -> Result<TunablePage, Problem> {
    let entry = show::named(name)?;
    Ok(TunablePage { shown: show::shown(entry, facts), text: show::text(entry, facts) })
}

/// Returns a plan as text, and what of it must be confirmed; none where there is nothing to do.
type PlannedText = (String, Option<Vec<String>>);

/// Returns what `arcwright tune apply` would do.
pub(crate) fn plan_to_apply(
    arguments: &ApplyArguments,
    facts: &Facts,
) -> Result<PlannedText, Problem> {
    if facts.running.parameters.is_empty() {
        let why = "the zfs module is not loaded, so nothing can be set live";
        return Err(Problem::Failed(anyhow!(why)));
    }
    let wanted = RequestedPlan::of(&arguments.want, facts, Purpose::Live)?;
    let has_work = !wanted.plan.steps.is_empty();
    Ok((wanted.text(), has_work.then(|| to_confirm(&wanted))))
}

/// Returns what `arcwright tune persist --write` would do.
pub(crate) fn plan_to_persist(
    arguments: &PersistArguments,
    facts: &Facts,
) -> Result<PlannedText, Problem> {
    let outcome = persist::outcome(arguments, facts)?;
    let text = persist::text(&outcome);
    let persistence = &outcome.persistence;
    let has_work = !persistence.edits.is_empty() || !persistence.changes.is_empty();
    let confirm = || outcome.wanted.as_ref().map(to_confirm).unwrap_or_default();
    Ok((text, has_work.then(confirm)))
}

fn to_confirm(wanted: &RequestedPlan) -> Vec<String> {
    let stopped = wanted.plan.stopped_by(&[]);
    stopped.iter().map(|step| step.entry.name.clone()).collect()
}
