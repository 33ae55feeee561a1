//! A pool in the list of this machine that cannot be opened, or not any more: what comes first by the states of its members;
//! not a rule itself.
//!
//! A member is REMOVED when it went while the pool was in use (`vdev_remove_wanted`, module/zfs/vdev.c): the pool has its
//! requests still, wants the device back, and an export waits for what waits for the device. A member without a label
//! (“corrupted data”, `VDEV_AUX_CORRUPT_DATA`, `VDEV_AUX_BAD_LABEL`) was found, under a name that may be another disk's by
//! now. One that could not be opened was not found. Only where all are there, the pool's own metadata is what cannot be
//! read, and an older state (`-F`) may help.

use arcwright_machine::{Class, Layout, Pool, Vdev};

use crate::changes;
use crate::finding::{Evidence, Finding, Severity};
use crate::format;
use crate::rules::pool_state::{self, may_fail, one_line, told};
use crate::rules::pools::found_disks;
use crate::rules::pools::health::{ill, new};
use crate::rules::pools::left::is_lost;
use crate::rules::pools::steps::{DEVICES_MAX, Ill, status, wants_label};
use crate::view::View;

/// Why a pool cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lack {
    /// Devices went while it was in use.
    Went,
    /// Devices were found without a label that fits.
    Labels,
    /// Devices were not found.
    Absent,
    /// All are there, and the words of its status blame its metadata.
    Metadata,
    /// Those that were read are not enough to say.
    Unseen,
}

/// Returns what is to be said of a pool that the machine knows and cannot use.
pub(super) fn finding(view: &View<'_>, pool: &Pool, state: &str) -> Finding {
    let all = ill(pool);
    let vital: Vec<&Ill<'_>> =
        all.iter().filter(|ill| !matches!(ill.class, Class::Cache | Class::Spare)).collect();
    let lack = lack(pool, &vital);
    let name = &pool.name;
    let title = match lack {
        Lack::Went => {
            format!("{name} is {state}: devices went while it was in use; bring them back")
        }
        Lack::Labels => {
            format!("{name} is {state}: find its disks under other names before anything else")
        }
        Lack::Absent => format!("{name} is {state}: it cannot be opened with the devices it has"),
        Lack::Metadata => format!("{name} is {state}: its own metadata cannot be read"),
        Lack::Unseen => format!("{name} is {state}: which devices it lacks was not read"),
    };
    let mut finding = new(pool, ("pool-unopened", Severity::HurtsNow), title, &vital);
    finding.evidence.insert(0, Evidence::now(format!("{name}: state"), state));
    let found = found_disks::of(view, pool, &vital);
    let said = [lacks(pool), found.said, meaning(lack).to_owned(), contradicted(pool, lack)];
    finding.cause = said.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let (what, commands) = steps(view, pool, (lack, &vital));
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = vec![status(pool)];
    finding.remedy = Some(remedy);
    finding.cost = match lack {
        Lack::Went | Lack::Labels | Lack::Unseen => "None but the time to look.".to_owned(),
        Lack::Absent => {
            "None but the time to look; a restore from backup where they do not come back."
                .to_owned()
        }
        Lack::Metadata => {
            "Perhaps the last seconds of writes, perhaps a restore from backup.".to_owned()
        }
    };
    finding.risk = danger(lack).to_owned();
    finding.sources.extend(sources(lack).iter().map(|source| (*source).to_owned()));
    finding
}

fn lack(pool: &Pool, vital: &[&Ill<'_>]) -> Lack {
    let says =
        |words: &str| pool.status.as_deref().map(one_line).is_some_and(|it| it.contains(words));
    // Where each of its groups was read and works, what cannot be read is what they hold.
    let works = |vdev: &Vdev| vdev.state.as_deref() == Some("ONLINE");
    let are_there =
        !pool.vdevs.is_empty() && pool.vdevs.iter().all(works) && !pool.errors_beside.lacks_lines;
    if vital.is_empty() && (are_there || says("metadata is corrupted")) {
        return Lack::Metadata;
    }
    let went = |leaf: &Vdev| leaf.state.as_deref() == Some("REMOVED");
    let was_in_use = vital.iter().any(|ill| went(ill.leaf)) || runs(pool);
    match vital {
        [] if was_in_use => Lack::Went,
        [] => Lack::Unseen,
        _ if was_in_use => Lack::Went,
        all if all.iter().any(|ill| wants_label(pool, ill.leaf)) => Lack::Labels,
        _ => Lack::Absent,
    }
}

/// Returns whether something shows that the pool was in use when it lost devices: what is not open counts no errors, and
/// nothing is read of it.
fn runs(pool: &Pool) -> bool {
    let counted = |errors: [u64; 3]| errors != [0; 3];
    pool_state::scan(pool) != pool_state::Scan::Idle
        || told(pool).iter().any(|(_, leaf)| leaf.errors.is_some_and(counted))
        || pool.errors_beside.own.is_some_and(counted)
}

/// Says which groups lack more than they can do without, or that none of those that were read does.
fn lacks(pool: &Pool) -> String {
    let is_vital = |vdev: &&Vdev| !matches!(vdev.class, Class::Cache | Class::Spare | Class::Log);
    let groups: Vec<&Vdev> = pool_state::read_vdevs(pool).filter(is_vital).collect();
    let gone = |vdev: &Vdev| -> Vec<String> {
        vdev.children
            .iter()
            .filter(|child| is_lost(child))
            .map(|child| child.name.clone())
            .collect()
    };
    let mut said = Vec::new();
    for vdev in &groups {
        let (lost, most) = (gone(vdev), may_fail(vdev));
        if let Some(most) = most.filter(|most| lost.len() > *most) {
            let named: Vec<String> = lost.iter().take(NAMED_MAX).cloned().collect();
            let more = match lost.len().saturating_sub(NAMED_MAX) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            said.push(format!(
                "{} lacks {}{more}, and can do without {most}.",
                vdev.name,
                format::list(&named)
            ));
        }
    }
    let alone = |vdev: &&&Vdev| vdev.layout == Layout::Leaf && is_lost(vdev);
    let alone: Vec<String> = groups.iter().filter(alone).map(|vdev| vdev.name.clone()).collect();
    if !alone.is_empty() {
        said.push(format!("Nothing stands in for {}.", format::list(&alone)));
    }
    let by_log = told(pool).iter().any(|(class, leaf)| *class == Class::Log && is_lost(leaf));
    if said.is_empty() && !groups.is_empty() && !by_log {
        return "The groups that were read can do without what they lack, so that another one must be the lost one: its \
                rows were not read."
            .to_owned();
    }
    said.join(" ")
}

/// Members that are named.
const NAMED_MAX: usize = 8;

fn meaning(lack: Lack) -> &'static str {
    match lack {
        Lack::Went => {
            "They stopped answering while the pool was in use, mostly by a cable, an enclosure, a controller or its power; \
             what is on them is there. Requests of the pool wait or fail until they are back."
        }
        Lack::Labels => {
            "Disks were found under these names, and ZFS finds no label of the pool on them: mostly the names are other \
             disks' by now (sdX is given anew at each start), a partition is looked for where the whole disk has the label \
             or the other way round, or the controller shows the disks otherwise. That several lose their labels at once is \
             rare."
        }
        Lack::Absent => {
            "They were not found when the pool was to be opened: by a cable, power, a controller without its driver yet, or \
             under other names."
        }
        Lack::Metadata => {
            "Its devices are there: the last transactions did not reach the disks as they should have, or memory or a \
             controller damaged them. An older state may be whole, at the price of the last seconds."
        }
        Lack::Unseen => "",
    }
}

/// Says of a printed sentence that it does not hold here. ZFS chooses the text by the first kind of trouble that it finds
/// (`check_status`, lib/libzfs/libzfs_status.c), not by whether the pool works.
fn contradicted(pool: &Pool, lack: Lack) -> String {
    let has = |text: &Option<String>, words: &str| {
        text.as_deref().map(one_line).is_some_and(|text| text.contains(words))
    };
    let mut said = Vec::new();
    for words in ["Sufficient replicas exist", "pool will continue to function"] {
        if has(&pool.status, words) {
            said.push(format!(
                "“{words}” in its status does not hold: ZFS chose the sentence by another trouble than this one."
            ));
        }
    }
    if has(&pool.action, "Wait for the resilver") {
        said.push(
            "Waiting for the resilver is not enough: it cannot end before the devices are back."
                .to_owned(),
        );
    }
    let discards = ["Destroy and re-create", "restore the pool from"]
        .into_iter()
        .any(|words| has(&pool.action, words));
    if discards && lack != Lack::Metadata {
        said.push(
            "To destroy and re-create it, as its action says, is what is left when all of this has failed: it discards what \
             may be there."
                .to_owned(),
        );
    }
    said.join(" ")
}

fn steps(
    view: &View<'_>,
    pool: &Pool,
    (lack, vital): (Lack, &[&Ill<'_>]),
) -> (&'static str, Vec<String>) {
    let name = format::shell(&pool.name);
    let log = "dmesg | tail -n 50   # which devices disappeared, and why".to_owned();
    let disks = match view.is_freebsd() {
        true => "geom disk list   # are all of its disks there?",
        false => "lsblk -o NAME,SIZE,MODEL,SERIAL   # are all of its disks there?",
    };
    let (label, by_id) = match view.is_freebsd() {
        true => ("zdb -l /dev/ada1p1", String::new()),
        false => ("zdb -l /dev/sdX1", " -d /dev/disk/by-id".to_owned()),
    };
    let export = format!("zpool export {name}   # so that it can be imported anew");
    let online = vital.iter().take(DEVICES_MAX).map(|ill| {
        format!("zpool online {name} {}   # once it is there again", format::shell(&ill.leaf.name))
    });
    match lack {
        Lack::Went => {
            let mut commands = vec![log, disks.to_owned()];
            commands.extend(vital.is_empty().then(|| status(pool)));
            commands.extend(online);
            commands.push(format!("zpool clear {name}   # after they are back"));
            (
                "reconnect the devices and see that the system lists them; bring each online, then clear the pool; replace \
                 nothing, and do not export it meanwhile, which waits for what waits for them",
                commands,
            )
        }
        Lack::Labels => (
            "look on which disks and partitions the pool's labels are; then export it and import it by names that do not \
             change; write nothing to any of its disks before (no replace, no labelclear, no create)",
            vec![
                disks.to_owned(),
                format!("{label}   # for each disk and partition: which pool its label is of"),
                export,
                format!("zpool import{by_id}   # what is found by these names"),
                format!("zpool import{by_id} {name}   # when all that it needs is listed"),
            ],
        ),
        Lack::Absent => {
            let mut commands = vec![disks.to_owned(), log];
            commands.extend(online);
            commands.extend([
                export,
                format!(
                    "zpool import{by_id}   # the same disks by other names, and what is missing"
                ),
            ]);
            (
                "bring every device back first (cable, power, controller) and bring it online; where the system lists all of \
                 them and the pool does not, export it and look for it by other names",
                commands,
            )
        }
        Lack::Metadata => (
            "export it, import it read-only and copy what matters; rewind with -F only after the dry run -Fn, and never \
             force -f or -X before a copy exists",
            vec![
                export,
                format!("zpool import -o readonly=on {name}   # changes nothing on the disks"),
                format!(
                    "zpool import -Fn {name}   # only reports whether rewinding some seconds would help"
                ),
            ],
        ),
        Lack::Unseen => (
            "see which devices it lacks: those that were REMOVED want to come back and `zpool online`, those without a label \
             may be there under another name; export, replace and create nothing before that is known",
            vec![status(pool), log, disks.to_owned()],
        ),
    }
}

fn danger(lack: Lack) -> &'static str {
    match lack {
        Lack::Went => {
            "Where the devices do not come back, or a command on the pool hangs, only a restart ends it, and loses what is \
             in memory alone."
        }
        Lack::Labels => "A disk that is written to now may be one of the pool under another name.",
        Lack::Absent => {
            "Scrub and replace need a pool that is open; -F and -X discard what is there."
        }
        Lack::Metadata => {
            "zpool import -F discards the last transactions for good; scrub and replace need an imported pool."
        }
        Lack::Unseen => "A step that fits another cause may lose what is there.",
    }
}

fn sources(lack: Lack) -> &'static [&'static str] {
    match lack {
        Lack::Went => &["zpool-online(8)", "zpool-clear(8)"],
        Lack::Labels => &["zpool-import(8) -d", "zdb(8) -l"],
        Lack::Absent => &["zpool-online(8)", "zpool-import(8) -d"],
        Lack::Metadata => &["zpool-import(8) -F, -n, -o readonly=on"],
        Lack::Unseen => &[],
    }
}
