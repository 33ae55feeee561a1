//! Compression is off.

use crate::changes;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state::{self, pool_of};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether datasets are compressed", judge };

fn judge(view: &View<'_>) -> Judged {
    let off = dataset_state::own(dataset_state::all(view)?, "compression", &["off"]);
    if off.is_empty() {
        return dataset_state::complete(view, "compression").map(|()| Verdict::Silent);
    }
    let names: Vec<String> = off.iter().map(|own| own.dataset.clone()).collect();
    let title = format!("Compression is off on {}", format::list(&names));
    let mut finding = Finding::new("compression-off", Severity::Note, Area::Layout, title);
    finding.subject = Some(format::list(&names));
    finding.evidence = off.iter().take(4).map(|own| own.evidence("compression")).collect();
    finding.cause =
        "lz4 costs next to nothing, stops early on incompressible data, and lets disks and ARC \
         hold more; without it even a file's last record takes its full size."
            .to_owned();
    finding.remedy = Some(match off.iter().any(|own| lacks_lz4(view, &own.dataset)) {
        true => {
            finding.cause = "Compression lets disks and ARC hold more; without it even a file's last record takes its full \
                             size. This pool's version does not know lz4: “on” means lzjb there, which also costs little."
                .to_owned();
            changes::property("compression", "on", &off)
        }
        false => changes::property("compression", "lz4", &off),
    });
    finding.gain = Gain::NotEstimated("the compression ratio is not known in advance".to_owned());
    finding.cost = "A little processor time.".to_owned();
    finding.risk = "None; only new writes are compressed.".to_owned();
    finding.confidence = Confidence::read("zfs get compression");
    finding.sources = lines(["zfsprops(7) compression"]);
    Ok(Verdict::one(finding))
}

/// Returns whether the pool of a dataset has a version of its own instead of features: `lz4_compress` is one of those,
/// and the version before them is 28 (zpool-features(7)).
fn lacks_lz4(view: &View<'_>, dataset: &str) -> bool {
    const BEFORE_FEATURES: u64 = 28;
    let pool = view.machine.pools.iter().find(|pool| pool.name == pool_of(dataset));
    pool.and_then(|pool| pool.number("version")).is_some_and(|version| version <= BEFORE_FEATURES)
}
