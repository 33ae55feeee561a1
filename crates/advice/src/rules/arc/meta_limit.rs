//! Metadata at its own limit in the ARC, told by two rows alone.
//!
//! Up to 2.1 metadata may take `arc_meta_limit`; at it, metadata is evicted although the ARC has room
//! (module/zfs/arc.c, `arc_adjust_meta`). Whether misses of metadata follow, other rows tell, and the rule
//! on metadata judges them: this is a note without a remedy of its own.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rows::ARCSTATS;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether metadata is at its limit", judge };

fn judge(view: &View<'_>) -> Judged {
    let (Ok(used), Ok(limit)) = (view.arc_now("arc_meta_used"), view.arc_now("arc_meta_limit"))
    else {
        return Ok(Verdict::Silent);
    };
    // Eviction holds it within a hundredth of the limit.
    if limit == 0 || u128::from(used) * 100 < u128::from(limit) * 99 {
        return Ok(Verdict::Silent);
    }
    // A burst takes it over the limit by less than half of it.
    if used / 3 * 2 > limit {
        return Ok(Verdict::one(over(view, used, limit)));
    }
    // A twentieth is what eviction lets pass.
    let place = if used / 21 * 20 > limit { "above" } else { "at" };
    let title =
        format!("Metadata is {place} its limit in the ARC: {} of {}", Bytes(used), Bytes(limit));
    let mut finding = Finding::new("metadata-at-limit", Severity::Note, Area::Metadata, title);
    finding.evidence = view.rows_now(["arc_meta_used", "arc_meta_limit", "size", "c", "c_max"]);
    finding.cause =
        "At arc_meta_limit metadata is evicted even where the ARC has room for more. It \
                     hurts if metadata is then missed (demand_metadata_misses): raise the limit \
                     (zfs_arc_meta_limit_percent, arc_meta_limit), or the ARC with it."
            .to_owned();
    finding.cause.push_str(&pruned(view));
    finding.gain = Gain::NotEstimated("depends on the misses of metadata".to_owned());
    finding.cost = "Memory for file data within the ARC.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("arcstats, as it is now");
    finding.sources = lines(["zfs(4) zfs_arc_meta_limit_percent", "module/zfs/arc.c"]);
    Ok(Verdict::one(finding))
}

/// Returns a sentence on how often the ARC asked for files to be given back, where that was counted.
fn pruned(view: &View<'_>) -> String {
    match view.arc("arc_prune") {
        Ok(count) if count > 0 => format!(
            " To come below it, the ARC asked the kernel {} times {} to give back files that it keeps \
             (arc_prune).",
            format::count(count),
            view.when()
        ),
        _ => String::new(),
    }
}

/// Returns what metadata took before a command of the text let the system drop cached files, where it takes less since.
fn before_the_drop(view: &View<'_>, used: u64) -> Option<u64> {
    let drops = |typed: &String| typed.contains("drop_caches");
    view.machine.typed.iter().any(drops).then_some(())?;
    let first = view.machine.samples.first()?;
    first.kstats.get(ARCSTATS, "arc_meta_used").filter(|before| *before > used)
}

/// Returns the finding where metadata is far above its limit: it was to be evicted, and could not be.
fn over(view: &View<'_>, used: u64, limit: u64) -> Finding {
    let before = before_the_drop(view, used);
    let was = before.map_or_else(String::new, |before| {
        format!(" ({} before cached files were dropped)", Bytes(before))
    });
    let title = format!(
        "Metadata takes {} of the ARC, above its limit of {}{was}",
        Bytes(used),
        Bytes(limit)
    );
    let mut finding =
        Finding::new("metadata-over-limit", Severity::WorthALook, Area::Metadata, title);
    finding.evidence = view.rows_now([
        "arc_meta_used",
        "arc_meta_limit",
        "arc_meta_max",
        "size",
        "c_max",
        "dnode_size",
        "bonus_size",
        "dbuf_size",
        "other_size",
    ]);
    finding.cause = "It is held by files that the system keeps in memory (inodes, vnodes: dnodes, bonus \
                     buffers and dbufs), which the ARC cannot evict by itself, so that neither this limit nor \
                     the ARC's maximum holds it."
        .to_owned();
    let (what, commands) = match view.is_freebsd() {
        true => (
            "lower the number of files that the system keeps, and watch arc_meta_used",
            lines(["sysctl kern.maxvnodes vfs.numvnodes   # then: sysctl kern.maxvnodes=N"]),
        ),
        false if before.is_some() => (
            "find out who walks so many files, and keep them from it (find, backup, indexing of all files): what the text \
             did is the test whether cached files hold it, and they do; it lasts until the next walk",
            Vec::new(),
        ),
        false => (
            "find out who walks so many files; as a test, and once, let the system drop cached files: \
             arc_meta_used falls if these hold it",
            lines(["echo 2 > /proc/sys/vm/drop_caches   # what is dropped is looked up again"]),
        ),
    };
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = lines(["arcwright doctor   # arc_meta_used against arc_meta_limit"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::Counted(format!(
        "up to {} of memory for the machine",
        Bytes(used.saturating_sub(limit))
    ));
    finding.cost = "Files that are dropped are looked up again when they are next used.".to_owned();
    finding.risk = "Raising arc_meta_limit or the ARC's maximum only lets it hold more.".to_owned();
    finding.confidence = Confidence::read("arcstats, as it is now");
    finding.sources =
        lines(["module/zfs/arc.c, arc_prune_async", "openzfs issues 193, 9966, 13079"]);
    finding
}
