//! A pool that is nearly full, or whose free space is in small pieces.
//!
//! The less is free, the longer the allocator looks and the smaller the pieces it finds; below about a
//! fifth of free space writes become scattered, and below 3 % to 4 % it looks for the best fit
//! instead of the next (`metaslab_df_free_pct`, module/zfs/metaslab.c).

use arcwright_machine::Pool;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether pools are too full", judge };

/// Where the documents advise to make room.
const FULL: u64 = 80;
/// Where writes get slow for good.
const TOO_FULL: u64 = 90;
/// Fragmentation of free space that is felt when the pool is half full as well.
const FRAGMENTED: u64 = 60;
/// In an emptier pool fragmented space is plenty anyhow.
const HALF: u64 = 50;

fn judge(view: &View<'_>) -> Judged {
    let pools = view.pools()?;
    let mut findings = Vec::new();
    let mut unread = None;
    for pool in pools {
        match of_pool(view, pool) {
            Ok(found) => findings.extend(found),
            Err(why) => unread = Some(why),
        }
    }
    let evidence = pools.iter().filter_map(|pool| {
        let full = pool.number("capacity")?;
        Some(Evidence {
            exact: Some(full),
            ..Evidence::now(format!("{}: capacity", pool.name), format!("{full} %"))
        })
    });
    // What a dataset may still have goes before what the pool has.
    if let Some(full) = dataset_state::without_space(view) {
        unread.get_or_insert(NotJudged::NotRead(format!("why {full} has no space left")));
    }
    Verdict::of_all(findings, unread, Verdict::fine("Pools have free space", evidence.collect()))
}

fn of_pool(view: &View<'_>, pool: &Pool) -> Result<Option<Finding>, NotJudged> {
    let unread = |what: &str| view.not_read(&format!("{what} {} is", pool.name), "zpool-get");
    let full = pool.number("capacity").ok_or_else(|| unread("how full"))?;
    if full < FULL
        && let Some(larger) = dataset_state::larger_than(view, pool)
    {
        return Err(NotJudged::NotRead(format!(
            "how full {} is since {larger} holds more than its list says",
            pool.name
        )));
    }
    let severity = match full {
        // What a pool lacks that is not whole goes before its space.
        full if full >= TOO_FULL && is_whole(pool) => Severity::HurtsNow,
        full if full >= FULL => Severity::WorthALook,
        full if full < HALF => return Ok(None),
        // A pool without the feature shows “-”.
        _ if pool.properties.get("fragmentation").is_some_and(|text| text.trim() == "-") => {
            return Ok(None);
        }
        _ if pool.number("fragmentation").ok_or_else(|| unread("how fragmented"))?
            >= FRAGMENTED =>
        {
            Severity::Note
        }
        _ => return Ok(None),
    };
    Ok(Some(finding(pool, full, severity)))
}

/// Returns whether nothing says that a pool is not whole: to one that is not, no vdev is added for good.
fn is_whole(pool: &Pool) -> bool {
    pool.state.as_deref().is_none_or(|state| state == "ONLINE")
}

fn finding(pool: &Pool, full: u64, severity: Severity) -> Finding {
    let pieces = pool.number("fragmentation").filter(|pieces| *pieces >= FRAGMENTED);
    let title = if let Some(pieces) = pieces.filter(|_| full >= FULL) {
        format!(
            "{} is {full} % full and what is free is in small pieces (FRAG {pieces} %): writes get slower from here on",
            pool.name
        )
    } else if full >= FULL {
        format!("{} is {full} % full: writes get slower from here on", pool.name)
    } else {
        format!("The free space of {} is fragmented", pool.name)
    };
    let mut finding = Finding::new("pool-full", severity, Area::Layout, title);
    finding.subject = Some(pool.name.clone());
    let property = |name: &str| {
        let exact = pool.number(name)?;
        Some(Evidence {
            exact: Some(exact),
            ..Evidence::now(format!("{}: {name}", pool.name), format!("{exact} %"))
        })
    };
    finding.evidence = ["capacity", "fragmentation"].into_iter().filter_map(property).collect();
    finding.cause = "New blocks go into ever smaller and more scattered free segments. What is \
                     written now needs more seeks to read later, and freeing space does not move \
                     existing blocks."
        .to_owned();
    let name = format::shell(&pool.name);
    let mut commands = vec![format!("zfs list -t snapshot -o name,used -s used -r {name}")];
    let what = match is_whole(pool) && pool.name != "bpool" {
        true => {
            commands.push(format!(
                "zpool add -n {name} LAYOUT DISKS   # more space: the dry run; a vdev like those that are there, for good"
            ));
            "delete unneeded data, old snapshots first, or add disks"
        }
        false => "delete unneeded data, old snapshots first",
    };
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![format!("zpool list {name}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on where the free space is".to_owned());
    finding.cost = "Data or disks.".to_owned();
    finding.risk = "A destroyed snapshot cannot be recovered.".to_owned();
    finding.confidence = Confidence::read("zpool get");
    finding.sources = lines(["module/zfs/metaslab.c", "openzfs-docs, Workload Tuning: free space"]);
    finding
}
