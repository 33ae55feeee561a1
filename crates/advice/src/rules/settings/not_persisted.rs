//! Settings that are in a file and not in force, or in force and in no file.

use arcwright_machine::{Platform, Reason, UNSHOWN_OPTIONS, UNSHOWN_SYSTEM};
use arcwright_scenario::Setting;
use arcwright_tunables::{DefaultValue, Kernel, Unit, lookup};
use arcwright_units::Bytes;

use crate::changes;
use crate::config::Set;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether settings are persistent and in force", judge };

/// A setting, the Linux name of its parameter, and what that holds.
type Differing<'a> = (&'a Set, String, u64);

fn judge(view: &View<'_>) -> Judged {
    let sets = view.files.all();
    if !view.parameters_were_read() {
        let found = sets.values().find_map(|set| maximum_not_live(view, set));
        return match found {
            None => Err(view.not_read("the module's parameters", "parameters")),
            Some(found) => Ok(Verdict::one(perhaps_not_in_force(view, &found))),
        };
    }
    let not_live = sets.values().filter_map(|set| not_live(view, set));
    let (unshown, not_live): (Vec<Differing<'_>>, Vec<Differing<'_>>) =
        not_live.partition(|(set, _, _)| is_unshown(&set.path));
    let mut findings: Vec<Finding> =
        unshown.iter().map(|one| perhaps_not_in_force(view, one)).collect();
    if !not_live.is_empty() {
        findings.push(not_in_force(view, &not_live));
    }
    let denied = view.machine.problems.iter().any(|problem| {
        problem.reason == Reason::Denied
            && ["modprobe", "loader", "sysctl.conf", "midclt"]
                .iter()
                .any(|part| problem.source.contains(part))
    });
    // Without a single file read, or with one that could not be, absence proves nothing.
    if !view.machine.config.is_empty()
        && !denied
        && view.machine.platform != Some(Platform::Container)
    {
        let fleeting = fleeting(view, sets);
        if !fleeting.is_empty() {
            findings.push(not_in_files(view, &fleeting));
        }
    }
    // What a file sets and the module does not have is in force nowhere.
    let count = sets.values().filter(|set| linux_name(view, set).is_some()).count();
    let what = format!("Settings in files are in force ({count})");
    let fine = if count == 0 { Verdict::Silent } else { Verdict::fine(what, Vec::new()) };
    Verdict::of_all(findings, unread(view, sets), fine)
}

/// Returns whether nothing showed that lines are of the file that they would stand in.
fn is_unshown(path: &str) -> bool {
    path.ends_with(UNSHOWN_OPTIONS) || path.ends_with(UNSHOWN_SYSTEM)
}

/// Returns what of the settings in files could not be held against the module.
fn unread(view: &View<'_>, sets: &std::collections::BTreeMap<String, Set>) -> Option<NotJudged> {
    let is_unread = |set: &&Set| {
        let name = set.parameter();
        linux_name(view, set).is_none() && view.has_parameter(name) != Some(false)
    };
    let set = sets.values().find(is_unread)?;
    Some(NotJudged::NotRead(format!("the value of {} in force was not read", set.name)))
}

/// Returns the Linux name of what a file sets, when the module has it.
fn linux_name(view: &View<'_>, set: &Set) -> Option<String> {
    let parameters = &view.machine.parameters;
    if parameters.contains_key(&set.name) {
        return Some(set.name.clone());
    }
    if let Some((name, _)) = parameters.iter().find(|(_, parameter)| parameter.name == set.name) {
        return Some(name.clone());
    }
    // FreeBSD's older names stay aliases.
    let entry = lookup(&set.name)?;
    parameters.contains_key(&entry.name).then(|| entry.name.clone())
}

/// Returns a setting whose parameter holds another value: the setting, its Linux name, what is held.
fn not_live<'a>(view: &View<'_>, set: &'a Set) -> Option<Differing<'a>> {
    let name = linux_name(view, set)?;
    let held = view.machine.parameter(&name)?;
    // Zero asks for the default, which the module may show by its value.
    let wanted = set.number().filter(|wanted| *wanted != 0)?;
    (wanted != held).then_some((set, name, held))
}

/// Returns a maximum of the ARC in a file that is far from the one that the ARC has: where no parameter was read,
/// the ARC's own counters still tell it, in reports rounded to a tenth of a GiB.
fn maximum_not_live<'a>(view: &View<'_>, set: &'a Set) -> Option<Differing<'a>> {
    const NAME: &str = "zfs_arc_max";
    /// Rounding, and what the module takes off, are less than a tenth.
    const APART: u64 = 10;
    let wanted = set.number().filter(|wanted| *wanted != 0 && set.name == NAME)?;
    let held = view.arc_now("c_max").ok()?;
    (wanted.abs_diff(held) > wanted / APART).then(|| (set, NAME.to_owned(), held))
}

/// Returns parameters that hold what is not their default and that no file sets.
fn fleeting(view: &View<'_>, sets: &std::collections::BTreeMap<String, Set>) -> Vec<Setting> {
    let in_files: Vec<String> = sets.values().filter_map(|set| linux_name(view, set)).collect();
    // Defaults of FreeBSD's own ZFS changed from release to release more than the catalogue knows.
    let Some(version) = view.machine.zfs.filter(|version| !version.is_legacy_freebsd()) else {
        return Vec::new();
    };
    let kernel = if view.is_freebsd() { Kernel::Freebsd } else { Kernel::Linux };
    let mut found = Vec::new();
    for name in view.machine.parameters.keys().filter(|name| !in_files.contains(name)) {
        let Some(held) = view.machine.parameter(name) else { continue };
        let Some(entry) = lookup(name) else { continue };
        // What is derived from the machine differs from what was set only where zero is shown.
        let Some(shown) = entry.shown_by_default(kernel, version) else { continue };
        let differs = held != shown && (held != 0 || entry.unit == Unit::Flag);
        let is_derived = matches!(entry.default_for(version), Some(DefaultValue::Derived(_)));
        if is_derived && view.is_freebsd() {
            continue;
        }
        // TrueNAS sets the ARC's size by itself as virtual machines come and go.
        let own = view.machine.platform == Some(Platform::TruenasScale)
            && ["zfs_arc_max", "zfs_arc_min"].contains(&name.as_str());
        if differs && !own {
            found.push(changes::setting(name, held));
        }
    }
    found
}

fn not_in_force(view: &View<'_>, sets: &[(&Set, String, u64)]) -> Finding {
    let names: Vec<String> = sets.iter().map(|(set, _, _)| set.name.clone()).collect();
    let title = format!(
        "{} in a file but not in force: {}",
        format::plural(sets.len(), "A setting is", "Settings are"),
        format::list(&names)
    );
    let mut finding = Finding::new("setting-not-live", Severity::WorthALook, Area::Settings, title);
    finding.evidence = sets
        .iter()
        .flat_map(|(set, name, held)| {
            [
                set.evidence(),
                Evidence {
                    exact: Some(*held),
                    ..Evidence::setting(format!("{} in force", view.shown(name)), held.to_string())
                },
            ]
        })
        .collect();
    finding.cause = if view.is_freebsd() {
        "The machine was not rebooted since the file was changed, a later file sets another value, \
         or someone changed it manually."
            .to_owned()
    } else {
        "The module was loaded before the file was changed, or from an initramfs with an old copy \
         of it; or someone changed the value manually."
            .to_owned()
    };
    let settings: Vec<Setting> = sets
        .iter()
        .filter_map(|(set, name, _)| Some(changes::setting(name, set.number()?)))
        .collect();
    finding.remedy = changes::set(view, &settings);
    finding.gain = Gain::NotEstimated("depends on the parameter".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "If the value in force is the one you want, change the file instead.".to_owned();
    finding.confidence = Confidence::read("the file and the module");
    finding.sources = lines(["openzfs issues 9487, 6852"]);
    finding
}

/// Returns a note on a value that is not the one in force, where it is not known which of both is newer: a line that no
/// command showed may be from before, from after, or what somebody is going to do. Which is wanted only the owner knows.
fn perhaps_not_in_force(view: &View<'_>, differing: &Differing<'_>) -> Finding {
    let (set, name, held) = differing;
    let mut finding = not_in_force(view, std::slice::from_ref(differing));
    let is_size = lookup(name).is_some_and(|entry| entry.unit == Unit::Bytes);
    let shown = |value: u64| match is_size {
        true => Bytes(value).to_string(),
        false => value.to_string(),
    };
    finding.severity = Severity::Note;
    finding.title = format!(
        "A line for a file would set {} to {}, and {} is in force: the line counts when the module is next loaded",
        set.name,
        set.number().map_or_else(|| set.value.clone(), shown),
        shown(*held)
    );
    finding.remedy = None;
    finding.risk = "None until the module is loaded again.".to_owned();
    finding
}

fn not_in_files(view: &View<'_>, fleeting: &[Setting]) -> Finding {
    let names: Vec<String> = fleeting.iter().map(|setting| view.shown(&setting.name)).collect();
    let title = format!(
        "{} lost at the next reboot, because no file sets {}: {}",
        format::plural(names.len(), "A setting will be", "Settings will be"),
        format::plural(names.len(), "it", "them"),
        format::list(&names)
    );
    let mut finding = Finding::new("setting-not-persisted", Severity::Note, Area::Settings, title);
    finding.evidence = fleeting
        .iter()
        .map(|Setting { name, value: held }| Evidence {
            exact: Some(*held),
            ..Evidence::setting(view.shown(name), held.to_string())
        })
        .collect();
    finding.evidence.extend(
        view.machine
            .config
            .iter()
            .take(6)
            .map(|file| Evidence::setting("file read", file.path.clone())),
    );
    finding.cause =
        "It was set at run time, manually or by a script that was not read here.".to_owned();
    finding.remedy = changes::set(view, fleeting).map(|mut remedy| {
        remedy.what = "persist it, if intended".to_owned();
        remedy.now = Vec::new();
        remedy
    });
    finding.gain = Gain::Nothing;
    finding.cost = "None.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("the module and its configuration files");
    finding.sources = lines(["openzfs issue 9487"]);
    finding
}
