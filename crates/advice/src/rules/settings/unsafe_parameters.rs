//! Parameters that trade safety for speed.

use arcwright_scenario::Setting;

use crate::changes;
use crate::config::Set;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether parameters put data at risk", judge };

/// Parameters, the value at which they are safe, and what happens otherwise.
const UNSAFE: [(&str, u64, &str); 4] = [
    (
        "zfs_nocacheflush",
        0,
        "ZFS never tells the disks to flush their caches: a power failure may damage the pool \
         itself",
    ),
    ("zil_nocacheflush", 0, "acknowledged synchronous writes may be lost at power failure"),
    ("zil_replay_disable", 0, "the next import discards the intent log"),
    ("zfs_recover", 0, "ZFS ignores errors that would stop a damaged pool"),
];

fn judge(view: &View<'_>) -> Judged {
    if !view.parameters_were_read() {
        let by_file = in_files(view);
        if !by_file.is_empty() {
            return Ok(Verdict::one(finding_of_files(view, &by_file)));
        }
        return Err(view.not_read("the module's parameters", "parameters"));
    }
    let unsafe_now = |(name, safe, _): &&(&str, u64, &str)| {
        view.machine.parameter(name).is_some_and(|value| value != *safe)
    };
    let found: Vec<&(&str, u64, &str)> = UNSAFE.iter().filter(unsafe_now).collect();
    if found.is_empty() {
        return Ok(Verdict::Silent);
    }
    let names: Vec<String> = found.iter().map(|(name, _, _)| view.shown(name)).collect();
    let title = format!("A parameter puts data at risk: {}", format::list(&names));
    let mut finding = finding(view, &found, title);
    finding.evidence = found.iter().flat_map(|(name, _, _)| view.settings([name])).collect();
    finding.confidence = Confidence::read("the module's parameters");
    Ok(Verdict::one(finding))
}

/// Returns what files set to an unsafe value, where the values in force were not read.
fn in_files<'a>(view: &'a View<'_>) -> Vec<(&'a Set, &'static (&'static str, u64, &'static str))> {
    let found = UNSAFE.iter().filter_map(|found| {
        let set = view.files.set_of(found.0)?;
        let is_unsafe = set.number().is_some_and(|value| value != found.1);
        is_unsafe.then_some((set, found))
    });
    found.collect()
}

fn finding_of_files(view: &View<'_>, sets: &[(&Set, &(&str, u64, &str))]) -> Finding {
    let found: Vec<&(&str, u64, &str)> = sets.iter().map(|(_, found)| *found).collect();
    let names: Vec<String> = found.iter().map(|(name, _, _)| view.shown(name)).collect();
    let title = format!(
        "A configuration file sets what puts data at risk: {}; whether it is in force was not read",
        format::list(&names)
    );
    let mut finding = finding(view, &found, title);
    finding.evidence = sets.iter().map(|(set, _)| set.evidence()).collect();
    if let (Some(remedy), Some((set, _))) = (&mut finding.remedy, sets.first()) {
        remedy.what = format!("{}, and take it out of {}", remedy.what, set.path);
    }
    finding.confidence = Confidence::read("configuration files");
    finding
}

fn finding(view: &View<'_>, found: &[&(&str, u64, &str)], title: String) -> Finding {
    let mut finding = Finding::new("unsafe-parameter", Severity::HurtsNow, Area::Safety, title);
    let whys: Vec<String> =
        found.iter().map(|(name, _, why)| format!("{}: {why}", view.shown(name))).collect();
    finding.cause = format!("{}.", whys.join(". "));
    let settings: Vec<Setting> =
        found.iter().map(|(name, safe, _)| changes::setting(name, *safe)).collect();
    finding.remedy = changes::set(view, &settings);
    finding.gain = Gain::Nothing;
    finding.cost =
        "Synchronous writes take longer; a SLOG with power-loss protection makes them fast safely."
            .to_owned();
    finding.risk =
        "None. The parameter is harmless only if all drives have power-loss protection.".to_owned();
    finding.sources = lines(["zfs(4)"]);
    finding
}
