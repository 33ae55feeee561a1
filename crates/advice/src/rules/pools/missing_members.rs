//! Which members an offered pool cannot use, by the reason that the tool prints, and how many its groups can do without.
//!
//! `print_import_config` (cmd/zpool/zpool_main.c) names the reason behind each row: “missing device” and “cannot open” are
//! of a device that was not found; “corrupted data” and “invalid label” of one that was found and whose label, or what
//! stands below it, cannot be read there: a partition table that changed, a disk that was written over.

use arcwright_machine::{Class, Layout, Offer, Pool, Vdev};

use crate::format;
use crate::rules::pool_state::{self, WELL, may_fail, told, with_contents};

/// Devices that are named.
const NAMED_MAX: usize = 8;
/// What a device is told to have that was found.
const FOUND: [&str; 2] = ["corrupted data", "invalid label"];

/// Returns why the pool cannot be opened, by what is listed.
pub(super) fn cause(pool: &Pool, offer: &Offer) -> String {
    let mut said: Vec<String> = with_contents(pool).filter_map(of_vdev).collect();
    if said.is_empty() {
        said.extend(of_leaves(pool));
    }
    if is_stripe(pool) {
        said.push(
            "The disks stand directly below the pool: as it is listed it is a stripe without redundancy, no raidz and no \
             mirror, and needs each of them."
                .to_owned(),
        );
    }
    if offer.lacks_devices {
        said.push(
            "At least one more device belongs to it that was not found, and of which nothing else is known: it is to come \
             back, or a copy of it."
                .to_owned(),
        );
    }
    if ill(pool).any(is_found) {
        said.push(
            "“Corrupted data” and “invalid label” are of a disk that was found: its label cannot be read there, mostly \
             since its partitions changed, it was written over, or another disk has its name. Its contents may be there \
             all the same."
                .to_owned(),
        );
    }
    match said.is_empty() {
        true => {
            "Devices that it needs were not found, or not under the names where they were looked for. Whether their \
             contents are lost that does not say."
                .to_owned()
        }
        false => said.join(" "),
    }
}

/// Returns what is to be done first.
pub(super) fn step(pool: &Pool) -> &'static str {
    match ill(pool).any(is_found) {
        true => {
            "find its devices first, as another disk may have the name of a bad one; write nothing to any of them, and \
             image them before anything is tried on them; compare partitions and labels of the bad ones with a good one; then import it read-only and copy what matters; never force with -f, \
             -F or -X before that"
        }
        false => {
            "find its devices first: put back the disk that was taken out, or a copy of it (ddrescue), since a new one in \
             its place has nothing of it; cables, power, controller, and their names; then import it read-only and copy \
             what matters; never force with -f, -F or -X before that"
        }
    }
}

/// Returns whether what is missing may be no more than a log device: one is listed that cannot be used, or one that is not listed is missing
/// while every group that is listed is whole. Below a stripe it is more likely another of its disks.
pub(super) fn may_lack_log(pool: &Pool, offer: &Offer) -> bool {
    let is_listed = told(pool).iter().any(|(class, leaf)| *class == Class::Log && is_ill(leaf));
    let is_whole = ill(pool).next().is_none() && !is_stripe(pool);
    is_listed || (offer.lacks_devices && is_whole)
}

/// Returns whether all devices are listed by names that do not change.
pub(super) fn are_by_id(pool: &Pool) -> bool {
    let all = told(pool);
    !all.is_empty() && all.iter().all(|(_, leaf)| pool_state::is_by_id(&leaf.name))
}

fn is_ill(leaf: &Vdev) -> bool {
    leaf.state.as_deref().is_some_and(|state| state != "DEGRADED" && !WELL.contains(&state))
}

fn ill(pool: &Pool) -> impl Iterator<Item = &Vdev> {
    told(pool).into_iter().map(|(_, leaf)| leaf).filter(|leaf| is_ill(leaf))
}

fn is_found(leaf: &Vdev) -> bool {
    leaf.note.as_deref().is_some_and(|note| FOUND.iter().any(|reason| note.contains(reason)))
}

/// Returns whether disks stand directly below the pool, and nothing else does.
fn is_stripe(pool: &Pool) -> bool {
    let data: Vec<&Vdev> = pool.vdevs.iter().filter(|vdev| vdev.class == Class::Data).collect();
    data.len() > 1 && data.iter().all(|vdev| vdev.layout == Layout::Leaf)
}

/// Returns what a group lacks, and what it can do without.
fn of_vdev(vdev: &Vdev) -> Option<String> {
    let most = may_fail(vdev)?;
    let members = vdev.children.len();
    let bad: Vec<&Vdev> = vdev.leaves().into_iter().filter(|leaf| is_ill(leaf)).collect();
    let lost =
        vdev.children.iter().filter(|child| child.leaves().iter().all(|leaf| is_ill(leaf))).count();
    if lost == 0 {
        return None;
    }
    let bears = match lost.checked_sub(most).filter(|more| *more > 0) {
        Some(more) => format!("it can do without {most}, so that {more} more must be usable first"),
        None => format!("it can do without {most}"),
    };
    Some(format!("{} lacks {lost} of {members} members ({}): {bears}.", vdev.name, named(&bad)))
}

/// Returns which devices cannot be used, where no group tells how they stand together.
fn of_leaves(pool: &Pool) -> Option<String> {
    let bad: Vec<&Vdev> = ill(pool).collect();
    (!bad.is_empty()).then(|| format!("What was listed and cannot be used: {}.", named(&bad)))
}

fn named(bad: &[&Vdev]) -> String {
    let words = |leaf: &&Vdev| {
        let reason = leaf.note.as_deref().or(leaf.state.as_deref());
        reason.map_or_else(|| leaf.name.clone(), |reason| format!("{}: {reason}", leaf.name))
    };
    let names: Vec<String> = bad.iter().take(NAMED_MAX).map(words).collect();
    format::list(&names)
}
