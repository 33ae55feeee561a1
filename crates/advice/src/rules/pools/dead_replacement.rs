//! A disk that was to take another's place and does not work itself; not a rule itself.
//!
//! In a group `replacing-5` the last member is the one that comes. Where it is out, or its drive reports that it fails,
//! nothing is rebuilt, whatever a scan says: the group lacks a member until another disk takes its place. ZFS replaces a
//! member of such a group again (`spa_vdev_attach`, module/zfs/spa.c, pools of version 28 and later), and lets go of both
//! that failed when the new one is filled.

use arcwright_machine::{Layout, Pool, Vdev};

use crate::changes;
use crate::finding::{Finding, Severity};
use crate::format;
use crate::rules::pool_state::{self, is_out, read_vdevs};
use crate::rules::pools::steps::status;
use crate::view::View;

/// A replacement that cannot end.
pub(super) struct Dead<'a> {
    old: &'a Vdev,
    new: &'a Vdev,
}

/// Returns the replacement of a pool whose new disk does not work, while the old one does not either.
pub(super) fn of<'a>(view: &View<'_>, pool: &'a Pool) -> Option<Dead<'a>> {
    let is_dead = |group: &&'a Vdev| dead(view, group);
    let group = groups(pool).into_iter().find(is_dead)?;
    Some(Dead { old: group.children.first()?, new: group.children.last()? })
}

fn groups(pool: &Pool) -> Vec<&Vdev> {
    fn add<'a>(vdev: &'a Vdev, all: &mut Vec<&'a Vdev>) {
        if vdev.layout == Layout::Replacing && vdev.name.starts_with("replacing") {
            all.push(vdev);
        }
        vdev.children.iter().for_each(|child| add(child, all));
    }
    let mut all = Vec::new();
    read_vdevs(pool).for_each(|vdev| add(vdev, &mut all));
    all
}

fn dead(view: &View<'_>, group: &Vdev) -> bool {
    let [old, .., new] = group.children.as_slice() else { return false };
    let is_leaf = |vdev: &Vdev| vdev.layout == Layout::Leaf;
    let fails = is_out(new) || pool_state::reports_failure(view, &new.name);
    is_leaf(old) && is_leaf(new) && is_out(old) && fails
}

/// Turns what is said of a pool that is not whole into what is to be done about that.
pub(super) fn tell(view: &View<'_>, pool: &Pool, dead: &Dead<'_>, finding: &mut Finding) {
    let Dead { old, new } = dead;
    let (name, first) = (&pool.name, &old.name);
    let reports_failure = pool_state::reports_failure(view, &new.name);
    let how = match reports_failure {
        true => "fails itself (SMART)".to_owned(),
        false => {
            format!("is {} itself", new.state.as_deref().map_or_else(String::new, str::to_owned))
        }
    };
    finding.severity = Severity::HurtsNow;
    let is_bad = reports_failure || new.state.as_deref() == Some("FAULTED");
    let needs = match is_bad {
        true => "it needs another disk",
        false => "bring it back, or put in another",
    };
    finding.title = format!(
        "{name} is DEGRADED: {}, which was to take the place of {first}, {how}: {needs}",
        new.name
    );
    finding.cause = format!(
        "Nothing is rebuilt onto a disk that does not work: that a resilver is in progress, and the words to wait for it, \
         do not help here. {} has been without this member since {first} went.",
        group_name(pool, new)
    );
    let (pool_name, old_name) = (format::shell(name), format::shell(first));
    let mut commands = vec![pool_state::smart(view, &new.name)];
    let back = format!("zpool online {pool_name} {}   # if it works", format::shell(&new.name));
    commands.extend(Some(back).filter(|_| !is_bad));
    commands.push(format!("zpool replace {pool_name} {old_name} ANOTHER-DISK"));
    let what = match is_bad {
        true => {
            "put in another disk, one that passes a long self-test, and replace the old member by it; both that failed \
             leave when it is filled"
        }
        false => {
            "see why the new disk is out: bring it back if it works, else put in another one and replace the old member by \
             it; what failed leaves when that is filled"
        }
    };
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
    finding.cost = "A disk, and a resilver from the beginning.".to_owned();
}

fn group_name(pool: &Pool, leaf: &Vdev) -> String {
    let holds = |vdev: &&Vdev| vdev.leaves().iter().any(|of| of.name == leaf.name);
    read_vdevs(pool).find(holds).map_or_else(|| pool.name.clone(), |vdev| vdev.name.clone())
}
