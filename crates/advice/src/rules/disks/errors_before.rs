//! Devices that had counted errors in an earlier text about the pool, and count fewer now.
//!
//! `zpool clear` sets the counts to 0 and lets requests go on (`vdev_clear`, module/zfs/vdev.c), as an import does; what
//! made them is as it was.

use arcwright_machine::{Pool, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether devices made errors before", judge };

/// Devices that are named.
const DEVICES_MAX: usize = 4;

fn judge(view: &View<'_>) -> Judged {
    let findings = view.told()?.filter_map(|pool| of_pool(view, pool)).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn of_pool(view: &View<'_>, pool: &Pool) -> Option<Finding> {
    // A pool that lost its devices says itself what to do about them.
    pool_state::is_usable(pool).then_some(())?;
    let now = pool_state::told(pool);
    // What was taken out of the pool, or is being filled anew, is another matter.
    let is_cleared = |before: &&Vdev| {
        let same = now.iter().map(|(_, leaf)| *leaf).find(|leaf| leaf.name == before.name);
        let counts = same.and_then(|leaf| leaf.error_sum().zip(before.error_sum()));
        let is_filled = same.is_some_and(pool_state::is_filled);
        // Counts that were not read are not known to be fewer.
        let is_again = pool.errors_beside.again.contains(&before.name);
        let is_replaced = pool.errors_beside.replaced.contains(&before.name);
        counts.is_some_and(|(now, then)| now < then || is_again) && !is_filled && !is_replaced
    };
    let cleared: Vec<&Vdev> = pool.errors_beside.before.iter().filter(is_cleared).collect();
    let first = cleared.first()?;
    let names: Vec<String> =
        cleared.iter().take(DEVICES_MAX).map(|leaf| leaf.name.clone()).collect();
    let again: Vec<String> = cleared
        .iter()
        .map(|leaf| leaf.name.clone())
        .filter(|name| pool.errors_beside.again.contains(name))
        .collect();
    if let Some(one) = again.first() {
        return Some(came_back(view, pool, &cleared, (one, &again)));
    }
    let title = format!(
        "{} of {} made errors in an earlier part of this text, and counts fewer now",
        format::list(&names),
        pool.name
    );
    let mut finding = Finding::new("errors-before", Severity::WorthALook, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = cleared.iter().map(|leaf| evidence(leaf)).collect();
    finding.cause = "Clearing a pool, or importing it anew, sets its counts to 0 and lets requests go on: unless the \
                     device was replaced, what made the errors, a disk, a cable, a controller or its power, is as it was."
        .to_owned();
    let commands = [
        pool_state::smart(view, &first.name),
        format!("zpool status -v {}   # after a scrub, or some days", format::shell(&pool.name)),
    ];
    finding.remedy = Some(changes::by_hand(
        "check the disk and its cable before the pool is trusted again; replace it if the counts come back",
        &commands,
    ));
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "Perhaps a cable, perhaps a disk.".to_owned();
    finding.risk = "None to look.".to_owned();
    finding.confidence = Confidence::read("zpool status, at two moments");
    finding.sources = lines(["zpool-clear(8)", "module/zfs/vdev.c, vdev_clear"]);
    Some(finding)
}

/// Says that a device made errors, was cleared, and made some again: what clearing could show it has shown.
fn came_back(
    view: &View<'_>,
    pool: &Pool,
    cleared: &[&Vdev],
    (first, again): (&str, &[String]),
) -> Finding {
    let title = format!(
        "{} of {} made errors again after its counts were cleared: replace it",
        format::list(again),
        pool.name
    );
    let mut finding = Finding::new("errors-before", Severity::WorthALook, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = cleared.iter().map(|leaf| evidence(leaf)).collect();
    finding.cause = "Clearing a pool repairs nothing: what made the errors made them again. A cable, a port or its \
                     power do so as well as a disk; where those were changed already, it is the disk."
        .to_owned();
    let mut commands = vec![pool_state::smart(view, first)];
    commands.extend(pool_state::replace(pool, first, "NEW-DISK"));
    finding.remedy = Some(changes::by_hand(
        "copy what matters, then replace the device, with a new cable or another port; clear no more before that",
        &commands,
    ));
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "A disk, perhaps a cable.".to_owned();
    finding.risk =
        "A pool without redundancy needs the old device until the new one has all of it."
            .to_owned();
    finding.confidence = Confidence::read("zpool status, at several moments");
    finding.sources = lines(["zpool-clear(8)", "zpool-replace(8)"]);
    finding
}

fn evidence(leaf: &Vdev) -> Evidence {
    let counts = pool_state::counts_of(leaf);
    let state = leaf.state.as_ref().map_or_else(String::new, |state| format!("{state}, "));
    Evidence::setting(format!("{} before", leaf.name), state + &counts)
}
