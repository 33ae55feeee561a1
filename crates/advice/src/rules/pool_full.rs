//! A pool that is nearly full, or whose free space is in small pieces.
//!
//! The less is free, the longer the allocator looks and the smaller the pieces it finds; below about a
//! fifth of free space writes become scattered, and below 3 % to 4 % it looks for the best fit
//! instead of the next (`metaslab_df_free_pct`, module/zfs/metaslab.c).

use arcwright_machine::Pool;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::View;

pub(super) const RULE: Rule = Rule { about: "whether pools are too full", judge };

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
    let capacities: Vec<(&Pool, u64)> =
        pools.iter().filter_map(|pool| Some((pool, pool.number("capacity")?))).collect();
    if capacities.is_empty() {
        return Err(view.not_read("how full pools are", "zpool-get"));
    }
    let findings = capacities.iter().filter_map(|(pool, full)| of_pool(pool, *full)).collect();
    let evidence = capacities
        .iter()
        .map(|(pool, full)| Evidence {
            exact: Some(*full),
            ..Evidence::now(format!("{}: capacity", pool.name), format!("{full} %"))
        })
        .collect();
    Ok(Verdict::found_or(findings, Verdict::fine("Pools have room", evidence)))
}

fn of_pool(pool: &Pool, full: u64) -> Option<Finding> {
    let fragmented = pool.number("fragmentation").unwrap_or(0);
    let pieces = fragmented >= FRAGMENTED && full >= HALF;
    let severity = match full {
        full if full >= TOO_FULL => Severity::HurtsNow,
        full if full >= FULL => Severity::WorthALook,
        _ if pieces => Severity::Note,
        _ => return None,
    };
    let title = if full >= FULL {
        format!("{} is {full} % full: writing gets slower from here on", pool.name)
    } else {
        format!("The free space of {} is in small pieces ({fragmented} % fragmented)", pool.name)
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
    finding.cause = "New blocks must go where room is left: in ever smaller pieces, ever further apart. \
                     What is written now is read with more seeks later, and freeing space does not move \
                     what lies already."
        .to_owned();
    let commands = [
        format!("zfs list -t snapshot -o name,used -s used -r {}", pool.name),
        format!("zpool add {} mirror DISK1 DISK2   # more room", pool.name),
    ];
    let mut remedy =
        changes::by_hand("delete what is not needed, old snapshots first, or add disks", &commands);
    remedy.verify = vec![format!("zpool list {}", pool.name)];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on where the free space lies".to_owned());
    finding.cost = "Data or disks.".to_owned();
    finding.risk = "A snapshot that is destroyed cannot be brought back.".to_owned();
    finding.confidence = Confidence::read("zpool get");
    finding.sources = lines(["module/zfs/metaslab.c", "openzfs-docs, Workload Tuning: free space"]);
    Some(finding)
}
