//! A pool that `zpool import` offers: it is not in use, so that nothing in it can be replaced, cleared or
//! scrubbed.
//!
//! What the tool calls a missing or corrupted device is most often one that stands under another name, or
//! whose label is looked for in the wrong place (a whole disk for its partition): `-d /dev/disk/by-id`
//! finds it (zpool-import(8)). A log device alone may be done without (`-m`), at the price of what only it
//! held. Forcing (`-f`, `-X`) before every device was looked for is what loses pools.

use arcwright_machine::{Class, Offer, Pool, Refusal, Vdev};

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rules::pool_state::{self, WELL, told};
use crate::rules::pools::left::beyond;
use crate::rules::pools::missing_members;
use crate::view::View;

/// Devices that are shown.
const SHOWN_MAX: usize = 16;

/// Returns the one thing that is to be said of an offered pool.
pub(super) fn finding(view: &View<'_>, pool: &Pool, state: &str, offer: &Offer) -> Finding {
    let lost = beyond(pool);
    let is_closed = lost.is_some() || matches!(state, "UNAVAIL" | "FAULTED");
    // How devices that were not found stand among the others decides it, and was not read.
    let is_said_to_open = says(pool, "can be imported despite missing") && lost.is_none();
    let is_open_to_doubt = !is_said_to_open
        && pool.vdevs.is_empty()
        && told(pool).iter().any(|(class, leaf)| {
            let is_vital = !matches!(class, Class::Cache | Class::Spare);
            is_vital && leaf.state.as_deref().is_some_and(|state| state != "ONLINE")
        });
    let mut finding = match (is_closed, failed_import(view, pool)) {
        (false, Some(failed)) => not_read(view, pool, (state, offer), failed),
        (false, None) if is_open_to_doubt => in_doubt(view, pool, state, offer),
        (true, _) => closed(view, pool, state, offer),
        (false, None) => open(pool, state, offer),
    };
    if let Some(vdev) = lost {
        let text = vdev.state.clone().unwrap_or_else(|| "too few devices".to_owned());
        finding.evidence.push(Evidence::now(vdev.name.clone(), text));
    }
    let is_ill = |state: &str| !WELL.contains(&state);
    let leaves = told(pool);
    let ill = leaves.iter().filter_map(|(_, leaf)| Some((leaf, leaf.state.as_deref()?)));
    let ill = ill.filter(|(_, state)| is_ill(state)).take(SHOWN_MAX);
    finding.evidence.extend(ill.map(|(leaf, state)| {
        let note = leaf.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        Evidence::now(leaf.name.clone(), format!("{state}{note}"))
    }));
    finding
}

/// Returns what is to be said where devices were not found, and it was not read whether the pool can do without.
fn in_doubt(view: &View<'_>, pool: &Pool, state: &str, offer: &Offer) -> Finding {
    let mut finding = closed(view, pool, state, offer);
    finding.severity = Severity::WorthALook;
    finding.title = format!(
        "{} is offered as {state}, but lacks devices; whether it can do without was not read",
        pool.name
    );
    finding
}

fn new(
    pool: &Pool,
    state: &str,
    (id, severity): (&'static str, Severity),
    title: String,
) -> Finding {
    let mut finding = Finding::new(id, severity, Area::Safety, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![Evidence::now(format!("{}: state", pool.name), state)];
    finding.evidence.extend(pool_state::words_of(pool));
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.confidence = Confidence::read("zpool import");
    finding.sources = lines(["zpool-import(8)"]);
    finding
}

/// Returns the commands that look for the devices of a pool: its disks, the label of one, all by other names.
fn looks(view: &View<'_>, pool: &Pool, destroyed: &str) -> Vec<String> {
    if view.is_freebsd() {
        return vec![
            "camcontrol devlist; gpart show   # are all of its disks there?".to_owned(),
            "zdb -l /dev/daXpY   # the label of a disk or partition: which pool it is of"
                .to_owned(),
            format!("zpool import{destroyed}   # what is found now"),
        ];
    }
    let mut commands = vec![
        "lsblk -o NAME,SIZE,MODEL,SERIAL   # are all of its disks there?".to_owned(),
        "zdb -l /dev/sdX1   # the label of a disk or partition: which pool it is of".to_owned(),
    ];
    if !missing_members::are_by_id(pool) {
        let by_id =
            format!("zpool import -d /dev/disk/by-id{destroyed}   # the same disks by other names");
        commands.push(by_id);
    }
    commands
}

fn closed(view: &View<'_>, pool: &Pool, state: &str, offer: &Offer) -> Finding {
    let title = match beyond(pool).filter(|_| matches!(state, "ONLINE" | "DEGRADED")) {
        Some(vdev) => format!(
            "{} is offered as {state}, but {} lacks more devices than it can do without",
            pool.name, vdev.name
        ),
        None => format!("{} is {state}: it cannot be imported with what was found", pool.name),
    };
    let mut finding = new(pool, state, ("pool-unopened", Severity::HurtsNow), title);
    finding.cause = match has_all_and_is_damaged(pool) {
        true => {
            "Its devices are there, and its own metadata cannot be read from them: the last transactions did not \
             reach the disks as they should have, or memory or a controller damaged them. An older state may be \
             whole, at the price of the last seconds."
                .to_owned()
        }
        false => missing_members::cause(pool, offer),
    };
    let name = target(pool, offer);
    let destroyed = if offer.is_destroyed { " -D" } else { "" };
    let mut commands = looks(view, pool, destroyed);
    let by_id = if view.is_freebsd() { "" } else { " -d /dev/disk/by-id" };
    commands.push(format!(
        "zpool import{by_id}{destroyed} -o readonly=on -N {name}   # changes nothing on the disks, mounts nothing"
    ));
    let lacks_log = missing_members::may_lack_log(pool, offer) || says(pool, "log");
    if lacks_log {
        commands.push(format!(
            "zpool import -m {name}   # only if nothing but a log device is lost for good"
        ));
    }
    commands.push(format!(
        "zpool import -Fn {name}   # only reports whether rewinding some seconds would help"
    ));
    let what = match has_all_and_is_damaged(pool) {
        true => {
            "import it read-only and copy what matters; see by the dry run -Fn what going back would cost, and go \
             back (-F) only when a copy exists or none can be made"
        }
        false => missing_members::step(pool),
    };
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = lines(["zpool import   # every device ONLINE"]);
    finding.remedy = Some(remedy);
    finding.cost = "None but the time to look; perhaps a restore from backup.".to_owned();
    finding.risk = match lacks_log {
        true => {
            "Import with -m discards what only the log device held: the last seconds of \
                 synchronous writes."
        }
        false => "Nothing can be replaced or scrubbed while it is not imported.",
    }
    .to_owned();
    finding
}

/// Says whether the words of the tool blame the pool's metadata, and no device is missing.
fn has_all_and_is_damaged(pool: &Pool) -> bool {
    let is_there = |state: Option<&str>| state.is_none_or(|state| state == "ONLINE");
    says(pool, "metadata is corrupted")
        && told(pool).iter().all(|(_, leaf)| is_there(leaf.state.as_deref()))
}

/// Returns the import in the text that failed although all devices of the pool are listed as they should be.
fn failed_import<'a>(view: &View<'a>, pool: &Pool) -> Option<&'a Refusal> {
    const DAMAGED: [&str; 2] = ["I/O error", "one or more devices is currently unavailable"];
    let is_whole = matches!(pool.state.as_deref(), Some("ONLINE" | "DEGRADED"));
    let is_it = |refusal: &&Refusal| {
        refusal.verb == "import"
            && refusal.subject == pool.name
            && DAMAGED.iter().any(|reason| refusal.reason.starts_with(reason))
    };
    view.machine.refusals.iter().find(is_it).filter(|_| is_whole)
}

/// Returns what is to be said of a pool that is listed as whole and cannot be imported all the same.
fn not_read(
    view: &View<'_>,
    pool: &Pool,
    (state, offer): (&str, &Offer),
    failed: &Refusal,
) -> Finding {
    let title =
        format!("{} is listed as {state}, and its import fails: {}", pool.name, failed.reason);
    let mut finding = new(pool, state, ("pool-unopened", Severity::HurtsNow), title);
    let name = target(pool, offer);
    let typed = |option: &str| {
        let is_it = |typed: &&String| {
            typed.starts_with("zpool import ")
                && typed.split_whitespace().any(|word| word == option)
                && typed.contains(&pool.name)
        };
        view.machine.typed.iter().any(|line| is_it(&line))
    };
    let tried = match typed("-F") || typed("-fF") || typed("-Ff") {
        true => " Going back some transactions (-F) was tried by the text.",
        false => "",
    };
    let leaves = told(pool);
    let works = |leaf: &Vdev| leaf.state.as_deref() == Some("ONLINE");
    let is_whole = !pool.errors_beside.lacks_lines
        && !leaves.is_empty()
        && leaves.iter().all(|(_, leaf)| works(leaf));
    let found = match is_whole {
        true => {
            "The labels of all devices that are listed were found. What an import reads next, the pool's own structures, it \
                 could not read from any of them:"
        }
        false => {
            "Enough devices were found for it to be listed so. What an import reads next, the pool's own structures, it \
                  could not read from those that are there:"
        }
    };
    let discards = match failed.beside.contains("Destroy and re-create") {
        true => {
            " To destroy and re-create the pool, which the message adds, discards what may be there."
        }
        false => "",
    };
    finding.cause = format!(
        "{found} a device fails at reading, or the last transactions did not reach the disks as they should \
         have.{tried}{discards}"
    );
    let mut commands = vec![
        "dmesg | tail -n 50   # does a device fail at reading?".to_owned(),
        "smartctl -a /dev/sdX   # of each of its disks".to_owned(),
        format!("zpool import -o readonly=on -N {name}   # changes nothing on the disks"),
    ];
    if tried.is_empty() {
        commands.push(format!(
            "zpool import -Fn {name}   # only reports whether rewinding some seconds would help"
        ));
    }
    commands.push(format!(
        "zdb -e -u {name}   # which transactions its uberblocks are of; reads alone"
    ));
    let mut remedy = changes::by_hand(
        "see whether a disk fails at reading; try to import it read-only, and copy what matters; image the disks before \
         anything that writes to them; do not create a pool on them",
        &commands,
    );
    remedy.verify = lines(["zpool list   # the pool is there"]);
    finding.remedy = Some(remedy);
    finding.cost = "The time to look; perhaps a restore from backup.".to_owned();
    finding.risk = "-F, -X and -T write to the disks and discard transactions for good.".to_owned();
    finding
}

fn open(pool: &Pool, state: &str, offer: &Offer) -> Finding {
    let (title, severity) = match (offer.is_destroyed, state) {
        (true, _) => {
            (format!("{} was destroyed, and can still be imported", pool.name), Severity::Note)
        }
        (false, "ONLINE") if says(pool, "last accessed by another system") => {
            let title = format!(
                "{} is not imported, and another system used it last: force the import (-f) only when that one \
                 does not have it any more",
                pool.name
            );
            (title, Severity::Note)
        }
        (false, "ONLINE") if pool.vdevs.is_empty() && pool.strays.is_empty() => {
            (format!("{} is not imported; its devices were not read", pool.name), Severity::Note)
        }
        (false, "ONLINE") => (format!("{} is not imported, and can be", pool.name), Severity::Note),
        (false, state) => (
            format!("{} is not imported, and can be, though it is {state}", pool.name),
            Severity::WorthALook,
        ),
    };
    let mut finding = new(pool, state, ("pool-not-imported", severity), title);
    finding.cause =
        "zpool import lists pools on the disks of this machine that are not in use; the \
                     states are those of the labels that it found."
            .to_owned();
    let name = target(pool, offer);
    let option = if offer.is_destroyed { " -D" } else { "" };
    // Without -d names of the last import are looked for first, which may be why it fails.
    let mut commands = vec![format!("zpool import -d /dev/disk/by-id{option} {name}")];
    if says(pool, "last accessed by another system") || says(pool, "'-f'") {
        let force = if offer.is_destroyed { "-Df " } else { "-f " };
        commands.push(format!(
            "zpool import -d /dev/disk/by-id {force}{name}   # instead, when no other system uses it now"
        ));
    }
    let mut remedy = changes::by_hand(
        "import it, if it is to be used here; devices that are not ONLINE are looked at after that",
        &commands,
    );
    remedy.verify = vec![format!("zpool status -v {}", format::shell(&pool.name))];
    remedy.undo = vec![format!("zpool export {}", format::shell(&pool.name))];
    finding.remedy = Some(remedy);
    finding.cost = "None.".to_owned();
    finding.risk = "A pool that two systems import at once is destroyed.".to_owned();
    finding
}

/// Returns what an import takes: the number, where a name may be of two pools.
///
/// That of a system's own pool may be in use by the system that looks at it.
fn target(pool: &Pool, offer: &Offer) -> String {
    const SYSTEMS: [&str; 4] = ["zroot", "rpool", "bpool", "syspool"];
    let is_of_system = SYSTEMS.contains(&pool.name.as_str()) || pool.name.contains("boot");
    let is_known = !offer.id.is_empty() && offer.id.chars().all(|c| c.is_ascii_digit());
    let numbered = is_known && (offer.is_destroyed || is_of_system);
    format::shell(if numbered { &offer.id } else { &pool.name })
}

fn says(pool: &Pool, words: &str) -> bool {
    let texts = [pool.status.as_deref(), pool.action.as_deref()];
    texts.into_iter().flatten().any(|text| pool_state::one_line(text).contains(words))
}
