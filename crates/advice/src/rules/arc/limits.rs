//! `zfs_arc_max` above the memory, near all of it, or ignored.
//!
//! The kernel takes a maximum only when it is at least 64 MiB, below the memory and above the minimum
//! (docs/model/arc.md#target-limits); otherwise it keeps what it had and says nothing.

use arcwright_scenario::Setting;
use arcwright_units::Bytes;

use crate::changes::{self, setting};
use crate::finding::{Area, Confidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::rules::arc::over::LEAST;
use crate::rules::arc::room::{self, Room};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the ARC's limits are in force", judge };

/// What the kernel and programs need beside the ARC: less than a sixteenth of the memory is too little.
const REST: u64 = 16;
/// However large the machine is, this much is enough for a system without other programs.
const REST_MOST: u64 = 8 << 30;
/// A maximum in force that differs from the one set by more than this share is another one.
const ALIKE: f64 = 0.02;

fn judge(view: &View<'_>) -> Judged {
    let Some(set) = view.parameter("zfs_arc_max").filter(|held| held.is_read) else {
        return Ok(Verdict::Silent);
    };
    let (set, most) = (set.value, view.arc_now("c_max"));
    let memory = view.machine.memory.map(|memory| memory.total.0);
    if set == 0 {
        return Ok(Verdict::Silent);
    }
    let most = match most {
        Ok(most) => most,
        Err(_) if set < LEAST => return Ok(Verdict::one(too_small(view, set))),
        Err(why) => return Err(why),
    };
    let differs = (set.abs_diff(most)) as f64 > ALIKE * set.max(most) as f64;
    let name = view.shown("zfs_arc_max");
    if differs {
        return Ok(Verdict::one(ignored(view, &name, set, most)));
    }
    // A target above it is another rule's finding; in force the maximum is not.
    if view.arc_now("c")? > most.saturating_add(most / 10) {
        return Ok(Verdict::Silent);
    }
    let memory = memory.ok_or_else(|| view.not_read("the memory", "meminfo"))?;
    if set > memory - (memory / REST).min(REST_MOST) {
        return Ok(Verdict::one(too_large(view, &name, set, memory)));
    }
    let what = format!("{name} is in force: {}", Bytes(set));
    Ok(Verdict::fine(what, view.rows_now(["c_max"])))
}

fn ignored(view: &View<'_>, name: &str, set: u64, most: u64) -> Finding {
    let title = format!("{name} is set to {} but {} are in force", Bytes(set), Bytes(most));
    let mut finding = Finding::new("arc-max-ignored", Severity::WorthALook, Area::Settings, title);
    finding.evidence = view.settings(["zfs_arc_max", "zfs_arc_min"]);
    finding.evidence.extend(view.rows_now(["c_max", "c_min"]));
    let least = view.arc_now("c_min").ok();
    let memory = view.machine.memory.map(|memory| memory.total.0);
    finding.cause = why(set, least, memory);
    finding.remedy = changes::set(view, &settings(view, (set, most), least)).map(|mut remedy| {
        remedy.verify = lines(["arcwright doctor   # c_max equals what is set"]);
        remedy
    });
    finding.gain = Gain::NotEstimated("the intended limit applies".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "A lower maximum evicts what exceeds it, but not instantly.".to_owned();
    finding.confidence = Confidence::read("the parameter and arcstats");
    finding.sources =
        lines(["module/zfs/arc.c (arc_tuning_update)", "openzfs issues 17052, 10157"]);
    finding
}

/// Returns the finding where only what is set was read, and no module takes that.
fn too_small(view: &View<'_>, set: u64) -> Finding {
    let name = view.shown("zfs_arc_max");
    let title = format!("{name} is set to {}, which the module does not take", Bytes(set));
    let mut finding = Finding::new("arc-max-ignored", Severity::WorthALook, Area::Settings, title);
    finding.evidence = view.settings(["zfs_arc_max", "zfs_arc_min"]);
    finding.evidence.extend(view.rows_now(["size"]));
    finding.cause = format!("{} The maximum in force was not read.", why(set, None, None));
    let what = format!("set {name} to the size that is meant, or to 0 for the default");
    finding.remedy = Some(changes::by_hand(what, &lines(["arcwright tune show zfs_arc_max"])));
    finding.gain = Gain::NotEstimated("the intended limit applies".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "A lower maximum evicts what exceeds it, but not instantly.".to_owned();
    finding.confidence = Confidence::read("the parameter");
    finding.sources = lines(["module/zfs/arc.c (arc_tuning_update)"]);
    finding
}

/// Returns why the kernel did not take the value, as far as what it compares with was read.
fn why(set: u64, least: Option<u64>, memory: Option<u64>) -> String {
    match (least, memory) {
        _ if set < LEAST => format!("The module silently ignores values below {}.", Bytes(LEAST)),
        (_, Some(memory)) if set >= memory => format!(
            "It is not below the machine's memory ({}); the module silently ignores such a value.",
            Bytes(memory)
        ),
        (Some(least), _) if set <= least => format!(
            "It is not above the minimum ({}); the module silently ignores such a value: lower the \
             minimum first.",
            Bytes(least)
        ),
        (Some(_), Some(_)) => {
            "It was set after the module was loaded and did not take effect, or only in part; \
             setting it again usually helps."
                .to_owned()
        }
        _ => "The module silently ignores a maximum that is not below the memory or not above the \
              minimum; one of these was not read."
            .to_owned(),
    }
}

/// Returns what to set; nothing where what the value must keep to was not read.
fn settings(view: &View<'_>, (set, most): (u64, u64), least: Option<u64>) -> Vec<Setting> {
    let (Some(least), Some(memory)) = (least, view.machine.memory) else { return Vec::new() };
    if set < LEAST || set >= memory.total.0 {
        return match room::of(view) {
            Room::Larger(room) => vec![setting("zfs_arc_max", room.0)],
            Room::Taken | Room::Over => vec![setting("zfs_arc_max", most)],
            Room::Unknown(_) => Vec::new(),
        };
    }
    if set <= least {
        return vec![setting("zfs_arc_min", (set / 2).max(LEAST / 2)), setting("zfs_arc_max", set)];
    }
    vec![setting("zfs_arc_max", set)]
}

fn too_large(view: &View<'_>, name: &str, set: u64, memory: u64) -> Finding {
    let title = format!(
        "{name} leaves hardly any memory for the rest of the machine: {} of {}",
        Bytes(set),
        Bytes(memory)
    );
    let mut finding =
        Finding::new("arc-max-too-large", Severity::WorthALook, Area::Settings, title);
    finding.evidence = view.settings(["zfs_arc_max"]);
    finding.evidence.extend(view.rows_now(["c_max", "size", "memory_available_bytes"]));
    finding.cause =
        "The ARC shrinks under memory pressure, but not instantly: meanwhile programs can be \
         killed (OOM) or swapped out."
            .to_owned();
    finding.remedy = changes::set(view, &[setting("zfs_arc_max", memory / 4 * 3 / LEAST * LEAST)]);
    finding.gain = Gain::NotEstimated("how much memory programs need is not known".to_owned());
    finding.cost = "Less is cached.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("the parameter and the machine's memory");
    finding.sources = lines(["zfs(4) zfs_arc_max", "openzfs issues 2840, 14686"]);
    finding
}
