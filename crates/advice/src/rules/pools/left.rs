//! How many more failures a pool with an ill device survives; not a rule itself.
//!
//! A raidz of parity p with l members out survives p − l more, a mirror as long as a member is whole. A
//! device that is DEGRADED is still read and written, so that nothing is missing. raidz2, one of five
//! members UNAVAIL: one more may fail. Where the layout was not read, neither is what is left of it.

use arcwright_machine::{Class, Layout, Pool, Vdev};

use crate::format;
use crate::rules::pool_state::{
    Scan, cut_vdev, has_sound_copy, is_filled, may_fail, scan, unsound, with_contents,
};
use crate::rules::pools::steps::{Ill, is_alone, is_spared};

const UNREAD: &str = "How many more devices may fail was not read.";

/// Returns what is left where a device that does not work was not read with its place: of the group within which the list
/// ends, and of those of which all members work.
fn of_others(pool: &Pool) -> String {
    let spent = |vdev: &&Vdev| {
        let Layout::Raidz { parity } = vdev.layout else { return false };
        let lost = vdev.children.iter().filter(|child| !has_sound_copy(pool, child)).count();
        lost >= usize::from(parity)
    };
    if let Some(vdev) = cut_vdev(pool).filter(spent) {
        return format!(
            "{} has no redundancy left by the rows that were read, and the list ends within it: the next failure there \
             may lose data.",
            vdev.name
        );
    }
    let lost_of_cut = cut_vdev(pool).and_then(|vdev| {
        let Layout::Raidz { parity } = vdev.layout else { return None };
        let lost = vdev.children.iter().filter(|child| !has_sound_copy(pool, child)).count();
        Some((vdev, lost, usize::from(parity).checked_sub(lost)?)).filter(|(_, lost, _)| *lost > 0)
    });
    if let Some((vdev, lost, left)) = lost_of_cut {
        let errs = |child: &&Vdev| {
            has_sound_copy(pool, child)
                && child.leaves().iter().any(|leaf| leaf.error_sum() > Some(0))
        };
        let erring = vdev.children.iter().filter(errs).count();
        let errors = match erring {
            0 => String::new(),
            erring => {
                format!(" {} of the others counts errors already.", format::count(erring as u64))
            }
        };
        return format!(
            "{} lacks {} by the rows that were read: {} more of it may fail, if those that were not read work.{errors}",
            vdev.name,
            format::count(lost as u64),
            format::count(left as u64)
        );
    }
    let whole = with_contents(pool).filter_map(|vdev| Some((vdev, may_fail(vdev)?)));
    let told: Vec<String> = whole
        .filter(|(vdev, _)| vdev.children.iter().all(|child| has_sound_copy(pool, child)))
        .map(|(vdev, most)| format!("{} of {}", format::count(most as u64), vdev.name))
        .take(NAMED_MAX)
        .collect();
    match told.is_empty() {
        true => UNREAD.to_owned(),
        false => {
            format!(
                "Of the data devices that were read none is lost: {} may fail.",
                told.join(", ")
            )
        }
    }
}

/// Groups that are named.
const NAMED_MAX: usize = 4;

/// Returns what waiting risks.
pub(super) fn danger(pool: &Pool, ill: &[&Ill<'_>]) -> String {
    if is_alone(pool, ill) {
        return "There is no other copy: what the device cannot read is lost.".to_owned();
    }
    if !ill.is_empty() && ill.iter().all(|ill| ill.state == "DEGRADED") && unsound(pool).is_none() {
        // Of a list that was not read whole nobody knows whether all are there.
        return match pool.vdevs.is_empty() {
            true => UNREAD.to_owned(),
            false => {
                "No device is missing; if its errors grow, the device may drop out.".to_owned()
            }
        };
    }
    if is_spared(pool, ill) && scan(pool) != Scan::Resilver {
        return "The device beside it has what it should hold, as far as ZFS tells.".to_owned();
    }
    if let Some(vdev) = unsound(pool) {
        // Of a raidz others may be sound: they do not make up for these.
        let more = match vdev.layout {
            Layout::Mirror => format!("No member of {} is sound", vdev.name),
            _ => format!("More members of {} fail than its parity makes up for", vdev.name),
        };
        return format!("{more}: what a failing device cannot read has no other copy.");
    }
    let hit = || with_contents(pool).filter_map(|vdev| left(pool, vdev).map(|left| (left, vdev)));
    let bare: Vec<String> =
        hit().filter(|(left, _)| *left == 0).map(|(_, vdev)| vdev.name.clone()).collect();
    match hit().min_by_key(|(left, _)| *left) {
        None => of_others(pool),
        Some((0, _)) => {
            let have = format::plural(bare.len(), "has", "have");
            let special = hit().any(|(left, vdev)| left == 0 && vdev.class == Class::Special);
            let more = match special {
                true => {
                    " A special vdev holds the pool's metadata: without it nothing of the pool can be read."
                }
                false => "",
            };
            format!(
                "Waiting with a device missing: {} {have} no redundancy left, and the next failure \
                 there may lose data.{more}",
                format::list(&bare)
            )
        }
        Some((left, vdev)) => format!(
            "{} still has redundancy: {} more of its devices may fail before data is lost.",
            vdev.name,
            format::count(left)
        ),
    }
}

/// Returns a vdev that has lost more of its members than it can do without.
pub(super) fn beyond(pool: &Pool) -> Option<&Vdev> {
    with_contents(pool).find(|vdev| {
        let lost = vdev.children.iter().filter(|child| is_lost(child)).count();
        may_fail(vdev).is_some_and(|most| lost > most)
    })
}

/// Returns how many more members of a vdev may fail; none where all are there, or nothing says.
fn left(pool: &Pool, vdev: &Vdev) -> Option<u64> {
    let lost = vdev.children.iter().filter(|child| !has_sound_copy(pool, child)).count();
    let lost = u64::try_from(lost).ok().filter(|lost| *lost > 0)?;
    Some(u64::try_from(may_fail(vdev)?).ok()?.saturating_sub(lost))
}

/// Returns whether a member, or what stands in for it, has not all that it should hold.
pub(super) fn is_lost(member: &Vdev) -> bool {
    let is_whole = |leaf: &&Vdev| {
        matches!(leaf.state.as_deref(), Some("ONLINE" | "DEGRADED")) && !is_filled(leaf)
    };
    !member.leaves().iter().any(is_whole)
}
