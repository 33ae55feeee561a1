//! Files set parameters that the running module does not have.

use arcwright_tunables::{Entry, Version, gone, lookup, nearest};

use crate::changes;
use crate::config::Set;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether files set parameters that exist", judge };

fn judge(view: &View<'_>) -> Judged {
    let sets = view.files.all();
    let were_read = view.parameters_were_read();
    let is_gone =
        |set: &&Set| if were_read { is_gone(view, set) } else { is_gone_for_long(view, set) };
    let gone: Vec<&Set> = sets.values().filter(is_gone).collect();
    if gone.is_empty() {
        return match were_read {
            true => Ok(Verdict::Silent),
            false => Err(view.not_read("the module's parameters", "parameters")),
        };
    }
    let names: Vec<String> = gone.iter().map(|set| set.name.clone()).collect();
    let title = format!(
        "A file sets {} that {} does not have: {}",
        format::plural(names.len(), "a parameter", "parameters"),
        if were_read || view.machine.zfs.is_some() {
            "this version of ZFS"
        } else {
            "ZFS from 0.6.3 on"
        },
        format::list(&names)
    );
    let mut finding = Finding::new("parameter-gone", Severity::WorthALook, Area::Settings, title);
    finding.evidence = gone.iter().map(|set| set.evidence()).collect();
    let hints: Vec<String> = gone.iter().map(|set| hint(view, set)).collect();
    finding.cause = format!("The module ignores it when it is loaded. {}.", hints.join(". "));
    let commands: Vec<String> =
        gone.iter().map(|set| format!("# remove {} from {}", set.name, set.path)).collect();
    let mut remedy = changes::by_hand("remove it from the file", &commands);
    remedy.undo = lines(["# put the line back; it has no effect either way"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::Nothing;
    finding.cost = "None.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read(match were_read {
        true => "the file and the list of the module's parameters",
        false => "the file and what each version has",
    });
    finding.sources = lines(["the module's own parameters", "zfs(4) of each version"]);
    Ok(Verdict::one(finding))
}

/// The last version that had what 0.6.3 took away: nobody runs it.
const LONG_AGO: &str = "0.6.2";

/// Returns whether a parameter is none of the version that runs, or of any since 0.6.3 where that was not read.
pub(super) fn is_gone_for_long(view: &View<'_>, set: &Set) -> bool {
    let Some(known) = gone().iter().find(|gone| gone.name == set.name) else { return false };
    known.to.is_some_and(|to| match view.machine.zfs {
        Some(version) => to < version && !view.is_freebsd(),
        None => Version::parse(LONG_AGO).is_some_and(|long_ago| to <= long_ago),
    })
}

fn is_gone(view: &View<'_>, set: &Set) -> bool {
    let parameters = &view.machine.parameters;
    if parameters.contains_key(&set.name)
        || parameters.values().any(|parameter| parameter.name == set.name)
    {
        return false;
    }
    let known = lookup(&set.name);
    if !view.is_freebsd() {
        // One that this version has was not read; of an unknown version nothing is known.
        let exists =
            |entry: &Entry| view.machine.zfs.is_none_or(|version| entry.exists_in(version));
        return !known.is_some_and(exists);
    }
    // On FreeBSD old names are aliases that a list of parameters need not show, and a list may be of those
    // that are known only: certain is what the catalogue knows as gone.
    known.is_some_and(|entry| {
        let aliased = parameters.contains_key(&entry.name);
        !aliased && view.machine.zfs.is_some_and(|version| !entry.exists_in(version))
    })
}

fn hint(view: &View<'_>, set: &Set) -> String {
    let (until, successor, note) =
        match (lookup(&set.name), gone().iter().find(|gone| gone.name == set.name)) {
            (Some(entry), _) => (entry.last(), &entry.successor, &entry.gone),
            (None, Some(gone)) => (gone.to, &gone.successor, &gone.note),
            (None, None) => return misspelt(view, set),
        };
    let until = until.map_or_else(String::new, |until| format!(" (up to {until})"));
    match (note, successor) {
        (Some(note), _) => format!("{}{until}: {}", set.name, note.trim_end_matches('.')),
        (None, Some(successor)) => format!("{}{until}: {successor} replaced it", set.name),
        (None, None) => format!("{}{until}: it was removed", set.name),
    }
}

fn misspelt(view: &View<'_>, set: &Set) -> String {
    match nearest(&set.name).filter(|name| view.has_parameter(name) == Some(true)) {
        Some(near) => format!("{}: no version known here has it; did you mean {near}?", set.name),
        None => format!("{}: no version known here has it", set.name),
    }
}
