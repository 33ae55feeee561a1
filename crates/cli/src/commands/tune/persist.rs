//! `arcwright tune persist`.

use arcwright_host::tune::{Disk, Facts, Session};
use arcwright_report::tune::{TuneConflict, TuneEdit, TunePersist, tune_version};
use arcwright_tunables::persist::{Command, Conflict, Persistence, persist as place, unpersist};
use arcwright_tunables::{Purpose, lookup};

use super::requested::RequestedPlan;
use super::{Target, shape, why};
use crate::arguments::tune::{PersistArguments, WantArguments};
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// What persisting comes to.
pub(super) struct Outcome {
    pub(super) wanted: Option<RequestedPlan>,
    pub(super) persistence: Persistence,
    why: String,
}

/// Shows what would make settings outlive a boot, and does it when told to.
pub(super) fn persist(target: &Target, arguments: &PersistArguments) -> Result<Exit, Problem> {
    let PersistArguments { want, consent, write, run } = arguments;
    let facts = target.facts();
    let outcome = outcome(arguments, &facts)?;
    if !want.json {
        output::print(&text(&outcome))?;
    }
    if let Some(wanted) = outcome.wanted.as_ref().filter(|_| *write) {
        wanted.check(consent)?;
    }
    let persistence = &outcome.persistence;
    let has_work = !persistence.edits.is_empty() || !persistence.changes.is_empty();
    let mut operation = None;
    if *write && has_work {
        let (kernel, why) = (facts.running.kernel, why(&outcome.why));
        let mut session = Session::open(&Disk, &*target.commands, &target.root, kernel, why)?;
        operation = Some(session.persist(persistence)?);
    }
    if want.json {
        shape::print_json(&answer(&outcome, operation))?;
    } else if let Some(operation) = operation {
        output::print(&format!(
            "written as operation {operation}\nundo it: arcwright tune undo {operation}\n"
        ))?;
        tell_refresh(target, &persistence.refresh, *run)?;
    } else if has_work {
        output::print("nothing was written; --write writes it\n")?;
    }
    Ok(Exit::Fine)
}

/// Says, or does, what the next boot needs.
pub(super) fn tell_refresh(target: &Target, refresh: &[Command], run: bool) -> Result<(), Problem> {
    if run {
        return Ok(target.run_all(refresh)?);
    }
    if !refresh.is_empty() {
        let lines: Vec<String> = refresh.iter().map(|command| format!("  {command}\n")).collect();
        output::print(&format!(
            "a module loaded from the initramfs uses the copy in there; run\n{}",
            lines.concat()
        ))?;
    }
    Ok(())
}

pub(super) fn outcome(arguments: &PersistArguments, facts: &Facts) -> Result<Outcome, Problem> {
    let PersistArguments { want, consent, .. } = arguments;
    let asked = want.wants.join(" ");
    if let Some(names) = to_take_out(want, facts)? {
        let persistence = unpersist(names.as_deref(), &facts.places)?;
        return Ok(Outcome { wanted: None, persistence, why: asked });
    }
    let wanted = RequestedPlan::of(want, facts, Purpose::Persist)?;
    let why = wanted.why(consent);
    let by = super::why(&why);
    let note = format!("{why}, {} by {}, arcwright", shape::time(by.time), by.who);
    let persistence = place(&wanted.plan, &facts.places, &note)?;
    Ok(Outcome { wanted: Some(wanted), persistence, why })
}

/// Returns the names whose lines of ours go, when that is all that is asked for: `reset` takes out all
/// of them, `NAME=default` those of one. A default that others overrule must be written instead.
fn to_take_out(
    want: &WantArguments,
    facts: &Facts,
) -> Result<Option<Option<Vec<String>>>, Problem> {
    if want.wants.iter().any(|text| text == "reset") {
        if want.wants.len() > 1 {
            return Err(Problem::Usage(anyhow::anyhow!(
                "reset removes everything that arcwright wrote, and cannot be combined with \
                 settings"
            )));
        }
        return Ok(Some(None));
    }
    let lines = facts.places.persisted();
    let mut names = Vec::new();
    for text in &want.wants {
        let Some((name, "default")) = text.split_once('=').map(|(n, v)| (n.trim(), v.trim()))
        else {
            return Ok(None);
        };
        let Some(entry) = lookup(name) else { return Ok(None) };
        let mut of_it = lines.iter().filter(|line| line.is_of(entry)).peekable();
        let Some(first) = of_it.peek() else { return Ok(None) };
        names.push(first.name.clone());
        if !of_it.all(|line| line.ours) {
            return Ok(None);
        }
    }
    Ok(Some(Some(names)))
}

pub(super) fn text(outcome: &Outcome) -> String {
    let Persistence { edits, changes, instructions, conflicts, .. } = &outcome.persistence;
    let mut lines: Vec<String> = Vec::new();
    if let Some(wanted) = &outcome.wanted {
        lines.push(wanted.text().trim_end().to_owned());
    }
    for edit in edits {
        let what = match (&edit.old, &edit.new) {
            (None, _) => " (new)",
            (_, None) => " (removed)",
            _ => "",
        };
        lines.push(format!("{}{what}", edit.path));
        lines.extend(edit.diff().into_iter().map(|line| format!("    {line}")));
    }
    lines.extend(changes.iter().map(|change| change.apply().to_string()));
    lines.extend(instructions.iter().cloned());
    lines.extend(conflicts.iter().map(conflict_text));
    if lines.is_empty() {
        lines.push("nothing to do: arcwright has written nothing here".to_owned());
    }
    lines.join("\n") + "\n"
}

fn conflict_text(conflict: &Conflict) -> String {
    let Conflict { line, wins } = conflict;
    let (place, name, value) = (line.place(), &line.name, &line.value);
    match wins {
        true => format!(
            "warning: {place} sets {name} to {value} and is read after arcwright’s file, so it \
             wins; remove that line"
        ),
        false => format!(
            "note: {place} sets {name} to {value}; arcwright’s file is read later and wins; the \
             line is left as it is"
        ),
    }
}

fn answer(outcome: &Outcome, operation: Option<u64>) -> TunePersist {
    let Persistence { edits, changes, instructions, conflicts, refresh } = &outcome.persistence;
    let typed = |commands: &[Command]| commands.iter().map(ToString::to_string).collect();
    let edits = edits.iter().map(|edit| TuneEdit {
        file: edit.path.clone(),
        old: edit.old.clone(),
        new: edit.new.clone(),
    });
    let conflicts = conflicts.iter().map(|conflict| TuneConflict {
        place: conflict.line.place(),
        name: conflict.line.name.clone(),
        value: conflict.line.value.to_string(),
        wins: conflict.wins,
    });
    let calls: Vec<Command> =
        changes.iter().map(arcwright_tunables::persist::Change::apply).collect();
    TunePersist {
        output_version: tune_version("persist"),
        plan: outcome.wanted.as_ref().map(RequestedPlan::shape),
        edits: edits.collect(),
        calls: typed(&calls),
        instructions: instructions.clone(),
        conflicts: conflicts.collect(),
        refresh: typed(refresh),
        operation,
    }
}
