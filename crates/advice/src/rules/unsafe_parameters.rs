//! Parameters that trade safety for speed.

use crate::changes;
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
        "disks are never told to write their caches out: at power failure the pool itself may be damaged",
    ),
    ("zil_nocacheflush", 0, "acknowledged synchronous writes may be lost at power failure"),
    ("zil_replay_disable", 0, "what the intent log holds is thrown away at the next import"),
    ("zfs_recover", 0, "errors that stop a damaged pool are passed over"),
];

fn judge(view: &View<'_>) -> Judged {
    if !view.parameters_were_read() {
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
    let title = format!("Data is at risk by a parameter: {}", format::list(&names));
    let mut finding = Finding::new("unsafe-parameter", Severity::HurtsNow, Area::Safety, title);
    finding.evidence = found.iter().flat_map(|(name, _, _)| view.settings([name])).collect();
    let whys: Vec<String> =
        found.iter().map(|(name, _, why)| format!("{}: {why}", view.shown(name))).collect();
    finding.cause = format!("{}.", whys.join(". "));
    let settings: Vec<(&str, u64)> = found.iter().map(|(name, safe, _)| (*name, *safe)).collect();
    finding.remedy = changes::set(view, &settings);
    finding.gain = Gain::Nothing;
    finding.cost =
        "Synchronous writes take as long as they take; a SLOG with power-loss protection is the \
                    safe way to make them fast."
            .to_owned();
    finding.risk =
        "None. Only drives that all have power-loss protection make it harmless.".to_owned();
    finding.confidence = Confidence::read("the module's parameters");
    finding.sources = lines(["zfs(4)"]);
    Ok(Verdict::one(finding))
}
