//! Checksums of file data are off: damage is handed to whoever reads it, and a scrub finds none.

use crate::changes;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether data have checksums", judge };

fn judge(view: &View<'_>) -> Judged {
    let off = dataset_state::own(dataset_state::all(view)?, "checksum", &["off"]);
    if off.is_empty() {
        return dataset_state::complete(view, "checksum").map(|()| Verdict::Silent);
    }
    let names: Vec<String> = off.iter().map(|own| own.dataset.clone()).collect();
    let title = format!(
        "Checksums are off on {}: damage of file data is not noticed",
        format::list(&names)
    );
    let mut finding = Finding::new("checksum-off", Severity::WorthALook, Area::Safety, title);
    finding.subject = Some(format::list(&names));
    finding.evidence = off.iter().take(4).map(|own| own.evidence("checksum")).collect();
    finding.cause = "Without them ZFS cannot tell a wrong block from a right one: it is handed out as it is, no copy or parity is asked \
                     instead, and a scrub finds nothing there. Metadata have checksums all the same."
        .to_owned();
    let mut remedy = changes::property("checksum", "on", &off);
    remedy.verify.push("# what is there already keeps none until it is written anew".to_owned());
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "Little of the processor: fletcher4 runs at gigabytes per second.".to_owned();
    finding.risk = "None; only new writes get checksums.".to_owned();
    finding.confidence = Confidence::read("zfs get checksum");
    finding.sources = lines(["zfsprops(7) checksum"]);
    Ok(Verdict::one(finding))
}
