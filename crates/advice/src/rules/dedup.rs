//! Deduplication whose table costs more than it saves.

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::rules::datasets;
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::View;
use crate::words;

pub(super) const RULE: Rule = Rule { about: "whether deduplication pays", judge };

/// Blocks saved for each kept, below which the table (some 320 bytes per block) costs more than it
/// saves: the usual advice is two, and one and a half is clearly below.
const PAYS: f64 = 1.5;

fn judge(view: &View<'_>) -> Judged {
    let all = datasets::all(view)?;
    let mut findings = Vec::new();
    for pool in view.pools()? {
        let on: Vec<(String, String, String)> = datasets::own(
            all,
            "dedup",
            &["on", "sha256", "verify", "sha256,verify", "blake3", "skein"],
        )
        .into_iter()
        .filter(|(name, _, _)| datasets::pool_of(name) == pool.name)
        .collect();
        let ratio = pool
            .properties
            .get("dedupratio")
            .and_then(|text| text.trim_end_matches('x').parse::<f64>().ok());
        let pays = ratio.is_some_and(|ratio| ratio >= PAYS);
        if on.is_empty() || pays {
            continue;
        }
        let shown = ratio.map_or_else(|| "unknown".to_owned(), |ratio| format!("{ratio:.2}x"));
        let title = format!(
            "Deduplication on {} saves hardly anything ({shown}) and costs memory and seeks",
            pool.name
        );
        let mut finding = Finding::new("dedup", Severity::WorthALook, Area::Layout, title);
        finding.subject = Some(pool.name.clone());
        finding.evidence = on
            .iter()
            .take(4)
            .map(|(name, value, source)| {
                Evidence::setting(format!("{name}: dedup"), format!("{value} ({source})"))
            })
            .collect();
        finding.evidence.push(Evidence::now(format!("{}: dedupratio", pool.name), shown));
        let names: Vec<String> = on.iter().map(|(name, _, _)| name.clone()).collect();
        finding.cause = format!(
            "Every write of {} looks its checksum up in a table that is metadata: what of it is not in the \
             ARC is a random read for each block written or freed.",
            words::list(&names)
        );
        finding.remedy = Some(changes::property("dedup", "off", &on));
        finding.gain = Gain::NotEstimated("lookups of the table are not counted apart".to_owned());
        finding.cost =
            "New copies of equal blocks take room; what is deduplicated stays so.".to_owned();
        finding.risk = "The table shrinks only as its blocks are freed or written anew.".to_owned();
        finding.confidence = Confidence::read("zfs get dedup, zpool get dedupratio");
        finding.sources =
            lines(["zfsprops(7) dedup", "openzfs-docs, Workload Tuning: deduplication"]);
        findings.push(finding);
    }
    Ok(Verdict::found_or(findings, Verdict::Silent))
}
