//! `atime=on`: every file that is read is written to as well.

use crate::changes;
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::rules::datasets;
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::{ACCESSES_MIN, View};
use crate::words;

pub(super) const RULE: Rule = Rule { about: "whether reading files writes to the pool", judge };

fn judge(view: &View<'_>) -> Judged {
    let all = datasets::all(view)?;
    let asked = datasets::asked(view);
    let mut reads = 0u64;
    let keeps = |name: &str| {
        let dataset = all.iter().find(|dataset| dataset.name == name)?;
        let on = datasets::property(dataset, "atime") == Some("on");
        let each = datasets::property(dataset, "relatime") != Some("on");
        (on && each).then(|| dataset.properties.get("atime").cloned()).flatten()
    };
    let mut keeping = Vec::new();
    for (name, asked) in &asked {
        if let Some((value, source)) = keeps(name) {
            reads = reads.saturating_add(asked.reads);
            keeping.push((asked.reads, (name.clone(), value, source)));
        }
    }
    // Who does not read does not write atimes.
    if keeping.is_empty() || reads < ACCESSES_MIN {
        return Ok(Verdict::Silent);
    }
    keeping.sort_by(|(one, _), (other, _)| other.cmp(one));
    let sets: Vec<(String, String, String)> = keeping.iter().map(|(_, set)| set.clone()).collect();
    let names: Vec<String> = sets.iter().map(|(name, _, _)| name.clone()).collect();
    let title =
        format!("Every file that is read is written to: atime=on for {}", words::list(&names));
    let mut finding = Finding::new("atime", Severity::Note, Area::Layout, title);
    finding.subject = Some(words::list(&names));
    finding.evidence = keeping
        .iter()
        .take(4)
        .flat_map(|(reads, (name, value, source))| {
            [
                Evidence::setting(format!("{name}: atime"), format!("{value} ({source})")),
                Evidence {
                    exact: Some(*reads),
                    over: view.over(),
                    ..Evidence::now(format!("{name}: reads"), words::count(*reads))
                },
            ]
        })
        .collect();
    finding.cause =
        "Reading a file notes the time in its dnode, a write of metadata with the next \
                     transaction group; on trees of many small files those writes seek as reads do."
            .to_owned();
    finding.remedy = Some(changes::property("atime", "off", &sets));
    finding.gain = Gain::NotEstimated("how many files were read is not counted".to_owned());
    finding.cost = "None; relatime=on keeps a time that is right to a day.".to_owned();
    finding.risk = "Few programs look at it (some mail readers, tmpwatch).".to_owned();
    finding.confidence = view.confidence(reads, "reads");
    finding.sources = lines(["zfsprops(7) atime, relatime"]);
    Ok(Verdict::one(finding))
}
