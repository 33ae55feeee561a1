//! Dnodes have reached their limit: files are dropped from memory while there is room.
//!
//! `zfs_arc_dnode_limit_percent` is 10 % of the metadata limit up to 2.1 and of arc_max later; above it
//! the kernel is asked to drop inodes (docs/model/arc.md#dnode-limit).

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Finding, Gain, Remedy, Severity, lines};
use crate::rows::ARCSTATS;
use crate::rule::Rule;
use crate::rules::arc::room;
use crate::verdict::{Judged, Verdict};
use crate::versions;
use crate::view::{Basis, View};

pub(crate) const RULE: Rule = Rule { about: "whether dnodes are held back by their limit", judge };

/// Dnodes within this of their limit are at it: pruning holds them just below.
const AT_LIMIT: f64 = 0.95;
/// So many times their limit they are far over it, whatever the ARC's maximum is.
const FAR_OVER: f64 = 2.0;

fn judge(view: &View<'_>) -> Judged {
    if versions::exists(view.machine, ARCSTATS, "arc_dnode_limit") == Some(false) {
        return Ok(Verdict::Silent);
    }
    let (used, limit) = (view.arc_now("dnode_size")?, view.arc_now("arc_dnode_limit")?);
    if limit == 0 || (used as f64) < AT_LIMIT * limit as f64 {
        return Ok(Verdict::Silent);
    }
    // Dnodes that are not given back are what takes an ARC over its maximum: no reason for more of them.
    match room::is_over_maximum(view) {
        Ok(true) => return Ok(Verdict::Silent),
        Ok(false) => {}
        Err(why) if (used as f64) < FAR_OVER * limit as f64 && view.basis != Basis::Nothing => {
            return Err(why);
        }
        Err(why) if (used as f64) < FAR_OVER * limit as f64 => {
            return Ok(Verdict::Partly(vec![at_limit(view, used, limit)], why));
        }
        Err(why) => return Ok(Verdict::Partly(vec![far_over(view, used, limit)], why)),
    }
    // Whether the kernel was asked to drop any is counted; without that a limit that is reached is no harm yet.
    let prunes = view.arc_now("arc_prune");
    let severity = match prunes {
        Ok(0) => return Ok(Verdict::Silent),
        Ok(_) => Severity::WorthALook,
        // Reports that round do not have that row; of the counters themselves it is only missing.
        Err(why) if view.machine.rounded.is_none() && (used as f64) < FAR_OVER * limit as f64 => {
            return Err(why);
        }
        Err(_) => Severity::Note,
    };
    let title = match used as f64 >= FAR_OVER * limit as f64 {
        true => title_far_over(used, limit),
        false => format!(
            "Dnodes are at their limit in the ARC: {}, the limit is {}",
            Bytes(used),
            Bytes(limit)
        ),
    };
    let mut finding = Finding::new("dnode-limit", severity, Area::Metadata, title);
    finding.evidence = view.rows_now(["dnode_size", "arc_dnode_limit", "c_max"]);
    finding.evidence.extend(view.rows(["arc_prune"]));
    finding.evidence.extend(view.settings(["zfs_arc_dnode_limit", "zfs_arc_dnode_limit_percent"]));
    finding.cause = format!(
        "Dnodes take {}; their limit is {}. Many files in use at once (backup, file server, \
         containers) reach it; each dropped inode is read from disk again when needed.",
        Bytes(used),
        Bytes(limit)
    );
    let wanted = view.parameter("zfs_arc_dnode_limit_percent").map(|held| {
        // What they take now and a quarter more, in the share that the limit is given in.
        let needed = used.saturating_mul(125) / limit.max(1).saturating_mul(100) * held.value;
        needed.max(held.value.saturating_mul(2)).clamp(1, 75)
    });
    finding.remedy = wanted.and_then(|wanted| {
        changes::set(view, &[changes::setting("zfs_arc_dnode_limit_percent", wanted)])
    });
    if finding.remedy.is_none() && view.has_parameter("zfs_arc_dnode_limit_percent").is_none() {
        finding.remedy = Some(in_general());
    }
    finding.gain =
        Gain::NotEstimated("repeated lookups of dropped inodes are not counted".to_owned());
    finding.cost = "Memory within the ARC: the total stays, less is left for file data.".to_owned();
    finding.risk =
        "Dnodes in use cannot be evicted; with a high limit the ARC can shrink less.".to_owned();
    finding.confidence = crate::finding::Confidence::read("arcstats, as it is now");
    finding.sources = lines(["zfs(4) zfs_arc_dnode_limit_percent", "module/zfs/arc.c"]);
    match prunes {
        Ok(_) => Ok(Verdict::one(finding)),
        Err(why) => Ok(Verdict::Partly(vec![finding], why)),
    }
}

/// Returns what is said of dnodes at their limit where neither the ARC's size nor its maximum was read: both sides of
/// this limit were.
fn at_limit(view: &View<'_>, used: u64, limit: u64) -> Finding {
    let title = format!(
        "Dnodes are at their limit in the ARC: {}, the limit is {}",
        Bytes(used),
        Bytes(limit)
    );
    let mut finding = Finding::new("dnode-limit", Severity::WorthALook, Area::Metadata, title);
    finding.evidence =
        view.rows_now(["dnode_size", "arc_dnode_limit", "arc_meta_used", "arc_meta_limit"]);
    finding.cause =
        "At it the ARC asks the system to drop cached files, again and again, and a thread of it (arc_prune, up to 0.8 \
         arc_reclaim) may take a processor."
            .to_owned();
    let meta = view.arc_now("arc_meta_used").ok().zip(view.arc_now("arc_meta_limit").ok());
    if let Some((used, most)) = meta.filter(|(used, most)| used / 2 < *most && *used < most / 4 * 3)
    {
        let told =
            format!(" All metadata takes {} of the {} that it may.", Bytes(used), Bytes(most));
        finding.cause.push_str(&told);
    }
    // The share of the limit of metadata that the limit of dnodes is.
    let share = meta
        .and_then(|(_, most)| limit.checked_mul(100)?.saturating_add(most / 200).checked_div(most));
    if let Some(share) = share.filter(|share| (1..=100).contains(share)) {
        let told = format!(
            " The limit is {share} % of the limit of metadata: where zfs_arc_dnode_limit_percent was set to another share, \
             that was not in force when this was read. One in bytes (zfs_arc_dnode_limit) goes before it."
        );
        finding.cause.push_str(&told);
    }
    let commands = lines([
        "grep -H . /sys/module/zfs/parameters/zfs_arc_dnode_limit*   # what is set",
        "grep dnode /proc/spl/kstat/zfs/arcstats   # what is in force",
    ]);
    finding.remedy = Some(changes::by_hand(
        "compare what is set with arc_dnode_limit after the change; where the kernel keeps the old limit, set it in \
         modprobe.d and load the module again; see whether the ARC is above its maximum before the limit is raised",
        &commands,
    ));
    finding.gain =
        Gain::NotEstimated("repeated lookups of dropped inodes are not counted".to_owned());
    finding.cost = "Memory within the ARC, and less for file data.".to_owned();
    finding.risk =
        "Dnodes in use cannot be evicted; with a high limit the ARC can shrink less.".to_owned();
    finding.confidence = crate::finding::Confidence::read("arcstats, as it is now");
    finding.sources =
        lines(["zfs(4) zfs_arc_dnode_limit_percent", "module/zfs/arc.c, arc_tuning_update"]);
    finding
}

/// Returns what is said of dnodes far over their limit where it is not known whether the ARC stays within its maximum.
fn far_over(view: &View<'_>, used: u64, limit: u64) -> Finding {
    let title = title_far_over(used, limit);
    let mut finding = Finding::new("dnode-limit", Severity::Note, Area::Metadata, title);
    finding.evidence = view.rows_now(["dnode_size", "arc_dnode_limit"]);
    finding.evidence.extend(view.rows(["arc_prune"]));
    finding.cause = "They are held by files that the system keeps in memory (inodes, vnodes), which the ARC cannot evict by \
                     itself: it asks the system to drop some, again and again, and a thread of it (arc_prune) may take a \
                     processor. Whether they take the ARC over its maximum was not read, so that nothing is advised here."
        .to_owned();
    finding.gain = Gain::NotEstimated("the ARC's size and its maximum were not read".to_owned());
    finding.confidence = crate::finding::Confidence::read("arcstats, as it is now");
    finding.sources = lines(["zfs(4) zfs_arc_dnode_limit_percent", "module/zfs/arc.c"]);
    finding
}

fn title_far_over(used: u64, limit: u64) -> String {
    format!(
        "Dnodes take {} in the ARC, {:.1} times their limit of {}",
        Bytes(used),
        used as f64 / limit as f64,
        Bytes(limit)
    )
}

/// Returns what to do where neither the version nor the setting was read.
fn in_general() -> Remedy {
    changes::by_hand(
        "if metadata should stay in the ARC, raise zfs_arc_dnode_limit_percent (default 10) in small \
         steps, where this version of ZFS has it; the version was not read",
        &[],
    )
}
