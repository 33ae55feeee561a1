//! `sync=disabled`: ZFS tells programs that writes are safe which are not.

use crate::changes;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether synchronous writes are honoured", judge };

fn judge(view: &View<'_>) -> Judged {
    let off = dataset_state::own(dataset_state::all(view)?, "sync", &["disabled"]);
    if off.is_empty() {
        dataset_state::complete(view, "sync")?;
        return Ok(Verdict::fine("Synchronous writes are honoured everywhere", Vec::new()));
    }
    let names: Vec<String> = off.iter().map(|own| own.dataset.clone()).collect();
    let title = format!(
        "Acknowledged writes may be lost at power failure: sync=disabled on {}",
        format::list(&names)
    );
    let mut finding = Finding::new("sync-disabled", Severity::WorthALook, Area::Safety, title);
    finding.subject = Some(format::list(&names));
    finding.evidence = off.iter().take(6).map(|own| own.evidence("sync")).collect();
    let seconds = view
        .parameter("zfs_txg_timeout")
        .map_or_else(|| "last seconds".to_owned(), |held| format!("last {} seconds", held.value));
    finding.cause = format!(
        "Synchronous writes of databases, virtual machines and NFS clients are acknowledged before \
         they are stable. A crash loses the writes of the {seconds} or more, although they were \
         acknowledged; this may damage a guest's file system. The pool itself stays consistent."
    );
    finding.remedy = Some(changes::property("sync", "standard", &off));
    finding.gain = Gain::Nothing;
    finding.cost =
        "These writes wait again; a SLOG with power-loss protection makes the wait short."
            .to_owned();
    finding.risk =
        "Slower sync writes. Disabled is acceptable where all of the data can be recreated."
            .to_owned();
    finding.confidence = Confidence::read("zfs get sync");
    finding.sources = lines(["zfsprops(7) sync"]);
    Ok(Verdict::one(finding))
}
