//! Metadata that is waited for, and the reason was not read; a part of the rule in `metadata.rs`.

use crate::accesses::Class;
use crate::finding::{Area, Finding, Severity, lines};
use crate::format;
use crate::rules::arc::metadata::{evidence, gain};
use crate::verdict::NotJudged;
use crate::view::View;

/// Of the look-ups, from which it is much whatever the reason.
const MOST: f64 = 0.5;
/// Misses that a ghost list remembers, below which twice the ARC would not have kept them.
const HARDLY_BACK: f64 = 0.01;

/// Says that metadata is waited for where it was not read whether it does not fit or is read for the first
/// time: that is much only where most look-ups miss.
pub(super) fn finding(
    view: &View<'_>,
    metadata: Class,
    why: NotJudged,
) -> Result<Finding, NotJudged> {
    let Class { all, missed } = metadata;
    if format::fraction(missed, all) < MOST {
        return Err(why);
    }
    let share = format::share(missed, all);
    let back = view.ghosts().ok().zip(view.misses().ok());
    let by_size =
        back.is_none_or(|(ghosts, misses)| format::fraction(ghosts, misses) >= HARDLY_BACK);
    let title = match by_size {
        true => format!("{share} of the metadata accesses miss the ARC; the reason was not read"),
        false => format!(
            "{share} of the metadata accesses miss the ARC, and hardly any of them had been in it lately: twice \
             the memory would not help"
        ),
    };
    let mut finding = Finding::new("metadata-misses", Severity::Note, Area::Metadata, title);
    finding.evidence = evidence(view);
    finding.cause = match by_size {
        true => format!(
            "Either it does not fit, or it is read for the first time and cached from then on: {why}."
        ),
        false => {
            "Either this metadata is read for the first time, or it may not stay: a limit of its own \
             (arc_meta_limit, up to 2.1), primarycache, or far more of it than twice the ARC, read in turns. What \
             tells them apart was not read."
                .to_owned()
        }
    };
    finding.gain = gain(view);
    finding.confidence = view.confidence(all, "metadata accesses");
    finding.sources = lines(["module/zfs/arc.c"]);
    Ok(finding)
}
