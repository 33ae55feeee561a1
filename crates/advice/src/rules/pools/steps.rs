//! The next step for each device that does not work; not a rule itself.
//!
//! They are those of `zpool status` (`action:`), in the order in which they do no harm: what may come back
//! is brought back before anything is replaced, and what has no second copy is copied first.

use arcwright_machine::{Class, Pool, Vdev};

use crate::changes;
use crate::finding::Remedy;
use crate::format;
use crate::rules::pool_state::{self, Scan, unsound};
use crate::rules::pools::blame::{self, Blame};
use crate::rules::pools::stand_ins;
use crate::view::View;

/// A device that does not work, and what it is for.
pub(super) struct Ill<'a> {
    pub(super) class: Class,
    pub(super) leaf: &'a Vdev,
    pub(super) state: &'a str,
}

/// The most devices that commands are printed for.
pub(super) const DEVICES_MAX: usize = 4;

/// Returns the step for each state that a device of the pool is in, behind commands that look for it.
pub(super) fn repair(
    view: &View<'_>,
    pool: &Pool,
    (ill, mut commands): (&[&Ill<'_>], Vec<String>),
) -> Remedy {
    let name = format::shell(&pool.name);
    let mut steps: Vec<&str> = Vec::new();
    let unsound = unsound(pool);
    if unsound.is_some() {
        steps.push(
            "copy what matters elsewhere first: too few sound copies are left; look for what the \
             failing devices share (cable, controller, power), and keep a DEGRADED one attached, \
             for it still reads",
        );
    }
    let failing = ill.iter().filter(|ill| ill.state == "DEGRADED").count();
    let is_unknown = pool.vdevs.is_empty() && failing > 1;
    if is_unknown && unsound.is_none() {
        steps.push(
            "how the devices stand together was not read: copy what matters elsewhere before any is \
             replaced, and look for what the failing ones share (cable, controller, power)",
        );
    }
    let keeps = |leaf: &Vdev| {
        if is_unknown && leaf.state.as_deref() == Some("DEGRADED") {
            return true;
        }
        let within =
            unsound.is_some_and(|vdev| vdev.leaves().iter().any(|at| at.name == leaf.name));
        within && leaf.state.as_deref() == Some("DEGRADED")
    };
    for ill in ill.iter().take(DEVICES_MAX) {
        if keeps(ill.leaf) {
            commands.push(pool_state::smart(view, &ill.leaf.name));
            continue;
        }
        let (step, lines) = step(view, pool, ill);
        if !steps.contains(&step) {
            steps.push(step);
        }
        let new = lines.into_iter().filter(|line| !commands.contains(line));
        commands.extend(new.collect::<Vec<_>>());
    }
    let by_name =
        |name: &str| pool_state::told(pool).into_iter().find(|(_, leaf)| leaf.name == name);
    let works =
        |name: &str| by_name(name).is_some_and(|(_, leaf)| leaf.state.as_deref() == Some("ONLINE"));
    // Of one that stands in for a device that does not work the step for that device speaks.
    if let Some((spare, failed)) = spare_in_use(pool).filter(|(_, failed)| works(failed)) {
        steps.push("a spare is in use: after the repair detach it to return it to the spares");
        commands
            .push(format!("zpool detach {name} {}   # after the repair", format::shell(&spare)));
        commands.push(format!(
            "zpool detach {name} {}   # instead, to keep the spare in its place for good",
            format::shell(&failed)
        ));
    }
    if steps.is_empty() {
        steps.push(
            "find the device that is not ONLINE and follow the action that zpool status prints",
        );
        commands.push(status(pool));
    }
    let mut remedy = changes::by_hand(steps.join("; "), &commands);
    remedy.verify = vec![status(pool)];
    remedy
}

const LETS_GO: &str = "nothing: the resilver has ended without errors, and ZFS lets go of the old device by itself soon \
                       after; detach it only if it is still listed then";

/// Returns what to do about one device, and the commands.
fn step(view: &View<'_>, pool: &Pool, ill: &Ill<'_>) -> (&'static str, Vec<String>) {
    let (name, device) = (format::shell(&pool.name), format::shell(&ill.leaf.name));
    if is_replaced(pool, ill) {
        let detach = format!("zpool detach {name} {device}   # only if it is still listed");
        return (LETS_GO, vec![status(pool), detach]);
    }
    let replace = |note| pool_state::replace_by_new(pool, &ill.leaf.name, note);
    if let Some(step) = stand_ins::step(view, pool, (ill.leaf, ill.state)) {
        return step;
    }
    match (ill.state, wants_label(pool, ill.leaf)) {
        // It says when a replacement runs, and who reads it may not have seen that line.
        _ if pool_state::is_being_replaced(pool, ill.leaf)
            && (pool.scan.is_none() || pool_state::scan(pool) == Scan::Resilver) =>
        {
            (
                "it is being replaced already: let the resilver end, and detach the old device \
             only if it is still listed afterwards",
                vec![format!("zpool detach {name} {device}   # when the resilver has ended")],
            )
        }
        ("UNAVAIL" | "REMOVED" | "FAULTED" | "OFFLINE", _)
            if pool_state::beside(pool, ill.leaf).is_some() =>
        {
            (
                "a replacement has not ended, and one of its two devices does not work while the \
                 other does: bring that one back, or end the replacement by detaching it; ZFS \
                 refuses where its contents are still needed",
                vec![
                    format!("zpool online {name} {device}   # if it is there again"),
                    format!("zpool detach {name} {device}   # instead: the other one stays"),
                ],
            )
        }
        ("OFFLINE", _) => (
            "bring the device online that was taken offline manually",
            vec![format!("zpool online {name} {device}")],
        ),
        ("UNAVAIL" | "REMOVED", false) if stand_ins::is_gone(ill.leaf) => (
            "a device is known by its number alone, since nothing is left under the path that it had: if the disk \
             still exists, reconnect it; else replace it",
            vec![replace("when the disk is gone for good")],
        ),
        ("UNAVAIL" | "REMOVED", false) => (
            "check cable, port and power of the missing device and bring it online; replace it \
             only if it is dead",
            vec![format!("zpool online {name} {device}"), replace("only if it is dead")],
        ),
        ("UNAVAIL" | "REMOVED" | "FAULTED", true) => (
            "ZFS finds no valid label under this name, by the words of its status: check cable and \
             power, and whether the disk is there under another name (by-id names do not change); \
             replace it if it is dead, or if its contents are gone",
            vec![replace("not if only its name has changed")],
        ),
        _ => of_errors(view, pool, ill),
    }
}

/// Returns what to do about a device that made errors, and the commands.
fn of_errors(view: &View<'_>, pool: &Pool, ill: &Ill<'_>) -> (&'static str, Vec<String>) {
    let (name, device) = (format::shell(&pool.name), format::shell(&ill.leaf.name));
    let replace = |note| pool_state::replace_by_new(pool, &ill.leaf.name, note);
    match blame::of(view, &ill.leaf.name) {
        Some(Blame::Link(_)) => return link_step(view, pool, ill),
        Some(Blame::Disk(_)) => return disk_step(view, pool, ill),
        None => {}
    }
    match () {
        () if is_alone(pool, &[ill]) => (
            "copy what matters elsewhere first: there is no second copy; check SMART and the \
             cable of the device that ZFS found to be failing, then replace it while it still \
             reads, or clear it if the cause was the cable",
            vec![
                pool_state::smart(view, &ill.leaf.name),
                replace("keep the old one attached"),
                format!("zpool clear {name} {device}   # instead, when the cause is fixed"),
            ],
        ),
        () if pool.errors_beside.again.contains(&ill.leaf.name) => (
            "replace the device: it was cleared, and made errors again; check the cable first",
            vec![pool_state::smart(view, &ill.leaf.name), replace("")],
        ),
        () => (
            "check SMART and the cable of the device that ZFS found to be failing by its errors; replace \
             it, or clear it if the cause was the cable",
            vec![
                pool_state::smart(view, &ill.leaf.name),
                replace(""),
                format!("zpool clear {name} {device}   # instead, when the cause is fixed"),
            ],
        ),
    }
}

/// Returns what to do where the disk itself is blamed, and the commands.
fn disk_step(view: &View<'_>, pool: &Pool, ill: &Ill<'_>) -> (&'static str, Vec<String>) {
    let smart = pool_state::smart(view, &ill.leaf.name);
    let replace = |note| pool_state::replace_by_new(pool, &ill.leaf.name, note);
    match is_alone(pool, &[ill]) {
        true => (
            "copy what matters elsewhere first, what matters most before all: there is no second copy, and the disk itself \
             fails; then replace it while it still reads, or restore onto another one",
            vec![smart, replace("keep the old one attached")],
        ),
        false => ("replace the device: its disk itself fails", vec![smart, replace("")]),
    }
}

/// Returns what to do where the link of a device is blamed, and not its disk, and the commands.
fn link_step(view: &View<'_>, pool: &Pool, ill: &Ill<'_>) -> (&'static str, Vec<String>) {
    let (name, device) = (format::shell(&pool.name), format::shell(&ill.leaf.name));
    let commands = vec![
        pool_state::smart(view, &ill.leaf.name),
        format!("zpool clear {name} {device}   # when the link is mended; then scrub"),
        pool_state::replace_by_new(pool, &ill.leaf.name, "only if errors go on after that"),
    ];
    let what = match is_alone(pool, &[ill]) {
        true => {
            "copy what matters elsewhere first: there is no second copy; then mend the link: cable, port, enclosure, its \
             power; clear and scrub, and replace the disk only if errors go on"
        }
        false => {
            "mend the link of the device first: cable, port, enclosure, its power; clear and scrub, and replace the disk \
             only if errors go on"
        }
    };
    (what, commands)
}

/// Returns whether a device that does not work well is a vdev of its own, so that nothing has a copy.
pub(super) fn is_alone(pool: &Pool, ill: &[&Ill<'_>]) -> bool {
    let single = |ill: &&Ill<'_>| {
        pool.of_class(Class::Data)
            .any(|vdev| vdev.children.is_empty() && vdev.name == ill.leaf.name)
            && ill.state == "DEGRADED"
    };
    ill.iter().any(single)
}

/// Returns whether each device that does not work has one beside it that does, in a replacement.
pub(super) fn is_spared(pool: &Pool, ill: &[&Ill<'_>]) -> bool {
    let spared =
        |ill: &&Ill<'_>| ill.state != "DEGRADED" && pool_state::beside(pool, ill.leaf).is_some();
    !ill.is_empty() && ill.iter().all(spared)
}

/// Returns whether a device has been replaced: the resilver onto the one beside it ended without errors. ZFS detaches
/// the old one a moment later (`spa_async_request` of `SPA_ASYNC_RESILVER_DONE`, module/zfs/spa.c), and mails of the end
/// show the pool in between.
pub(super) fn is_replaced(pool: &Pool, ill: &Ill<'_>) -> bool {
    let ended = |scan: &str| scan.starts_with("resilvered ") && scan.contains(" with 0 errors");
    let has_ended = pool.scan.as_deref().map(pool_state::one_line).is_some_and(|scan| ended(&scan));
    let is_old = pool_state::is_replaced_one(pool, ill.leaf);
    // Beside errors it may have stopped short (openzfs issue 7537).
    let has_errors = pool_state::told(pool).iter().any(|(_, leaf)| leaf.error_sum() != Some(0));
    has_ended
        && is_old
        && !has_errors
        && ill.state != "DEGRADED"
        && pool_state::beside(pool, ill.leaf).is_some()
}

/// Returns in which vdev the device is that was not read, where its state tells.
pub(super) fn whereabouts(pool: &Pool, ill: &[&Ill<'_>]) -> String {
    let is_ill = |vdev: &&Vdev| vdev.state.as_deref().is_some_and(|state| state != "ONLINE");
    let mut found = pool.vdevs.iter().filter(is_ill);
    let (Some(vdev), None) = (found.next().filter(|_| ill.is_empty()), found.next()) else {
        return String::new();
    };
    let what = match vdev.class {
        Class::Log => ", of the log: the data is on other devices",
        Class::Data | Class::Special | Class::Dedup | Class::Cache | Class::Spare => "",
    };
    format!(" It is one of {}{what}.", vdev.name)
}

/// Says what is not whole: the pool by its state, or its devices where the pool calls itself ONLINE beside them.
pub(super) fn title_of_degraded(
    pool: &Pool,
    state: &str,
    ill: &[&Ill<'_>],
    resilvers: bool,
) -> String {
    let name = &pool.name;
    let what = match ill {
        [one] if state == "ONLINE" => format!("{} of {name} is {}", one.leaf.name, one.state),
        [_, ..] if state == "ONLINE" => format!("{} devices of {name} do not work", ill.len()),
        [] if state == "ONLINE" => {
            format!("A device of {name} does not work, by the words of its status")
        }
        _ => format!("{name} is {state}"),
    };
    match (resilvers, state == "ONLINE") {
        (true, false) => format!("{what} and resilvering: let it finish"),
        (true, true) => format!("{what}, and the pool is resilvering: let it finish"),
        (false, _) => format!("{what}: repair it before anything else"),
    }
}

pub(super) fn cause(pool: &Pool, ill: &[&Ill<'_>]) -> &'static str {
    if ill.is_empty() && pool_state::told(pool).is_empty() {
        return "None of its devices was read, so that it is not known which one does not work. Statements here \
                about speed hold for a healthy pool.";
    }
    if ill.is_empty() {
        return "All devices that were read work: the one that does not was not read. Statements here about speed \
                hold for a healthy pool.";
    }
    let in_use = ill.iter().all(|ill| ill.state == "DEGRADED");
    if is_spared(pool, ill) {
        return match pool_state::scan(pool) {
            pool_state::Scan::Resilver => {
                "A replacement has not ended: the device that comes has a part of its contents by now, the rest is \
                 computed from the other devices."
            }
            _ => {
                "A replacement has not ended: one of its two devices is missing, failed or offline, and the other \
                 serves its reads."
            }
        };
    }
    match (is_alone(pool, ill), in_use) {
        (true, _) => {
            "ZFS has found a device to be failing, and there is no copy of what is on it: copy what \
             matters before anything else."
        }
        (false, true) => {
            "ZFS has found a device to be failing by its errors and still uses it; what it reads \
             wrongly is repaired from the others."
        }
        (false, false) => {
            "A device is missing, failed or offline. Its reads are served from the other devices. \
             Statements here about speed hold for a healthy pool."
        }
    }
}

/// Says whether ZFS found the device without a label that it can use.
pub(super) fn wants_label(pool: &Pool, leaf: &Vdev) -> bool {
    let has = |text: Option<&String>, words: &str| text.is_some_and(|text| text.contains(words));
    let is = |state: &str| leaf.state.as_deref() == Some(state);
    // A device that was faulted for its errors has counted some; what was at another place has none.
    let has_none = leaf.errors.is_some_and(|errors| errors == [0; 3]);
    let is_elsewhere = is("FAULTED") && has_none && has(leaf.note.as_ref(), "was /");
    let lacks_label =
        has(pool.status.as_ref(), "label") && (is("UNAVAIL") || (is("FAULTED") && has_none));
    has(leaf.note.as_ref(), "corrupted data") || is_elsewhere || lacks_label
}

/// Returns a spare that stands in, and the device it stands in for.
pub(super) fn spare_in_use(pool: &Pool) -> Option<(String, String)> {
    fn find(vdev: &Vdev) -> Option<&Vdev> {
        let own = Some(vdev).filter(|vdev| vdev.name.starts_with("spare"));
        own.filter(|vdev| vdev.children.len() > 1).or_else(|| vdev.children.iter().find_map(find))
    }
    let group =
        pool_state::read_vdevs(pool).filter(|vdev| vdev.class != Class::Spare).find_map(find)?;
    let is_well = |leaf: &&&Vdev| leaf.state.as_deref() == Some("ONLINE");
    let leaves = group.leaves();
    let spare = leaves.iter().rfind(is_well)?;
    let failed = leaves.iter().find(|leaf| leaf.name != spare.name)?;
    Some((spare.name.clone(), failed.name.clone()))
}

pub(super) fn status(pool: &Pool) -> String {
    format!("zpool status -v {}", format::shell(&pool.name))
}
