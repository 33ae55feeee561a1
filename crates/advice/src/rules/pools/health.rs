//! A pool that is not whole, and ZFS's own next step for it.
//!
//! The steps are those that `zpool status` prints as `action:` (cmd/zpool/zpool_main.c,
//! `print_status_reason`, 0.8 to 2.4): a suspended pool wants its devices back and then `zpool clear`;
//! a device that is missing wants to be attached and brought online; one that was faulted for its
//! errors is replaced, or cleared once the cause is mended; during a resilver the step is to wait.
//! Replacing again during a resilver, or a scrub then, would only take the disks' time.

use arcwright_machine::{Class, Layout, Pool, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::last_copies::{self, LastCopy};
use crate::rules::pool_state::{self, SUSPENDED, Scan, WELL};
use crate::rules::pools::auxiliary::{log_lost, unused};
use crate::rules::pools::left::danger;
use crate::rules::pools::steps::{
    Ill, cause, is_replaced, repair, status, title_of_degraded, whereabouts,
};
use crate::rules::pools::waiting::wait;
use crate::rules::pools::{
    blame, dead_replacement, found_disks, mailed, notices, offered, spares, unopened,
};
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether pools are healthy", judge };

fn judge(view: &View<'_>) -> Judged {
    let pools = view.pools()?;
    let mut findings = Vec::new();
    let mut unknown = Vec::new();
    let mut evidence = Vec::new();
    for pool in pools {
        let Some(state) = pool_state::state(view, pool) else {
            unknown.push(pool.name.clone());
            continue;
        };
        findings.extend(of_pool(view, pool, state));
        evidence.push(Evidence::now(format!("{}: state", pool.name), state));
    }
    // Where ZFS stopped, a pool that is there may be the one.
    if findings.is_empty() && view.machine.panics.iter().any(|panic| !panic.in_program) {
        return Ok(Verdict::Silent);
    }
    if findings.is_empty() && !unknown.is_empty() {
        let what = format!("the state of {} was not read (zpool status)", format::list(&unknown));
        return Err(NotJudged::NotRead(what));
    }
    // A row that is missing may be the one of a device that does not work.
    let cut = pools.iter().filter(|pool| pool.errors_beside.lacks_lines);
    let cut: Vec<String> = cut.map(|pool| pool.name.clone()).collect();
    if findings.is_empty() && !cut.is_empty() {
        let what = format!("not all lines about {} were read (zpool status)", format::list(&cut));
        return Err(NotJudged::NotRead(what));
    }
    // One that resilvers has a part of its copies.
    let resilvers = pools.iter().any(|pool| pool_state::scan(pool) == pool_state::Scan::Resilver);
    let closed = pools.iter().any(notices::is_too_new);
    let whole = match resilvers || closed {
        true => Verdict::Silent,
        false => Verdict::fine("All pools are whole", evidence),
    };
    Ok(Verdict::found_or(findings, whole))
}

fn of_pool(view: &View<'_>, pool: &Pool, state: &str) -> Vec<Finding> {
    let ill = ill(pool);
    let auxiliary = |class: Class| matches!(class, Class::Cache | Class::Spare);
    let mut findings = Vec::new();
    if let Some(offer) = &pool.offer {
        return vec![offered::finding(view, pool, state, offer)];
    }
    if let Some(since) = pool.errors_beside.since.as_deref().filter(|_| state != "ONLINE") {
        return vec![changed(pool, state, since)];
    }
    // `zpool clear -F` goes back to an older state of a pool that cannot be opened.
    let asks = |action: &str| action.contains("zpool clear") && !action.contains("zpool clear -F");
    let asks_clear = pool.action.as_deref().is_some_and(asks);
    match state {
        SUSPENDED => findings.push(suspended(pool, state)),
        _ if pool_state::is_suspended(pool) => findings.push(suspended(pool, state)),
        // Such a pool is imported: its devices come back to it.
        "FAULTED" | "UNAVAIL" if asks_clear => findings.push(suspended(pool, state)),
        "FAULTED" | "UNAVAIL" if notices::is_too_new(pool) => {}
        "FAULTED" | "UNAVAIL" => findings.push(unopened::finding(view, pool, state)),
        _ => {
            let log: Vec<&Ill<'_>> = ill.iter().filter(|ill| ill.class == Class::Log).collect();
            let vital: Vec<&Ill<'_>> =
                ill.iter().filter(|ill| !auxiliary(ill.class) && ill.class != Class::Log).collect();
            if !log.is_empty() {
                findings.push(log_lost(view, pool, &log));
            }
            // A pool that is degraded by its log alone has all of its contents.
            let by_log_alone = vital.is_empty() && !log.is_empty();
            let is_unseen = ill.is_empty() && pool.tells_of_ill() && !is_placeless(pool);
            if !vital.is_empty() || (state != "ONLINE" && !by_log_alone) || is_unseen {
                findings.push(degraded(view, pool, state, &vital));
            }
        }
    }
    findings
        .extend(ill.iter().filter(|ill| auxiliary(ill.class)).map(|ill| unused(view, pool, ill)));
    if ill.is_empty() && state == "ONLINE" {
        findings.extend(spares::standing_in(pool).or_else(|| spares::nowhere_in_use(pool)));
    }
    findings
}

/// Returns the devices whose state was read and is none of a working one.
pub(super) fn ill(pool: &Pool) -> Vec<Ill<'_>> {
    let ill = |(class, leaf): (Class, _)| {
        let leaf: &Vdev = leaf;
        // A group whose members were not read has the state that they give it.
        (leaf.layout == Layout::Leaf).then_some(())?;
        let state = leaf.state.as_deref().filter(|state| !WELL.contains(state))?;
        Some(Ill { class, leaf, state })
    };
    // A device whose place is not known may be a cache or a spare, while the pool is whole.
    let all = match pool.state.as_deref() {
        Some("ONLINE") => pool_state::leaves(pool),
        _ => pool_state::told(pool),
    };
    all.into_iter().filter_map(ill).collect()
}

/// Returns whether a device was read that does not work, without its place: it may be a cache or a spare.
fn is_placeless(pool: &Pool) -> bool {
    pool.strays.iter().any(|leaf| leaf.state.as_deref().is_some_and(|state| !WELL.contains(&state)))
}

pub(super) fn new(
    pool: &Pool,
    (id, severity): (&'static str, Severity),
    title: String,
    ill: &[&Ill<'_>],
) -> Finding {
    let mut finding = Finding::new(id, severity, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    let device = |ill: &&Ill<'_>| {
        let note = pool_state::noted(ill.leaf);
        Evidence::now(ill.leaf.name.clone(), format!("{}{note}", ill.state))
    };
    finding.evidence = ill.iter().map(device).collect();
    finding.evidence.extend(pool_state::words_of(pool));
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.confidence = match pool.errors_beside.lacks_lines {
        true => Confidence::fair("read from a text that does not tell all about the pool"),
        false => Confidence::read("zpool status"),
    };
    finding.sources = lines(["zpool-status(8)", "cmd/zpool/zpool_main.c, print_status_reason"]);
    finding
}

/// Returns what is to be said of a pool that stopped because it could not tell other hosts that it is in use
/// (`multihost=on`): one of them may have it by now, so that nothing may write to it again before that is known.
fn stopped_for_hosts(pool: &Pool, state: &str) -> Finding {
    let title = format!(
        "{} is suspended: see that no other host has imported it before anything else",
        pool.name
    );
    let mut finding = new(pool, ("pool-suspended", Severity::HurtsNow), title, &[]);
    finding.evidence.insert(0, Evidence::now(format!("{}: state", pool.name), state));
    finding.cause = "With multihost=on the pool writes to its disks every second that it is in use. These \
                     writes failed or came late, because disks, their controller or their paths did not \
                     answer in time, so another host may take the pool for free."
        .to_owned();
    let name = format::shell(&pool.name);
    let mut remedy = changes::by_hand(
        "look on each host that reaches the disks whether it has the pool; if none has, restart this one and \
         import the pool; then find out which disk or path was too slow",
        &[
            format!("zpool list {name}   # on every other host"),
            "dmesg | tail -n 50   # which disks or paths did not answer".to_owned(),
        ],
    );
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
    finding.cost = "A restart of this host.".to_owned();
    finding.risk =
        "Two hosts that write to one pool destroy it: do not force an import.".to_owned();
    finding.sources.push("zpoolprops(7) multihost".to_owned());
    finding
}

fn suspended(pool: &Pool, state: &str) -> Finding {
    if pool.status.as_deref().is_some_and(|status| status.contains("because multihost writes")) {
        return stopped_for_hosts(pool, state);
    }
    let word = if matches!(state, "FAULTED" | "UNAVAIL") { state } else { "suspended" };
    let title = format!("{} is {word}: reconnect its devices, then run zpool clear", pool.name);
    let ill = ill(pool);
    let ill: Vec<&Ill<'_>> = ill.iter().collect();
    let mut finding = new(pool, ("pool-suspended", Severity::HurtsNow), title, &ill);
    finding.evidence.insert(0, Evidence::now(format!("{}: state", pool.name), state));
    finding.cause = "More devices stopped answering than the pool can tolerate, mostly because of \
                     a cable, a controller, an enclosure or its power. All I/O of the pool waits \
                     until the devices are back; synchronous writes that were acknowledged are on them, others \
                     of the last seconds may be in memory alone."
        .to_owned();
    failed_requests(pool, &mut finding);
    let commands = [
        "dmesg | tail -n 50   # which devices disappeared, and why".to_owned(),
        format!("zpool clear {}   # after they are back", format::shell(&pool.name)),
    ];
    let mut remedy = changes::by_hand(
        "reconnect the devices, check that the system lists them again, then clear the pool; \
         replace nothing and start no scrub while it is suspended",
        &commands,
    );
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
    if let Some(command) = &pool.errors_beside.hangs {
        hanging(pool, command, &mut finding);
    }
    finding.cost = "None but the time to check cables and power.".to_owned();
    finding.risk =
        "Where the devices do not come back, or a command on the pool hangs, only a reboot ends the waiting I/O, and loses what is in memory \
         alone; do not force an export or a new pool over them."
            .to_owned();
    finding.sources.push("zpoolprops(7) failmode".to_owned());
    finding
}

/// Says on which devices requests failed: many alike have something in common.
fn failed_requests(pool: &Pool, finding: &mut Finding) {
    const NAMED_MAX: usize = 6;
    let counted = |errors: &[u64; 3]| *errors != [0; 3];
    let told = pool_state::told(pool);
    let bad: Vec<&Vdev> = told
        .into_iter()
        .map(|(_, leaf)| leaf)
        .filter(|leaf| leaf.errors.as_ref().is_some_and(counted))
        .collect();
    if bad.is_empty() {
        return;
    }
    let row = |leaf: &&Vdev| Evidence::now(leaf.name.clone(), pool_state::counts_of(leaf));
    finding.evidence.extend(bad.iter().map(row));
    let named: Vec<String> = bad
        .iter()
        .take(NAMED_MAX)
        .map(|leaf| format!("{} ({})", leaf.name, pool_state::counts_of(leaf)))
        .collect();
    let more = match bad.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let alike = match bad.len() {
        1 => "",
        _ => " Several at once have something in common: look for that first.",
    };
    let told = format!(" Requests failed on {}{more}.{alike}", named.join(", "));
    finding.cause.push_str(&told);
}

/// Says of a suspended pool that a command on it hangs: what it was to do was done, and the next step is another one.
fn hanging(pool: &Pool, command: &str, finding: &mut Finding) {
    finding.title = format!(
        "{} is suspended and “{command}” hangs in the kernel: restart the machine",
        pool.name
    );
    finding.cause.push_str(
        " The command is in the state D: it waits in the kernel, no signal ends it, and typing it again only adds another \
         that waits. That the devices are back does not end it.",
    );
    let name = format::shell(&pool.name);
    let commands = [
        format!("zpool import {name}   # after the restart, unless it is imported by itself"),
        format!("zpool status -v {name}   # are all devices ONLINE? is a file damaged?"),
        format!("zpool scrub {name}   # when they are"),
    ];
    let what = "restart the machine with the devices connected firmly; then import the pool, see what is damaged, and scrub it";
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
}

const REPLACED: &str = "The new device has all of its contents: the resilver onto it has ended. ZFS takes the old one out \
                        a moment later, and this text is of the time before.";

fn degraded(view: &View<'_>, pool: &Pool, state: &str, ill: &[&Ill<'_>]) -> Finding {
    let resilvers = pool_state::scan(pool) == Scan::Resilver;
    let are_replaced = !ill.is_empty() && ill.iter().all(|ill| is_replaced(pool, ill));
    let title = match are_replaced {
        true => {
            format!("{} is {state} until it lets go of a device that has been replaced", pool.name)
        }
        false => title_of_degraded(pool, state, ill, resilvers),
    };
    let severity = if are_replaced { Severity::WorthALook } else { Severity::HurtsNow };
    let mut finding = new(pool, ("pool-degraded", severity), title, ill);
    finding.evidence.insert(0, Evidence::now(format!("{}: state", pool.name), state));
    finding.cause = match are_replaced {
        true => REPLACED.to_owned(),
        false => {
            cause(pool, ill).to_owned() + &whereabouts(pool, ill) + &blame::said(view, pool, ill)
        }
    };
    if of_log_alone(pool, ill) {
        finding.severity = Severity::WorthALook;
        finding.title = format!("{} is {state} by its log: a log device does not work", pool.name);
    }
    let found = found_disks::of(view, pool, ill);
    if !found.said.is_empty() && !resilvers {
        finding.cause = format!("{} {}", found.said, finding.cause);
    }
    finding.remedy =
        Some(if resilvers { wait(pool, ill) } else { repair(view, pool, (ill, found.commands)) });
    finding.cost = match resilvers {
        true => "The disks are busy until the resilver ends.".to_owned(),
        false if are_replaced => "None.".to_owned(),
        false => "Perhaps a disk.".to_owned(),
    };
    finding.risk = danger(pool, ill);
    if let Some(last) = last_copies::of(view.machine, pool).filter(|_| !resilvers) {
        save_last_copy(pool, state, (last, &mut finding));
    }
    if let Some(dead) = dead_replacement::of(view, pool) {
        dead_replacement::tell(view, pool, &dead, &mut finding);
    } else if let Some(time) = pool.errors_beside.mailed.as_deref().filter(|_| !are_replaced) {
        mailed::tell(pool, (state, time), &mut finding);
    }
    finding.sources.extend(lines(["zpool-replace(8)", "zpool-online(8)", "zpool-clear(8)"]));
    finding
}

/// Puts first what comes first where the drive with the last copy fails.
fn save_last_copy(pool: &Pool, state: &str, (last, finding): (LastCopy<'_>, &mut Finding)) {
    let LastCopy { vdev, failing, gone } = last;
    finding.title = format!(
        "{} is {state}, and {}, which {} has no other copy of, is on a drive that fails: copy what matters now",
        pool.name, failing.name, vdev.name
    );
    let replace = |leaf: &Vdev, when: &str| pool_state::replace_by_new(pool, &leaf.name, when);
    let commands = [
        replace(gone, "first, when what matters is copied"),
        replace(failing, "only when that resilver has ended"),
    ];
    let what = format!(
        "copy what matters to another pool or machine while {} can be read; then replace {}, and {} last; start no scrub \
         before, which reads all of it",
        failing.name, gone.name, failing.name
    );
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
}

/// Returns whether all groups with data work, and one of the log does not, whose members were not all read.
fn of_log_alone(pool: &Pool, ill: &[&Ill<'_>]) -> bool {
    let is_ill = |vdev: &&Vdev| vdev.state.as_deref().is_some_and(|state| state != "ONLINE");
    let mut groups = pool.vdevs.iter().filter(is_ill).peekable();
    ill.is_empty() && groups.peek().is_some() && groups.all(|vdev| vdev.class == Class::Log)
}

/// Returns what is to be said of a pool that was not whole when it was read, and may be now: something was done, or has
/// ended, that the text tells after that.
fn changed(pool: &Pool, state: &str, since: &str) -> Finding {
    let id = match state {
        SUSPENDED => "pool-suspended",
        "FAULTED" | "UNAVAIL" => "pool-unopened",
        _ => "pool-degraded",
    };
    let title = format!("{} was {state} before {since}: see how it is now", pool.name);
    let ill = ill(pool);
    let ill: Vec<&Ill<'_>> = ill.iter().collect();
    let mut finding = new(pool, (id, Severity::WorthALook), title, &ill);
    finding.evidence.insert(0, Evidence::setting(format!("{}: state then", pool.name), state));
    finding.cause = "The text does not tell the state of the pool since then: it may be whole, or another device may \
                     be missing."
        .to_owned();
    let mut remedy =
        changes::by_hand("look at the pool before anything else is done to it", &[status(pool)]);
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
    finding.cost = "None to look.".to_owned();
    finding.risk = "How many more devices may fail is not known.".to_owned();
    finding.confidence = Confidence::fair("the state was read before that");
    finding
}
