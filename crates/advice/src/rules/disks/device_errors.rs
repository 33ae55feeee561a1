//! Devices that make errors, and errors that no single device makes.
//!
//! ZFS counts an error at every vdev that its I/O passed (module/zfs/vdev.c, `vdev_stat_update`, 0.6 to
//! 2.4). A disk that returns wrong data is counted itself, and its mirror or raidz repairs it. When a
//! mirror or raidz counts checksum errors and none of its disks does, or several disks count them
//! alike, what they have in common is the likely cause: memory, controller, cable or power.
//!
//! While a pool resilvers, blocks that a device lacks still count as checksum errors there and at each
//! vdev above it: those are nobody's fault and are looked at again when it has ended. A device that is
//! DEGRADED by “too many errors” was found to be failing by ZFS's own diagnosis, whatever its counts
//! say: a resilver clears them (`zpool_clear`, `vdev_clear`).

use arcwright_machine::{Class, Pool, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::disks::above_disks;
use crate::rules::disks::bad::like_their_group;
use crate::rules::disks::failing;
use crate::rules::disks::look::look_at_disks;
use crate::rules::pool_state;
use crate::rules::weak::{
    all, cannot_do_without, has_counted, is_alone, is_last, is_marked, is_too_weak_to_scrub,
};
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether devices report errors", judge };

/// As many disks with checksum errors alone are more than chance makes fail at once.
const MANY: usize = 3;
/// Of a vdev of fewer, all of them.
const PAIR: usize = 2;

fn judge(view: &View<'_>) -> Judged {
    let hidden: Vec<Finding> =
        view.machine.pools.iter().filter(|pool| tells_alone(pool)).map(of_words).collect();
    let counted = of_counts(view);
    match counted {
        counted if hidden.is_empty() => counted,
        Ok(Verdict::Found(findings)) => {
            Ok(Verdict::Found(findings.into_iter().chain(hidden).collect()))
        }
        _ => Ok(Verdict::Found(hidden)),
    }
}

/// Returns whether the words of `zpool status` are of errors that none of the vdevs which were read has counted.
fn tells_alone(pool: &Pool) -> bool {
    let tells = |status: &String| {
        pool_state::one_line(status).contains("has experienced an unrecoverable error")
    };
    // A pool that is not whole speaks for its device by its state.
    pool.status.as_ref().is_some_and(tells)
        && pool.state.as_deref().is_none_or(|state| state == "ONLINE")
        && !all(pool).into_iter().any(|vdev| has_counted(vdev) || is_marked(vdev))
        && pool.errors_beside.own.is_none_or(|own| own == [0; 3])
}

/// Says that a device has counted errors, where nobody knows which.
fn of_words(pool: &Pool) -> Finding {
    let title = format!(
        "A device of {} has counted errors, by the words of its status: which one was not read",
        pool.name
    );
    let mut finding = new(pool, ("device-errors", Severity::WorthALook), title);
    finding.evidence = pool_state::words_of(pool);
    finding.cause = "ZFS repaired what it could from another copy. Whether a disk, its cable, or something that all \
                     of them share is to blame, the counts of all devices tell."
        .to_owned();
    let name = format::shell(&pool.name);
    let mut remedy = changes::by_hand(
        "see which devices count errors, and of which kind; clear nothing before that",
        &[format!("zpool status -v {name}   # to its end")],
    );
    remedy.verify = vec![format!("zpool status -v {name}")];
    finding.remedy = Some(remedy);
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding
}

fn of_counts(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    let mut unread = Vec::new();
    let mut doubted = Vec::new();
    for pool in view.told()? {
        doubted.extend(Some(pool.name.clone()).filter(|_| !pool.strays.is_empty()));
        let leaves = pool_state::told(pool).into_iter();
        let lacks = leaves.filter(|(class, leaf)| *class != Class::Spare && leaf.errors.is_none());
        unread.extend(lacks.map(|(_, leaf)| leaf.name.clone()));
        findings.extend(of_pool(view, pool).into_iter().map(|finding| before_since(pool, finding)));
    }
    if findings.is_empty() && !unread.is_empty() {
        return Err(NotJudged::NotRead(format!(
            "error counts of {} were not read (zpool status)",
            format::list(&unread)
        )));
    }
    if findings.is_empty() && !doubted.is_empty() {
        return Err(NotJudged::NotRead(format!(
            "not all devices of {} were read (zpool status)",
            format::list(&doubted)
        )));
    }
    // A group that could not compute what a missing disk had counts errors of nobody.
    let own =
        |pool: &Pool| pool.errors_beside.own.is_some_and(|all| all.iter().any(|count| *count > 0));
    let before = view.told()?.any(|pool| !pool.errors_beside.before.is_empty());
    if before || view.told()?.flat_map(all).any(has_counted) || view.told()?.any(own) {
        return Ok(Verdict::found_or(findings, Verdict::Silent));
    }
    // Where a pool is ill, the device that is may have lost its row.
    if findings.is_empty() && view.told()?.any(|pool| !is_sound(pool)) {
        return Ok(Verdict::Silent);
    }
    Ok(Verdict::found_or(findings, Verdict::fine("No device has counted an error", Vec::new())))
}

/// Says of what was read before something else happened to the pool that it was then, and asks for nothing but to look.
fn before_since(pool: &Pool, mut finding: Finding) -> Finding {
    // A pool that is whole is judged by its counts, cleared or not.
    let since = pool.errors_beside.since.as_deref();
    let Some(since) = since.filter(|_| pool.state.as_deref() != Some("ONLINE")) else {
        return finding;
    };
    finding.title = format!("{} (before {since})", finding.title);
    finding.severity = finding.severity.max(Severity::WorthALook);
    for row in &mut finding.evidence {
        row.name = format!("before {since}: {}", row.name);
    }
    let status = format!("zpool status -v {}", format::shell(&pool.name));
    finding.remedy =
        Some(changes::by_hand("look at the pool first: it has changed since", &[status]));
    finding.cost = "None to look.".to_owned();
    finding.risk = "How the pool is now was not read.".to_owned();
    finding.confidence = Confidence::fair("the counts were read before that");
    finding
}

/// Returns whether all lines about a pool were read, and none of them is of something ill.
fn is_sound(pool: &Pool) -> bool {
    let is_of_device = |status: &String| pool_state::one_line(status).contains("device");
    pool_state::is_online_and_whole(pool) && !pool.status.as_ref().is_some_and(is_of_device)
}

/// Returns whether the errors of a vdev are of blocks that a resilver has not brought yet.
fn is_excused(vdev: &Vdev) -> bool {
    let checksums_alone = vdev.errors.is_some_and(|[read, write, _]| read == 0 && write == 0);
    let filled = vdev.leaves().into_iter().any(pool_state::is_filled);
    checksums_alone && filled && !is_marked(vdev)
}

fn of_pool(view: &View<'_>, pool: &Pool) -> Vec<Finding> {
    // Of a pool that lost its devices the rule on its state says what to do about them.
    if !pool_state::is_usable(pool) {
        return Vec::new();
    }
    let bad = all(pool).into_iter().filter(|vdev| has_counted(vdev) || is_marked(vdev));
    let (excused, bad): (Vec<&Vdev>, Vec<&Vdev>) = bad.partition(|vdev| is_excused(vdev));
    let (leaves, groups): (Vec<&Vdev>, Vec<&Vdev>) =
        bad.into_iter().partition(|vdev| vdev.children.is_empty());
    // A group is only blamed when each of its disks is there and known to have counted nothing: what a
    // missing one alone had cannot be computed, and counts as an error of the group.
    let clean = |leaf: &&Vdev| {
        let there = matches!(leaf.state.as_deref(), Some("ONLINE" | "DEGRADED"));
        leaf.errors == Some([0, 0, 0]) && there
    };
    let alone: Vec<&Vdev> =
        groups.into_iter().filter(|group| group.leaves().iter().all(clean)).collect();
    let mut findings = Vec::new();
    if !alone.is_empty() {
        findings.push(of_groups(pool, &alone));
    }
    let in_common = is_in_common(pool, &leaves);
    if in_common {
        findings.push(of_many(pool, &leaves));
    } else if !leaves.is_empty() && !is_told_by_state(pool, &leaves) {
        findings.push(of_disks_apart(view, pool, &leaves));
    }
    if !excused.is_empty() {
        findings.push(of_filled(pool, &excused));
    }
    findings
}

/// Returns whether devices count nothing and the state that they have for earlier errors is the pool's: what is to be done
/// is said of that.
fn is_told_by_state(pool: &Pool, bad: &[&Vdev]) -> bool {
    let is_ill = pool.state.as_deref().is_some_and(|state| state != "ONLINE");
    is_ill && !bad.iter().any(|leaf| has_counted(leaf))
}

/// Says that errors are counted which tell nothing before the resilver ends.
fn of_filled(pool: &Pool, excused: &[&Vdev]) -> Finding {
    let title =
        format!("{} counts checksum errors while it resilvers: judge them afterwards", pool.name);
    let mut finding = new(pool, ("errors-while-resilvering", Severity::Note), title);
    finding.evidence = excused.iter().map(|vdev| evidence(vdev)).collect();
    finding.evidence.extend(pool_state::words_of(pool));
    finding.cause = "A device being resilvered lacks blocks until the end, and each of them that \
                     is read earlier counts as a checksum error there and above. Such errors do \
                     not come back afterwards; those of a failing disk, cable or memory do."
        .to_owned();
    finding.remedy = Some(changes::by_hand(
        "let the resilver end, clear the counts, scrub, and see whether they come back",
        &[format!("zpool status -v {}", format::shell(&pool.name))],
    ));
    finding.cost = "None.".to_owned();
    finding.risk = "Replacing a disk for these counts would begin another resilver.".to_owned();
    finding
}

/// Says whether checksum errors, and no others, stand on so many disks that they have one cause.
fn is_in_common(pool: &Pool, bad: &[&Vdev]) -> bool {
    let checksums_alone =
        bad.iter().all(|leaf| leaf.errors.is_some_and(|[read, write, _]| read + write == 0));
    let whole = |vdev: &Vdev| {
        let leaves = vdev.leaves();
        leaves.len() == PAIR && leaves.iter().all(|leaf| bad.iter().any(|b| b.name == leaf.name))
    };
    let marked = bad.iter().any(|leaf| is_marked(leaf));
    checksums_alone && !marked && (bad.len() >= MANY || pool.vdevs.iter().any(whole))
}

fn evidence(vdev: &Vdev) -> Evidence {
    let note = pool_state::noted(vdev);
    Evidence::now(vdev.name.clone(), pool_state::counts_of(vdev) + &note)
}

fn new(pool: &Pool, (id, severity): (&'static str, Severity), title: String) -> Finding {
    let mut finding = Finding::new(id, severity, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.gain = Gain::NotEstimated("each error costs another read, or seconds".to_owned());
    finding.confidence = Confidence::read("zpool status");
    finding.sources =
        lines(["zpool-status(8)", "module/zfs/vdev.c, vdev_stat_update", "zpool-clear(8)"]);
    finding
}

fn of_groups(pool: &Pool, groups: &[&Vdev]) -> Finding {
    let title = above_disks::title(pool, groups);
    let mut finding = new(pool, ("errors-above-disks", Severity::HurtsNow), title);
    for group in groups {
        finding.evidence.push(evidence(group));
        finding.evidence.extend(group.leaves().into_iter().map(evidence));
    }
    finding.evidence.extend(pool_state::words_of(pool));
    finding.cause = above_disks::cause(groups);
    if above_disks::are_wrong(groups) {
        finding.remedy = Some(look_at_memory(pool));
        finding.cost = "A night of downtime for the memory test.".to_owned();
        finding.risk =
            "Until the cause is found, new writes may be corrupted; a new disk does not help."
                .to_owned();
    } else {
        finding.remedy = Some(above_disks::look_at_links(pool));
        finding.cost = "None to look.".to_owned();
        finding.risk = "A disk that is replaced resilvers through the same fault.".to_owned();
    }
    finding.sources.push("openzfs issue 5018".to_owned());
    finding
}

fn of_many(pool: &Pool, bad: &[&Vdev]) -> Finding {
    let title = format!(
        "{} disks of {} have checksum errors: suspect what they share, not the disks",
        bad.len(),
        pool.name
    );
    let mut finding = new(pool, ("shared-checksum-errors", Severity::WorthALook), title);
    finding.evidence = bad.iter().map(|leaf| evidence(leaf)).collect();
    finding.evidence.extend(pool_state::words_of(pool));
    finding.cause = "Several disks seldom begin to return wrong data at once, and none of them \
                     failed to read or write. What they share is more likely: memory, the \
                     controller, a backplane, the power supply."
        .to_owned();
    finding.remedy = Some(look_at_memory(pool));
    finding.cost = "A night of downtime for the memory test.".to_owned();
    finding.risk = "Replacing disks one by one resilvers through the same fault.".to_owned();
    finding.sources.push("openzfs issue 5018".to_owned());
    finding
}

fn look_at_memory(pool: &Pool) -> crate::finding::Remedy {
    let mut commands = vec![
        "# test the memory for a night (memtest86+), then controller, cables, power".to_owned(),
        format!("zpool status -v {}   # are files named?", format::shell(&pool.name)),
    ];
    let scrub = pool_state::scrub(pool).filter(|_| !is_too_weak_to_scrub(pool));
    commands.extend(scrub.map(|scrub| format!("{scrub}   # after that")));
    commands.push(format!("zpool clear {}", format::shell(&pool.name)));
    let mut remedy = changes::by_hand(
        "test the memory and look at the controller before any disk is replaced; have a backup",
        &commands,
    );
    remedy.verify = vec![format!("zpool status -v {}", format::shell(&pool.name))];
    remedy
}

/// Says which devices make errors, and of which others nothing is known by what they count.
fn of_disks_apart(view: &View<'_>, pool: &Pool, bad: &[&Vdev]) -> Finding {
    let alike = like_their_group(pool, bad);
    let is_apart = |leaf: &&&Vdev| !alike.contains(*leaf);
    let own: Vec<&Vdev> = bad.iter().filter(is_apart).copied().collect();
    let mut finding = of_disks(view, pool, &own);
    if !alike.is_empty() {
        let names: Vec<String> = alike.iter().map(|leaf| leaf.name.clone()).collect();
        finding.evidence.extend(alike.iter().map(|leaf| evidence(leaf)));
        finding.cause = format!(
            "{} What {} counts, its group counts too: blocks that no copy had right. {}",
            finding.cause,
            format::list(&names),
            failing::of_no_copy(pool)
        );
    }
    finding
}

fn of_disks(view: &View<'_>, pool: &Pool, bad: &[&Vdev]) -> Finding {
    // What ZFS itself has found to be failing is no longer a matter of watching it.
    let is_last = is_last(pool, bad);
    let alone = if is_last { ", and nothing can stand in for what it cannot read" } else { "" };
    let title = format!("{}{alone}", failing::title(pool, bad));
    let counts = bad.iter().any(|leaf| has_counted(leaf));
    let severity = match is_last || counts && bad.iter().any(|leaf| is_marked(leaf)) {
        true => Severity::HurtsNow,
        false => Severity::WorthALook,
    };
    let mut finding = new(pool, ("device-errors", severity), title);
    finding.evidence = bad.iter().map(|leaf| evidence(leaf)).collect();
    let drives: Vec<_> = bad.iter().filter_map(|leaf| view.machine.drive_of(&leaf.name)).collect();
    let sum = |row: fn(&arcwright_machine::Drive) -> Option<u64>| {
        drives.iter().filter_map(|drive| row(drive)).max().filter(|count| *count > 0)
    };
    let sectors = sum(|drive| drive.pending).or(sum(|drive| drive.uncorrectable));
    let links = sum(|drive| drive.link_errors);
    let count = |name: &str, count: Option<u64>| {
        count.map(|count| Evidence {
            exact: Some(count),
            ..Evidence::now(format!("SMART: {name}"), format::count(count))
        })
    };
    finding.evidence.extend(count("unreadable sectors", sectors));
    finding.evidence.extend(count("link errors", links));
    finding.evidence.extend(pool_state::words_of(pool));
    let cause = match (sectors, links) {
        (Some(_), _) => "SMART reports unreadable sectors: the disk itself fails.",
        (None, Some(_)) => {
            "SMART counts errors on the link between disk and controller: check the cable and its \
             plugs first."
        }
        (None, None) if drives.iter().any(|drive| failing::is_slowed(drive)) => {
            "Its link runs at 1.5 Gb/s, to which disk and controller fall back when a cable, a plug or a port garbles what is \
             sent: look at these first."
        }
        (None, None) if bad.len() == 1 => {
            "Read and write errors come from the disk, its cable or its port; checksum errors of one disk alone mostly \
             from its cable or port, or from the disk itself."
        }
        (None, None) => {
            "Read and write errors come from the disk, its cable or its port; checksum errors \
             alone often come from a cable, a controller or memory."
        }
    };
    let is_alone = is_alone(pool, bad);
    finding.cause = match is_last || is_alone {
        true => format!("{cause} No other complete copy is there for ZFS to repair from."),
        false => format!("{cause} Where another copy was right, ZFS repaired it."),
    };
    finding.cause.push_str(&failing::while_filled(bad));
    let is_weak = cannot_do_without(pool, bad);
    finding.remedy = Some(look_at_disks(view, pool, bad, is_weak));
    finding.cost = "Perhaps a cable, perhaps a disk.".to_owned();
    finding.risk = match is_weak {
        true => "What a failing device cannot read has no other copy: keep it attached, and read no more than needed.",
        false if failing::lacks_device(pool) => "A scrub reads all of the other devices while one of them is missing.",
        false if bad.iter().any(|leaf| is_marked(leaf)) => "If its errors grow, the device may drop out.",
        false => "None.",
    }
    .to_owned();
    finding
}
