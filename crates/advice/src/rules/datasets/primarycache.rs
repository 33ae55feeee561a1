//! `primarycache` keeps files or everything out of the ARC.

use crate::changes::{self, OwnProperty};
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::{dataset_state, metadata_uncached};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether datasets may use the ARC", judge };

/// Reads in the time judged that make it matter.
const READS_MIN: u64 = 1000;

fn judge(view: &View<'_>) -> Judged {
    // One value for one property: where metadata is missed, that rule speaks of “none”.
    let values: &[&str] =
        if metadata_uncached::speaks(view) { &["metadata"] } else { &["none", "metadata"] };
    let barred = dataset_state::own(dataset_state::all(view)?, "primarycache", values);
    if barred.is_empty() {
        return dataset_state::complete(view, "primarycache").map(|()| Verdict::Silent);
    }
    let asked = dataset_state::counted(view);
    let reads_of = |name: &String| asked.get(name)?.reads;
    let read: Vec<u64> = barred.iter().filter_map(|own| reads_of(&own.dataset)).collect();
    let reads = read.iter().fold(0u64, |sum, reads| sum.saturating_add(*reads));
    let names: Vec<String> = barred.iter().map(|own| own.dataset.clone()).collect();
    let title = format!("primarycache keeps file data out of the ARC on {}", format::list(&names));
    let severity = if reads >= READS_MIN { Severity::WorthALook } else { Severity::Note };
    let mut finding = Finding::new("primarycache", severity, Area::Arc, title);
    finding.subject = Some(format::list(&names));
    for OwnProperty { dataset, value, source } in barred.iter().take(4) {
        finding.evidence.push(Evidence::setting(
            format!("{dataset}: primarycache"),
            format!("{value} ({source})"),
        ));
        let reads = reads_of(dataset);
        finding.evidence.extend(reads.map(|reads| Evidence {
            exact: Some(reads),
            over: view.over(),
            ..Evidence::now(format!("{dataset}: reads"), format::count(reads))
        }));
    }
    finding.cause =
        "Every read goes to a disk, a whole record however small the read, and nothing can be \
         prefetched for long or enter the L2ARC. That is meant for programs with their own cache \
         (databases) on datasets with matching record size."
            .to_owned();
    finding.remedy = Some(changes::property("primarycache", "all", &barred));
    finding.gain =
        Gain::NotEstimated("repeated reads cannot be counted while nothing is cached".to_owned());
    finding.cost = "ARC memory, shared with the rest.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("zfs get primarycache");
    finding.sources = lines(["zfsprops(7) primarycache"]);
    Ok(Verdict::one(finding))
}
