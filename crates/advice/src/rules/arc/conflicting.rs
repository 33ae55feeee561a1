//! Limits of the ARC that contradict each other, by what is in force or by files alone.
//!
//! The module takes a limit only within the bounds of the others (`arc_tuning_update` and `arc_init`, module/zfs/arc.c) and
//! else keeps what it had:
//!
//! | set | up to 0.8 | 2.0 to 2.1.0 | from 2.1.1 |
//! |---|---|---|---|
//! | minimum above the maximum | the minimum is ignored | the maximum is ignored, where the minimum is below the default one | the minimum is ignored |
//! | metadata's limit above the maximum | it is ignored | it is ignored | it is ignored; from 2.2 there is none |
//!
//! A minimum that is all of the maximum is a size that somebody fixed: no fault, and said only beside one.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether limits of the ARC contradict each other", judge };

/// A limit as it was set.
#[derive(Debug, Clone)]
struct Limit {
    /// What it is called there.
    name: String,
    bytes: u64,
    evidence: Evidence,
}

/// The limits that were set; what the module has goes before what files say.
#[derive(Debug)]
struct Limits {
    least: Option<Limit>,
    most: Option<Limit>,
    meta_least: Option<Limit>,
    meta_most: Option<Limit>,
}

fn judge(view: &View<'_>) -> Judged {
    let limits = Limits {
        least: limit(view, "zfs_arc_min"),
        most: limit(view, "zfs_arc_max"),
        meta_least: limit(view, "zfs_arc_meta_min"),
        meta_most: limit(view, "zfs_arc_meta_limit").filter(|set| {
            // What the kernel counts by is in force, whatever the rest says.
            view.arc_now("arc_meta_limit").ok() != Some(set.bytes)
        }),
    };
    let pairs = [
        (&limits.least, &limits.most, in_force_of_minimum(view).to_owned()),
        (&limits.meta_most, &limits.most, in_force_of_metadata(view)),
        (&limits.meta_least, &limits.meta_most, IN_FORCE_OF_META_MIN.to_owned()),
    ];
    let found = pairs.into_iter().filter_map(|(low, high, why)| {
        let (low, high) = (low.as_ref()?, high.as_ref()?);
        (low.bytes > high.bytes).then_some((low, high, why))
    });
    // Metadata's limits are gone from 2.2 on, which another rule says.
    let is_gone = view.is_from("2.2.0") == Some(true);
    let found = found.filter(|(low, ..)| !(is_gone && low.name.contains("meta")));
    let found: Vec<Finding> =
        found.map(|(low, high, why)| finding(view, (low, high), why)).collect();
    Ok(Verdict::found_or(found, Verdict::Silent))
}

/// Returns a parameter as the module has it, else as a file sets it; 0 stands for the default.
fn limit(view: &View<'_>, name: &str) -> Option<Limit> {
    let held = view.machine.parameter(name).map(|bytes| {
        let shown = view.shown(name);
        let evidence = Evidence::setting(shown.clone(), Bytes(bytes).to_string());
        Limit { name: shown, bytes, evidence }
    });
    let in_file = || {
        let set = view.files.set_of(name)?;
        Some(Limit { name: set.name.clone(), bytes: set.number()?, evidence: set.evidence() })
    };
    held.or_else(in_file).filter(|limit| limit.bytes > 0)
}

/// Returns what the module does with a minimum above the maximum.
fn in_force_of_minimum(view: &View<'_>) -> &'static str {
    match (view.is_from("2.0.0"), view.is_from("2.1.1")) {
        (Some(false), _) | (_, Some(true)) => {
            "This version ignores the minimum and keeps the default one; the maximum is in force."
        }
        (Some(true), Some(false)) => {
            "This version looks at the minimum first: where that is below the default maximum it is in force, and the \
             maximum that is set is ignored."
        }
        _ => {
            "The module ignores one of the two: up to 0.8 and from 2.1.1 the minimum, in between mostly the maximum. Which version \
             this is was not read."
        }
    }
}

/// Returns what the module does with a limit of metadata above the maximum.
fn in_force_of_metadata(view: &View<'_>) -> String {
    let instead = match view.arc_now("arc_meta_limit") {
        Ok(bytes) => format!("in force is {} (arcstats)", Bytes(bytes)),
        Err(_) if view.is_from("2.1.1") == Some(true) => {
            "in force is its share of the maximum (zfs_arc_meta_limit_percent, 75 %)".to_owned()
        }
        Err(_) => "in force is the limit that it had, at most the maximum".to_owned(),
    };
    let gone = match view.is_from("2.2.0") {
        None => " From 2.2 there is no such limit any more.",
        Some(_) => "",
    };
    format!(
        "The module takes a limit of metadata only up to the ARC's maximum and ignores this one without a word; {instead}.{gone}"
    )
}

const IN_FORCE_OF_META_MIN: &str = "Metadata may take less than what it is to keep: the module ignores the limit where both are set, and keeps the other.";

fn finding(view: &View<'_>, (low, high): (&Limit, &Limit), why: String) -> Finding {
    let title = format!(
        "{} is {}, above {} of {}: one of them has no effect",
        low.name,
        Bytes(low.bytes),
        high.name,
        Bytes(high.bytes)
    );
    let mut finding =
        Finding::new("arc-limits-conflict", Severity::WorthALook, Area::Settings, title);
    finding.evidence = vec![low.evidence.clone(), high.evidence.clone()];
    finding.evidence.extend(view.rows_now(["c_min", "c_max", "arc_meta_limit"]));
    finding.cause = why;
    let what = "decide which of the two is meant and change the other, where it is set";
    let mut remedy = changes::by_hand(what, &[]);
    remedy.verify = lines(["arcwright doctor   # c_min, c_max and arc_meta_limit of arcstats"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("the intended limit applies".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "A lower maximum evicts what exceeds it, but not instantly.".to_owned();
    finding.confidence =
        Confidence::read("the settings; what the module made of them only where arcstats tells");
    finding.sources =
        lines(["module/zfs/arc.c, arc_tuning_update, arc_init", "zfs(4) zfs_arc_min"]);
    finding
}
