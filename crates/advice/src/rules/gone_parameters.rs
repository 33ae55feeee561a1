//! Files set parameters that the running module does not have.

use arcwright_tunables::{lookup, nearest};

use crate::changes;
use crate::config::{self, Set};
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::View;
use crate::words;

pub(super) const RULE: Rule = Rule { about: "whether files set parameters that exist", judge };

/// What to do instead, of parameters that went away. From the sources of the versions that dropped them.
const INSTEAD: [(&str, &str); 9] = [
    (
        "zfs_arc_meta_limit",
        "from 2.2 metadata has no limit; zfs_arc_meta_balance shifts the balance",
    ),
    (
        "zfs_arc_meta_limit_percent",
        "from 2.2 metadata has no limit; zfs_arc_meta_balance shifts the balance",
    ),
    ("zfs_arc_meta_min", "from 2.2 metadata has no limits"),
    ("zfs_arc_meta_prune", "from 2.2 dnodes are pruned by themselves"),
    ("zfs_vdev_cache_size", "the cache of each disk went away in 2.2 and was off long before"),
    ("zfs_vdev_scheduler", "set the kernel's I/O scheduler with a udev rule, if at all"),
    ("zfetch_array_rd_sz", "prefetch needs no such limit from 2.2 on"),
    ("l2arc_write_boost", "gone after 2.4, whose successor feeds by a budget of writes per day"),
    ("zfs_arc_p_min_shift", "the ARC balances by itself from 2.2 on"),
];

fn judge(view: &View<'_>) -> Judged {
    if !view.parameters_were_read() {
        return Err(view.not_read("the module's parameters", "parameters"));
    }
    let sets = config::sets(view.machine);
    let gone: Vec<&Set> = sets.values().filter(|set| is_gone(view, set)).collect();
    if gone.is_empty() {
        return Ok(Verdict::Silent);
    }
    let names: Vec<String> = gone.iter().map(|set| set.name.clone()).collect();
    let title = format!(
        "A file sets {} that this version of ZFS does not have: {}",
        words::plural(names.len(), "a parameter", "parameters"),
        words::list(&names)
    );
    let mut finding = Finding::new("parameter-gone", Severity::WorthALook, Area::Settings, title);
    finding.evidence = gone
        .iter()
        .map(|set| Evidence::setting(format!("{}: {}", set.path, set.name), set.value.clone()))
        .collect();
    let hints: Vec<String> = gone.iter().map(|set| hint(view, set)).collect();
    finding.cause = format!(
        "It is ignored when the module is loaded, so it does nothing. {}.",
        hints.join(". ")
    );
    let commands: Vec<String> =
        gone.iter().map(|set| format!("# take {} out of {}", set.name, set.path)).collect();
    let mut remedy = changes::by_hand("take it out of the file", &commands);
    remedy.undo = lines(["# put the line back; it does nothing either way"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::Nothing;
    finding.cost = "None.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the file and the list of the module's parameters");
    finding.sources = lines(["the module's own parameters", "zfs(4) of each version"]);
    Ok(Verdict::one(finding))
}

fn is_gone(view: &View<'_>, set: &Set) -> bool {
    let parameters = &view.machine.parameters;
    if parameters.contains_key(&set.name)
        || parameters.values().any(|parameter| parameter.name == set.name)
    {
        return false;
    }
    if !view.is_freebsd() {
        return true;
    }
    // On FreeBSD old names are aliases that a list of parameters need not show, and a list may be of those
    // that are known only: certain is what the catalogue knows as gone.
    let known = lookup(&set.name);
    known.is_some_and(|entry| {
        let aliased = parameters.contains_key(&entry.name);
        !aliased && view.machine.zfs.is_some_and(|version| !entry.exists_in(version))
    })
}

fn hint(view: &View<'_>, set: &Set) -> String {
    let linux = lookup(&set.name).map_or(set.name.as_str(), |entry| entry.name.as_str());
    if let Some((_, instead)) = INSTEAD.iter().find(|(name, _)| *name == linux) {
        return format!("{}: {instead}", set.name);
    }
    if let Some(entry) = lookup(&set.name) {
        return format!("{}: exists in {}", set.name, entry.versions());
    }
    match nearest(&set.name).filter(|name| view.has_parameter(name) == Some(true)) {
        Some(near) => format!("{}: no version known here has it; did you mean {near}?", set.name),
        None => format!("{}: no version known here has it", set.name),
    }
}
