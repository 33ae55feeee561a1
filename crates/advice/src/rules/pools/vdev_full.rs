//! One vdev of a pool is nearly full while the others are not, as when they were added later.
//!
//! The allocator gives each vdev about as much as it has room (`metaslab_group` bias, module/zfs/metaslab.c,
//! 0.6 to 2.4), so that what is written goes to the emptier ones: they alone have the work, and what the full
//! one still gets is in small pieces.

use arcwright_machine::{Class, Pool, Vdev};
use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether vdevs of a pool are equally full", judge };

/// From here on a vdev gets little of what is written.
const FULL: u64 = 90;
/// Fuller than the emptiest by this much is no chance: vdevs of one age fill alike.
const APART: u64 = 10;
/// From here on it has next to nothing left: also beside others that are fairly full.
const TOP: u64 = 95;
const APART_AT_TOP: u64 = 3;

/// A vdev and how full it is, in percent.
type Filled<'a> = (&'a Vdev, u64);

fn judge(view: &View<'_>) -> Judged {
    let findings = view.pools()?.iter().filter_map(of_pool).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(pool: &Pool) -> Option<Finding> {
    let vdevs = pool.of_class(Class::Data).count();
    let mut filled: Vec<Filled<'_>> = pool.of_class(Class::Data).filter_map(how_full).collect();
    filled.sort_by_key(|(_, full)| std::cmp::Reverse(*full));
    let ((vdev, most), (_, least)) = (*filled.first()?, *filled.last()?);
    let is_whole = filled.len() == vdevs;
    let (other, least) = match is_whole {
        true => ("the emptiest vdev", least),
        // Of a list that was cut the pool itself tells that others are emptier.
        false => ("the pool", pool.properties.get("capacity")?.trim_end_matches('%').parse().ok()?),
    };
    let apart = if most >= TOP { APART_AT_TOP } else { APART };
    if vdevs < 2 || most < FULL || most < least + apart {
        return None;
    }
    let title = format!(
        "{} of {} is {most} % full, {other} {least} %: new data goes to the others",
        vdev.name, pool.name
    );
    let mut finding = Finding::new("vdev-full", Severity::Note, Area::Layout, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = filled.iter().map(|filled| row(pool, *filled)).collect();
    finding.cause = "ZFS spreads writes about in proportion to free space. The emptier vdevs take \
                     most writes, and later the reads of these data."
        .to_owned();
    let name = format::shell(&pool.name);
    let mut remedy = changes::by_hand(
        "leave it if the pool is fast enough; rewritten data spreads over all vdevs",
        &[format!("zpool list -v {name}")],
    );
    remedy.verify = vec![format!("zpool list -v {name}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("rewritten data can be read from all vdevs".to_owned());
    finding.cost = "A copy of the data to spread.".to_owned();
    finding.risk = "Snapshots keep the old copy: both take space.".to_owned();
    finding.confidence = Confidence::read("zpool list -v");
    finding.sources = lines(["module/zfs/metaslab.c", "zpool-list(8) -v"]);
    Some(finding)
}

fn how_full(vdev: &Vdev) -> Option<Filled<'_>> {
    let space = vdev.space?;
    let allocated = space.allocated?;
    // A list of I/O tells what is free instead of the size.
    let size = space.size.or_else(|| Some(Bytes(allocated.0.checked_add(space.free?.0)?)))?;
    let pct = allocated.0.checked_mul(100)?.checked_div(size.0)?;
    Some((vdev, pct))
}

fn row(pool: &Pool, (vdev, full): Filled<'_>) -> Evidence {
    Evidence {
        exact: Some(full),
        ..Evidence::now(format!("{}: {}", pool.name, vdev.name), format!("{full} % full"))
    }
}
