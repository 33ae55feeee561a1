//! `sync=disabled`: programs are told that writes are safe which are not.

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::datasets;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether synchronous writes are honoured", judge };

fn judge(view: &View<'_>) -> Judged {
    let off = datasets::own(datasets::all(view)?, "sync", &["disabled"]);
    if off.is_empty() {
        datasets::complete(view, "sync")?;
        return Ok(Verdict::fine("Synchronous writes are honoured everywhere", Vec::new()));
    }
    let names: Vec<String> = off.iter().map(|(name, _, _)| name.clone()).collect();
    let title = format!(
        "Acknowledged writes may be lost at power failure: sync=disabled on {}",
        format::list(&names)
    );
    let mut finding = Finding::new("sync-disabled", Severity::WorthALook, Area::Safety, title);
    finding.subject = Some(format::list(&names));
    finding.evidence = off
        .iter()
        .take(6)
        .map(|(name, value, source)| {
            Evidence::setting(format!("{name}: sync"), format!("{value} ({source})"))
        })
        .collect();
    let seconds = view
        .parameter("zfs_txg_timeout")
        .map_or_else(|| "last seconds".to_owned(), |held| format!("last {} seconds", held.value));
    finding.cause = format!(
        "Databases, virtual machines and NFS clients ask to wait until data is safe, and are told so at \
         once. What was written in the {seconds} or more is gone at a crash, although it was \
         acknowledged; a guest's file system may be damaged by it. The pool itself stays consistent."
    );
    finding.remedy = Some(changes::property("sync", "standard", &off));
    finding.gain = Gain::Nothing;
    finding.cost =
        "Those writes wait again; a SLOG with power-loss protection makes the wait short."
            .to_owned();
    finding.risk =
        "Slower sync writes. Where everything there can be made anew, disabled is a choice."
            .to_owned();
    finding.confidence = Confidence::read("zfs get sync");
    finding.sources = lines(["zfsprops(7) sync"]);
    Ok(Verdict::one(finding))
}
